"""For a phone with a seat: what its player may do, and the player's own cards."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request

from companion.game.commands import ChooseLanguage, ChooseSign, LookAtRole, Nominate, RemovePlayer, SpellName, UsePower
from companion.game.refusals import Refused
from companion.game.seating import tidy_name
from companion.game.views import moment
from companion.game.vocabulary import Phase
from companion.phones import cards, context, pages
from companion.phones.scene import Scene, plain_now

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from companion.phones.box import Guard
    from companion.phones.cards import Card
    from companion.phones.seats import Phone
    from companion.table.snapshot import Snapshot

routes = Blueprint("me", __name__)
logger = logging.getLogger(__name__)


@routes.get("/api/me")
def me() -> AnyResponse:
    """Say who this phone is and what it may do now. Never a role."""
    shown = context.snapshot()
    asking = context.own_phone(shown)
    player = asking.player
    assert player is not None  # noqa: S101 - own_phone has made sure
    evening = shown.evening
    scene = Scene(shown, context.language(), asking, context.phones().names_of_allies)
    turn = scene.turn
    content = {
        "seat": evening.seating.seat_of(player.id),
        "name": player.name,
        "language": context.language().code,
        "seats": list(asking.seats),
        "host": asking.host,
        "may": {
            "look": [seat for seat in asking.seats if cards.has_cards(evening, seat)],
            "nominate": [seat for seat, _ in turn.options] if turn and turn.field == "chancellor" else [],
            "power": [seat for seat, _ in turn.options] if turn and turn.field == "player" else [],
            "panel": asking.host and context.phones().box.panel_picture() is not None,
        },
        "looked": all(seat in evening.game.looked for seat in asking.seats),
        "caption": scene.caption,
        "now": plain_now(scene.now),
        "stamp": context.phones().stamps.of(shown),
        "version": shown.version,
    }
    return pages.with_etag(context.json_answer(content), context.phones().stamps.version(shown), asking.claim)


@routes.post("/api/me/role")
def role() -> AnyResponse:
    """Give the own role card to a phone that holds it."""
    return _answer_with_card("role")


@routes.post("/api/me/membership")
def membership() -> AnyResponse:
    """Give the own party membership card, which cannot tell Hitler from a Fascist."""
    return _answer_with_card("membership")


@routes.post("/api/me/investigations")
def investigations() -> AnyResponse:
    """Give what this player has seen of others as President."""
    return _answer_with_card("investigations")


@routes.post("/me/card")
def card_page() -> AnyResponse:
    """Show a card on a page that hides itself, for a browser without scripts."""
    kind = context.text(context.fields(), "card")
    if kind not in cards.KINDS:
        context.fail_bad()
    return pages.card_page(_look(kind))


def _answer_with_card(kind: str) -> AnyResponse:
    return Response(_look(kind).answer(), mimetype="application/json")


def _look(kind: str) -> Card:
    """Return a card of whoever holds this phone. The same steps for every role."""
    shown = context.snapshot()
    asking = context.own_phone(shown)
    context.allow(context.phones().looks, asking.claim)
    seat = _seat_asked_for(asking.seats)
    if kind == "role" and shown.evening.game.phase is Phase.DEAL and seat not in shown.evening.game.looked:
        shown = _note_look(seat)
        if not context.phone(shown).serves(seat):
            context.fail(403, "not_allowed", context.language().page["not_allowed"])
    found = cards.card(
        shown.evening,
        seat,
        kind,
        context.language(),
        names_of_allies=context.phones().names_of_allies,
        teaches=shown.teaches,
    )
    if found is None:
        lobby = shown.evening.game.phase is Phase.LOBBY or seat not in shown.evening.game.seats
        sentence = context.language().refusals["not_now"] if lobby else context.language().page["role_none"]
        context.fail(409, "not_now" if lobby else "no_roles", sentence)
    return found


def _seat_asked_for(own: tuple[int, ...]) -> int:
    """Return the seat whose card is meant: the phone's own, or one that shares the phone. Nobody else's, ever."""
    sent = context.fields() if request.content_length else {}
    seat = context.number(sent, "seat") if "seat" in sent else own[0]
    if seat not in own:
        context.fail(403, "not_allowed", context.language().page["not_allowed"])
    return seat


def _note_look(seat: int) -> Snapshot:
    # Refused when the deal is over by now; the card is shown all the same.
    guard = context.still(lambda phone, _: phone.serves(seat))
    context.settled(context.phones().box.submit(LookAtRole(seat), only_if=guard))
    return context.snapshot()


@routes.post("/me/nominate")
def nominate() -> AnyResponse:
    """Record whom the presidential candidate nominates: from their own phone, or the host's."""
    sent = context.fields()
    guard = _turn(sent)
    context.submit(Nominate(context.number(sent, "chancellor")), only_if=guard)
    return context.done()


