"""The instruments, by additive synthesis, and the small room in which they play."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sounds.making.tape import SAMPLE_RATE, chances, filtered, rise, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sounds.making.tape import Sound

LOWEST_HZ = 200.0
"""A 5 cm loudspeaker gives nothing below; what it cannot give would only cost it headroom."""
HIGHEST_HZ = 9_000.0

SEMITONES = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}
"""Distance of the natural notes from the A of their octave."""

BELL_PARTIALS = (
    (1.000, 1.00, 1.00),
    (1.002, 0.25, 0.90),
    (2.000, 0.40, 0.60),
    (2.756, 0.16, 0.34),
    (4.070, 0.10, 0.22),
    (5.404, 0.07, 0.13),
)
"""Frequency ratio, level and relative decay; the close pair at the bottom beats, as in cast bells."""

DRUM_MODES = (
    (1.00, 0.90, 1.00),
    (1.59, 0.80, 0.85),
    (2.14, 0.75, 0.75),
    (2.65, 0.55, 0.60),
    (3.60, 0.38, 0.45),
    (5.13, 0.20, 0.30),
)
"""The modes of a round skin, in the same columns; a small loudspeaker lives by the upper ones."""

DETUNING_CENTS = (-3.5, 0.5, 4.0)
"""Three players to a part make a section."""

PIANO_CENTS = (-0.7, 0.0, 0.9)
"""No tuner gets the three strings of a note to agree."""

PIANO_SECONDS = 3.0
"""The player lets go of a key after so long at the latest."""

REED_CENTS = (-5.0, 6.0)
"""Eleven cents apart, as an accordion is tuned for dancing."""


class Stroke(NamedTuple):
    """One note of a bell, a drum or a piano."""

    start_seconds: float
    note: str
    strength: float = 1.0


class Bow(NamedTuple):
    """One note of strings or reeds, which swells and dies away inside its own time."""

    start_seconds: float
    end_seconds: float
    note: str
    strength: float = 1.0


def frequency(note: str) -> float:
    """Return the frequency of a note such as `F#5` or `Bb4` (equal temperament, A4 = 440 Hz)."""
    semitones = SEMITONES[note[0]] + note.count("#") - note.count("b") + 12 * (int(note[-1]) - 4)
    return float(440.0 * 2.0 ** (semitones / 12))


def struck(
    seconds: float,
    strokes: Sequence[Stroke],
    modes: Sequence[tuple[float, float, float]],
    decay_seconds: float,
    attack_seconds: float,
) -> Sound:
    """Return something that is hit and rings: modes that each die away in their own time."""
    tape = np.zeros(round(seconds * SAMPLE_RATE))
    for stroke in strokes:
        begin = round(stroke.start_seconds * SAMPLE_RATE)
        time = times(seconds)[: len(tape) - begin]
        pitch = frequency(stroke.note)
        # Small bells ring more briefly than large ones.
        ring_seconds = decay_seconds * (600.0 / pitch) ** 0.5
        onset = rise(time, attack_seconds)
        for ratio, level, decay in modes:
            if ratio * pitch < HIGHEST_HZ:
                mode = np.sin(2 * np.pi * ratio * pitch * time) * np.exp(-time / (ring_seconds * decay))
                tape[begin:] += stroke.strength * level * onset * mode
    return tape


def bells(seconds: float, *strokes: Stroke, decay_seconds: float = 0.5, attack_seconds: float = 0.006) -> Sound:
    """Return bells struck with a soft mallet."""
    return struck(seconds, strokes, BELL_PARTIALS, decay_seconds, attack_seconds)


def drum(seconds: float, *strokes: Stroke, decay_seconds: float = 0.075) -> Sound:
    """Return a drum with a felt stick."""
    return struck(seconds, strokes, DRUM_MODES, decay_seconds, 0.004)


def strings(seconds: float, *bows: Bow, roll_off: float, attack_seconds: float, release_seconds: float) -> Sound:
    """Return a string section; the greater `roll_off`, the darker."""
    tape = np.zeros(round(seconds * SAMPLE_RATE))
    for number, bow in enumerate(bows):
        begin = round(bow.start_seconds * SAMPLE_RATE)
        length = bow.end_seconds - bow.start_seconds
        time = times(length)[: len(tape) - begin]
        envelope = rise(time, attack_seconds) * rise(length - time, release_seconds)
        for player, cents in enumerate(DETUNING_CENTS):
            pitch = frequency(bow.note) * 2.0 ** (cents / 1200)
            swing = 2 * np.pi * (4.9 + 0.35 * player)
            # A vibrato of 0.25 % in frequency; its integral is the phase.
            turns = pitch * (time - 0.0025 * np.cos(swing * time + player) / swing)
            harmonics = int(HIGHEST_HZ / pitch)
            phases = chances(97 * number + player, harmonics)
            for harmonic in range(1, harmonics + 1):
                level = bow.strength * harmonic**-roll_off / len(DETUNING_CENTS)
                vibration = np.sin(2 * np.pi * (harmonic * turns + phases[harmonic - 1]))
                tape[begin : begin + len(time)] += level * envelope * vibration
    return tape


def piano(seconds: float, *strokes: Stroke, decay_seconds: float = 1.1) -> Sound:
    """Return an upright piano: stiff strings, three to a note, that ring loud for a moment and softly for long."""
    tape = np.zeros(round(seconds * SAMPLE_RATE))
    for number, stroke in enumerate(strokes):
        begin = round(stroke.start_seconds * SAMPLE_RATE)
        pitch = frequency(stroke.note)
        phases = 2 * np.pi * chances(151 * number, 3 * 14)
        stiffness = 0.0003 * (pitch / 262.0) ** 1.5
        ring_seconds = decay_seconds * (440.0 / pitch) ** 0.45
        time = times(PIANO_SECONDS)[: len(tape) - begin]
        envelope = rise(time, 0.004) * rise(PIANO_SECONDS - time, 0.5)
        for partial in range(1, 15):
            hertz = partial * pitch * (1.0 + stiffness * partial**2) ** 0.5
            if hertz > HIGHEST_HZ:
                break
            # The hammer strikes at an eighth of the string; the softer the stroke, the duller it is.
            level = stroke.strength * partial ** -(1.45 - 0.5 * stroke.strength) * abs(np.sin(np.pi * partial / 8.2))
            # A small soundboard gives little of what is low, and the ear hears the low note in its partials.
            level *= min(1.0, (hertz / 280.0) ** 3)
            fade = ring_seconds / (1.0 + 0.28 * (partial - 1))
            ring = 0.6 * np.exp(-time / (0.35 * fade)) + 0.4 * np.exp(-time / fade)
            for string, cents in enumerate(PIANO_CENTS):
                turns = 2 * np.pi * hertz * 2.0 ** (cents / 1200) * time
                tape[begin : begin + len(time)] += (
                    level * envelope * ring * np.sin(turns + phases[3 * (partial - 1) + string])
                )
    return tape


def accordion(seconds: float, *bows: Bow, brightness: float = 1.0) -> Sound:
    """Return an accordion: two reeds a note, a little apart, so that each note trembles."""
    tape = np.zeros(round(seconds * SAMPLE_RATE))
    for number, bow in enumerate(bows):
        begin = round(bow.start_seconds * SAMPLE_RATE)
        length = bow.end_seconds - bow.start_seconds
        time = times(length)[: len(tape) - begin]
        envelope = rise(time, 0.05) * rise(length - time, min(0.09, length / 2))
        for reed, cents in enumerate(REED_CENTS):
            pitch = frequency(bow.note) * 2.0 ** (cents / 1200)
            harmonics = int(HIGHEST_HZ / pitch)
            phases = chances(61 * number + reed, harmonics)
            for harmonic in range(1, harmonics + 1):
                # Reeds are bright; the box they sit in keeps what lies about 1.2 kHz.
                shape = 0.45 + np.exp(-((np.log2(harmonic * pitch / 1200.0) / 1.1) ** 2))
                level = bow.strength * shape * harmonic ** -(1.9 - 0.5 * brightness)
                tape[begin : begin + len(time)] += (
                    level * envelope * np.sin(2 * np.pi * (harmonic * pitch * time + phases[harmonic - 1]))
                )
    return tape


def brush(seconds: float, *strokes: Stroke, decay_seconds: float = 0.07) -> Sound:
    """Return a snare drum struck with a brush; the note of a stroke says nothing."""
    tape = np.zeros(round(seconds * SAMPLE_RATE))
    for number, stroke in enumerate(strokes):
        begin = round(stroke.start_seconds * SAMPLE_RATE)
        time = times(5 * decay_seconds)[: len(tape) - begin]
        hiss = filtered(2 * chances(311 + number, len(time)) - 1, lambda hertz: np.exp(-(((hertz - 2800) / 1700) ** 2)))
        tape[begin : begin + len(time)] += stroke.strength * hiss * rise(time, 0.006) * np.exp(-time / decay_seconds)
    return tape


def in_a_room(sound: Sound, wet: float) -> Sound:
    """Return a sound as a small wooden room gives it back: itself and a diffuse tail of half a second."""
    time = times(0.7)
    tail = (2 * chances(1932, len(time)) - 1) * np.exp(-time / 0.16) * rise(time, 0.012)
    tail /= np.sqrt(np.sum(tail**2))
    size = len(sound) + len(tail)
    echo: Sound = np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(tail, size), size)[: len(sound)]
    # Wood and curtains take the treble.
    return sound + wet * filtered(echo, lambda hertz: 1 / (1 + (hertz / 2500) ** 2))


def finished(sound: Sound, *, wet: float = 0.35, fade_seconds: float = 0.3) -> Sound:
    """Return a sound in its room, without what a small loudspeaker cannot give, and silent at both ends."""
    sound = filtered(in_a_room(sound, wet), lambda hertz: rise(hertz - 120.0, LOWEST_HZ - 120.0))
    time = times(len(sound) / SAMPLE_RATE)
    return sound * rise(time, 0.004) * rise(time[::-1], fade_seconds)
