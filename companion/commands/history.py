"""`companion history`: the games that were played on this box, read from its journal while the box may be running.

What leaves the box here is chosen, not filtered: of an event, the fields that it shows in its `repr`; roles of games
that are over; names where somebody asked for them. A game counts as over by its last report, so a win that was taken
back and played on is a running game again.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

from companion.game import evening as rulebook
from companion.game import events, views
from companion.game.vocabulary import Party, Phase, Reason
from companion.journal import FILE_NAME, Damaged, codec, reading, sound_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

    from companion.game.evening import Evening
    from companion.game.events import Event
    from companion.journal import Row

EXPORT_VERSION = 1
"""The form of an export; it grows when a reader of the form before would go wrong."""

STANDARD_OUTPUT = "-"
"""What stands for standard output in place of a file."""

_EXPORTED = frozenset({*get_args(events.GameEvent), events.ReportTakenBack})
"""Events of the game. Who came, went or was renamed is nobody's business outside."""

_REASONS = {
    Reason.LIBERAL_POLICIES: "five Liberal policies",
    Reason.HITLER_EXECUTED: "Hitler was executed",
    Reason.FASCIST_POLICIES: "six Fascist policies",
    Reason.HITLER_CHANCELLOR: "Hitler became Chancellor",
}
_WINNERS = {Party.LIBERAL: "Liberals", Party.FASCIST: "Fascists"}
_LINE = "{:>6}  {:<16}  {:>7}  {:<8}  {:<9}  {}"


@dataclass(frozen=True, slots=True, repr=False)
class PastGame:
    """A game that was played, or is being played. Holds secrets: its `repr` says nothing.

    Attributes:
        number: 1 for the first game that was played on this box.
        rows: every report with its time, the first of which opens the game.
        evening: how it ended, or where it stands; None when the journal is damaged there.
    """

    number: int
    rows: tuple[Row, ...]
    evening: Evening | None

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.evening is not None and self.evening.game.phase is Phase.GAME_OVER

    def __repr__(self) -> str:
        return f"PastGame({self.number})"


def past_games(connection: sqlite3.Connection) -> Iterator[PastGame]:
    """Yield the games of a journal that got further than the lobby, oldest first."""
    number = 0
    # One game at a time: 5,000 of them need not be in memory at once.
    kept = None
    while (kept := _next_game(connection, kept)) is not None:
        rows, evening = _played(connection, kept)
        if evening is None or evening.game.phase is not Phase.LOBBY:
            number += 1
            yield PastGame(number, rows, evening)


def _next_game(connection: sqlite3.Connection, after: int | None) -> int | None:
    found: int | None = connection.execute("SELECT min(game) FROM entry WHERE game > ?", (after or 0,)).fetchone()[0]
    return found


def newest_game(connection: sqlite3.Connection) -> PastGame | None:
    """Return the game that got furthest from the lobby last; of a box that is new the lobby, or None.

    Its number is the journal's own, which counts lobbies too.
    """
    newest = None
    kept = connection.execute("SELECT max(game) FROM entry").fetchone()[0]
    while kept is not None:
        game = PastGame(kept, *_played(connection, kept))
        if game.evening is None or game.evening.game.phase is not Phase.LOBBY:
            return game
        newest = newest or game
        kept = connection.execute("SELECT max(game) FROM entry WHERE game < ?", (kept,)).fetchone()[0]
    return newest


def _played(connection: sqlite3.Connection, game: int) -> tuple[tuple[Row, ...], Evening | None]:
    rows: list[Row] = []
    try:
        for row, _ in sound_rows(connection, game):
            rows.append(row)
        return tuple(rows), rulebook.replay(*(row.entry for row in rows))
    except Exception:  # noqa: BLE001 - one game that cannot be followed must not hide the others
        return tuple(rows), None


def run(state_dir: Path, export: Path | None = None, *, names: bool = False) -> int:
    """List the games of a box on the terminal, or write them to a file.

    Args:
        state_dir: the state directory of the box.
        export: a file to write as JSON instead of listing, or `STANDARD_OUTPUT`; an existing one is replaced.
        names: whether players' names may stand in it.

    Returns:
        The exit code: 0, or 1 when the journal could not be read or the file not be written; a sentence on the error
        output then says why.
    """
    try:
        with reading(state_dir.absolute() / FILE_NAME) as connection:
            games = past_games(connection)
            return _list(games) if export is None else _export(games, export, names=names)
    except FileNotFoundError:
        return _list(iter(())) if export is None else _export(iter(()), export, names=names)
    except PermissionError:
        return _failed(
            f"The games in {state_dir} are another user's: `sudo companion history` reads those of a service."
        )
    except Damaged as damaged:
        return _failed(f"{damaged.finding}: {state_dir / FILE_NAME}")
    except sqlite3.Error as error:
        return _failed(f"The journal {state_dir / FILE_NAME} cannot be read ({type(error).__name__}).")


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


# --- on the terminal -------------------------------------------------------------------------------------------------


def _list(games: Iterator[PastGame]) -> int:
    listed = False
    for game in games:
        if not listed:
            print(_LINE.format("game", "began", "players", "language", "winner", "how"))
            listed = True
        print(_line(game))
    if not listed:
        print("No game has been played on this box yet.")
    return 0


def _line(game: PastGame) -> str:
    began = _local(game.rows[0].at) if game.rows else ""
    if game.evening is None:
        return _LINE.format(game.number, began, "", "", "", "damaged in the journal")
    state = game.evening.game
    winner, how = "", "unfinished"
    if state.reason is not None:
        winner, how = _WINNERS[state.reason.winner], _REASONS[state.reason]
    elif game.finished:
        how = "broken off"
    return _LINE.format(game.number, began, state.players, game.evening.seating.language, winner, how)


def _local(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


# --- as a file -------------------------------------------------------------------------------------------------------


def _export(games: Iterator[PastGame], file: Path, *, names: bool) -> int:
    if str(file) == STANDARD_OUTPUT:
        _write(games, sys.stdout, names=names)
        return 0
    try:
        with file.open("w", encoding="utf-8") as out:
            count = _write(games, out, names=names)
    except OSError as error:
        return _failed(f"The file {file} cannot be written: {error.strerror}.")
    print(f"{count} {'game' if count == 1 else 'games'} written to {file}.")
    return 0


def _write(games: Iterator[PastGame], out: TextIO, *, names: bool) -> int:
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
        "began_at": game.rows[0].at,
        "ended_at": _ended_at(game),
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


def _ended_at(game: PastGame) -> str | None:
    if not game.finished:
        return None
    # Not the last row: after the game people may sit down for the next one.
    return next(
        row.at for row in reversed(game.rows) if any(isinstance(event, events.GAME_ENDS) for event in row.entry)
    )


def _shown(row: Row) -> list[dict[str, Any]]:
    return [_without_secrets(event) for event in row.entry if type(event) in _EXPORTED]


def _without_secrets(event: Event) -> dict[str, Any]:
    open_fields = {"event", *(field.name for field in fields(event) if field.repr)}
    return {key: value for key, value in codec.to_plain(event).items() if key in open_fields}
