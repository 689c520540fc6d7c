from __future__ import annotations

import logging
import re
import shutil
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from companion.game import evening as rulebook
from companion.game import events
from companion.journal import FILE_NAME, VERSION, Journal, resume
from tests.journal.playing import chance_of, fingerprint, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from companion.game.evening import Entry, Evening

    Opener = Callable[..., Journal]

NOON = datetime(2026, 5, 4, 12, 0, 1, tzinfo=UTC)
WAL = f"{FILE_NAME}-wal"


def write_game(state: Path, *, reports: int = 40) -> list[Entry]:
    """Leave a journal with one game before the running one, closed in order."""
    journal = Journal.open(state)
    for seed in (1, 2):
        evening, opening = rulebook.opened()
        journal.append(opening)
        for entry in play(evening, chance_of(seed), reports)[1]:
            journal.append(entry)
    kept = list(journal.entries())
    journal.close()
    return kept


def write_game_with_log(state: Path, *, reports: int = 40) -> list[Entry]:
    """Leave a journal as a plug that was pulled leaves it: the newest reports are in SQLite's log alone."""
    journal = Journal.open(state)
    evening, opening = rulebook.opened()
    journal.append(opening)
    for entry in play(evening, chance_of(3), reports)[1]:
        journal.append(entry)
    kept = list(journal.entries())
    copy = state.with_name("pulled")
    copy.mkdir()
    for name in (FILE_NAME, WAL):
        shutil.copyfile(state / name, copy / name)
    journal.close()
    shutil.rmtree(state)
    copy.rename(state)
    return kept


def asides(state: Path) -> list[Path]:
    return sorted(state.glob("journal.*-*.sqlite3"))


def points(entries: list[Entry]) -> list[str]:
    """The fingerprint of the evening after each of its reports."""
    return [fingerprint(rulebook.replay(*entries[:count])) for count in range(1, len(entries) + 1)]


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0", b"\0" * 9000])
def test_what_is_no_journal_is_put_aside(opened: Opener, state: Path, content: bytes) -> None:
    """A file that SQLite cannot read is kept under a new name; an empty one is what a cut at the first start leaves."""
    state.mkdir()
    (state / FILE_NAME).write_bytes(content)
    journal = opened(now=lambda: NOON)
    assert journal.entries() == ()
    assert journal.trouble == ""
    if content:
        assert journal.note == (
            "The journal was damaged and has been put aside as journal.corrupt-20260504-120001.sqlite3; "
            "the box begins anew."
        )
        assert asides(state)[0].read_bytes() == content
    else:
        assert (journal.note, asides(state)) == ("", [])


def test_nothing_that_was_put_aside_is_overwritten(opened: Opener, state: Path) -> None:
    """Two files put aside within a second get two names."""
    state.mkdir()
    for content in (b"first", b"second", b"third"):
        (state / FILE_NAME).write_bytes(content)
        opened(now=lambda: NOON).close()
    assert {path.name: path.read_bytes() for path in asides(state)} == {
        "journal.corrupt-20260504-120001.sqlite3": b"first",
        "journal.corrupt-20260504-120001-2.sqlite3": b"second",
        "journal.corrupt-20260504-120001-3.sqlite3": b"third",
    }


def test_another_programs_database_is_put_aside_unchanged(opened: Opener, state: Path) -> None:
    """A database that is not ours is not written into."""
    state.mkdir()
    connection = sqlite3.connect(state / FILE_NAME)
    connection.executescript("CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('Lili Marleen');")
    connection.close()
    journal = opened(now=lambda: NOON)
    assert journal.note == (
        "A file of another program was in the place of the journal and has been put aside as "
        "journal.foreign-20260504-120001.sqlite3; the box begins anew."
    )
    connection = sqlite3.connect(asides(state)[0])
    assert connection.execute("SELECT title FROM song").fetchall() == [("Lili Marleen",)]
    connection.close()


