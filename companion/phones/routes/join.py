"""For somebody with a phone: sit down, see the own page, ask for a lost seat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flask import Blueprint, Response, g, redirect, request

from companion.game.commands import TakeSeat
from companion.phones import context, pages, qr, seats

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from companion.history import Habits

routes = Blueprint("join", __name__)

KNOWN_NAMES = 12
"""So many names of earlier evenings are offered."""


@routes.get("/")
def home() -> AnyResponse:
    """Show the join form, or the player's own page."""
    # The phone gets a secret before it sits down, so that a form sent twice by an impatient thumb is known for one.
    if context.token() is None:
        g.fresh_token = seats.new_token()
    asking = context.phone()
    if asking.player is None:
        # Whoever was taken from the table is told so, and not left to wonder where their page has gone.
        typed = context.phones().left.of(asking.claim)
        away = context.phones().box.turned_away.is_away(asking.claim)
        answer = pages.page("join.html", typed=typed, away=away, known=_known())
    else:
        answer = pages.page("own.html")
    if "fresh_token" in g:
        seats.give_token(answer, g.fresh_token)
    return answer


def _known() -> list[str]:
    """Return the names of those who played here lately, and do not sit at the table."""
    evening = context.snapshot().evening
    if not evening.joining:
        return []
    seated = {player.name for player in evening.seating.players}
    return [name for name in context.phones().box.history.names() if name not in seated][:KNOWN_NAMES]


def _habits(name: str) -> Habits:
    """Return the sign and the spelling of somebody who played before; a spelling is for the voice of one language."""
    habits = context.phones().box.history.habits(name)
    is_for_this_voice = habits.language == context.snapshot().evening.seating.language
    return habits if is_for_this_voice else replace(habits, spoken="")


def _form_again(failed: context.Failed, typed: str) -> AnyResponse:
    """Show the form once more with what was typed, and the sentence that says what is wrong with it."""
    answer = pages.page("join.html", error=failed.sentence, typed=typed, known=_known())
    answer.status_code = failed.code
    return answer


@routes.post("/join")
def join() -> AnyResponse:
    """Take a seat. A phone that has one keeps it: the cookie wins over the form."""
    context.allow(context.phones().joins)
    if context.phone().player is not None:
        return redirect("/", 303)
    sent = context.fields()
    # A name of an earlier evening is tapped instead of typed.
    name, language = context.text(sent, "known") or context.text(sent, "name"), context.text(sent, "language")
    if language and language not in context.offered():
        context.fail_bad()
    if language:
        # Whatever is wrong with the name is said in the language that was chosen with it.
        g.language = context.phones().box.language(language)
    before, address = context.phone().claim, request.remote_addr or ""
    token = context.phones().twice.again(before, address, name)
    if token is None:
        # Never the secret that the phone came with: somebody else may have put it there.
        token = seats.new_token()
        try:
            habits = _habits(name)
            seat = TakeSeat(name, seats.claim_of(token), language, habits.sign, habits.spoken)
            _take_seat(seat, before, address)
        except context.Failed as failed:
            if context.wants_json():
                raise
            return _form_again(failed, name[:200])
        context.phones().twice.note(before, address, name, token)
    answer = redirect("/", 303)
    seats.give_token(answer, token)
    return answer


def _take_seat(command: TakeSeat, before: str, address: str) -> None:
    """Let a phone sit down, unless it has just been taken from the table or takes one chair after the other."""
    turned_away, here = context.phones().box.turned_away, context.is_this_machine()
    if turned_away.is_away(before, "" if here else address):
        context.fail(403, "turned_away", context.language().page["join_away"])
    if not here:
        context.allow(context.phones().chairs)
    context.submit(command)
    turned_away.seated(command.claim, address)


@routes.post("/seat")
def lost_seat() -> AnyResponse:
    """Ask the table for a seat that another phone has; somebody at the panel has to allow it."""
    context.allow(context.phones().asks)
    asking, wanted = context.phone(), context.number(context.fields(), "player")
    if asking.player is not None:
        context.fail(409, "already_seated", context.language().refusals["already_seated"])
    if all(each.id != wanted for each in context.snapshot().evening.seating.players):
        context.fail(400, "no_such_seat", context.language().refusals["no_such_seat"])
    question = context.snapshot().question
    # While its question stands a phone keeps its secret, so that asking twice is asking once.
    keeps = question is not None and question.claim == asking.claim
    token = (context.token() if keeps else None) or seats.new_token()
    answer = context.asked(context.phones().box.ask_for_seat(wanted, seats.claim_of(token), asking.claim))
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
