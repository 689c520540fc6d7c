"""What finished games come to, read once and kept; and a name or a game that is taken out of all of it."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from companion.game import commands
from companion.game.vocabulary import Party, Role
from companion.history import History, kept, past_games, sums
from companion.history.summary import Record, Score, summary_of
from companion.journal import FILE_NAME, FORGOTTEN, Journal, reading
from tests.history.playing import NAMES, keep, play, play_games, sit_down

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state directory."""
    return tmp_path / "state"


@pytest.fixture
def journal(state: Path) -> Iterator[Journal]:
    """The journal of a box that is running."""
    opened = Journal.open(state)
    yield opened
    opened.close()


@pytest.fixture
def history(state: Path, tmp_path: Path) -> History:
    """What is kept of it."""
    return History(state, tmp_path / "cache")


def test_what_is_kept_is_what_the_journal_says(journal: Journal, history: History, state: Path) -> None:
    """Every game that is over, the newest first, with who was what; not the lobby, nor the game that is running."""
    evening = play_games(journal, 5)
    evening = keep(journal, evening, commands.OpenLobby())
    keep(journal, evening, commands.DealRoles((Role.LIBERAL,) * 4 + (Role.FASCIST,) * 2 + (Role.HITLER,)))
    with reading(state / FILE_NAME) as connection:
        told = [summary for game in past_games(connection) if (summary := summary_of(game))]
    assert len(told) == 5
    assert history.games() == told[::-1]
    assert [game.number for game in history.games()] == [5, 4, 3, 2, 1]
    assert all(game.names == NAMES[:7] for game in told)


