"""The process that speaks: `python -m companion.narrator.speech.worker WORKSPACE`; see `protocol` for what it says.

eSpeak NG ends the process it lives in when its files are wrong, crashes when called from two threads, and can hang;
numpy takes memory that the box needs only while lines are rendered. So both live here, and the box goes on whatever
happens.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from companion.narrator.sound import VoiceError
from companion.narrator.speech import library
from companion.narrator.speech.protocol import Failure, message, refusal

_PATIENCE_SECONDS = 30
"""A line that takes this long ends the process: whoever would have ended it earlier is gone."""


def main(arguments: list[str]) -> int:
    """Serve requests until standard input ends.

    Args:
        arguments: the workspace, an existing folder of this process's own, which is removed at the end.

    Returns:
        0, or 1 where there is no synthesiser.
    """
    (workspace,) = map(Path, arguments)
    try:
        with _standard_output() as answers, contextlib.suppress(BrokenPipeError):
            return _serve(workspace, answers)
        return 0
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _serve(workspace: Path, answers: BinaryIO) -> int:
    try:
        found = library.load(workspace)
        # Not earlier: pyttsx3 looks for the library while it is imported.
        from companion.narrator.speech.rendering import Renderer  # noqa: PLC0415

        renderer = Renderer(workspace)
    except (VoiceError, ImportError, RuntimeError, OSError) as error:
        answers.write(message(**refusal(Failure.ENGINE, str(error))))
        return 1
    answers.write(message(ok=True, engine=f"eSpeak NG {renderer.version} {found.origin}"))
    for line in sys.stdin:
        signal.alarm(_PATIENCE_SECONDS)
        answers.write(message(**renderer.serve(line)))
        signal.alarm(0)
    return 0


def _standard_output() -> BinaryIO:
    """Return standard output for answers alone; what else is printed, and pyttsx3 prints, goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
