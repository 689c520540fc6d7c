"""Clients of a server, for the benchmark of its streams: whoever gets no stream asks for the table every two seconds.

    python -m tests.bench.listeners PORT CLIENTS SEATS

Prints `ready` and the number of streams, waits for a line, and prints as JSON when each stream read which number
(seconds of the system's clock) and how long each poll took (seconds).
"""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import sys
import threading
import time

from tests.bench.phones import join

POLL_SECONDS = 2.0


def opened(port: int, cookie: str) -> socket.socket | None:
    """Ask for a stream; None when there is no place."""
    line = socket.create_connection(("127.0.0.1", port), timeout=20)
    line.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
    if line.recv(4096).startswith(b"HTTP/1.1 200"):
        return line
    line.close()
    return None


def poll(port: int, first: float, took: list[float]) -> None:
    """Ask for the table again and again."""
    time.sleep(first)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    while True:
        began = time.perf_counter()
        line.request("GET", "/api/table")
        line.getresponse().read()
        took.append(time.perf_counter() - began)
        time.sleep(POLL_SECONDS)


def main() -> None:
    """Open the clients and listen."""
    port, clients, seats = map(int, sys.argv[1:])
    cookies = [join(port, number) for number in range(seats)]
    streams = selectors.DefaultSelector()
    polls: list[float] = []
    for number in range(clients):
        line = opened(port, cookies[number] if number < seats else "")
        if line is None:
            first = POLL_SECONDS * number / clients
            threading.Thread(target=poll, args=(port, first, polls), daemon=True).start()
        else:
            streams.register(line, selectors.EVENT_READ)
    print("ready", len(streams.get_map()), flush=True)
    streams.register(sys.stdin, selectors.EVENT_READ)
    heard: list[tuple[int, float]] = []
    while True:
        for key, _ in streams.select():
            if key.fileobj is sys.stdin:
                print(json.dumps({"heard": heard, "polls": polls}), flush=True)
                return
            assert isinstance(key.fileobj, socket.socket)
            news = key.fileobj.recv(4096)
            now = time.time()
            if not news:
                streams.unregister(key.fileobj)
            heard += [(int(line[5:]), now) for line in news.split(b"\n") if line.startswith(b"data:")]


if __name__ == "__main__":
    main()
