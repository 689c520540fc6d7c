"""The box's own sound files, read and written with the standard library alone.

The process that plays the game never loads numpy; all it needs to know of a file is whether it is whole and how long it
sounds.
"""

from __future__ import annotations

import os
import tempfile
import wave
from pathlib import Path

from companion.narrator.sound import SAMPLE_RATE

HEADER_BYTES = 44
"""What a plain WAV file holds before its first sample."""
SAMPLE_BYTES = 2
PART = ".part"
"""How the name of a file in the making ends."""


def size_of(seconds: float) -> int:
    """Return the size in bytes of a whole file that sounds for `seconds`."""
    return HEADER_BYTES + SAMPLE_BYTES * round(seconds * SAMPLE_RATE)


def seconds_of(path: Path) -> float | None:
    """Return how long a file sounds, or None where it is missing, cut short, or no file of ours.

    A power cut leaves files that are empty, cut short or full of zeros: the header has to be right and the size has to
    be what the header promises.
    """
    try:
        size = path.stat().st_size
        with wave.open(str(path), "rb") as file:
            ours = file.getparams()[:3] == (1, SAMPLE_BYTES, SAMPLE_RATE)
            frames = file.getnframes()
    except (OSError, EOFError, wave.Error):
        return None
    if not ours or not frames or size != HEADER_BYTES + SAMPLE_BYTES * frames:
        return None
    return frames / SAMPLE_RATE


def write_frames(path: Path, frames: bytes) -> None:
    """Write a mono 16-bit file in one step: whoever looks sees the old file or the new one, never half of one.

    Args:
        path: where it belongs; its folder has to exist.
        frames: little-endian samples.

    Raises:
        OSError: the folder cannot be written, or the disk is full. Nothing is left behind then.
    """
    # Such a file belongs to its owner alone: spoken lines hold names.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=PART)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as raw, wave.open(raw, "wb") as file:
            file.setparams((1, SAMPLE_BYTES, SAMPLE_RATE, len(frames) // SAMPLE_BYTES, "NONE", "not compressed"))
            file.writeframes(frames)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_silence(path: Path, seconds: float) -> None:
    """Write a file that sounds like nothing for `seconds`.

    Raises:
        OSError: as `write_frames`.
    """
    write_frames(path, bytes(SAMPLE_BYTES * round(seconds * SAMPLE_RATE)))
