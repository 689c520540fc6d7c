"""What a line costs after it has been spoken: levelling it, and mixing a night of lines into a file."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from companion.narrator import levels
from companion.narrator.mixdown import Part, mixdown
from companion.narrator.night import sound_clip
from companion.narrator.sound import SAMPLE_RATE, Clip, Track
from companion.narrator.speech import wav
from sounds import Bed
from tests.bench.figures import Figures, Row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LINE_SECONDS = 5.0
_NIGHT_SECONDS = 90.0


def measure(folder: Path, *, times: int) -> list[Row]:
    """Level a line, and mix a night, beside what reading and writing that much sound takes alone."""
    noise = np.random.default_rng(1).normal(0.0, 0.1, round(_LINE_SECONDS * SAMPLE_RATE)).astype(np.float32)
    path = folder / "line.wav"
    wav.write_frames(path, levels.frames_of(noise))
    line = Clip(path, _LINE_SECONDS)
    parts = [Part(line, 6.0 * number, Track.VOICE) for number in range(15)]
    bed, mix, empty = sound_clip(Bed.RAIN.path), folder / "mix.wav", folder / "silence.wav"
    return [
        Row(
            "sound",
            "level a line of 5 s",
            _timed(times, lambda: levels.level(noise)),
            _timed(times, lambda: levels.frames_of(levels.read_wav(path)), "reading it and making frames of it"),
        ),
        Row(
            "sound",
            "mix a night of 90 s",
            _timed(times, lambda: mixdown(parts, _NIGHT_SECONDS, mix, bed=bed)),
            _timed(times, lambda: wav.write_silence(empty, _NIGHT_SECONDS), "writing as much silence"),
        ),
    ]


def _timed(times: int, work: Callable[[], object], note: str = "") -> Figures:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1000)
    return Figures(tuple(took), note)
