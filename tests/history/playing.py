"""Journals full of whole games of made-up people."""

from __future__ import annotations

import hashlib
from random import Random
from typing import TYPE_CHECKING

from companion.commands.demo.players import Company
from companion.game import commands
from companion.game import evening as rulebook
from companion.game.seating import Seating
from companion.game.vocabulary import Phase
from companion.machine.dice import Dice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.game.commands import Command
    from companion.game.evening import Evening
    from companion.journal import Journal

NAMES = ("Ada", "Béla", "Zoë", "Даша", "Eva-Maria", "Finn", "Gus", "Hal", "Ira", "Jo")


def keep(journal: Journal, evening: Evening, *report: Command) -> Evening:
    """Report something, and keep it."""
    entry = rulebook.decide(evening, report)
    if entry:
        journal.append(entry)
    return rulebook.evolve(evening, entry)


def sit_down(journal: Journal, names: Sequence[str], language: str = "en") -> Evening:
    """Open a table."""
    evening, opening = rulebook.opened(seating=Seating(language=language))
    journal.append(opening)
    for name in names:
        evening = keep(journal, evening, commands.TakeSeat(name, hashlib.sha256(name.encode()).hexdigest()))
    return evening


def play(journal: Journal, evening: Evening, seed: int = 0) -> Evening:
    """Play a game to its end, from the lobby or from the end of the one before."""
    chance = Random(seed)  # noqa: S311 - no secret
    if evening.game.phase is Phase.GAME_OVER:
        evening = keep(journal, evening, commands.OpenLobby())
    dice, company = Dice(chance), Company(chance)
    evening = keep(journal, evening, commands.DealRoles(dice.roles(evening.game.players)))
    evening = keep(journal, evening, commands.BeginNight(regardless=True))
    evening = keep(journal, evening, commands.EndNight())
    evening = keep(journal, evening, commands.BeginGame(dice.first(evening.game.players)))
    while evening.game.phase is not Phase.GAME_OVER:
        evening = keep(journal, evening, company.next(evening.game))
    return evening


def play_games(journal: Journal, count: int, names: Sequence[str] = NAMES[:7], language: str = "en") -> Evening:
    """Play so many games with the same people."""
    evening = sit_down(journal, names, language)
    for seed in range(count):
        evening = play(journal, evening, seed)
    return evening
