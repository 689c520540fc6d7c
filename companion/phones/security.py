"""What every request must pass and every answer carries, so that no other site and no other phone can reach in.

- `Host` must be an address, `localhost`, a `.local` name or this machine's own name: a foreign name that was made to
  point here (DNS rebinding) is turned away.
- A POST that comes from a browser must come from one of our own pages, by its `Origin`; one to `/api` must also carry
  what a foreign page cannot send without asking first: a JSON content type or our own header.
- Nothing is stored, framed, sniffed, or loaded from elsewhere.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from werkzeug.wrappers import Request, Response

OWN_HEADER = "X-Companion"
MAX_BODY_BYTES = 8192

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
"""What a proxy adds to the requests that it hands on."""

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "media-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: browsers would then send `Origin: null` with our own forms. No address holds anything secret.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), display-capture=()",
}


def host_name(host: str) -> str | None:
    """Return the name or address in a `Host` header, in lower case, without its port; None when it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    if parts.hostname is None or parts.username is not None or parts.path or parts.query or parts.fragment:
        return None
    return parts.hostname.rstrip(".")


def is_allowed_host(host: str, more: Iterable[str] = ()) -> bool:
    """Whether a `Host` header can be meant for this box. Names compare in any case."""
    name = host_name(host)
    if not name:
        return False
    if name == "localhost" or name.endswith(".local") or name == socket.gethostname().lower():
        return True
    if name in {each.lower() for each in more}:
        return True
    return _address(name) is not None


def is_loopback(remote: str | None) -> bool:
    """Whether a request comes from this machine."""
    address = _address(remote or "")
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address is not None and address.is_loopback


def is_forwarded(request: Request) -> bool:
    """Whether a proxy has handed a request on: it then comes from wherever, whatever its address says."""
    return any(header in request.headers for header in _FORWARDED)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def comes_from_us(request: Request) -> bool:
    """Whether a POST comes from one of our own pages, or from something that is no browser."""
    headers = request.headers
    origin = headers.get("Origin")
    if origin is None:
        # Programs send none; neither does an old browser with a form, which then sends a referrer. What remains, a
        # foreign page in an old browser that hides itself, gets no cookie along: SameSite.
        referrer = headers.get("Referer")
        if referrer is not None and not _same_place(referrer, request):
            return False
        return headers.get("Sec-Fetch-Site", "none") in {"none", "same-origin"}
    if not _same_place(origin, request):
        return False
    return not request.path.startswith("/api/") or OWN_HEADER in headers or request.mimetype == "application/json"


def _same_place(address: str, request: Request) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == request.headers.get("Host", "").lower()


def harden(response: Response) -> Response:
    """Add to an answer what keeps it ours."""
    response.headers.update(_HEADERS)
    # Everything of ours may hold a secret or change at any moment; what may be kept says so itself.
    response.headers.setdefault("Cache-Control", "no-store")
    return response
