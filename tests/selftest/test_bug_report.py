"""`companion selftest --report FILE`: what leaves the box with a bug report, and what never does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from companion.cli import main
from companion.commands.selftest.command import run
from companion.game import commands
from companion.game import evening as rulebook
from companion.game.vocabulary import Policy
from companion.journal import FILE_NAME, Journal
from tests.journal.test_history import NAMES, ROLES, begin, keep, win

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from companion.game.vocabulary import Role

FASCIST_POLICY = (commands.Vote(elected=True), commands.EnactPolicy(Policy.FASCIST))


@pytest.fixture
def report(parts, settings, tmp_path, capsys) -> Callable[[], tuple[Any, str]]:
    """Write a report with the command, and give it read and as it stands in the file."""

    def write() -> tuple[Any, str]:
        file = tmp_path / "report.json"
        run(settings(), report=file, machine=parts.machine())
        assert f"Attach {file} to your bug report" in capsys.readouterr().err
        text = file.read_text("utf-8")
        return json.loads(text), text

    return write


def played(state: Path, deal: tuple[Role, ...]) -> Journal:
    """A running game whose Chancellor in the danger zone is not Hitler, as the box knows from the deal."""
    journal = Journal.open(state)
    evening, opening = rulebook.opened()
    journal.append(opening)
    evening = keep(journal, evening, *(commands.TakeSeat(name, claim=f"claim of {name}") for name in NAMES))
    night = (commands.BeginNight(regardless=True), commands.EndNight(), commands.BeginGame(1))
    evening = keep(journal, evening, commands.DealRoles(deal), *night)
    evening = keep(journal, evening, *FASCIST_POLICY * 3, commands.UsePower(None))
    keep(journal, evening, commands.Nominate(3), commands.Vote(elected=True))
    return journal


def test_a_running_game_tells_nothing_of_its_roles(settings, report) -> None:
    """No name, no claim, no role, and no event that the box drew from the roles: two deals give one and the same."""
    texts = []
    for deal in (ROLES, ROLES[::-1]):
        played(settings().state_dir, deal).close()
        told, text = report()
        kinds = {kind for kinds in told["journal"]["last_game"]["reports"] for kind in kinds}
        assert {"RolesDealt", "ChancellorNominated", "GovernmentElected"} <= kinds
        assert not kinds & {"NotHitlerConfirmed", "GameWon"}
        assert not any(word in text for word in (*NAMES, "claim", '"hitler"', 'roles": ['))
        texts.append(json.dumps(told["journal"]["last_game"]))
        (settings().state_dir / FILE_NAME).unlink()
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["fascist_policies"] == 3


def test_an_election_of_hitler_that_was_taken_back_is_not_told(settings, report) -> None:
    """A win by a slip of the finger, taken back, leaves no trace that would name the Chancellor as Hitler."""
    journal = played(settings().state_dir, ROLES)
    evening = rulebook.replay(*journal.entries())
    keep(journal, evening, commands.TakeBack(), commands.Nominate(2), commands.Vote(elected=True))
    assert rulebook.replay(*journal.entries()).game.reason is not None
    keep(journal, rulebook.replay(*journal.entries()), commands.TakeBack())
    journal.close()
    told, text = report()
    assert told["journal"]["last_game"]["finished"] is False
    assert "GameWon" not in text


def test_a_finished_game_is_told_by_kinds_of_events_alone(settings, report) -> None:
    """Of a game that is over the order of its events and the boards are told; names are not."""
    journal = Journal.open(settings().state_dir)
    win(journal, begin(journal))
    journal.close()
    told, text = report()
    last = told["journal"]["last_game"]
    assert (last["finished"], last["liberal_policies"], last["reports"][-1][-1]) == (True, 5, "GameWon")
    assert not any(name in text for name in NAMES)


def test_versions_settings_and_checks_are_there(settings, report) -> None:
    """Whoever reads the report knows what ran, how it was set, and what the self-test found."""
    told, text = report()
    assert {"companion", "python", "sqlite", "flask", "gpiozero"} <= told["versions"].keys()
    assert told["machine"] == "Raspberry Pi 4 Model B Rev 1.5"
    assert told["settings"]["port"] == settings().port
    assert told["selftest"]["ok"] is True
    assert told["journal"] == {"put_aside": [], "games": 0}
    assert "anna" not in text, "who owns the machine is often a player"


def test_a_journal_that_was_put_aside_is_named(settings, report) -> None:
    """Damage that the box met stays visible in the names of the files it kept, and is told."""
    state = settings().state_dir
    state.mkdir(parents=True)
    (state / FILE_NAME).write_bytes(b"no database at all" * 100)
    assert report()[0]["journal"]["trouble"].startswith("The journal was damaged")
    Journal.open(state).close()
    told, _ = report()
    assert len(told["journal"]["put_aside"]) == 1


def test_beside_a_running_box_a_report_is_written_without_checks(settings, report, parts) -> None:
    """A box in the middle of a game is not disturbed: no pin is touched, and the report says what it lacks."""
    journal = Journal.open(settings().state_dir)
    begin(journal)
    told, text = report()
    journal.close()
    assert told["selftest"] == {"left_out": "a box is running"}
    assert told["journal"]["last_game"]["phase"] == "election"
    assert parts.opened == 0
    assert not any(name in text for name in NAMES)


def test_a_report_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be written fails with its name and the reason."""
    options = ["--state-dir", str(tmp_path / "state"), "--panel", "web", "--voice", "silent", "--port", "0"]
    file = tmp_path / "nowhere" / "report.json"
    assert main(["selftest", "--report", str(file), *options]) == 1
    assert str(file) in capsys.readouterr().err
