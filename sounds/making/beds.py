"""The beds of the night: loops without a seam that cover the small noises of hands and sleeves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sounds import Bed
from sounds.making.tape import SAMPLE_RATE, chances, rise, times

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sounds.making.tape import Sound

BED_BANDS = (
    (-1.0, (1, 3, 5)),
    (0.4, (2, 3, 7)),
    (1.5, (1, 4, 6)),
    (2.6, (2, 5, 9)),
)
"""Centre of each band of the rain (octaves above 1 kHz) and how often its three swells come in one loop."""


SECONDS = 8.0
COUNT = round(SECONDS * SAMPLE_RATE)
HERTZ = np.fft.rfftfreq(COUNT, 1 / SAMPLE_RATE)
OCTAVES = np.log2(np.maximum(HERTZ, 1.0) / 1000.0)
"""Of every frequency of the loop, above 1 kHz."""

COLOUR = 2.0 ** (-OCTAVES / 2) * rise(OCTAVES + 2.0, 1.4) * rise(3.15 - OCTAVES, 0.9)
"""Pink between 500 Hz and 6 kHz, with soft shoulders: hiss is what makes noise obtrusive."""


def rain() -> Sound:
    """Rain on an old house: noise where hands and sleeves rustle (500 Hz to 6 kHz), its colour slowly moving.

    It is made of whole turns only: sines that fit the loop and swells that fit it too. The end therefore runs
    on into the beginning, and there is no seam to be heard. The swells are small, for it has to cover always.
    """
    spectrum = COLOUR * np.exp(2j * np.pi * chances(8, len(HERTZ)))
    turn = 2 * np.pi * np.arange(COUNT) / COUNT
    noise = np.zeros(COUNT)
    for band, (centre, waves) in enumerate(BED_BANDS):
        swell = np.zeros(COUNT)
        for cycles, start in zip(waves, chances(80 + band, len(waves)), strict=True):
            swell += np.cos(cycles * turn + 2 * np.pi * start)
        share = np.exp(-(((OCTAVES - centre) / 0.8) ** 2))
        noise += np.fft.irfft(spectrum * share, COUNT) * 10 ** (0.9 * swell / 20)
    return from_its_quietest_sample(noise)


def fire() -> Sound:
    """A fire in the stove: a soft roar with embers that crack, none of them loud."""
    roar = np.fft.irfft(COLOUR * np.exp(2j * np.pi * chances(21, len(HERTZ))), COUNT)
    embers = np.zeros(COUNT)
    for start, size, pitch in zip(chances(22, 900), chances(23, 900), chances(24, 900), strict=True):
        ring = times(0.012 + 0.02 * pitch)
        decay_seconds = 0.0012 + 0.004 * pitch
        crack = np.exp(-ring / decay_seconds) * np.sin(2 * np.pi * 1100.0 * 4.0 ** (1.0 - pitch) * ring)
        # Most are small; a loud one would be listened to.
        add_round(embers, start, crack * (0.25 + 0.75 * size**3))
    shaped = np.fft.irfft(np.fft.rfft(embers) * (COLOUR > 0) * rise(OCTAVES + 2.0, 1.4) * rise(3.15 - OCTAVES, 0.9))
    return from_its_quietest_sample(0.75 * of_one(roar) + 0.65 * of_one(shaped))


def brook() -> Sound:
    """A brook behind the house: bubbles without number, each a short rising tone, over rushing water."""
    rush = np.fft.irfft(COLOUR * np.exp(2j * np.pi * chances(31, len(HERTZ))), COUNT)
    bubbles = np.zeros(COUNT)
    many = 2600
    for start, size, pitch in zip(chances(32, many), chances(33, many), chances(34, many), strict=True):
        hertz = 480.0 * 10.0 ** (0.95 * pitch)
        ring = times(0.09)
        decay_seconds = 14.0 / hertz
        # A bubble that comes to the surface sings higher and higher.
        tone = np.sin(2 * np.pi * hertz * (ring + 1.8 * ring**2)) * rise(ring, 0.002)
        add_round(bubbles, start, tone * np.exp(-ring / decay_seconds) * (0.3 + 0.7 * size) * (hertz / 1000) ** 0.8)
    shaped = np.fft.irfft(np.fft.rfft(bubbles) * rise(OCTAVES + 2.0, 1.4) * rise(3.15 - OCTAVES, 0.9))
    return from_its_quietest_sample(0.6 * of_one(rush) + 0.8 * of_one(shaped))


def add_round(loop: Sound, start: float, sound: Sound) -> None:
    """Add a sound to a loop, at a moment from 0 to 1 of it; what runs over its end goes on at its beginning."""
    places = (int(start * len(loop)) + np.arange(len(sound))) % len(loop)
    loop[places] += sound


def of_one(sound: Sound) -> Sound:
    """Return a sound with a mean square of 1."""
    evened: Sound = sound / np.sqrt(np.mean(sound**2))
    return evened


def from_its_quietest_sample(loop: Sound) -> Sound:
    """Return a loop that begins at its quietest sample, so that it can be started without a click as well."""
    turned: Sound = np.roll(loop, -int(np.argmin(np.abs(loop))))
    return turned


RECIPES: Mapping[Bed, Callable[[], Sound]] = {Bed.RAIN: rain, Bed.FIRE: fire, Bed.BROOK: brook}
