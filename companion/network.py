"""Where phones find the box: the address on the local network that stands in the QR code."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import closing

_ELSEWHERE = (("192.0.2.1", 9), ("10.255.255.255", 9), ("192.168.255.255", 9), ("172.31.255.255", 9))
"""Addresses to ask the routing table about. A connected datagram socket sends nothing."""


def lan_address() -> str | None:
    """Return this machine's address on the local network; None without one. Never localhost: no phone could open it."""
    for target in _ELSEWHERE:
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
            try:
                probe.connect(target)
                found = probe.getsockname()[0]
            except OSError:
                continue
        if is_reachable(found):
            return str(found)
    return None


def is_reachable(address: str) -> bool:
    """Say whether a phone could open an address: not loopback, unspecified or link-local."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (parsed.is_loopback or parsed.is_unspecified or parsed.is_link_local)


def join_url(host: str, port: int) -> str | None:
    """Return the address that phones open, for a server that listens on `host` and `port`; None without a network."""
    address = lan_address() if is_everywhere(host) else host
    if address is not None and _is_address(address) and not is_reachable(address):
        address = None
    if address is None or address == "localhost":
        return None
    shown = f"[{address}]" if ":" in address else address
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"  # noqa: PLR2004 - the port of http


def is_everywhere(host: str) -> bool:
    """Say whether a server on `host` listens on every address."""
    return host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not listened on


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
