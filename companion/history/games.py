"""Games out of a journal, one at a time, while the box may be running."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.game import evening as rulebook
from companion.game import events
from companion.game.vocabulary import Phase
from companion.journal import sound_rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from companion.game.evening import Evening
    from companion.journal import Row


@dataclass(frozen=True, slots=True, repr=False)
class PastGame:
    """A game that was played, or is being played. Holds secrets: its `repr` says nothing.

    A game counts as over by its last report, so a win that was taken back and played on is a running game again.

    Attributes:
        number: 1 for the first game that was played on this box.
        rows: every report with its time, the first of which opens the game.
        evening: how it ended, or where it stands; None when the journal is damaged there.
    """

    number: int
    rows: tuple[Row, ...]
    evening: Evening | None

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.evening is not None and self.evening.game.phase is Phase.GAME_OVER

    @property
    def played(self) -> bool:
        """Whether it got further than the lobby, as far as anybody can tell."""
        return self.evening is None or self.evening.game.phase is not Phase.LOBBY

    @property
    def began_at(self) -> str:
        """When it began (UTC, ISO 8601): with the deal or the night, since a lobby may stay open for days."""
        begun = (row.at for row in self.rows if any(isinstance(each, _BEGINNING) for each in row.entry))
        return next(begun, self.rows[0].at)

    @property
    def ended_at(self) -> str | None:
        """When it ended (UTC, ISO 8601); None where it has not."""
        if not self.finished:
            return None
        # Not the last row: after the game people may sit down for the next one.
        return next(row.at for row in reversed(self.rows) if any(isinstance(each, _ENDING) for each in row.entry))

    def __repr__(self) -> str:
        return f"PastGame({self.number})"


_BEGINNING = (events.RolesDealt, events.NightBegan, events.GameBegan)
_ENDING = (*events.GAME_ENDS, events.ReportRedone)
"""What may have been the end of a game that is over."""


def past_games(connection: sqlite3.Connection) -> Iterator[PastGame]:
    """Yield the games of a journal that got further than the lobby, oldest first."""
    number = 0
    # One game at a time: 5,000 of them need not be in memory at once.
    kept = None
    while (kept := _next_game(connection, kept)) is not None:
        game = game_of(connection, kept, number + 1)
        if game.played:
            number += 1
            yield game


def _next_game(connection: sqlite3.Connection, after: int | None) -> int | None:
    found: int | None = connection.execute("SELECT min(game) FROM entry WHERE game > ?", (after or 0,)).fetchone()[0]
    return found


def newest_game(connection: sqlite3.Connection) -> PastGame | None:
    """Return the game that got furthest from the lobby last; of a box that is new the lobby, or None.

    Its number is the journal's own, which counts lobbies too.
    """
    newest = None
    kept = connection.execute("SELECT max(game) FROM entry").fetchone()[0]
    while kept is not None:
        game = game_of(connection, kept, kept)
        if game.played:
            return game
        newest = newest or game
        kept = connection.execute("SELECT max(game) FROM entry WHERE game < ?", (kept,)).fetchone()[0]
    return newest


def game_of(connection: sqlite3.Connection, key: int, number: int) -> PastGame:
    """Return a game of a journal.

    Args:
        connection: to the journal.
        key: the journal's own number of the game, which counts lobbies too.
        number: what the game is called.
    """
    rows: list[Row] = []
    try:
        for row, _ in sound_rows(connection, key):
            rows.append(row)
        return PastGame(number, tuple(rows), rulebook.replay(*(row.entry for row in rows)))
    except Exception:  # noqa: BLE001 - one game that cannot be followed must not hide the others
        return PastGame(number, tuple(rows), None)
