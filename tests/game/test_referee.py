"""The headless box: what it answers to lines good and bad."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from companion import languages
from companion.commands import referee
from companion.game import rules
from companion.game.editions import RETAIL
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Phase, PresidentialPower, Reason
from tests.support_game import plain_of

ROOT = Path(__file__).parents[2]


def ask(*lines: str | bytes | dict[str, Any], players: int = 7, first: int = 1) -> list[dict[str, Any]]:
    """Return the answers of a fresh referee to these lines."""
    answers: list[str] = []
    asked = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    referee.serve(asked, answers.append, players, first, RETAIL)
    assert all(answer.endswith("\n") and answer.count("\n") == 1 for answer in answers)
    return [json.loads(answer) for answer in answers]


def test_an_answer_holds_the_events_and_the_whole_state() -> None:
    """A command that is allowed is answered with what happened and where the table stands."""
    (answer,) = ask({"do": "nominate", "chancellor": 4})
    assert answer["ok"] is True
    assert answer["events"] == [{"event": "ChancellorNominated", "chancellor": 4}]
    assert answer["state"] == {
        "phase": "election",
        "players": 7,
        "liberal_policies": 0,
        "fascist_policies": 0,
        "election_tracker": 0,
        "draw_pile": 17,
        "discard_pile": 0,
        "president": 1,
        "chancellor": 4,
        "last_president": None,
        "last_chancellor": None,
        "eligible_chancellors": [2, 3, 4, 5, 6, 7],
        "alive": [1, 2, 3, 4, 5, 6, 7],
        "executed": [],
        "absent": [],
        "investigated": [],
        "not_hitler": [],
        "asked": None,
        "pending_power": None,
        "eligible_targets": [],
        "danger_zone": False,
        "veto_unlocked": False,
        "veto_refused": False,
        "winner": None,
        "reason": None,
    }


def test_the_words_of_the_contract() -> None:
    """The phases, powers and reasons are spelled as the outside knows them."""
    assert {phase.value for phase in Phase} == {
        "lobby", "deal", "night", "ask", "election", "hitler_check", "legislative_session", "veto", "chaos",
        "executive_action", "game_over",
    }  # fmt: skip
    assert {power.value for power in PresidentialPower} == {
        "investigate_loyalty", "call_special_election", "policy_peek", "execution",
    }  # fmt: skip
    winners = {reason.value: reason.winner.value for reason in Reason}
    assert winners == {
        "liberal_policies": "liberal",
        "hitler_executed": "liberal",
        "fascist_policies": "fascist",
        "hitler_chancellor": "fascist",
    }


BAD = [
    ("", "not_json"),
    ("\n", "not_json"),
    ("hello", "not_json"),
    ('{"do": "vote", "elected": true', "not_json"),
    ('{"do": "state"} {"do": "state"}', "not_json"),
    ('{"do": "nominate", "chancellor": NaN}', "not_json"),
    ('{"do": "nominate", "chancellor": Infinity}', "not_json"),
    ("\x00", "not_json"),
    ('{"do": "state"}\x00', "not_json"),
    ("{'do': 'state'}", "not_json"),
    ("\ufeff" + '{"do": "state"}', "not_json"),
    (b'{"do": "\xff"}', "not_json"),
    (b"\xff\xfe{\x00}\x00", "not_json"),
    ("[" * 4000, "not_json"),
    ('{"do":' * 500 + "1" + "}" * 500, "wrong_type"),
    ("null", "not_an_object"),
    ("4", "not_an_object"),
    ('"state"', "not_an_object"),
    ('[{"do": "state"}]', "not_an_object"),
    ("true", "not_an_object"),
    ("{}", "missing_key"),
    ('{"Do": "state"}', "missing_key"),
    ('{"do": "vote"}', "missing_key"),
    ('{"do": "nominate"}', "missing_key"),
    ('{"do": null}', "wrong_type"),
    ('{"do": 1}', "wrong_type"),
    ('{"do": ["vote"]}', "wrong_type"),
    ('{"do": {"do": "vote"}}', "wrong_type"),
    ('{"do": "dance"}', "unknown_command"),
    ('{"do": "VOTE", "elected": true}', "unknown_command"),
    ('{"do": "vote ", "elected": true}', "unknown_command"),
    ('{"do": "__class__"}', "unknown_command"),
    ('{"do": "\\ud800"}', "unknown_command"),
    ('{"do": "vote", "elected": 1}', "wrong_type"),
    ('{"do": "vote", "elected": "true"}', "wrong_type"),
    ('{"do": "vote", "elected": null}', "wrong_type"),
    ('{"do": "nominate", "chancellor": true}', "wrong_type"),
    ('{"do": "nominate", "chancellor": 4.0}', "wrong_type"),
    ('{"do": "nominate", "chancellor": 4e0}', "wrong_type"),
    ('{"do": "nominate", "chancellor": "4"}', "wrong_type"),
    ('{"do": "nominate", "chancellor": [4]}', "wrong_type"),
    ('{"do": "nominate", "chancellor": null}', "wrong_type"),
    ('{"do": "nominate", "chancellor": 0}', "no_such_seat"),
    ('{"do": "nominate", "chancellor": -1}', "no_such_seat"),
    ('{"do": "nominate", "chancellor": 8}', "no_such_seat"),
    ('{"do": "nominate", "chancellor": 1}', "own_chancellor"),
    ('{"do": "nominate", "chancellor": ' + "9" * 4000 + "}", "no_such_seat"),
    ('{"do": "nominate", "chancellor": 4, "seat": 4}', "unknown_key"),
    ('{"do": "nominate", "chancellor": 4, "chancellor": 5}', "duplicate_key"),
    ('{"do": "state", "players": 7}', "unknown_key"),
    ('{"do": "undo", "steps": 2}', "unknown_key"),
    ('{"do": "enact", "policy": "blue"}', "wrong_value"),
    ('{"do": "enact", "policy": "hitler"}', "wrong_value"),
    ('{"do": "enact", "policy": 1}', "wrong_type"),
    ('{"do": "enact", "policy": "liberal"}', "not_now"),
    ('{"do": "power", "player": "2"}', "wrong_type"),
    ('{"do": "power", "player": 2}', "not_now"),
    ('{"do": "undo"}', "nothing_to_take_back"),
    ('{"do": "state"' + " " * 5000 + "}", "line_too_long"),
    (b"x" * 100_000, "line_too_long"),
]


@pytest.mark.parametrize(("line", "code"), BAD, ids=[f"{number}-{code}" for number, (_, code) in enumerate(BAD)])
def test_a_bad_line_is_refused_and_changes_nothing(line: str | bytes, code: str) -> None:
    """Whatever a line holds, it gets one answer with a code and a sentence, and the state is as before."""
    before, refused, after = ask({"do": "state"}, line, {"do": "state"})
    assert refused["ok"] is False
    assert refused["code"] == code
    assert refused["error"].endswith((".", "?"))
    assert len(refused["error"]) < 200
    assert refused["state"] == before["state"] == after["state"]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ({"do": "nominat", "chancellor": 4}, '"nominate"'),
        ({"do": "Vote", "elected": True}, '"vote"'),
        ({"do": "vote", "electd": True}, '"elected"'),
        ({"do": "power", "players": 2}, '"player"'),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(line: dict[str, Any], hint: str) -> None:
    """A word that is nearly right is answered with the right one."""
    (answer,) = ask(line)
    assert answer["error"].endswith(f"did you mean {hint}?")


def test_every_command_is_taken_back_to_the_beginning() -> None:
    """Undo takes the last command back, any number of times, and then has nothing left."""
    asked: list[dict[str, Any]] = [
        {"do": "nominate", "chancellor": 2},
        {"do": "nominate", "chancellor": 3},
        {"do": "vote", "elected": True},
        {"do": "enact", "policy": "fascist"},
    ]
    answers = ask({"do": "state"}, *asked, *[{"do": "undo"}] * 5)
    assert all(answer["ok"] for answer in answers[:-1])
    states = [answer["state"] for answer in answers]
    assert states[5:9] == states[3::-1]
    assert answers[5]["events"] == [{"event": "ReportTakenBack"}]
    assert answers[-1]["code"] == "nothing_to_take_back"


def test_a_refused_command_is_nothing_to_take_back() -> None:
    """Undo after a refusal takes back the command before it."""
    answers = ask({"do": "vote", "elected": False}, {"do": "veto"}, {"do": "undo"}, {"do": "undo"})
    assert [answer["ok"] for answer in answers] == [True, False, True, False]
    assert answers[2]["state"]["election_tracker"] == 0


def test_a_power_may_say_that_it_takes_nobody() -> None:
    """Policy Peek takes no player, left out or null."""
    to_the_peek: list[dict[str, Any]] = [{"do": "vote", "elected": True}, {"do": "enact", "policy": "fascist"}] * 3
    for peek in ({"do": "power"}, {"do": "power", "player": None}):
        answer = ask(*to_the_peek, peek, players=5)[-1]
        assert answer["events"] == [{"event": "PoliciesPeeked"}]


@pytest.mark.parametrize(
    ("players", "first", "refusal"),
    [(4, 1, Refusal.PLAYER_COUNT), (11, 1, Refusal.PLAYER_COUNT), (7, 8, Refusal.NO_SUCH_SEAT)],
)
def test_no_table_no_referee(players: int, first: int, refusal: Refusal) -> None:
    """A table that cannot be is refused before the first line."""
    with pytest.raises(Refused) as refused:
        referee.serve([], print, players, first, RETAIL)
    assert refused.value.refusal is refusal


def test_lines_are_never_read_whole_when_they_are_too_long() -> None:
    """Of an endless line only its beginning is kept; the line after it is read as ever."""

    class Stream:
        """Gives a long line in pieces, then a short one, and remembers how much was asked for at once."""

        def __init__(self) -> None:
            self.pieces, self.largest = 1000, 0

        def readline(self, size: int) -> bytes:
            self.largest = max(self.largest, size)
            self.pieces -= 1
            return b"x" * size if self.pieces > 0 else {0: b"\n", -1: b"{}\n"}.get(self.pieces, b"")

    stream = Stream()
    lines = referee.bounded_lines(stream)  # type: ignore[arg-type]
    assert len(next(lines)) == referee.LINE_BYTES + 1
    assert list(lines) == [b"{}\n"]
    assert stream.largest == referee.LINE_BYTES + 1


def start(*, players: int = 7, first: int = 1) -> subprocess.Popen[bytes]:
    """Start a referee as a process of its own."""
    program = f"""
