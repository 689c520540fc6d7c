"""The theme of the cabaret: an upright piano, an accordion and a brush on a drum, in D."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sounds import Effect
from sounds.making.instruments import Bow, Stroke, accordion, brush, drum, finished, piano
from sounds.making.tape import rise, times

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sounds.making.tape import Sound


def eyes_close() -> Sound:
    """The piano goes down step by step; the accordion lets its air out."""
    seconds = 1.7
    return finished(
        piano(
            seconds,
            Stroke(0.00, "A5", 0.55),
            Stroke(0.22, "F#5", 0.52),
            Stroke(0.44, "E5", 0.50),
            Stroke(0.68, "D5", 0.60),
            Stroke(0.68, "D4", 0.50),
        )
        + accordion(
            seconds,
            Bow(0.00, 0.70, "A4", 0.10),
            Bow(0.00, 0.70, "F#4", 0.10),
            Bow(0.66, 1.60, "F#4", 0.09),
            Bow(0.66, 1.60, "D4", 0.12),
            brightness=0.5,
        ),
        fade_seconds=0.7,
    )


def eyes_open() -> Sound:
    """The piano climbs back, and the accordion breathes in."""
    seconds = 1.75
    return finished(
        piano(
            seconds,
            Stroke(0.00, "D4", 0.40),
            Stroke(0.00, "D5", 0.45),
            Stroke(0.20, "E5", 0.48),
            Stroke(0.40, "F#5", 0.52),
            Stroke(0.62, "A5", 0.58),
            Stroke(0.86, "D6", 0.60),
        )
        + accordion(
            seconds,
            Bow(0.20, 1.70, "D4", 0.08),
            Bow(0.40, 1.70, "A4", 0.09),
            Bow(0.62, 1.70, "F#5", 0.07),
            brightness=0.9,
        ),
        fade_seconds=0.5,
    )


def attention() -> Sound:
    """Two notes of the piano, as somebody asks for silence."""
    return finished(
        piano(
            0.85,
            Stroke(0.00, "D5", 0.70),
            Stroke(0.18, "A5", 0.75),
            Stroke(0.18, "D6", 0.30),
            decay_seconds=0.9,
        ),
        fade_seconds=0.4,
    )


def refused() -> Sound:
    """Two low fists on the keys, damped at once."""
    return finished(
        piano(
            0.5,
            Stroke(0.00, "Bb3", 0.6),
            Stroke(0.00, "A3", 0.6),
            Stroke(0.16, "A3", 0.6),
            Stroke(0.16, "G#3", 0.6),
            decay_seconds=0.22,
        )
        + drum(0.5, Stroke(0.00, "A3", 0.3), Stroke(0.16, "A3", 0.3)),
        wet=0.15,
        fade_seconds=0.12,
    )


def liberal_policy() -> Sound:
    """A rolled major chord and the accordion with it."""
    seconds = 1.5
    return finished(
        piano(
            seconds,
            Stroke(0.00, "D4", 0.55),
            Stroke(0.05, "A4", 0.55),
            Stroke(0.10, "D5", 0.60),
            Stroke(0.15, "F#5", 0.60),
            Stroke(0.20, "A5", 0.65),
            Stroke(0.45, "D6", 0.55),
        )
        + accordion(
            seconds,
            Bow(0.05, 1.40, "D4", 0.13),
            Bow(0.05, 1.40, "F#4", 0.12),
            Bow(0.10, 1.40, "A4", 0.12),
            Bow(0.45, 1.40, "D5", 0.09),
        ),
        fade_seconds=0.5,
    )


def fascist_policy() -> Sound:
    """Octaves low on the piano under a minor chord of the accordion whose sixth leans on its fifth."""
    seconds = 1.5
    return finished(
        piano(
            seconds,
            Stroke(0.00, "D3", 0.75),
            Stroke(0.00, "D4", 0.75),
            Stroke(0.00, "F4", 0.50),
            Stroke(0.42, "Bb3", 0.65),
            Stroke(0.42, "Bb4", 0.45),
        )
        + drum(seconds, Stroke(0.00, "A3", 0.45), Stroke(0.42, "A3", 0.40))
        + accordion(
            seconds,
            Bow(0.00, 1.40, "A3", 0.15),
            Bow(0.00, 1.40, "D4", 0.15),
            Bow(0.00, 1.40, "F4", 0.14),
            Bow(0.42, 1.40, "Bb4", 0.11),
            brightness=0.7,
        ),
        fade_seconds=0.4,
    )


def chaos() -> Sound:
    """An accordion shaken on minor thirds, a piano that hurries from end to end, and a blow."""
    seconds = 1.7
    time = times(seconds)
    shake = 0.65 + 0.35 * np.cos(2 * np.pi * (7.0 * time + 1.8 * time**2))
    swell = 0.4 + 0.6 * rise(time, 1.2)
    chord = accordion(
        seconds,
        Bow(0.0, 1.45, "D4", 0.14),
        Bow(0.0, 1.45, "F4", 0.14),
        Bow(0.0, 1.45, "Ab4", 0.14),
        Bow(0.0, 1.45, "B4", 0.13),
        brightness=0.9,
    )
    starts = (0.0, 0.34, 0.62, 0.85, 1.03, 1.17, 1.29, 1.38)
    run = [Stroke(start, "Ab5" if turn % 2 else "D4", 0.35 + 0.03 * turn) for turn, start in enumerate(starts)]
    blow = [Stroke(1.44, note, 0.45) for note in ("D3", "D4", "Ab4")]
    return finished(
        chord * shake * swell
        + piano(seconds, *run, *blow, decay_seconds=0.5)
        + brush(seconds, *(Stroke(start, "A3", 0.25) for start in starts)),
        fade_seconds=0.2,
    )


def win_liberal() -> Sound:
    """The last bars of a waltz: up the chord, a turn, and the whole band on the last beat."""
    seconds = 2.5
    beats = (0.0, 0.34, 0.51, 0.85, 1.19, 1.36)
    return finished(
        piano(
            seconds,
            Stroke(0.00, "D4", 0.55),
            Stroke(0.00, "A4", 0.50),
            Stroke(0.17, "D5", 0.50),
            Stroke(0.34, "F#5", 0.55),
            Stroke(0.51, "A5", 0.60),
            Stroke(0.68, "B5", 0.50),
            Stroke(0.85, "A5", 0.55),
            Stroke(1.02, "F#5", 0.50),
            Stroke(1.19, "A5", 0.60),
            Stroke(1.36, "D6", 0.75),
            Stroke(1.36, "D4", 0.60),
            Stroke(1.36, "F#5", 0.55),
        )
        + accordion(
            seconds,
            Bow(0.00, 0.80, "D4", 0.13),
            Bow(0.00, 0.80, "F#4", 0.12),
            Bow(0.85, 1.32, "E4", 0.13),
            Bow(0.85, 1.32, "A4", 0.12),
            Bow(1.36, 2.40, "D4", 0.15),
            Bow(1.36, 2.40, "F#4", 0.13),
            Bow(1.36, 2.40, "A4", 0.13),
            Bow(1.36, 2.40, "D5", 0.10),
        )
        + brush(seconds, *(Stroke(beat, "A3", 0.22) for beat in beats)),
        fade_seconds=0.9,
    )


def win_fascist() -> Sound:
    """A march of four steps on low octaves, with the accordion's minor chord left standing."""
    seconds = 2.5
    steps = ((0.0, 0.80), (0.50, 0.50), (0.74, 0.50), (1.0, 0.85))
    return finished(
        drum(seconds, *(Stroke(beat, "A3", 0.7 * weight) for beat, weight in steps), decay_seconds=0.11)
        + piano(
            seconds,
            Stroke(0.00, "D3", 0.80),
            Stroke(0.00, "D4", 0.70),
            Stroke(0.50, "F3", 0.55),
            Stroke(0.50, "F4", 0.55),
            Stroke(0.74, "E3", 0.55),
            Stroke(0.74, "E4", 0.55),
            Stroke(1.00, "D3", 0.90),
            Stroke(1.00, "D4", 0.85),
            Stroke(1.00, "A4", 0.50),
        )
        + accordion(
            seconds,
            Bow(0.00, 0.46, "A3", 0.16),
            Bow(0.00, 0.46, "F4", 0.14),
            Bow(0.50, 0.72, "Bb3", 0.14),
            Bow(0.50, 0.72, "D4", 0.14),
            Bow(0.74, 0.96, "A3", 0.14),
            Bow(0.74, 0.96, "C#4", 0.14),
            Bow(1.00, 2.40, "A3", 0.18),
            Bow(1.00, 2.40, "D4", 0.17),
            Bow(1.00, 2.40, "F4", 0.16),
            brightness=0.8,
        ),
        wet=0.45,
        fade_seconds=1.1,
    )


RECIPES: Mapping[Effect, Callable[[], Sound]] = {
    Effect.EYES_CLOSE: eyes_close,
    Effect.EYES_OPEN: eyes_open,
    Effect.ATTENTION: attention,
    Effect.REFUSED: refused,
    Effect.LIBERAL_POLICY: liberal_policy,
    Effect.FASCIST_POLICY: fascist_policy,
    Effect.CHAOS: chaos,
    Effect.WIN_LIBERAL: win_liberal,
    Effect.WIN_FASCIST: win_fascist,
}
