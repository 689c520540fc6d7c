"""How loud each track is for this table: the faders between the narrator and the loudspeaker.

The narrator moves the masking bed up and down as the night asks for it; what it asks for is then turned down here by
what the table has chosen. Both loudspeaker and file use `gain`, so a night sounds the same from either.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.narrator.sound import Track

if TYPE_CHECKING:
    from companion.narrator.sound import Clip, Output

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
        bed: the rain that covers the noises of the night.
    """

    voice: int = LOUDEST
    effects: int = LOUDEST
    bed: int = LOUDEST

    def gains(self) -> dict[Track, float]:
        """Return the factor of the amplitude for each track."""
        return {Track.VOICE: gain(self.voice), Track.EFFECT: gain(self.effects), Track.BED: gain(self.bed)}


STEPS = 10
"""The steps of the volume of the whole box: `STEPS` is as it was made, 0 is silence."""

_TURN_SECONDS = 0.1
"""Long enough not to click, short enough to be heard under the finger."""


class Faders:
    """An output whose tracks are turned down to the table's volumes, and all of them together by one knob.

    Safe to call from several threads.
    """

    def __init__(self, output: Output, volumes: Volumes, *, step: int = STEPS) -> None:
        """Put faders in front of an output, which is closed with them.

        Args:
            output: what is turned.
            volumes: how loud each track is beside the others.
            step: how loud all of them are together, from 0 to `STEPS`.
        """
        self._output = output
        self._gains = volumes.gains()
        self._asked = dict.fromkeys(Track, 1.0)
        self._lock = threading.Lock()
        self._step = min(STEPS, max(0, step))
        for track in Track:
            if self._factor(track) < 1.0:
                output.set_volume(track, self._factor(track))

    @property
    def step(self) -> int:
        """How loud the whole box is, from 0 (silence) to `STEPS` (as it was made)."""
        return self._step

    def turn(self, steps: int) -> int:
        """Turn everything louder, or with a number below 0 softer, as far as it goes; return the step it is at then."""
        with self._lock:
            self._step = min(STEPS, max(0, self._step + steps))
            for track, asked in self._asked.items():
                self._output.set_volume(track, asked * self._factor(track), _TURN_SECONDS)
            return self._step

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Start a clip on its track, in place of what sounded there."""
        self._output.play(clip, track, loop=loop)

    def stop(self, track: Track) -> None:
        """End what sounds on a track, without a click."""
        self._output.stop(track)

    def pause(self, track: Track) -> None:
        """Hold a track where it is."""
        self._output.pause(track)

    def resume(self, track: Track) -> None:
        """Go on with a held track."""
        self._output.resume(track)

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Set a track's volume, 0.0 (silence) to 1.0 (as loud as the table has it), gliding there in `fade_seconds`."""
        with self._lock:
            self._asked[track] = volume
            self._output.set_volume(track, volume * self._factor(track), fade_seconds)

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well."""
        return self._output.trouble

    def close(self) -> None:
        """Stop everything and give the sound card back."""
        self._output.close()

    def _factor(self, track: Track) -> float:
        return self._gains[track] * gain(self._step * LOUDEST // STEPS)
