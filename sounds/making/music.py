"""The music before and after a game: two loops for piano and accordion, composed for this box."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sounds import Music
from sounds.making.instruments import Bow, Stroke, accordion, brush, finished, piano, strings
from sounds.making.tape import chances, folded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sounds.making.tape import Sound

    Bar = tuple[str, tuple[str, ...], tuple[tuple[float, str], ...]]
    """The bass, the chord above it, and the melody: for each note how many beats it lasts and its name."""

BEATS = 3
TAIL_SECONDS = 2.5
"""What still rings after the last bar; it sounds over the first one."""

LOBBY: Sequence[Bar] = (
    ("D3", ("A3", "D4", "F4"), ((1, "A4"), (1, "D5"), (1, "F5"))),
    ("A3", ("D4", "F4"), ((2, "E5"), (1, "D5"))),
    ("G3", ("Bb3", "D4", "G4"), ((1, "Bb4"), (1, "D5"), (1, "G5"))),
    ("D3", ("A3", "D4", "F4"), ((2, "F5"), (1, "D5"))),
    ("Bb3", ("D4", "F4"), ((1, "D5"), (1, "F5"), (1, "Bb5"))),
    ("G3", ("Bb3", "D4"), ((1.5, "A5"), (0.5, "G5"), (1, "D5"))),
    ("A3", ("C#4", "G4"), ((2, "C#5"), (1, "E5"))),
    ("E3", ("A3", "C#4", "G4"), ((3, "A4"),)),
    ("D3", ("A3", "D4", "F4"), ((1, "A4"), (1, "D5"), (1, "F5"))),
    ("F#3", ("A3", "C4", "D4"), ((2, "F#5"), (1, "A5"))),
    ("G3", ("Bb3", "D4"), ((1.5, "Bb5"), (0.5, "A5"), (1, "G5"))),
    ("C4", ("E4", "Bb4"), ((2, "E5"), (1, "C5"))),
    ("F3", ("A3", "C4", "F4"), ((1, "F5"), (1, "A5"), (1, "F5"))),
    ("Bb3", ("D4", "F4"), ((1, "D5"), (1, "F5"), (1, "Bb4"))),
    ("A3", ("C#4", "G4"), ((1, "G5"), (1, "E5"), (1, "C#5"))),
    ("D3", ("A3", "D4", "F4"), ((3, "D5"),)),
)
"""A waltz in D minor: people come in, and somebody plays in the corner."""

END: Sequence[Bar] = (
    ("D3", ("F#4", "A4"), ((2, "F#5"), (1, "A5"))),
    ("B3", ("D4", "F#4"), ((3, "D5"),)),
    ("G3", ("B3", "D4"), ((1, "B4"), (1, "D5"), (1, "G5"))),
    ("A3", ("C#4", "E4"), ((2, "E5"), (1, "C#5"))),
    ("F#3", ("A3", "C#4"), ((2, "A5"), (1, "F#5"))),
    ("B3", ("D4", "F#4"), ((1, "B5"), (1, "A5"), (1, "F#5"))),
    ("E3", ("G3", "B3", "E4"), ((1.5, "G5"), (0.5, "F#5"), (1, "E5"))),
    ("A3", ("C#4", "G4"), ((3, "E5"),)),
    ("D3", ("F#4", "A4"), ((2, "F#5"), (1, "A5"))),
    ("G3", ("Bb3", "D4"), ((2, "Bb5"), (1, "G5"))),
    ("A3", ("C#4", "E4"), ((1, "F#5"), (1, "E5"), (1, "C#5"))),
    ("D3", ("F#4", "A4"), ((3, "D5"),)),
)
"""The same evening, later and in D major: it is over, and nobody hurries home."""


def lobby() -> Sound:
    """The waltz: eight bars for the piano, and eight in which the accordion has the melody."""
    beat = 0.6
    half = len(LOBBY) // 2
    seconds = len(LOBBY) * BEATS * beat
    length = seconds + TAIL_SECONDS
    brushed = [Stroke((bar * BEATS + place) * beat, "A3", 0.10) for bar in range(len(LOBBY)) for place in (1, 2)]
    return looped(
        piano(length, *accompaniment(LOBBY, beat, 0.34), *melody(LOBBY[:half], beat, 0.55))
        + accordion(length, *breaths(LOBBY[half:], half * BEATS * beat, beat, 0.17), brightness=0.6)
        + brush(length, *brushed),
        seconds,
    )


def end() -> Sound:
    """The piano alone with its chords broken, and strings that come in from far behind."""
    beat = 0.72
    seconds = len(END) * BEATS * beat
    length = seconds + TAIL_SECONDS
    held = [
        Bow(bar * BEATS * beat, (bar + 1) * BEATS * beat + 0.5, note, 0.055)
        for bar, (_, chord, _) in enumerate(END)
        for note in chord
    ]
    return looped(
        piano(length, *accompaniment(END, beat, 0.30, broken=True), *melody(END, beat, 0.50), decay_seconds=1.5)
        + strings(length, *held, roll_off=1.7, attack_seconds=0.7, release_seconds=0.8),
        seconds,
    )


def accompaniment(bars: Sequence[Bar], beat: float, strength: float, *, broken: bool = False) -> list[Stroke]:
    """Return the left hand: the bass on one, and the chord on two and three, or its notes one after the other."""
    strokes = []
    for bar, (bass, chord, _) in enumerate(bars):
        begin = bar * BEATS * beat
        strokes.append(Stroke(begin, bass, strength * (0.8 if broken else 1.35)))
        if broken:
            notes = [chord[step % len(chord)] for step in range(4)]
            strokes += [Stroke(begin + (1 + step / 2) * beat, note, strength * 0.8) for step, note in enumerate(notes)]
        else:
            strokes += [Stroke(begin + place * beat, note, strength * 0.7) for place in (1, 2) for note in chord]
    return played(strokes, 5)


def melody(bars: Sequence[Bar], beat: float, strength: float) -> list[Stroke]:
    """Return the right hand."""
    strokes, at = [], 0.0
    for _, _, notes in bars:
        for beats, note in notes:
            strokes.append(Stroke(at, note, strength))
            at += beats * beat
    return played(strokes, 6)


def breaths(bars: Sequence[Bar], start: float, beat: float, strength: float) -> list[Bow]:
    """Return a melody as the accordion breathes it, each note let go a little before the next."""
    bows, at = [], start
    for _, _, notes in bars:
        for beats, note in notes:
            bows.append(Bow(at, at + beats * beat - 0.04, note, strength))
            at += beats * beat
    return bows


def played(strokes: Sequence[Stroke], seed: int) -> list[Stroke]:
    """Return strokes as hands play them: never quite on the beat, and none as loud as the one before."""
    late, loud = chances(seed, len(strokes)), chances(seed + 100, len(strokes))
    return [
        Stroke(
            stroke.start_seconds + 0.016 * float(after), stroke.note, stroke.strength * (0.88 + 0.24 * float(weight))
        )
        for stroke, after, weight in zip(strokes, late, loud, strict=True)
    ]


def looped(sound: Sound, seconds: float) -> Sound:
    """Return a piece in its room as a loop; it begins at a sample of next to nothing close to its first beat."""
    loop = folded(finished(sound), seconds)
    begin = int(np.argmin(np.abs(loop[-9000:]))) - 9000
    turned: Sound = np.roll(loop, -begin)
    return turned


RECIPES: Mapping[Music, Callable[[], Sound]] = {Music.LOBBY: lobby, Music.END: end}
