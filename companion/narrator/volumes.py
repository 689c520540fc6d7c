"""How loud each track is for this table.

The narrator moves the masking bed up and down as the night asks for it; what it asks for is then turned down by what
the table has chosen. Both loudspeaker and file use `gain`, so a night sounds the same from either.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.narrator.sound import Track

LOUDEST = 100

_DECIBELS_A_POINT = 0.3
"""Ten points are 3 dB: a step that is heard, and the same step everywhere."""


def gain(volume: int) -> float:
    """Return the factor of the amplitude for a volume of 0 (silence) to 100 (as it was made)."""
    return 0.0 if volume <= 0 else float(10.0 ** ((min(volume, LOUDEST) - LOUDEST) * _DECIBELS_A_POINT / 20.0))


@dataclass(frozen=True, slots=True)
class Volumes:
    """What a table has chosen: a volume of 0 to 100 for each track.

    Attributes:
        voice: the lines.
        effects: the sounds between them.
        bed: what covers the noises of the night.
        music: what plays before and after a game.
    """

    voice: int = LOUDEST
    effects: int = LOUDEST
    bed: int = LOUDEST
    music: int = LOUDEST

    def gains(self) -> dict[Track, float]:
        """Return the factor of the amplitude for each track."""
        return {
            Track.VOICE: gain(self.voice),
            Track.EFFECT: gain(self.effects),
            Track.BED: gain(self.bed),
            Track.MUSIC: gain(self.music),
        }


STEPS = 10
"""The steps of the volume of the whole box: `STEPS` is as it was made, 0 is silence."""


def gain_of_step(step: int) -> float:
    """Return the factor of the amplitude for a step of the volume of the whole box."""
    return gain(step * LOUDEST // STEPS)


def nearest_step(step: int) -> int:
    """Return a step that there is."""
    return min(STEPS, max(0, step))
