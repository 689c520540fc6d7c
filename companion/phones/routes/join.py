"""For somebody with a phone: sit down, see the own page, ask for a lost seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, g, redirect, request

from companion.game.commands import TakeSeat
from companion.phones import context, pages, qr, seats

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

routes = Blueprint("join", __name__)


@routes.get("/")
def home() -> AnyResponse:
    """Show the join form, or the player's own page."""
    # The phone gets its secret before it sits down, so that a form sent twice by an impatient thumb is the same phone.
    if context.token() is None:
        g.fresh_token = seats.new_token()
    asking = context.phone()
    answer = pages.page("join.html" if asking.player is None else "own.html")
    if "fresh_token" in g:
        seats.give_token(answer, g.fresh_token)
    return answer


def _form_again(failed: context.Failed, typed: str) -> AnyResponse:
    """Show the form once more with what was typed, and the sentence that says what is wrong with it."""
    answer = pages.page("join.html", error=failed.sentence, typed=typed)
    answer.status_code = failed.code
    return answer


@routes.post("/join")
def join() -> AnyResponse:
    """Take a seat. A phone that has one keeps it: the cookie wins over the form."""
    context.allow(context.phones().joins)
    if context.phone().player is not None:
        return redirect("/", 303)
    sent = context.fields()
    name, language = context.text(sent, "name"), context.text(sent, "language")
    if language and language not in context.offered():
        context.fail_bad()
    if language:
        # Whatever is wrong with the name is said in the language that was chosen with it.
        g.language = context.phones().box.language(language)
    token = context.token() or seats.new_token()
    try:
        context.submit(TakeSeat(name, seats.claim_of(token), language))
    except context.Failed as failed:
        if context.wants_json():
            raise
        return _form_again(failed, name[:200])
    answer = redirect("/", 303)
    seats.give_token(answer, token)
    return answer


@routes.post("/seat")
def lost_seat() -> AnyResponse:
    """Ask the box for a seat that another phone has; somebody at the table has to press ja."""
    context.allow(context.phones().asks)
    shown = context.snapshot()
    wanted = context.number(context.fields(), "player")
    if context.phone(shown).player is not None:
        context.fail(409, "already_seated", context.language().refusals["already_seated"])
    if all(each.id != wanted for each in shown.evening.seating.players):
        context.fail(400, "no_such_seat", context.language().refusals["no_such_seat"])
    token = context.token() or seats.new_token()
    if not context.settled(context.phones().box.ask_for_seat(wanted, seats.claim_of(token))):
        context.fail(409, "busy", context.language().page["too_many_tries"])
    answer = context.done()
    seats.give_token(answer, token)
    return answer


@routes.get("/join.svg")
def code() -> AnyResponse:
    """Draw the address that phones open."""
    address = context.snapshot().where.address
    if address is None:
        context.fail(404, "no_address", context.language().page["no_address"])
    answer = Response(qr.join_code(address), mimetype="image/svg+xml")
    answer.set_etag(address.replace('"', ""))
    answer.headers["Cache-Control"] = "no-cache"
    return answer.make_conditional(request)


@routes.get("/wifi.svg")
def network_code() -> AnyResponse:
    """Draw what lets a phone into the box's own network. Whoever asks is in it already, or at the box."""
    hotspot = context.snapshot().where.hotspot
    if hotspot is None:
        context.fail(404, "not_found", context.language().page["not_found"])
    answer = Response(qr.network_code(hotspot.code), mimetype="image/svg+xml")
    answer.headers["Cache-Control"] = "no-store"
    return answer
