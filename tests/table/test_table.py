from __future__ import annotations

import dataclasses
import logging
import threading
import time
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

import pytest

from companion.game import commands, events
from companion.game import evening as rulebook
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Policy, Role
from companion.table.listener import Change, GameListener
from companion.table.snapshot import Feed, Snapshot
from companion.table.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from companion.game.evening import Entry, Evening

    Starter = Callable[..., Table]

PATIENCE_SECONDS = 10


class MemoryOfTheTest:
    """Keeps entries in a list, and has whatever trouble the test sets."""

    def __init__(self) -> None:
        self.trouble = ""
        self.kept: list[Entry] = []

    def append(self, entry: Entry) -> None:
        self.kept.append(entry)


class Hearing(GameListener):
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, object]] = []
        self.more = threading.Condition()

    def _hear(self, word: str, what: object) -> None:
        with self.more:
            self.heard.append((word, what))
            self.more.notify_all()

    def game_resumed(self, evening: Evening) -> None:
        self._hear("resumed", evening)

    def changed(self, change: Change) -> None:
        self._hear("changed", change)

    def refused(self, refused: Refused, evening: Evening) -> None:
        self._hear("refused", (refused.refusal, evening))

    def trouble(self, kind: str, sentence: str) -> None:
        self._hear("trouble", (kind, sentence))

    def wait_for(self, count: int) -> list[str]:
        """Wait until so many things were heard, and return their words."""
        with self.more:
            assert self.more.wait_for(lambda: len(self.heard) >= count, PATIENCE_SECONDS)
            return [word for word, _ in self.heard]


class Raising(GameListener):
    """Fails at whatever it hears."""

    def game_resumed(self, evening: Evening) -> None:  # noqa: ARG002 - named as the listener names it
        raise RuntimeError("on purpose")

    def changed(self, change: Change) -> None:  # noqa: ARG002 - named as the listener names it
        raise RuntimeError("on purpose")


class Sleeping(GameListener):
    """Hangs at the first thing it hears, until the test lets it go."""

    def __init__(self) -> None:
        self.wake = threading.Event()

    def game_resumed(self, evening: Evening) -> None:  # noqa: ARG002 - named as the listener names it
        self.wake.wait(PATIENCE_SECONDS)


@pytest.fixture
def memory() -> MemoryOfTheTest:
    return MemoryOfTheTest()


@pytest.fixture
def start(memory: MemoryOfTheTest) -> Iterator[Starter]:
    """Starts a table with listeners; closed at the end."""
    tables: list[Table] = []

    def start_table(*listeners: GameListener) -> Table:
        evening, _ = rulebook.opened()
        tables.append(Table(evening, memory, Feed(evening)))
        tables[-1].start(listeners)
        return tables[-1]

    yield start_table
    for table in tables:
        table.close()


def test_a_report_is_kept_before_anybody_hears_of_it(start: Starter, memory: MemoryOfTheTest) -> None:
    """When a listener hears of a change, and when the future answers, the memory holds it."""
    kept_when_heard: list[int] = []

    class Checking(GameListener):
        def changed(self, change: Change) -> None:
            kept_when_heard.append(memory.kept.index(change.entry))

    table = start(Checking())
    decision = table.submit(commands.SetPlayers(7)).result(PATIENCE_SECONDS)
    assert memory.kept == [decision.entry] == [(events.PlayersSet(7),)]
    assert decision.evening is table.evening
    table.close()
    assert kept_when_heard == [0]


def test_a_refusal_changes_nothing(start: Starter, memory: MemoryOfTheTest) -> None:
    """A refused report keeps nothing, not even its allowed part, and gives the refusal to asker and listeners."""
    hearing = Hearing()
    table = start(hearing)
    before = table.evening
    decision = table.submit(commands.SetPlayers(8), commands.SetPlayers(3)).result(PATIENCE_SECONDS)
    assert decision.refused is not None
    assert decision.refused.refusal is Refusal.PLAYER_COUNT
    assert (decision.entry, memory.kept, table.evening is before) == ((), [], True)
    assert hearing.wait_for(2) == ["resumed", "refused"]
    assert hearing.heard[1][1] == (Refusal.PLAYER_COUNT, before)


