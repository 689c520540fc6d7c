"""Phones around a table, for the benchmark: each holds a stream open, and looks at the table when something is new.

    python -m tests.bench.phones PORT SEATS PHONES

Prints `ready`, waits for a line, and prints how often the phones looked and how often they were not served.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading

PHONES = 15
SEATS = 10

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


class Phones:
    """Phones around the table, in a process of their own as they are in life."""

    def __init__(self, port: int, phones: int = PHONES) -> None:
        words = [sys.executable, "-m", "tests.bench.phones", str(port), str(SEATS), str(phones)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def looked(self) -> tuple[int, int]:
        """Send the phones away, and return how often they looked at the table, and how often they could not."""
        told, _ = self._process.communicate("end\n", timeout=10)
        looked, failed = map(int, told.split())
        return looked, failed

    def close(self) -> None:
        """Send them away if they are still there."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


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
