from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from companion.game import commands, events
from companion.game import evening as rulebook
from companion.game.vocabulary import Policy
from companion.journal import APPLICATION_ID, FILE_NAME, VERSION, Journal, JournalBusy, resume
from tests.journal.playing import chance_of, fingerprint, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from companion.game.evening import Evening

    Opener = Callable[..., Journal]


def keep_a_game(journal: Journal, *, seed: int = 1, reports: int = 60) -> Evening:
    """Play into a journal, beginning where it stands."""
    evening, entries = play(resume(journal, rulebook.opened), chance_of(seed), reports)
    for entry in entries:
        journal.append(entry)
    return evening


def test_a_new_box_begins_in_a_lobby_that_the_journal_holds(opened: Opener) -> None:
    """A new state directory gives an empty journal, and resuming writes the first entry into it."""
    journal = opened()
    assert (journal.entries(), journal.note, journal.trouble) == ((), "", "")
    evening = resume(journal, lambda: rulebook.opened(7))
    assert evening.game.players == 7
    assert [type(event) for event in journal.entries()[0]] == [events.GameOpened]


@pytest.mark.parametrize("seed", range(5))
def test_the_evening_is_the_same_after_a_restart(opened: Opener, seed: int) -> None:
    """What is replayed after a restart is the evening that was, with every step that can be taken back."""
    first = opened()
    evening = keep_a_game(first, seed=seed, reports=200)
    first.close()
    assert fingerprint(resume(opened(), rulebook.opened)) == fingerprint(evening)


def test_reports_are_taken_back_across_a_restart(opened: Opener) -> None:
    """Reports made before a restart can be taken back one by one after it."""
    first = opened()
    evening = resume(first, rulebook.opened)
    walk = (
        commands.BeginNight(),
        commands.EndNight(),
        commands.BeginGame(1),
        commands.Vote(elected=True),
        commands.EnactPolicy(Policy.LIBERAL),
    )
    for command in walk:
        entry = rulebook.decide(evening, [command])
        first.append(entry)
        evening = rulebook.evolve(evening, entry)
    first.close()
    for left in range(len(walk) - 1, -1, -1):
        journal = opened()
        evening = resume(journal, rulebook.opened)
        entry = rulebook.decide(evening, [commands.TakeBack()])
        journal.append(entry)
        assert rulebook.evolve(evening, entry).step.steps() == left
        journal.close()


def test_only_the_last_game_is_read(opened: Opener, state: Path) -> None:
    """Starting reads the running game; those before it stay in the file."""
    journal = opened()
    for players in (5, 6, 7):
        journal.append(rulebook.opened(players)[1])
        journal.append((events.NightBegan(),))
    journal.close()
    entries = opened().entries()
    assert [len(entry) for entry in entries] == [1, 1]
    assert entries[0] == rulebook.opened(7)[1]
    assert rows_of(state, "SELECT game, sequence FROM entry") == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]


def test_a_game_opened_within_a_report_begins_with_its_own_row(opened: Opener, state: Path) -> None:
    """A report that ends one game and opens the next is kept whole, and split where the next game begins."""
    journal = opened()
    journal.append(rulebook.opened()[1])
    journal.append((events.PlayersSet(6), *rulebook.opened(8)[1], events.PlayersSet(9)))
    journal.close()
    assert rulebook.replay(*opened().entries()).game.players == 9
    assert rows_of(state, "SELECT game, sequence FROM entry") == [(1, 1), (1, 2), (2, 1)]


def test_nothing_that_was_written_is_ever_changed(opened: Opener, state: Path) -> None:
    """Taking back appends: the rows that were there before stay as they were."""
    journal = opened()
    keep_a_game(journal, reports=30)
    before = rows_of(state, "SELECT * FROM entry")
    keep_a_game(journal, seed=2, reports=30)
    assert rows_of(state, "SELECT * FROM entry")[: len(before)] == before


