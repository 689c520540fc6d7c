"""The memory that survives the plug: every report of every game played on this box, in one SQLite file.

An entry is durable when `append` returns. What is written is never changed; taking back is an entry like any other.
Where the disk fails the game goes on in memory, `trouble` says so, and every further entry tries again.

The file has one row an entry, numbered without gaps within its game. The checksum of a row runs over the rows of the
game up to it, and the one row of `head` names the last row of all and its checksum: a bit that flips in the running
game, or a row that disappears, is noticed by reading that game alone, so that starting does not grow with the games
behind it. Older games are checked when somebody reads them (`companion.history`).

A journal holds roles. No message, log line or exception of this module holds anything of an event.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import shutil
import sqlite3
import struct
import sys
import tempfile
import threading
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self, cast

from companion import codec
from companion.game import evening as rulebook
from companion.game import events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from companion.game.evening import Entry, Evening

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

logger = logging.getLogger(__name__)

FILE_NAME = "journal.sqlite3"
APPLICATION_ID = 0x53484A6C
"""What SQLite's header says a file is: "SHJl"."""
VERSION = 2
"""The layout of the file. 1 had neither checksums nor a head."""

_LOCK_NAME = "journal.lock"
_BESIDE = ("", "-wal", "-shm")
"""What SQLite adds to the name of a database for the files that belong to it."""
_BUSY_SECONDS = 2.0

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

_FULL = "The disk is full: what happens from here on is forgotten when the box is switched off."
_READ_ONLY = "The state directory cannot be written to: what happens is forgotten when the box is switched off."
_FAILING = "The journal cannot be written: what happens from here on is forgotten when the box is switched off."
_CUT_SHORT = "The box was stopped while it was writing: check whether the last report is there."
_UNREADABLE = "What was played before cannot be read at the moment."

_NOT_WRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_OUT_OF_REACH = {
    *_NOT_WRITABLE,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
}
"""Errors that say nothing about what the file holds."""


class JournalBusy(Exception):  # noqa: N818 - it names what is the case
    """Another box is running on this state directory; the message is a sentence for whoever started this one."""


class Damaged(Exception):  # noqa: N818
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


@dataclass(frozen=True, slots=True)
class Row:
    """One entry with its wall time (UTC, ISO 8601), which is for history and decides nothing."""

    at: str
    entry: Entry = field(repr=False)

    @property
    def opens_game(self) -> bool:
        """Whether a game begins with this row."""
        return isinstance(self.entry[0], events.GameOpened)


@dataclass(frozen=True, slots=True)
class _Head:
    """The last row of a file; the checksum is that of its whole game."""

    game: int = 0
    sequence: int = 0
    checksum: int = 0


def checksum_of(game: int, sequence: int, at: str, text: str, before: int) -> int:
    """Return the checksum of a row: a CRC-32 that goes on from the row before it, 0 before the first."""
    return zlib.crc32(f"{game} {sequence} {at} {text}".encode(), before)


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
            yield Row(at, _entry_from(text)), checksum
    except sqlite3.Error as error:
        if _code(error) in _OUT_OF_REACH:
            raise
        raise ValueError("the file cannot be followed") from None


