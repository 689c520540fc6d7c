"""For whoever has a page open: the number of each new version, as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import Blueprint, Response, request

from companion.phones import context

if TYPE_CHECKING:
    from collections.abc import Callable

    from werkzeug.wrappers import Response as AnyResponse

routes = Blueprint("events", __name__)


@routes.get("/api/events")
def events() -> AnyResponse:
    """Open a stream of version numbers; who gets none polls."""
    asking = context.phone()
    streams = context.phones().streams
    stream = streams.enter(asking.claim if asking.player else None)
    if stream is None:
        context.fail(503, "no_place", context.language().page["too_many_tries"])
    # The server knows when the other side has hung up; elsewhere, as in tests, nobody does.
    gone = cast("Callable[[], bool]", request.environ.get("waitress.client_disconnected", lambda: False))
    answer = Response(stream.versions(context.phones().box.feed, gone), mimetype="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    answer.call_on_close(lambda: streams.leave(stream))
    return answer
