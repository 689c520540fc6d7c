"""Serves the app to a table full of phones, in a thread of the box's own process.

The figures were measured against ten honest phones under floods of slow and broken clients: threads enough for every
stream and for the rest, connections closed that say nothing, and a bounded number from one address and in all. Above
that number the connection that has done least is closed for the new one, so that an address which floods fights itself,
and many that flood together fight each other. Whoever opens connections faster than any phone does is hung up on before
they cost anything. When no more files and sockets can be opened, whoever comes waits, and the table is told.
"""

from __future__ import annotations

import logging
import socket
import threading
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from companion.machine import descriptors
from companion.machine.network import CannotServeError
from companion.phones.app import close_streams
from companion.phones.limits import Limit
from companion.phones.shortage import Shortage

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

CONNECTIONS_PER_ADDRESS = 24
CONNECTIONS_FROM_THIS_MACHINE = 10 * CONNECTIONS_PER_ADDRESS
"""This machine may stand for a whole table: screens, monitors, tests, or a proxy for every phone."""

CONNECTIONS_IN_ALL = 25 * CONNECTIONS_PER_ADDRESS
"""Ten phones and their table hold about fifty. Well below `connection_limit`, at which waitress lets nobody in at all,
and below the 1,024 files that a process may usually open."""

CONNECTIONS_AT_ONCE = 3 * CONNECTIONS_PER_ADDRESS
CONNECTIONS_PER_SECOND = 20
"""How fast one other address may open connections; a page that loads takes about six."""

TOO_FEW_THREADS = "this system allows the box too few threads (TasksMax of its service, or ulimit -u)"

_THIS_MACHINE = frozenset({"127.0.0.1", "::1"})

_USER_TIMEOUT_MS = 15_000
"""How long the kernel waits for a phone that has vanished to confirm what was sent."""

_STOP_SECONDS = 0.8

_SETTINGS: dict[str, Any] = {
    "threads": 40,
    "connection_limit": 1000,
    "channel_timeout": 30,
    "cleanup_interval": 5,
    "asyncore_use_poll": True,
    "max_request_body_size": 65_536,
    "max_request_header_size": 16_384,
    "backlog": 256,
    "ident": None,
    "channel_request_lookahead": 1,
    # Left for the pages to see: a request that a proxy has handed on is never this machine's own.
    "clear_untrusted_proxy_headers": False,
    # A phone that hangs up in the middle is everyday life, not something to log.
    "log_socket_errors": False,
}
# send_bytes is 1, the default: each version goes out at once. Naming it makes waitress warn.

logger = logging.getLogger(__name__)


class _Channel(HTTPChannel):  # type: ignore[misc]
    """One connection. Knows whether it has ever asked for anything."""

    requests_seen = 0

    def received(self, data: bytes) -> bool:
        taken = bool(super().received(data))
        if self.requests:
            self.requests_seen += 1
        return taken

    @property
    def idle(self) -> bool:
        return not self.requests and not self.total_outbufs_len


class _Waitress(TcpWSGIServer):  # type: ignore[misc]
    """waitress, with a bounded number of connections from one address, that bears having no descriptor left."""

    channel_class = _Channel

    def __init__(self, *given: Any, on_trouble: Callable[[str], object], **named: Any) -> None:
        # Before the parent's own, which may accept at once.
        self._openings = Limit(CONNECTIONS_AT_ONCE, CONNECTIONS_PER_SECOND)
        self.shortage = Shortage(on_trouble, self._can_open)
        super().__init__(*given, **named)

    def readable(self) -> bool:
        # The parent's comes first: it closes connections that have said nothing for long, which is what helps.
        return bool(super().readable()) and self.shortage.watches_the_door()

    def accept(self) -> tuple[socket.socket, tuple[str, int]] | None:
        accepted: tuple[socket.socket, tuple[str, int]] | None
        try:
            accepted = super().accept()
        except OSError as error:
            if not descriptors.are_lacking(error):
                raise
            self.shortage.met()
            return None
        if accepted is None or accepted[1][0] in _THIS_MACHINE or self._openings.allows(accepted[1][0]):
            return accepted
        accepted[0].close()
        return None

    def set_socket_options(self, conn: socket.socket) -> None:
        super().set_socket_options(conn)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS)

    def fix_addr(self, addr: tuple[str, int]) -> tuple[str, int]:
        # Called for each connection as it is accepted, on the one thread that opens and closes them.
        self._make_room(addr[0])
        return addr

    def _can_open(self) -> bool:
        try:
            self.socket.dup().close()
        except OSError as error:
            return not descriptors.are_lacking(error)
        return True

    def _make_room(self, address: str) -> None:
        open_ones = [each for each in self.active_channels.values() if not each.will_close]
        others = [each for each in open_ones if each.addr[0] == address]
        if len(others) < _cap(address):
            if len(open_ones) < CONNECTIONS_IN_ALL:
                return
            # Many addresses flood together.
            others = open_ones
        # First who never asked for anything, then who has nothing to do, then whoever is oldest.
        victim = min(others, key=lambda each: (bool(each.requests_seen), not each.idle, each.creation_time))
        victim.will_close = True