def test_reports_of_many_threads_are_decided_one_after_the_other(start: Starter, memory: MemoryOfTheTest) -> None:
    """Ten seats and forty phones that want one: ten get one, each its own, and the rest hear that it is full."""
    table = start()
    ready = threading.Barrier(40)
    decisions = []

    def join(number: int) -> None:
        ready.wait(PATIENCE_SECONDS)
        report = commands.TakeSeat(f"Player {number}", claim=f"claim {number}")
        decisions.append(table.submit(report).result(PATIENCE_SECONDS))

    phones = [threading.Thread(target=join, args=(number,)) for number in range(40)]
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join(PATIENCE_SECONDS)
    assert sum(decision.refused is None for decision in decisions) == 10
    assert {decision.refused.refusal for decision in decisions if decision.refused} == {Refusal.TABLE_FULL}
    assert [player.id for player in table.evening.seating.players] == list(range(1, 11))
    assert len(memory.kept) == 10


def test_listeners_hear_everything_in_order(start: Starter) -> None:
    """First where the table stands, then every change, each beginning where the one before ended."""
    hearing = Hearing()
    table = start(hearing)
    for players in (6, 7, 8, 9, 10):
        table.submit(commands.SetPlayers(players))
    assert hearing.wait_for(6) == ["resumed", *["changed"] * 5]
    evening = hearing.heard[0][1]
    for _, change in hearing.heard[1:]:
        assert isinstance(change, Change)
        assert change.before is evening
        evening = change.after
    assert evening is table.evening


def test_a_listener_that_raises_breaks_nothing(start: Starter, caplog: pytest.LogCaptureFixture) -> None:
    """Its error is logged; it hears the next change all the same, as do the others, who hear of it too."""
    hearing = Hearing()
    table = start(Raising(), hearing)
    for players in (6, 7):
        assert table.submit(commands.SetPlayers(players)).result(PATIENCE_SECONDS).refused is None
    table.close()
    assert sorted(hearing.wait_for(4)) == ["changed", "changed", "resumed", "trouble"]
    assert caplog.text.count("Raising failed; the game goes on") == 3


def test_a_listener_that_fails_is_told_once_and_taken_back_when_it_hears_a_change(start: Starter) -> None:
    """What it bears meanwhile besides changes says nothing: it may not even listen to that."""

    class Moody(GameListener):
        fails = True

        def changed(self, change: Change) -> None:  # noqa: ARG002 - named as the listener names it
            if self.fails:
                raise RuntimeError("on purpose")

    moody, hearing = Moody(), Hearing()
    table = start(moody, hearing)
    for players in (6, 3, 7, 3, 8):
        table.submit(commands.SetPlayers(players)).result(PATIENCE_SECONDS)
    assert hearing.wait_for(7).count("trouble") == 1
    moody.fails = False
    table.submit(commands.SetPlayers(9)).result(PATIENCE_SECONDS)
    hearing.wait_for(9)
    told = [what for word, what in hearing.heard if word == "trouble"]
    assert told == [("part", "The Moody failed; the log says how."), ("part", "")]
    assert table._feed.snapshot.troubles == ()


def test_what_a_listener_decides_is_heard_behind_what_it_heard(start: Starter) -> None:
    """Everybody hears the change that led to it first, and then its own."""

    class Deciding(GameListener):
        def changed(self, change: Change) -> None:
            if change.after.game.players == 6:
                table.decide([commands.SetPlayers(7)])

    hearing = Hearing()
    table = start(Deciding(), hearing)
    table.submit(commands.SetPlayers(6)).result(PATIENCE_SECONDS)
    changes = [what for word, what in hearing.heard if word == "changed"]
    assert [change.after.game.players for change in changes if isinstance(change, Change)] == [6, 7]


