"""Whose turn at a worker it is: what the table waits for goes before what is rendered for later."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from companion.narrator.sound import VoiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_END = float("inf")
"""When nobody waits for a line, it is never given up."""


class Turns:
    """One line at a time, and one that is awaited before one that is prepared."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self._awaited = 0
        self._preparing = 0

    @property
    def is_preparing(self) -> bool:
        """Whether lines are being rendered for later."""
        return self._preparing > 0

    @contextlib.contextmanager
    def preparing(self) -> Iterator[None]:
        """Render lines for later meanwhile, each in its turn."""
        with self._changed:
            self._preparing += 1
        try:
            yield
        finally:
            with self._changed:
                self._preparing -= 1

    @contextlib.contextmanager
    def taken(self, until: float = NO_END, *, is_awaited: bool = True) -> Iterator[None]:
        """Hold the turn.

        Args:
            until: when to give up, in the seconds of `time.monotonic`.
            is_awaited: whether somebody waits for the line; who only prepares one lets all of those go first.

        Raises:
            VoiceError: somebody else's line took for too long.
        """
        self._take(until, is_awaited=is_awaited)
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()

    def _take(self, until: float, *, is_awaited: bool) -> None:
        with self._changed:
            self._awaited += is_awaited
            try:
                is_free = self._changed.wait_for(
                    lambda: not self._is_taken and (is_awaited or not self._awaited),
                    min(max(0.0, until - time.monotonic()), threading.TIMEOUT_MAX),
                )
            finally:
                self._awaited -= is_awaited
            if not is_free:
                raise VoiceError("the voice is busy with another line")
            self._is_taken = True
