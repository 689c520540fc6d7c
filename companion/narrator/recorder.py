"""A loudspeaker that writes what it would play into a WAV file, in real time: for machines without a sound card."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import wave
from typing import TYPE_CHECKING

from companion.narrator.mixer import OutputError, PygameMixer
from companion.narrator.sound import SAMPLE_RATE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_log = logging.getLogger(__name__)


class Recorder(PygameMixer):
    """The mixer of the box, playing into a file. The file is a WAV once it is closed."""

    def __init__(self, path: Path) -> None:
        """Begin to record; an existing file is replaced.

        Raises:
            OutputError: the file cannot be written.
        """
        self._path = path.absolute()
        self._raw = self._path.with_name(f"{self._path.name}.part")
        try:
            self._raw.write_bytes(b"")
        except OSError as error:
            raise OutputError(f"Nothing is recorded: {path} cannot be written ({error.strerror}).") from None
        # SDL's own driver for this: it paces the mix as a sound card would.
        os.environ["SDL_AUDIODRIVER"] = "disk"
        os.environ["SDL_DISKAUDIOFILE"] = str(self._raw)
        self._finished = False
        with _quiet_sdl():
            super().__init__(lead_in_seconds=0.0)

    def close(self) -> None:
        """Stop, and make a WAV of what was played."""
        super().close()
        if self._finished:
            return
        self._finished = True
        try:
            with wave.open(str(self._path), "wb") as written, self._raw.open("rb") as raw:
                written.setnchannels(1)
                written.setsampwidth(2)
                written.setframerate(SAMPLE_RATE)
                shutil.copyfileobj(raw, _Frames(written))
        except OSError as error:
            _log.warning("the recording stays in %s: %s", self._raw, error.strerror)
            return
        with contextlib.suppress(OSError):
            self._raw.unlink()


@contextlib.contextmanager
def _quiet_sdl() -> Iterator[None]:
    """Keep off the terminal what SDL writes there about its driver: that one was asked for."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class _Frames:
    """Lets `copyfileobj` write into a WAV file."""

    def __init__(self, written: wave.Wave_write) -> None:
        self._written = written

    def write(self, data: bytes) -> None:
        self._written.writeframesraw(data)
