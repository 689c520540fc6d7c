"""Games as JSON, for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, get_args

from companion.game import events, views
from companion.journal import codec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from companion.game.events import Event
    from companion.history import PastGame
    from companion.journal import Row

EXPORT_VERSION = 1
"""The form of an export; it grows when a reader of the form before would go wrong."""

_EXPORTED = frozenset({*get_args(events.GameEvent), events.ReportTakenBack, events.ReportRedone})
"""Events of the game. Who came, went or was renamed is nobody's business outside."""


def write(games: Iterable[PastGame], out: TextIO, *, names: bool) -> int:
    """Write games as one JSON object, a game a line and as it is read; return how many."""
    count = 0
    out.write(f'{{"version": {EXPORT_VERSION}, "games": [')
    for count, game in enumerate(games, 1):
        out.write("\n" if count == 1 else ",\n")
        json.dump(exported(game, names=names), out, ensure_ascii=False)
    out.write("\n]}\n")
    return count


def exported(game: PastGame, *, names: bool = False) -> dict[str, Any]:
    """Return what of a game may leave the box, as `json` can write it.

    Args:
        game: the game.
        names: whether players' names may.
    """
    evening = game.evening
    if evening is None:
        return {"number": game.number, "damaged": True}
    state = evening.game
    roles = views.revealed_roles(state)
    return {
        "number": game.number,
        "began_at": game.began_at,
        "ended_at": game.ended_at,
        "players": state.players,
        "language": evening.seating.language,
        "rules": asdict(state.rules),
        "finished": game.finished,
        "winner": None if state.winner is None else str(state.winner),
        "reason": None if state.reason is None else str(state.reason),
        "roles": None if roles is None else [str(role) for role in roles],
        **({"names": list(evening.names())} if names else {}),
        "reports": [{"at": row.at, "events": shown} for row in game.rows if (shown := _shown(row))],
    }


def _shown(row: Row) -> list[dict[str, Any]]:
    return [_without_secrets(event) for event in row.entry if type(event) in _EXPORTED]


def _without_secrets(event: Event) -> dict[str, Any]:
    open_fields = {"event", *(field.name for field in fields(event) if field.repr)}
    return {key: value for key, value in codec.to_plain(event).items() if key in open_fields}
