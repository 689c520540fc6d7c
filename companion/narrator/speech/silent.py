"""What stands in for a voice where there is none: silence of the right length, so that captions keep their time."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from companion.narrator.sound import Clip
from companion.narrator.speech import wav

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.narrator.sound import Voice

CHARACTERS_A_SECOND = 12.5
"""How fast eSpeak NG gets through a text in our six languages at `RATE_WPM`."""
RATE_WPM = 140
SHORTEST_SECONDS = 0.5

_STEP_SECONDS = 0.1

_log = logging.getLogger(__name__)


class SilentSpeaker:
    """Says nothing, for about as long as it would take to say it."""

    def __init__(self, reason: str, folder: Path | None = None) -> None:
        """Stand in for a voice.

        Args:
            reason: why there is none, as a clause for people.
            folder: where silences are kept, for the next time too; None, or one that cannot be written, for a temporary
                one, which goes with this process.
        """
        self._reason = reason
        self._kept_in = folder
        self._folder: Path | None = None

    note = ""

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Return the silence: it is made in no time."""
        return self.clip(text, voice)

    def prepare(self, texts: Sequence[str], voice: Voice) -> None:
        """Do nothing: there is nothing to prepare."""

    def clip(self, text: str, voice: Voice, *, within_seconds: float | None = None) -> Clip:  # noqa: ARG002 - the seam's shape
        """Return silence for about as long as the text takes; texts of one length share a file.

        Never raises: where there is no room for the file either, the clip has a length and no sound.
        """
        seconds = len(text) / CHARACTERS_A_SECOND * RATE_WPM / max(1, voice.rate_wpm)
        seconds = max(SHORTEST_SECONDS, round(seconds / _STEP_SECONDS) * _STEP_SECONDS)
        try:
            path = self._home() / f"silence-{round(seconds * 1000)}.wav"
            if not path.exists():
                wav.write_silence(path, seconds)
        except OSError as error:
            _log.warning("A silence could not be kept: %s.", error.strerror)
            path = Path(os.devnull)
        return Clip(path, seconds)

    def called(self, voice: Voice) -> str:  # noqa: ARG002 - the seam's shape
        """Return nothing: nobody speaks."""
        return ""

    def describe(self, voice: Voice) -> str:  # noqa: ARG002 - the seam's shape
        """Say in one sentence that there is no voice, and why."""
        return f"No voice, captions only: {self._reason}."

    def rest(self) -> None:
        """Hold nothing back."""

    def kill(self) -> None:
        """Do nothing: nothing is ever being rendered."""

    def close(self) -> None:
        """Hold nothing back; the files go with the process, since whoever was given one may still play it."""

    def _home(self) -> Path:
        """Return the folder of the files; OSError where there is no room for one."""
        if self._folder is None and self._kept_in is not None:
            with contextlib.suppress(OSError):
                self._kept_in.mkdir(mode=0o700, parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=self._kept_in):
                    self._folder = self._kept_in
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="companion-silence-"))
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder
