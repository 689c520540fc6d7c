"""Who may see what of a game. `public_view` is for everybody; a role leaves the box only by `secret_view`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.game import boards, events
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Party, Phase, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from companion.game.events import Event
    from companion.game.state import Game


def public_view(game: Game) -> dict[str, object]:
    """Return what the whole table may know, as the outside contract names it. Unknown is None, seats are numbers."""
    return {
        "phase": str(game.phase),
        "players": game.players,
        "liberal_policies": game.liberal_policies,
        "fascist_policies": game.fascist_policies,
        "election_tracker": game.election_tracker,
        "draw_pile": game.draw_pile,
        "discard_pile": game.discard_pile,
        "president": game.president,
        "chancellor": game.chancellor,
        "last_president": game.last_president,
        "last_chancellor": game.last_chancellor,
        "eligible_chancellors": list(game.eligible_chancellors),
        "alive": list(game.alive),
        "executed": list(game.executed),
        "absent": sorted(game.absent),
        "investigated": list(game.investigated),
        "not_hitler": sorted(game.not_hitler),
        "asked": game.asked,
        "pending_power": None if game.pending_power is None else str(game.pending_power),
        "eligible_targets": list(game.eligible_targets),
        "danger_zone": game.danger_zone,
        "veto_unlocked": game.veto_unlocked,
        "veto_refused": game.veto_refused,
        "winner": None if game.winner is None else str(game.winner),
        "reason": None if game.reason is None else str(game.reason),
    }


def moment(game: Game) -> str:
    """Name what the table is at, in public facts: a tap that was meant for another moment says so by it.

    No two turns of a game have the same, except where a report was taken back and the very same turn is there again.
    A nomination that changes makes no new one, so that whoever made it may change it once more.
    """
    counts = (game.president or 0, game.liberal_policies, game.fascist_policies, game.election_tracker)
    return "-".join((str(game.phase), *map(str, counts)))


@dataclass(frozen=True, slots=True)
class SecretView:
    """What one player may see of their own secrets. Never put into a log: `repr` holds nothing.

    Attributes:
        role: the player's own.
        party: what their membership card shows.
        allies: seats that the eyes-closed night tells them, with role: for Fascists, and with five or six players for
            Hitler.
        investigations: what the player saw of others as President, as (seat, party).
    """

    role: Role
    party: Party
    allies: tuple[tuple[int, Role], ...]
    investigations: tuple[tuple[int, Party], ...]

    def __repr__(self) -> str:
        return "SecretView()"


def secret_view(game: Game, seat: int) -> SecretView | None:
    """Return the secrets of the player at `seat`; None when the box dealt no roles.

    Raises:
        Refused: there is no such seat.
    """
    if seat not in game.seats:
        raise Refused(Refusal.NO_SUCH_SEAT)
    if game.roles is None:
        return None
    role = game.roles[seat - 1]
    knows = role is Role.FASCIST or (role is Role.HITLER and boards.hitler_knows_the_fascists(game.players))
    allies = tuple(
        (other, game.roles[other - 1])
        for other in game.seats
        if knows and other != seat and game.roles[other - 1].party is Party.FASCIST
    )
    seen = tuple(
        (player, game.roles[player - 1].party) for president, player in game.investigations if president == seat
    )
    return SecretView(role, role.party, allies, seen)


def answers_from_roles(before: Game, entry: Iterable[Event]) -> bool:
    """Whether a report makes the box tell something out of the roles it dealt: who is or is not Hitler, and the end."""
    return before.roles is not None and any(_is_answer(before, event) for event in entry)


def _is_answer(before: Game, event: Event) -> bool:
    match event:
        case events.NotHitlerConfirmed(player):
            # Of somebody whom the table knows already nothing is told.
            return player not in before.not_hitler
        case _:
            return isinstance(event, events.GAME_ENDS)


def revealed_roles(game: Game) -> tuple[Role, ...] | None:
    """Return all roles once the game is over and the box dealt them; None before, or with real role cards."""
    return game.roles if game.phase is Phase.GAME_OVER else None
