"""Looks, as long as the box runs, where phones find it: a router or a hotspot may give it another address any time."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.bulletin import Bulletin
    from companion.network import Whereabouts

EVERY_SECONDS = 3.0
"""How often is looked. A look sends nothing, and takes less than a millisecond."""

logger = logging.getLogger(__name__)


class Lookout:
    """Keeps the bulletin right about where the box is, so that pages show a new address and a new code by themselves.

    Attributes:
        on_move: called on the lookout's own thread, once for each new address; never for the one that was there when
            the lookout began, and not again when a network comes back as it was.
    """

    def __init__(
        self, look: Callable[[], Whereabouts], bulletin: Bulletin, every_seconds: float = EVERY_SECONDS
    ) -> None:
        """Look for the first time.

        Args:
            look: says where the box is now.
            bulletin: where it is shown.
            every_seconds: how long to wait between two looks.
        """
        self.on_move: Callable[[Whereabouts], None] = lambda _: None
        self._look = look
        self._bulletin = bulletin
        self._every_seconds = every_seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lookout", daemon=True)
        where = look()
        bulletin.post(where=where)
        self._told = where.address

    def start(self) -> None:
        """Go on looking."""
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def look(self) -> Whereabouts:
        """Look now, and return what was found."""
        where = self._look()
        self._bulletin.post(where=where)
        if where.address is not None and where.address != self._told:
            self._told = where.address
            self.on_move(where)
        return where

    def _watch(self) -> None:
        while not self._over.wait(self._every_seconds):
            try:
                self.look()
            except Exception:
                # One look that fails must not be the last one: the next may find the network.
                logger.exception("looking for the network failed")
