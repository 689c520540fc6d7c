"""A hostile client on another address of this machine, for the benchmark of a box under attack.

    python -m tests.bench.siege PORT

Opens 300 requests whose headers never end and 300 streams that are never read; each second opens again whatever was
closed, and sends a byte more of each slow header. Prints `ready`, waits for a line for two minutes at most, and
prints what it did.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
import time
from typing import Self

ADDRESS = "127.0.0.66"
SLOW_HEADERS = DEAD_STREAMS = 300
ROUND_SECONDS = 1.0
LONGEST_SECONDS = 120.0

_OPENINGS = {
    "slow": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "dead": b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}


def opened(port: int, kind: str) -> socket.socket | None:
    """Open one connection; None when the server takes no more at this moment."""
    line = socket.socket()
    line.settimeout(0.5)
    try:
        line.bind((ADDRESS, 0))
        line.connect(("127.0.0.1", port))
        line.sendall(_OPENINGS[kind])
    except OSError:
        line.close()
        return None
    line.setblocking(False)
    return line


def closed(line: socket.socket) -> bool:
    """Whether the server has hung up."""
    # What has been sent to us stays unread: these are clients that do not read.
    try:
        return line.recv(1 << 16, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class Siege:
    """A hostile client on another address, in a process of its own, for as long as it is in the `with`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.told = ""

    def __enter__(self) -> Self:
        words = [sys.executable, "-m", "tests.bench.siege", str(self._port)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self.told = self._process.communicate("end\n", timeout=30)[0].strip()


def main() -> None:
    """Attack until somebody says that it is enough."""
    # What is measured is what the attack costs the box, not what it costs to attack from the same machine.
    os.nice(19)
    port = int(sys.argv[1])
    wanted = ["slow"] * SLOW_HEADERS + ["dead"] * DEAD_STREAMS
    lines: list[socket.socket | None] = [None] * len(wanted)
    tries = 0
    began = time.monotonic()
    told = False
    while time.monotonic() - began < LONGEST_SECONDS:
        for place, kind in enumerate(wanted):
            line = lines[place]
            if line is not None and closed(line):
                line.close()
                line = None
            if line is None:
                line = opened(port, kind)
                tries += 1
            elif kind == "slow":
                with contextlib.suppress(OSError):
                    line.send(b"x")
            lines[place] = line
        if not told:
            told = True
            print("ready", flush=True)
        if select.select([sys.stdin], [], [], ROUND_SECONDS)[0]:
            break
    seconds = time.monotonic() - began
    print(
        f"{SLOW_HEADERS} slow headers, {DEAD_STREAMS} dead streams, {tries} connections in {seconds:.0f} s", flush=True
    )
    for line in lines:
        if line is not None:
            line.close()


if __name__ == "__main__":
    main()
