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


class Faders:
    """An output whose tracks are turned down to the table's volumes. Safe to call from several threads."""

    def __init__(self, output: Output, volumes: Volumes) -> None:
        """Put faders in front of an output, which is closed with them."""
        self._output = output
        self._gains = volumes.gains()
        self._asked = dict.fromkeys(Track, 1.0)
        self._lock = threading.Lock()
        for track, factor in self._gains.items():
            if factor < 1.0:
                output.set_volume(track, factor)

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
            self._output.set_volume(track, volume * self._gains[track], fade_seconds)

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well."""
        return self._output.trouble

    def close(self) -> None:
        """Stop everything and give the sound card back."""
        self._output.close()
