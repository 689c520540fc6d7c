"""For whoever has a page open: what is new, as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import Blueprint, Response, request

from companion.phones import context, seats
from companion.phones.scene import Scene, plain_now

if TYPE_CHECKING:
    from collections.abc import Callable

    from werkzeug.wrappers import Response as AnyResponse

    from companion.table.snapshot import Snapshot

routes = Blueprint("events", __name__)


@routes.get("/api/events")
def events() -> AnyResponse:
    """Open a stream of version numbers; who gets none polls."""
    return _stream(lambda shown: str(shown.version))


@routes.get("/news")
def news() -> AnyResponse:
    """Open the stream of our own pages: what is said and what the table does now, without asking for it.

    Fifteen screens that are told the news at once show it in a third of the time that fifteen questions take.
    """
    # A stream outlives its request: who asks and in which language is looked up anew for each snapshot.
    phones, sent, asked = context.phones(), context.token(), context.asked_language()
    seated = context.phone().player is not None

    def tell(shown: Snapshot) -> str:
        asking = seats.phone_of(sent, shown)
        if seated and asking.player is None:
            # This phone has lost its seat. Its page asks for itself, and is told so.
            return "{}"
        language = phones.box.language(asked if asking.player is None else asking.player.language)
        scene = Scene(shown, language, asking, phones.names_of_allies)
        return context.compact(
            {
                "caption": scene.caption,
                "now": plain_now(scene.now),
                "stamp": phones.stamps.of(shown),
                "version": shown.version,
            }
        )

    return _stream(tell)


def _stream(tell: Callable[[Snapshot], str]) -> AnyResponse:
    asking = context.phone()
    streams = context.phones().streams
    stream = streams.enter(asking.claim if asking.player else None)
    if stream is None:
        context.fail(503, "no_place", context.language().page["too_many_tries"])
    # The server knows when the other side has hung up; elsewhere, as in tests, nobody does.
    gone = cast("Callable[[], bool]", request.environ.get("waitress.client_disconnected", lambda: False))
    answer = Response(stream.events(context.phones().box.feed, tell, gone), mimetype="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    answer.call_on_close(lambda: streams.leave(stream))
    return answer
