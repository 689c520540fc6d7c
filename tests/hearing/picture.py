"""Draws a sound file as a picture: `python -m tests.hearing.picture night.wav night.png`.

Above the waveform, below the spectrogram up to 8 kHz, a minute to 800 pixels at most. For looking at a night once; the
box itself never needs it.
"""

from __future__ import annotations

import struct
import sys
import zlib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.narrator import levels
from companion.narrator.sound import SAMPLE_RATE

if TYPE_CHECKING:
    from collections.abc import Sequence

Picture: TypeAlias = npt.NDArray[np.uint8]
Values: TypeAlias = npt.NDArray[Any]

WIDTH = 800
"""Pixels."""
_WAVE_HEIGHT = 120
_HIGHEST_HERTZ = 8_000
_WINDOW = 1024
_LOUDEST_DB, _FAINTEST_DB = -10.0, -75.0
_GAP = 8


def draw(samples: levels.Samples) -> bytes:
    """Return a PNG of a sound: its waveform over its spectrogram, in shades of grey."""
    rows = [_waveform(samples), np.full((_GAP, WIDTH), 255, np.uint8), _spectrogram(samples)]
    return _png(np.vstack(rows))


def _waveform(samples: levels.Samples) -> Picture:
    peaks = np.array([np.abs(piece).max(initial=0.0) for piece in _pieces(samples)])
    distance = np.abs(np.arange(_WAVE_HEIGHT) - (_WAVE_HEIGHT - 1) / 2) / (_WAVE_HEIGHT / 2)
    return np.where(distance[:, None] <= np.maximum(peaks, 1 / _WAVE_HEIGHT), 40, 255).astype(np.uint8)


def _spectrogram(samples: levels.Samples) -> Picture:
    padded = np.pad(samples, _WINDOW)
    window = np.hanning(_WINDOW)
    bands = _HIGHEST_HERTZ * _WINDOW // SAMPLE_RATE
    columns = []
    for places in _pieces(np.arange(0, len(padded) - _WINDOW, _WINDOW // 2)):
        power = [np.abs(np.fft.rfft(padded[at : at + _WINDOW] * window))[:bands] ** 2 for at in places]
        columns.append(np.mean(power, axis=0) if power else np.zeros(bands))
    decibels = 10 * np.log10(np.array(columns).T[::-1] / (window.sum() / 2) ** 2 + 1e-12)
    shade = np.clip((decibels - _FAINTEST_DB) / (_LOUDEST_DB - _FAINTEST_DB), 0.0, 1.0)
    # Fewer shades make a smaller file, and the eye does not miss them.
    grey: Picture = (255 - np.rint(shade * 15) * 17).astype(np.uint8)
    return grey


def _pieces(values: Values) -> list[Values]:
    """Return values as one piece for each column; in time, unlike `array_split`, which begins with the longer ones."""
    edges = np.linspace(0, len(values), WIDTH + 1).astype(int)
    return [values[start:end] for start, end in pairwise(edges)]


def _png(picture: Picture) -> bytes:
    """Return a picture in 8-bit grey as a PNG file."""
    height, width = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows, 9)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main(arguments: Sequence[str]) -> int:
    """Draw a file; return 0, or 1 where it cannot be read or written, 2 for the wrong number of arguments."""
    if len(arguments) != 2:
        print("usage: python -m companion.narrator.picture SOUND.wav PICTURE.png", file=sys.stderr)
        return 2
    sound, picture = map(Path, arguments)
    try:
        picture.write_bytes(draw(levels.read_wav(sound)))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
