"""The process that speaks: `python -m companion.narrator.speech.worker WORKSPACE`; see `protocol` for what it says.

eSpeak NG ends the process it lives in when its files are wrong, crashes when called from two threads, and can hang;
numpy takes memory that the box needs only while lines are rendered. So both live here, and the box goes on whatever
happens.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from companion.narrator.sound import VoiceError
from companion.narrator.speech import library
from companion.narrator.speech.protocol import Failure, refusal
from companion.narrator.worker import message, standard_output

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.narrator.speech.rendering import Synthesiser

_PATIENCE_SECONDS = 120
"""A line that takes this long ends the process: whoever would have ended it earlier is gone."""


def main(arguments: list[str]) -> int:
    """Serve requests until standard input ends.

    Args:
        arguments: the workspace, an existing folder of this process's own, which is removed at the end.

    Returns:
        0, or 1 where there is no synthesiser.
    """
    (workspace,) = map(Path, arguments)
    return run(workspace, lambda: _espeak(workspace))


def run(workspace: Path, start: Callable[[], tuple[str, Synthesiser]]) -> int:
    """Be a worker: start a synthesiser, say its name, and render until standard input ends.

    Args:
        workspace: as `main`.
        start: starts the synthesiser, and returns what it says of itself and itself.

    Returns:
        As `main`.
    """
    try:
        with standard_output() as answers, contextlib.suppress(BrokenPipeError):
            return _serve(workspace, start, answers)
        return 0
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _espeak(workspace: Path) -> tuple[str, Synthesiser]:
    found = library.load(workspace)
    # Not earlier: pyttsx3 looks for the library while it is imported.
    from companion.narrator.speech.synthesis import Espeak  # noqa: PLC0415

    synthesiser = Espeak()
    return f"eSpeak NG {synthesiser.version} {found.origin}", synthesiser


def _serve(workspace: Path, start: Callable[[], tuple[str, Synthesiser]], answers: BinaryIO) -> int:
    try:
        engine, synthesiser = start()
        from companion.narrator.speech.rendering import Renderer  # noqa: PLC0415 - numpy takes its time

        renderer = Renderer(workspace, synthesiser)
    except (VoiceError, ImportError, RuntimeError, OSError) as error:
        answers.write(message(**refusal(Failure.ENGINE, str(error))))
        return 1
    answers.write(message(ok=True, engine=engine))
    for line in sys.stdin:
        signal.alarm(_PATIENCE_SECONDS)
        answers.write(message(**renderer.serve(line)))
        signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
