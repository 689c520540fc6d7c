from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from companion.commands import history
from companion.commands.history import command as reading_command
from companion.game import commands
from companion.game import evening as rulebook
from companion.game.seating import Seating
from companion.game.vocabulary import Policy, Role
from companion.journal import FILE_NAME, Journal

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.commands import Command
    from companion.game.evening import Evening

    Opener = Callable[..., Journal]

ROLES = (Role.LIBERAL, Role.HITLER, Role.LIBERAL, Role.FASCIST, Role.LIBERAL)
NAMES = ["Ada", "Béla", "Cyd", "Dov", "Eva"]
A_LIBERAL_POLICY = (commands.Vote(elected=True), commands.EnactPolicy(Policy.LIBERAL))


def keep(journal: Journal, evening: Evening, *report: Command) -> Evening:
    for command in report:
        entry = rulebook.decide(evening, [command])
        journal.append(entry)
        evening = rulebook.evolve(evening, entry)
    return evening


def begin(journal: Journal, language: str = "en") -> Evening:
    """Seat five people, deal them roles and hold the night."""
    evening, opening = rulebook.opened(seating=Seating(language=language))
    journal.append(opening)
    evening = keep(journal, evening, *(commands.TakeSeat(name, claim=f"claim of {name}") for name in NAMES))
    night = (commands.BeginNight(regardless=True), commands.EndNight(), commands.BeginGame(1))
    return keep(journal, evening, commands.DealRoles(ROLES), *night)


def win(journal: Journal, evening: Evening) -> Evening:
    return keep(journal, evening, *A_LIBERAL_POLICY * 5)


def export(state: Path, tmp_path: Path, *, names: bool = False) -> tuple[list[dict[str, Any]], str]:
    file = tmp_path / "games.json"
    assert history.run(state, file, names=names) == 0
    text = file.read_text("utf-8")
    return json.loads(text)["games"], text