class Journal:
    """The entries of this box, kept in `journal.sqlite3`. Made by `Journal.open`, ended by `close`.

    Attributes:
        note: what has to be told about the file as it was found, in one sentence; empty when all is well.
    """

    note: str

    def __init__(
        self,
        directory: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        connect: Callable[..., sqlite3.Connection] = sqlite3.connect,
    ) -> None:
        self.note = ""
        self._path = Path(directory).absolute() / FILE_NAME
        self._now = now
        self._connect = connect
        # The owner thread appends; the thread that ends the box closes, though the owner may hang in a dying disk.
        self._turn = threading.Lock()
        self._box_lock: IO[bytes] | None = None
        self._connection: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._head = _Head()
        self._running: list[Row] = []
        self._pending: list[Row] = []
        self._settings: dict[str, str] = {}
        self._unsaved_settings: set[str] = set()
        self._trouble = ""
        self._closed = False

    @classmethod
    def open(
        cls,
        directory: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        connect: Callable[..., sqlite3.Connection] = sqlite3.connect,
    ) -> Self:
        """Open the journal of a state directory, which is made when it is missing.

        Never fails for want of a sound file or a writable disk: see `note` and `trouble`.

        Args:
            directory: the state directory of this box.
            now: the time of day, for history.
            connect: opens databases as `sqlite3.connect` does.

        Raises:
            JournalBusy: another box is running on it.
        """
        journal = cls(directory, now=now, connect=connect)
        journal._begin()
        return journal

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def trouble(self) -> str:
        """Why entries will not be remembered, in one sentence; empty while they will."""
        return self._trouble

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of the running game, which begins with `GameOpened`; none on a box that is new."""
        return tuple(row.entry for row in self._running)

    def append(self, entry: Entry) -> None:
        """Keep an entry; it is durable when this returns, or `trouble` says why not. Never raises.

        An entry that opens a game ends the one before it. What could not be written earlier is written first.
        """
        with self._turn:
            at = self._now().astimezone(UTC).isoformat(timespec="milliseconds")
            for part in _by_game(entry):
                row = Row(at, part)
                if row.opens_game:
                    self._running = []
                self._running.append(row)
                self._pending.append(row)
            self._save()

    def setting(self, key: str) -> str | None:
        """Return what `remember` kept under a key, or None."""
        return self._settings.get(key)

    def remember(self, key: str, value: str) -> None:
        """Keep a small setting of the box over restarts, best effort. Never raises."""
        with self._turn:
            if self._settings.get(key) == value:
                return
            self._settings[key] = value
            self._unsaved_settings.add(key)
            self._save()

    def put_aside(self, finding: str) -> None:
        """Move the file away because what it says cannot be played, and go on with an empty one.

        Args:
            finding: what is the matter; the beginning of a sentence that `note` then holds.
        """
        with self._turn:
            self._running, self._pending = [], []
            self._guarded(lambda: self._replace(Damaged("unplayable", finding)))

    def close(self) -> None:
        """Try once more to keep what is not kept yet, and let go of the file. May be called twice."""
        mine = self._turn.acquire(timeout=1)
        try:
            if mine and not self._closed:
                if self._pending:
                    self._save()
                self._closed = True
                self._drop_connection()
                self._unlock()
        finally:
            if mine:
                self._turn.release()

    # --- opening -----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._guarded(lambda: self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True))
        self._lock()
        if not self._guarded(self._adopt):
            self._read_only()

    def _adopt(self) -> None:
        """Open the file for writing, and take what it holds for the running game."""
        try:
            connection = self._open_sound()
            self._connection = connection
            self._take(connection)
        except Damaged as damaged:
            self._replace(damaged)
        else:
            self._trouble = ""

    def _open_sound(self) -> sqlite3.Connection:
        """Open the file for writing, make it or bring it up to date where needed.

        Raises:
            Damaged: it is no journal that this version can use.
            OSError, sqlite3.Error: it is out of reach.
        """
        self._make_file()
        with (
            _closing_on_error(_connection_to(self._path, "mode=rw", self._connect)) as connection,
            _corruption_is_damage(),
        ):
            if _is_blank(connection):
                _lay_out(connection)
            version = _require_ours(connection)
            self._mind_the_tail(connection)
            if version < VERSION:
                _migrate(connection, version)
            # Whether it can be written at all should be known before the first report.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            found = self._path.stat()
            self._inode = (found.st_dev, found.st_ino)
            return connection

    def _make_file(self) -> None:
        path = self._path
        if path.exists() and not path.is_file():
            raise Damaged("foreign", "Something that is no file was in the place of the journal")
        made = not path.exists()
        # SQLite gives its helper files the mode of the database: nobody else on this machine may read roles.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
        for suffix in _BESIDE:
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).chmod(0o600)
        if made:
            _sync_directory(path.parent)
        # To SQLite an empty database has no log: it would delete the log of a file that was cut to nothing.
        wal = path.with_name(path.name + "-wal")
        if path.stat().st_size == 0 and wal.exists() and wal.stat().st_size > 0:
            raise Damaged("corrupt", "The journal was damaged")

    def _mind_the_tail(self, connection: sqlite3.Connection) -> None:
        """Look for reports in the log of the database that SQLite passes over because they are not whole."""
        wal = self._path.with_name(self._path.name + "-wal")
        try:
            _, frames, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            log = wal.read_bytes()
        except FileNotFoundError:
            return
        commits = _commits_passed_over(log, frames)
        if commits is None:
            return
        # One may have been cut short when the power went; it was then never acknowledged. More than that is damage.
        if commits > 1:
            raise Damaged("corrupt", "The journal was damaged", _readable_rows(connection))
        self.note = _CUT_SHORT
        logger.warning("%s", self.note)

    def _take(self, connection: sqlite3.Connection) -> None:
        with _corruption_is_damage():
            head = _head_of(connection)
            rows: list[Row] = []
            checksum = 0
            try:
                for row, checksum in sound_rows(connection, head.game):  # noqa: B007 - the last one is wanted
                    rows.append(row)
            except ValueError:
                raise Damaged("corrupt", "The journal was damaged", tuple(rows)) from None
            newest = connection.execute("SELECT max(game) FROM entry").fetchone()[0] or 0
            if (head.game, len(rows), checksum) != (newest, head.sequence, head.checksum):
                raise Damaged("corrupt", "The journal was damaged", tuple(rows))
            if rows and not rows[0].opens_game:
                raise Damaged("corrupt", "The journal was damaged")
            self._settings = {**_settings_of(connection), **self._settings}
        self._head = head
        self._running = rows

    def _read_only(self) -> None:
        """Take what can be read of a file that cannot be written; what happens goes on in memory."""
        try:
            with reading(self._path, self._connect) as connection:
                self._take(connection)
        except FileNotFoundError:
            return
        except (sqlite3.Error, OSError):
            self.note = _UNREADABLE
        except Damaged as damaged:
            self._running, self._pending = list(damaged.readable), list(damaged.readable)
            self.note = f"{damaged.finding}; {_what_follows(damaged)}."
        if self.note:
            logger.warning("%s", self.note)

    # --- putting aside -----------------------------------------------------------------------------------------------

    def _replace(self, damaged: Damaged) -> None:
        """Move the file away and go on in a fresh one with what could be read of the running game."""
        name = self._move_away(damaged.kind)
        self._head = _Head()
        self._running, self._pending = list(damaged.readable), list(damaged.readable)
        self._unsaved_settings = set(self._settings)
        self.note = f"{damaged.finding} and has been put aside as {name}; {_what_follows(damaged)}."
        logger.warning("%s", self.note)
        self._connection = self._open_sound()
        self._trouble = ""
        self._write_pending(self._connection)

    def _move_away(self, kind: str) -> str:
        stamp = self._now().astimezone(UTC).strftime("%Y%m%d-%H%M%S")
        for attempt in count(1):
            name = f"journal.{kind}-{stamp}{'' if attempt == 1 else f'-{attempt}'}.sqlite3"
            if not any(self._path.with_name(name + suffix).exists() for suffix in _BESIDE):
                break
        if os.name == "nt":
            # An open file cannot be moved there. Elsewhere it is moved first: SQLite deletes its log when it closes.
            self._drop_connection()
        for suffix in reversed(_BESIDE):
            with contextlib.suppress(FileNotFoundError):
                self._path.with_name(self._path.name + suffix).rename(self._path.with_name(name + suffix))
        self._drop_connection()
        _sync_directory(self._path.parent)
        return name

    # --- writing -----------------------------------------------------------------------------------------------------

    def _save(self) -> None:
        if self._closed:
            return
        if self._guarded(self._write):
            if self._trouble:
                logger.warning("the journal is written again; nothing was lost")
            self._trouble = ""

    def _write(self) -> None:
        if self._connection is not None and self._is_lost():
            logger.warning("the journal is gone from the state directory; it is written anew")
            self._drop_connection()
        connection = self._connection or self._reconnect()
        try:
            self._write_pending(connection)
        except sqlite3.Error as error:
            if _code(error) in _OUT_OF_REACH:
                raise
            # The file turned out to be damaged under our hands, but the running game is here.
            self._replace(Damaged("corrupt", "The journal was damaged", tuple(self._running)))

    def _write_pending(self, connection: sqlite3.Connection) -> None:
        head, unsaved = self._head, self._unsaved_settings
        connection.execute("BEGIN IMMEDIATE")
        try:
            for row in self._pending:
                text = _text_of(row.entry)
                game, sequence, before = head.game, head.sequence + 1, head.checksum
                if row.opens_game:
                    game, sequence, before = game + 1, 1, 0
                head = _Head(game, sequence, checksum_of(game, sequence, row.at, text, before))
                values = (game, sequence, row.at, text, head.checksum)
                connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", values)
            connection.execute(
                "UPDATE head SET game = ?, sequence = ?, checksum = ?", (head.game, head.sequence, head.checksum)
            )
            connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?, ?)",
                [
                    (key, value, _setting_checksum(key, value))
                    for key, value in self._settings.items()
                    if key in unsaved
                ],
            )
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        self._head = head
        self._pending = []
        self._unsaved_settings = set()

    def _is_lost(self) -> bool:
        # SQLite would go on writing into a file that nobody will find again.
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return True
        return (found.st_dev, found.st_ino) != self._inode

    def _reconnect(self) -> sqlite3.Connection:
        """Open the file after it was out of reach, and see what of the running game it lacks."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock()
        note = self.note
        try:
            self._connection = self._open_sound()
            head = _head_of(self._connection)
        except Damaged as damaged:
            self._drop_connection()
            self._replace(Damaged(damaged.kind, damaged.finding, tuple(self._running)))
            return cast("sqlite3.Connection", self._connection)
        self.note = note
        if head != self._head:
            # Another file than the one we knew: the running game is written into it whole.
            self._head = head
            self._pending = list(self._running)
            self._unsaved_settings = set(self._settings)
        return self._connection

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Do something with the disk; where it fails, `trouble` says why and False is returned."""
        try:
            work()
        except JournalBusy:
            self._fail(_FAILING, "another box has taken the state directory")
        except sqlite3.Error as error:
            code = _code(error)
            said = _FULL if code == sqlite3.SQLITE_FULL else _READ_ONLY if code in _NOT_WRITABLE else _FAILING
            self._fail(said, getattr(error, "sqlite_errorname", type(error).__name__))
            if code != sqlite3.SQLITE_FULL:
                # A connection that has seen the disk fail may go on failing after the disk works again.
                self._drop_connection()
        except OSError as error:
            full = error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
            self._fail(_FULL if full else _READ_ONLY, errno.errorcode.get(error.errno or 0, type(error).__name__))
        except Exception as error:  # noqa: BLE001 - a memory that fails must never stop the game
            # Its text might hold something of an event.
            self._fail(_FAILING, type(error).__name__)
        else:
            return True
        return False

    def _fail(self, said: str, why: str) -> None:
        if said != self._trouble:
            logger.warning("%s (%s)", said, why)
        self._trouble = said

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    # --- one box a directory -----------------------------------------------------------------------------------------

    def _lock(self) -> None:
        """Claim the state directory for this process until it ends, however it ends.

        Raises:
            JournalBusy: another process has it.
        """
        path = self._path.with_name(_LOCK_NAME)
        if self._box_lock is not None:
            with contextlib.suppress(OSError):
                if path.stat().st_ino == os.fstat(self._box_lock.fileno()).st_ino:
                    return
            self._unlock()
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError:
            # Where nothing can be written two boxes do each other no harm.
            return
        lock = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            _lock_file(lock)
        except OSError as error:
            lock.close()
            if error.errno in {errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}:
                raise JournalBusy(
                    f"Another box is already running on the state directory {path.parent}; stop it, or give this one "
                    "a directory of its own."
                ) from None
            logger.warning("the state directory cannot be locked (%s)", type(error).__name__)
            return
        self._box_lock = lock

    def _unlock(self) -> None:
        if self._box_lock is not None:
            self._box_lock.close()
            self._box_lock = None


def resume(journal: Journal, fresh: Callable[[], tuple[Evening, Entry]]) -> Evening:
    """Return the evening where the journal left it, or a fresh one where it holds none.

    Args:
        journal: the memory of this box.
        fresh: makes a new evening and the entry that a journal begins with, as `companion.game.evening.opened` does.
    """
    entries = journal.entries()
    if entries:
        try:
            return rulebook.replay(*entries)
        except Exception as error:  # noqa: BLE001 - a box that cannot start helps nobody; the file is kept
            # The error's text might hold something of an event.
            logger.error("the journal cannot be replayed: %s", type(error).__name__)  # noqa: TRY400
            journal.put_aside("The journal could not be followed by this version")
    evening, entry = fresh()
    journal.append(entry)
    return evening


# --- entries and text ------------------------------------------------------------------------------------------------


def _by_game(entry: Entry) -> Iterator[Entry]:
    """Split an entry where a game opens within it, so that every game's first row begins with `GameOpened`."""
    openings = [place for place, event in enumerate(entry) if isinstance(event, events.GameOpened)]
    edges = [0, *(place for place in openings if place), len(entry)]
    for start, end in pairwise(edges):
        if start < end:
            yield entry[start:end]


