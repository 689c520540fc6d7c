"""Whole and partial games, played from the data files of tests/games."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from companion.commands import referee
from companion.game import boards, rules
from companion.game.refusals import Refused
from companion.game.state import changed
from tests import notation
from tests.support_game import GAMES, command_of, facts_of, plain_of, read_script

if TYPE_CHECKING:
    from pathlib import Path

    from companion.game.state import Game

FILES = sorted(GAMES.glob("*.game"))


def _name(path: Path) -> str:
    return path.stem


def _cards(game: Game) -> int:
    return game.draw_pile + game.discard_pile + game.liberal_policies + game.fascist_policies


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_every_step_gives_the_position_that_the_file_states(path: Path) -> None:
    """The rules give, after every step of the file, the position, the events or the refusal that it states."""
    script = read_script(path)
    game = script.start
    past: list[Game] = []
    for step in script.steps:
        where = f"{path.name}:{step.number}: {' '.join(step.words)}"
        facts: dict[str, str] = {}
        before = game
        if step.words == ("undo",):
            facts["refused"] = "-" if past else "nothing_to_take_back"
            game = past.pop() if past else game
        else:
            try:
                happened = rules.decide(game, command_of(step.words))
            except Refused as refused:
                facts["refused"] = refused.refusal.value
            else:
                past.append(game)
                game = rules.replay(game, happened)
                facts["events"] = ",".join(type(event).__name__ for event in happened)
        assert ("refused" in step.facts) is (game is before), where
        facts = facts_of(game) | facts
        assert {key: facts.get(key) for key in step.facts} == step.facts, where
        assert _cards(game) == boards.POLICY_CARDS, where
        assert notation.from_line(notation.to_line(game)) == changed(game, roles=None), where
        if step.line is not None:
            assert notation.to_line(game) == step.line, where


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_the_referee_plays_the_file_alike(path: Path) -> None:
    """A referee that is told the steps of a whole game answers with the same positions and refusals."""
    script = read_script(path)
    if script.players is None or script.first is None or script.deal is not None:
        return
    lines = [
        json.dumps({"do": "undo"} if step.words == ("undo",) else plain_of(command_of(step.words)))
        for step in script.steps
    ]
    answers: list[str] = []
    referee.serve(lines, answers.append, script.players, script.first, script.rulebook)
    short = {"liberal": "liberal_policies", "fascist": "fascist_policies", "tracker": "election_tracker"}
    for step, answer in zip(script.steps, map(json.loads, answers), strict=True):
        assert answer["ok"] is ("refused" not in step.facts), step
        assert answer.get("code") == step.facts.get("refused"), step
        for key in step.facts.keys() & {*short, "phase", "president", "winner"}:
            assert str(answer["state"][short.get(key, key)]) == step.facts[key].replace("-", "None"), step


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_every_file_says_what_it_is_about(path: Path) -> None:
    """A file opens with a comment that names its source, and holds steps."""
    script = read_script(path)
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert re.search(r"\((the box|rulebook|\w+ rulebook|[\w-]+/[\w-]+ )", script.comment), "no source"
    assert script.steps
