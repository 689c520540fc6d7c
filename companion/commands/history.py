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

from companion import languages
from companion.game import evening as rulebook
from companion.game import events, views
from companion.game.record import record
from companion.game.vocabulary import Party, Phase, Reason, Role
from companion.journal import FILE_NAME, Damaged, codec, reading, sound_rows
from companion.story import picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TextIO

    from companion.game.evening import Evening
    from companion.game.events import Event
    from companion.game.record import Government
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
_ROW = "{:>3}  {:<16}  {:<16}  {:<9}  {}"
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


def run(
    state_dir: Path,
    export: Path | None = None,
    *,
    names: bool = False,
    game: int | None = None,
    svg: Path | None = None,
) -> int:
    """List the games of a box on the terminal, tell one of them, or write them to a file.

    Args:
        state_dir: the state directory of the box.
        export: a file to write as JSON instead of listing, or `STANDARD_OUTPUT`; an existing one is replaced.
        names: whether players' names may stand in it.
        game: the number of the one game that is meant; None for all of them.
        svg: a file for the picture of that game, or `STANDARD_OUTPUT`.

    Returns:
        The exit code: 0, or 1 when the journal could not be read or the file not be written; a sentence on the error
        output then says why.
    """

    def show(games: Iterator[PastGame]) -> int:
        if game is not None:
            chosen = next((each for each in games if each.number == game), None)
            if chosen is None:
                return _failed(f"There is no game {game}: `companion history` lists those that were played.")
            if svg is not None:
                return _draw(chosen, svg, names=names)
            if export is None:
                return _tell(chosen, names=names)
            games = iter([chosen])
        return _list(games) if export is None else _export(games, export, names=names)

    try:
        with reading(state_dir.absolute() / FILE_NAME) as connection:
            return show(past_games(connection))
    except FileNotFoundError:
        return show(iter(()))
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


def _tell(game: PastGame, *, names: bool) -> int:
    """Tell the story of one game: what everybody saw, and the roles if it is over."""
    if game.evening is None:
        return _failed(f"Game {game.number} is damaged in the journal.")
    evening, state = game.evening, game.evening.game

    def name(seat: int | None) -> str:
        player = None if seat is None or not names else evening.seating.player_at(seat)
        return "?" if seat is None else f"Player {seat}" if player is None else player.name

    print(f"Game {game.number}: {_told(game)}")
    print(_outcome(game))
    print()
    for number, each in enumerate(record(evening.step), 1):
        print(_ROW.format(number, name(each.president), name(each.chancellor), *_came(each, name)).rstrip())
    roles = views.revealed_roles(state)
    if roles is not None:
        print()
        for role in (Role.HITLER, Role.FASCIST, Role.LIBERAL):
            players = ", ".join(name(seat) for seat in state.seats if roles[seat - 1] is role)
            print(f"{str(role).capitalize() + ':':<9} {players}")
    return 0


def _outcome(game: PastGame) -> str:
    state = None if game.evening is None else game.evening.game
    if state is not None and state.reason is not None:
        return f"The {_WINNERS[state.reason.winner]} won: {_REASONS[state.reason]}."
    return "The game was broken off." if game.finished else "The game is not over."


def _told(game: PastGame) -> str:
    """Return when a game was played, by how many, and how long."""
    ended = _ended_at(game)
    began = datetime.fromisoformat(game.rows[0].at)
    took = "" if ended is None else f", {(datetime.fromisoformat(ended) - began).total_seconds() // 60:.0f} minutes"
    players = "" if game.evening is None else f", {game.evening.game.players} players"
    return f"{_local(game.rows[0].at)}{players}{took}"


def _came(each: Government, name: Callable[[int | None], str]) -> tuple[str, str]:
    """Return what a government enacted, and what else came of it."""
    told = []
    if each.chaos:
        told.append("chaos")
    if each.veto is not None:
        told.append("vetoed" if each.veto else "veto refused")
    if each.power is not None:
        power = str(each.power).replace("_", " ")
        told.append(power if each.target is None else f"{power}: {name(each.target)}")
    if each.hitler:
        told.append("Hitler")
    policy = "" if each.policy is None else str(each.policy).capitalize()
    return policy or ("no policy" if each.elected else "failed"), ", ".join(told)


def _draw(game: PastGame, file: Path, *, names: bool) -> int:
    if game.evening is None or not game.finished:
        return _failed(f"Game {game.number} is not over: its picture would tell who is who.")
    language = languages.load(game.evening.seating.language)
    drawn = picture(game.evening, language, names=names, told=_local(game.rows[0].at))
    if str(file) == STANDARD_OUTPUT:
        sys.stdout.write(drawn)
        return 0
    try:
        file.write_text(drawn, encoding="utf-8")
    except OSError as error:
        return _failed(f"The file {file} cannot be written: {error.strerror}.")
    print(f"Game {game.number} drawn to {file}.")
    return 0


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