def _text_of(entry: Entry) -> str:
    return json.dumps([codec.to_plain(event) for event in entry], separators=(",", ":"))


def _entry_from(text: str) -> Entry:
    plain = json.loads(text)
    if not isinstance(plain, list) or not plain:
        raise ValueError("not an entry")
    return tuple(codec.from_plain(each) for each in plain)


def _setting_checksum(key: str, value: str) -> int:
    return zlib.crc32(f"{key}={value}".encode())


# --- the file --------------------------------------------------------------------------------------------------------


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; errors of the Python module itself count as its general error."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


@contextlib.contextmanager
def _corruption_is_damage() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) in _OUT_OF_REACH:
            raise
        raise Damaged("corrupt", "The journal was damaged") from None
    except (TypeError, ValueError):
        raise Damaged("corrupt", "The journal was damaged") from None


def _connection_to(path: Path, mode: str, connect: Callable[..., sqlite3.Connection]) -> sqlite3.Connection:
    connection = connect(
        f"{path.as_uri()}?{mode}", uri=True, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
    )
    with _closing_on_error(connection):
        for setting in ("trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}")
        if mode == "mode=rw":
            with _corruption_is_damage():
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = FULL")
    return connection


def _connection_for_reading(
    path: Path, connect: Callable[..., sqlite3.Connection], stack: contextlib.ExitStack
) -> sqlite3.Connection:
    wal = path.with_name(path.name + "-wal")
    # A file that was closed in order has no log, and SQLite will not read it unless told that nobody writes.
    mode = "mode=ro" if wal.exists() else "immutable=1"
    connection = stack.enter_context(contextlib.closing(_connection_to(path, mode, connect)))
    try:
        _pragma(connection, "application_id")
    except sqlite3.Error as error:
        if _code(error) not in _NOT_WRITABLE:
            raise
    else:
        return connection
    # A log whose index was lost with the power: SQLite has to make a new one, which it can beside a copy.
    copies = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    for suffix in ("", "-wal"):
        shutil.copyfile(path.with_name(path.name + suffix), copies / (path.name + suffix))
    copy = _connection_to(copies / path.name, "mode=rw", connect)
    return stack.enter_context(contextlib.closing(copy))


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
        with _corruption_is_damage():
            connection = _connection_for_reading(path, connect, stack)
            if _is_blank(connection):
                raise FileNotFoundError(path.name)
            version = _require_ours(connection)
        if version == VERSION:
            yield connection
            return
        # An older layout must not be changed in place here, but a copy in memory can be.
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            with _corruption_is_damage():
                connection.backup(copy)
                _migrate(copy, version)
            yield copy


