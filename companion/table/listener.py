"""What the rest of the box may hear of the table: a listener with defaults that do nothing.

Listeners hear on the table's owner thread, one after the other, and only compute and put things into inboxes. What a
listener raises is logged, the next call comes all the same, and the table is told that a part has failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.game.evening import Entry, Evening
    from companion.game.refusals import Refused
    from companion.table.snapshot import Trouble


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the journal and what it changed.

    Attributes:
        before: the evening before it.
        entry: what happened.
        after: the evening since then.
        is_withheld: whether screens and lights show it only when the voice begins to tell it: see `Table.withholds`.
    """

    before: Evening
    entry: Entry
    after: Evening
    is_withheld: bool = False


class GameListener:
    """Override what you care for."""

    def game_resumed(self, evening: Evening) -> None:
        """The box was switched on; this is where the table stands. Always the first call."""

    def changed(self, change: Change) -> None:
        """Something happened, and the journal holds it."""

    def refused(self, refused: Refused, evening: Evening) -> None:
        """A report was refused; nothing has changed."""

    def said(self, key: str, text: str, at_seconds: float) -> None:
        """A line was said to its end: what it is about, its words, and when (seconds on the narrator's clock)."""

    def trouble(self, kind: Trouble, sentence: str) -> None:
        """Something of the box does not work: its kind, and why in a sentence for whoever mends it.

        With an empty sentence it works again.
        """
