"""The server as phones meet it: over real sockets on loopback."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from waitress.task import ThreadedTaskDispatcher

from companion.machine.network import CannotServeError
from companion.phones.app import create_app
from companion.phones.server import CONNECTIONS_AT_ONCE, CONNECTIONS_PER_ADDRESS, Server
from tests.phones.fake_box import FakeBox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STRANGE = "127.0.0.66"
"""Another address of this machine, to stand for another phone."""


@contextmanager
def serving(box: FakeBox) -> Iterator[Server]:
    """Serve a box on a free port."""
    server = Server(create_app(box), "127.0.0.1", 0)
    server.start()
    try:
        yield server
    finally:
        server.close()


def request(
    server: Server, method: str, path: str, content: object = None, cookie: str = "", source: str = "127.0.0.1"
) -> tuple[int, str, bytes]:
    """Send one request from an address; return status, cookie and body."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=5, source_address=(source, 0))) as line:
        headers = {"Content-Type": "application/json", "Cookie": cookie} if content is not None else {"Cookie": cookie}
        line.request(method, path, None if content is None else json.dumps(content), headers)
        answer = line.getresponse()
        given = (answer.headers["Set-Cookie"] or "").partition(";")[0]
        return answer.status, given, answer.read()


def join(server: Server, name: str) -> str:
    """Sit down, and return the cookie."""
    status, cookie, _ = request(server, "POST", "/join", {"name": name})
    assert status == 303
    return cookie


def stream(server: Server, cookie: str = "", source: str = "127.0.0.1") -> socket.socket:
    """Open a stream and leave it open."""
    line = socket.create_connection(("127.0.0.1", server.port), 5, source_address=(source, 0))
    line.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
    return line


def read_until(line: socket.socket, what: bytes) -> bytes:
    """Return what comes until something is in it."""
    heard = b""
    while what not in heard:
        more = line.recv(4096)
        if not more:
            break
        heard += more
    return heard


def test_a_port_that_is_taken_is_named_in_a_sentence() -> None:
    """An OSError, as callers expect, with advice instead of a number."""
    with serving(FakeBox()) as server, pytest.raises(CannotServeError, match=f"Port {server.port} is taken"):
        Server(create_app(FakeBox()), "127.0.0.1", server.port)


@pytest.mark.parametrize(("host", "port"), [("256.1.1.1", 0), ("192.0.2.77", 0), ("127.0.0.1", 99999)])
def test_an_address_that_cannot_be_had_is_named_in_a_sentence(host: str, port: int) -> None:
    """Whatever the reason, there is no traceback to read."""
    with pytest.raises(CannotServeError, match=str(port)):
        Server(create_app(FakeBox()), host, port)


def test_it_closes_within_a_second_with_streams_open() -> None:
    """And a second close does nothing."""
    box = FakeBox()
    with serving(box) as server, ExitStack() as lines:
        for name in ("Anna", "Boris", "Carl", "Dora", "Emil"):
            line = lines.enter_context(stream(server, join(server, name)))
            read_until(line, b": here")
        began = time.monotonic()
        server.close()
        assert time.monotonic() - began < 1
        server.close()
    with pytest.raises(OSError, match=r".*"):
        socket.create_connection(("127.0.0.1", server.port), 1)


def test_a_server_that_never_started_closes_too() -> None:
    """So that a box which fails half-way leaves no port behind."""
    server = Server(create_app(FakeBox()), "127.0.0.1", 0)
    port = server.port
    server.close()
    Server(create_app(FakeBox()), "127.0.0.1", port).close()


def test_a_change_reaches_ten_phones_at_once() -> None:
    """Within a tenth of a second, on a stream each."""
    box = FakeBox()
    with serving(box) as server, ExitStack() as lines:
        phones = [lines.enter_context(stream(server, join(server, f"Player {seat}"))) for seat in range(10)]
        for line in phones:
            read_until(line, b"data: ")
        began = time.monotonic()
        version = box.feed.post(caption="Now").version
        for line in phones:
            assert f"data: {version}".encode() in read_until(line, f"data: {version}\n".encode())
        assert time.monotonic() - began < 0.5


def test_the_newest_stream_of_a_seat_wins() -> None:
    """The older one is ended by the server."""
    with serving(FakeBox()) as server:
        cookie = join(server, "Anna")
        with ExitStack() as lines:
            older = lines.enter_context(stream(server, cookie))
            read_until(older, b": here")
            read_until(lines.enter_context(stream(server, cookie)), b": here")
            read_until(older, b"\r\n0\r\n\r\n")
            assert len(server._app.extensions["phones"].streams) == 1


