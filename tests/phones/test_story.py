"""The story of a game as a picture: whole, in every language, and only when there is nothing left to hide."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from companion import languages, story
from companion.commands.demo.players import Company
from companion.game import evening as rulebook
from companion.game.record import record
from companion.game.vocabulary import Phase
from tests.demo.test_players import begun

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.evening import Evening
    from tests.phones.table import Table

SVG = "{http://www.w3.org/2000/svg}"


def played(players: int, seed: int) -> Evening:
    """Return a whole game of made-up people."""
    chance = Random(seed)  # noqa: S311 - no secret
    table, company = begun(players, chance), Company(chance)
    while table.game.phase is not Phase.GAME_OVER:
        table = rulebook.evolve(table, rulebook.decide(table, (company.next(table.game),)))
    return table


def words_of(drawn: str) -> list[str]:
    """Return every text of a picture, which has to be well-formed."""
    return [each.text or "" for each in ET.fromstring(drawn).iter(f"{SVG}text")]  # noqa: S314 - our own


@pytest.mark.parametrize("code", languages.codes())
@pytest.mark.parametrize("players", [5, 7, 10])
def test_the_picture_tells_every_government_and_everybody(code: str, players: int) -> None:
    """Who has won and how, a number for each vote, and each role once a player, in the words of the language."""
    table, language = played(players, players), languages.load(code)
    words = words_of(story.picture(table, language))
    assert language.page[f"winner_{table.game.winner}"] in words
    assert language.page[f"reason_{table.game.reason}"] in words
    votes = record(table.step)
    assert [str(number) for number in range(1, len(votes) + 1)] == [each for each in words if each.isdecimal()]
    assert table.game.roles is not None
    for role in set(table.game.roles):
        assert words.count(language.terms[str(role)]) >= list(table.game.roles).count(role)
    assert all(f"Player {seat}" in words for seat in range(players))


def test_without_names_it_names_nobody() -> None:
    """People are called by their seats."""
    drawn = story.picture(played(6, 1), languages.load("it"), names=False)
    assert "Player" not in drawn
    assert languages.load("it").say("player", seat=6) in words_of(drawn)


def test_a_name_is_text_and_nothing_else(seated: Callable[[int], Table]) -> None:
    """Whatever somebody calls themselves, the picture stays one."""
    table = seated(5)
    table.join('<script x="')
    table.play()
    end(table)
    assert '<script x="' in words_of(table.phone().get("/game.svg").get_data(as_text=True))


def end(table: Table) -> None:
    """Let the Liberals win."""
    for _ in range(5):
        for button in ("ja", "liberal"):
            assert table.box.push(button).result().ok


def test_before_the_end_there_is_no_story(seated: Callable[[int], Table]) -> None:
    """Nobody gets a picture of a game that is played; whoever is on the network gets one of a game that is over."""
    table = seated(5)
    assert table.phone().get("/game.svg").status_code == 404
    table.play()
    assert table.phone().get("/game.svg").status_code == 404
    with pytest.raises(ValueError, match="over"):
        story.picture(table.box.evening, languages.load("en"))
    end(table)
    answer = table.phone().get("/game.svg?names=0")
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Anna" not in answer.get_data(as_text=True)
    assert "Anna" in table.phone().get("/game.svg").get_data(as_text=True)
