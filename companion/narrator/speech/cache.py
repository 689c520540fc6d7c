"""Spoken lines kept on disk, so that each is rendered once in the life of a box."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import logging
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from companion.narrator.sound import Clip, VoiceError
from companion.narrator.speech import wav

if TYPE_CHECKING:
    from companion.narrator.sound import Voice

RECIPE = 2
"""Raised whenever rendering, trimming or levelling would make the same line sound different."""
LARGEST_BYTES = 256 * 1024 * 1024
"""About 2,500 lines; names make new ones for ever."""

_FOLDER_MODE = 0o700
_DAY_SECONDS = 86_400
_ENGINE_FILE = "engine.json"

_log = logging.getLogger(__name__)


class ClipCache:
    """A folder of clips named by what they say, how, and with which synthesiser.

    Attributes:
        directory: where the clips are.
        note: what people should know about the place, in one sentence; empty while all is as wished.
    """

    def __init__(self, directory: Path) -> None:
        """Open a cache.

        Args:
            directory: where it belongs; made where missing. One that cannot be written is replaced by a temporary one.

        Raises:
            VoiceError: not even a temporary folder can be had.
        """
        self.note = ""
        self.directory = directory.absolute()
        try:
            self.directory.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            # Asking for permission is not enough: root may do anything, a read-only disk allows nothing.
            with tempfile.TemporaryFile(dir=self.directory):
                pass
        except OSError as error:
            self.move_out(error.strerror or "it is no folder")

    def move_out(self, reason: str) -> None:
        """Go on in a temporary folder, which goes with this process.

        Raises:
            VoiceError: there is no room for one either.
        """
        try:
            temporary = Path(tempfile.mkdtemp(prefix="companion-speech-"))
        except OSError as error:
            raise VoiceError(f"there is no place to keep spoken lines: {error.strerror}") from error
        # Not when this object goes: whoever was given a clip may still play it.
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        self.note = f"Spoken lines cannot be kept in {self.directory} ({reason}); they last until the box stops."
        self.directory = temporary
        _log.warning(self.note)

    def path(self, text: str, voice: Voice, engine: str) -> Path:
        """Return where the clip of a text belongs, whether it is there or not."""
        facts = [text, voice.identifier, voice.rate_wpm, voice.pitch, voice.variant, engine, RECIPE]
        name = hashlib.sha256(json.dumps(facts).encode("ascii")).hexdigest()[:32]
        return self.directory / f"{name}.wav"

    def find(self, path: Path) -> Clip | None:
        """Return the clip in a file, or None where it is missing or damaged; a damaged one is removed.

        Raises:
            VoiceError: it may be whole, but no more files can be opened.
        """
        try:
            seconds = wav.seconds_of(path)
        except OSError as error:
            raise VoiceError(f"a spoken line cannot be opened: {error.strerror}") from error
        if seconds is None:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        with contextlib.suppress(OSError):
            # The time of use, for prune(); once a day is enough and spares the card.
            if time.time() - path.stat().st_mtime > _DAY_SECONDS:
                path.touch()
        return Clip(path, seconds)

    def silence(self, seconds: float) -> Clip:
        """Return a clip of silence.

        Raises:
            VoiceError: it cannot be written.
        """
        path = self.directory / f"silence-{round(seconds * 1000)}.wav"
        found = self.find(path)
        if found:
            return found
        try:
            wav.write_silence(path, seconds)
        except OSError as error:
            raise VoiceError(f"a silence could not be kept: {error.strerror}") from error
        return Clip(path, seconds)

    def prune(self, largest_bytes: int = LARGEST_BYTES) -> None:
        """Remove what a killed worker left, and the clips longest unused while there are too many."""
        with contextlib.suppress(OSError):
            for part in self.directory.glob(f".*{wav.PART}"):
                if time.time() - part.stat().st_mtime > _DAY_SECONDS:
                    part.unlink(missing_ok=True)
            clips = [(path, path.stat()) for path in self.directory.glob("*.wav")]
            total = sum(status.st_size for _, status in clips)
            for path, status in sorted(clips, key=lambda clip: clip[1].st_mtime):
                if total <= largest_bytes:
                    break
                path.unlink(missing_ok=True)
                total -= status.st_size

    def recall_engine(self, engine: str) -> str:
        """Return the description of a synthesiser that was noted, or empty."""
        try:
            noted = json.loads((self.directory / _ENGINE_FILE).read_text("utf-8"))
            return str(noted.get(engine, ""))
        except (OSError, ValueError, AttributeError):
            return ""

    def note_engine(self, engine: str, description: str) -> None:
        """Note what a synthesiser says of itself, so that a warm start need not ask."""
        with contextlib.suppress(OSError):
            (self.directory / _ENGINE_FILE).write_text(json.dumps({engine: description}), "utf-8")
