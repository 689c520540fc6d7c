"""Music while people gather and when a game is over, where a table wants it.

It begins when the box has said what it had to say, so that it tells nothing before the words do, and ends by itself
where for long nothing happens: a box that was left on plays to nobody all night.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.game.vocabulary import Phase
from companion.table.listener import Change, GameListener
from sounds import Music

if TYPE_CHECKING:
    from companion.game.evening import Evening
    from companion.narrator.narrator import Narrator
    from companion.table.snapshot import Feed
    from companion.table.table import Table, Timer

SILENCE_SECONDS = 600.0
"""How long it plays on when nobody reports anything."""


class MusicPlayer(GameListener):
    """Decides which piece is played. Runs on the table's owner thread only."""

    def __init__(self, table: Table, narrator: Narrator, feed: Feed, *, is_on: bool = False) -> None:
        """Make one; `is_on` is what the table chose, or else its settings say."""
        self._table = table
        self._narrator = narrator
        self._feed = feed
        self._is_on = is_on
        self._timer: Timer | None = None
        self._playing: Music | None = None
        feed.post(music=is_on)

    def switch(self, *, is_on: bool) -> None:
        """Let music be played from now on, or none."""
        self._is_on = is_on
        self._feed.post(music=is_on)
        self._choose(self._table.evening)

    def changed(self, change: Change) -> None:
        """Play what suits what the table does now."""
        self._choose(change.after)

    def _choose(self, evening: Evening) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        piece = self._piece(evening)
        if piece is None or piece is not self._playing:
            self._play(None)
        if piece is not None:
            self._timer = self._table.later(SILENCE_SECONDS, lambda: self._play(None))
            self._narrator.when_silent(lambda: self._table.call(self._begin))

    def _piece(self, evening: Evening) -> Music | None:
        if not self._is_on:
            return None
        if evening.game.phase is Phase.GAME_OVER:
            return Music.END
        # Before somebody has sat down nobody may be there at all.
        return Music.LOBBY if evening.game.phase is Phase.LOBBY and evening.seating.players else None

    def _begin(self) -> None:
        """Play what is to be played by now, some sentences later."""
        if self._timer is not None:
            self._play(self._piece(self._table.evening))

    def _play(self, piece: Music | None) -> None:
        if piece is not self._playing:
            self._playing = piece
            self._narrator.play_music(piece)
