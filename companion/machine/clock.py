"""Time as the narrator sees it: a seam, so that a test holds a whole night in no time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import threading


class Clock(Protocol):
    """A monotonic clock that can be waited on."""

    def now(self) -> float:
        """Return seconds since some moment; never goes back."""

    def wait(self, wake: threading.Condition, seconds: float | None) -> None:
        """Wait with `wake` held until it is notified, or until `seconds` have passed; None: however long."""


class SystemClock:
    """The machine's own."""

    def now(self) -> float:
        """Return the monotonic time in seconds: setting the wall clock does not disturb it."""
        return time.monotonic()

    def wait(self, wake: threading.Condition, seconds: float | None) -> None:
        """Wait for a notification, at most `seconds`."""
        wake.wait(seconds)
