"""The theme of bells: bells, a string section and a drum, in D."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sounds import Effect
from sounds.making.instruments import Bow, Stroke, bells, drum, finished, strings
from sounds.making.tape import rise, times

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sounds.making.tape import Sound


def eyes_close() -> Sound:
    """Four bells step down and the strings sink with them."""
    seconds = 1.7
    return finished(
        bells(
            seconds,
            Stroke(0.00, "A5", 0.70),
            Stroke(0.24, "F#5", 0.66),
            Stroke(0.48, "E5", 0.62),
            Stroke(0.74, "D5", 0.70),
            decay_seconds=0.42,
            attack_seconds=0.014,
        )
        + strings(
            seconds,
            Bow(0.00, 0.95, "A4", 0.22),
            Bow(0.00, 0.95, "F#4", 0.22),
            Bow(0.60, 1.70, "F#4", 0.20),
            Bow(0.60, 1.70, "D4", 0.30),
            roll_off=1.9,
            attack_seconds=0.30,
            release_seconds=0.45,
        ),
        fade_seconds=0.7,
    )


def eyes_open() -> Sound:
    """The way back up, growing brighter: daybreak."""
    seconds = 1.75
    return finished(
        bells(
            seconds,
            Stroke(0.00, "D5", 0.42),
            Stroke(0.22, "E5", 0.48),
            Stroke(0.44, "F#5", 0.54),
            Stroke(0.68, "A5", 0.62),
            Stroke(0.94, "D6", 0.55),
            decay_seconds=0.45,
            attack_seconds=0.012,
        )
        + strings(
            seconds,
            Bow(0.00, 1.75, "D4", 0.24),
            Bow(0.20, 1.75, "A4", 0.24),
            Bow(0.45, 1.75, "F#5", 0.20),
            roll_off=1.6,
            attack_seconds=0.75,
            release_seconds=0.6,
        ),
        fade_seconds=0.5,
    )


def attention() -> Sound:
    """Two notes of a hall chime."""
    return finished(
        bells(0.85, Stroke(0.0, "D5", 0.8), Stroke(0.19, "A5", 0.8), decay_seconds=0.33, attack_seconds=0.010),
        fade_seconds=0.4,
    )


def refused() -> Sound:
    """Two low thuds, as of knuckles on a table."""
    return finished(drum(0.5, Stroke(0.0, "Bb3"), Stroke(0.15, "A3", 0.9)), wet=0.15, fade_seconds=0.12)


def liberal_policy() -> Sound:
    """A major chord, opened from below and held warmly."""
    seconds = 1.5
    return finished(
        bells(
            seconds,
            Stroke(0.00, "D5", 0.6),
            Stroke(0.08, "F#5", 0.6),
            Stroke(0.16, "A5", 0.6),
            Stroke(0.24, "D6", 0.7),
        )
        + strings(
            seconds,
            Bow(0.00, 1.45, "D4", 0.34),
            Bow(0.00, 1.45, "A4", 0.34),
            Bow(0.08, 1.45, "F#4", 0.30),
            Bow(0.16, 1.45, "D5", 0.24),
            roll_off=1.35,
            attack_seconds=0.16,
            release_seconds=0.7,
        ),
        fade_seconds=0.5,
    )


def fascist_policy() -> Sound:
    """A low bell and a drum under a minor chord whose sixth leans on its fifth."""
    seconds = 1.5
    return finished(
        bells(
            seconds,
            Stroke(0.00, "D4", 0.85),
            Stroke(0.00, "A3", 0.60),
            Stroke(0.00, "D5", 0.25),
            Stroke(0.42, "Bb3", 0.60),
            decay_seconds=0.42,
        )
        + drum(seconds, Stroke(0.00, "A3", 0.7), Stroke(0.42, "A3", 0.6))
        + strings(
            seconds,
            Bow(0.00, 1.45, "A3", 0.40),
            Bow(0.00, 1.45, "D4", 0.40),
            Bow(0.00, 1.45, "F4", 0.34),
            Bow(0.00, 1.45, "A4", 0.24),
            Bow(0.42, 1.45, "Bb4", 0.22),
            roll_off=1.05,
            attack_seconds=0.05,
            release_seconds=0.8,
        ),
        fade_seconds=0.4,
    )


def chaos() -> Sound:
    """A trembling chord of minor thirds that grows, under bells that hurry, and breaks off."""
    seconds = 1.7
    time = times(seconds)
    tremble = 0.7 + 0.3 * np.cos(2 * np.pi * (8.0 * time + 1.6 * time**2))
    swell = 0.35 + 0.65 * rise(time, 1.2)
    chord = strings(
        seconds,
        Bow(0.0, 1.45, "D4", 0.45),
        Bow(0.0, 1.45, "F4", 0.42),
        Bow(0.0, 1.45, "Ab4", 0.42),
        Bow(0.0, 1.45, "B4", 0.40),
        Bow(0.5, 1.45, "D5", 0.34),
        roll_off=1.2,
        attack_seconds=0.08,
        release_seconds=0.10,
    )
    starts = (0.0, 0.38, 0.68, 0.91, 1.08, 1.21, 1.32)
    alarm = [Stroke(start, "Ab5" if turn % 2 else "D5", 0.22 + 0.03 * turn) for turn, start in enumerate(starts)]
    return finished(
        chord * tremble * swell + bells(seconds, *alarm, decay_seconds=0.16) + drum(seconds, Stroke(1.42, "A3", 0.8)),
        fade_seconds=0.2,
    )


def win_liberal() -> Sound:
    """A call upwards, answered by the full major chord and a peal."""
    seconds = 2.5
    return finished(
        bells(
            seconds,
            Stroke(0.00, "A4", 0.50),
            Stroke(0.16, "D5", 0.55),
            Stroke(0.32, "F#5", 0.60),
            Stroke(0.56, "A5", 0.70),
            Stroke(0.56, "D5", 0.50),
            Stroke(0.90, "D6", 0.50),
            Stroke(1.14, "A5", 0.42),
            Stroke(1.38, "F#5", 0.38),
            Stroke(1.62, "D6", 0.42),
            decay_seconds=0.6,
        )
        + strings(
            seconds,
            Bow(0.00, 0.62, "D4", 0.30),
            Bow(0.00, 0.62, "A4", 0.30),
            Bow(0.52, 2.45, "D4", 0.36),
            Bow(0.52, 2.45, "A4", 0.34),
            Bow(0.52, 2.45, "F#5", 0.28),
            Bow(0.60, 2.45, "D5", 0.30),
            Bow(0.90, 2.45, "A5", 0.16),
            roll_off=1.3,
            attack_seconds=0.12,
            release_seconds=1.0,
        ),
        fade_seconds=0.9,
    )


def win_fascist() -> Sound:
    """A funeral march of four steps that ends on the bare minor chord."""
    seconds = 2.5
    steps = ((0.0, 0.80), (0.50, 0.50), (0.74, 0.50), (1.0, 0.85))
    return finished(
        drum(seconds, *(Stroke(beat, "A3", weight) for beat, weight in steps), decay_seconds=0.11)
        + bells(
            seconds,
            Stroke(0.00, "D4", 0.55),
            Stroke(0.50, "F4", 0.45),
            Stroke(0.74, "E4", 0.45),
            Stroke(1.00, "D4", 0.80),
            Stroke(1.00, "A4", 0.35),
            decay_seconds=0.55,
        )
        + strings(
            seconds,
            Bow(0.00, 0.54, "A3", 0.40),
            Bow(0.00, 0.54, "D4", 0.40),
            Bow(0.00, 0.54, "F4", 0.36),
            Bow(0.50, 0.78, "Bb3", 0.32),
            Bow(0.50, 0.78, "D4", 0.32),
            Bow(0.50, 0.78, "F4", 0.32),
            Bow(0.74, 1.04, "Bb3", 0.32),
            Bow(0.74, 1.04, "C#4", 0.32),
            Bow(0.74, 1.04, "E4", 0.32),
            Bow(1.00, 2.45, "A3", 0.50),
            Bow(1.00, 2.45, "D4", 0.50),
            Bow(1.00, 2.45, "F4", 0.44),
            Bow(1.00, 2.45, "A4", 0.24),
            roll_off=1.15,
            attack_seconds=0.05,
            release_seconds=0.10,
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
