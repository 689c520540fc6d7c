"""What the routes share: the box, the limits, the streams, and who is asking."""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from flask import Response, current_app, g, redirect, request
from werkzeug.exceptions import HTTPException

from companion import languages
from companion.errors import CompanionError
from companion.phones import seats, security
from companion.phones.limits import Limit
from companion.phones.seats import Names, Twice
from companion.phones.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from werkzeug.wrappers import Response as AnyResponse

    from companion.game.commands import Command
    from companion.game.refusals import Refused
    from companion.languages import Language
    from companion.phones.box import Box, Guard
    from companion.phones.seats import Phone
    from companion.table.snapshot import Snapshot
    from companion.table.table import Decision

T = TypeVar("T")

_THIS_MACHINE = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})
_ANSWER_SECONDS = 5.0
"""A report is durable within moments even on a slow card; after this the owner thread counts as stuck."""

_BAD_INPUT = frozenset({"name_empty", "name_too_long", "no_such_seat", "player_needed", "no_player_needed"})
"""Refusals of what was typed rather than of the moment: 400, where the others are 409."""


class Stamps:
    """Names what the pages show now, so that a page that shows it already is not made again.

    A caption changes many times a minute and pages get it apart, so it makes no new stamp. The beginning is random: a
    box that was restarted counts from the start again, and an old page must not take that for the state it knows.
    """

    def __init__(self) -> None:
        self._start = secrets.token_hex(4)
        self._count = 0
        self._shown: Snapshot | None = None
        self._lock = threading.Lock()

    def of(self, snapshot: Snapshot) -> str:
        """Return the stamp of a snapshot."""
        # All but what is told beside the page, and what only the status light shows: a new field is news by itself.
        shown = replace(snapshot, version=0, caption="", told=None, speaking=False, refusing=False)
        with self._lock:
            if shown != self._shown:
                self._shown = shown
                self._count += 1
            return f"{self._start}-{self._count}"

    def version(self, snapshot: Snapshot) -> str:
        """Return what names a snapshot whole, its caption included."""
        return f"{self._start}-v{snapshot.version}"


@dataclass(frozen=True)
class Phones:
    """What one app works with.

    Attributes:
        box: the box behind the pages.
        names_of_allies: whether the table plays its night on the phones, so that cards name the allies.
        hosts: names by which this box may be called, besides those that are always allowed.
        joins: tries to sit down, by address.
        chairs: seats that are really taken, by address: at the pace of people.
        asks: requests that make the box speak, by address.
        looks: looks at a card, by phone.
        reports: whatever else a phone reports, by phone.
        left: the names of those who left by their own phone.
        twice: forms that an impatient thumb sends twice.
    """

    box: Box
    names_of_allies: bool = False
    hosts: tuple[str, ...] = ()
    stamps: Stamps = field(default_factory=Stamps)
    streams: Streams = field(default_factory=Streams)
    joins: Limit = field(default_factory=lambda: Limit(60, 1))
    chairs: Limit = field(default_factory=lambda: Limit(4, 1 / 8))
    asks: Limit = field(default_factory=lambda: Limit(10, 1 / 6))
    looks: Limit = field(default_factory=lambda: Limit(60, 2))
    twice: Twice = field(default_factory=Twice)
    left: Names = field(default_factory=Names)
    reports: Limit = field(default_factory=lambda: Limit(30, 1))

    def allowed_hosts(self) -> tuple[str, ...]:
        """Return the names by which this box may be called: those given, and the one in its own join address."""
        address = self.box.feed.snapshot.where.address or ""
        own = security.host_name(address.partition("//")[2].partition("/")[0])
        return (*self.hosts, own) if own else self.hosts


def phones() -> Phones:
    """Return what the app of this request works with."""
    return cast("Phones", current_app.extensions["phones"])


def snapshot() -> Snapshot:
    """Return what the box shows now."""
    return phones().box.feed.snapshot


def token() -> str | None:
    """Return the secret that the phone sent, or the one that it is just being given."""
    fresh = g.get("fresh_token")
    return fresh if isinstance(fresh, str) else seats.token_in(request)


def phone(shown: Snapshot | None = None) -> Phone:
    """Return who is asking."""
    return seats.phone_of(token(), shown or snapshot())


def still(allowed: Callable[[Phone, Snapshot], bool]) -> Guard:
    """Return a guard that asks whether the phone of this request may, by the seats and rights of that moment."""
    sent = token()
    return lambda shown: allowed(seats.phone_of(sent, shown), shown)


def own_phone(shown: Snapshot) -> Phone:
    """Return who is asking, or end the request when the phone has no seat."""
    asking = phone(shown)
    if asking.player is None:
        fail(401, "no_seat", language().page["not_allowed"])
    return asking


def language() -> Language:
    """Return the language of whoever is asking: the one chosen by the phone, else the table's."""
    found = g.get("language")
    if found is None:
        found = g.language = phones().box.language(_language_code())
    return cast("Language", found)


