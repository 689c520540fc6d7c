"""The narrator: one queue of lines and one night, never two voices at once.

What sounds is a row of `_Beat`s, each with its end on the clock. `advance` moves on to whatever is due and says how
long that lasts; a thread of its own does so, woken by every call. The night is hands-free: it goes from beat to beat by
the clock alone and stops only when somebody asks.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from companion.narrator.night import MOVING, PerformedStep, effect_clip, voice_of
from companion.narrator.sound import Clip, Track, VoiceError
from sounds import Effect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.clock import Clock
    from companion.narrator.cues import Line
    from companion.narrator.night import Performance
    from companion.narrator.sound import Output, Speaker

logger = logging.getLogger(__name__)

_GAP_SECONDS = 0.35
"""Silence after a line, so that two sentences are two."""

_BED_UNDER_VOICE = 0.18
_BED_RESTING = 0.24
_BED_MOVING = 0.32
"""The masking bed's volume: 15, 12 and 10 LU under the voice."""

_FADE_SECONDS = 0.4


class Audience(Protocol):
    """Who hears of what the narrator does. Called on the narrator's thread; must return at once."""

    def caption(self, text: str, speaking: bool) -> None:
        """Show what is being said; `speaking` is False when it has been said."""

    def night_reached_ask(self) -> None:
        """Everybody has been asked to open their eyes."""

    def voice_trouble(self, sentence: str) -> None:
        """A line could not be spoken; its caption is shown in its time all the same. Empty: the voice is back."""


@dataclass(frozen=True, slots=True)
class _Beat:
    """Something that takes its time: a clip, or silence."""

    seconds: float
    clip: Clip | None = None
    track: Track = Track.VOICE
    caption: str | None = None
    bed: float | None = None
    """The volume of the masking bed from here on; None leaves it."""


@dataclass(slots=True)
class _Night:
    """A night under way."""

    performance: Performance
    next_step: int = 0
    paused: bool = False
    held: list[_Beat] = field(default_factory=list)
    """What was left of the step when the night was stopped."""


