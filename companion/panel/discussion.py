"""A clock for the discussion, where a table wants one: it tells how much time is left, and decides nothing.

It runs while people talk before a vote, and while a President chooses; the press that the table waits for stops it.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from companion import languages
from companion.game.views import moment
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.table.listener import Change, GameListener
from companion.table.snapshot import Countdown

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.evening import Evening
    from companion.narrator.line import Line
    from companion.narrator.narrator import Narrator
    from companion.table.snapshot import Feed
    from companion.table.table import Table, Timer

LAST_SECONDS = 15.0
"""When the box says for the last time how much time is left."""

_TIMED = frozenset({Phase.ELECTION, Phase.EXECUTIVE_ACTION})


class DiscussionClock(GameListener):
    """Starts a countdown for each discussion while it is switched on. Runs on the table's owner thread only."""

    def __init__(
        self,
        table: Table,
        narrator: Narrator,
        feed: Feed,
        minutes: float,
        *,
        is_on: bool = False,
        remember: Callable[[bool], None] = lambda _is_on: None,
    ) -> None:
        """Make a clock.

        Args:
            table: whose discussions it times.
            narrator: who says how much time is left.
            feed: shows it.
            minutes: how long a discussion may take.
            is_on: whether it was on when the box was switched off.
            remember: keeps whether it is on.
        """
        self._table = table
        self._narrator = narrator
        self._feed = feed
        self._seconds = 60.0 * minutes
        self._is_on = is_on
        self._remember = remember
        self._moment = ""
        self._timers: list[Timer] = []

    def switch(self) -> Line:
        """Switch it on or off, for this discussion and those to come; return what is said to that."""
        self._is_on = not self._is_on
        self._remember(self._is_on)
        if not self._is_on:
            self._stop()
        elif not self._table.withholds:
            self._start(self._table.evening)
        minutes = f"{self._seconds / 60:.0f}"
        language = languages.load(self._table.evening.seating.language)
        return cues.plain(language, "clock_on", minutes=minutes) if self._is_on else cues.plain(language, "clock_off")

    def game_resumed(self, evening: Evening) -> None:
        """Begin anew: nobody knows how long the power was gone."""
        if self._is_on and self._start(evening):
            self._say(evening, "clock_anew")

    def changed(self, change: Change) -> None:
        """Time the next discussion, once the table has heard that it has come to it."""
        if moment(change.after.game) == self._moment:
            return
        self._stop()
        if self._is_on and not change.is_withheld:
            self._start(change.after)

    def said(self, key: str, text: str, at_seconds: float) -> None:  # noqa: ARG002 - named as the listener names them
        """Time a discussion that follows an answer out of the roles: a clock before it would give the answer away."""
        evening = self._table.evening
        if self._is_on and key in cues.REVEALING and not self._table.withholds and moment(evening.game) != self._moment:
            self._start(evening)

    def _start(self, evening: Evening) -> bool:
        """Start the countdown of the discussion that the table is at; whether it is at one."""
        self._stop()
        if evening.game.phase not in _TIMED:
            return False
        self._moment = moment(evening.game)
        self._feed.post(clock=Countdown(evening.game.phase, self._seconds, time.monotonic() + self._seconds))
        if self._seconds > 2 * LAST_SECONDS:
            self._later(self._seconds / 2, "clock_half")
        self._later(self._seconds - LAST_SECONDS, "clock_last")
        self._timers.append(self._table.later(self._seconds, self._end))
        return True

    def _later(self, seconds: float, key: str) -> None:
        self._timers.append(self._table.later(seconds, lambda: self._say(self._table.evening, key)))

    def _end(self) -> None:
        """Say that the time is up, and what the table waits for: people decide, not a clock."""
        evening = self._table.evening
        self._say(evening, "clock_over")
        self._narrator.remark(replace(cues.waiting(evening, languages.load(evening.seating.language)), question=False))

    def _say(self, evening: Evening, key: str) -> None:
        self._narrator.remark(cues.plain(languages.load(evening.seating.language), key))

    def _stop(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._moment = ""
        self._feed.post(clock=None)
