"""How long a voice that fails is left alone: a little longer each time, until a line is spoken again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_SECONDS = 10.0
"""The first rest, so that a game without a voice goes on at its pace."""
LONGEST_SECONDS = 900.0
"""A voice that has failed all evening is hardly asked any more: to start it costs a small computer seconds of work."""


class Rest:
    """Counts failures in a row and tells whether it is too early to ask again."""

    def __init__(self, *, spared: int = 0, now: Callable[[], float] = time.monotonic) -> None:
        """Begin without a failure.

        Args:
            spared: how many failures in a row are followed by no rest.
            now: seconds of a clock that never goes back.
        """
        self._spared = spared
        self._now = now
        self._failures = 0
        self._until = 0.0
        self._error = ""

    @property
    def error(self) -> str:
        """Why the voice rests, as a clause; empty when it may be asked."""
        return self._error if self._now() < self._until else ""

    def failed(self, error: str) -> None:
        """Note a failure, and rest."""
        self._failures += 1
        rests = self._failures - self._spared
        if rests > 0:
            # A power of two has to stay a number that a clock can be added to.
            self._until = self._now() + min(FIRST_SECONDS * 2 ** min(rests - 1, 16), LONGEST_SECONDS)
            self._error = error

    def succeeded(self) -> None:
        """Forget all failures."""
        self._failures = 0
        self._until = 0.0