@contextlib.contextmanager
def _closing_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _is_blank(connection: sqlite3.Connection) -> bool:
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    return tables == 0 and _pragma(connection, "application_id") == 0


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in _LAYOUT:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _require_ours(connection: sqlite3.Connection) -> int:
    """Return the version of a journal's layout.

    Raises:
        Damaged: it is none of ours, or newer than this program.
    """
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise Damaged("foreign", "A file of another program was in the place of the journal")
    version = _pragma(connection, "user_version")
    if version > VERSION:
        raise Damaged("newer", "The journal was written by a newer version of this program")
    if version not in {VERSION, *_MIGRATIONS}:
        raise Damaged("corrupt", "The journal was damaged")
    return version


def _head_of(connection: sqlite3.Connection) -> _Head:
    with _corruption_is_damage():
        found = connection.execute("SELECT game, sequence, checksum FROM head").fetchone()
        if found is None or not all(isinstance(figure, int) for figure in found):
            raise ValueError("no head")
        return _Head(*found)


def _settings_of(connection: sqlite3.Connection) -> dict[str, str]:
    kept = connection.execute("SELECT key, value, checksum FROM meta").fetchall()
    # A setting that is damaged counts as one that was never made.
    return {key: value for key, value, checksum in kept if checksum == _setting_checksum(key, value)}


