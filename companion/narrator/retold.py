"""A game that was played, told again report by report, in the words that its table heard. Nothing in it is secret."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from companion import languages
from companion.game import evening as rulebook
from companion.game.seating import Seating
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.table.listener import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from companion.game.evening import Evening
    from companion.game.state import Game
    from companion.journal import Row
    from companion.languages import Language


@dataclass(frozen=True, slots=True)
class Moment:
    """A report, and what the table heard of it.

    Attributes:
        at: when (UTC, ISO 8601).
        lines: what was said.
        game: how it stood then. Holds secrets, as every game does.
        language: in which language it is told.
    """

    at: str
    lines: tuple[str, ...]
    game: Game
    language: Language


def retold(rows: Iterable[Row], language: Language | None = None, *, names: bool = True) -> Iterator[Moment]:
    """Yield every report of a game since its lobby that was told of.

    Args:
        rows: the game's, from its journal.
        language: in which language it is told; None for the table's of that time.
        names: whether people are called by name, and not by seat.
    """
    evening: Evening | None = None
    for row in rows:
        before, evening = evening, rulebook.evolve(evening, row.entry)
        if before is None or evening.game.phase is Phase.LOBBY:
            continue
        told_in = language or languages.load(evening.seating.language)
        shown = [each if names else replace(each, seating=Seating(language=told_in.code)) for each in (before, evening)]
        lines = tuple(line.text for line in cues.announce(Change(shown[0], row.entry, shown[1]), told_in))
        if lines:
            yield Moment(row.at, lines, evening.game, told_in)
