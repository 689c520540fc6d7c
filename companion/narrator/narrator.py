"""The narrator: one queue of lines and one night, never two voices at once.

What sounds is a row of `_Beat`s, each with its end on the clock. `advance` moves on to whatever is due and says how
long that lasts; a thread of its own does so, woken by every request. The night is hands-free: it goes from beat to
beat by the clock alone and stops only when somebody asks. While it goes on nothing else is said; what waits is said
after it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from companion.machine.inbox import Inbox
from companion.narrator.mixdown import BED_LEVELS
from companion.narrator.night import BREATH_SECONDS, MOVING, PerformedStep, sound_clip, voice_of
from companion.narrator.sound import Clip, Track, VoiceError
from sounds import Palette

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from companion.machine.clock import Clock
    from companion.narrator.line import InLanguage, Line
    from companion.narrator.night import Performance
    from companion.narrator.sound import Output, Speaks
    from sounds import Effect, Music

_CLOSE_SECONDS = 0.5
"""How long a narrator that renders is waited for at the end; the box has two seconds."""

_GAP_SECONDS = 0.35
"""Silence after a line, so that two sentences are two."""

_BED_UNDER_VOICE, _BED_RESTING, _BED_MOVING = (
    10 ** (level / 20) for level in (BED_LEVELS.speaking, BED_LEVELS.resting, BED_LEVELS.covering)
)
"""The masking bed's volume, as in a night on file."""

_MUSIC_RESTING, _MUSIC_UNDER_VOICE = (10 ** (level / 20) for level in (-11.0, -20.0))
"""The volume of the music beside the voice's: what is said goes before it."""

_FADE_SECONDS = 0.4
_MUSIC_FADE_SECONDS = 1.5

_LATE_SECONDS = 0.25
"""A beat that begins at most this late keeps to the time-table; later, and there was a silence in between."""


class Audience(Protocol):
    """Who hears of what the narrator does. Called on the narrator's thread; returns at once."""

    def caption(self, text: str, speaking: bool, told: InLanguage | None = None) -> None:
        """Show what is heard; `speaking` is False for a sound, and when a line has been said (then without a text).

        `told` gives it in another language.
        """

    def line_said(self, line: Line) -> None:
        """A line has been said to its end; one that was cut has not."""

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
    """What is heard; empty: what was heard is over; None leaves it."""
    told: InLanguage | None = None
    """The caption in another language."""
    bed: float | None = None
    """The volume of the masking bed from here on; None leaves it."""


@dataclass(slots=True)
class _Night:
    """A night under way; without a performance as long as its lines have not been rendered."""

    perform: Callable[[], Performance]
    performance: Performance | None = None
    next_step: int = 0
    paused: bool = False
    held: list[_Beat] = field(default_factory=list)
    """What was left of the step when the night was stopped."""

    @property
    def asks(self) -> bool:
        """Whether the night has come to ASK."""
        return self.performance is not None and self.next_step == len(self.performance.steps)


