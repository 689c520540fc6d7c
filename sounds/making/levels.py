"""How loud a sound is, and the level that all of them are brought to (ITU-R BS.1770-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sounds.making.tape import SAMPLE_RATE, filtered

if TYPE_CHECKING:
    from sounds.making.tape import Sound

LOUDNESS_LUFS = -18.0
CEILING_DBTP = -1.0

SILENCE_LUFS = -70.0
"""What BS.1770 leaves out of a loudness altogether."""


def k_weighting(hertz: Sound) -> Sound:
    """Return the gain of ITU-R BS.1770's two filters: a shelf for the head, a high-pass for the ear."""
    z = np.exp(2j * np.pi * hertz / SAMPLE_RATE)
    bilinear = (z - 1) / (z + 1)
    # The standard tabulates 48 kHz only; these are the analogue filters behind its table.
    q, top = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    s = bilinear / np.tan(np.pi * 1681.974450955533 / SAMPLE_RATE)
    shelf = (top * s**2 + top**0.4996667741545416 / q * s + 1) / (s**2 + s / q + 1)
    q, corner = 0.5003270373238773, np.tan(np.pi * 38.13547087602444 / SAMPLE_RATE)
    s = bilinear / corner
    # The table's numerator is 1, -2, 1 and not scaled to unity at the top: hence the last factor.
    high_pass = s**2 / (s**2 + s / q + 1) * (1 + corner / q + corner**2)
    gain: Sound = np.abs(shelf * high_pass)
    return gain


def loudness(sound: Sound) -> float:
    """Return the gated loudness of a sound in LUFS (ITU-R BS.1770-4, one channel)."""
    block = round(0.4 * SAMPLE_RATE)
    weighted = filtered(sound, k_weighting)
    weighted = np.pad(weighted, (0, max(0, block - len(weighted))))
    starts = range(0, len(weighted) - block + 1, block // 4)
    powers = np.array([np.mean(weighted[start : start + block] ** 2) for start in starts])
    levels = -0.691 + 10 * np.log10(np.maximum(powers, 1e-12))
    audible = levels > SILENCE_LUFS
    gate = -0.691 + 10 * np.log10(np.mean(powers[audible])) - 10.0
    return float(-0.691 + 10 * np.log10(np.mean(powers[audible & (levels > gate)])))


def true_peak(sound: Sound) -> float:
    """Return the highest point of the curve through the samples, in dBTP (four times oversampled)."""
    padded = np.pad(sound, 64)
    finer = np.fft.irfft(np.fft.rfft(padded), 4 * len(padded)) * 4
    return float(20 * np.log10(np.max(np.abs(finer))))


def levelled(sound: Sound) -> Sound:
    """Return a sound at the level of everything audible in the box.

    Raises:
        ValueError: its peaks would be cut off there; the recipe wants a softer attack or a longer ring.
    """
    sound = sound * 10 ** ((LOUDNESS_LUFS - loudness(sound)) / 20)
    if (peak := true_peak(sound)) > CEILING_DBTP:
        raise ValueError(f"peaks of {peak:.1f} dBTP are above {CEILING_DBTP:.1f}")
    return sound
