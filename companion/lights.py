"""Which lights are on: a pure picture of the game and of what the box is doing."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from companion.game import boards
from companion.game.vocabulary import Party, Phase
from hardware.panel import DARK, Light, Lights

if TYPE_CHECKING:
    from companion.game.state import Game


class Mood(Enum):
    """What the status light tells."""

    WAITING = "waiting"
    SPEAKING = "speaking"
    REFUSING = "refusing"
    TROUBLE = "trouble"


_FIRST_ROW = 5
"""In the lobby the first five players stand on the Liberal row, the others on the Fascist row."""

_STATUS = {
    Mood.SPEAKING: Light.BREATHING,
    Mood.REFUSING: Light.FAST,
    Mood.TROUBLE: Light.FAST,
}

_READY = frozenset({Phase.LOBBY, Phase.GAME_OVER})
"""Phases in which nobody has to press anything."""


def picture(game: Game, mood: Mood = Mood.WAITING, *, joined: int = 0) -> Lights:
    """Return what every light does.

    In the lobby each phone that has joined lights one light; with none, the number that the panel has set is shown.

    Dark at night, the status light too: with closed eyes even a glow is seen. A policy that is awaited blinks on the
    slot that it would take; the winner's board blinks at the end.
    """
    if game.phase is Phase.NIGHT:
        return DARK
    status = _STATUS.get(mood, Light.ON if game.phase in _READY else Light.SLOW)
    return replace(_boards(game, joined), status=status)


def _boards(game: Game, joined: int) -> Lights:
    if game.phase is Phase.LOBBY:
        players = joined or game.players
        return Lights(
            liberal=_row(_FIRST_ROW, min(players, _FIRST_ROW)),
            fascist=_row(boards.FASCIST_SLOTS, players - _FIRST_ROW),
        )
    awaited = game.phase in (Phase.LEGISLATIVE_SESSION, Phase.CHAOS)
    lights = Lights(
        liberal=_row(boards.LIBERAL_SLOTS, game.liberal_policies, next_blinks=awaited),
        fascist=_row(boards.FASCIST_SLOTS, game.fascist_policies, next_blinks=awaited),
        tracker=_row(boards.TRACKER_SLOTS, game.election_tracker),
    )
    if game.winner is Party.LIBERAL:
        return replace(lights, liberal=(Light.SLOW,) * boards.LIBERAL_SLOTS)
    if game.winner is Party.FASCIST:
        return replace(lights, fascist=(Light.SLOW,) * boards.FASCIST_SLOTS)
    return lights


def _row(length: int, lit: int, *, next_blinks: bool = False) -> tuple[Light, ...]:
    return tuple(
        Light.ON if place < lit else Light.SLOW if next_blinks and place == lit else Light.OFF
        for place in range(length)
    )