def _readable_rows(connection: sqlite3.Connection) -> tuple[Row, ...]:
    rows: list[Row] = []
    with contextlib.suppress(sqlite3.Error, ValueError, TypeError, Damaged):
        for row, _ in sound_rows(connection, _head_of(connection).game):
            rows.append(row)
    return tuple(rows)


def _what_follows(damaged: Damaged) -> str:
    return "the game goes on from what could be read" if damaged.readable else "the box begins anew"


def _commits_passed_over(log: bytes, sound_frames: int) -> int | None:
    """Return how many transactions stand in a write-ahead log after its last sound frame; None when nothing does.

    The file goes on after the last sound frame with frames of the time before the last checkpoint, which have other
    salts. A frame that shares a salt with the header was written since: it was cut short, or is damaged.
    """
    header, frame_header = 32, 24
    if len(log) <= header:
        return None
    magic, _, page, _, salt_1, salt_2, sum_1, sum_2 = struct.unpack(">8I", log[:header])
    if magic not in {0x377F0682, 0x377F0683} or _log_checksum(log[:24], big=bool(magic & 1)) != (sum_1, sum_2):
        # No transaction can be believed after a damaged header.
        return 2
    passed_over = [
        size
        for size, one, two in (
            struct.unpack(">III", log[at + 4 : at + 16])
            for at in range(header + max(sound_frames, 0) * (page + frame_header), len(log) - 16, page + frame_header)
        )
        if one == salt_1 or two == salt_2
    ]
    return sum(1 for size in passed_over if size) if passed_over else None


