"""How often one address may try something: a bucket of tries that fills again with time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED = 512
"""Addresses kept in mind; the one not heard of for longest is forgotten first, so that memory stays bounded."""

AWAY_SECONDS = 120.0
"""How long somebody who was taken from the table has to wait: long enough that a game begins without them."""


class Limit:
    """Allows `burst` tries at once and `per_second` more as time goes by, for each key on its own."""

    def __init__(self, burst: int, per_second: float, now: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, key: str) -> bool:
        """Count one try, and say whether it may go on."""
        now = self._now()
        with self._lock:
            left, since = self._left.pop(key, (float(self._burst), now))
            left = min(self._burst, left + (now - since) * self._per_second)
            allowed = left >= 1
            self._left[key] = (left - allowed, now)
            if len(self._left) > _REMEMBERED:
                self._left.popitem(last=False)
        return allowed


class TurnedAway:
    """Phones that were taken from the table: neither they nor their address sit down again for a while."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._addresses: OrderedDict[str, str] = OrderedDict()
        self._until: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def seated(self, claim: str, address: str) -> None:
        """Note from which address a phone took its seat."""
        with self._lock:
            self._addresses[claim] = address
            if len(self._addresses) > _REMEMBERED:
                self._addresses.popitem(last=False)

    def note(self, claim: str) -> None:
        """A phone has lost its seat to the will of the table."""
        with self._lock:
            for key in filter(None, (claim, self._addresses.get(claim))):
                self._until[key] = self._now() + AWAY_SECONDS
                self._until.move_to_end(key)
            while len(self._until) > _REMEMBERED:
                self._until.popitem(last=False)

    def forgive(self, claim: str) -> None:
        """A phone left by its own will, and may come back at any time."""
        with self._lock:
            for key in filter(None, (claim, self._addresses.get(claim))):
                self._until.pop(key, None)

    def is_away(self, *keys: str) -> bool:
        """Whether a phone, by its claim or its address, has to wait."""
        with self._lock:
            return any(self._until.get(key, 0.0) > self._now() for key in keys if key)