def test_the_games_of_a_service_are_read_by_whoever_may(
    state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's state directory is told in a sentence, with the command that reads it."""

    def closed(_path: Path) -> Any:
        raise PermissionError

    monkeypatch.setattr(reading_command, "reading", closed)
    assert history.run(state) == 1
    assert "sudo companion history" in capsys.readouterr().err


def test_a_new_box_has_no_games(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a journal, history says so, makes none, and has not failed."""
    assert history.run(state) == 0
    assert capsys.readouterr().out == "No game has been played on this box yet.\n"
    assert not state.exists()


def test_games_are_listed_while_the_box_is_running(
    opened: Opener, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every game that left the lobby has a line: when, how many, which language, who won and why."""
    journal = opened()
    win(journal, begin(journal))
    journal.append(rulebook.opened()[1])  # a lobby that nobody played in
    begin(journal, "pl")
    assert history.run(state) == 0
    title, first, second = capsys.readouterr().out.splitlines()
    assert title.split() == ["game", "began", "players", "language", "winner", "how"]
    assert first.split()[0] == "1"
    assert first.split()[3:] == ["5", "en", "Liberals", "five", "Liberal", "policies"]
    assert second.split()[0] == "2"
    assert second.split()[3:] == ["5", "pl", "unfinished"]
    journal.append(rulebook.opened()[1])
    assert journal.trouble == ""


@pytest.mark.parametrize("closed", [False, True])
def test_history_changes_nothing_in_the_state_directory(opened: Opener, state: Path, closed: bool) -> None:
    """Whether the box is running or not, looking leaves every file as it was."""
    journal = opened()
    begin(journal)
    if closed:
        journal.close()
    before = {path.name: path.read_bytes() for path in state.iterdir() if not path.name.endswith("-shm")}
    assert history.run(state) == 0
    assert {path.name: path.read_bytes() for path in state.iterdir() if not path.name.endswith("-shm")} == before


def test_a_log_without_its_index_is_read(opened: Opener, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a pulled plug leaves, the newest reports in the log alone, is in the history."""
    journal = opened()
    begin(journal)
    pulled = state.with_name("pulled")
    pulled.mkdir()
    for name in (FILE_NAME, f"{FILE_NAME}-wal"):
        shutil.copyfile(state / name, pulled / name)
    assert history.run(pulled) == 0
    assert "unfinished" in capsys.readouterr().out
    assert (pulled / f"{FILE_NAME}-wal").read_bytes() == (state / f"{FILE_NAME}-wal").read_bytes()


def test_a_running_game_keeps_its_roles(opened: Opener, state: Path, tmp_path: Path) -> None:
    """An export holds no role of a game that is not over, in no field and no event."""
    journal = opened()
    begin(journal)
    (game,), text = export(state, tmp_path, names=True)
    assert (game["finished"], game["roles"], game["winner"]) == (False, None, None)
    assert {"event": "RolesDealt"} in [event for report in game["reports"] for event in report["events"]]
    assert "hitler" not in text.replace("hitler_", "").lower()


def test_two_deals_of_a_running_game_give_one_export(opened: Opener, tmp_path: Path) -> None:
    """Two running games that differ in their secrets alone are exported alike, times aside."""
    texts = []
    for deal in (ROLES, ROLES[::-1]):
        place = tmp_path / f"box {len(texts)}"
        journal = opened(place)
        evening, opening = rulebook.opened()
        journal.append(opening)
        evening = keep(journal, evening, *(commands.TakeSeat(name, claim=str(deal)) for name in NAMES[:1]))
        evening = keep(journal, evening, *(commands.AddSharedSeat(name, 1) for name in NAMES[1:]))
        night = (commands.BeginNight(regardless=True), commands.EndNight(), commands.BeginGame(1))
        keep(journal, evening, commands.DealRoles(deal), *night, *A_LIBERAL_POLICY)
        (game,), _ = export(place, tmp_path, names=True)
        for report in (game, *game["reports"]):
            report.pop("at", None)
            report.pop("began_at", None)
        texts.append(json.dumps(game))
    assert texts[0] == texts[1]


def test_a_finished_game_shows_its_roles(opened: Opener, state: Path, tmp_path: Path) -> None:
    """After a game is over its roles are no secret; they are exported once, by seat."""
    journal = opened()
    win(journal, begin(journal))
    (game,), _ = export(state, tmp_path)
    assert game["roles"] == list(ROLES)
    assert (game["winner"], game["reason"], game["players"]) == ("liberal", "liberal_policies", 5)
    assert game["began_at"] <= game["ended_at"] == game["reports"][-1]["at"]


def test_a_win_that_was_taken_back_is_a_running_game_again(opened: Opener, state: Path, tmp_path: Path) -> None:
    """A game that was over by mistake and is played on keeps its secrets."""
    journal = opened()
    keep(journal, win(journal, begin(journal)), commands.TakeBack())
    (game,), _ = export(state, tmp_path)
    assert (game["finished"], game["roles"], game["ended_at"]) == (False, None, None)


def test_an_export_to_standard_output_is_the_file_and_nothing_else(
    opened: Opener, state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--export -` is for a pipe: no sentence stands between the games."""
    journal = opened()
    win(journal, begin(journal))
    _, text = export(state, tmp_path)
    capsys.readouterr()
    assert history.run(state, Path("-")) == 0
    assert capsys.readouterr() == (text, "")


def test_names_are_exported_only_when_asked(opened: Opener, state: Path, tmp_path: Path) -> None:
    """Without `--names` an export holds no name; with it the names by seat; never a phone's claim."""
    journal = opened()
    evening = win(journal, begin(journal))
    keep(journal, evening, commands.RenamePlayer(3, "Cydonia"))
    (game,), text = export(state, tmp_path)
    assert "names" not in game
    assert not any(name in text for name in [*NAMES, "Cydonia"])
    (game,), text = export(state, tmp_path, names=True)
    assert game["names"] == ["Ada", "Béla", "Cydonia", "Dov", "Eva"]
    assert "claim" not in text


def test_a_damaged_game_does_not_hide_the_others(
    opened: Opener, state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A past game that cannot be followed is listed as damaged; the rest is listed as ever."""
    journal = opened()
    win(journal, begin(journal))
    begin(journal)
    journal.close()
    connection = sqlite3.connect(state / FILE_NAME)
    connection.execute("UPDATE entry SET events = 'null' WHERE game = 1 AND sequence = 7")
    connection.commit()
    connection.close()
    assert history.run(state) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("damaged in the journal")
    assert lines[2].endswith("unfinished")
    games, _ = export(state, tmp_path)
    assert games[0] == {"number": 1, "damaged": True}


def test_what_is_no_journal_is_said(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is no journal fails with a sentence, and is left where it is."""
    state.mkdir()
    (state / FILE_NAME).write_bytes(b"no database at all" * 100)
    assert history.run(state) == 1
    assert capsys.readouterr().err.startswith("The journal was damaged")
    assert (state / FILE_NAME).exists()


def test_an_export_that_cannot_be_written_is_said(
    opened: Opener, state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be written fails with its name and the reason."""
    begin(opened())
    assert history.run(state, tmp_path / "nowhere" / "games.json") == 1
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_one_game_is_told_a_government_a_line(opened: Opener, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who governed and what came of it, then who everybody was; names only where they are asked for."""
    journal = opened()
    win(journal, begin(journal))
    assert history.run(state, game=1, names=True) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("Game 1: ")
    assert told[0].endswith(", 5 players, 0 minutes")
    assert told[1] == "The Liberals won: five Liberal policies."
    assert [line.split()[0] for line in told[3:8]] == ["1", "2", "3", "4", "5"]
    assert told[3].split() == ["1", "Ada", "?", "Liberal"]
    assert told[9:] == ["Hitler:   B\u00e9la", "Fascist:  Dov", "Liberal:  Ada, Cyd, Eva"]
    assert history.run(state, game=1) == 0
    assert "Ada" not in capsys.readouterr().out


def test_a_running_game_is_told_without_its_roles(
    opened: Opener, state: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Nor is it drawn: the picture would tell who is who."""
    journal = opened()
    keep(journal, begin(journal), *A_LIBERAL_POLICY)
    assert history.run(state, game=1, names=True) == 0
    told = capsys.readouterr().out
    assert "The game is not over." in told
    assert "Hitler" not in told
    assert history.run(state, game=1, svg=tmp_path / "game.svg") == 1
    assert "not over" in capsys.readouterr().err
    assert not (tmp_path / "game.svg").exists()


def test_a_game_is_drawn(opened: Opener, state: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """In the language in which it was played."""
    journal = opened()
    win(journal, begin(journal, "pl"))
    file = tmp_path / "game.svg"
    assert history.run(state, game=1, svg=file, names=True) == 0
    assert capsys.readouterr().out == f"Game 1 drawn to {file}.\n"
    assert "Wygrywaj\u0105 Libera\u0142owie" in file.read_text("utf-8")
    assert history.run(state, game=1, svg=tmp_path / "no" / "game.svg") == 1
    assert "cannot be written" in capsys.readouterr().err


def test_a_game_that_was_never_played(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its number is told back."""
    assert history.run(state, game=7) == 1
    assert "There is no game 7" in capsys.readouterr().err
