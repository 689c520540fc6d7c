"""The summaries of finished games, kept so that each game is read once.

Reading a game means to play it again, which takes some thousandths of a second, and more on a small computer: a year of
evenings would keep a page waiting. So what was read is kept in the cache. The journal stays the memory; a summary whose
game has changed there, or is gone, counts for nothing, and the whole file may be removed at any time.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import sqlite3
import threading
import unicodedata
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from companion.game.vocabulary import Reason, Role
from companion.history.games import PastGame, game_of
from companion.history.summary import Summary, summary_of
from companion.journal import FILE_NAME, FORGOTTEN, Damaged, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from companion.journal import Journal

KEPT_NAME = "history.sqlite3"
VERSION = 3
"""Of what is kept: another version is made anew."""

_LAST_ROWS = "SELECT game, max(sequence), checksum FROM entry GROUP BY game"
"""Of each game the last row alone: with max() SQLite gives the other columns of that row."""

logger = logging.getLogger(__name__)

_Key = tuple[int, int, int]
"""A game as it stands in the journal: its number there, that of its last row, and the checksum up to it."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How somebody was known on an earlier evening.

    Attributes:
        sign: by which sign.
        spoken: how they spelled their name for the voice; empty where they did not.
        language: of the voice for which they did.
    """

    sign: str = ""
    spoken: str = ""
    language: str = ""


class History:
    """The finished games of a box. Every method may be called from any thread, and may wait for the disk."""

    def __init__(self, state_dir: Path, cache_dir: Path) -> None:
        """Look at a box.

        Args:
            state_dir: where its journal is.
            cache_dir: where summaries are kept.
        """
        self._journal = state_dir.absolute() / FILE_NAME
        self._file = cache_dir.absolute() / KEPT_NAME
        self._turn = threading.Lock()
        self._known: dict[str, Habits] | None = None
        """Kept in memory: the page on which people sit down is asked for often."""

    def catch_up(self, still_wanted: Callable[[], bool] = lambda: True) -> None:
        """Read what has been played since the last time; leaves the rest when it is no longer wanted. Never fails."""
        try:
            # The journal first: where there is none, nothing is made beside it.
            with self._turn, reading(self._journal) as journal, self._kept() as kept:
                if _catch_up(kept, journal, still_wanted):
                    self._known = None
        except (FileNotFoundError, Damaged):
            return
        except (OSError, sqlite3.Error) as error:
            logger.warning("The games of this box cannot be summed up: %s.", type(error).__name__)

    def games(self) -> list[Summary]:
        """Return every finished game, the newest first.

        Raises:
            OSError, sqlite3.Error: the disk cannot be read.
        """
        self.catch_up()
        if not self._file.exists():
            return []
        with self._turn, self._kept() as kept:
            return _numbered(kept)

    def names(self) -> list[str]:
        """Return who played here, whoever played last first; empty where nobody has a name, or nothing can be read."""
        return list(self._everybody())

    def habits(self, name: str) -> Habits:
        """Return how somebody who played here was known, by the name as it was written; nothing where nobody was."""
        return self._everybody().get(name, Habits())

    def _everybody(self) -> dict[str, Habits]:
        # By what was read already, and only if nobody is reading: whoever sits down waits for no disk.
        if self._known is None and self._file.exists() and self._turn.acquire(blocking=False):
            try:
                with self._kept() as kept:
                    games = _numbered(kept)
            except (OSError, sqlite3.Error):
                return {}
            finally:
                self._turn.release()
            self._known = {}
            for game in games:
                for name, sign, spoken in itertools.zip_longest(game.names, game.signs, game.spoken, fillvalue=""):
                    if name and name != FORGOTTEN:
                        self._known.setdefault(name, Habits(sign, spoken, game.language))
        return self._known or {}

    def game(self, number: int) -> PastGame | None:
        """Return a game by its number, played again; None where there is no such game, or it is not over.

        Raises:
            OSError, sqlite3.Error, Damaged: the disk or the journal cannot be read.
        """
        self.catch_up()
        key = self._key_of(number)
        if key is None:
            return None
        with reading(self._journal) as journal:
            game = game_of(journal, key, number)
        return game if game.finished else None

    def _key_of(self, number: int) -> int | None:
        """Return the journal's own number of a game; None where there is no such game."""
        if not self._file.exists():
            return None
        with self._turn, self._kept() as kept:
            return _key_of(kept, number)

    def forget(self, journal: Journal, name: str) -> bool:
        """Take a name out of every game: in the journal, and in what is kept of it here.

        Args:
            journal: of the box, opened for writing.
            name: whose games stay, without it. Small and capital letters are the same.

        Returns:
            Whether it is gone everywhere.
        """
        meant = _folded(name)

        def is_meant(other: str) -> bool:
            return _folded(other) == meant

        done = journal.forget(is_meant)
        try:
            with self._turn, reading(self._journal) as there, self._kept() as kept:
                _forget(kept, there, is_meant)
                self._known = None
        except FileNotFoundError:
            return done
        except (OSError, sqlite3.Error, Damaged) as error:
            logger.warning("A name is still in the summaries of games: %s.", type(error).__name__)
            return False
        return done

    def delete(self, journal: Journal, number: int) -> bool:
        """Delete a game that is over, in the journal and here; those after it move up.

        Args:
            journal: of the box, opened for writing.
            number: of the game.

        Returns:
            Whether it is gone; not the one on which the box goes on.
        """
        self.catch_up()
        try:
            key = self._key_of(number)
        except (OSError, sqlite3.Error):
            return False
        done = key is not None and journal.delete(key)
        self.catch_up()
        return done

    @contextlib.contextmanager
    def _kept(self) -> Iterator[sqlite3.Connection]:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Who was what in a game that is over is no secret of its table; it is nobody else's on this machine.
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
        try:
            connection = _opened(self._file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            # Damaged: all of it can be read again from the journal.
            self._file.write_bytes(b"")
            connection = _opened(self._file)
        with contextlib.closing(connection):
            yield connection


def _opened(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        # Whatever is taken out of it is gone from the disk as well.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = TRUNCATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            connection.execute("DROP TABLE IF EXISTS kept")
            connection.execute(
                "CREATE TABLE kept (game INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, checksum INTEGER NOT NULL,"
                " played INTEGER NOT NULL, summary TEXT)"
            )
            connection.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        connection.close()
        raise
    return connection


def _catch_up(kept: sqlite3.Connection, journal: sqlite3.Connection, still_wanted: Callable[[], bool]) -> bool:
    """Bring what is kept up to date, and return whether anything of it has changed."""
    there: set[_Key] = set(journal.execute(_LAST_ROWS).fetchall())
    known: set[_Key] = set(kept.execute("SELECT game, sequence, checksum FROM kept").fetchall())
    kept.executemany("DELETE FROM kept WHERE game = ?", [(game,) for game, _, _ in known - there])
    newest = max((game for game, _, _ in there), default=0)
    for key in sorted(there - known):
        if not still_wanted():
            break
        game = game_of(journal, key[0], 0)
        summary = summary_of(game)
        if key[0] == newest and summary is None:
            # It is being played, and would have to be read again after each report.
            continue
        text = None if summary is None else _text(summary)
        kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", (*key, game.played, text))
    return there != known


def _forget(kept: sqlite3.Connection, journal: sqlite3.Connection, is_meant: Callable[[str], bool]) -> None:
    checksums = {(game, sequence): checksum for game, sequence, checksum in journal.execute(_LAST_ROWS)}
    for game, sequence, text in kept.execute("SELECT game, sequence, summary FROM kept").fetchall():
        new = text
        if text is not None:
            new = _text(_without(_summary(text), is_meant))
        # The game is the same but for the name, so it need not be read again.
        checksum = checksums.get((game, sequence), 0)
        kept.execute("UPDATE kept SET checksum = ?, summary = ? WHERE game = ?", (checksum, new, game))


def _without(summary: Summary, is_meant: Callable[[str], bool]) -> Summary:
    meant = [is_meant(name) for name in summary.names]
    return replace(
        summary,
        names=tuple(FORGOTTEN if gone else name for name, gone in zip(summary.names, meant, strict=True)),
        spoken=tuple("" if gone else spoken for spoken, gone in zip(summary.spoken, meant, strict=False)),
    )


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def _numbered(kept: sqlite3.Connection) -> list[Summary]:
    games = []
    asked = "SELECT summary FROM kept WHERE played ORDER BY game"
    for number, (text,) in enumerate(kept.execute(asked), 1):
        if text is not None:
            games.append(replace(_summary(text), number=number))
    return games[::-1]


def _key_of(kept: sqlite3.Connection, number: int) -> int | None:
    asked = "SELECT game FROM kept WHERE played ORDER BY game LIMIT 1 OFFSET ?"
    found = kept.execute(asked, (number - 1,)).fetchone() if number > 0 else None
    return None if found is None else int(found[0])


def _text(summary: Summary) -> str:
    return json.dumps(asdict(summary))


def _summary(text: str) -> Summary:
    plain: dict[str, Any] = json.loads(text)
    reason = plain["reason"]
    return Summary(
        **{
            **plain,
            "reason": None if reason is None else Reason(reason),
            "roles": tuple(Role(role) for role in plain["roles"]),
            "names": tuple(plain["names"]),
            "signs": tuple(plain["signs"]),
            "spoken": tuple(plain["spoken"]),
        }
    )
