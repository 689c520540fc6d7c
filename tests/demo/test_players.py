"""Made-up people play by the rules, in every way that a game can go, and know no more than a player knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from companion.commands.demo.players import Company
from companion.game import boards, commands, evening
from companion.game.vocabulary import Phase, Reason, Role

if TYPE_CHECKING:
    from companion.game.evening import Evening
    from companion.game.state import Game

GAMES = 200


def chance_of(seed: int) -> Random:
    """Return chances that come again."""
    return Random(seed)  # noqa: S311 - a game of nobody is no secret


def begun(players: int, chance: Random) -> Evening:
    """Return an evening whose first election is to come."""
    table, _ = evening.opened(players)
    roles = list(boards.roles(players))
    chance.shuffle(roles)
    seats = [commands.TakeSeat(f"Player {seat}", f"claim {seat}") for seat in range(players)]
    rest = (
        commands.DealRoles(tuple(roles)),
        commands.BeginNight(regardless=True),
        commands.EndNight(),
        commands.BeginGame(chance.randint(1, players)),
    )
    for report in (*seats, *rest):
        table = evening.evolve(table, evening.decide(table, (report,)))
    return table


def played(players: int, seed: int) -> tuple[Game, Counter[str]]:
    """Return a whole game's end, and how often each thing happened in it."""
    chance = chance_of(seed)
    table, company, happened = begun(players, chance), Company(chance), Counter[str]()
    while table.game.phase is not Phase.GAME_OVER:
        entry = evening.decide(table, (company.next(table.game),))
        table = evening.evolve(table, entry)
        happened.update(type(event).__name__ for event in entry)
        assert happened.total() < 1_000
    return table.game, happened


@pytest.mark.parametrize("players", boards.PLAYER_COUNTS)
def test_games_end_in_every_way_that_the_rules_have(players: int) -> None:
    """Each report of two hundred games is legal; every end comes, every power of the board, a veto and chaos."""
    ends, happened = Counter[Reason | None](), Counter[str]()
    for seed in range(GAMES):
        game, what = played(players, seed)
        ends[game.reason] += 1
        happened += what
    assert set(ends) == set(Reason)
    assert min(ends.values()) >= GAMES // 50
    powers = {boards.power(players, number) for number in range(1, boards.FASCIST_SLOTS + 1)} - {None}
    names = {"policy_peek": "PoliciesPeeked", "execution": "PlayerExecuted"}
    names |= {"investigate_loyalty": "LoyaltyInvestigated", "call_special_election": "SpecialElectionCalled"}
    told = {"VetoProposed", "AgendaVetoed", "VetoRefused", *(names[str(power)] for power in powers)}
    assert told - set(happened) == set()


def test_chaos_comes_to_made_up_people_too() -> None:
    """Three governments in a row that nobody wants are rare, and happen."""
    happened = sum((played(8, seed)[1] for seed in range(GAMES)), Counter[str]())
    assert happened["ChaosPolicyEnacted"] > 0


def test_the_same_seed_plays_the_same_game() -> None:
    """So that a game that was seen can be shown again."""
    assert played(7, 3) == played(7, 3)
    assert len({repr(played(7, seed)) for seed in range(5)}) == 5


@pytest.mark.parametrize("seed", range(20))
def test_a_liberal_knows_nobody(seed: int) -> None:
    """Whoever the others are, a Liberal candidate who has seen nothing nominates the same player."""
    table = begun(7, chance_of(seed))
    game = table.game
    assert game.roles is not None
    assert game.president is not None
    others = [seat for seat in game.seats if seat != game.president]
    told = set()
    for turn in range(len(others)):
        roles = dict(
            zip([*others[turn:], *others[:turn]], [Role.HITLER, *[Role.FASCIST] * 2, *[Role.LIBERAL] * 3], strict=True)
        )
        roles[game.president] = Role.LIBERAL
        dealt = replace(game, roles=tuple(roles[seat] for seat in game.seats))
        told.add(Company(chance_of(seed)).next(dealt))
    assert len(told) == 1


def test_nobody_plays_where_it_is_not_their_turn() -> None:
    """The deal and the end belong to the table."""
    table, _ = evening.opened(5)
    with pytest.raises(ValueError, match="lobby"):
        Company(chance_of(1)).next(table.game)