def test_a_directory_in_the_place_of_the_file_is_put_aside(opened: Opener, state: Path) -> None:
    """Whatever stands where the journal belongs, the box starts."""
    (state / FILE_NAME).mkdir(parents=True)
    journal = opened()
    assert "has been put aside" in journal.note
    assert journal.trouble == ""


def test_a_newer_journal_is_put_aside(opened: Opener, state: Path) -> None:
    """A version from the future is not guessed at: it is kept for the program that wrote it."""
    write_game(state)
    connection = sqlite3.connect(state / FILE_NAME)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    journal = opened(now=lambda: NOON)
    assert journal.note == (
        "The journal was written by a newer version of this program and has been put aside as "
        "journal.newer-20260504-120001.sqlite3; the box begins anew."
    )
    assert journal.entries() == ()


def test_a_row_that_disappeared_is_noticed(opened: Opener, state: Path) -> None:
    """A running game that lacks its last report is not taken for whole; what is left of it is played on."""
    entries = write_game(state)
    connection = sqlite3.connect(state / FILE_NAME)
    connection.execute(
        "DELETE FROM entry WHERE game = 2 AND sequence = (SELECT max(sequence) FROM entry WHERE game = 2)"
    )
    connection.commit()
    connection.close()
    journal = opened()
    assert journal.note.endswith("the game goes on from what could be read.")
    assert list(journal.entries()) == entries[:-1]


def test_what_could_be_read_survives_in_the_fresh_file(opened: Opener, state: Path) -> None:
    """After damage the readable beginning of the running game is the beginning of the fresh journal, for good."""
    entries = write_game(state)
    change_text(state, sequence=6)
    journal = opened()
    assert list(journal.entries()) == entries[:5]
    journal.append((events.ReportTakenBack(),))
    journal.close()
    journal = opened()
    assert (list(journal.entries()), journal.note) == ([*entries[:5], (events.ReportTakenBack(),)], "")


def test_a_damaged_setting_counts_as_never_made(opened: Opener, state: Path) -> None:
    """A setting whose checksum fails is not believed."""
    journal = opened()
    journal.remember("language", "en")
    journal.remember("volume", "7")
    journal.close()
    connection = sqlite3.connect(state / FILE_NAME)
    connection.execute("UPDATE meta SET value = 'eo' WHERE key = 'language'")
    connection.commit()
    connection.close()
    journal = opened()
    assert (journal.setting("language"), journal.setting("volume")) == (None, "7")


@pytest.mark.parametrize("place", range(-9000, 0, 450))
def test_no_word_of_the_game_gets_into_a_message(
    opened: Opener, state: Path, caplog: pytest.LogCaptureFixture, place: int
) -> None:
    """Whatever is damaged, notes and log lines name files and kinds of errors, and nothing that was played."""
    caplog.set_level(logging.DEBUG)
    write_game(state)
    content = bytearray((state / FILE_NAME).read_bytes())
    content[place : place + 40] = b"?" * 40
    (state / FILE_NAME).write_bytes(content)
    journal = opened()
    said = f"{caplog.text} {journal.note} {journal.trouble} {journal!r} {journal._running!r}"
    assert not re.search(r"Player|Renamed|claim|hitler|event", said)


def test_a_torn_last_page_is_noticed(state: Path) -> None:
    """A file whose last page did not reach the disk whole is put aside, never half believed."""
    entries = write_game(state, reports=60)
    file = state / FILE_NAME
    whole = file.read_bytes()
    known = points(entries)
    for cut in (1, 2048, 4095, 4096, 6000):
        file.write_bytes(whole[:-cut])
        assert is_told_or_intact(state, known)


@pytest.mark.parametrize("zeros", [512, 2048, 4096])
def test_a_last_page_of_zeros_is_noticed(state: Path, zeros: int) -> None:
    """A page that the disk lost and gives back as zeros is noticed."""
    entries = write_game(state, reports=60)
    file = state / FILE_NAME
    file.write_bytes(file.read_bytes()[:-zeros] + b"\0" * zeros)
    assert is_told_or_intact(state, points(entries))


