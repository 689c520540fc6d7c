"""Games on the terminal: a list, one game, its reports one by one, or what many come to."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING

from companion.game import boards, views
from companion.game.record import record
from companion.game.vocabulary import Party, Reason, Role
from companion.history.summary import summary_of, sums
from companion.narrator.retold import retold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from companion.game.evening import Evening
    from companion.game.record import Government
    from companion.game.state import Game
    from companion.history import PastGame
    from companion.history.summary import Record, Score
    from companion.languages import Language

_REASONS = {
    Reason.LIBERAL_POLICIES: "five Liberal policies",
    Reason.HITLER_EXECUTED: "Hitler was executed",
    Reason.FASCIST_POLICIES: "six Fascist policies",
    Reason.HITLER_CHANCELLOR: "Hitler became Chancellor",
}
_WINNERS = {Party.LIBERAL: "Liberals", Party.FASCIST: "Fascists"}
_ROW = "{:>3}  {:<16}  {:<16}  {:<9}  {}"
_SUM = "{:<30}{:>6}{:>10}{:>10}"
_RECORD = "{:<30}{:>6}{:>6}{:>9}{:>9}{:>8}"
_LINE = "{:>6}  {:<16}  {:>7}  {:<8}  {:<9}  {}"


def listing(games: Iterable[PastGame]) -> None:
    """Print a line a game."""
    listed = False
    for game in games:
        if not listed:
            print(_LINE.format("game", "began", "players", "language", "winner", "how"))
            listed = True
        print(_line(game))
    if not listed:
        print("No game has been played on this box yet.")


def _line(game: PastGame) -> str:
    began = local(game.began_at) if game.rows else ""
    if game.evening is None:
        return _LINE.format(game.number, began, "", "", "", "damaged in the journal")
    state = game.evening.game
    winner, how = "", "unfinished"
    if state.reason is not None:
        winner, how = _WINNERS[state.reason.winner], _REASONS[state.reason]
    elif game.finished:
        how = "broken off"
    return _LINE.format(game.number, began, state.players, game.evening.seating.language, winner, how)


def tell(game: PastGame, evening: Evening, *, names: bool) -> None:
    """Tell the story of one game: what everybody saw, and the roles if it is over."""
    state = evening.game

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


def replay(game: PastGame, *, names: bool) -> None:
    """Tell a game report by report, in the words that the table heard; on a terminal, the next at each enter key."""
    print(f"Game {game.number}: {_told(game)}")
    waits = sys.stdin.isatty() and sys.stdout.isatty()
    if waits:
        print("The enter key goes on, q ends.")
    for moment in retold(game.rows, names=names):
        at = f"{datetime.fromisoformat(moment.at).astimezone():%H:%M}"
        print(f"\n{at}  {_boards(moment.game, moment.language)}".rstrip())
        for text in moment.lines:
            print(f"       {text}")
        if waits and input().strip().lower() == "q":
            break


def _boards(game: Game, language: Language) -> str:
    page = language.page
    if game.president is None:
        return page[f"phase_{game.phase}"]
    return (
        f"{page['liberal_board']} {game.liberal_policies}/{boards.LIBERAL_SLOTS}  "
        f"{page['fascist_board']} {game.fascist_policies}/{boards.FASCIST_SLOTS}  "
        f"{page['election_tracker']} {game.election_tracker}/{boards.TRACKER_SLOTS}"
    )


def sum_up(games: Iterable[PastGame], *, names: bool) -> None:
    """Print what the games that are over come to."""
    finished = [summary for game in games if (summary := summary_of(game)) is not None]
    told = sums(finished)
    if not finished:
        print("No game has been finished on this box yet.")
        return
    print(_SUM.format("", "games", "Liberals", "Fascists"))
    print(_score("all", told.all))
    for players, score in told.by_players.items():
        print(_score(f"{players} players", score))
    for code, score in told.by_language.items():
        print(_score(code, score))
    print()
    for reason, count in told.endings.items():
        print(f"{'broken off' if reason is None else _REASONS[reason]:<30}{count:>6}")
    if told.median_minutes is not None:
        print(f"{'half of them took, in minutes':<30}{told.median_minutes:>6.0f}  or less")
    tables: list[tuple[str, dict[str, Record]]] = [("seat", {str(seat): of for seat, of in told.by_seat.items()})]
    if names:
        tables.append(("player", told.by_name))
    for title, rows in tables:
        if rows:
            print()
            print(_RECORD.format(title, "games", "won", "Liberal", "Fascist", "Hitler"))
            for name, of in rows.items():
                print(_RECORD.format(name, of.games, of.won, of.liberal, of.fascist, of.hitler))


def _score(title: str, score: Score) -> str:
    return _SUM.format(title, score.games, score.liberal, score.fascist)


def _outcome(game: PastGame) -> str:
    state = None if game.evening is None else game.evening.game
    if state is not None and state.reason is not None:
        return f"The {_WINNERS[state.reason.winner]} won: {_REASONS[state.reason]}."
    return "The game was broken off." if game.finished else "The game is not over."


def _told(game: PastGame) -> str:
    """Return when a game was played, by how many, and how long."""
    ended = game.ended_at
    began = datetime.fromisoformat(game.began_at)
    took = "" if ended is None else f", {(datetime.fromisoformat(ended) - began).total_seconds() // 60:.0f} minutes"
    players = "" if game.evening is None else f", {game.evening.game.players} players"
    return f"{local(game.began_at)}{players}{took}"


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


def local(at: str) -> str:
    """Return when something was, on this machine's clock."""
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"