def test_what_is_to_be_done_later_is_done_in_its_time_and_order(start: Starter) -> None:
    """The owner does it, the earlier first; what was cancelled is never done, and what fails costs nothing else."""
    table, done, over = start(), [], threading.Event()

    def plan() -> None:
        table.later(0.03, over.set)
        table.later(0.02, lambda: done.append("second"))
        table.later(0.01, lambda: done.append("first"))
        table.later(0.015, lambda: 1 / 0)
        late = table.later(0.02, lambda: done.append("cancelled"))
        table.later(0.005, late.cancel)

    table.call(plan).result(PATIENCE_SECONDS)
    assert over.wait(PATIENCE_SECONDS)
    assert done == ["first", "second"]


def test_work_that_is_due_can_be_cancelled_by_what_was_asked_before_it(start: Starter) -> None:
    """On the owner thread nothing comes after a cancel, however late it is."""
    table, done, hold = start(), [], threading.Event()

    def plan() -> None:
        timer = table.later(0.0, lambda: done.append("too late"))
        table.call(timer.cancel)
        hold.wait(0.01)

    table.call(plan).result(PATIENCE_SECONDS)
    assert table.answers(PATIENCE_SECONDS)
    assert done == []


def test_a_table_closes_within_two_seconds_whatever_hangs() -> None:
    """A listener that hangs does not keep the box from ending."""
    evening, _ = rulebook.opened()
    sleeper = Sleeping()
    table = Table(evening, MemoryOfTheTest(), Feed(evening))
    table.start((sleeper,))
    began = time.monotonic()
    table.close()
    assert time.monotonic() - began < 2
    sleeper.wake.set()


def test_what_was_submitted_before_the_end_is_decided(start: Starter, memory: MemoryOfTheTest) -> None:
    """Closing finishes the reports that were taken, lets listeners hear them, and cancels what comes later."""
    hearing = Hearing()
    table = start(hearing)
    futures = [table.submit(commands.SetPlayers(5 + number % 6)) for number in range(50)]
    table.close()
    table.close()
    assert all(future.done() for future in futures)
    assert len(memory.kept) == 50
    assert hearing.wait_for(51).count("changed") == 50
    with pytest.raises(CancelledError):
        table.submit(commands.SetPlayers(6)).result(PATIENCE_SECONDS)


def test_trouble_of_the_memory_is_told_once(start: Starter, memory: MemoryOfTheTest) -> None:
    """The same trouble with every report is told with the first, and its end is told too."""
    hearing = Hearing()
    table = start(hearing)
    for sentence in ("", "The disk is full.", "The disk is full.", "The disk is full.", "", ""):
        memory.trouble = sentence
        table.submit(commands.SetPlayers(6)).result(PATIENCE_SECONDS)
    table.close()
    told = [what for word, what in hearing.heard if word == "trouble"]
    assert told == [("journal", "The disk is full."), ("journal", "")]


def test_trouble_that_was_there_before_is_told_at_the_start(start: Starter, memory: MemoryOfTheTest) -> None:
    """A box that starts without a memory says so before the first report, on the page as well."""
    memory.trouble = "The state directory cannot be written to."
    hearing = Hearing()
    table = start(hearing)
    assert hearing.wait_for(2) == ["resumed", "trouble"]
    assert table._feed.snapshot.troubles == (("journal", memory.trouble),)


