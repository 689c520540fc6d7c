"""What printed rulebooks say differently, as data. `RETAIL` is the game as it is sold."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from companion.game.boards import FASCIST_SLOTS, SESSION_CARDS

if TYPE_CHECKING:
    from collections.abc import Mapping


class TermLimited(StrEnum):
    """Which government's members may not be nominated Chancellor."""

    LAST_ELECTED = "last_elected"
    LAST_ENACTED = "last_enacted"
    """Those who enacted the last policy: a vetoed government is not limited."""


class Headcount(StrEnum):
    """Which number of players decides that only the last Chancellor is limited."""

    ALIVE = "alive"
    STARTED = "started"


class Office(StrEnum):
    """Who lays the enacted card on the board."""

    CHANCELLOR = "chancellor"
    PRESIDENT = "president"


class Silence(StrEnum):
    """When the table is silent in a legislative session."""

    GOVERNMENT = "government"
    """President and Chancellor do not talk to each other."""
    FROM_DRAW = "from_draw"
    """Nobody talks from the draw until the policy is enacted."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The points in which rulebooks differ.

    Attributes:
        term_limited: whose members may not be nominated Chancellor.
        few_players: which headcount relaxes the limits.
        election_resets_tracker: whether electing a government alone returns the election tracker to 0.
        reshuffle_below: piles are shuffled at the end of a session when fewer cards than this are left to draw.
        reshuffle_below_after_chaos: the same after chaos.
        enacting_office: who lays the enacted card.
        silence: when nobody talks.
    """

    term_limited: TermLimited = TermLimited.LAST_ELECTED
    few_players: Headcount = Headcount.ALIVE
    election_resets_tracker: bool = False
    reshuffle_below: int = 3
    reshuffle_below_after_chaos: int = 3
    enacting_office: Office = Office.CHANCELLOR
    silence: Silence = Silence.GOVERNMENT


RETAIL = Rules()
"""The game as it is sold, in whatever language it is narrated."""

_CHOICES: dict[str, type[StrEnum]] = {
    "term_limited": TermLimited,
    "few_players": Headcount,
    "enacting_office": Office,
    "silence": Silence,
}


def printed(table: Mapping[str, object]) -> Rules:
    """Return the rules of a rulebook that departs from retail in the points of `table`, named like the attributes.

    Raises:
        ValueError: a point that does not exist, or a value that it cannot have; the message begins with the key.
    """
    points: dict[str, Any] = {}
    for key, value in table.items():
        if key in _CHOICES:
            values = [str(choice) for choice in _CHOICES[key]]
            if value not in values:
                raise ValueError(f"{key}: {value!r} is not one of {', '.join(values)}")
            points[key] = _CHOICES[key](value)
        elif key == "election_resets_tracker":
            if not isinstance(value, bool):
                raise ValueError(f"{key}: {value!r} is not true or false")
            points[key] = value
        elif key in {"reshuffle_below", "reshuffle_below_after_chaos"}:
            if not isinstance(value, int) or isinstance(value, bool) or not SESSION_CARDS <= value <= FASCIST_SLOTS:
                raise ValueError(f"{key}: {value!r} is not a number from {SESSION_CARDS} to {FASCIST_SLOTS}")
            points[key] = value
        else:
            known = ", ".join(field.name for field in fields(Rules))
            raise ValueError(f"{key}: no such point; there are {known}")
    return Rules(**points)
