"""Takes a name, or a whole game, out of a journal so that no byte of it is left in the file.

What is written is otherwise never changed. A row without the name gets a new checksum, and so does every row of its
game after it; the reports themselves, and with them the games, stay as they were.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from companion.game import events
from companion.journal.rows import Head, checksum_of, entry_from, text_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from companion.game.events import Event
    from companion.game.seating import Player

FORGOTTEN = "?"
"""What stands in place of a name that was forgotten. Nobody is called by it aloud: it has no letter."""


def games_with_names(connection: sqlite3.Connection) -> list[int]:
    """Return the games, by the journal's own numbers, in which anybody has a name."""
    asked = """SELECT DISTINCT game FROM entry WHERE instr(events, '"name":') ORDER BY game"""
    return [game for (game,) in connection.execute(asked)]


def forget_in(connection: sqlite3.Connection, game: int, is_meant: Callable[[str], bool]) -> Head | None:
    """Take a name out of one game, in one transaction.

    Args:
        connection: to the journal, for writing.
        game: the journal's own number of the game.
        is_meant: whether a name is the one to be forgotten.

    Returns:
        The head of the file where it has changed with the game; None otherwise.
    """
    with _transaction(connection):
        rows = connection.execute(
            "SELECT sequence, at, events, checksum FROM entry WHERE game = ? ORDER BY sequence", (game,)
        ).fetchall()
        checksum = before = 0
        forgetting = _Forgetting(is_meant)
        for sequence, at, text, kept in rows:
            # A row that was damaged before stays damaged: what cannot be read is not made to look sound.
            is_sound = kept == checksum_of(game, sequence, at, text, before)
            before = kept
            cleared = forgetting.without(text)
            checksum = checksum_of(game, sequence, at, cleared, checksum) if is_sound else kept
            connection.execute(
                "UPDATE entry SET events = ?, checksum = ? WHERE game = ? AND sequence = ?",
                (cleared, checksum, game, sequence),
            )
        (head,) = connection.execute("SELECT game, sequence, checksum FROM head").fetchall()
        if head[0] != game or not rows:
            return None
        connection.execute("UPDATE head SET checksum = ?", (checksum,))
        return Head(head[0], head[1], checksum)


def delete_game(connection: sqlite3.Connection, game: int) -> None:
    """Take a whole game out of a journal; not the newest, on which the box goes on."""
    with _transaction(connection):
        connection.execute("DELETE FROM entry WHERE game = ?", (game,))


def leaves_no_trace(connection: sqlite3.Connection) -> bool:
    """Clear what was overwritten out of the log of the file as well; not while somebody reads what was there before."""
    (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # What is overwritten or freed is filled with zeros, not only given back.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA secure_delete = OFF")


class _Forgetting:
    """Takes a name out of the rows of one game, the first row first.

    How somebody spelled their name for the voice stands in a row of its own, by the number of the player.
    """

    def __init__(self, is_meant: Callable[[str], bool]) -> None:
        self._is_meant = is_meant
        self._players: set[int] = set()

    def without(self, text: str) -> str:
        """Return the text of a row without the name."""
        if '"name":' not in text and '"spoken":' not in text:
            return text
        try:
            entry = entry_from(text)
        except ValueError:
            # Of another version, or damaged: the name goes all the same.
            return json.dumps(self._plainly(json.loads(text)), separators=(",", ":"))
        return text_of(tuple(map(self._event, entry)))

    def _event(self, event: Event) -> Event:
        match event:
            case events.SeatTaken() if self._is_meant(event.name):
                self._players.add(event.player)
                return replace(event, name=FORGOTTEN, spoken="")
            case events.PlayerRenamed() if self._is_meant(event.name):
                self._players.add(event.player)
                return replace(event, name=FORGOTTEN)
            case events.NameSpelled() if event.player in self._players:
                return replace(event, spoken="")
            case events.GameOpened():
                players = tuple(map(self._player, event.seating.players))
                return replace(event, seating=replace(event.seating, players=players))
        return event

    def _player(self, player: Player) -> Player:
        if not self._is_meant(player.name):
            return player
        self._players.add(player.id)
        return replace(player, name=FORGOTTEN, spoken="")

    def _plainly(self, plain: object) -> object:
        if isinstance(plain, dict):
            return {key: self._plain_value(key, value) for key, value in plain.items()}
        return [self._plainly(each) for each in plain] if isinstance(plain, list) else plain

    def _plain_value(self, key: str, value: object) -> object:
        if key == "name" and isinstance(value, str) and self._is_meant(value):
            return FORGOTTEN
        # Whose it is cannot be told.
        return "" if key == "spoken" else self._plainly(value)
