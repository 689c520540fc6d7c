"""The record of a game: a row for each candidate whom the table voted on, and what came of it. Public facts only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from companion.game import events, rules
from companion.game.vocabulary import PresidentialPower, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from companion.game.evening import Step
    from companion.game.events import GameEvent
    from companion.game.state import Game
    from companion.game.vocabulary import Policy


@dataclass(frozen=True, slots=True)
class Government:
    """A vote and what followed it.

    Attributes:
        president: the candidate, and after the vote the President.
        chancellor: the nominee; None when nobody told the box.
        elected: whether more than half said ja.
        policy: what the government enacted, or, in chaos, the people.
        chaos: whether the third failure in a row brought chaos.
        veto: whether a veto was agreed to (True) or refused (False); None where none was proposed.
        power: the power that the President used.
        target: on whom.
        hitler: whether Hitler was elected, or executed.
    """

    president: int
    chancellor: int | None = None
    elected: bool = False
    policy: Policy | None = None
    chaos: bool = False
    veto: bool | None = None
    power: PresidentialPower | None = None
    target: int | None = None
    hitler: bool = False


def record(step: Step) -> tuple[Government, ...]:
    """Return the governments of the game that leads to a step, the first one first; not what was taken back."""
    told: list[Government] = []
    for game, event in _happened(step):
        if isinstance(event, events.GovernmentElected | events.ElectionFailed):
            if game.president is not None:
                elected = isinstance(event, events.GovernmentElected)
                told.append(Government(game.president, game.chancellor, elected))
        elif told:
            told[-1] = _after(told[-1], event)
    return tuple(told)


def _happened(step: Step) -> Iterator[tuple[Game, GameEvent]]:
    """Yield every event of the reports that led to a step, with the game before it."""
    steps = []
    last: Step | None = step
    while last is not None:
        steps.append(last)
        last = last.before
    for each in reversed(steps):
        if each.before is not None:
            yield from _of_report(each.before.game, each.report)


def _of_report(game: Game, report: Iterable[GameEvent]) -> Iterator[tuple[Game, GameEvent]]:
    for event in report:
        yield game, event
        game = rules.evolve(game, event)


def _after(row: Government, event: GameEvent) -> Government:
    match event:
        case events.PolicyEnacted(policy):
            return replace(row, policy=policy)
        case events.ChaosPolicyEnacted(policy):
            return replace(row, policy=policy, chaos=True)
        case events.VetoRefused():
            return replace(row, veto=False)
        case events.AgendaVetoed():
            return replace(row, veto=True)
        case events.LoyaltyInvestigated(player):
            return replace(row, power=PresidentialPower.INVESTIGATE_LOYALTY, target=player)
        case events.SpecialElectionCalled(candidate):
            return replace(row, power=PresidentialPower.CALL_SPECIAL_ELECTION, target=candidate)
        case events.PoliciesPeeked():
            return replace(row, power=PresidentialPower.POLICY_PEEK)
        case events.PlayerExecuted(player):
            return replace(row, power=PresidentialPower.EXECUTION, target=player)
        case events.GameWon(reason):
            return replace(row, hitler=reason in (Reason.HITLER_CHANCELLOR, Reason.HITLER_EXECUTED))
    return row
