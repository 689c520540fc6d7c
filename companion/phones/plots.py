"""Plots of many games, worked out as numbers that a template draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from companion.game.vocabulary import Party

if TYPE_CHECKING:
    from collections.abc import Sequence

_BIN_MINUTES = (5, 10, 15, 20, 30, 60, 120)
_MOST_BINS = 9


@dataclass(frozen=True, slots=True)
class Bin:
    """So many games that took about as long.

    Attributes:
        label: from how many minutes on.
        count: how many games.
        share: of the fullest bin, 0 to 1.
    """

    label: str
    count: int
    share: float


def lengths(minutes: Sequence[float]) -> list[Bin]:
    """Return how many games took how long, in nine bins at most; the last one takes all that were longer."""
    if not minutes:
        return []
    # A table that forgot its box for a night makes no plot of one bar.
    usual = sorted(minutes)[math.ceil(0.98 * (len(minutes) - 1))]
    wide = next((width for width in _BIN_MINUTES if usual / width < _MOST_BINS), _BIN_MINUTES[-1])
    count = min(int(usual / wide), _MOST_BINS - 1) + 1
    counts = [0] * count
    for each in minutes:
        counts[min(int(each / wide), count - 1)] += 1
    first = next(place for place, games in enumerate(counts) if games)
    return [Bin(f"{place * wide}", games, games / max(counts)) for place, games in enumerate(counts) if place >= first]


@dataclass(frozen=True, slots=True)
class Run:
    """Who won how often, game by game.

    Attributes:
        liberal: how many games the Liberals had won after each game, from before the first one on.
        fascist: the same for the Fascists.
        most: the greater of the last two.
    """

    liberal: tuple[int, ...]
    fascist: tuple[int, ...]
    most: int

    def path(self, wins: Sequence[int], width: float, height: float) -> str:
        """Return wins as the path of a line that rises in steps, in a picture of this size."""
        step, rise = width / max(len(wins) - 1, 1), height / max(self.most, 1)
        points = "".join(f"H{place * step:.1f}V{height - won * rise:.1f}" for place, won in enumerate(wins))
        return f"M0 {height:.1f}{points}"


def run(winners: Sequence[Party | None]) -> Run:
    """Return how the wins went, the oldest game first; whatever was broken off moves neither line."""
    liberal = tuple(accumulate((winner is Party.LIBERAL for winner in winners), initial=0))
    fascist = tuple(accumulate((winner is Party.FASCIST for winner in winners), initial=0))
    return Run(liberal, fascist, max(liberal[-1], fascist[-1]))