def _cap(address: str) -> int:
    return CONNECTIONS_FROM_THIS_MACHINE if address in _THIS_MACHINE else CONNECTIONS_PER_ADDRESS


class Server:
    """The running server. It listens from the moment it exists; `start` answers, `close` ends within a second."""

    def __init__(
        self,
        app: Flask,
        host: str = "0.0.0.0",  # noqa: S104 - phones are elsewhere
        port: int = 8080,
        *,
        on_trouble: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Listen.

        Args:
            app: what is served.
            host: the address to listen on.
            port: the port; 0 for any free one.
            on_trouble: is given the sentence when phones cannot be let in any more, and an empty one when they can be
                again. Called on the thread that serves.

        Raises:
            CannotServeError: the address cannot be had.
        """
        self._app = app
        self._dispatcher = ThreadedTaskDispatcher()
        self._map: dict[int, Any] = {}
        try:
            if port not in range(65_536):
                # The system would take it modulo 65,536.
                raise ValueError("a port is a number from 0 to 65535")  # noqa: TRY301 - told with the others below
            settings = Adjustments(host=host, port=port, **_SETTINGS)
            self._server = _Waitress(
                app,
                self._map,
                dispatcher=self._dispatcher,
                adj=settings,
                sockinfo=settings.listen[0],
                on_trouble=on_trouble,
            )
        except (OSError, ValueError, OverflowError) as error:
            wasyncore.close_all(self._map, ignore_all=True)
            raise CannotServeError(_sentence(host, port, error)) from None
        self._thread = threading.Thread(target=self._server.run, name="phones", daemon=True)
        self._few_threads = ""
        self._closed = False

    @property
    def host(self) -> str:
        """The address it listens on."""
        return str(self._server.effective_host)

    @property
    def port(self) -> int:
        """The port it listens on: the one that was asked for, or the free one that was found for 0."""
        return int(self._server.effective_port)

    @property
    def trouble(self) -> str:
        """Why phones cannot be let in, in one sentence; empty while all is well."""
        return str(self._server.shortage.trouble) or self._few_threads

    def start(self) -> None:
        """Begin to answer."""
        try:
            self._dispatcher.set_thread_count(_SETTINGS["threads"])
        except RuntimeError:
            # Python's own word for a system that allows no more threads.
            started = self._dispatcher.active_count
            if not started:
                raise
            # The one that could not be started is listed already.
            self._dispatcher.threads.intersection_update(range(started))
            self._few_threads = f"Only {started} phones are served at a time: {TOO_FEW_THREADS}."
            logger.warning(self._few_threads)
        self._thread.start()

    def close(self) -> None:
        """End every stream and stop. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        close_streams(self._app)
        if self._thread.is_alive():
            self._dispatcher.shutdown(timeout=_STOP_SECONDS)
            left: dict[int, Any] = {}

            def leave() -> None:
                left.update(self._map)
                self._map.clear()

            # The serving thread ends for want of sockets. They are closed after that: a trigger that is pulled
            # meanwhile, by us or by a request that ends late, must not write to what has taken its number.
            self._server.trigger.pull_trigger(leave)
            self._thread.join(_STOP_SECONDS)
            wasyncore.close_all(left, ignore_all=True)
        else:
            wasyncore.close_all(self._map, ignore_all=True)


def _sentence(host: str, port: int, error: Exception) -> str:
    if isinstance(error, PermissionError):
        return f"Port {port} is not allowed to this user: choose one above 1023 with --port."
    if isinstance(error, OSError) and error.errno is not None and "in use" in str(error):
        return f"Port {port} is taken by another program: choose another with --port, or 0 for any free one."
    return f"The pages cannot be served on {host} port {port}: {error}."
