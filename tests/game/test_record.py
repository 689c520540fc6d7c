"""The record of a game: what the table could have written down itself."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from companion.commands.demo.players import Company
from companion.game import boards, commands, evening, events, rules
from companion.game.record import Government, record
from companion.game.vocabulary import Party, Phase, PresidentialPower, Reason
from tests.demo.test_players import begun
from tests.game.test_evening import Box

LIBERAL, FASCIST = Party.LIBERAL, Party.FASCIST


def vote(*, elected: bool, policy: Party | None = None) -> tuple[commands.Command, ...]:
    """A vote, and the policy in the same report where there is one."""
    enacted = () if policy is None else (commands.EnactPolicy(policy),)
    return (commands.Vote(elected), *enacted)


def test_a_game_as_it_was_played() -> None:
    """Failed votes, a nomination, a power and its target, chaos; what was taken back is not in it."""
    box = Box(7)
    box.deal()
    box.begin()
    assert record(box.evening.step) == ()
    box.report(commands.Nominate(4))
    box.report(*vote(elected=True, policy=FASCIST))
    box.report(*vote(elected=True, policy=FASCIST))
    box.report(commands.UsePower(5))
    box.report(*vote(elected=True, policy=LIBERAL))
    box.report(commands.TakeBack())
    for _ in range(3):
        box.report(commands.Vote(elected=False))
    box.report(commands.EnactPolicy(LIBERAL))
    assert record(box.evening.step) == (
        Government(1, 4, elected=True, policy=FASCIST),
        Government(2, None, elected=True, policy=FASCIST, power=PresidentialPower.INVESTIGATE_LOYALTY, target=5),
        Government(3),
        Government(4),
        Government(5, policy=LIBERAL, chaos=True),
    )


def test_a_new_game_begins_a_new_record() -> None:
    """Nothing of the last game is in it."""
    box = Box(5)
    box.deal()
    box.begin()
    box.play_out()
    assert len(record(box.evening.step)) == 5
    box.report(commands.OpenLobby())
    assert record(box.evening.step) == ()


@pytest.mark.parametrize("seed", range(100))
def test_the_record_is_what_the_referee_decided(seed: int) -> None:
    """Through whole random games: every vote is a row, and policies, vetoes, powers and the end stand in theirs."""
    chance = random.Random(seed)  # noqa: S311 - a test, not a secret
    box = Box(5 + seed % 6)
    if seed % 2:
        box.deal()
    box.begin(chance.randint(1, 5 + seed % 6))
    happened: list[events.Event] = []
    while box.phase() is not Phase.GAME_OVER:
        happened.extend(box.report(chance.choice(rules.legal(box.evening.game))))
    rows = record(box.evening.step)

    def count(*kinds: type) -> int:
        return sum(isinstance(event, kinds) for event in happened)

    assert len(rows) == count(events.GovernmentElected, events.ElectionFailed)
    assert sum(row.elected for row in rows) == count(events.GovernmentElected)
    game = box.evening.game
    assert sum(row.policy is LIBERAL for row in rows) == game.liberal_policies
    assert sum(row.policy is FASCIST for row in rows) == game.fascist_policies
    assert sum(row.chaos for row in rows) == count(events.ChaosPolicyEnacted)
    assert sum(row.veto is True for row in rows) == count(events.AgendaVetoed)
    assert [row.target for row in rows if row.power is PresidentialPower.EXECUTION] == list(game.executed)
    assert sum(row.power is PresidentialPower.POLICY_PEEK for row in rows) == count(events.PoliciesPeeked)
    assert any(row.hitler for row in rows) == (game.reason is not None and "hitler" in game.reason)
    assert all(not row.hitler for row in rows[:-1])


def test_the_record_is_what_the_referee_saw_in_a_thousand_games() -> None:
    """Votes, policies, powers, vetoes, chaos and the end add up, whatever was taken back and put back meanwhile."""
    for seed in range(1000):
        chance = random.Random(seed)  # noqa: S311 - no secret
        players = boards.PLAYER_COUNTS[seed % len(boards.PLAYER_COUNTS)]
        table, company, entries = begun(players, chance), Company(chance), []
        while table.game.phase is not Phase.GAME_OVER:
            entry = evening.decide(table, (company.next(table.game),))
            entries.append(entry)
            table = evening.evolve(table, entry)
            if seed % 10 == 0 and chance.random() < 0.2:
                table = evening.evolve(table, evening.decide(table, (commands.TakeBack(confirmed=True),)))
                table = evening.evolve(table, evening.decide(table, (commands.Redo(),)))
        seen = Counter(type(event) for entry in entries for event in entry)
        game, rows = table.game, record(table.step)
        assert len(rows) == seen[events.GovernmentElected] + seen[events.ElectionFailed]
        assert sum(row.elected for row in rows) == seen[events.GovernmentElected]
        assert [row.policy for row in rows].count(Party.LIBERAL) == game.liberal_policies
        assert [row.policy for row in rows].count(Party.FASCIST) == game.fascist_policies
        assert sum(row.chaos for row in rows) == seen[events.ChaosPolicyEnacted]
        assert sum(row.veto is True for row in rows) == seen[events.AgendaVetoed]
        used = {power: [row.target for row in rows if row.power is power] for power in PresidentialPower}
        assert used[PresidentialPower.EXECUTION] == list(game.executed)
        assert used[PresidentialPower.INVESTIGATE_LOYALTY] == list(game.investigated)
        assert len(used[PresidentialPower.POLICY_PEEK]) == seen[events.PoliciesPeeked]
        assert len(used[PresidentialPower.CALL_SPECIAL_ELECTION]) == seen[events.SpecialElectionCalled]
        assert rows[-1].hitler is (game.reason in (Reason.HITLER_CHANCELLOR, Reason.HITLER_EXECUTED))
        assert not any(row.hitler for row in rows[:-1])