from companion.commands import referee
from companion.game.editions import RETAIL
raise SystemExit(referee.run({players}, {first}, RETAIL, {{}}))
"""
    return subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_each_answer_leaves_the_pipe_before_the_next_line_comes() -> None:
    """Over a pipe every line is answered at once, and the end of the input ends the process well."""
    with start() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in (
            b'{"do": "state"}\n',
            b"\xff\xfe\n",
            b"x" * 50_000 + b"\r\n",
            b'{"do": "vote", "elected": false}\r\n',
        ):
            process.stdin.write(line)
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
        assert answer["state"]["election_tracker"] == 1
        process.stdin.write(b'{"do": "undo"}')
        process.stdin.close()
        assert json.loads(process.stdout.read())["state"]["election_tracker"] == 0
        assert process.stderr.read() == b""
        assert process.wait(10) == 0


def test_an_asker_that_has_gone_is_no_fault() -> None:
    """When nobody reads the answers any more, the referee ends without a traceback."""
    with start() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b'{"do": "state"}\n' * 3)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(10) == 1


def test_a_candidate_who_never_makes_up_their_mind_costs_no_memory() -> None:
    """Ten thousand nominations, each of which can be taken back, keep a handful of positions."""
    lines = (f'{{"do": "nominate", "chancellor": {2 + number % 3}}}' for number in range(10_000))
    answers = 0

    def count(_: str) -> None:
        nonlocal answers
        answers += 1

    tracemalloc.start()
    referee.serve(lines, count, 7, 1, RETAIL)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answers == 10_000
    assert peak_bytes < 1_000_000


def test_the_referee_and_the_core_are_one() -> None:
    """A referee that is told a random game stands where the core stands."""
    chance = random.Random(4)  # noqa: S311 - a test's game is no secret
    game, lines = rules.begun(10, 3), []
    while legal := rules.legal(game):
        command = chance.choice(legal)
        lines.append(plain_of(command))
        game = rules.replay(game, rules.decide(game, command))
    answers = ask(*lines, players=10, first=3)
    assert all(answer["ok"] for answer in answers)
    assert answers[-1]["state"]["reason"] == game.reason


def test_redo_puts_back_what_undo_took() -> None:
    """Each undo has its redo, until another command is given."""
    asked: list[dict[str, Any]] = [{"do": "vote", "elected": True}, {"do": "enact", "policy": "fascist"}]
    answers = ask(*asked, *[{"do": "undo"}] * 2, *[{"do": "redo"}] * 3)
    states = [answer["state"] for answer in answers]
    assert states[4:6] == states[:2]
    assert answers[4]["events"] == [{"event": "ReportRedone"}]
    assert answers[6]["code"] == "nothing_to_redo"
    answers = ask(asked[0], {"do": "undo"}, {"do": "vote", "elected": False}, {"do": "redo"})
    assert answers[-1]["code"] == "nothing_to_redo"


@pytest.mark.parametrize("code", languages.codes())
def test_the_table_is_told_why_in_its_language(code: str) -> None:
    """What the rules refuse is told in the words of the language file; the code for programs is the same."""
    answers: list[str] = []
    sentences = languages.load(code).refusals
    referee.serve(['{"do": "veto"}', '{"do": "undo"}', "no JSON"], answers.append, 5, 1, RETAIL, sentences)
    veto, undo, broken = map(json.loads, answers)
    assert (veto["code"], veto["error"]) == ("not_now", sentences["not_now"])
    assert (undo["code"], undo["error"]) == ("nothing_to_take_back", sentences["nothing_to_take_back"])
    assert broken["error"] == "The line is not JSON."
