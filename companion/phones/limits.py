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