def _log_checksum(content: bytes, *, big: bool) -> tuple[int, int]:
    """Return SQLite's checksum of a write-ahead log's header (fileformat2, section 4.2)."""
    words = struct.unpack(f"{'>' if big else '<'}{len(content) // 4}I", content)
    one = two = 0
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def _sync_directory(directory: Path) -> None:
    """Make new names in a directory durable, where the system has a way to."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock_file(lock: IO[bytes]) -> None:
    if sys.platform == "win32":
        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


# --- older layouts ---------------------------------------------------------------------------------------------------


def _migrate(connection: sqlite3.Connection, version: int) -> None:
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
    head = _Head()
    for game, sequence, at, text in connection.execute(
        "SELECT game, sequence, at, events FROM entry_1 ORDER BY game, sequence"
    ):
        before = head.checksum if game == head.game else 0
        head = _Head(game, sequence, checksum_of(game, sequence, at, text, before))
        connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", (game, sequence, at, text, head.checksum))
    connection.execute(
        "UPDATE head SET game = ?, sequence = ?, checksum = ?", (head.game, head.sequence, head.checksum)
    )
    connection.execute("DROP TABLE entry_1")


_MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _add_checksums}
"""What brings a layout to the next one. Each stays as it was written, and is tested on a file of its time."""