def test_each_game_is_read_once(journal: Journal, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a game only that one is played again; a running game is not, after each of its reports."""
    read: list[int] = []
    real = kept.game_of
    monkeypatch.setattr(kept, "game_of", lambda *asked: read.append(asked[1]) or real(*asked))
    evening = play_games(journal, 3)
    history.catch_up()
    assert len(read) == 3
    history.catch_up()
    assert len(read) == 3
    evening = play(journal, evening, seed=9)
    history.catch_up()
    assert len(read) == 4
    assert len(history.games()) == 4


def test_an_end_that_is_taken_back_is_no_end(journal: Journal, history: History) -> None:
    """A game that goes on after its end was taken back leaves the list, and comes back with its new end."""
    evening = play_games(journal, 1)
    assert len(history.games()) == 1
    evening = keep(journal, evening, commands.TakeBack())
    assert history.games() == []
    keep(journal, evening, commands.Redo())
    assert len(history.games()) == 1


def test_a_cache_that_is_gone_or_broken_costs_nothing_but_time(
    journal: Journal, history: History, tmp_path: Path
) -> None:
    """It is worked out anew from the journal."""
    play_games(journal, 2)
    before = history.games()
    (tmp_path / "cache" / kept.KEPT_NAME).unlink()
    assert history.games() == before
    (tmp_path / "cache" / kept.KEPT_NAME).write_bytes(b"no database at all" * 100)
    assert history.games() == before


def test_a_box_without_games_has_none(history: History, tmp_path: Path) -> None:
    """No journal, no games, no names, no error, and nothing that is made where nobody played."""
    assert history.games() == []
    assert history.names() == []
    assert history.game(1) is None
    assert list(tmp_path.iterdir()) == []


def test_whoever_sits_down_waits_for_no_disk(
    journal: Journal, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names are those that were read before: while a long history is read there are none yet, and nobody waits."""
    play_games(journal, 2)
    assert history.names() == []
    reads, goes_on = threading.Event(), threading.Event()
    real = kept.game_of

    def slowly(*asked: Any) -> Any:
        reads.set()
        assert goes_on.wait(20)
        return real(*asked)

    monkeypatch.setattr(kept, "game_of", slowly)
    reading_on = threading.Thread(target=history.catch_up)
    reading_on.start()
    assert reads.wait(20)
    assert history.names() == []
    goes_on.set()
    reading_on.join(20)
    assert history.names() == list(NAMES[:7])


def test_a_game_is_found_by_its_number(journal: Journal, history: History) -> None:
    """The number is that of the list; one that is not over is not told."""
    evening = sit_down(journal, NAMES[:5])
    evening = play(journal, evening, 3)
    evening = play(journal, evening, 4)
    found = history.game(2)
    assert found is not None
    assert found.evening is not None
    assert found.evening.game == evening.game
    evening = keep(journal, evening, commands.OpenLobby())
    keep(journal, evening, commands.DealRoles((Role.LIBERAL,) * 3 + (Role.FASCIST, Role.HITLER)))
    assert history.game(3) is None
    assert history.game(0) is None


def test_sums_count_what_was_won(journal: Journal, history: History) -> None:
    """Wins by team and number of players, ends, and what everybody was, add up to the games."""
    play_games(journal, 6)
    play_games(journal, 4, NAMES[:5], "pl")
    games = history.games()
    told = sums(games)
    assert told.all.games == 10 == told.all.liberal + told.all.fascist == sum(told.endings.values())
    assert {players: score.games for players, score in told.by_players.items()} == {5: 4, 7: 6}
    assert {code: score.games for code, score in told.by_language.items()} == {"en": 6, "pl": 4}
    ada = told.by_name["Ada"]
    assert ada.games == 10 == ada.liberal + ada.fascist + ada.hitler
    assert ada.won == sum(game.roles[0].party is game.winner for game in games)
    assert told.by_name["Gus"].games == 6
    assert sum(of.won for of in told.by_seat.values()) == sum(
        [role.party for role in game.roles].count(game.winner or Party.LIBERAL) for game in games
    )
    assert sums([]).all == Score()
    assert sums([]).median_minutes is None
    assert isinstance(ada, Record)


def _bytes_of(*folders: Path) -> bytes:
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("name", ["Ada", "Béla", "Zoë", "Даша", "Eva-Maria"])
def test_a_name_that_is_forgotten_leaves_no_byte(
    name: str, running: bool, journal: Journal, history: History, state: Path, tmp_path: Path
) -> None:
    """Not in the journal, its log, a damaged file that was put aside, nor in what is kept; the games are the same."""
    evening = sit_down(journal, NAMES[:7])
    spelled = next(player.id for player in evening.seating.players if player.name == name)
    other = next(player.id for player in evening.seating.players if player.name != name)
    evening = keep(
        journal, evening, commands.SpellName(spelled, "As it sounds"), commands.SpellName(other, "Elsewhere")
    )
    for deal in range(4):
        evening = play(journal, evening, deal)
    evening = keep(journal, evening, commands.OpenLobby())
    evening = keep(journal, evening, commands.SpellName(spelled, "As it sounds now"))
    left = [player for player in evening.seating.players if player.name == name]
    evening = keep(journal, evening, commands.RemovePlayer(left[0].id))
    before = history.games()
    (state / "journal.corrupt-20260101-000000.sqlite3").write_bytes(name.encode() + json.dumps(name).encode())
    written = (name.encode(), json.dumps(name).strip('"').encode(), b"As it sounds")
    assert any(each in _bytes_of(state, tmp_path / "cache") for each in written)
    if not running:
        journal.close()
        journal = Journal.open(state)
    assert history.forget(journal, name.upper())
    assert not any(each in _bytes_of(state, tmp_path / "cache") for each in written)
    assert name not in history.names()
    assert b"Elsewhere" in _bytes_of(state, tmp_path / "cache")
    after = history.games()
    assert [game.names.count(FORGOTTEN) for game in after] == [1, 1, 1, 1]
    assert [(game.roles, game.reason, game.began_at) for game in after] == [
        (game.roles, game.reason, game.began_at) for game in before
    ]
    # The box goes on, and the next start finds all of it sound.
    keep(journal, evening, commands.TakeSeat("Newcomer", "a claim"))
    assert journal.trouble == ""
    journal.close()
    again = Journal.open(state)
    assert again.note == ""
    assert len(again.entries()) == 4
    again.close()
    assert History(state, tmp_path / "other").games() == after


def test_a_name_counts_as_gone_only_when_its_last_byte_is(
    journal: Journal, history: History, state: Path, tmp_path: Path
) -> None:
    """While somebody reads the file the log keeps what was there before, and the box does not claim otherwise."""
    play_games(journal, 2)
    history.catch_up()
    with reading(state / FILE_NAME) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entry").fetchone()
        assert not history.forget(journal, "Ada")
    assert history.forget(journal, "Ada")
    assert b"Ada" not in _bytes_of(state, tmp_path / "cache")


def test_a_game_that_is_deleted_is_gone(journal: Journal, history: History, state: Path, tmp_path: Path) -> None:
    """Those after it move up; the one on which the box goes on is not deleted."""
    evening = sit_down(journal, ("Only", "Ones", "Who", "Played", "First"))
    play(journal, evening, 1)
    play_games(journal, 2)
    first = history.games()[-1]
    assert first.names[0] == "Only"
    assert history.delete(journal, 1)
    assert [game.names[0] for game in history.games()] == ["Ada", "Ada"]
    assert [game.number for game in history.games()] == [2, 1]
    assert b"Played" not in _bytes_of(state, tmp_path / "cache")
    assert not history.delete(journal, 2)
    assert not history.delete(journal, 7)
    assert len(history.games()) == 2


def test_reports_are_kept_while_a_name_is_forgotten(journal: Journal, history: History) -> None:
    """Between two games the journal takes a report, so that a press waits for one game at most."""
    evening = play_games(journal, 3)
    kept_meanwhile: list[bool] = []
    real = Journal._forget_in

    def slowly(self: Journal, *asked: object) -> None:
        real(self, *asked)  # type: ignore[arg-type]
        kept_meanwhile.append(True)

    try:
        Journal._forget_in = slowly  # type: ignore[method-assign, assignment]
        assert history.forget(journal, "Ada")
    finally:
        Journal._forget_in = real  # type: ignore[method-assign]
    assert len(kept_meanwhile) == 3
    keep(journal, evening, commands.TakeBack())
    assert journal.trouble == ""


def test_a_game_begins_with_its_deal_and_not_with_the_lobby(state: Path, tmp_path: Path) -> None:
    """A box that stood in its lobby for a week has played no game of a week."""
    now = datetime(2026, 1, 3, 19, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal now
        now += timedelta(seconds=30)
        return now

    journal = Journal.open(state, now=clock)
    evening = sit_down(journal, NAMES[:5])
    now += timedelta(days=7)
    evening = play(journal, evening)
    evening = keep(journal, evening, commands.OpenLobby())
    now += timedelta(days=7)
    play(journal, evening)
    journal.close()
    games = History(state, tmp_path / "cache").games()
    assert len(games) == 2
    assert all(0 < game.minutes < 120 for game in games)
    assert [game.began_at[:10] for game in games] == ["2026-01-17", "2026-01-10"]
