"""Builds the Flask app that serves the phones, the screen on the table and the panel on a screen."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from companion.game.seating import NAME_LENGTH, SIGNS
from companion.phones import context, pages, security
from companion.phones.context import Failed, Phones
from companion.phones.routes import events, health, history, host, join, me, panel, table
from companion.story import ICONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from werkzeug.wrappers import Response as AnyResponse

    from companion.phones.box import Box


def create_app(box: Box, *, names_of_allies: bool = False, allowed_hosts: Iterable[str] = ()) -> Flask:
    """Return the app.

    Args:
        box: the box behind the pages.
        names_of_allies: whether cards name the allies, for a table that plays its night on the phones.
        allowed_hosts: names by which browsers may call this box, besides addresses, `localhost`, `.local` names and
            the machine's own name.
    """
    app = Flask(__name__)
    # Nothing here uses Flask's session: a seat is a secret of its own, so there is no key to keep or to leak.
    app.config.update(MAX_CONTENT_LENGTH=security.MAX_BODY_BYTES, MAX_FORM_PARTS=32)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        fill=pages.fill,
        person=pages.person,
        sign=pages.sign,
        when=pages.when,
        name_length=NAME_LENGTH,
        icons=ICONS,
        signs=SIGNS,
    )
    app.extensions["phones"] = Phones(box, names_of_allies, tuple(allowed_hosts))
    for module in (join, me, table, events, panel, host, history, health):
        app.register_blueprint(module.routes)
    app.before_request(_turn_strangers_away)
    app.after_request(_harden)
    app.register_error_handler(HTTPException, _on_failure)
    app.register_error_handler(Exception, _on_fault)
    return app


def close_streams(app: Flask) -> None:
    """End every open stream, so that the server can stop at once."""
    streams: Phones = app.extensions["phones"]
    streams.streams.close()


def _turn_strangers_away() -> AnyResponse | None:
    if not security.is_allowed_host(request.headers.get("Host", ""), context.phones().allowed_hosts()):
        # Before anything of ours is asked: a foreign name gets no page, in no language.
        return Response("This box does not go by that name.\n", 400, mimetype="text/plain")
    if request.method == "POST" and not security.comes_from_us(request):
        context.fail(403, "foreign_page", context.language().page["not_allowed"])
    return None


def _harden(response: Response) -> Response:
    if request.endpoint == "static" and response.status_code < 400:  # noqa: PLR2004 - not an error
        # Same for everybody, and asked for again only by its ETag; a font stays what it is.
        is_font = request.path.endswith(".woff2")
        response.headers["Cache-Control"] = "public, max-age=604800" if is_font else "no-cache"
        _make_small(response)
    security.harden(response)
    return response


def _make_small(response: Response) -> None:
    """Compress a script or a style sheet: a phone's first page is there sooner. Nothing secret is ever in one."""
    if response.status_code != HTTPStatus.OK or not (response.mimetype or "").startswith("text/"):
        return
    response.vary.add("Accept-Encoding")
    if request.accept_encodings.quality("gzip"):
        response.direct_passthrough = False
        response.set_data(_compressed(response.get_data()))
        response.headers["Content-Encoding"] = "gzip"


@lru_cache(maxsize=8)
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _on_failure(error: HTTPException) -> AnyResponse:
    status = error.code or 500
    if isinstance(error, Failed):
        code, sentence = error.reason, error.sentence
    else:
        known = status in {404, 405}
        code = "not_found" if known else "bad_request"
        sentence = context.language().page["not_found" if known else "went_wrong"]
    answer = _sentence(status, code, sentence)
    if status == 405:  # noqa: PLR2004 - its header names what is allowed
        answer.headers.extend(dict(error.get_headers(request.environ)).items() - answer.headers.items())
    return answer


def _sentence(status: int, code: str, sentence: str) -> Response:
    if context.wants_json():
        body = json.dumps({"ok": False, "code": code, "error": sentence}, ensure_ascii=False)
        answer = Response(body.encode(), status, mimetype="application/json")
    else:
        answer = pages.message(sentence, status)
    if status in {429, 503}:
        answer.headers["Retry-After"] = "5"
    return answer


def _on_fault(error: Exception) -> AnyResponse:
    # The kind alone: what an exception says may hold what was sent, or a card.
    current_app.logger.error("%s %s failed: %s", request.method, request.path, type(error).__name__)
    return _sentence(500, "went_wrong", context.language().page["went_wrong"])
