"""Which phone owns which seat: a random secret in a cookie, of which the box keeps only the hash.

The secret alone decides. No address, form or answer ever names a phone, and an id or seat number that a phone sends
never lets it act for a seat that is not its own.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from werkzeug.wrappers import Request, Response

    from companion.game.seating import Player
    from companion.table.snapshot import Snapshot

COOKIE = "seat"
_TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_TWICE_SECONDS = 15.0
_TWICE_KEPT = 32
_NAMES_KEPT = 32
_COOKIE_SECONDS = 30 * 24 * 3600
"""A game may be left on the table overnight; a month outlives every evening."""


def new_token() -> str:
    """Return a fresh secret of 256 bits for one phone."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def claim_of(token: str) -> str:
    """Return the hash that the box keeps of a phone's secret. It proves ownership and cannot be turned back."""
    return hashlib.sha256(token.encode("ascii")).hexdigest()


def token_in(request: Request) -> str | None:
    """Return the secret that a phone sent, or None when it has none of ours."""
    sent = request.cookies.get(COOKIE, "")
    return sent if _TOKEN.fullmatch(sent) else None


def give_token(response: Response, token: str) -> None:
    """Let the phone keep a secret. Scripts cannot read it, and other sites cannot make the phone send it."""
    response.set_cookie(COOKIE, token, max_age=_COOKIE_SECONDS, httponly=True, samesite="Lax", path="/")


class Twice:
    """A form that is sent twice by an impatient thumb: the phone that sat down a moment ago gets the same secret again.

    Only to the same name, from the same address, with the same secret as before, and for a moment.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._sent: OrderedDict[tuple[str, str, str], tuple[float, str]] = OrderedDict()

    def note(self, claim: str, address: str, name: str, token: str) -> None:
        """Note what was sent, and the secret that it was answered with."""
        if not claim:
            return
        with self._lock:
            self._sent[claim, address, name] = (self._now() + _TWICE_SECONDS, token)
            while len(self._sent) > _TWICE_KEPT:
                self._sent.popitem(last=False)

    def again(self, claim: str, address: str, name: str) -> str | None:
        """Return the secret that the same form was answered with a moment ago; None for a form that is new."""
        with self._lock:
            until, token = self._sent.get((claim, address, name), (0.0, ""))
            return token if self._now() < until else None


class Names:
    """The names of those who left by their own phone, so that they sit down again with one tap. Only the last few."""

    def __init__(self) -> None:
        self._names: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, claim: str, name: str) -> None:
        """Keep the name that a phone had."""
        with self._lock:
            self._names[claim] = name
            while len(self._names) > _NAMES_KEPT:
                self._names.popitem(last=False)

    def of(self, claim: str) -> str:
        """Return the name that a phone had; empty when it had none."""
        with self._lock:
            return self._names.get(claim, "")


@dataclass(frozen=True, slots=True)
class Phone:
    """Who is asking.

    Attributes:
        claim: the hash of the phone's secret; empty when it has none.
        player: the player whose phone this is; None for somebody who watches.
        seats: the seats of everybody whom this phone serves, the owner's first.
        host: whether this phone may do all that the panel can.
    """

    claim: str = field(default="", repr=False)
    player: Player | None = None
    seats: tuple[int, ...] = ()
    host: bool = False

    def serves(self, seat: int | None) -> bool:
        """Whether somebody at that seat looks at this phone."""
        return seat is not None and seat in self.seats


def phone_of(token: str | None, snapshot: Snapshot) -> Phone:
    """Return whose phone has this secret."""
    if token is None:
        return Phone()
    claim = claim_of(token)
    seating = snapshot.evening.seating
    player = seating.claimed_by(claim)
    if player is None:
        return Phone(claim)
    own = seating.seat_of(player.id)
    sharing = tuple(seat for seat, each in enumerate(seating.players, 1) if each.shares == player.id)
    return Phone(claim, player, ((own,) if own else ()) + sharing, player.id == snapshot.host)
