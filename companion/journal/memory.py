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
import logging
import os
import sqlite3
import threading
from datetime import UTC, datetime
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from companion.game import evening as rulebook
from companion.game import events
from companion.journal import forgetting
from companion.journal.claim import Claim, JournalBusy
from companion.journal.damage import NOT_WRITABLE, OUT_OF_REACH, Damaged, code_of, corruption_is_damage
from companion.journal.file import (
    BESIDE,
    FILE_NAME,
    can_be_written,
    closing_on_error,
    connection_to,
    head_of,
    readable_rows,
    reading,
    settings_of,
    sound_rows,
    sync_directory,
)
from companion.journal.layout import is_blank, lay_out, require_ours
from companion.journal.log import commits_passed_over
from companion.journal.rows import Head, Row, checksum_of, setting_checksum, text_of
from companion.journal.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from companion.game.evening import Entry, Evening

logger = logging.getLogger(__name__)

_FULL = "The disk is full: what happens from here on is forgotten when the box is switched off."
_READ_ONLY = "The state directory cannot be written to: what happens is forgotten when the box is switched off."
_FAILING = "The journal cannot be written: what happens from here on is forgotten when the box is switched off."
_CUT_SHORT = "The box was stopped while it was writing: check whether the last report is there."
_UNREADABLE = "What was played before cannot be read at the moment."


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
        self._claim = Claim(self._path.parent)
        self._witness = Witness(self._path.parent)
        self._in_log = False
        """Whether there is something in the write-ahead log that the database itself lacks."""
        self._connection: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._head = Head()
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

    def rest(self) -> None:
        """Use a quiet moment: a log that is lost then loses nothing. Never raises."""
        with self._turn:
            if self._in_log and not self._closed and self._connection is not None:
                self._checkpoint(self._connection)

    def forget(self, is_meant: Callable[[str], bool]) -> bool:
        """Take a name out of everything that was played, on whatever thread; the box may go on meanwhile.

        Between two games the journal is free for a report, so that none waits longer than for one of its own.

        Args:
            is_meant: whether a name is the one to be forgotten.

        Returns:
            Whether all of it is gone: not while somebody reads the file, nor where the disk fails.
        """
        games: list[int] = []
        with self._turn:
            if not self._guarded(lambda: games.extend(forgetting.games_with_names(self._writable()))):
                return False
        for game in games:
            with self._turn:
                if not self._guarded(partial(self._forget_in, game, is_meant)):
                    return False
        _remove_remains(self._path)
        with self._turn:
            return self._clear_log()

    def delete(self, game: int) -> bool:
        """Take a whole game out of the journal; not the running one.

        Args:
            game: the journal's own number of it.

        Returns:
            Whether it is gone.
        """
        with self._turn:
            if game == self._head.game:
                return False
            return self._guarded(lambda: forgetting.delete_game(self._writable(), game)) and self._clear_log()

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
                self._claim.release()
        finally:
            if mine:
                self._turn.release()

    # --- opening -----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._guarded(lambda: self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True))
        self._claim.take()
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
            if missing := self._witness.missing(self._head):
                self.note = " ".join(filter(None, (self.note, missing)))
                logger.warning("%s", missing)
                # Told once: from here on this is the game.
                self._witness.note(self._head)

    def _open_sound(self) -> sqlite3.Connection:
        """Open the file for writing, make it or bring it up to date where needed.

        Raises:
            Damaged: it is no journal that this version can use.
            OSError, sqlite3.Error: it is out of reach.
        """
        self._make_file()
        with (
            closing_on_error(connection_to(self._path, "mode=rw", self._connect)) as connection,
            corruption_is_damage(),
        ):
            if is_blank(connection):
                lay_out(connection)
            require_ours(connection)
            self._mind_the_tail(connection)
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
        for suffix in BESIDE:
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).chmod(0o600)
        if made:
            sync_directory(path.parent)
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
        commits = commits_passed_over(log, frames)
        if commits is None:
            return
        # One may have been cut short when the power went; it was then never acknowledged. More than that is damage.
        if commits > 1:
            raise Damaged("corrupt", "The journal was damaged", readable_rows(connection))
        self.note = _CUT_SHORT
        logger.warning("%s", self.note)

    def _take(self, connection: sqlite3.Connection) -> None:
        with corruption_is_damage():
            head = head_of(connection)
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
            if rows and not can_be_written(connection):
                raise Damaged("corrupt", "The journal was damaged", tuple(rows))
            self._settings = {**settings_of(connection), **self._settings}
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
        self._head = Head()
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
            if not any(self._path.with_name(name + suffix).exists() for suffix in BESIDE):
                break
        # Moved first: SQLite deletes its log when it closes.
        for suffix in reversed(BESIDE):
            with contextlib.suppress(FileNotFoundError):
                self._path.with_name(self._path.name + suffix).rename(self._path.with_name(name + suffix))
        self._drop_connection()
        sync_directory(self._path.parent)
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
        connection = self._writable()
        try:
            self._write_pending(connection)
        except sqlite3.Error as error:
            if code_of(error) in OUT_OF_REACH:
                raise
            # The file turned out to be damaged under our hands, but the running game is here.
            self._replace(Damaged("corrupt", "The journal was damaged", tuple(self._running)))

    def _writable(self) -> sqlite3.Connection:
        return self._connection or self._reconnect()

    def _clear_log(self) -> bool:
        cleared: list[bool] = []
        return self._guarded(lambda: cleared.append(forgetting.leaves_no_trace(self._writable()))) and all(cleared)

    def _forget_in(self, game: int, is_meant: Callable[[str], bool]) -> None:
        connection = self._writable()
        head = forgetting.forget_in(connection, game, is_meant)
        if head is not None:
            self._head = head
            self._running = [row for row, _ in sound_rows(connection, game)] + self._pending

    def _write_pending(self, connection: sqlite3.Connection) -> None:
        head, unsaved = self._head, self._unsaved_settings
        connection.execute("BEGIN IMMEDIATE")
        try:
            for row in self._pending:
                text = text_of(row.entry)
                game, sequence, before = head.game, head.sequence + 1, head.checksum
                if row.opens_game:
                    game, sequence, before = game + 1, 1, 0
                head = Head(game, sequence, checksum_of(game, sequence, row.at, text, before))
                values = (game, sequence, row.at, text, head.checksum)
                connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", values)
            connection.execute(
                "UPDATE head SET game = ?, sequence = ?, checksum = ?", (head.game, head.sequence, head.checksum)
            )
            connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?, ?)",
                [(key, value, setting_checksum(key, value)) for key, value in self._settings.items() if key in unsaved],
            )
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        self._in_log = True
        self._witness.note(head)
        is_over = any(isinstance(event, events.GAME_ENDS) for row in self._pending for event in row.entry)
        self._head = head
        self._pending = []
        self._unsaved_settings = set()
        if is_over:
            self._checkpoint(connection)

    def _checkpoint(self, connection: sqlite3.Connection) -> None:
        """Bring what stands in the log into the database, without waiting for anybody who reads."""
        with contextlib.suppress(sqlite3.Error):
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._in_log = False

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
        self._claim.take()
        note = self.note
        try:
            self._connection = self._open_sound()
            head = head_of(self._connection)
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
            code = code_of(error)
            said = _FULL if code == sqlite3.SQLITE_FULL else _READ_ONLY if code in NOT_WRITABLE else _FAILING
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


def _by_game(entry: Entry) -> Iterator[Entry]:
    """Split an entry where a game opens within it, so that every game's first row begins with `GameOpened`."""
    openings = [place for place, event in enumerate(entry) if isinstance(event, events.GameOpened)]
    edges = [0, *(place for place in openings if place), len(entry)]
    for start, end in pairwise(edges):
        if start < end:
            yield entry[start:end]


def _remove_remains(path: Path) -> None:
    """Remove the damaged files that were put aside: nobody can take a name out of them."""
    for aside in path.parent.glob(f"{path.stem}.*-*{path.suffix}*"):
        with contextlib.suppress(OSError):
            aside.unlink()


def _what_follows(damaged: Damaged) -> str:
    return "the game goes on from what could be read" if damaged.readable else "the box begins anew"
