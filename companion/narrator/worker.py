"""What worker processes of the narrator share: requests come in, answers go out, a line of JSON each.

A worker ends when its standard input does. On Linux it also dies with the thread of the box that started it, so that
none is left behind which hangs in a driver.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PR_SET_PDEATHSIG = 1
_PIECE_BYTES = 65_536


def message(**facts: Any) -> bytes:
    """Write facts as one line, in ASCII so that no locale can spoil it."""
    return json.dumps(facts).encode("ascii") + b"\n"


def standard_output() -> BinaryIO:
    """Return standard output for answers alone; what libraries print goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


def requests(due: Callable[[], float | None]) -> Iterator[bytes]:
    """Give the lines of standard input until it ends.

    Args:
        due: does what falls due in between, and returns the seconds until something does again; None for nothing.
    """
    poll = select.poll()
    poll.register(0, select.POLLIN)
    unread = b""
    while True:
        seconds = due()
        if not poll.poll(None if seconds is None else seconds * 1000):
            continue
        piece = os.read(0, _PIECE_BYTES)
        if not piece:
            return
        *lines, unread = (unread + piece).split(b"\n")
        yield from lines


def die_with_the_box() -> None:
    """Have the kernel end this process with the thread that started it, where it can."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
