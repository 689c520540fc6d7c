"""The one owner of the game: a thread that decides reports one after the other and tells everybody what came of them.

    report -> decide -> journal, durable -> evolve -> bulletin and listeners

Nothing is shown or said that the journal does not hold. Any thread may `submit`; only the owner thread changes
anything.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections import deque
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.views import answers_from_roles
from companion.listener import Change, GameListener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from companion.bulletin import Bulletin, Trouble
    from companion.game.commands import Command
    from companion.game.evening import Entry, Evening

T = TypeVar("T")

_CLOSE_SECONDS = 1.8
"""How long the owner and all listeners together may take to end; the box has two seconds."""

LISTENER_SECONDS = 15.0
"""After how long a listener that has not heard what it was told is one that hangs. None has anything to do that takes
longer than a moment, on a machine that is not out of breath: lines are rendered on the narrator's own thread."""

HEARING_SECONDS = 0.5
"""How long a press waits for those who have yet to hear of the last one; with one that hangs, the game goes on so."""

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


class Table:
    """Owns the evening. `start` before the first report, `close` at the end."""

    def __init__(
        self, evening: Evening, memory: Memory, bulletin: Bulletin, listeners: Sequence[GameListener] = ()
    ) -> None:
        self._evening = evening
        self._memory = memory
        self._bulletin = bulletin
        self._mailboxes = [_Mailbox(listener, self._tell_listener_trouble) for listener in listeners]
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)
        self._withholds = False
        self._told_trouble = ""
        self._told_of_listeners = ""
        self._telling = threading.Lock()
        self._open = threading.Lock()
        self._closed = False

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

    def start(self) -> None:
        """Tell the listeners where the table stands, and begin to take reports."""
        for mailbox in self._mailboxes:
            mailbox.start()
        # As it stands now: when a listener gets round to it, reports may have been decided.
        evening = self._evening
        self._tell(lambda listener: listener.game_resumed(evening))
        self._tell_memory_trouble()
        self._thread.start()

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

        with self._open:
            if self._closed:
                # Nobody is left to do it, and whoever waits for it would wait for ever.
                future.cancel()
            else:
                self._work.put(run)
        return future

    def decide(self, report: Iterable[Command]) -> Decision:
        """Decide a report. Only for the owner thread, so for work given to `call`."""
        before = self._evening
        try:
            entry = rulebook.decide(before, report)
        except Refused as refused:
            self._tell(lambda listener, refused=refused: listener.refused(refused, before))  # type: ignore[misc]
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
            self._bulletin.post(evening=after)
        change = Change(before, entry, after, self._withholds)
        self._tell(lambda listener: listener.changed(change), is_change=True)
        return Decision(after, entry)

    def reveal(self) -> None:
        """Show what was withheld. Only for the owner thread."""
        if self._withholds:
            self._withholds = False
            evening = self._evening
            self._bulletin.post(evening=evening)
            self._tell(lambda listener: listener.revealed(evening))

    def let_hear(self, seconds: float = HEARING_SECONDS) -> bool:
        """Wait until every listener has heard all that it was told; False where one takes for longer than that.

        Whoever speaks to a listener directly says it behind what the table has told. One that is late already is not
        waited for again. Only for the owner thread.
        """
        until = time.monotonic() + seconds
        late = [mailbox for mailbox in self._mailboxes if not mailbox.let_hear(until, seconds)]
        return not late

    def trouble(self, kind: Trouble, sentence: str) -> None:
        """Show and say that something of the box does not work, or, with an empty sentence, that it works again."""
        self._bulletin.post_trouble(kind, sentence)
        self._tell(lambda listener: listener.trouble(kind, sentence))

    def answers(self, timeout_seconds: float) -> bool:
        """Whether the owner thread does its work: it has to get round to a question within the time."""
        try:
            return self.call(lambda: True).result(timeout_seconds)
        except (TimeoutError, CancelledError):
            return False

    def close(self) -> None:
        """Finish the reports that were taken, let the listeners hear the rest, and stop. May be called twice."""
        with self._open:
            if not self._closed:
                self._closed = True
                self._work.put(None)
        end = time.monotonic() + _CLOSE_SECONDS
        if self._thread.is_alive():
            self._thread.join(_CLOSE_SECONDS / 2)
        # All are asked to end before any is waited for: a listener that hangs must not keep the box from ending.
        for mailbox in self._mailboxes:
            mailbox.end()
        for mailbox in self._mailboxes:
            mailbox.join(end - time.monotonic())

    def _run(self) -> None:
        while (work := self._next_work()) is not None:
            work()

    def _next_work(self) -> Callable[[], None] | None:
        """Wait for work, and meanwhile for no listener longer than it may take."""
        while True:
            left = [left for mailbox in self._mailboxes if 0 < (left := mailbox.seconds_left) < math.inf]
            try:
                return self._work.get(timeout=min(left, default=None))
            except queue.Empty:
                self._tell_listener_trouble()

    def _tell(self, message: Callable[[GameListener], None], *, is_change: bool = False) -> None:
        for mailbox in self._mailboxes:
            mailbox.put(message, is_change=is_change)

    def _tell_listener_trouble(self) -> None:
        with self._telling:
            sentence = " ".join(filter(None, (mailbox.trouble for mailbox in self._mailboxes)))
            if sentence == self._told_of_listeners:
                return
            self._told_of_listeners = sentence
            self.trouble("part", sentence)

    def _tell_memory_trouble(self) -> None:
        # Said once: the same trouble with every report would drown the game.
        if self._memory.trouble != self._told_trouble:
            self._told_trouble = self._memory.trouble
            self.trouble("journal", self._told_trouble)


