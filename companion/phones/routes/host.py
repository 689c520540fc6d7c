"""For the host's phone: who sits where, who shares a phone, and everything that the panel can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from companion.game.commands import AddSharedSeat, MarkAbsent, MovePlayer, RemovePlayer, RenamePlayer
from companion.game.views import moment
from companion.narrator.night import PACES
from companion.phones import context, pages
from companion.phones.routes.panel import HOLD_MS, press_button
from hardware.panel import Button

if TYPE_CHECKING:
    from concurrent.futures import Future

    from werkzeug.wrappers import Response as AnyResponse

    from companion.game.commands import Command
    from companion.phones.box import Choice

routes = Blueprint("host", __name__, url_prefix="/host")


@routes.before_request
def only_the_host() -> None:
    """Turn everybody else away, whatever they ask for."""
    if not context.own_phone(context.snapshot()).host:
        context.fail(403, "not_allowed", context.language().page["not_allowed"])


def _submit(command: Command) -> None:
    """Ask for a report, unless the rights have gone to another phone by the time it is decided."""
    context.submit(command, only_if=context.still(lambda phone, _: phone.host))


@routes.get("")
def page() -> AnyResponse:
    """Show the seats, and the buttons of the box."""
    has_panel = context.phones().box.panel_picture() is not None
    voice = context.phones().box.voice_name
    return pages.page("host.html", buttons=tuple(Button), hold_ms=HOLD_MS, has_panel=has_panel, voice=voice)


@routes.post("/rename")
def rename() -> AnyResponse:
    """Give a player another name."""
    sent = context.fields()
    _submit(RenamePlayer(context.number(sent, "player"), context.text(sent, "name")))
    return context.done("/host")


@routes.post("/remove")
def remove() -> AnyResponse:
    """Take a player from the table."""
    _submit(RemovePlayer(context.number(context.fields(), "player")))
    return context.done("/host")


@routes.post("/absent")
def absent() -> AnyResponse:
    """Note that a player has gone home in the middle of the game, or is back."""
    sent = context.fields()
    _submit(MarkAbsent(context.number(sent, "player"), absent=sent.get("back") not in (True, "true")))
    return context.done("/host")


@routes.post("/move")
def move() -> AnyResponse:
    """Let a player sit at another seat."""
    sent = context.fields()
    _submit(MovePlayer(context.number(sent, "player"), context.number(sent, "seat")))
    return context.done("/host")


@routes.post("/share")
def share() -> AnyResponse:
    """Seat a player who has no phone and looks at somebody else's."""
    sent = context.fields()
    _submit(AddSharedSeat(context.text(sent, "name"), context.number(sent, "with_player")))
    return context.done("/host")


@routes.post("/shuffle")
def shuffle() -> AnyResponse:
    """Let chance decide who sits where."""
    context.settle(context.phones().box.shuffle_seats(context.still(lambda phone, _: phone.host)))
    return context.done("/host")


@routes.post("/pace")
def pace() -> AnyResponse:
    """Let the nights to come be slower or quicker."""
    wanted = context.text(context.fields(), "pace")
    if wanted not in PACES:
        context.fail_bad()
    return _done(context.phones().box.choose("pace", wanted, context.still(lambda phone, _: phone.host)))


@routes.post("/teach")
def teach() -> AnyResponse:
    """Explain the rules while the table plays, or not."""
    return _switch("teach")


@routes.post("/music")
def music() -> AnyResponse:
    """Play music before and after a game, or none."""
    return _switch("music")


@routes.post("/voice")
def hear_voice() -> AnyResponse:
    """Let the table hear the voice. Before a game: in the middle of one it would be taken for a part of it."""
    context.allow(context.phones().asks)
    guard = context.still(lambda phone, then: phone.host and then.evening.joining)
    if not context.settled(context.phones().box.say_sample(guard)):
        context.fail(409, "not_now", context.language().refusals["not_now"])
    return context.done("/host")


def _switch(what: Choice) -> AnyResponse:
    # From a script as JSON, from a form as text.
    on = str(context.fields().get("on")).lower()
    if on not in ("true", "false"):
        context.fail_bad()
    value = "on" if on == "true" else "off"
    return _done(context.phones().box.choose(what, value, context.still(lambda phone, _: phone.host)))


def _done(asked: Future[bool]) -> AnyResponse:
    if not context.settled(asked):
        context.fail(403, "not_allowed", context.language().page["not_allowed"])
    return context.done("/host")


@routes.post("/press")
def press() -> AnyResponse:
    """Press a button of the box from the host's phone, whatever panel the box has.

    Somebody may press one on the box at the same time: a press that was meant for another moment presses nothing.
    """
    meant = context.text(context.fields(), "moment", moment(context.snapshot().evening.game))
    return press_button(
        context.still(lambda phone, shown: phone.host and moment(shown.evening.game) == meant), at_panel=False
    )
