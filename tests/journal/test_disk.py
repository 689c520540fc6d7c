from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from companion.game import evening as rulebook
from companion.game import events
from companion.journal import FILE_NAME, Journal, resume
from tests.journal.playing import chance_of, fingerprint, play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Opener = Callable[..., Journal]

FULL = "The disk is full: what happens from here on is forgotten when the box is switched off."
READ_ONLY = "The state directory cannot be written to: what happens is forgotten when the box is switched off."
FAILING = "The journal cannot be written: what happens from here on is forgotten when the box is switched off."


class FailingConnection(sqlite3.Connection):
    """A connection whose writes fail with the error that is set, as a disk would make them."""

    error: int | None = None

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        if FailingConnection.error is not None and sql.startswith(("INSERT", "BEGIN")):
            failure = sqlite3.OperationalError("as told by the test")
            failure.sqlite_errorcode = FailingConnection.error
            failure.sqlite_errorname = "SQLITE_TEST"
            raise failure
        return super().execute(sql, *parameters)


def failing(*arguments: Any, **options: Any) -> sqlite3.Connection:
    return sqlite3.connect(*arguments, factory=FailingConnection, **options)


@pytest.fixture
def disk() -> Iterator[type[FailingConnection]]:
    """The disk of this test; works until `error` is set."""
    FailingConnection.error = None
    yield FailingConnection
    FailingConnection.error = None


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (sqlite3.SQLITE_FULL, FULL),
        (sqlite3.SQLITE_READONLY, READ_ONLY),
        (sqlite3.SQLITE_CANTOPEN, READ_ONLY),
        (sqlite3.SQLITE_IOERR, FAILING),
    ],
)
def test_the_game_goes_on_while_the_disk_fails(
    opened: Opener, disk: type[FailingConnection], error: int, said: str
) -> None:
    """While writing fails `trouble` is one sentence; once it works again everything is there, in its order."""
    journal = opened(connect=failing)
    evening = resume(journal, rulebook.opened)
    after, entries = play(evening, chance_of(5), 90)
    for place, entry in enumerate(entries):
        disk.error = error if 30 <= place < 60 else None
        journal.append(entry)
        assert journal.trouble == (said if 30 <= place < 60 else "")
    journal.close()
    assert fingerprint(resume(opened(), rulebook.opened)) == fingerprint(after)


def test_what_could_not_be_written_is_tried_once_more_at_the_end(opened: Opener, disk: type[FailingConnection]) -> None:
    """A disk that works again when the box is shut down still gets everything."""
    journal = opened(connect=failing)
    journal.append(rulebook.opened()[1])
    disk.error = sqlite3.SQLITE_FULL
    journal.append((events.PlayersSet(9),))
    disk.error = None
    journal.close()
    assert len(opened().entries()) == 2


def test_games_that_pass_in_memory_are_written_when_the_disk_is_back(
    opened: Opener, state: Path, disk: type[FailingConnection]
) -> None:
    """Whole games that were played while the disk was full become games of the journal, each its own."""
    journal = opened(connect=failing)
    disk.error = sqlite3.SQLITE_FULL
    for players in (5, 6, 7):
        journal.append(rulebook.opened(players)[1])
        journal.append((events.NightBegan(),))
    disk.error = None
    journal.append((events.NightEnded(),))
    journal.close()
    connection = sqlite3.connect(state / FILE_NAME)
    assert connection.execute("SELECT game, count(*) FROM entry GROUP BY game").fetchall() == [(1, 2), (2, 2), (3, 3)]
    connection.close()


