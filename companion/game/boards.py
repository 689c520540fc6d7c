"""The tables printed on the boards and in the rulebook's set-up page."""

from __future__ import annotations

from companion.game.vocabulary import PresidentialPower, Role

PLAYER_COUNTS = range(5, 11)
"""How many people can play."""

LIBERAL_SLOTS = 5
FASCIST_SLOTS = 6
TRACKER_SLOTS = 3
"""Slots on the boards; a full Liberal or Fascist board ends the game, a full election tracker is chaos."""

POLICY_CARDS = 17
"""Six Liberal and eleven Fascist policies; none ever leaves the table."""

SESSION_CARDS = 3
"""Cards the President draws."""

DANGER_ZONE = 3
"""Fascist policies from which on an elected Hitler wins the game."""

VETO_UNLOCKED = 5
"""Fascist policies from which on a government may veto."""

FEW_PLAYERS = 5
"""At so many players or fewer only the last Chancellor is term-limited."""

_FASCISTS = {5: 1, 6: 1, 7: 2, 8: 2, 9: 3, 10: 3}

_INVESTIGATE = PresidentialPower.INVESTIGATE_LOYALTY
_SPECIAL = PresidentialPower.CALL_SPECIAL_ELECTION
_PEEK = PresidentialPower.POLICY_PEEK
_EXECUTE = PresidentialPower.EXECUTION

_SMALL = (None, None, _PEEK, _EXECUTE, _EXECUTE, None)
_MEDIUM = (None, _INVESTIGATE, _SPECIAL, _EXECUTE, _EXECUTE, None)
_LARGE = (_INVESTIGATE, _INVESTIGATE, _SPECIAL, _EXECUTE, _EXECUTE, None)
_BOARDS = {5: _SMALL, 6: _SMALL, 7: _MEDIUM, 8: _MEDIUM, 9: _LARGE, 10: _LARGE}


def power(players: int, fascist_policies: int) -> PresidentialPower | None:
    """Return the power on the slot that the given Fascist policy (1 to 6) covers, on the board for `players`."""
    return _BOARDS[players][fascist_policies - 1]


def roles(players: int) -> tuple[Role, ...]:
    """Return the roles in play for `players` people, unshuffled."""
    fascists = _FASCISTS[players]
    return (Role.LIBERAL,) * (players - fascists - 1) + (Role.FASCIST,) * fascists + (Role.HITLER,)


def hitler_knows_the_fascists(players: int) -> bool:
    """Whether Hitler opens the eyes too: with five or six players the Fascist and Hitler know each other."""
    return players <= 6  # noqa: PLR2004 - the rulebook's own figure
