"""Sound as numbers: samples, their times, smooth curves, chance that repeats itself, and a filter."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Sound = NDArray[np.float64]

SAMPLE_RATE = 22_050


def times(seconds: float) -> Sound:
    """Return the time of every sample of a sound."""
    return np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE


def rise(time: Sound, seconds: float) -> Sound:
    """Return a curve from 0 to 1 without a corner at either end."""
    shape: Sound = 0.5 - 0.5 * np.cos(np.pi * np.clip(time / seconds, 0.0, 1.0))
    return shape


def chances(seed: int, count: int) -> Sound:
    """Return numbers in [0, 1) that are the same on every machine."""
    source = random.Random(seed)  # noqa: S311 (nothing secret hangs on the phase of a sine)
    return np.array([source.random() for _ in range(count)])


def filtered(sound: Sound, gain: Callable[[Sound], Sound]) -> Sound:
    """Return a sound with every frequency weighted by `gain`, its end never running into its beginning."""
    padded = 2 * len(sound)
    frequencies = np.linspace(0.0, SAMPLE_RATE / 2, len(sound) + 1)
    whole: Sound = np.fft.irfft(np.fft.rfft(sound, padded) * gain(frequencies), padded)
    return whole[: len(sound)]


def folded(sound: Sound, seconds: float) -> Sound:
    """Return a sound as a loop of so many seconds: what rings on after its end sounds over its beginning."""
    count = round(seconds * SAMPLE_RATE)
    turns = -(-len(sound) // count)
    loop: Sound = np.pad(sound, (0, turns * count - len(sound))).reshape(turns, count).sum(axis=0)
    return loop
