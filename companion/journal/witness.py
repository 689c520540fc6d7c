"""A witness of the journal's last row, outside its log: what is gone from the log without a trace is noticed by it.

SQLite takes a write-ahead log that ends at a commit for whole, and one that is missing for empty: an older game would
come back in silence. The witness is written after each commit, so it is never ahead of what was acknowledged. It may be
behind after a power cut, which says nothing. It holds two numbers and nothing of a game.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from companion.journal.rows import Head

_FILE_NAME = "journal.head"
_BYTES = 64


class Witness:
    """The witness of a state directory. Best effort: none of its calls fails."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / _FILE_NAME

    def note(self, head: Head) -> None:
        """Note what the last row is. In place, in one sector: after a power cut there is the old one or this one."""
        facts = f"{head.game} {head.sequence}"
        line = f"{facts} {zlib.crc32(facts.encode())}".ljust(_BYTES - 1) + "\n"
        with contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            try:
                os.pwrite(descriptor, line.encode("ascii"), 0)
            finally:
                os.close(descriptor)

    def missing(self, head: Head) -> str:
        """Return what a journal with this head lacks, in a sentence; empty where nothing is known to be missing."""
        game, sequence = self._seen()
        if (game, sequence) <= (head.game, head.sequence):
            return ""
        if game > head.game:
            return "The journal lacks what was played last, at least one game: its log was removed or cut."
        count = sequence - head.sequence
        reports = "the last report" if count == 1 else f"the last {count} reports"
        return f"The journal lacks {reports} of this game: its log was removed or cut. Look whether the table agrees."

    def _seen(self) -> tuple[int, int]:
        with contextlib.suppress(OSError, ValueError):
            facts, _, checksum = self._path.read_bytes()[:_BYTES].decode("ascii").strip().rpartition(" ")
            if zlib.crc32(facts.encode()) == int(checksum):
                game, sequence = map(int, facts.split())
                return game, sequence
        return 0, 0
