"""The front panel on a screen: only while it is the box's panel, and only from this machine or the host's phone."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, request

from companion.game.views import moment
from companion.phones import context, pages, security
from hardware.gestures import whole_gesture
from hardware.panel import HOLD_SECONDS, Button

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from companion.phones.box import Guard

routes = Blueprint("panel", __name__)

HOLD_MS = {str(button): round(seconds * 1000) for button, seconds in HOLD_SECONDS.items()}
"""How long a page has to hold a button, as on the real panel: it does the waiting and sends a hold whole."""


def _from_this_machine() -> bool:
    """Whether this machine asks: by loopback, or by the address that the box prints, which nobody else has."""
    if security.is_forwarded(request):
        return False
    if security.is_loopback(request.remote_addr):
        return True
    where = context.snapshot().where
    return request.remote_addr in {urlsplit(address).hostname for address in (where.address, *where.others) if address}


def _picture() -> dict[str, object]:
    picture = context.phones().box.panel_picture()
    if picture is None:
        context.fail(404, "not_found", context.language().page["not_found"])
    if not (_from_this_machine() or context.phone().host):
        context.fail(403, "not_allowed", context.language().page["not_allowed"])
    return picture


@routes.get("/panel")
def page() -> AnyResponse:
    """Show the panel."""
    return pages.page("panel.html", picture=_picture(), buttons=tuple(Button), hold_ms=HOLD_MS)


@routes.get("/api/panel")
def lights() -> AnyResponse:
    """Say what the lights do."""
    return context.json_answer(_picture())


@routes.post("/panel")
@routes.post("/api/panel")
def press() -> AnyResponse:
    """Press a button; the answer comes when the box has decided what it meant."""
    _picture()
    here = _from_this_machine()
    return press_button(context.still(lambda phone, _: here or phone.host), at_panel=here)


def press_button(only_if: Guard, *, at_panel: bool) -> AnyResponse:
    """Press the button that was sent, and say what came of it; `at_panel` for a page that is the panel itself."""
    sent = context.fields()
    button, held = context.text(sent, "button"), sent.get("held", False)
    beside = context.text(sent, "with") if "with" in sent else ""
    if not request.is_json:
        held = held == "true"
    if button not in set(Button) or beside not in {"", *Button} or not isinstance(held, bool):
        context.fail_bad()
    event = whole_gesture(Button(button), held, Button(beside) if beside else None)
    pressed = context.settled(context.phones().box.press(event, only_if, at_panel=at_panel))
    if not context.wants_json():
        return context.done(_back())
    shown = context.snapshot()
    content = {
        "ok": pressed.ok,
        "caption": pressed.caption,
        "version": shown.version,
        "moment": moment(shown.evening.game),
    }
    return context.json_answer(content)


def _back() -> str:
    return "/host" if request.path.startswith("/host") else "/panel"
