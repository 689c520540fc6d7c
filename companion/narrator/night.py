"""The eyes-closed night as a performance: every step with its speech, its time and the silence after it.

A performance is whole before it begins: each line has been rendered and checked, so that the night cannot break off
half-way. It is the same for every deal, since nothing in it knows the roles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from companion.narrator.mixdown import Cover, Part, mixdown
from companion.narrator.sound import Clip, Speaks, Track, Voice
from companion.narrator.volumes import Volumes
from sounds import Effect, Palette
from sounds import seconds as sound_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from companion.languages import Language
    from companion.narrator.line import InLanguage

MOVING = frozenset({"MEET", "THUMB", "NOTE", "PAUSE", "SHUT"})
"""Steps after which hands and heads move: the masking bed rises there, whoever moves."""

_EFFECTS = {"CLOSE": Effect.EYES_CLOSE, "OPEN": Effect.EYES_OPEN}
_GESTURES = frozenset({"MEET", "THUMB", "NOTE"})
ON_PHONES = "PHONES"
"""The one step of a night on the phones before ASK: everybody looks at their own."""
ON_PHONES_SECONDS = 20.0
"""How long everybody may look, unless the table's settings say otherwise."""
BREATH_SECONDS = 0.3
"""Silence that stays around an effect inside a pause."""


_PAUSE_SECONDS = {"CLOSE": 4.0, "THUMB": 4.0, "NOTE": 4.0, "SHUT": 4.0, "OPEN": 2.0, "ASK": 2.0}
_LOOK_SECONDS = {"MEET": (5.0, 6.0, 8.0), "PAUSE": (8.0, 10.0, 12.0)}
"""For 5-6, 7-8 and 9-10 players: two, two and three open their eyes, around a larger table each time."""

PACES = {"slow": 1.5, "normal": 1.0, "quick": 0.75}


