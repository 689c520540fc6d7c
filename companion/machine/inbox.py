"""One thread and its inbox: how a part that may block is asked for something without anybody waiting for it.

Loudspeaker, narrator and the table's owner each are one. Asking puts work into the inbox and returns; the thread does
it in its turn. Where the thread hangs, the age of what it is asked for tells so.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from companion.machine.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.machine.clock import Clock

_AFTER_A_FAILURE_SECONDS = 1.0
"""How long a thread rests whose own work fails, so that it does not fail without end."""

logger = logging.getLogger(__name__)


class Inbox:
    """Work for one thread, done in the order in which it was asked for. `put` may be called from any thread."""

    def __init__(self, name: str, due: Callable[[], float | None] = lambda: None, clock: Clock | None = None) -> None:
        """Make an inbox; its thread begins with `start`, and work that is put before that is kept.

        Args:
            name: of the thread.
            due: does what falls due by itself, and returns the seconds until something does again; None for nothing.
            clock: by which the thread waits.
        """
        self._name = name
        self._due = due
        self._clock = clock or SystemClock()
        self._more = threading.Condition()
        self._work: deque[tuple[float, Callable[[], object]]] = deque()
        self._began: float | None = None
        """When the work that is being done was asked for."""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def put(self, work: Callable[[], object]) -> bool:
        """Ask for work; False when the inbox is closed and nobody will do it."""
        with self._more:
            if self._closed:
                return False
            self._work.append((time.monotonic(), work))
            self._more.notify_all()
            return True

    def close(self) -> None:
        """Take no more work; what was asked for before is still done."""
        with self._more:
            self._closed = True
            self._more.notify_all()

    def join(self, seconds: float) -> bool:
        """Wait for the end of a closed inbox, but not from its own thread; whether it has come."""
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(max(0.0, seconds))
        return not self._thread.is_alive()

    @property
    def waits_seconds(self) -> float:
        """How long the oldest work that is not done has waited; 0 while nothing waits."""
        began = self._began
        if began is None:
            try:
                began = self._work[0][0]
            except IndexError:
                return 0.0
        return time.monotonic() - began

    def work_off(self) -> None:
        """Do all that was asked for. For the inbox's own thread, and for tests that have none."""
        while self._work:
            with self._more:
                self._began, work = self._work.popleft()
            try:
                work()
            except Exception:
                # One thing that fails must not end the evening.
                logger.exception("the %s failed at something and goes on", self._name)
            finally:
                self._began = None

    def _run(self) -> None:
        while True:
            self.work_off()
            try:
                seconds = self._due()
            except Exception:
                logger.exception("the %s failed at something and goes on", self._name)
                seconds = _AFTER_A_FAILURE_SECONDS
            with self._more:
                # What was asked for since then must not wait.
                if self._work:
                    continue
                if self._closed:
                    return
                self._clock.wait(self._more, seconds)
