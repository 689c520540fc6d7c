"""How the file is laid out."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from companion.journal.damage import Damaged

if TYPE_CHECKING:
    pass

APPLICATION_ID = 0x53484A6C
"""What SQLite's header says a file is: "SHJl"."""
VERSION = 2
"""The layout of the file. 1 was never released."""

_LAYOUT = (
    """
    CREATE TABLE entry (
        game INTEGER NOT NULL, sequence INTEGER NOT NULL, at TEXT NOT NULL, events TEXT NOT NULL,
        checksum INTEGER NOT NULL, PRIMARY KEY (game, sequence)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE head (
        only INTEGER PRIMARY KEY CHECK (only = 1), game INTEGER NOT NULL, sequence INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    )
    """,
    "INSERT INTO head VALUES (1, 0, 0, 0)",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID",
)


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """Return a figure of the file's header."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def is_blank(connection: sqlite3.Connection) -> bool:
    """Whether nobody has written into the file yet."""
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    return tables == 0 and pragma(connection, "application_id") == 0


def lay_out(connection: sqlite3.Connection) -> None:
    """Make a blank file a journal without entries."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in _LAYOUT:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def require_ours(connection: sqlite3.Connection) -> None:
    """Make sure that this is a journal of this program.

    Raises:
        Damaged: it is none of ours, or newer than this program.
    """
    if pragma(connection, "application_id") != APPLICATION_ID:
        raise Damaged("foreign", "A file of another program was in the place of the journal")
    version = pragma(connection, "user_version")
    if version > VERSION:
        raise Damaged("newer", "The journal was written by a newer version of this program")
    if version != VERSION:
        raise Damaged("corrupt", "The journal was damaged")