@dataclass(frozen=True, slots=True)
class Pauses:
    """What the table's settings say of the silences.

    Attributes:
        long_seconds: the PAUSE, in seconds; None for what suits the number of players.
        gesture_seconds: after MEET, THUMB and NOTE, in seconds; None likewise.
        pace: a key of `PACES`: how long the silences are that are not set in seconds.
    """

    long_seconds: float | None = None
    gesture_seconds: float | None = None
    pace: str = "normal"

    def after(self, step: str, players: int) -> float:
        """Return the silence after a step, in seconds. It depends on the number of players, never on their roles."""
        chosen = self.long_seconds if step == "PAUSE" else self.gesture_seconds if step in _GESTURES else None
        if chosen is not None:
            return chosen
        look = _LOOK_SECONDS.get(step)
        return PACES[self.pace] * (_PAUSE_SECONDS[step] if look is None else look[(players - 5) // 2])


@dataclass(frozen=True, slots=True)
class PerformedStep:
    """A step of the night, ready to be played.

    Attributes:
        step: its name, such as `CLOSE`.
        text: the line; empty for PAUSE.
        clip: its speech; None for PAUSE.
        effect: the sound that follows the speech, inside the pause; None for most.
        effect_caption: what is shown while it is heard; empty without one.
        at_seconds: when it begins.
        pause_seconds: the silence after its speech.
        told: the line in another language; None without one.
    """

    step: str
    text: str
    clip: Clip | None
    effect: Effect | None
    effect_caption: str
    at_seconds: float
    pause_seconds: float
    told: InLanguage | None = field(default=None, compare=False)

    @property
    def speech_seconds(self) -> float:
        """How long it is spoken."""
        return 0.0 if self.clip is None else self.clip.seconds

    @property
    def end_seconds(self) -> float:
        """When the next step begins."""
        return self.at_seconds + self.speech_seconds + self.pause_seconds


@dataclass(frozen=True, slots=True)
class Performance:
    """A whole night, from its first line to ASK."""

    steps: tuple[PerformedStep, ...]

    @property
    def end_seconds(self) -> float:
        """How long the night takes."""
        return self.steps[-1].end_seconds


def voice_of(language: Language) -> Voice:
    """Return how a language sounds."""
    settings = language.voice
    return Voice(settings.identifier, settings.rate_wpm, settings.pitch, settings.variant)


def perform(
    language: Language,
    players: int,
    speaker: Speaks,
    pauses: Pauses | None = None,
    palette: Palette | None = None,
) -> Performance:
    """Render and time the night for a number of players, 5 to 10.

    Raises:
        VoiceError: a line cannot be spoken; nobody has been told to close their eyes then.
    """
    pauses, palette = pauses or Pauses(), palette or Palette()
    voice = voice_of(language)
    at, steps = 0.0, []
    for step in language.night(players):
        clip = speaker.clip(language.pronounce(step.text), voice) if step.text else None
        effect = _EFFECTS.get(step.step)
        pause = pauses.after(step.step, players)
        if effect is not None:
            pause = max(pause, sound_seconds(palette.path(effect)) + 2 * BREATH_SECONDS)
        shown = "" if effect is None else language.show_sound(effect)
        told = partial(_line_of, step.step, players)
        performed = PerformedStep(step.step, step.text, clip, effect, shown, at, pause, told)
        steps.append(performed)
        at = performed.end_seconds
    return Performance(tuple(steps))


def _line_of(name: str, players: int, language: Language) -> str:
    """Return the line of a step in another language, whose night may have another order."""
    return next((step.text for step in language.night(players) if step.step == name), "")


def perform_on_phones(language: Language, speaker: Speaks, pauses: Pauses | None = None) -> Performance:
    """Render and time a night on the phones: one line, the time to look, and ASK. The same for every table.

    Raises:
        VoiceError: a line cannot be spoken.
    """
    look, ask = language.say("night_on_phones"), language.few[-1]
    pauses = pauses or Pauses()
    seconds = PACES[pauses.pace] * ON_PHONES_SECONDS if pauses.long_seconds is None else pauses.long_seconds
    at, steps = 0.0, []
    tell: tuple[InLanguage, ...] = (lambda other: other.say("night_on_phones"), lambda other: other.few[-1].text)
    parts = ((ON_PHONES, look, seconds), (ask.step, ask.text, pauses.after(ask.step, 5)))
    for (name, text, pause), told in zip(parts, tell, strict=True):
        clip = speaker.clip(language.pronounce(text), voice_of(language))
        performed = PerformedStep(name, text, clip, None, "", at, pause, told)
        steps.append(performed)
        at = performed.end_seconds
    return Performance(tuple(steps))


def sound_clip(path: Path) -> Clip:
    """Return one of the box's own sounds as something that can be played."""
    return Clip(path, sound_seconds(path))


def timed_script(performance: Performance) -> list[dict[str, object]]:
    """Return the night as plain values: each step with its time, its text and the silence after it, in seconds."""
    return [
        {
            "step": step.step,
            "text": step.text,
            "at_seconds": round(step.at_seconds, 3),
            "speech_seconds": round(step.speech_seconds, 3),
            "pause_seconds": round(step.pause_seconds, 3),
            "end_seconds": round(step.end_seconds, 3),
        }
        for step in performance.steps
    ]


def write(performance: Performance, path: Path, volumes: Volumes | None = None, palette: Palette | None = None) -> None:
    """Write the whole night as one WAV file, with its sounds and the masking bed, faster than it is played.

    Args:
        performance: the night.
        path: the file to write.
        volumes: how loud each track is; None for all of them as they were made.
        palette: the sounds with which it was timed.

    Raises:
        OSError: the file cannot be written.
    """
    palette = palette or Palette()
    parts = list(_parts(performance.steps, palette))
    covers = [
        Cover(step.at_seconds + step.speech_seconds, step.end_seconds)
        for step in performance.steps
        if step.step in MOVING
    ]
    gains = (volumes or Volumes()).gains()
    mixdown(parts, performance.end_seconds, path, bed=sound_clip(palette.bed.path), covers=covers, volumes=gains)


def _parts(steps: Sequence[PerformedStep], palette: Palette) -> list[Part]:
    parts = []
    for step in steps:
        if step.clip is not None:
            parts.append(Part(step.clip, step.at_seconds, Track.VOICE))
        if step.effect is not None:
            at = step.at_seconds + step.speech_seconds + BREATH_SECONDS
            parts.append(Part(sound_clip(palette.path(step.effect)), at, Track.EFFECT))
    return parts
