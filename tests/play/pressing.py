"""What the six buttons can report, whatever a test wants to know of it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from companion import languages
from companion.game import commands
from companion.panel.meanings import Chance, Offer, Pending, Report, meaning
from hardware.panel import Button

if TYPE_CHECKING:
    from companion.game.commands import Command
    from companion.game.evening import Evening

CODES = languages.codes()


def by_buttons(evening: Evening) -> set[tuple[Command | Chance, ...]]:
    """Every report that the six buttons can make now, stepping through the names on offer."""
    seen: set[tuple[Command | Chance, ...]] = set()
    offers: list[int | None] = [None]
    for offer in offers:
        for button, held in itertools.product(Button, (False, True)):
            meant = meaning(button, held, evening, Pending(offer=offer, languages=CODES))
            if isinstance(meant, Report):
                seen.add(meant.commands)
            elif isinstance(meant, Offer) and meant.seat not in offers:
                offers.append(meant.seat)
    return seen


def as_chance(command: Command) -> Command | Chance:
    """A command as the buttons report it: what chance decides is drawn later."""
    if isinstance(command, commands.DealRoles):
        return Chance.DEAL_ROLES
    return Chance.BEGIN_GAME if isinstance(command, commands.BeginGame) else command