class Narrator:
    """Says lines and holds nights. Every method may be called from any thread and returns at once."""

    def __init__(self, speaker: Speaker, silence: Speaker, output: Output, clock: Clock, audience: Audience) -> None:
        """Make a narrator; `silence` stands in, with the same timing, for a line that cannot be spoken."""
        self._speaker = speaker
        self._silence = silence
        self._output = output
        self._clock = clock
        self._audience = audience
        self._wake = threading.Condition()
        self._queue: deque[Line] = deque()
        self._said_last: list[Line] = []
        self._line: Line | None = None
        self._beats: deque[_Beat] = deque()
        self._beat: _Beat | None = None
        self._ends_at = 0.0
        self._night: _Night | None = None
        self._cuts = 0
        self._speaking = False
        self._trouble = ""
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="narrator", daemon=True)

    # --- what others ask ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to speak."""
        self._thread.start()

    def say(self, lines: Sequence[Line]) -> None:
        """Say lines after those that wait already; together they are what `repeat` says again."""
        if not lines:
            return
        with self._wake:
            self._said_last = list(lines)
            self._queue.extend(lines)
            self._wake.notify_all()

    def cut(self) -> None:
        """Stop a long announcement, since somebody went on. Questions are said to their end all the same."""
        with self._wake:
            self._queue = deque(line for line in self._queue if line.question)
            if self._line is not None and not self._line.question:
                self._stop_line()
            self._wake.notify_all()

    def repeat(self) -> None:
        """Say the last announcement again."""
        self.cut()
        with self._wake:
            if self._line not in self._said_last:
                self._queue.extend(line for line in self._said_last if line not in self._queue)
            self._wake.notify_all()

    def begin_night(self, performance: Performance, *, paused: bool = False) -> None:
        """Hold a night from its first step, in place of everything that waits to be said; `paused` waits for a word."""
        with self._wake:
            self._queue.clear()
            self._stop_line()
            self._night = _Night(performance, paused=paused)
            bed = effect_clip(Effect.BED)
            self._output.set_volume(Track.BED, 0.0)
            self._output.play(bed, Track.BED, loop=True)
            self._wake.notify_all()

    def pause_night(self) -> bool:
        """Let the night stand still; False when none goes on."""
        with self._wake:
            night = self._night
            if night is None or night.paused:
                return False
            night.paused = True
            if self._line is None:
                night.held = self._what_is_left()
                self._stop_line()
            self._output.set_volume(Track.BED, 0.0, _FADE_SECONDS)
            self._wake.notify_all()
            return True

    def resume_night(self) -> bool:
        """Go on with a night that stands still: an unfinished sentence is said again; False when none stands still."""
        with self._wake:
            night = self._night
            if night is None or not night.paused:
                return False
            self._queue.clear()
            self._stop_line()
            night.paused = False
            self._beats.extend(night.held)
            night.held = []
            self._output.set_volume(Track.BED, _BED_RESTING, _FADE_SECONDS)
            self._wake.notify_all()
            return True

    def stop_night(self) -> None:
        """End the night where it is: it was taken back."""
        with self._wake:
            if self._night is not None:
                self._night = None
                self._queue.clear()
                self._stop_line()
                self._output.stop(Track.BED)
                self._wake.notify_all()

    @property
    def holds_night(self) -> bool:
        """Whether a night goes on or stands still."""
        return self._night is not None

    def close(self) -> None:
        """Stop in the middle of a word."""
        with self._wake:
            self._closing = True
            self._stop_line()
            self._wake.notify_all()
        if self._thread.is_alive():
            self._thread.join(1)

    # --- the narrator's own thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._is_closing():
            try:
                seconds = self.advance()
            except Exception:
                # One broken line must not silence the evening.
                logger.exception("the narrator stumbled and goes on")
                seconds = 1.0
            with self._wake:
                if not self._is_closing() and not self._has_work():
                    self._clock.wait(self._wake, seconds)

    def _is_closing(self) -> bool:
        return self._closing

    def _has_work(self) -> bool:
        """Whether something can begin at this moment."""
        if self._beat is not None:
            return self._clock.now() >= self._ends_at
        night = self._night
        return bool(self._beats or self._queue or (night is not None and not night.paused))

    def advance(self) -> float | None:
        """Begin whatever is due; return the seconds until the next thing is, or None when there is nothing to do."""
        while True:
            with self._wake:
                left = self._go_on_beating()
                if left is not None:
                    return left
                line = self._queue.popleft() if self._queue else None
                self._line = line
                cuts = self._cuts
                night = None if self._night is None or self._night.paused else self._night
            if line is not None:
                # Rendering may take seconds, and nobody must wait for it.
                beats = self._beats_of(line)
                with self._wake:
                    if cuts == self._cuts:
                        self._beats.extend(beats)
            elif night is not None:
                self._next_step(night)
            else:
                self._fall_silent()
                return None

    def _go_on_beating(self) -> float | None:
        """Return the seconds that the beat of the moment lasts; None when all beats are over."""
        while True:
            if self._beat is not None:
                left = self._ends_at - self._clock.now()
                if left > 0:
                    return left
                # The next beat follows the end of this one on the clock, not the moment we noticed it.
                self._beat = None
            if not self._beats:
                return None
            self._begin(self._beats.popleft())

    def _begin(self, beat: _Beat) -> None:
        now = self._clock.now()
        late = now - self._ends_at
        follows = 0 <= late < 0.25  # noqa: PLR2004 - longer than this, and there was a silence in between
        self._beat = beat
        self._ends_at = (self._ends_at if follows else now) + beat.seconds
        if beat.bed is not None:
            self._output.set_volume(Track.BED, beat.bed, _FADE_SECONDS)
        if beat.clip is not None:
            self._output.play(beat.clip, beat.track)
        if beat.caption is not None:
            self._speaking = True
            self._audience.caption(beat.caption, True)

    def _fall_silent(self) -> None:
        if self._speaking:
            self._speaking = False
            self._audience.caption("", False)

    def _stop_line(self) -> None:
        self._cuts += 1
        self._line = None
        self._beats.clear()
        self._beat = None
        self._output.stop(Track.VOICE)
        self._output.stop(Track.EFFECT)

    def _what_is_left(self) -> list[_Beat]:
        """Return the beats of the moment from here: a sentence from its beginning, a silence for the rest of it."""
        if self._beat is None:
            return list(self._beats)
        if self._beat.clip is not None:
            return [self._beat, *self._beats]
        left = max(0.0, self._ends_at - self._clock.now())
        return [_Beat(left, bed=self._beat.bed), *self._beats]

    def _next_step(self, night: _Night) -> None:
        steps = night.performance.steps
        with self._wake:
            if self._night is not night:
                return
            if night.next_step == len(steps):
                self._night = None
                self._output.stop(Track.BED)
                return
            step = steps[night.next_step]
            night.next_step += 1
            self._beats.extend(_beats_of_step(step))
        if step.step == "ASK":
            self._audience.night_reached_ask()

    def _beats_of(self, line: Line) -> list[_Beat]:
        beats = []
        if line.effect is not None:
            effect = effect_clip(line.effect)
            beats.append(_Beat(effect.seconds, effect, Track.EFFECT))
        clip = self._clip(line)
        beats.append(_Beat(clip.seconds, clip, Track.VOICE, line.text))
        beats.append(_Beat(_GAP_SECONDS))
        return beats

    def _clip(self, line: Line) -> Clip:
        text, voice = line.language.pronounce(line.text), voice_of(line.language)
        try:
            clip = self._speaker.clip(text, voice)
        except VoiceError as error:
            self._tell_trouble(str(error))
            return self._silence.clip(text, voice)
        self._tell_trouble("")
        return clip

    def _tell_trouble(self, sentence: str) -> None:
        if sentence != self._trouble:
            self._trouble = sentence
            self._audience.voice_trouble(sentence)


def _beats_of_step(step: PerformedStep) -> list[_Beat]:
    resting = _BED_MOVING if step.step in MOVING else _BED_RESTING
    if step.step in ("OPEN", "ASK"):
        resting = 0.0
    beats = []
    if step.clip is not None:
        beats.append(_Beat(step.clip.seconds, step.clip, Track.VOICE, step.text, _BED_UNDER_VOICE))
    if step.effect is None:
        beats.append(_Beat(step.pause_seconds, bed=resting))
    else:
        effect = effect_clip(step.effect)
        before = min(0.3, step.pause_seconds)
        beats.append(_Beat(before, bed=resting))
        beats.append(_Beat(step.pause_seconds - before, effect, Track.EFFECT))
    return beats
