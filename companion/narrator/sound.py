"""What the narrator needs from a voice and from a loudspeaker: clips, tracks and three small seams.

Everything audible in the box is a `Clip`: a WAV file, 22,050 Hz, mono, 16 bit, levelled to -18 LUFS with peaks at or
below -1 dBTP. A `Speaker` turns text into clips; an `Output` plays clips on three tracks that never disturb each other,
on a `Card`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SAMPLE_RATE = 22_050
"""Samples a second of everything audible (Hz), so that nothing is ever resampled."""


class VoiceError(Exception):
    """A line could not be spoken; the message is one sentence for the log and the page."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How a language sounds: an eSpeak NG voice, its speed and its pitch.

    Attributes:
        identifier: eSpeak NG's own name with its folder, such as `gmw/en` or `roa/pt-br`.
        rate_wpm: words a minute.
        pitch: 0 to 99, eSpeak NG's scale; 50 is the voice's own.
        variant: a speaker variant such as `m7` or `f5`, or empty for the plain voice.
    """

    identifier: str
    rate_wpm: int
    pitch: int = 50
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Clip:
    """A piece of levelled sound on disk.

    Attributes:
        path: the WAV file.
        seconds: how long it sounds.
    """

    path: Path
    seconds: float


class Track(StrEnum):
    """The three things that may sound at once."""

    VOICE = "voice"
    EFFECT = "effect"
    BED = "bed"


class Speaker(Protocol):
    """Somebody who can say a text. Called from one thread; a call may take seconds.

    `clip` of a text that has been prepared costs no synthesis. Both raise `VoiceError` where the voice is not to be
    had, hangs, or gives something that is no speech; they never block for longer than five seconds a line, or fifteen
    while lines are being prepared with their progress shown.
    """

    def prepare(self, texts: Sequence[str], voice: Voice, progress: Callable[[int, int], None] | None = None) -> None:
        """Render and check every text; `progress(done, total)` is called as it goes."""

    def clip(self, text: str, voice: Voice) -> Clip:
        """Return the levelled speech of one text."""

    def describe(self, voice: Voice) -> str:
        """Say in one sentence which synthesiser and which voice this is."""

    def close(self) -> None:
        """End the synthesiser and give back what it holds."""


class Output(Protocol):
    """A loudspeaker, or what stands in for one. Its calls may come from any thread, return at once and never raise."""

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Start a clip on its track, in place of what sounded there."""

    def stop(self, track: Track) -> None:
        """End what sounds on a track, without a click."""

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Set a track's volume, 0.0 (silence) to 1.0, gliding there in `fade_seconds`."""

    def turn_to(self, step: int) -> None:
        """Turn everything together to a step from 0 (silence) to `volumes.STEPS` (as it was made)."""

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well."""

    def close(self) -> None:
        """Stop everything and give the sound card back."""


class Card(Protocol):
    """What a loudspeaker plays on: an open sound card, or a file. Called from the loudspeaker's thread alone.

    A call may take long; none raises.
    """

    @property
    def is_lost(self) -> bool:
        """Whether it will not play any more, and another has to be opened."""

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Start a clip on its track, in place of what sounded there."""

    def stop(self, track: Track) -> None:
        """End what sounds on a track, without a click."""

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Set a track's volume, 0.0 (silence) to 1.0, gliding there in `fade_seconds`."""

    def glide(self) -> float | None:
        """Move the volumes that are on their way; return in how many seconds again, None when all have arrived."""

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well."""

    def close(self) -> None:
        """Stop everything and give the card back."""