def test_a_file_found_damaged_while_playing_is_put_aside(
    opened: Opener, state: Path, disk: type[FailingConnection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damage that shows only when writing costs nothing of the running game: it is written into a fresh file."""
    journal = opened(connect=failing)
    evening = resume(journal, rulebook.opened)
    after, entries = play(evening, chance_of(6), 40)
    for entry in entries[:-1]:
        journal.append(entry)
    disk.error = sqlite3.SQLITE_CORRUPT
    move_away = journal._move_away

    def mend(kind: str) -> str:
        disk.error = None
        return move_away(kind)

    monkeypatch.setattr(journal, "_move_away", mend)
    journal.append(entries[-1])
    assert (journal.trouble, "has been put aside" in journal.note) == ("", True)
    assert len(list(state.glob("journal.corrupt-*.sqlite3"))) == 1
    journal.close()
    assert fingerprint(resume(opened(), rulebook.opened)) == fingerprint(after)


def test_a_state_directory_that_disappears_is_made_again(opened: Opener, state: Path) -> None:
    """Somebody who deletes the directory under a running box loses the past, not the running game."""
    journal = opened()
    journal.append(rulebook.opened()[1])
    journal.remember("language", "nb")
    evening, entries = play(resume(journal, rulebook.opened), chance_of(7), 40)
    for entry in entries[:20]:
        journal.append(entry)
    shutil.rmtree(state)
    for entry in entries[20:]:
        journal.append(entry)
        assert journal.trouble == ""
    journal.close()
    journal = opened()
    assert fingerprint(resume(journal, rulebook.opened)) == fingerprint(evening)
    assert journal.setting("language") == "nb"


def test_a_place_that_is_no_directory_is_trouble_and_no_end(opened: Opener, tmp_path: Path) -> None:
    """A state directory that cannot be made leaves the box without a memory, and running."""
    (tmp_path / "file").write_text("in the way")
    journal = opened(tmp_path / "file" / "state")
    assert resume(journal, rulebook.opened).game.phase == "lobby"
    assert journal.trouble == READ_ONLY
    journal.remember("language", "pl")
    assert journal.setting("language") == "pl"


def test_no_file_may_be_opened_any_more(opened: Opener, state: Path) -> None:
    """Out of file descriptors the game goes on in memory, and is written when there are some again."""
    resource = pytest.importorskip("resource")
    journal = opened()
    journal.append(rulebook.opened()[1])
    journal._drop_connection()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
        journal.append((events.PlayersSet(6),))
        assert journal.trouble
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    journal.append((events.PlayersSet(7),))
    assert journal.trouble == ""
    journal.close()
    assert len(opened().entries()) == 3
    assert state.is_dir()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    asked = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("only an administrator may mount a file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_fills_up(opened: Opener, small_disk: Path) -> None:
    """On a disk that is really full the game goes on; what was acknowledged before stays, the rest comes later."""
    journal = opened(small_disk / "state")
    evening = resume(journal, rulebook.opened)
    ballast = small_disk / "ballast"
    evening, entries = play(evening, chance_of(8), 300)
    told = []
    for place, entry in enumerate(entries):
        if place == 20:
            _fill(ballast)
        if place == 280:
            ballast.unlink()
        journal.append(entry)
        told.append(journal.trouble)
    assert set(told[:20]) == {""}
    assert FULL in told
    assert told[279] == FULL
    assert told[-1] == ""
    journal.close()
    assert fingerprint(resume(opened(small_disk / "state"), rulebook.opened)) == fingerprint(evening)


def _fill(file: Path) -> None:
    with file.open("wb", buffering=0) as ballast:
        for size in (65536, 4096, 1):
            try:
                while True:
                    ballast.write(b"\0" * size)
            except OSError:
                continue


def test_a_full_disk_at_the_start(opened: Opener, small_disk: Path) -> None:
    """A box that starts on a full disk plays, says so, and remembers once there is room."""
    ballast = small_disk / "ballast"
    _fill(ballast)
    journal = opened(small_disk / "state")
    evening = resume(journal, rulebook.opened)
    assert journal.trouble in {FULL, FAILING}
    ballast.unlink()
    evening, entries = play(evening, chance_of(9), 5)
    for entry in entries:
        journal.append(entry)
    assert journal.trouble == ""
    journal.close()
    assert fingerprint(resume(opened(small_disk / "state"), rulebook.opened)) == fingerprint(evening)


@pytest.mark.parametrize("killed", [False, True])
def test_a_read_only_disk(opened: Opener, small_disk: Path, killed: bool) -> None:
    """On a disk that became read-only the box goes on where the table was, and says that it will not remember."""
    state = small_disk / "state"
    script = (
        "import sys, os; sys.path[:0] = sys.argv[3:]; from pathlib import Path; from companion.journal import *\n"
        "from companion.game import evening, events; journal = Journal.open(Path(sys.argv[1]))\n"
        "journal.append(evening.opened(8)[1]); journal.append((events.NightBegan(),))\n"
        "os._exit(0) if sys.argv[2] == 'True' else journal.close()"
    )
    subprocess.run([sys.executable, "-c", script, str(state), str(killed), *sys.path], check=True)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    journal = opened(state)
    evening = resume(journal, rulebook.opened)
    assert (evening.game.players, evening.game.phase, journal.trouble) == (8, "night", READ_ONLY)
    journal.append((events.NightEnded(),))
    assert journal.trouble == READ_ONLY
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    journal.append((events.GameBegan(3),))
    assert journal.trouble == ""
    journal.close()
    journal = opened(state)
    assert rulebook.replay(*journal.entries()).game.president == 3
    assert len(journal.entries()) == 4


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="modes do not bind an administrator")
def test_a_directory_without_permission(opened: Opener, state: Path) -> None:
    """A directory that may not be written to is trouble from the start."""
    state.mkdir(mode=0o500)
    assert opened().trouble == READ_ONLY
