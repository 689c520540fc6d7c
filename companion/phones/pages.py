"""Making pages: templates with the words of the right language, and answers that an up-to-date page may skip."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING

from flask import Response, render_template, request
from markupsafe import Markup, escape

from companion.phones import cards, context
from companion.phones.scene import Scene
from companion.phones.signs import PICTURES

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from companion.game.seating import Player
    from companion.phones.cards import Card

SHOWN_SECONDS = 5
"""How long a card stays when nobody holds it."""

_CARD_PAGE_BYTES = 8192


def fill(text: str, **facts: object) -> Markup:
    """Return a sentence with its facts filled in, each isolated so that right-to-left names disturb nothing."""
    return escape(text).format(**{key: Markup("<bdi>{}</bdi>").format(fact) for key, fact in facts.items()})


def person(player: Player | None, seat: int) -> Markup:
    """Return how a page calls somebody: by name, or by seat where the box was not told one."""
    if player is not None:
        return sign(player.sign) + Markup("<bdi>{}</bdi>").format(player.name)
    return escape(context.language().say("player", seat=seat))


def sign(name: str) -> Markup:
    """Return the picture of a sign; nothing for whoever has none."""
    if name not in PICTURES:
        return Markup()
    return Markup(
        '<svg class="sign of-{}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="{}"/></svg>'
    ).format(name, PICTURES[name])


def when(at: str) -> str:
    """Return a time of the journal (UTC, ISO 8601) on this machine's clock."""
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


def page(template: str, **more: object) -> AnyResponse:
    """Return a page of the moment, or "not modified" when the browser shows it already."""
    shown = context.snapshot()
    asking = context.phone(shown)
    language = context.language()
    html = render_template(
        template,
        scene=Scene(shown, language, asking, context.phones().names_of_allies),
        languages=context.offered(),
        table_language=context.phones().box.language("").code,
        where=shown.where,
        stamp=context.phones().stamps.of(shown),
        **_words(),
        **more,
    )
    return Response(html, mimetype="text/html")


def message(sentence: str, status: int) -> Response:
    """Return a page with one sentence and a way back."""
    return Response(render_template("message.html", sentence=sentence, **_words()), status, mimetype="text/html")


def card_page(card: Card) -> Response:
    """Return a page that shows a card and then goes away by itself. As long for one card as for another."""
    html = render_template("card.html", card=card, seconds=SHOWN_SECONDS, **_words())
    missing = cards.padding(len(html.encode()), _CARD_PAGE_BYTES)
    return Response(html + " " * missing, mimetype="text/html")


def with_etag(answer: AnyResponse, *names: str) -> AnyResponse:
    """Let whoever has this answer already be told so instead of getting it again."""
    answer.set_etag(hashlib.sha256("|".join(names).encode()).hexdigest()[:24])
    answer.headers["Cache-Control"] = "no-store"
    return answer.make_conditional(request)


def _words() -> dict[str, object]:
    language = context.language()
    return {"t": language.page, "terms": language.terms, "language": language}
