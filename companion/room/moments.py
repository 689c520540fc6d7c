"""What a room may know: a few public facts, and the moments at which lights may change. Pure.

It is read from the snapshots that every screen shows. What the box answers out of the roles it dealt is in none of them
before the voice has begun to tell it, and no name and no role of anybody is told here at all.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from companion.game import boards
from companion.game.vocabulary import Party, Phase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from companion.table.snapshot import Snapshot


class Moment(StrEnum):
    """Something at which a room may do something."""

    EYES_CLOSE = "eyes_close"
    EYES_OPEN = "eyes_open"
    GAME_BEGINS = "game_begins"
    LIBERAL_POLICY = "liberal_policy"
    FASCIST_POLICY = "fascist_policy"
    CHAOS = "chaos"
    EXECUTION = "execution"
    LIBERALS_WIN = "liberals_win"
    FASCISTS_WIN = "fascists_win"
    BROKEN_OFF = "broken_off"


_BEFORE_THE_GAME = frozenset({Phase.LOBBY, Phase.DEAL, Phase.NIGHT, Phase.ASK})


def state(snapshot: Snapshot) -> dict[str, object]:
    """Return what the room may know of a moment."""
    game = snapshot.evening.game
    return {
        "phase": str(game.phase),
        "eyes_closed": _eyes_closed(snapshot),
        "players": game.players,
        "liberal_policies": game.liberal_policies,
        "fascist_policies": game.fascist_policies,
        "election_tracker": game.election_tracker,
        "winner": None if game.winner is None else str(game.winner),
    }


def moments(before: Snapshot, after: Snapshot) -> Iterator[Moment]:
    """Yield what has happened between two snapshots; nothing for what was taken back."""
    old, new = before.evening.game, after.evening.game
    if _eyes_closed(after) is not _eyes_closed(before):
        yield Moment.EYES_CLOSE if _eyes_closed(after) else Moment.EYES_OPEN
    if old.phase in _BEFORE_THE_GAME and new.phase is Phase.ELECTION:
        yield Moment.GAME_BEGINS
    if new.phase is Phase.CHAOS and old.phase is not Phase.CHAOS and new.election_tracker == boards.TRACKER_SLOTS:
        yield Moment.CHAOS
    if new.liberal_policies > old.liberal_policies:
        yield Moment.LIBERAL_POLICY
    if new.fascist_policies > old.fascist_policies:
        yield Moment.FASCIST_POLICY
    if len(new.executed) > len(old.executed):
        yield Moment.EXECUTION
    if new.phase is Phase.GAME_OVER and old.phase is not Phase.GAME_OVER:
        won = {Party.LIBERAL: Moment.LIBERALS_WIN, Party.FASCIST: Moment.FASCISTS_WIN}
        yield Moment.BROKEN_OFF if new.winner is None else won[new.winner]


def _eyes_closed(snapshot: Snapshot) -> bool:
    return snapshot.evening.game.phase is Phase.NIGHT and not snapshot.night_paused
