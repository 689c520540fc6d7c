"""Reads the journal and does with its games what somebody wants."""

from __future__ import annotations

import sqlite3
import sys
from typing import TYPE_CHECKING

from companion import languages
from companion.commands.history import telling
from companion.commands.history.export import write
from companion.history import past_games
from companion.journal import FILE_NAME, Damaged, reading
from companion.story import picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from companion.history import PastGame

STANDARD_OUTPUT = "-"
"""What stands for standard output in place of a file."""


def run(
    state_dir: Path,
    export: Path | None = None,
    *,
    names: bool = False,
    game: int | None = None,
    svg: Path | None = None,
    replay: bool = False,
    sums: bool = False,
) -> int:
    """List the games of a box on the terminal, tell one of them or all in sums, or write them to a file.

    Args:
        state_dir: the state directory of the box.
        export: a file to write as JSON instead of listing, or `STANDARD_OUTPUT`; an existing one is replaced.
        names: whether players' names may stand in it.
        game: the number of the one game that is meant; None for all of them.
        svg: a file for the picture of that game, or `STANDARD_OUTPUT`.
        replay: whether that game is told report by report, as the table heard it.
        sums: whether the games are summed up.

    Returns:
        The exit code: 0, or 1 when the journal could not be read or the file not be written; a sentence on the error
        output then says why.
    """

    def show(games: Iterator[PastGame]) -> int:
        chosen = games
        if game is not None:
            found = next((each for each in games if each.number == game), None)
            if found is None:
                return _failed(f"There is no game {game}: `companion history` lists those that were played.")
            if export is None:
                return _show_one(found, svg, names=names, replay=replay)
            chosen = iter([found])
        if export is not None:
            return _export(chosen, export, names=names)
        if sums:
            telling.sum_up(chosen, names=names)
        else:
            telling.listing(chosen)
        return 0

    return _with_games_of(state_dir, show)


def _with_games_of(state_dir: Path, show: Callable[[Iterator[PastGame]], int]) -> int:
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


def _show_one(game: PastGame, svg: Path | None, *, names: bool, replay: bool) -> int:
    if svg is not None:
        return _draw(game, svg, names=names)
    if game.evening is None:
        return _failed(f"Game {game.number} is damaged in the journal.")
    if replay:
        telling.replay(game, names=names)
    else:
        telling.tell(game, game.evening, names=names)
    return 0


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def _draw(game: PastGame, file: Path, *, names: bool) -> int:
    if game.evening is None or not game.finished:
        return _failed(f"Game {game.number} is not over: its picture would tell who is who.")
    language = languages.load(game.evening.seating.language)
    drawn = picture(game.evening, language, names=names, told=telling.local(game.began_at))
    if str(file) == STANDARD_OUTPUT:
        sys.stdout.write(drawn)
        return 0
    try:
        file.write_text(drawn, encoding="utf-8")
    except OSError as error:
        return _failed(f"The file {file} cannot be written: {error.strerror}.")
    print(f"Game {game.number} drawn to {file}.")
    return 0


def _export(games: Iterator[PastGame], file: Path, *, names: bool) -> int:
    if str(file) == STANDARD_OUTPUT:
        write(games, sys.stdout, names=names)
        return 0
    try:
        with file.open("w", encoding="utf-8") as out:
            count = write(games, out, names=names)
    except OSError as error:
        return _failed(f"The file {file} cannot be written: {error.strerror}.")
    print(f"{count} {'game' if count == 1 else 'games'} written to {file}.")
    return 0
