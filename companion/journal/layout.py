"""How the file is laid out, and how one of an earlier version becomes one of this."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from companion.journal.damage import Damaged
from companion.journal.rows import Head, checksum_of

if TYPE_CHECKING:
    from collections.abc import Callable

APPLICATION_ID = 0x53484A6C
"""What SQLite's header says a file is: "SHJl"."""
VERSION = 2
"""The layout of the file. 1 had neither checksums nor a head."""

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


def require_ours(connection: sqlite3.Connection) -> int:
    """Return the version of a journal's layout.

    Raises:
        Damaged: it is none of ours, or newer than this program.
    """
    if pragma(connection, "application_id") != APPLICATION_ID:
        raise Damaged("foreign", "A file of another program was in the place of the journal")
    version = pragma(connection, "user_version")
    if version > VERSION:
        raise Damaged("newer", "The journal was written by a newer version of this program")
    if version not in {VERSION, *_MIGRATIONS}:
        raise Damaged("corrupt", "The journal was damaged")
    return version


# --- older layouts ---------------------------------------------------------------------------------------------------


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring an older layout up to date in one transaction: all of it, or the file stays as it was."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version, VERSION):
            _MIGRATIONS[step](connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _add_checksums(connection: sqlite3.Connection) -> None:
    """Go from 1 to 2: version 1 had the rows alone, `entry (game, sequence, at, events)`."""
    connection.execute("ALTER TABLE entry RENAME TO entry_1")
    for statement in _LAYOUT:
        connection.execute(statement)
    head = Head()
    for game, sequence, at, text in connection.execute(
        "SELECT game, sequence, at, events FROM entry_1 ORDER BY game, sequence"
    ):
        before = head.checksum if game == head.game else 0
        head = Head(game, sequence, checksum_of(game, sequence, at, text, before))
        connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", (game, sequence, at, text, head.checksum))
    connection.execute(
        "UPDATE head SET game = ?, sequence = ?, checksum = ?", (head.game, head.sequence, head.checksum)
    )
    connection.execute("DROP TABLE entry_1")


_MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _add_checksums}
"""What brings a layout to the next one. Each stays as it was written, and is tested on a file of its time."""
