"""The rules alone, without a table, a disk or a light."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from companion.game import rules
from companion.game.vocabulary import Phase
from tests.bench.figures import Figures

if TYPE_CHECKING:
    import random

perf = time.perf_counter


def referee(chance: random.Random, games: int = 300) -> Figures:
    """One command through the rules: decided, and what happened applied."""
    durations = []
    for number in range(games):
        game = rules.begun(5 + number % 6)
        while game.phase is not Phase.GAME_OVER:
            command = chance.choice(rules.legal(game))
            began = perf()
            happened = rules.decide(game, command)
            game = rules.replay(game, happened)
            durations.append((perf() - began) * 1000)
    each = 1000 * len(durations) / sum(durations)
    return Figures(tuple(durations), f"{each:,.0f} a second")
