"""Lines from a synthesiser in a process apart, which is ended when it hangs; every line is rendered once."""

from __future__ import annotations

import contextlib
import time
import unicodedata
from typing import TYPE_CHECKING

from companion.narrator.child import Child, ChildLostError, ChildSlowError
from companion.narrator.sound import Clip, VoiceError
from companion.narrator.speech import wav
from companion.narrator.speech.cache import ClipCache
from companion.narrator.speech.protocol import Failure, Request
from companion.narrator.speech.rest import Rest
from companion.narrator.speech.speech import LINE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from companion.narrator.sound import Voice

ATTEMPTS = 2
ATTEMPT_SECONDS = 2.4
"""How long a worker may take for a line before it is ended: two of these, and the endings, are five seconds."""
NO_END = float("inf")
"""When nobody waits for a line, it is never given up."""
PREPARE_SECONDS = 10.0
"""How long it may take where nobody waits for the line. On a small computer that starts at the same time the longest
lines take three, and a line that is given up then is missing every evening, with all lines after it."""
START_SECONDS = 60.0
"""How long a worker may take to be ready. A small computer that has just been switched on may need most of it. No line
waits that long: the worker goes on starting for those that come after."""
_GLANCE_SECONDS = 0.05
"""How long a line waits for a worker on which another one has given up already."""
IDLE_SECONDS = 300.0
"""How long a worker without work is kept: a table discusses for minutes, and the next line must not wait for a voice
that wakes. Its 30 MB are given back when nobody plays."""
LINES_SPARED = 2
"""How many lines in a row may fail before the voice is left alone: one may be the line's own fault."""
MOST_KNOWN = 500
"""Clips whose place is kept in memory; the others are found again on disk."""
LONGEST_TEXT = 4000
"""Characters. No line is near it; a request has to fit into a pipe that nobody reads."""
UNSPOKEN_SECONDS = 0.25

_INVISIBLE = {"Cc", "Cs", "Co", "Cn"}


class _NotYetError(VoiceError):
    """The worker is still starting, and is let go on."""


