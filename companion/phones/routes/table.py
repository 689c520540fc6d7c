"""For everybody on the network: the public state, and the page for a screen on the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from companion.phones import context, pages, scene

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


@routes.get("/table")
def page() -> AnyResponse:
    """Show the boards, for a screen on the table."""
    return pages.page("table.html")
