"""Phones around a table, for the benchmark: each holds a stream open, and looks at the table when something is new.

    python -m tests.bench.phones PORT SEATS PHONES

Prints `ready`, waits for a line, and prints how often the phones looked and how often they were not served.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading

looked = failed = 0


def join(port: int, number: int) -> str:
    """Sit down, and return the cookie."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    line.request("POST", "/join", json.dumps({"name": f"Player {number}"}), {"Content-Type": "application/json"})
    answer = line.getresponse()
    assert answer.status == 303, answer.read()
    cookie = (answer.headers["Set-Cookie"] or "").partition(";")[0]
    line.close()
    return cookie


def hold(port: int, cookie: str, opened: threading.Barrier) -> None:
    """Hold a stream, and look at the table at each of its lines."""
    global looked, failed  # noqa: PLW0603 - counted for one line at the end
    stream = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    stream.request("GET", "/api/events", headers={"Cookie": cookie})
    answer = stream.getresponse()
    opened.wait(10)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    while news := answer.readline():
        if news.startswith(b"data"):
            try:
                line.request("GET", "/api/table")
                table = line.getresponse()
                table.read()
                served = table.status == http.HTTPStatus.OK
            except (OSError, http.client.HTTPException):
                line.close()
                served = False
            looked += served
            failed += not served


def main() -> None:
    """Open the phones and wait."""
    port, seats, phones = map(int, sys.argv[1:])
    cookies = [join(port, number) for number in range(seats)]
    opened = threading.Barrier(phones + 1)
    for number in range(phones):
        cookie = cookies[number] if number < seats else ""
        threading.Thread(target=hold, args=(port, cookie, opened), daemon=True).start()
    opened.wait(10)
    print("ready", flush=True)
    sys.stdin.readline()
    print(looked, failed, flush=True)


if __name__ == "__main__":
    main()
