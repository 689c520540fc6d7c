"""The process that owns the sound card: `python -m companion.narrator.sound_worker OPTIONS WORKSPACE`.

Opening a card may take for ever, and pygame keeps Python's lock meanwhile: in the box's own process that would stop
every thread of it. Here it stops nothing but the sound.

The first line that is written is `ok`, or `ok` false and `error`, a sentence. Every request is a line of JSON with `do`
(`play`, `stop`, `set_volume` or `close`) and what that needs; its answer has `trouble`, why nothing can be heard.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from companion.narrator.mixer import OutputError, PygameMixer, open_mixer
from companion.narrator.recorder import Recorder
from companion.narrator.sound import Clip, Track
from companion.narrator.worker import die_with_the_box, message, requests, standard_output

if TYPE_CHECKING:
    from collections.abc import Callable


def main(arguments: list[str], open_card: Callable[[dict[str, Any]], PygameMixer] | None = None) -> int:
    """Open the card and play until standard input ends.

    Args:
        arguments: the options as JSON (`device`, `lead_in_seconds`, `channels`, `file`), and a workspace.
        open_card: opens what the options name; by default the card, or the file.

    Returns:
        0, or 1 where nothing can be heard.
    """
    die_with_the_box()
    options = json.loads(arguments[0])
    with standard_output() as answers, contextlib.suppress(BrokenPipeError):
        try:
            card = (open_card or _open)(options)
        except OutputError as error:
            answers.write(message(ok=False, error=str(error)))
            return 1
        answers.write(message(ok=True))
        try:
            _serve(card, answers)
        finally:
            card.close()
    return 0


def _open(options: dict[str, Any]) -> PygameMixer:
    if options["file"]:
        return Recorder(Path(options["file"]))
    return open_mixer(options["device"], lead_in_seconds=options["lead_in_seconds"], channels=options["channels"])


def _serve(card: PygameMixer, answers: BinaryIO) -> None:
    for line in requests(card.glide):
        asked = json.loads(line)
        match asked.pop("do"):
            case "play":
                clip = Clip(Path(asked["path"]), asked["seconds"])
                card.play(clip, Track(asked["track"]), loop=asked["loop"])
            case "stop":
                card.stop(Track(asked["track"]))
            case "set_volume":
                card.set_volume(Track(asked["track"]), asked["volume"], asked["fade_seconds"])
            case "close":
                card.close()
        answers.write(message(trouble=card.trouble))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
