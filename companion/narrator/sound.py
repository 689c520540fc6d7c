"""What the narrator needs from a voice and from a loudspeaker: clips, tracks and three small seams.

Everything audible in the box is a `Clip`: a WAV file, 22,050 Hz, mono, 16 bit, levelled to -18 LUFS with peaks at or
below -1 dBTP. A `Speaker` turns text into clips; an `Output` plays clips on four tracks that never disturb each other,
on a `Card`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from companion.errors import CompanionError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SAMPLE_RATE = 22_050
"""Samples a second of everything audible (Hz), so that nothing is ever resampled."""


class VoiceError(CompanionError):
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
    """The things that may sound at once; of the last two never both."""

    VOICE = "voice"
    EFFECT = "effect"
    BED = "bed"
    MUSIC = "music"


class Speaks(Protocol):
    """Whoever gives the speech of a line to somebody who waits for it."""

    @property
    def note(self) -> str:
        """What people should know about the voice, in a few sentences; empty while all is well."""

    def clip(self, text: str, voice: Voice) -> Clip:
        """Return the levelled speech of one text. Raises VoiceError where it cannot be had in time."""

    def describe(self, voice: Voice) -> str:
        """Say in one sentence which synthesiser and which voice this is."""

    def close(self) -> None:
        """End the synthesiser and give back what it holds."""


class Speaker(Protocol):
    """Somebody who can say a text. Called from one thread; a call may take seconds.

    From any thread, and at once: `find`, `kill`, `called` and `note`.

    `prepare` and `clip` raise `VoiceError` where the voice is not to be had, hangs, or gives something that is no
    speech; `clip` never takes longer than it may.
    """

    @property
    def note(self) -> str:
        """What people should know about the voice, in a few sentences; empty while all is well."""

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Return the speech of a text where it is rendered already, from any thread; None where it is not."""

    def prepare(self, texts: Sequence[str], voice: Voice) -> None:
        """Render and check every text, with patience: nobody waits for it."""

    def clip(self, text: str, voice: Voice, *, within_seconds: float | None = None) -> Clip:
        """Return the levelled speech of one text, within so many seconds; None for as long as any line may take."""

    def describe(self, voice: Voice) -> str:
        """Say in one sentence which synthesiser and which voice this is."""

    def called(self, voice: Voice) -> str:
        """Return what the voice is called, for people, or its synthesiser; empty where there is none."""

    def rest(self) -> float | None:
        """Give back what nobody has needed for long; return in how many seconds to do so again, None for never."""

    def kill(self) -> None:
        """Let whatever is being rendered fail at once, and nothing be rendered any more; from any thread."""

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