def test_a_cut_log_is_told(opened: Opener, state: Path) -> None:
    """A log that ends within a report, as a pulled plug leaves it, gives all reports but that one, and a sentence."""
    entries = write_game_with_log(state)
    log = state / WAL
    log.write_bytes(log.read_bytes()[:-100])
    journal = opened()
    assert journal.note == "The box was stopped while it was writing: check whether the last report is there."
    assert list(journal.entries()) == entries[:-1]


def test_an_emptied_file_beside_a_log_is_put_aside(opened: Opener, state: Path) -> None:
    """A file that was cut to nothing is put aside with its log, which SQLite alone would delete."""
    write_game_with_log(state)
    log = (state / WAL).read_bytes()
    (state / FILE_NAME).write_bytes(b"")
    assert "was damaged" in opened().note
    (aside,) = asides(state)
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == log


@pytest.mark.parametrize("start", range(8))
def test_no_flipped_bit_goes_unnoticed(state: Path, start: int) -> None:
    """A flipped bit anywhere in the file leaves the running game as it was, or is told; the box always starts."""
    entries = write_game(state)
    flip_through(state, FILE_NAME, points(entries), start, stride=97)


def test_a_bit_that_leads_the_next_report_astray_is_noticed_at_once(state: Path) -> None:
    """A number of an older game that became wider is not read at the start, but SQLite finds its way by it."""
    entries = write_game(state)
    known, files = points(entries), {path: path.read_bytes() for path in state.iterdir()}
    content = files[state / FILE_NAME]
    # One byte of a number becomes six: what SQLite's record says of the width of a column.
    for place in (at for at, byte in enumerate(content) if byte == 1):
        flipped = bytearray(content)
        flipped[place] ^= 4
        shutil.rmtree(state)
        state.mkdir()
        for path, whole in files.items():
            path.write_bytes(flipped if path.name == FILE_NAME else whole)
        assert is_told_or_intact(state, known), f"byte {place}"


@pytest.mark.parametrize("start", range(8))
def test_no_flipped_bit_in_the_log_goes_unnoticed(state: Path, start: int) -> None:
    """The same of SQLite's log, which holds the newest reports after a pulled plug."""
    entries = write_game_with_log(state, reports=12)
    flip_through(state, WAL, points(entries), start, stride=397)


def flip_through(state: Path, name: str, known: list[str], start: int, *, stride: int) -> None:
    files = {path: path.read_bytes() for path in state.iterdir()}
    content = files[state / name]
    for place in range(start * stride, len(content), 8 * stride):
        flipped = bytearray(content)
        flipped[place] ^= 1 << (place // stride + start) % 8
        shutil.rmtree(state)
        state.mkdir()
        for path, whole in files.items():
            path.write_bytes(flipped if path.name == name else whole)
        assert is_told_or_intact(state, known), f"byte {place}"


def is_told_or_intact(state: Path, known: list[str]) -> bool:
    """Start a box and go on playing: the running game is whole, or what is left of it is told."""
    journal = Journal.open(state)
    try:
        evening: Evening = resume(journal, rulebook.opened)
        found = fingerprint(evening)
        fresh = journal.note.endswith("the box begins anew.") and found == fingerprint(rulebook.opened()[0])
        assert found in known or fresh, "what is left is a beginning of the game, and nothing else"
        assert journal.trouble == ""
        entry = (events.LanguageChosen("it"),)
        journal.append(entry)
        assert journal.trouble == ""
        told = bool(journal.note)
    finally:
        journal.close()
    after = Journal.open(state)
    try:
        assert fingerprint(resume(after, rulebook.opened)) == fingerprint(rulebook.evolve(evening, entry))
    finally:
        after.close()
    return told or found == known[-1]


def change_text(state: Path, *, sequence: int) -> None:
    connection = sqlite3.connect(state / FILE_NAME)
    connection.execute("UPDATE entry SET events = events || ' ' WHERE game = 2 AND sequence = ?", (sequence,))
    connection.commit()
    connection.close()
