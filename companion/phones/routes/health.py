"""For a monitor: whether the box does its work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from companion.phones import context

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

routes = Blueprint("health", __name__)


@routes.get("/healthz")
def health() -> AnyResponse:
    """Answer when the owner thread does: it has to get round to an empty report, which changes nothing."""
    context.settled(context.phones().box.submit())
    return context.json_answer({"ok": True, "version": context.snapshot().version})
