"""Chance: who gets which role, and who is the first presidential candidate."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from companion.game import boards

if TYPE_CHECKING:
    import random

    from companion.game.vocabulary import Role


class Dice:
    """Draws from the operating system's secure randomness; a test may bring a generator of its own."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._source = source or secrets.SystemRandom()

    def roles(self, players: int) -> tuple[Role, ...]:
        """Return the roles for a number of players, 5 to 10, in an order in which every deal is as likely as any."""
        dealt = list(boards.roles(players))
        self._source.shuffle(dealt)
        return tuple(dealt)

    def order(self, count: int) -> tuple[int, ...]:
        """Return the numbers from 0 up to a count, in an order as likely as any."""
        numbers = list(range(count))
        self._source.shuffle(numbers)
        return tuple(numbers)

    def number(self, numbers: range) -> int:
        """Return one of some numbers."""
        return self._source.choice(numbers)

    def first(self, players: int) -> int:
        """Return the seat of the first presidential candidate."""
        return self._source.randrange(players) + 1
