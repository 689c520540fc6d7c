"""What phones ask the table: one question at a time, told by a number, and never so often that it is a nuisance."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = range(10, 100)
"""What a question is told by: two digits, which are read from a phone and heard from the box at a glance."""
FIRST_PAUSE_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 300.0
FORGIVEN_SECONDS = 900.0
"""After so long without a question the next pause is a short one again."""


Kind: TypeAlias = Literal["host", "seat", "share"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a phone asks the table.

    Attributes:
        kind: `host`, to be the host's phone; `seat`, to have a player's seat; `share`, to show a player's cards too.
        player: the id of the player who would be the host, or whose seat it is.
        number: stands on the phone that asks, and is said by the box.
        claim: the hash of the asking phone's secret.
    """

    kind: Kind
    player: int
    number: int
    claim: str = field(repr=False)


class Pauses:
    """How long nobody may ask after a question that the table did not allow: longer each time."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until = 0.0
        self._lapsed = 0
        self._lapsed_at = 0.0

    @property
    def seconds_left(self) -> float:
        """How long nobody may ask yet; 0 when anybody may."""
        return max(0.0, self._until - self._now())

    def lapsed(self) -> None:
        """Begin a pause: a question was not allowed."""
        now = self._now()
        if now - self._lapsed_at > FORGIVEN_SECONDS:
            self._lapsed = 0
        self._until = now + min(FIRST_PAUSE_SECONDS * 2 ** min(self._lapsed, 16), LONGEST_PAUSE_SECONDS)
        self._lapsed += 1
        self._lapsed_at = now

    def allowed(self) -> None:
        """Forget all pauses: the table wanted this question."""
        self._lapsed = 0
        self._until = 0.0
