"""The one owner of the game: a thread that decides reports one after the other and tells everybody what came of them.

    report -> decide -> journal, durable -> evolve -> snapshot and listeners

Nothing is shown or said that the journal does not hold. Any thread may `submit`; only the owner thread changes
anything. Whoever listens is told on the owner thread and puts what may take long into an inbox of its own.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import time
from collections import deque
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.views import answers_from_roles
from companion.machine.inbox import Inbox
from companion.table.listener import Change, GameListener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from companion.game.commands import Command
    from companion.game.evening import Entry, Evening
    from companion.table.snapshot import Feed, Trouble

T = TypeVar("T")

_CLOSE_SECONDS = 0.9
"""How long the owner may take to end; the box has two seconds."""

logger = logging.getLogger(__name__)


class Memory(Protocol):
    """Where entries are kept. `companion.journal.Journal` is one; it keeps on in memory where a disk fails."""

    @property
    def trouble(self) -> str:
        """Why entries will not be remembered, in one sentence; empty while they will."""

    def append(self, entry: Entry) -> None:
        """Keep an entry; it is durable when this returns, or `trouble` says why not. Never raises."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What came of a report.

    Attributes:
        evening: the evening after it; the same as before when it was refused.
        entry: what happened; empty when it was refused or changed nothing.
        refused: why it was refused, or None.
    """

    evening: Evening
    entry: Entry = ()
    refused: Refused | None = None


@dataclass(order=True, slots=True)
class Timer:
    """Work that the owner does at a later moment, unless it is cancelled before."""

    due: float
    number: int
    work: Callable[[], object] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        """Do not do it. On the owner thread nothing comes after this."""
        self.cancelled = True


class Table:
    """Owns the evening. `start` begins to take reports, `close` ends it; `call` keeps what is asked before."""

    def __init__(self, evening: Evening, memory: Memory, feed: Feed) -> None:
        self._evening = evening
        self._memory = memory
        self._feed = feed
        self._listeners: tuple[GameListener, ...] = ()
        self._messages: deque[tuple[Callable[[GameListener], None], bool]] = deque()
        self._failed: set[str] = set()
        self._timers: list[Timer] = []
        self._numbers = itertools.count()
        self._inbox = Inbox("table", self._do_what_is_due)
        self._begun = False
        self._withholds = False
        self._told: dict[Trouble, str] = {}

    @property
    def evening(self) -> Evening:
        """The evening as it stands; immutable, so that any thread may keep it."""
        return self._evening

    @property
    def withholds(self) -> bool:
        """Whether screens and lights show the evening as it was before an answer out of the dealt roles.

        Such an answer is said before it is shown. Whoever watches a page learns nothing that the table does not hear.
        """
        return self._withholds

    def start(self, listeners: Sequence[GameListener] = ()) -> None:
        """Tell the listeners where the table stands and what does not work, and begin to take reports."""
        self._listeners = tuple(listeners)
        self._inbox.put(self._begin)
        self._inbox.start()

    def submit(self, *commands: Command) -> Future[Decision]:
        """Ask for one report: all of its commands or none. The future gives the decision once it is durable."""
        return self.call(lambda: self.decide(commands))

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Run `work` on the owner thread, in its turn. Once the table is closed the future is cancelled instead."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except Exception as error:
                logger.exception("a report could not be worked on")
                future.set_exception(error)

        if not self._inbox.put(run):
            # Nobody is left to do it, and whoever waits for it would wait for ever.
            future.cancel()
        return future

    def later(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Run `work` on the owner thread in so many seconds. Only for the owner thread, or before `start`."""
        timer = Timer(time.monotonic() + seconds, next(self._numbers), work)
        heapq.heappush(self._timers, timer)
        return timer

    def decide(self, report: Iterable[Command]) -> Decision:
        """Decide a report. Only for the owner thread, so for work given to `call`."""
        before = self._evening
        try:
            entry = rulebook.decide(before, report)
        except Refused as refused:
            self.tell(lambda listener, refused=refused: listener.refused(refused, before))  # type: ignore[misc]
            return Decision(before, refused=refused)
        if not entry:
            return Decision(before)
        # An entry that cannot be played must not get into the journal: the next start would stumble over it.
        after = rulebook.evolve(before, entry)
        self._memory.append(entry)
        self._tell_memory_trouble()
        self._evening = after
        self._withholds = self._withholds or answers_from_roles(before.game, entry)
        if not self._withholds:
            self._feed.post(evening=after)
        change = Change(before, entry, after, self._withholds)
        self.tell(lambda listener: listener.changed(change), is_change=True)
        return Decision(after, entry)

    def reveal(self) -> None:
        """Show what was withheld. Only for the owner thread."""
        if self._withholds:
            self._withholds = False
            self._feed.post(evening=self._evening)

    def trouble(self, kind: Trouble, sentence: str) -> bool:
        """Show and say that something of the box does not work, or, with an empty sentence, that it works again.

        May be called from any thread and at any time: what is told before the table is open is said when it opens.

        Returns:
            Whether that is new.
        """
        is_new = self._feed.post_trouble(kind, sentence)
        if is_new:
            self._inbox.put(self._tell_troubles)
        return is_new

    def answers(self, timeout_seconds: float) -> bool:
        """Whether the owner thread does its work: it has to get round to a question within the time."""
        try:
            return self.call(lambda: True).result(timeout_seconds)
        except (TimeoutError, CancelledError):
            return False

    def close(self) -> None:
        """Finish the reports that were taken, and stop. May be called twice."""
        self._inbox.close()
        self._inbox.join(_CLOSE_SECONDS)

    def _begin(self) -> None:
        evening = self._evening
        self.tell(lambda listener: listener.game_resumed(evening))
        self._begun = True
        self._tell_memory_trouble()
        self._tell_troubles()

    def _do_what_is_due(self) -> float | None:
        while self._timers:
            timer = self._timers[0]
            seconds = timer.due - time.monotonic()
            if seconds > 0 and not timer.cancelled:
                return seconds
            heapq.heappop(self._timers)
            if not timer.cancelled:
                # In its turn: what was asked for before may still cancel it.
                self._inbox.put(lambda timer=timer: None if timer.cancelled else timer.work())  # type: ignore[misc]
                return 0.0
        return None

    def tell(self, message: Callable[[GameListener], None], *, is_change: bool = False) -> None:
        """Let every listener hear something, behind what they are hearing now. Only for the owner thread."""
        self._messages.append((message, is_change))
        if len(self._messages) > 1:
            # A listener has decided something itself: the others hear first what it heard.
            return
        while self._messages:
            message, is_change = self._messages[0]
            self._tell_each(message, is_change=is_change)
            self._messages.popleft()

    def _tell_each(self, message: Callable[[GameListener], None], *, is_change: bool) -> None:
        failed = set(self._failed)
        for listener in self._listeners:
            name = type(listener).__name__
            try:
                message(listener)
            except Exception:
                logger.exception("%s failed; the game goes on", name)
                failed.add(name)
            else:
                # Whatever else it bears says little: it may not even listen to it.
                if is_change:
                    failed.discard(name)
        if failed != self._failed:
            self._failed = failed
            self.trouble("part", " ".join(f"The {name} failed; the log says how." for name in sorted(failed)))

    def _tell_memory_trouble(self) -> None:
        self.trouble("journal", self._memory.trouble)

    def _tell_troubles(self) -> None:
        """Tell the listeners what has changed: the same trouble with every report would drown the game."""
        if not self._begun:
            return
        now = dict(self._feed.snapshot.troubles)
        changed = {kind: now.get(kind, "") for kind in (*self._told, *now) if now.get(kind) != self._told.get(kind)}
        self._told = now
        for kind, sentence in changed.items():
            self.tell(lambda listener, kind=kind, sentence=sentence: listener.trouble(kind, sentence))  # type: ignore[misc]
