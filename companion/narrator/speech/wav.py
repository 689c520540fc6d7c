"""The box's own sound files, read and written with the standard library alone.

The process that plays the game never loads numpy; all it needs to know of a file is whether it is whole and how long it
sounds.
"""

from __future__ import annotations

import os
import secrets
import struct
import wave
from typing import TYPE_CHECKING

from companion.machine import descriptors
from companion.narrator.sound import SAMPLE_RATE

if TYPE_CHECKING:
    from pathlib import Path

PART = ".part"
"""How the name of a file in the making ends."""
PRIVATE = 0o600
"""The mode of a spoken line: it may hold a name, which is nobody else's business."""
PUBLIC = 0o666
"""The mode of a file that somebody asked for; the user's own mask applies."""

_HEADER_BYTES = 44
_SAMPLE_BYTES = 2


def size_of(seconds: float) -> int:
    """Return the size in bytes of a whole file that sounds for `seconds`."""
    return _HEADER_BYTES + _SAMPLE_BYTES * round(seconds * SAMPLE_RATE)


def seconds_of(path: Path) -> float | None:
    """Return how long a file sounds, or None where it is missing, cut short, or no file of ours.

    A power cut leaves files that are empty, cut short or full of zeros: the header has to be right and the size has to
    be what the header promises.

    Raises:
        OSError: nothing can be said of it, since no more files can be opened.
    """
    try:
        size = path.stat().st_size
        with wave.open(str(path), "rb") as file:
            ours = file.getparams()[:3] == (1, _SAMPLE_BYTES, SAMPLE_RATE)
            frames = file.getnframes()
    except (EOFError, wave.Error):
        return None
    except OSError as error:
        if descriptors.are_lacking(error):
            raise
        return None
    if not ours or not frames or size != _HEADER_BYTES + _SAMPLE_BYTES * frames:
        return None
    return frames / SAMPLE_RATE


def write_frames(path: Path, frames: bytes, mode: int = PRIVATE) -> None:
    """Write a mono 16-bit file in one step: whoever looks sees the old file or the new one, never half of one.

    Args:
        path: where it belongs; its folder has to exist. A device or a pipe is written to, not replaced.
        frames: little-endian samples.
        mode: who may read it.

    Raises:
        OSError: it cannot be written, or the disk is full. Nothing is left behind then.
    """
    if path.exists() and not path.is_file():
        with path.open("wb", buffering=0) as device:
            device.write(_header(frames) + frames)
        return
    part = path.with_name(f".{secrets.token_hex(8)}{PART}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(_header(frames))
            file.write(frames)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_silence(path: Path, seconds: float) -> None:
    """Write a file that sounds like nothing for `seconds`.

    Raises:
        OSError: as `write_frames`.
    """
    write_frames(path, bytes(_SAMPLE_BYTES * round(seconds * SAMPLE_RATE)))


def _header(frames: bytes) -> bytes:
    """Return the header of a mono 16-bit WAV file."""
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        _HEADER_BYTES - 8 + len(frames),
        b"WAVE",
        b"fmt ",
        16,
        1,  # plain PCM
        1,  # one channel
        SAMPLE_RATE,
        SAMPLE_RATE * _SAMPLE_BYTES,
        _SAMPLE_BYTES,
        8 * _SAMPLE_BYTES,
        b"data",
        len(frames),
    )
