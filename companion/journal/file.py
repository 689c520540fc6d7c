"""The SQLite file: how it is opened, and what is read of it, each thing checked."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from companion.journal.damage import NOT_WRITABLE, OUT_OF_REACH, Damaged, code_of, corruption_is_damage
from companion.journal.layout import is_blank, pragma, require_ours
from companion.journal.rows import Head, Row, checksum_of, entry_from, setting_checksum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE_NAME = "journal.sqlite3"
BESIDE = ("", "-wal", "-shm")
"""What SQLite adds to the name of a database for the files that belong to it."""
_BUSY_SECONDS = 2.0
_LOOK_SECONDS = 0.1
"""How long a start may look at the structure of the file: that of some hundred games is seen whole."""
_LOOK_STEPS = 5_000
_CACHE_KIB = 256
"""What SQLite may keep of the file in memory: the running game many times over, and no more with every game played."""


@contextlib.contextmanager
def reading(path: Path, connect: Callable[..., sqlite3.Connection] = sqlite3.connect) -> Iterator[sqlite3.Connection]:
    """Open a journal without changing anything of it, also while the box is writing.

    Raises:
        FileNotFoundError: there is none, or nothing was ever written into it.
        Damaged: it is no journal that this version can read.
        OSError, sqlite3.Error: it is out of reach.
    """
    if not path.is_file():
        raise FileNotFoundError(path.name)
    with contextlib.ExitStack() as stack:
        with corruption_is_damage():
            connection = _connection_for_reading(path, connect, stack)
            if is_blank(connection):
                raise FileNotFoundError(path.name)
            require_ours(connection)
        yield connection


def sound_rows(connection: sqlite3.Connection, game: int) -> Iterator[tuple[Row, int]]:
    """Yield the rows of a game, each with its checksum.

    Raises:
        ValueError: a row is not as it was written, or the file cannot be followed; those before it were sound.
    """
    checksum = 0
    asked = "SELECT sequence, at, events, checksum FROM entry WHERE game = ? ORDER BY sequence"
    try:
        for due, (sequence, at, text, kept) in enumerate(connection.execute(asked, (game,)), 1):
            checksum = checksum_of(game, sequence, at, text, checksum)
            if sequence != due or kept != checksum:
                raise ValueError("a row is not as it was written")
            yield Row(at, entry_from(text)), checksum
    except sqlite3.Error as error:
        if code_of(error) in OUT_OF_REACH:
            raise
        raise ValueError("the file cannot be followed") from None


def head_of(connection: sqlite3.Connection) -> Head:
    """Return what the file says its last row is.

    Raises:
        Damaged: it says nothing of the kind.
    """
    with corruption_is_damage():
        found = connection.execute("SELECT game, sequence, checksum FROM head").fetchone()
        if found is None or not all(isinstance(figure, int) for figure in found):
            raise ValueError("no head")
        return Head(*found)


def can_be_written(connection: sqlite3.Connection) -> bool:
    """Whether the file's own structure is sound, as far as a moment's look can tell.

    A bit that flipped where SQLite keeps account of free space, or in a row of an older game by which it finds its way,
    changes nothing that is read at the start. The next report would be written over others, or where nobody finds it.
    """
    until = time.monotonic() + _LOOK_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, _LOOK_STEPS)
    try:
        return connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    except sqlite3.OperationalError as error:
        # A file of many games takes longer than anybody waits for; what was read of it was sound.
        return code_of(error) == sqlite3.SQLITE_INTERRUPT
    finally:
        connection.set_progress_handler(None, 0)


def settings_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the small settings that are kept beside the games."""
    kept = connection.execute("SELECT key, value, checksum FROM meta").fetchall()
    # A setting that is damaged counts as one that was never made.
    return {key: value for key, value, checksum in kept if checksum == setting_checksum(key, value)}


def readable_rows(connection: sqlite3.Connection) -> tuple[Row, ...]:
    """Return the rows of the running game up to the first that is not as it was written."""
    rows: list[Row] = []
    with contextlib.suppress(sqlite3.Error, ValueError, TypeError, Damaged):
        for row, _ in sound_rows(connection, head_of(connection).game):
            rows.append(row)
    return tuple(rows)


def connection_to(path: Path, mode: str, connect: Callable[..., sqlite3.Connection]) -> sqlite3.Connection:
    """Open a database.

    Args:
        path: where it is; absolute.
        mode: how, as SQLite's addresses say it; `mode=rw` makes each commit durable before it returns.
        connect: opens databases as `sqlite3.connect` does.

    Raises:
        Damaged: it cannot be followed.
        sqlite3.Error: it is out of reach.
    """
    connection = connect(
        f"{path.as_uri()}?{mode}", uri=True, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
    )
    with closing_on_error(connection):
        for setting in ("trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}")
        if mode == "mode=rw":
            with corruption_is_damage():
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
                connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            connection.execute("PRAGMA synchronous = FULL")
    return connection


def _connection_for_reading(
    path: Path, connect: Callable[..., sqlite3.Connection], stack: contextlib.ExitStack
) -> sqlite3.Connection:
    wal = path.with_name(path.name + "-wal")
    # A file that was closed in order has no log, and SQLite will not read it unless told that nobody writes.
    mode = "mode=ro" if wal.exists() else "immutable=1"
    connection = stack.enter_context(contextlib.closing(connection_to(path, mode, connect)))
    try:
        pragma(connection, "application_id")
    except sqlite3.Error as error:
        if code_of(error) not in NOT_WRITABLE:
            raise
    else:
        return connection
    # A log whose index was lost with the power: SQLite has to make a new one, which it can beside a copy.
    copies = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    for suffix in ("", "-wal"):
        shutil.copyfile(path.with_name(path.name + suffix), copies / (path.name + suffix))
    copy = connection_to(copies / path.name, "mode=rw", connect)
    return stack.enter_context(contextlib.closing(copy))


@contextlib.contextmanager
def closing_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Close a connection unless all goes well."""
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def sync_directory(directory: Path) -> None:
    """Make new names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
