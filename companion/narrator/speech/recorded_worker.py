"""The process that reads recordings: `python -m companion.narrator.speech.recorded_worker FOLDER WORKSPACE`.

It says and hears what `protocol` says; the text of a request is a file in the folder, with its size and time behind it.
"""

from __future__ import annotations

import os
import sys
import wave
from pathlib import Path
from typing import TYPE_CHECKING

from companion.narrator.sound import SAMPLE_RATE
from companion.narrator.speech.worker import run

if TYPE_CHECKING:
    from companion.narrator.sound import Voice
    from companion.narrator.speech.rendering import Synthesiser

SHORTEST_SECONDS = 0.2
LONGEST_SECONDS = 30.0
_QUIETEST_DBFS = -50.0
"""A recording whose loudest moment lies below this is of the room, not of a voice."""


class Recordings:
    """Reads sound files; SDL knows WAV, OGG and FLAC of any rate and number of channels."""

    def __init__(self, folder: Path) -> None:
        """Start SDL without a sound card."""
        os.environ["SDL_AUDIODRIVER"] = "dummy"
        os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
        import pygame.mixer  # noqa: PLC0415 - it greets while it is imported

        pygame.mixer.init(SAMPLE_RATE, -16, 1, allowedchanges=0)
        self._mixer = pygame.mixer
        self._error = pygame.error
        self._folder = folder

    def render(self, text: str, voice: Voice, path: Path) -> None:  # noqa: ARG002 - a recording is one voice
        """Read a recording into a WAV file.

        Raises:
            UnknownVoiceError: it is no sound, too short, too long or too quiet.
        """
        import numpy as np  # noqa: PLC0415 - the renderer has it already

        from companion.narrator.speech.rendering import UnknownVoiceError  # noqa: PLC0415 - it loads numpy

        name = text.rsplit(" ", 2)[0]
        try:
            raw = self._mixer.Sound(str(self._folder / name)).get_raw()
        except (self._error, OSError) as error:
            raise UnknownVoiceError("it is no sound that can be read") from error
        seconds = len(raw) / 2 / SAMPLE_RATE
        if not SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS:
            raise UnknownVoiceError(
                f"it lasts {seconds:.1f} seconds, and a line {SHORTEST_SECONDS} to {LONGEST_SECONDS:.0f}"
            )
        loudest = int(np.abs(np.frombuffer(raw, "<i2").astype(np.int32)).max(initial=0))
        if loudest < 32768 * 10 ** (_QUIETEST_DBFS / 20):
            raise UnknownVoiceError("nothing can be heard in it")
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(SAMPLE_RATE)
            file.writeframes(raw)


def main(arguments: list[str]) -> int:
    """Serve requests until standard input ends.

    Args:
        arguments: the folder of recordings, and the workspace as every worker has one.

    Returns:
        0, or 1 where sounds cannot be read at all.
    """
    folder, workspace = map(Path, arguments)
    return run(workspace, lambda: _start(folder))


def _start(folder: Path) -> tuple[str, Synthesiser]:
    return "recordings", Recordings(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
