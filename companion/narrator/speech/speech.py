"""The voice on a thread of its own: one line at a time, and what the table waits for first.

What is asked for now goes before what comes next in the game, and that before what is learnt for the evening. Whoever
asks for a line waits for it, up to a limit; a line that lies on the disk already waits for nobody.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING

from companion.machine.inbox import Inbox
from companion.narrator.sound import VoiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from companion.narrator.sound import Clip, Speaker, Voice

LINE_SECONDS = 4.8
"""How long a line that the table waits for may take in all: starting, both attempts, and the line before it."""
LEARNING_LINE_SECONDS = 14.8
"""How long while the box still learns its lines: a small computer has just been switched on, and the longest take three
seconds then."""
CALM_SECONDS = 1.0
"""How long nothing has to happen before what comes next is rendered: what was just reported is said and shown first."""

_CLOSE_SECONDS = 1.0
_GRACE_SECONDS = 0.5
"""A worker that is given up takes a moment to end."""


class Speech:
    """Owns a speaker. Every method may be called from any thread; only `clip` waits."""

    def __init__(
        self,
        speaker: Speaker,
        *,
        is_patient: bool = False,
        line_seconds: float = LINE_SECONDS,
        learning_line_seconds: float = LEARNING_LINE_SECONDS,
        calm_seconds: float = CALM_SECONDS,
    ) -> None:
        """Begin to work for others; nothing is rendered yet.

        Args:
            speaker: who speaks; closed with this.
            is_patient: whether a line may take as long as it takes, for a command that nobody at a table waits for.
            line_seconds: how long a line that is waited for may take.
            learning_line_seconds: how long while lines are still being learnt.
            calm_seconds: how long nothing has to happen before what comes next is rendered.
        """
        self._line_seconds = line_seconds
        self._learning_line_seconds = learning_line_seconds
        self._speaker = speaker
        self._is_patient = is_patient
        self._calm_seconds = calm_seconds
        self._ahead: Iterator[str] | None = None
        self._ahead_at = 0.0
        self._ahead_voice: Voice | None = None
        self._learning: _Lesson | None = None
        self._inbox = Inbox("speech", self._do_what_is_due)
        self._inbox.start()

    @property
    def note(self) -> str:
        """What people should know about the voice, in a few sentences; empty while all is well."""
        return self._speaker.note

    def clip(self, text: str, voice: Voice) -> Clip:
        """Return the levelled speech of one text, and wait for it.

        Raises:
            VoiceError: it cannot be spoken, or took too long.
        """
        found = self._speaker.find(text, voice)
        if found is not None:
            return found
        is_patient = self._is_patient or self._learning is not None
        seconds = None
        if not self._is_patient:
            seconds = self._learning_line_seconds if is_patient else self._line_seconds
        until = None if seconds is None else time.monotonic() + seconds
        line: Future[Clip] = Future()
        if not self._inbox.put(lambda: self._render(line, text, voice, until, is_patient=is_patient)):
            raise VoiceError("the voice has been closed")
        try:
            return line.result(None if seconds is None else seconds + _GRACE_SECONDS)
        except (TimeoutError, CancelledError):
            line.cancel()
            raise VoiceError("the voice is busy with another line") from None

    def look_ahead(self, texts: Callable[[], Sequence[str]], voice: Voice) -> None:
        """Render what may be said next when nobody waits for anything, in place of what was to come before.

        Args:
            texts: works them out, on the speech thread, as the synthesiser reads them and the likeliest first.
            voice: how they are said.
        """
        self._inbox.put(lambda: self._look_ahead(texts, voice))

    def learn(
        self, texts: Sequence[str], voice: Voice, progress: Callable[[int, int], object] = lambda _done, _total: None
    ) -> Future[None]:
        """Render the lines of an evening when there is nothing else to do.

        Args:
            texts: what will be said.
            voice: how.
            progress: called on the speech thread with how many are done and how many there are.

        Returns:
            Done when all are rendered; a VoiceError when one cannot be, cancelled when the voice is closed.
        """
        lesson = _Lesson(tuple(texts), voice, progress)
        if not self._inbox.put(lambda: self._begin(lesson)):
            lesson.learnt.cancel()
        return lesson.learnt

    def describe(self, voice: Voice) -> str:
        """Say in one sentence which synthesiser and which voice this is. Waits for the synthesiser to tell."""
        told: Future[str] = Future()
        self._inbox.put(lambda: told.set_result(self._speaker.describe(voice)))
        return told.result()

    def close(self) -> None:
        """End the synthesiser, also one that hangs. Lines that wait are not rendered."""
        self._inbox.close()
        self._speaker.kill()
        self._inbox.join(_CLOSE_SECONDS)
        lesson = self._learning
        if lesson is not None:
            lesson.learnt.cancel()
        self._speaker.close()

    # --- the speech thread -------------------------------------------------------------------------------------------

    def _render(self, line: Future[Clip], text: str, voice: Voice, until: float | None, *, is_patient: bool) -> None:
        if not line.set_running_or_notify_cancel():
            return
        try:
            if is_patient:
                self._speaker.prepare([text], voice)
            left = None if until is None else max(0.0, until - time.monotonic())
            line.set_result(self._speaker.clip(text, voice, within_seconds=left))
        except Exception as error:  # noqa: BLE001 - raised again where the line was asked for
            line.set_exception(error)

    def _look_ahead(self, texts: Callable[[], Sequence[str]], voice: Voice) -> None:
        self._ahead = (text for text in texts())
        self._ahead_voice = voice
        self._ahead_at = time.monotonic() + self._calm_seconds

    def _begin(self, lesson: _Lesson) -> None:
        self._learning = lesson
        lesson.learnt.set_running_or_notify_cancel()
        if not lesson.left:
            self._end_lesson(lesson)

    def _do_what_is_due(self) -> float | None:
        """Render one line that nobody waits for yet, or let the speaker rest."""
        calm = self._ahead_at - time.monotonic()
        if self._ahead is not None and calm <= 0.0:
            self._render_ahead(self._ahead)
            return 0.0
        if self._learning is not None:
            self._learn_one(self._learning)
            return 0.0
        seconds = self._speaker.rest()
        if self._ahead is not None:
            return calm if seconds is None else min(calm, seconds)
        return seconds

    def _render_ahead(self, texts: Iterator[str]) -> None:
        text = next(texts, None)
        if text is None:
            self._ahead = None
            return
        assert self._ahead_voice is not None  # noqa: S101 - set together with the texts
        try:
            self._speaker.prepare([text], self._ahead_voice)
        except VoiceError:
            # Who has to say it tells of it then; here it is only early.
            self._ahead = None
            return
        lesson = self._learning
        if lesson is not None and lesson.voice == self._ahead_voice:
            self._learnt(lesson, text)

    def _learn_one(self, lesson: _Lesson) -> None:
        text = next(iter(lesson.left))
        try:
            self._speaker.prepare([text], lesson.voice)
        except VoiceError as error:
            self._learning = None
            lesson.learnt.set_exception(error)
            return
        self._learnt(lesson, text)

    def _learnt(self, lesson: _Lesson, text: str) -> None:
        """Count a line of a lesson, whatever it was rendered for; another line is none of its."""
        if text not in lesson.left:
            return
        del lesson.left[text]
        lesson.progress(lesson.total - len(lesson.left), lesson.total)
        if not lesson.left:
            self._end_lesson(lesson)

    def _end_lesson(self, lesson: _Lesson) -> None:
        self._learning = None
        lesson.learnt.set_result(None)


class _Lesson:
    """Lines that are being learnt."""

    def __init__(self, texts: Sequence[str], voice: Voice, progress: Callable[[int, int], object]) -> None:
        self.left = dict.fromkeys(texts)
        self.total = len(self.left)
        self.voice = voice
        self.progress = progress
        self.learnt: Future[None] = Future()
