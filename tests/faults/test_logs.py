"""What a stranger sends is one line of the log at most, and works on nobody's terminal."""

from __future__ import annotations

import logging
import socket
import struct
import sys
from typing import TYPE_CHECKING

import pytest

from companion.machine.logs import OneLine, visible
from tests.faults.test_faults import worked

if TYPE_CHECKING:
    from pathlib import Path

FORGED = b"GET /%0aWARNING%20companion:%20forged%1b[31m%0d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
MALFORMED = (
    FORGED,
    b"\x16\x03\x01\x02\x00garbage\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: zz\r\n\r\n",
    b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"GET /\x1b[2J\n HTTP/1.1\r\n\r\n",
    b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /%ff%fe%0aERROR%20forged HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)


@pytest.mark.parametrize("level", ["debug", "warning"])
def test_malformed_requests_forge_no_line_and_log_no_traceback(level: str, tmp_path: Path) -> None:
    """Rubbish, forged lines and escape sequences, each with a reset in the middle of the answer, thirty times."""
    with worked(["--voice", "silent", "--log-level", level], {"HOME": str(tmp_path)}) as box:
        port = box.port()
        for _ in range(30):
            for rubbish in MALFORMED:
                line = socket.create_connection(("127.0.0.1", port))
                line.sendall(rubbish)
                # A reset instead of a goodbye.
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                line.close()
        assert box.ask("GET", "/api/table")["phase"] == "lobby"
    assert "Traceback" not in box.err
    assert "\x1b" not in box.err
    assert "\r" not in box.err
    assert not [line for line in box.err.splitlines() if line.startswith(("WARNING companion: forged", "ERROR forged"))]


def test_a_message_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever stands in it; a traceback of our own follows on lines of its own, and one of a library's is left out."""
    assert visible("Zażółć 漢字\n\x1b[31m\u2028\u202e") == "Zażółć 漢字\\n\\x1b[31m\\u2028\\u202e"
    try:
        raise ValueError("one\nERROR forged")  # noqa: TRY301 - a traceback is wanted
    except ValueError:
        ours = logging.LogRecord("companion.x", logging.ERROR, "x.py", 1, "it %s", ("broke\nhere",), sys.exc_info())
        theirs = logging.LogRecord("waitress.queue", logging.ERROR, "x.py", 1, "oh\n", (), sys.exc_info())
    form = OneLine("%(levelname)s %(message)s")
    first, *rest = form.format(ours).splitlines()
    assert first == "ERROR it broke\\nhere"
    assert rest[0].startswith("Traceback")
    assert form.format(theirs) == "ERROR oh\\n"
    assert caplog.messages == []