def test_a_stream_whose_phone_hung_up_gives_its_place_back() -> None:
    """Within a moment, not at the next change."""
    with serving(FakeBox()) as server:
        streams = server._app.extensions["phones"].streams
        with stream(server) as line:
            read_until(line, b": here")
            assert len(streams) == 1
        limit = time.monotonic() + 3
        while len(streams) and time.monotonic() < limit:
            time.sleep(0.05)
        assert len(streams) == 0


def test_honest_phones_are_served_under_hostile_ones() -> None:
    """Slow headers, slow bodies, dead streams and a flood from another address: every honest request is answered."""
    with serving(FakeBox()) as server, ExitStack() as lines:
        cookies = [join(server, f"Player {seat}") for seat in range(10)]
        for cookie in cookies:
            lines.enter_context(stream(server, cookie))
        openings = (
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
            b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\nname=",
            b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"",
        )
        for number in range(200):
            line = lines.enter_context(socket.create_connection(("127.0.0.1", server.port), 5, (STRANGE, 0)))
            try:
                line.sendall(openings[number % len(openings)])
            except OSError:
                continue
        statuses = [request(server, "GET", "/api/me", cookie=cookie)[0] for cookie in cookies for _ in range(5)]
        assert statuses == [200] * 50
        channels = server._server.active_channels.values()
        assert sum(each.addr[0] == STRANGE for each in channels) <= CONNECTIONS_PER_ADDRESS + 1


def test_whoever_opens_connections_faster_than_a_phone_is_hung_up_on() -> None:
    """Before it costs anything; other addresses and this machine are served meanwhile, and later it is served again."""
    with serving(FakeBox()) as server, ExitStack() as lines:
        now = time.monotonic()
        server._server._openings._now = lambda: now
        opened = [
            lines.enter_context(socket.create_connection(("127.0.0.1", server.port), 5, (STRANGE, 0)))
            for _ in range(CONNECTIONS_AT_ONCE + 30)
        ]
        # Those that were let in at first have made room for newer ones of the same address.
        for line in opened[CONNECTIONS_AT_ONCE:]:
            line.settimeout(5)
            assert line.recv(1) == b""
        assert request(server, "GET", "/healthz")[0] == 200
        assert request(server, "GET", "/healthz", source="127.0.0.67")[0] == 200
        with pytest.raises((OSError, http.client.HTTPException)):
            request(server, "GET", "/healthz", source=STRANGE)
        now += 1
        assert request(server, "GET", "/healthz", source=STRANGE)[0] == 200


def test_too_large_a_request_is_refused_and_the_next_is_served() -> None:
    """413 and 431 or the like, never a hang."""
    with serving(FakeBox()) as server:
        assert request(server, "POST", "/join", {"name": "x" * 70_000})[0] == 413
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)) as line:
            line.putrequest("GET", "/")
            line.putheader("X-Long", "x" * 20_000)
            line.endheaders()
            assert line.getresponse().status in (400, 431)
        assert request(server, "GET", "/healthz")[0] == 200


def test_the_server_says_nothing_about_itself() -> None:
    """No name and no version of a program, for whoever looks for a hole in one."""
    with serving(FakeBox()) as server, closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)) as line:
        line.request("GET", "/")
        assert line.getresponse().headers["Server"] is None


def test_ten_people_join_at_the_same_moment() -> None:
    """Each gets a seat, nobody gets two, and equal names are told apart from a collision."""
    box = FakeBox()
    with serving(box) as server:
        statuses: list[int] = []
        start = threading.Barrier(12)

        def sit(name: str) -> None:
            start.wait()
            statuses.append(request(server, "POST", "/join", {"name": name})[0])

        people = [threading.Thread(target=sit, args=(name,)) for name in [*"ABCDEFGHIJ", "a", "b"]]
        for person in people:
            person.start()
        for person in people:
            person.join()
        assert sorted(statuses) == [303] * 10 + [409] * 2
        assert len({player.name.casefold() for player in box.evening.seating.players}) == 10


def test_with_few_threads_fewer_phones_are_served_and_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A system that allows the box six more threads lets it serve six at a time, and not end."""
    start, left = ThreadedTaskDispatcher.start_new_thread, [0] * 6

    def start_new_thread(dispatcher: ThreadedTaskDispatcher, target: Callable[..., None], number: int) -> None:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        start(dispatcher, target, number)

    monkeypatch.setattr(ThreadedTaskDispatcher, "start_new_thread", start_new_thread)
    with serving(FakeBox()) as server:
        assert "Only 6 phones are served at a time" in server.trouble
        for _ in range(20):
            assert request(server, "GET", "/healthz")[0] == 200
