"""Looks, as long as the box runs, where phones find it: a router or a hotspot may give it another address any time."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from companion.machine import descriptors

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.machine.network import Whereabouts
    from companion.table.snapshot import Feed

EVERY_SECONDS = 3.0
"""How often is looked. A look sends nothing, and takes less than a millisecond."""

logger = logging.getLogger(__name__)


class AddressWatcher:
    """Keeps the feed right about where the box is, so that pages show a new address and a new code by themselves.

    Safe to call from several threads. Nobody waits for a network here: it looks at what there is.

    Attributes:
        on_own_network: called on the thread that looks, whenever a network that the box makes has come up.
    """

    def __init__(self, look: Callable[[], Whereabouts], feed: Feed, every_seconds: float = EVERY_SECONDS) -> None:
        """Make a watcher that has not looked yet.

        Args:
            look: says where the box is now.
            feed: where it is shown.
            every_seconds: how long to wait between two looks.
        """
        self._look = look
        self._feed = feed
        self._every_seconds = every_seconds
        self._on_move: Callable[[Whereabouts], None] | None = None
        self._told: str | None = None
        self._serves = False
        self.on_own_network: Callable[[], object] = lambda: None
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="addresses", daemon=True)

    def start(self) -> None:
        """Look at once, and again and again."""
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def tell(self, on_move: Callable[[Whereabouts], None], known: str | None) -> None:
        """Tell somebody of every new address, once: not again when a network comes back as it was.

        Args:
            on_move: called on the thread that looks.
            known: the address that they know already; None when there was none.
        """
        with self._lock:
            self._on_move, self._told = on_move, known

    def look(self) -> Whereabouts:
        """Look now, and return what was found."""
        with self._lock:
            where = self._look()
            self._feed.post(where=where)
            serves = where.hotspot is not None
            if serves and not self._serves:
                self.on_own_network()
            self._serves = serves
            if self._on_move is not None and where.address not in {None, self._told}:
                self._told = where.address
                self._on_move(where)
            return where

    def _watch(self) -> None:
        while not self._over.is_set():
            try:
                self.look()
            except OSError as error:
                # Where nothing can be asked the box is where it was.
                if not descriptors.are_lacking(error):
                    logger.exception("looking for the network failed")
            except Exception:
                # One look that fails must not be the last one: the next may find the network.
                logger.exception("looking for the network failed")
            self._over.wait(self._every_seconds)
