"""People who play at random, and a fingerprint of an evening by which two of them are the same."""

from __future__ import annotations

import dataclasses
import hashlib
import random
from typing import TYPE_CHECKING

from companion.game import commands, rules
from companion.game import evening as rulebook
from companion.game.vocabulary import Phase

if TYPE_CHECKING:
    from companion.game.commands import Command
    from companion.game.evening import Entry, Evening


def chance_of(seed: object) -> random.Random:
    """Return the chance of a test, the same in every run."""
    return random.Random(str(seed))  # noqa: S311 - a test, not a secret


def next_command(evening: Evening, chance: random.Random) -> Command:
    """Return something that the table may report now; now and then something is taken back or somebody sits down."""
    game = evening.game
    if evening.step.before is not None and chance.random() < 0.1:
        return commands.TakeBack(confirmed=True)
    if evening.taken_back and chance.random() < 0.4:
        return commands.Redo()
    if game.phase is Phase.GAME_OVER:
        return commands.OpenLobby()
    seated = len(evening.seating.players)
    if evening.joining and seated < 7 and chance.random() < 0.8:
        return commands.TakeSeat(f"Player {evening.seating.next_id}", claim=f"claim {chance.random()}")
    if seated and chance.random() < 0.05:
        return commands.RenamePlayer(chance.choice(evening.seating.players).id, f"Renamed {chance.random():.6f}")
    able = [each for each in rules.legal(game) if not (seated and isinstance(each, commands.SetPlayers))]
    if seated < 5:
        able = [each for each in able if not isinstance(each, commands.DealRoles)]
    return chance.choice(able)


def play(evening: Evening, chance: random.Random, reports: int) -> tuple[Evening, list[Entry]]:
    """Play a number of reports without a table, and return what happened in each."""
    entries: list[Entry] = []
    while len(entries) < reports:
        entry = rulebook.decide(evening, [next_command(evening, chance)])
        if entry:
            entries.append(entry)
            evening = rulebook.evolve(evening, entry)
    return evening, entries


def fingerprint(evening: Evening) -> str:
    """Return what is equal for two evenings that nobody could tell apart, all that can be taken back included."""
    digest = hashlib.sha256(str(_plain(evening.seating)).encode())
    step = evening.step
    while step is not None:
        digest.update(f"{_plain(step.game)} {_plain(step.report)}".encode())
        step = step.before
    for taken_back in evening.taken_back:
        digest.update(f"back {_plain(taken_back.report)}".encode())
    return digest.hexdigest()[:16]


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, each.name)) for each in dataclasses.fields(value))]
    if isinstance(value, frozenset):
        return sorted(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else str(value)
