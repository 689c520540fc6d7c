"""After a long silence the box says what it waits for: perhaps somebody forgot to press.

It decides nothing and hurries nobody: a table that talks on is reminded a few times, after longer and longer pauses,
and then left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from companion import languages
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.table.listener import Change, GameListener

if TYPE_CHECKING:
    from companion.game.evening import Evening
    from companion.game.refusals import Refused
    from companion.narrator.narrator import Narrator
    from companion.table.table import Table, Timer

REMINDERS = 3
"""How often one silence is broken: a table that has gone to eat is not called all night."""

_WAITS = frozenset(
    {
        Phase.ELECTION,
        Phase.HITLER_CHECK,
        Phase.LEGISLATIVE_SESSION,
        Phase.VETO,
        Phase.CHAOS,
        Phase.EXECUTIVE_ACTION,
    }
)


class Reminder(GameListener):
    """Hears what the table reports, and speaks when for long nothing was. Runs on the table's owner thread only."""

    def __init__(self, table: Table, narrator: Narrator, seconds: float) -> None:
        """Make a reminder.

        Args:
            table: the table that is waited for.
            narrator: who speaks.
            seconds: how long nothing is reported before the first reminder; the pause doubles with each. 0 for never.
        """
        self._table = table
        self._narrator = narrator
        self._seconds = seconds
        self._timer: Timer | None = None
        self._reminded = 0

    def game_resumed(self, evening: Evening) -> None:
        """Wait for the first report."""
        self._wait_anew(evening)

    def changed(self, change: Change) -> None:
        """Wait for the next report."""
        self._wait_anew(change.after)

    def refused(self, refused: Refused, evening: Evening) -> None:  # noqa: ARG002 - whatever it was
        """Somebody is at the box, who has been told why it does not count."""
        self._wait_anew(evening)

    def _wait_anew(self, evening: Evening) -> None:
        self._reminded = 0
        self._wait(evening)

    def _wait(self, evening: Evening) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._seconds > 0 and self._reminded < REMINDERS and evening.game.phase in _WAITS:
            self._timer = self._table.later(self._seconds * 2**self._reminded, self._remind)

    def _remind(self) -> None:
        evening = self._table.evening
        self._reminded += 1
        # Whoever presses in the middle of it has not to hear it out.
        line = cues.waiting(evening, languages.load(evening.seating.language))
        self._narrator.remark(replace(line, question=False))
        self._wait(evening)
