"""What may be wrong with a journal: the file itself, or only the way to it."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from companion.errors import CompanionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from companion.journal.rows import Row

NOT_WRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
OUT_OF_REACH = {
    *NOT_WRITABLE,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
}
"""Errors that say nothing about what the file holds."""


class Damaged(CompanionError):  # noqa: N818
    """A file that is no sound journal of this version.

    Attributes:
        kind: one word for the name under which it is put aside.
        finding: the beginning of a sentence.
        readable: what could be read of the running game up to the damage.
    """

    def __init__(self, kind: str, finding: str, readable: tuple[Row, ...] = ()) -> None:
        super().__init__(finding)
        self.kind = kind
        self.finding = finding
        self.readable = readable


def code_of(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; errors of the Python module itself count as its general error."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


@contextlib.contextmanager
def corruption_is_damage() -> Iterator[None]:
    """Tell what shows the file to be damaged from what says nothing about it.

    Raises:
        Damaged: what was read cannot have been written so.
        sqlite3.Error: the file is out of reach.
    """
    try:
        yield
    except sqlite3.Error as error:
        if code_of(error) in OUT_OF_REACH:
            raise
        raise Damaged("corrupt", "The journal was damaged") from None
    except (TypeError, ValueError):
        raise Damaged("corrupt", "The journal was damaged") from None