def test_work_that_fails_is_the_askers_alone(start: Starter, caplog: pytest.LogCaptureFixture) -> None:
    """An error in work for the owner thread reaches whoever asked, and the next report is decided."""
    table = start()
    with pytest.raises(ZeroDivisionError):
        table.call(lambda: 1 // 0).result(PATIENCE_SECONDS)
    assert table.submit(commands.SetPlayers(6)).result(PATIENCE_SECONDS).refused is None
    assert "a report could not be worked on" in caplog.text


def test_work_that_was_cancelled_is_not_done(start: Starter, memory: MemoryOfTheTest) -> None:
    """Whoever gave up waiting in time gets nothing decided."""
    table = start()
    go = threading.Event()
    table.call(lambda: go.wait(PATIENCE_SECONDS))
    future = table.submit(commands.SetPlayers(6))
    assert future.cancel()
    go.set()
    table.submit(commands.SetPlayers(7)).result(PATIENCE_SECONDS)
    assert memory.kept == [(events.PlayersSet(7),)]


def test_the_owner_answers_while_it_works(start: Starter) -> None:
    """`answers` is true of a table that works, false of one that hangs or is closed."""
    table = start()
    assert table.answers(PATIENCE_SECONDS)
    hang = threading.Event()
    table.call(lambda: hang.wait(PATIENCE_SECONDS))
    assert not table.answers(0.05)
    hang.set()
    assert table.answers(PATIENCE_SECONDS)
    table.close()
    assert not table.answers(0.05)


def test_snapshots_never_change(start: Starter) -> None:
    """A snapshot that somebody holds stays as it was, and cannot be written to."""
    table = start()
    held = table._feed.snapshot
    before = (held.version, held.evening)
    table.submit(commands.SetPlayers(9)).result(PATIENCE_SECONDS)
    assert (held.version, held.evening) == before
    assert held.evening.game.players == 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        held.version = 7  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        held.evening.game.players = 7  # type: ignore[misc]


def test_versions_grow_with_every_change_and_with_nothing_else() -> None:
    """Posting what is shown already makes no new version; anything new makes the next one."""
    evening, _ = rulebook.opened()
    feed = Feed(evening)
    versions = [feed.post(caption=caption).version for caption in ("", "One.", "One.", "Two.")]
    assert versions == [1, 2, 2, 3]
    feed.post_trouble("voice", "The voice does not work.")
    feed.post_trouble("voice", "The voice does not work.")
    assert feed.snapshot.version == 4
    feed.post_trouble("voice", "")
    assert (feed.snapshot.version, feed.snapshot.troubles) == (5, ())


def test_versions_of_many_threads_never_repeat() -> None:
    """Changes posted at once each get a version of their own."""
    evening, _ = rulebook.opened()
    feed = Feed(evening)
    seen: list[int] = []
    ready = threading.Barrier(8)

    def post(number: int) -> None:
        ready.wait(PATIENCE_SECONDS)
        seen.extend([feed.post(caption=f"{number} {count}").version for count in range(100)])

    threads = [threading.Thread(target=post, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert sorted(seen) == list(range(2, 802))


def test_who_waits_for_a_newer_version_is_woken() -> None:
    """Waiting ends with the next change; without one it ends with the time, and nothing newer."""
    evening, _ = rulebook.opened()
    feed = Feed(evening)
    found: list[Snapshot] = []
    waiting = threading.Thread(target=lambda: found.append(feed.wait_newer(1, PATIENCE_SECONDS)))
    waiting.start()
    feed.post(caption="Something.")
    waiting.join(PATIENCE_SECONDS)
    assert [snapshot.version for snapshot in found] == [2]
    assert feed.wait_newer(2, 0.01).version == 2


def test_no_role_is_logged_or_shown_by_accident(
    start: Starter, caplog: pytest.LogCaptureFixture, memory: MemoryOfTheTest
) -> None:
    """With everything logged, dealing roles leaves none in the log, nor in what prints a decision or a snapshot."""
    caplog.set_level(logging.DEBUG)
    table = start(Raising())
    for number in range(1, 6):
        table.submit(commands.TakeSeat(f"Player {number}", claim=f"secret {number}"))
    deal = (Role.LIBERAL, Role.HITLER, Role.LIBERAL, Role.FASCIST, Role.LIBERAL)
    decision = table.submit(commands.DealRoles(deal)).result(PATIENCE_SECONDS)
    table.close()
    assert any(isinstance(event, events.RolesDealt) for entry in memory.kept for event in entry)
    shown = f"{caplog.text} {decision!r} {table._feed.snapshot!r} {memory.kept!r}"
    assert "HITLER" not in shown
    assert "secret" not in shown


def test_the_rest_of_a_round_goes_through_the_table(start: Starter) -> None:
    """What a table reports from the night to the first policy, submitted without waiting, gives that game."""
    table = start()
    for command in (
        commands.BeginNight(),
        commands.EndNight(),
        commands.BeginGame(1),
        commands.Vote(elected=True),
        commands.EnactPolicy(Policy.FASCIST),
    ):
        last = table.submit(command)
    assert last.result(PATIENCE_SECONDS).evening.game.fascist_policies == 1
