"""A time in which no more connections can be taken, since this process may open no more files and sockets.

accept() fails then and leaves the caller where they are, in the kernel's queue: whoever waits there is served when
there is room again, which is kinder than to keep a descriptor for letting them in and hanging up. But the listening
socket is ready to be read all the while, and a loop that went on watching it would turn as fast as the processor lets
it. So nobody looks at the door for a moment, and then only when a descriptor can be had.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

REST_SECONDS = 0.5
"""How long nobody looks at the door. Phones ask again after about as long."""
CALM_SECONDS = 30.0
"""How long connections have to be had without fail before the shortage is over: the table hears once of one that comes
and goes. As long as waitress keeps a connection that says nothing."""

SENTENCE = "No more files or sockets can be opened: phones that call now have to wait."

logger = logging.getLogger(__name__)


class Shortage:
    """Knows whether connections can be taken, and tells when that changes. Used on the server's one thread alone."""

    def __init__(
        self, tell: Callable[[str], object], can_open: Callable[[], bool], now: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin in plenty.

        Args:
            tell: is given the sentence when a shortage begins, and an empty one when it is over.
            can_open: tries whether a descriptor can be had, and gives it back.
            now: seconds that only grow.
        """
        self._tell = tell
        self._can_open = can_open
        self._now = now
        self._rests_until = 0.0
        self._calm_since: float | None = None
        self.trouble = ""

    def met(self) -> None:
        """A caller could not be let in."""
        self._rest()
        if not self.trouble:
            self._say(SENTENCE)
            logger.warning(SENTENCE)

    def watches_the_door(self) -> bool:
        """Whether callers may be let in now. Asked on every turn of the server's loop."""
        if not self.trouble:
            return True
        if self._now() < self._rests_until:
            return False
        if not self._can_open():
            self._rest()
            return False
        if self._calm_since is None:
            self._calm_since = self._now()
        elif self._now() - self._calm_since >= CALM_SECONDS:
            self._say("")
            logger.warning("Phones are let in again.")
        return True

    def _rest(self) -> None:
        self._rests_until = self._now() + REST_SECONDS
        self._calm_since = None

    def _say(self, sentence: str) -> None:
        self.trouble = sentence
        self._tell(sentence)
