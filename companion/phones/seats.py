"""Which phone owns which seat: a random secret in a cookie, of which the box keeps only the hash.

The secret alone decides. No address, form or answer ever names a phone, and an id or seat number that a phone sends
never lets it act for a seat that is not its own.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

    from companion.bulletin import Snapshot
    from companion.game.seating import Player

COOKIE = "seat"
_TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
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
