"""Tells systemd how the box is: ready, what it is doing, alive, stopping. Without systemd nothing happens.

The protocol is one datagram for each message to the socket that `NOTIFY_SOCKET` names (sd_notify(3)). A message that
cannot be sent is dropped: no box stops playing because nobody hears how it is.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

logger = logging.getLogger(__name__)

_SIGNS_PER_LIMIT = 4
"""So often the box shows that it is alive in the time after which systemd restarts it."""


class Supervisor(Protocol):
    """Who looks after a box."""

    def ready(self, status: str) -> None:
        """The box has begun its work; the rest of the start may take as long as it takes."""

    def status(self, status: str) -> None:
        """What the box is doing, in a few words."""

    def watch(self, is_alive: Callable[[float], bool]) -> None:
        """Have the box restarted when `is_alive`, given seconds to find out, is no longer true."""

    def stopping(self, status: str) -> None:
        """The box ends, and wants to."""


class Nobody:
    """Nobody looks after this box."""

    def ready(self, status: str) -> None:
        """Tell nobody."""

    def status(self, status: str) -> None:
        """Tell nobody."""

    def watch(self, is_alive: Callable[[float], bool]) -> None:
        """Watch nothing."""

    def stopping(self, status: str) -> None:
        """Tell nobody."""


class Systemd:
    """systemd looks after this box.

    Args:
        address: the socket to tell it by; one that begins with `@` is abstract.
        limit_seconds: how long the box may show no sign of life; None where nobody watches.
    """

    def __init__(self, address: str, limit_seconds: float | None = None) -> None:
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._limit_seconds = limit_seconds
        self._stopping = threading.Event()

    def ready(self, status: str) -> None:
        """The box has begun its work; the rest of the start may take as long as it takes."""
        self._send("READY=1", f"STATUS={status}")

    def status(self, status: str) -> None:
        """What the box is doing, in a few words."""
        self._send(f"STATUS={status}")

    def watch(self, is_alive: Callable[[float], bool]) -> None:
        """Have the box restarted when `is_alive`, given seconds to find out, is no longer true."""
        if self._limit_seconds is not None:
            patience = self._limit_seconds / _SIGNS_PER_LIMIT
            threading.Thread(target=self._watch, args=(is_alive, patience), name="watchdog", daemon=True).start()

    def stopping(self, status: str) -> None:
        """The box ends, and wants to. Said once."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._send("STOPPING=1", f"STATUS={status}")

    def _watch(self, is_alive: Callable[[float], bool], patience: float) -> None:
        # One socket for all signs: a box that may open no more of them still plays, and need not be started again.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as teller:
            while not self._stopping.is_set():
                if is_alive(patience):
                    self._send("WATCHDOG=1", by=teller)
                elif not self._stopping.is_set():
                    logger.warning("the table has not answered for %.0f seconds", patience)
                self._stopping.wait(patience)

    def _send(self, *lines: str, by: socket.socket | None = None) -> None:
        try:
            if by is None:
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as teller:
                    self._send(*lines, by=teller)
            else:
                by.settimeout(1.0)
                by.sendto("\n".join(line.replace("\n", " ") for line in lines).encode(), self._address)
        except OSError as error:
            logger.debug("systemd was not told %s: %s", lines[0], error)


def supervisor(environment: Mapping[str, str]) -> Supervisor:
    """Return who looks after this process, by what systemd has put into its environment."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return Nobody()
    limit = environment.get("WATCHDOG_USEC", "")
    # A process that was started by the one that is watched has its environment, but is not meant.
    is_meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    watched = limit.isdecimal() and int(limit) > 0 and is_meant
    return Systemd(address, int(limit) / 1_000_000 if watched else None)
