"""A whole performance as one file, faster than it is played: voice and effects at their times, over a bed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from companion.narrator.sound import SAMPLE_RATE, Clip, Track
from companion.narrator.speech.wav import PUBLIC, write_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from companion.narrator.levels import Samples

_CONTROL_SECONDS = 0.01
"""The bed's gain is drawn in steps of this, and every sample lies on the line between two of them."""
_RAMP_SECONDS = 0.3
"""A change of the bed's gain begins this long before its time, and is done this long after it."""
_EDGE_SECONDS = 1.0
"""The bed comes and goes within this at the ends."""


@dataclass(frozen=True, slots=True)
class Part:
    """A clip in a performance.

    Attributes:
        clip: what sounds.
        at_seconds: when it begins.
        track: on which track; no two parts of the voice may overlap.
        gain_db: how much louder than it was made.
    """

    clip: Clip
    at_seconds: float
    track: Track
    gain_db: float = 0.0

    @property
    def end_seconds(self) -> float:
        """When it is over."""
        return self.at_seconds + self.clip.seconds


@dataclass(frozen=True, slots=True)
class Cover:
    """A time in which people move, and the bed covers their noises."""

    start_seconds: float
    end_seconds: float


@dataclass(frozen=True, slots=True)
class BedLevels:
    """How loud the bed is beside the voice, in LU; both are made equally loud.

    A bed 10 to 15 LU under the voice hides a rustle and no word.

    Attributes:
        resting: between lines.
        speaking: under a line.
        covering: while people move.
    """

    resting: float = -13.0
    speaking: float = -14.7
    covering: float = -10.4


BED_LEVELS = BedLevels()


def mixdown(
    parts: Sequence[Part],
    seconds: float,
    path: Path,
    *,
    bed: Clip | None = None,
    covers: Sequence[Cover] = (),
    volumes: Mapping[Track, float] | None = None,
    bed_levels: BedLevels = BED_LEVELS,
) -> None:
    """Write a performance to a WAV file of exactly `seconds`, with no true peak above -1 dBTP.

    The same parts always give the same bytes.

    Args:
        parts: what sounds, in any order.
        seconds: how long the performance is.
        path: the file to write; its folder has to exist.
        bed: a loop for the whole time, none where None.
        covers: when people move.
        volumes: 0.0 to 1.0 for each track, 1.0 where a track is missing.
        bed_levels: how loud the bed is beside the voice.

    Raises:
        ValueError: two lines overlap, a part lies outside the performance, or a clip is no sound.
        OSError: a clip cannot be read, or the file cannot be written.
    """
    # The process that plays the game does without numpy; this is for those who write a file.
    from companion.narrator import levels  # noqa: PLC0415

    _check(parts, seconds)
    volumes = volumes or {}
    mix = _silence(seconds)
    for part in parts:
        start = round(part.at_seconds * SAMPLE_RATE)
        samples = levels.read_wav(part.clip.path)[: len(mix) - start]
        gain = levels.amplitude(part.gain_db) * volumes.get(part.track, 1.0)
        mix[start : start + len(samples)] += samples * gain
    bed_volume = volumes.get(Track.BED, 1.0)
    if bed and bed_volume > 0.0:
        lines = [part for part in parts if part.track is Track.VOICE]
        mix += _bed(levels.read_wav(bed.path), len(mix), lines, covers, bed_levels) * bed_volume
    write_frames(path, levels.frames_of(levels.limit(mix)), PUBLIC)


def _check(parts: Sequence[Part], seconds: float) -> None:
    """Raise ValueError for a performance that cannot be played by one voice in its time."""
    tolerance = 1.0 / SAMPLE_RATE
    for part in parts:
        if part.at_seconds < 0.0 or part.end_seconds > seconds + tolerance:
            raise ValueError(
                f"a part from {part.at_seconds:.3f} to {part.end_seconds:.3f} seconds does not fit into {seconds:.3f}"
            )
    lines = sorted((part for part in parts if part.track is Track.VOICE), key=lambda part: part.at_seconds)
    for earlier, later in pairwise(lines):
        if later.at_seconds < earlier.end_seconds - tolerance:
            raise ValueError(
                f"a line begins at {later.at_seconds:.3f} seconds, before the one before it ends at "
                f"{earlier.end_seconds:.3f}"
            )


def _silence(seconds: float) -> Samples:
    import numpy as np  # noqa: PLC0415 - see mixdown

    return np.zeros(round(seconds * SAMPLE_RATE))


def _bed(loop: Samples, length: int, lines: Sequence[Part], covers: Sequence[Cover], bed_levels: BedLevels) -> Samples:
    """Return the loop over the whole length, at the level that each moment asks for."""
    import numpy as np  # noqa: PLC0415 - see mixdown

    from companion.narrator import levels  # noqa: PLC0415 - see mixdown

    seconds = length / SAMPLE_RATE
    times = np.arange(0.0, seconds + 2 * _CONTROL_SECONDS, _CONTROL_SECONDS)
    level_db = np.full(len(times), bed_levels.resting)
    for cover in covers:
        level_db[(times >= cover.start_seconds) & (times < cover.end_seconds)] = bed_levels.covering
    for line in lines:
        # Down by the time the first word comes, and up only when the last is over.
        under = (times >= line.at_seconds - _RAMP_SECONDS) & (times < line.end_seconds + _RAMP_SECONDS)
        level_db[under] = bed_levels.speaking
    # Averaged twice, a step becomes an S: no corner to be heard.
    radius = round(_RAMP_SECONDS / _CONTROL_SECONDS / 2)
    level_db = levels.average_around(levels.average_around(level_db, radius), radius)
    edges = np.clip(np.minimum(times, seconds - times) / _EDGE_SECONDS, 0.0, 1.0)
    gains = 10.0 ** (level_db / 20.0) * edges
    moments = np.arange(length) / SAMPLE_RATE
    bed: Samples = np.resize(loop, length) * np.interp(moments, times, gains)
    return bed
