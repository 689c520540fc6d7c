"""What the rest of the box may hear of the table: a listener with defaults that do nothing.

Listeners run on threads of their own, one each, fed in order. A listener can therefore neither delay the table nor
break it: what it raises is logged, and the next call comes all the same. The table is told of one that fails or hangs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.bulletin import Trouble
    from companion.game.evening import Entry, Evening
    from companion.game.refusals import Refused


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

    def revealed(self, evening: Evening) -> None:
        """What was withheld may be shown now; this is where the table stands."""

    def refused(self, refused: Refused, evening: Evening) -> None:
        """A report was refused; nothing has changed."""

    def trouble(self, kind: Trouble, sentence: str) -> None:
        """Something of the box does not work: its kind, and why in a sentence for whoever mends it.

        With an empty sentence it works again.
        """
