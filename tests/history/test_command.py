"""`companion history` as somebody types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from companion import cli
from companion.history import History
from companion.journal import Journal
from tests.history.playing import NAMES, play_games

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def box(tmp_path: Path) -> list[str]:
    """The options of a box on which three games were played."""
    journal = Journal.open(tmp_path / "state")
    play_games(journal, 3, NAMES[:5], "pl")
    journal.close()
    return ["--state-dir", str(tmp_path / "state"), "--cache-dir", str(tmp_path / "cache")]


def test_the_sums_add_up(box: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Who won, how, and at which seat; names only for whoever asks for them."""
    assert cli.main(["history", "--sums", *box]) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[1].split()[:2] == ["all", "3"]
    assert "5 players" in told
    assert "Ada" not in told
    assert all(len(line) < 80 for line in told.splitlines())
    assert cli.main(["history", "--sums", "--names", *box]) == 0
    assert "Ada" in capsys.readouterr().out


def test_a_game_is_replayed_in_the_words_that_its_table_heard(
    box: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Report by report to its end, in the table's language; by seats where no names are wanted."""
    assert cli.main(["history", "--game", "2", "--replay", *box]) == 0
    told = capsys.readouterr().out
    assert "Ada" not in told
    assert "Gracz 1" in told
    assert "wygr" in told.rsplit("\n\n", 1)[1].lower()
    assert cli.main(["history", "--game", "2", "--replay", "--names", *box]) == 0
    assert "Ada" in capsys.readouterr().out


def test_json_goes_to_standard_output(box: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """All games, or the one that is asked for."""
    assert cli.main(["history", "--json", *box]) == 0
    assert [game["number"] for game in json.loads(capsys.readouterr().out)["games"]] == [1, 2, 3]
    assert cli.main(["history", "--json", "--game", "3", *box]) == 0
    assert [game["number"] for game in json.loads(capsys.readouterr().out)["games"]] == [3]


@pytest.mark.parametrize("option", [["--replay"], ["--svg", "game.svg"]])
def test_what_is_about_one_game_wants_its_number(
    option: list[str], box: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A sentence says so."""
    assert cli.main(["history", *option, *box]) == 2
    assert "--game N" in capsys.readouterr().err


def test_a_name_and_a_game_are_taken_out(box: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each with one command, and said; a running box has its own button for it."""
    assert cli.main(["history", "--forget", "ada", *box]) == 0
    assert "Forgotten" in capsys.readouterr().out
    assert b"Ada" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert cli.main(["history", "--delete", "1", *box]) == 0
    assert cli.main(["history", "--delete", "9", *box]) == 1
    assert "not there" in capsys.readouterr().err
    assert len(History(tmp_path / "state", tmp_path / "cache").games()) == 2
    running = Journal.open(tmp_path / "state")
    assert cli.main(["history", "--forget", "Béla", *box]) == 1
    assert "already running" in capsys.readouterr().err
    running.close()