class WorkerSpeaker:
    """Speaks with the synthesiser of a worker process, out of a cache wherever it can.

    A text without a letter or a digit, such as a name of emoji alone, is a quarter of a second of silence: the game has
    to go on, and what a synthesiser says of such signs differs by language and version.

    Called from one thread, but for `find`, `kill` and `note`.
    """

    def __init__(
        self,
        cache_dir: Path,
        *,
        command: Sequence[str],
        fingerprint: str,
        attempts: int = ATTEMPTS,
        attempt_seconds: float = ATTEMPT_SECONDS,
        prepare_seconds: float = PREPARE_SECONDS,
        line_seconds: float = LINE_SECONDS,
        start_seconds: float = START_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """Open the cache; nothing is started.

        Args:
            cache_dir: where spoken lines are kept; where that is impossible, `note` says so.
            command: how the worker is started.
            fingerprint: a text that changes whenever the synthesiser may sound different.
            attempts: how many workers may try a line.
            attempt_seconds: how long a worker may take for a line.
            prepare_seconds: how long where nobody waits for it.
            line_seconds: how long a line that is waited for may take in all, whatever goes wrong.
            start_seconds: how long a worker may take to be ready where nobody waits for it.
            idle_seconds: how long a worker without work is kept.

        Raises:
            VoiceError: spoken lines can be kept nowhere at all.
        """
        self._cache = ClipCache(cache_dir)
        self._command = tuple(command)
        self._attempts = attempts
        self._attempt_seconds = attempt_seconds
        self._prepare_seconds = prepare_seconds
        self._line_seconds = line_seconds
        self._start_seconds = start_seconds
        self._idle_seconds = idle_seconds
        self._fingerprint = fingerprint
        self._known: dict[tuple[str, Voice], Clip] = {}
        self._child: Child | None = None
        self._ready_by = 0.0
        """When a worker that is starting has to be ready; 0 as soon as it is, and while there is none."""
        self._last_used = 0.0
        self._start_rest = Rest()
        self._line_rest = Rest(spared=LINES_SPARED)
        self._pruned = False
        self._closed = False

    @property
    def note(self) -> str:
        """What people should know about where lines are kept, in one sentence; empty while all is well."""
        return self._cache.note

    @property
    def worker_id(self) -> int | None:
        """The process id of the worker, or None while there is none."""
        child = self._child
        return child.process_id if child else None

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Return a line that is rendered already: one look at the disk, from any thread."""
        known = self._known.get((text, voice))
        if known and _is_whole(known):
            return known
        spoken = _speakable(text)
        return self._cache.find(self._cache.path(spoken, voice, self._fingerprint)) if spoken else None

    def prepare(self, texts: Sequence[str], voice: Voice) -> None:
        """Render and check every text.

        Raises:
            VoiceError: a text could not be spoken; those before it are kept.
        """
        for text in texts:
            self._clip(text, voice, self._prepare_seconds, NO_END)

    def clip(self, text: str, voice: Voice, *, within_seconds: float | None = None) -> Clip:
        """Return the levelled speech of one text, from the cache or freshly rendered.

        Args:
            text: what is said.
            voice: how.
            within_seconds: how long it may take in all; None for as long as any line may.

        Raises:
            VoiceError: there is no such voice or no synthesiser, it failed twice, or it took too long.
        """
        seconds = self._line_seconds if within_seconds is None else within_seconds
        return self._clip(text, voice, self._attempt_seconds, time.monotonic() + seconds)

    def engine(self) -> str:
        """Return what the synthesiser says of itself, such as `eSpeak NG 1.52.0 from the system`.

        Raises:
            VoiceError: there is none.
        """
        return self._cache.recall_engine(self._fingerprint) or self._worker(NO_END).engine

    def rest(self) -> float | None:
        """End a worker that has been idle for long; return in how many seconds to look again, None without one."""
        if self._child is None:
            return None
        left = self._last_used + self._idle_seconds - time.monotonic()
        if left > 0:
            return left
        self._end_worker()
        return None

    def kill(self) -> None:
        """Let the worker die, whatever it does, and start no other; from any thread."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """End the worker, also one that hangs. Lines that are known are still given; no other is rendered."""
        self.kill()
        self._end_worker()

    def _clip(self, text: str, voice: Voice, seconds: float, until: float) -> Clip:
        clip = self.find(text, voice) or self._find_or_render(_speakable(text), voice, seconds, until)
        if len(self._known) >= MOST_KNOWN:
            self._known.pop(next(iter(self._known)))
        self._known[text, voice] = clip
        return clip

    def _find_or_render(self, text: str, voice: Voice, seconds: float, until: float) -> Clip:
        if not text:
            return self._cache.silence(UNSPOKEN_SECONDS)
        if len(text) > LONGEST_TEXT:
            raise VoiceError(f"a line of {len(text)} characters is too long to be spoken")
        found = self._cache.find(self._cache.path(text, voice, self._fingerprint))
        return found or self._render(text, voice, seconds, until)

    def _render(self, text: str, voice: Voice, seconds: float, until: float) -> Clip:
        """Have the worker speak a text, with a fresh worker each time it fails.

        Raises:
            VoiceError: see `clip`.
        """
        trouble = "the voice is silent"
        for _ in range(self._attempts):
            path = self._cache.path(text, voice, self._fingerprint)
            try:
                worker = self._worker(until)
                answer = worker.ask(Request.of(text, voice, path).line(), min(seconds, until - time.monotonic()))
            except ChildLostError as error:
                trouble = str(error)
                self._end_worker()
                continue
            if answer.get("ok"):
                clip = self._cache.find(path)
                if clip:
                    self._line_rest.succeeded()
                    return clip
                answer["error"] = "the voice promised a line that is not there"
            trouble = str(answer.get("error"))
            match answer.get("kind"):
                case Failure.VOICE:
                    raise VoiceError(trouble)
                case Failure.STORAGE:
                    self._cache.move_out(trouble)
                case _:
                    self._end_worker()
        self._line_rest.failed(trouble)
        raise VoiceError(trouble)

    def _worker(self, until: float) -> Child:
        """Return a worker that is ready in time, and see to it that it goes when it has been idle for long.

        Raises:
            ChildLostError: it died or hung while it started.
            VoiceError: there is no synthesiser, or it is not ready yet.
        """
        if self._closed:
            raise VoiceError("the voice has been closed")
        try:
            if self._child is None or self._ready_by:
                self._start(until)
            assert self._child is not None  # noqa: S101 - started just now
            return self._child
        finally:
            if self._child is not None:
                self._last_used = time.monotonic()

    def _start(self, until: float) -> None:
        if error := self._start_rest.error or self._line_rest.error:
            raise VoiceError(error)
        if not self._pruned:
            self._cache.prune()
            self._pruned = True
        try:
            child = self._try_to_start(until)
        except _NotYetError:
            raise
        except VoiceError as error:
            self._start_rest.failed(str(error))
            raise
        self._start_rest.succeeded()
        self._cache.note_engine(self._fingerprint, child.engine)

    def _try_to_start(self, until: float) -> Child:
        """Start a worker, and another one where it died on the way and there is time left.

        Raises:
            ChildLostError: the last one died or hung.
            VoiceError: there is no synthesiser.
        """
        for _ in range(ATTEMPTS - 1):
            try:
                return self._started(until)
            except ChildSlowError:
                raise
            except ChildLostError:
                if self._closed or time.monotonic() >= until:
                    raise
        return self._started(until)

    def _started(self, until: float) -> Child:
        """Return a worker that has just become ready; one that does not in all the time of a start is ended.

        Raises:
            ChildLostError: it died, or hung for as long as a start may take.
            VoiceError: there is no synthesiser, or the time of this line is over and the worker goes on starting.
        """
        if self._child is None:
            self._child = Child(self._command)
            self._ready_by = time.monotonic() + self._start_seconds
            # `close` ends whatever worker it finds; from here on it finds this one.
            if self._closed:
                self._child.kill()
        elif until < NO_END:
            # A line has waited for it already: the game goes on at its pace.
            until = time.monotonic() + _GLANCE_SECONDS
        child = self._child
        try:
            child.greet(min(until, self._ready_by) - time.monotonic())
        except ChildSlowError as error:
            if time.monotonic() < self._ready_by:
                raise _NotYetError(str(error)) from error
            self._end_worker()
            raise
        except VoiceError:
            self._end_worker()
            raise
        self._ready_by = 0.0
        return child

    def _end_worker(self) -> None:
        self._ready_by = 0.0
        child, self._child = self._child, None
        if child is not None:
            child.end()


def _speakable(text: str) -> str:
    """Return a text as a synthesiser takes it: composed, without control signs; empty where nothing can be spoken."""
    seen = "".join(" " if unicodedata.category(sign) in _INVISIBLE else sign for sign in text)
    seen = " ".join(unicodedata.normalize("NFC", seen).split())
    return seen if any(sign.isalnum() for sign in seen) else ""


def _is_whole(clip: Clip) -> bool:
    """Tell whether a clip's file is still there in its full length: one look, no reading."""
    with contextlib.suppress(OSError):
        return clip.path.stat().st_size == wav.size_of(clip.seconds)
    return False
