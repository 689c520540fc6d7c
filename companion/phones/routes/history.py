"""The games that were played on this box: for whoever has a seat at it, or sits at this machine."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from companion.game.vocabulary import Phase
from companion.history import sums
from companion.journal import Damaged
from companion.narrator.retold import retold
from companion.phones import context, pages, plots
from companion.story import picture

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from companion.history import PastGame, Summary

routes = Blueprint("history", __name__, url_prefix="/history")

PAGE_GAMES = 50
"""So many games a page lists; there are buttons to those before and after."""


@routes.before_request
def only_for_the_table() -> None:
    """Turn strangers away: who played here, and who was what, is for those who sit at the table."""
    if context.phone().player is None and not context.is_this_machine():
        context.fail(403, "not_allowed", context.language().page["not_allowed"])


def _may_change() -> bool:
    return context.phone().host or context.is_this_machine()


def _only_the_host() -> None:
    if not _may_change():
        context.fail(403, "not_allowed", context.language().page["not_allowed"])


def _games() -> list[Summary]:
    try:
        return context.phones().box.history.games()
    except (OSError, sqlite3.Error):
        context.fail(503, "no_answer", context.language().page["went_wrong"])


@routes.get("")
def page() -> AnyResponse:
    """Show what the games come to, and list them."""
    games = _games()
    last = max(len(games) - 1, 0) // PAGE_GAMES
    at = max(0, min(request.args.get("page", 0, type=int), last))
    listed = games[at * PAGE_GAMES : (at + 1) * PAGE_GAMES]
    told = sums(games)
    offered = context.offered()
    return pages.page(
        "history.html",
        told=told,
        by_language=[(offered.get(code, code), score) for code, score in told.by_language.items()],
        lengths=plots.lengths([game.minutes for game in games if game.reason is not None]),
        run=plots.run([game.winner for game in reversed(games)]),
        games=listed,
        at=at,
        is_last=at == last,
        may_change=_may_change(),
    )


@routes.get("/<int:number>")
def game(number: int) -> AnyResponse:
    """Show the story of a game that is over."""
    steps = retold(_game(number).rows, context.language())
    return pages.page("past.html", number=number, steps=list(steps), may_change=_may_change() and not _goes_on(number))


@routes.get("/<int:number>.svg")
def story(number: int) -> AnyResponse:
    """Draw it, with names or without."""
    evening = _game(number).evening
    assert evening is not None  # noqa: S101 - of a game that is over
    names = request.args.get("names", "1") != "0"
    answer = Response(picture(evening, context.language(), names=names), mimetype="image/svg+xml")
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _game(number: int) -> PastGame:
    try:
        found = context.phones().box.history.game(number)
    except (OSError, sqlite3.Error, Damaged):
        found = None
    if found is None:
        context.fail(404, "not_found", context.language().page["not_found"])
    return found


@routes.post("/forget")
def forget() -> AnyResponse:
    """Take a name out of all that this box keeps; not that of somebody at the table."""
    _only_the_host()
    name = context.text(context.fields(), "name")
    if not name.strip():
        context.fail(400, "name_empty", context.language().refusals["name_empty"])
    _between_games()
    seated = {player.name.casefold() for player in context.snapshot().evening.seating.players}
    if name.strip().casefold() in seated:
        context.fail(409, "still_seated", context.language().page["history_seated"])
    _done(context.phones().box.forget_name(name))
    return context.done("/history")


@routes.post("/delete")
def delete() -> AnyResponse:
    """Delete a game."""
    _only_the_host()
    _between_games()
    number = context.number(context.fields(), "game")
    if _goes_on(number):
        context.fail(409, "not_now", context.language().refusals["not_now"])
    _done(context.phones().box.delete_game(number))
    return context.done("/history")


def _goes_on(number: int) -> bool:
    """Whether it is the game whose end the table still shows and may take back: it can go once the next one opens."""
    is_shown = context.snapshot().evening.game.phase is Phase.GAME_OVER
    return is_shown and number == max((game.number for game in _games()), default=0)


def _between_games() -> None:
    # It takes the disk for a while, which nobody waits for now.
    if not context.snapshot().evening.joining:
        context.fail(409, "not_now", context.language().refusals["not_now"])


def _done(is_done: bool) -> None:
    if not is_done:
        context.fail(503, "no_answer", context.language().page["went_wrong"])