class Narrator:
    """Says lines and holds nights. Any thread may ask for something: it goes into an inbox, and nobody waits.

    What is said and what sounds is decided on the narrator's own thread alone, one request after the other.
    """

    def __init__(
        self,
        speaker: Speaks,
        silence: Speaks,
        output: Output,
        clock: Clock,
        audience: Audience,
        palette: Palette | None = None,
    ) -> None:
        """Make a narrator; `silence` stands in, with the same timing, for a line that cannot be spoken."""
        self._palette = palette or Palette()
        self._speaker = speaker
        self._silence = silence
        self._output = output
        self._clock = clock
        self._audience = audience
        self._inbox = Inbox("narrator", self.advance, clock)
        self._queue: deque[Line] = deque()
        self._said_last: list[Line] = []
        self._line: Line | None = None
        self._beats: deque[_Beat] = deque()
        self._beat: _Beat | None = None
        self._ends_at = 0.0
        self._in_a_row = False
        """Whether the next beat follows the end of the last one, without a rendering or a silence in between."""
        self._night: _Night | None = None
        self._music: Music | None = None
        self._music_waits = False
        """Whether the music is low, for something is said."""
        self._when_silent: list[Callable[[], object]] = []
        self._speaking = False
        self._trouble = ""
        """What was last told of the voice."""
        self._closing = False

    # --- what others ask ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to speak; what was asked for before is kept until then."""
        self._inbox.start()

    def say(self, lines: Sequence[Line]) -> None:
        """Say lines after those that wait already; together they are what `repeat` says again."""
        if lines:
            self._inbox.put(lambda: self._say(lines))

    def remark(self, line: Line) -> None:
        """Say a line beside the game, in place of one of the same key; `repeat` still says what was said before it."""
        self._inbox.put(lambda: self._remark(line))

    def cut(self) -> None:
        """Stop a long announcement. Questions are said to their end all the same, unless they are withdrawn."""
        self._inbox.put(self._cut)

    def withdraw(self, keys: Collection[str] | None = None) -> None:
        """Forget what holds no longer: what waits of these keys; or every question, the one being said too."""
        self._inbox.put(lambda: self._withdraw_all(keys))

    def say_instead(self, keys: Collection[str], compose: Callable[[list[Line]], Sequence[Line]]) -> None:
        """Say one thing in place of what waits: `compose` is given the waiting lines of these keys, and returns it.

        It is called on the narrator's thread, and must only compute.
        """
        self._inbox.put(lambda: self._say(compose(self._withdraw(keys))))

    def interrupt(self) -> None:
        """Stop even a question: what comes now is more urgent than anything of the game."""
        self._inbox.put(self._interrupt)

    def repeat(self, now: Sequence[Line] = ()) -> None:
        """Say the last announcement again, from its beginning; a question is said to its end before.

        Args:
            now: what the table does now; said after it where it asked nothing of the table.
        """
        self._inbox.put(lambda: self._repeat(now))

    def when_silent(self, callback: Callable[[], object]) -> None:
        """Call back once, on the narrator's thread, when there is nothing left to say."""
        self._inbox.put(lambda: self._when_silent.append(callback))

    def play_music(self, piece: Music | None) -> None:
        """Play a piece over and over, under whatever is said, until the next is asked for; None ends the music."""
        self._inbox.put(lambda: self._play_music(piece))

    def hold_night(self, perform: Callable[[], Performance], *, paused: bool = False) -> None:
        """Hold a night from its first step, in place of everything that waits to be said.

        Args:
            perform: renders it, on the narrator's thread: nobody waits for that, and the night can be stopped and taken
                back meanwhile.
            paused: whether it waits for a word.
        """
        self._inbox.put(lambda: self._hold_night(_Night(perform, paused=paused)))

    def restart_night(self) -> None:
        """Begin the night again from its first step, if there is one."""
        self._inbox.put(self._restart_night)

    def pause_night(self) -> None:
        """Let the night stand still, if one goes on."""
        self._inbox.put(self._pause_night)

    def resume_night(self) -> None:
        """Go on with a night that stands still: an unfinished sentence is said again."""
        self._inbox.put(self._resume_night)

    def stop_night(self, *, unless_it_asks: bool = False) -> None:
        """End the night where it is: it was taken back, or is over; one that has come to ASK may be let end itself."""
        self._inbox.put(lambda: self._stop_night(unless_it_asks=unless_it_asks))

    def voice_failed(self, sentence: str) -> None:
        """Tell the audience of a voice that fails, unless it knows; with an empty sentence, that it is back."""
        self._inbox.put(lambda: self._voice_failed(sentence))

    def close(self) -> None:
        """Stop in the middle of a word."""
        self._closing = True
        self._inbox.put(self._stop_everything)
        self._inbox.close()
        self._inbox.join(_CLOSE_SECONDS)
        # Once more here: a narrator that was never started, or whose voice hangs, has not done it.
        self._stop_everything()

    @property
    def holds_night(self) -> bool:
        """Whether a night goes on or stands still."""
        return self._night is not None

    # --- the same, on the narrator's own thread ----------------------------------------------------------------------

    def _say(self, lines: Sequence[Line]) -> None:
        if not lines:
            return
        self._said_last = list(lines)
        # A line that waits already waits in its new place: nobody hears the same thing twice in a row.
        self._queue = deque(line for line in self._queue if line not in lines)
        self._queue.extend(lines)

    def _remark(self, line: Line) -> None:
        self._queue = deque(other for other in self._queue if other.key != line.key)
        self._queue.append(line)
        if self._line is not None and self._line.key == line.key:
            self._stop_line()

    def _cut(self) -> None:
        self._queue = deque(line for line in self._queue if line.question or line.lasting)
        if self._line is not None and not self._line.question:
            self._cut_line()

    def _withdraw(self, keys: Collection[str] | None) -> list[Line]:
        withdrawn = [
            line
            for line in self._queue
            if (line.key in keys if keys is not None else line.question and not line.lasting)
        ]
        self._queue = deque(line for line in self._queue if line not in withdrawn)
        return withdrawn

    def _withdraw_all(self, keys: Collection[str] | None) -> None:
        self._withdraw(keys)
        line = self._line
        if keys is None and line is not None and line.question and not line.lasting:
            # It has been answered: to say it to its end would only keep the table from what comes now.
            self._stop_line()

    def _interrupt(self) -> None:
        self._clear_queue()
        if self._line is not None:
            self._cut_line()

    def _repeat(self, now: Sequence[Line]) -> None:
        self._cut()
        said_last = self._said_last
        self._say([*said_last, *(() if any(line.question for line in said_last) else now)])
        self._said_last = said_last

    def _play_music(self, piece: Music | None) -> None:
        if piece is self._music:
            return
        self._music = piece
        if piece is None:
            self._output.stop(Track.MUSIC)
            return
        self._music_waits = self._beat is not None
        self._output.set_volume(Track.MUSIC, 0.0)
        self._output.play(sound_clip(piece.path), Track.MUSIC, loop=True)
        self._raise_music(not self._music_waits)

    def _raise_music(self, is_alone: bool) -> None:
        volume = _MUSIC_RESTING if is_alone else _MUSIC_UNDER_VOICE
        self._output.set_volume(Track.MUSIC, volume, _MUSIC_FADE_SECONDS if is_alone else _FADE_SECONDS)

    def _let_music_wait(self, waits: bool) -> None:
        """Turn the music down while something is said, once; the short silence between two lines leaves it low."""
        if self._music is not None and waits is not self._music_waits:
            self._music_waits = waits
            self._raise_music(not waits)

    def _hold_night(self, night: _Night) -> None:
        self._play_music(None)
        self._clear_queue()
        self._cut_line()
        self._output.set_volume(Track.BED, 0.0)
        self._night = night

    def _restart_night(self) -> None:
        night = self._night
        if night is not None:
            self._hold_night(_Night(night.perform, night.performance))

    def _pause_night(self) -> None:
        night = self._night
        if night is None or night.paused:
            return
        night.paused = True
        night.held = self._what_is_left()
        self._stop_line()
        self._output.set_volume(Track.BED, 0.0, _FADE_SECONDS)

    def _resume_night(self) -> None:
        night = self._night
        if night is None or not night.paused:
            return
        self._clear_queue()
        self._stop_line()
        night.paused = False
        self._beats.extend(night.held)
        night.held = []

    def _stop_night(self, *, unless_it_asks: bool) -> None:
        night = self._night
        if night is None or (unless_it_asks and night.asks):
            return
        self._night = None
        self._clear_queue()
        self._stop_line()
        self._output.stop(Track.BED)

    def _voice_failed(self, sentence: str) -> None:
        # A voice that is ended together with the box has not failed.
        if sentence != self._trouble and not self._closing:
            self._trouble = sentence
            self._audience.voice_trouble(sentence)

    def _stop_everything(self) -> None:
        self._queue.clear()
        self._night = None
        self._stop_line()
        self._play_music(None)
        self._output.stop(Track.BED)

    def advance(self) -> float | None:
        """Begin whatever is due; return the seconds until the next thing is, or None when there is nothing to do."""
        while True:
            # Whatever was asked for while something was rendered counts before it sounds.
            self._inbox.work_off()
            if self._closing:
                return None
            left = self._go_on_beating()
            if left is not None:
                return left
            said, self._line = self._line, None
            if said is not None:
                self._audience.line_said(said)
            night = None if self._night is None or self._night.paused else self._night
            if night is not None:
                self._next_step(night)
            elif self._queue:
                line = self._queue.popleft()
                self._in_a_row = False
                self._beats.extend(self._beats_of(line))
                self._line = line
            elif self._nothing_left():
                return None

    def _nothing_left(self) -> bool:
        """Tell those who waited for silence; False when one of them has said something."""
        self._fall_silent()
        self._let_music_wait(False)
        self._in_a_row = False
        told, self._when_silent = self._when_silent, []
        for callback in told:
            callback()
        return not told

    def _go_on_beating(self) -> float | None:
        """Return the seconds that the beat of the moment lasts; None when all beats are over."""
        while True:
            if self._beat is not None:
                left = self._ends_at - self._clock.now()
                if left > 0:
                    return left
                self._beat = None
            if not self._beats:
                return None
            self._begin(self._beats.popleft())

    def _begin(self, beat: _Beat) -> None:
        now = self._clock.now()
        # The next beat follows the end of the last one on the clock, not the moment we noticed it.
        follows = self._in_a_row and now - self._ends_at < _LATE_SECONDS
        self._beat = beat
        self._ends_at = (self._ends_at if follows else now) + beat.seconds
        self._in_a_row = True
        if beat.bed is not None:
            self._output.set_volume(Track.BED, beat.bed, _FADE_SECONDS)
        if beat.clip is not None:
            self._let_music_wait(True)
            self._output.play(beat.clip, beat.track)
        if beat.caption:
            self._speaking = beat.track is Track.VOICE
            self._audience.caption(beat.caption, self._speaking, beat.told)
        elif beat.caption is not None:
            self._fall_silent()

    def _fall_silent(self) -> None:
        if self._speaking:
            self._speaking = False
            self._audience.caption("", False)

    def _clear_queue(self) -> None:
        self._queue = deque(line for line in self._queue if line.lasting)

    def _cut_line(self) -> None:
        """Stop what is being said. Of a lasting line that only its sound was heard of, the words come all the same."""
        line, beats = self._line, tuple(self._beats)
        self._stop_line()
        if line is not None and line.lasting and any(beat.caption == line.text for beat in beats):
            self._queue.appendleft(replace(line, effect=None))

    def _stop_line(self) -> None:
        self._line = None
        self._beats.clear()
        self._beat = None
        self._in_a_row = False
        self._output.stop(Track.VOICE)
        self._output.stop(Track.EFFECT)

    def _what_is_left(self) -> list[_Beat]:
        """Return the beats of the moment from here: a sentence from its beginning, a silence for the rest of it."""
        if self._beat is None:
            return list(self._beats)
        if self._beat.clip is not None:
            return [self._beat, *self._beats]
        left = max(0.0, self._ends_at - self._clock.now())
        return [replace(self._beat, seconds=left), *self._beats]

    def _next_step(self, night: _Night) -> None:
        """Render a night before anybody closes their eyes, go on to its next step, or end it."""
        if night.performance is None:
            self._fall_silent()
            self._in_a_row = False
            night.performance = night.perform()
            # Meanwhile it may have been taken back, or stopped.
            return
        if night.next_step == 0:
            self._output.play(sound_clip(self._palette.bed.path), Track.BED, loop=True)
        if night.next_step == len(night.performance.steps):
            self._night = None
            self._output.stop(Track.BED)
            return
        step = night.performance.steps[night.next_step]
        night.next_step += 1
        self._beats.extend(_beats_of_step(step, self._palette))
        if step.step == "ASK":
            self._audience.night_reached_ask()

    def _beats_of(self, line: Line) -> list[_Beat]:
        beats = []
        if line.effect is not None:
            beats.append(_sound(line.effect, self._palette, line.language.show_sound(line.effect)))
        clip = self._clip(line)
        beats.append(_Beat(clip.seconds, clip, Track.VOICE, line.text, line.told_in))
        beats.append(_Beat(_GAP_SECONDS))
        return beats

    def _clip(self, line: Line) -> Clip:
        text, voice = line.for_the_voice, voice_of(line.language)
        try:
            clip = self._speaker.clip(text, voice)
        except VoiceError as error:
            self._voice_failed(str(error))
            return self._silence.clip(text, voice)
        self._voice_failed("")
        return clip


def _sound(effect: Effect, palette: Palette, caption: str, bed: float | None = None) -> _Beat:
    clip = sound_clip(palette.path(effect))
    return _Beat(clip.seconds, clip, Track.EFFECT, caption, lambda language: language.show_sound(effect), bed)


def _beats_of_step(step: PerformedStep, palette: Palette) -> list[_Beat]:
    resting = _BED_MOVING if step.step in MOVING else _BED_RESTING
    if step.step in ("OPEN", "ASK"):
        resting = 0.0
    beats = []
    if step.clip is not None:
        beats.append(_Beat(step.clip.seconds, step.clip, Track.VOICE, step.text, step.told, _BED_UNDER_VOICE))
    silence = step.pause_seconds
    if step.effect is not None:
        sound = _sound(step.effect, palette, step.effect_caption, resting)
        beats.append(_Beat(BREATH_SECONDS, caption="", bed=resting))
        beats.append(sound)
        silence -= BREATH_SECONDS + sound.seconds
    beats.append(_Beat(silence, caption="", bed=resting))
    return beats
