"""The tables that are printed on the boards and in the set-up page."""

from __future__ import annotations

import pytest

from companion.game import boards
from companion.game.vocabulary import PresidentialPower

PEEK, EXECUTE = PresidentialPower.POLICY_PEEK, PresidentialPower.EXECUTION
INVESTIGATE, SPECIAL = PresidentialPower.INVESTIGATE_LOYALTY, PresidentialPower.CALL_SPECIAL_ELECTION


@pytest.mark.parametrize(
    ("players", "powers", "liberals", "fascists"),
    [
        (5, (None, None, PEEK, EXECUTE, EXECUTE, None), 3, 1),
        (6, (None, None, PEEK, EXECUTE, EXECUTE, None), 4, 1),
        (7, (None, INVESTIGATE, SPECIAL, EXECUTE, EXECUTE, None), 4, 2),
        (8, (None, INVESTIGATE, SPECIAL, EXECUTE, EXECUTE, None), 5, 2),
        (9, (INVESTIGATE, INVESTIGATE, SPECIAL, EXECUTE, EXECUTE, None), 5, 3),
        (10, (INVESTIGATE, INVESTIGATE, SPECIAL, EXECUTE, EXECUTE, None), 6, 3),
    ],
)
def test_the_printed_boards(
    players: int, powers: tuple[PresidentialPower | None, ...], liberals: int, fascists: int
) -> None:
    """Powers and roles for each number of players are those that are printed."""
    assert tuple(boards.power(players, slot) for slot in range(1, 7)) == powers
    roles = [str(role) for role in boards.roles(players)]
    assert (roles.count("liberal"), roles.count("fascist"), roles.count("hitler")) == (liberals, fascists, 1)
    assert len(roles) == players