def test_only_the_owner_of_the_box_may_read_the_journal(opened: Opener, state: Path) -> None:
    """The journal holds roles: 0600 for its files, whoever's the umask, and 0700 for the directory we make."""
    keep_a_game(opened())
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()}
    assert modes == dict.fromkeys(
        [FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", "journal.lock", "journal.head"], 0o600
    )
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_a_journal_that_others_could_read_is_closed_to_them(opened: Opener, state: Path) -> None:
    """A file that got a laxer mode, by a copy say, is narrowed when it is opened."""
    opened().close()
    (state / FILE_NAME).chmod(0o644)
    opened()
    assert stat.S_IMODE((state / FILE_NAME).stat().st_mode) == 0o600


def test_a_directory_that_was_there_keeps_its_mode(opened: Opener, state: Path) -> None:
    """How a directory that somebody else made is shared is theirs to say."""
    state.mkdir(mode=0o750)
    state.chmod(0o750)
    opened()
    assert stat.S_IMODE(state.stat().st_mode) == 0o750


def test_a_second_box_is_refused(opened: Opener, state: Path) -> None:
    """Two boxes on one state directory would write two truths: the second is refused with a sentence."""
    first = opened()
    with pytest.raises(JournalBusy, match=r"Another box is already running on the state directory .*\."):
        Journal.open(state)
    first.close()
    opened()


def test_a_second_process_is_refused(opened: Opener, state: Path) -> None:
    """The refusal works between processes, and ends with the process however it ended."""
    script = (
        "import sys; sys.path[:0] = sys.argv[2:]; from companion.journal import Journal; from pathlib import Path\n"
        "journal = Journal.open(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    arguments = [sys.executable, "-c", script, str(state), *sys.path]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(JournalBusy):
            Journal.open(state)
        other.kill()
        other.communicate()
    assert opened().trouble == ""


def test_starting_does_not_grow_with_the_games_behind_it(opened: Opener, tmp_path: Path) -> None:
    """After 300 games SQLite takes as many steps to start as after one, the depth of its tree aside."""
    _, entries = play(rulebook.opened()[0], chance_of(11), 60)
    steps: dict[int, int] = {}
    for games in (1, 300):
        journal = opened(tmp_path / str(games))
        journal.append(tuple(event for _ in range(games - 1) for event in (*rulebook.opened()[1], events.NightBegan())))
        journal.append(rulebook.opened()[1])
        for entry in entries:
            journal.append(entry)
        journal.close()
        steps[games] = 0

        def counting(*arguments: Any, games: int = games, **options: Any) -> sqlite3.Connection:
            def step() -> None:
                steps[games] += 1

            connection = sqlite3.connect(*arguments, **options)
            connection.set_progress_handler(step, 1)
            return connection

        opened(tmp_path / str(games), connect=counting).close()
    assert steps[1] > 500, "steps must have been counted"
    assert steps[300] <= steps[1] * 1.01


def test_settings_are_remembered(opened: Opener) -> None:
    """A small setting is there after a restart; one that was never made is None."""
    journal = opened()
    journal.remember("language", "pl")
    journal.remember("language", "it")
    journal.close()
    journal = opened()
    assert (journal.setting("language"), journal.setting("volume")) == ("it", None)


def test_a_clock_that_jumps_changes_nothing(opened: Opener, state: Path) -> None:
    """Wall time is for history: set back or forward by a day, the order of reports stays."""
    times = iter([datetime(2026, 1, 2, tzinfo=UTC) + timedelta(days=days) for days in (0, -1, 1, -30, 2)])
    journal = opened(now=lambda: next(times))
    journal.append(rulebook.opened()[1])
    for players in (6, 7, 8, 9):
        journal.append((events.PlayersSet(players),))
    journal.close()
    assert rulebook.replay(*opened().entries()).game.players == 9
    assert len({at for (at,) in rows_of(state, "SELECT at FROM entry")}) == 5


def test_a_journal_that_cannot_be_replayed_is_put_aside(
    opened: Opener, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where a rule cannot follow what the journal holds the box starts afresh, and says so without a word of it."""
    journal = opened()
    keep_a_game(journal)
    journal.append(rulebook.opened()[1])
    journal.append((events.PlayerRenamed(77, "Secretname"),))
    journal.close()
    journal = opened()
    evening = resume(journal, rulebook.opened)
    assert evening.step.steps() == 0
    (aside,) = state.glob("journal.unplayable-*.sqlite3")
    assert journal.note == (
        f"The journal could not be followed by this version and has been put aside as {aside.name}; "
        "the box begins anew."
    )
    assert "Secretname" not in caplog.text
    keep_a_game(journal)
    journal.close()
    assert opened().note == ""


def test_the_file_says_what_it_is(opened: Opener, state: Path) -> None:
    """Application id and version are in the header of the file, so that any tool can tell."""
    opened()
    assert rows_of(state, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert rows_of(state, "PRAGMA user_version") == [(VERSION,)]


def test_closing_twice_does_no_harm(opened: Opener) -> None:
    """A box may be ended from two sides; what comes after the end is not written and breaks nothing."""
    journal = opened()
    journal.append(rulebook.opened()[1])
    journal.close()
    journal.close()
    journal.append((events.PlayersSet(6),))
    assert len(opened().entries()) == 1


def rows_of(state: Path, asked: str) -> list[tuple[object, ...]]:
    """Ask the file itself."""
    connection = sqlite3.connect(state / FILE_NAME)
    try:
        return connection.execute(asked).fetchall()
    finally:
        connection.close()