class _Mailbox:
    """One listener on its own thread, and what is wrong with it."""

    def __init__(self, listener: GameListener, on_heard: Callable[[], None]) -> None:
        self._listener = listener
        self._name = type(listener).__name__
        self._on_heard = on_heard
        self._messages: queue.SimpleQueue[tuple[Callable[[GameListener], None], bool] | None] = queue.SimpleQueue()
        self._put_at: deque[float] = deque()
        self._failed = False
        self._thread = threading.Thread(target=self._run, name=f"hears-{self._name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, message: Callable[[GameListener], None], *, is_change: bool = False) -> None:
        """Let the listener hear something; a change of the game is what it shows by whether it works."""
        self._put_at.append(time.monotonic())
        self._messages.put((message, is_change))

    def let_hear(self, until: float, patience_seconds: float) -> bool:
        """Wait until the listener has heard everything; False where it took, or takes, for longer than the patience."""
        waits_since = self._waits_since
        if waits_since is None:
            return True
        if time.monotonic() - waits_since > patience_seconds:
            return False
        heard = threading.Event()
        self.put(lambda _listener: heard.set())
        return heard.wait(max(0.0, until - time.monotonic()))

    def end(self) -> None:
        """Let the listener hear the rest, and no more."""
        self._messages.put(None)

    def join(self, timeout_seconds: float) -> None:
        if self._thread.is_alive():
            self._thread.join(max(timeout_seconds, 0))

    @property
    def trouble(self) -> str:
        """What is wrong with the listener, in a sentence; empty while all is well. Never what it failed at: a role."""
        if self.seconds_left <= 0:
            return f"The {self._name} does not answer."
        return f"The {self._name} failed; the log says how." if self._failed else ""

    @property
    def seconds_left(self) -> float:
        """How long the listener may still take for the oldest message that it was given; infinite without any."""
        waits_since = self._waits_since
        return math.inf if waits_since is None else waits_since + LISTENER_SECONDS - time.monotonic()

    @property
    def _waits_since(self) -> float | None:
        """When the oldest message that the listener has not heard to its end was put; None without any."""
        try:
            return self._put_at[0]
        except IndexError:
            return None

    def _run(self) -> None:
        while (letter := self._messages.get()) is not None:
            message, is_change = letter
            try:
                message(self._listener)
            except Exception:
                logger.exception("%s failed; the game goes on", self._name)
                self._failed = True
            else:
                # Whatever else it bears says little: it may not even listen to it.
                self._failed = self._failed and not is_change
            self._put_at.popleft()
            self._on_heard()
