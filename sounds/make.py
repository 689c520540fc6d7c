"""Write every effect as a WAV file: `python -m sounds.make [FOLDER]`, into this folder if none is named.

All of it is additive synthesis: a bell, a string section and a drum, in one small room, in D. Chance comes
from `random.Random(seed).random()`, whose sequence Python promises to keep, so a run repeats the last one,
byte for byte. Another processor or NumPy may compute a sine differently in its last bit and so round a sample
the other way, by one step of 16 bits.
"""

from __future__ import annotations

import argparse
import random
import wave
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sounds import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Sound = NDArray[np.float64]

SAMPLE_RATE = 22_050
LOUDNESS_LUFS = -18.0
CEILING_DBTP = -1.0

SILENCE_LUFS = -70.0
"""What BS.1770 leaves out of a loudness altogether."""

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

BED_BANDS = (
    (-1.0, (1, 3, 5)),
    (0.4, (2, 3, 7)),
    (1.5, (1, 4, 6)),
    (2.6, (2, 5, 9)),
)
"""Centre of each band of the rain (octaves above 1 kHz) and how often its three swells come in one loop."""


class Stroke(NamedTuple):
    """One note of a bell or drum."""

    start_seconds: float
    note: str
    strength: float = 1.0


class Bow(NamedTuple):
    """One note of the strings, which swells and dies away inside its own time."""

    start_seconds: float
    end_seconds: float
    note: str
    strength: float = 1.0


def frequency(note: str) -> float:
    """Return the frequency of a note such as `F#5` or `Bb4` (equal temperament, A4 = 440 Hz)."""
    semitones = SEMITONES[note[0]] + note.count("#") - note.count("b") + 12 * (int(note[-1]) - 4)
    return float(440.0 * 2.0 ** (semitones / 12))


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


def filtered(sound: Sound, gain: Callable[[Sound], Sound]) -> Sound:
    """Return a sound with every frequency weighted by `gain`, its end never running into its beginning."""
    padded = 2 * len(sound)
    frequencies = np.linspace(0.0, SAMPLE_RATE / 2, len(sound) + 1)
    whole: Sound = np.fft.irfft(np.fft.rfft(sound, padded) * gain(frequencies), padded)
    return whole[: len(sound)]


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


def bed() -> Sound:
    """Rain on an old house: noise where hands and sleeves rustle (500 Hz to 6 kHz), its colour slowly moving.

    It is made of whole turns only: sines that fit the loop and swells that fit it too. The end therefore runs
    on into the beginning, and there is no seam to be heard. The swells are small, for it has to cover always.
    """
    seconds = 8.0
    count = round(seconds * SAMPLE_RATE)
    hertz = np.fft.rfftfreq(count, 1 / SAMPLE_RATE)
    octaves = np.log2(np.maximum(hertz, 1.0) / 1000.0)
    # Pink across the band, with soft shoulders: hiss is what makes noise obtrusive.
    colour = 2.0 ** (-octaves / 2) * rise(octaves + 2.0, 1.4) * rise(3.15 - octaves, 0.9)
    spectrum = colour * np.exp(2j * np.pi * chances(8, len(hertz)))
    turn = 2 * np.pi * np.arange(count) / count
    noise = np.zeros(count)
    for band, (centre, waves) in enumerate(BED_BANDS):
        swell = np.zeros(count)
        for cycles, start in zip(waves, chances(80 + band, len(waves)), strict=True):
            swell += np.cos(cycles * turn + 2 * np.pi * start)
        share = np.exp(-(((octaves - centre) / 0.8) ** 2))
        noise += np.fft.irfft(spectrum * share, count) * 10 ** (0.9 * swell / 20)
    # Starting at its quietest sample, the loop can be started without a click as well.
    quietest = int(np.argmin(np.abs(noise)))
    return np.roll(noise, -quietest)


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
    Effect.BED: bed,
}


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


def samples(effect: Effect) -> NDArray[np.int16]:
    """Return an effect as it is written into its file."""
    return np.rint(levelled(RECIPES[effect]()) * 32767).astype(np.int16)


def write(effect: Effect, folder: Path) -> Path:
    """Write an effect's file into a folder and return where it is."""
    target = folder / f"{effect.value}.wav"
    with wave.open(str(target), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(samples(effect).astype("<i2").tobytes())
    return target


def main() -> None:
    """Write all effects and say what came of each."""
    parser = argparse.ArgumentParser(prog="python -m sounds.make", description="Write the sound effects.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for effect in Effect:
        size = write(effect, folder).stat().st_size
        sound = samples(effect) / 32768
        print(
            f"{effect.value:<15} {len(sound) / SAMPLE_RATE:5.2f} s {size:7,} bytes"
            f"  {loudness(sound):6.2f} LUFS  {true_peak(sound):6.2f} dBTP"
        )


if __name__ == "__main__":
    main()
