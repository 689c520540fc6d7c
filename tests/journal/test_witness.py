"""Reports that are gone from SQLite's log without a trace: the box says how many."""

from __future__ import annotations

import os
import shutil
import struct
from typing import TYPE_CHECKING

import pytest

from companion.game import evening as rulebook
from companion.game.vocabulary import Phase
from companion.journal import FILE_NAME, Journal, resume
from tests.journal.playing import chance_of, next_command, play

if TYPE_CHECKING:
    from pathlib import Path

    from companion.game.evening import Entry

WAL = f"{FILE_NAME}-wal"
HEADER, FRAME_HEADER = 32, 24


@pytest.fixture
def played(tmp_path: Path) -> tuple[Path, list[Entry]]:
    """A state directory as a plug that was pulled leaves it, and the entries of its one game."""
    state, pulled = tmp_path / "state", tmp_path / "pulled"
    journal = Journal.open(state)
    evening, opening = rulebook.opened()
    journal.append(opening)
    for entry in play(evening, chance_of(3), 20)[1]:
        journal.append(entry)
    kept = list(journal.entries())
    shutil.copytree(state, pulled)
    journal.close()
    return pulled, kept


def commits(log: bytes) -> list[int]:
    """Where each transaction of a log ends, in bytes."""
    page = struct.unpack(">I", log[8:12])[0]
    ends, at = [], HEADER
    while at + FRAME_HEADER + page <= len(log):
        size = struct.unpack(">I", log[at + 4 : at + 8])[0]
        at += FRAME_HEADER + page
        if size:
            ends.append(at)
    return ends


def test_a_log_that_was_cut_at_a_commit_is_noticed(played: tuple[Path, list[Entry]], tmp_path: Path) -> None:
    """At every commit in turn: what is left is played, and the sentence says how many reports are missing."""
    pulled, kept = played
    log = (pulled / WAL).read_bytes()
    ends = commits(log)
    assert len(ends) > 15
    noticed = 0
    for number, end in enumerate(ends[:-1]):
        state = tmp_path / f"cut {number}"
        shutil.copytree(pulled, state)
        os.truncate(state / WAL, end)
        journal = Journal.open(state)
        missing = len(kept) - len(journal.entries())
        assert journal.entries() == tuple(kept[: len(kept) - missing])
        if missing and journal.entries():
            noticed += 1
            words = "the last report of" if missing == 1 else f"the last {missing} reports of"
            assert words in journal.note
        else:
            assert not missing or "at least one game" in journal.note
        journal.close()
        again = Journal.open(state)
        assert again.note == "", "it is told once"
        again.close()
    assert noticed > 15


def test_a_log_that_is_gone_is_noticed(played: tuple[Path, list[Entry]]) -> None:
    """Also when all of it is missing, as after copying the one file that looks like the journal."""
    pulled, _ = played
    (pulled / WAL).unlink()
    (pulled / f"{FILE_NAME}-shm").unlink(missing_ok=True)
    journal = Journal.open(pulled)
    assert "lacks what was played last" in journal.note
    journal.close()


@pytest.mark.parametrize("witness", [None, b"", b"\0" * 64, b"9 9 1\n", b"not a witness at all", b"\xff" * 200])
def test_a_witness_that_is_no_use_accuses_nobody(played: tuple[Path, list[Entry]], witness: bytes | None) -> None:
    """Missing, empty, zeroed or foreign: the journal is believed."""
    pulled, kept = played
    place = pulled / "journal.head"
    place.unlink()
    if witness is not None:
        place.write_bytes(witness)
    journal = Journal.open(pulled)
    assert (journal.note, list(journal.entries())) == ("", kept)
    journal.close()


def test_an_older_witness_accuses_nobody(played: tuple[Path, list[Entry]], tmp_path: Path) -> None:
    """After a power cut the witness may be behind what was acknowledged: that says nothing."""
    pulled, kept = played
    state = tmp_path / "early"
    early = Journal.open(state)
    early.append(rulebook.opened()[1])
    early.close()
    shutil.copyfile(state / "journal.head", pulled / "journal.head")
    journal = Journal.open(pulled)
    assert (journal.note, list(journal.entries())) == ("", kept)
    journal.close()


def test_after_the_end_of_a_game_its_log_may_be_lost(tmp_path: Path) -> None:
    """A game that is over is in the database itself, whatever becomes of the log."""
    state, pulled = tmp_path / "state", tmp_path / "pulled"
    journal = Journal.open(state)
    evening = resume(journal, rulebook.opened)
    chance = chance_of(5)
    while evening.game.phase is not Phase.GAME_OVER:
        entry = rulebook.decide(evening, [next_command(evening, chance)])
        if entry:
            journal.append(entry)
            evening = rulebook.evolve(evening, entry)
    kept = journal.entries()
    shutil.copytree(state, pulled)
    journal.close()
    (pulled / WAL).unlink()
    lost = Journal.open(pulled)
    assert (lost.entries(), lost.note) == (kept, "")
    lost.close()


def test_a_quiet_moment_brings_the_log_into_the_database(tmp_path: Path) -> None:
    """What a table said before it went to the kitchen needs no log any more."""
    state, pulled = tmp_path / "state", tmp_path / "pulled"
    journal = Journal.open(state)
    evening = resume(journal, rulebook.opened)
    for entry in play(evening, chance_of(3), 10)[1]:
        journal.append(entry)
    journal.rest()
    kept = journal.entries()
    shutil.copytree(state, pulled)
    journal.close()
    (pulled / WAL).unlink()
    lost = Journal.open(pulled)
    assert (lost.entries(), lost.note) == (kept, "")
    lost.close()


def test_a_witness_holds_numbers_alone(played: tuple[Path, list[Entry]]) -> None:
    """Of the same length whatever was played, for this user alone."""
    place = played[0] / "journal.head"
    assert place.stat().st_size == 64
    assert place.stat().st_mode & 0o777 == 0o600
    assert set(place.read_text("ascii")) <= set("0123456789 \n")
