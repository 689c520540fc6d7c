"""For everybody on the network: the public state, and the page for a screen on the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from companion.game.vocabulary import Phase
from companion.narrator.teacher import RULES
from companion.phones import context, pages, scene
from companion.story import picture

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

routes = Blueprint("table", __name__)


@routes.get("/api/table")
def state() -> AnyResponse:
    """Say what everybody may know."""
    shown = context.snapshot()
    stamps = context.phones().stamps
    content = scene.table_state(shown, stamps.of(shown), context.language())
    return pages.with_etag(context.json_answer(content), stamps.version(shown), context.language().code)


@routes.get("/game.svg")
def story() -> AnyResponse:
    """Draw the story of the game that is over, with everybody's role; before its end there is none."""
    shown = context.snapshot()
    if shown.evening.game.phase is not Phase.GAME_OVER:
        context.fail(404, "not_over", context.language().page["not_found"])
    names = request.args.get("names", "1") != "0"
    answer = Response(picture(shown.evening, context.language(), names=names), mimetype="image/svg+xml")
    answer.headers["Cache-Control"] = "no-store"
    return answer


@routes.get("/rules")
def rules() -> AnyResponse:
    """Tell the rules in a minute, and the powers of this table's board."""
    asked = context.asked_language()
    return pages.page("rules.html", rules=RULES, back=f"/?language={asked}" if asked else "/")


@routes.get("/table")
def page() -> AnyResponse:
    """Show the boards, for a screen on the table."""
    return pages.page("table.html", rules=RULES)