@routes.post("/me/power")
def power() -> AnyResponse:
    """Record on whom the President uses the pending power: from their own phone, or the host's."""
    sent = context.fields()
    guard = _turn(sent)
    context.submit(UsePower(context.number(sent, "player") if "player" in sent else None), only_if=guard)
    return context.done()


def _turn(sent: dict[str, Any]) -> Guard:
    """Return the guard of a choice: the phone has the turn, and it is the one that its page showed.

    Ends the request when the phone has none. Who names no moment means the present one.
    """
    shown = context.snapshot()
    if not _has_turn(context.own_phone(shown), shown):
        context.fail(403, "not_allowed", context.language().page["not_allowed"])
    meant = context.text(sent, "moment", moment(shown.evening.game))
    return context.still(lambda phone, then: _has_turn(phone, then) and moment(then.evening.game) == meant)


def _has_turn(asking: Phone, shown: Snapshot) -> bool:
    return asking.host or asking.serves(shown.evening.game.president)


@routes.post("/me/language")
def choose_language() -> AnyResponse:
    """Let this phone show another language."""
    asking = context.own_phone(context.snapshot())
    code = context.text(context.fields(), "language")
    if asking.player is None or code not in context.offered():
        context.fail_bad()
    context.submit(ChooseLanguage(code, asking.player.id))
    return context.done()


@routes.post("/me/sign")
def choose_sign() -> AnyResponse:
    """Let the own player be known by another sign."""
    asking = context.own_phone(context.snapshot())
    if asking.player is None:
        context.fail_bad()
    context.submit(ChooseSign(asking.player.id, context.text(context.fields(), "sign")))
    return context.done()


@routes.post("/me/spoken")
def spell_name() -> AnyResponse:
    """Let the box say the own name as it is spelled here, or keep it so. Before a game; the whole table hears it."""
    asking, sent = context.own_phone(context.snapshot()), context.fields()
    spoken = context.text(sent, "spoken")
    if asking.player is None:
        context.fail_bad()
    player = asking.player.id
    if context.text(sent, "do") != "hear":
        context.submit(SpellName(player, spoken))
        return context.done()
    context.allow(context.phones().asks)
    try:
        heard = tidy_name(spoken or asking.player.name)
    except Refused as refused:
        context.fail(400, refused.refusal, context.language().refusals[refused.refusal])
    guard = context.still(
        lambda phone, then: then.evening.joining and phone.player is not None and phone.player.id == player
    )
    if not context.settled(context.phones().box.say_name(player, heard, guard)):
        context.fail(409, "not_now", context.language().refusals["not_now"])
    return context.done()


@routes.post("/me/leave")
def leave() -> AnyResponse:
    """Give up the own seat, with those who share this phone, as long as people may come and go."""
    asking = context.own_phone(context.snapshot())
    if asking.player is None:
        context.fail_bad()
    seat = asking.player.id
    guard = context.still(lambda phone, _: phone.player is not None and phone.player.id == seat)
    turned_away = context.phones().box.turned_away
    waits = turned_away.is_away(request.remote_addr or "")
    context.submit(RemovePlayer(seat), only_if=guard)
    context.phones().left.note(asking.claim, asking.player.name)
    if not waits:
        # From an address that was turned away nobody frees it by a second phone that leaves.
        turned_away.forgive(asking.claim)
    return context.done()


@routes.post("/me/share")
def share() -> AnyResponse:
    """Ask the table to let this phone show the cards of a player whose own has died."""
    shown = context.snapshot()
    asking, wanted = context.own_phone(shown), context.number(context.fields(), "player")
    context.allow(context.phones().asks)
    seat = shown.evening.seating.seat_of(wanted)
    if seat is None or asking.serves(seat):
        context.fail(400, "no_such_seat", context.language().refusals["no_such_seat"])
    return context.asked(context.phones().box.ask_to_share(wanted, asking.claim))


@routes.post("/me/host")
def become_host() -> AnyResponse:
    """Ask the table to make this phone the host's; somebody at the panel has to allow it."""
    asking = context.own_phone(context.snapshot())
    context.allow(context.phones().asks)
    if asking.player is None:
        context.fail_bad()
    return context.asked(context.phones().box.ask_for_host(asking.player.id, asking.claim))