def _language_code() -> str:
    player = phone().player
    return asked_language() if player is None else player.language


def asked_language() -> str:
    """Return the language that the address of a page names; empty for the table's own."""
    asked = request.args.get("language", "")
    return asked if asked in offered() else ""


def offered() -> dict[str, str]:
    """Return the languages that a phone may choose, by code: each by its own name for itself."""
    found = {}
    for code in languages.codes():
        # A language file that somebody is working on must not take the page away from everybody else.
        with contextlib.suppress(languages.LanguageError):
            found[code] = phones().box.language(code).name
    return found


# --- answers ---------------------------------------------------------------------------------------------------------


class Failed(CompanionError, HTTPException):  # noqa: N818 - it names what happened
    """A request that is answered with a sentence instead."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code: int = status
        self.reason = code
        self.sentence = sentence


def fail(status: int, code: str, sentence: str) -> NoReturn:
    """End the request with a status, a code for programs and a sentence for people."""
    raise Failed(status, code, sentence)


def fail_bad() -> NoReturn:
    """End the request because its content makes no sense; our own pages send none of that kind."""
    fail(400, "bad_request", language().page["went_wrong"])


def fail_refused(refused: Refused) -> NoReturn:
    """End the request with the sentence of a refusal."""
    code = str(refused.refusal)
    fail(400 if code in _BAD_INPUT else 409, code, language().refusals[code])


def wants_json() -> bool:
    """Whether a program or a script of ours asks, rather than a browser that shows what it gets."""
    return request.path.startswith("/api/") or request.is_json or security.OWN_HEADER in request.headers


def json_answer(content: object, status: int = 200) -> Response:
    """Return content as JSON in UTF-8."""
    return Response(compact(content).encode("utf-8", "replace"), status, mimetype="application/json")


def compact(content: object) -> str:
    """Return content as JSON in one line."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def done(where: str = "/") -> AnyResponse:
    """Return what a POST that worked is answered with: a browser goes on to a page, a script is told."""
    if wants_json():
        return json_answer({"ok": True, "version": snapshot().version})
    return redirect(where, 303)


def asked(question: Future[int | None]) -> AnyResponse:
    """Return what a phone's question is answered with: its number, which the page shows too."""
    number = settled(question)
    if number is None:
        fail(409, "busy", language().page["too_many_tries"])
    if wants_json():
        return json_answer({"ok": True, "number": number, "version": snapshot().version})
    return redirect("/", 303)


# --- asking the box --------------------------------------------------------------------------------------------------


def fields() -> dict[str, Any]:
    """Return what was sent, as a form or as one JSON object. Ends the request when it is neither."""
    if not request.is_json:
        return dict(request.form.items())
    try:
        content = json.loads(request.get_data())
    except (ValueError, RecursionError):
        fail_bad()
    if not isinstance(content, dict):
        fail_bad()
    return content


def text(sent: dict[str, Any], key: str, otherwise: str = "") -> str:
    """Return a text that was sent. Ends the request when it is something else."""
    value = sent.get(key, otherwise)
    return value if isinstance(value, str) else fail_bad()


def number(sent: dict[str, Any], key: str) -> int:
    """Return a small number that was sent, in JSON or typed in a form. Ends the request when it is none."""
    value = sent.get(key)
    if isinstance(value, str) and not request.is_json and value.isascii() and value.isdigit() and len(value) < 7:  # noqa: PLR2004
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**6:
        return value
    fail_bad()


def settled(future: Future[T]) -> T:
    """Wait for the box. Ends the request when it does not answer."""
    try:
        return future.result(_ANSWER_SECONDS)
    except (TimeoutError, CancelledError):
        current_app.logger.warning("the box has not answered a page in time")
    except Exception:  # noqa: BLE001 - whatever broke there has been logged there; a page says a sentence
        current_app.logger.warning("the box could not work on what a page asked")
    fail(503, "no_answer", language().page["offline"])


def submit(*commands: Command, only_if: Guard | None = None) -> None:
    """Ask for one report and wait for it. Ends the request with a sentence when it is refused, or one too many."""
    allow(phones().reports, phone().claim or request.remote_addr or "")
    settle(phones().box.submit(*commands, only_if=only_if))


def settle(decided: Future[Decision]) -> None:
    """Wait for a report. Ends the request with a sentence when it is refused."""
    refused = settled(decided).refused
    if refused is not None:
        fail_refused(refused)


def is_this_machine() -> bool:
    """Whether whoever sits at this machine asks. A request that was handed on by somebody else never is that."""
    return request.remote_addr in _THIS_MACHINE and not security.is_forwarded(request)


def allow(limit: Limit, key: str | None = None) -> None:
    """Count a try. Ends the request when there were too many, by default from the address that asks."""
    if not limit.allows(key if key is not None else request.remote_addr or ""):
        fail(429, "too_many_tries", language().page["too_many_tries"])
