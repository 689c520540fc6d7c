"""Where phones find the box: the address on the local network that stands in the QR code."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import struct
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import CompanionError
from companion.machine import descriptors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from companion.machine.wifi import Hotspot

_ELSEWHERE = (("192.0.2.1", 9), ("10.255.255.255", 9), ("192.168.255.255", 9), ("172.31.255.255", 9))
"""Addresses to ask the routing table about. A connected datagram socket sends nothing."""
_ELSEWHERE_6 = (("2001:db8::1", 9), ("fd00::1", 9))

_GET_ADDRESS = 0x8915
"""Linux's SIOCGIFADDR: the IPv4 address of an interface."""
_NAME_BYTES = 15

_WIRELESS = ("wl", "ap", "uap")
_WIRED = ("en", "eth", "br", "end")
_INSIDE = ("lo", "docker", "br-", "veth", "virbr", "lxc", "lxd", "vnet", "cni", "podman")
"""Interfaces behind which there are containers and virtual machines."""
_AWAY = ("tun", "tap", "wg", "ppp", "wwan", "rmnet", "tailscale", "zt", "utun", "ipsec", "nordlynx", "proton")
"""Tunnels and mobile networks: they may lead to the internet, but no phone of the table is there."""
_SYSFS = Path("/sys/class/net")
_ETHERNET = "1"
"""What Linux calls everything that speaks Ethernet, Wi-Fi too (if_arp.h); tunnels are something else."""


_AVAHI = Path("/run/avahi-daemon/pid")
"""There while something answers for this machine's name on the network."""


class CannotServeError(CompanionError, OSError):
    """The address cannot be had; the message says why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where phones find the box at one moment.

    Attributes:
        address: what they open and what the join code holds; None without a network.
        name: the same by the machine's name, for who would rather type; empty where nobody answers for the name. Not
            in the code: many an Android does not know such names.
        hotspot: the box's own network, while it is up; None for a box that is a guest in another.
        others: what else might lead there, for a machine that is in several networks; the best first.
    """

    address: str | None = None
    name: str = ""
    hotspot: Hotspot | None = None
    others: tuple[str, ...] = ()


NOWHERE = Whereabouts()
"""Of a box without a network."""


def whereabouts(host: str, port: int, hotspot: Hotspot | None) -> Whereabouts:
    """Return where a server that listens on `host` and `port` is found now.

    Args:
        host: what it listens on.
        port: its port.
        hotspot: the network that this machine makes, if any; whether it is up is looked at here.

    Raises:
        OSError: nothing can be asked, since no more sockets can be opened.
    """
    is_up = hotspot is not None and hotspot.address in lan_addresses()
    own = hotspot.address if is_up and hotspot is not None else ""
    first, *others = join_urls(host, port, own) or (None,)
    return Whereabouts(first, mdns_url(host, port), hotspot if is_up else None, tuple(filter(None, others)))


def mdns_url(host: str, port: int) -> str:
    """Return the address by this machine's `.local` name; empty where avahi does not answer for it."""
    if not is_everywhere(host) or not _AVAHI.exists():
        return ""
    return url(f"{socket.gethostname().partition('.')[0].lower()}.local", port)


def lan_addresses() -> tuple[str, ...]:
    """Return this machine's addresses on the networks where phones may be, the likeliest first.

    Wi-Fi comes before cables, and private addresses before public ones. Which way the internet is says nothing, since
    that may be a tunnel or a mobile network. Never localhost: no phone could open it.
    """
    found = list(dict.fromkeys(filter(is_reachable, _by_interface())))
    if not found:
        # Where interfaces cannot be asked, as on a Mac, the routing table knows an address.
        found = [address for address in _routed(socket.AF_INET, _ELSEWHERE) if is_reachable(address)][:1]
    return tuple(sorted(found, key=lambda address: not ipaddress.ip_address(address).is_private))


def lan_address_6() -> str | None:
    """Return this machine's IPv6 address on the network, for a server without IPv4; None without one."""
    return next(filter(is_reachable, _routed(socket.AF_INET6, _ELSEWHERE_6)), None)


def is_reachable(address: str) -> bool:
    """Say whether a phone could open an address: not loopback, unspecified or link-local."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (parsed.is_loopback or parsed.is_unspecified or parsed.is_link_local)


def join_url(host: str, port: int) -> str | None:
    """Return the address that phones open, for a server that listens on `host` and `port`; None without a network."""
    return next(iter(join_urls(host, port)), None)


def join_urls(host: str, port: int, first: str = "") -> tuple[str, ...]:
    """Return every address that phones may open, for a server that listens on `host` and `port`, the likeliest first.

    Args:
        host: what it listens on.
        port: its port.
        first: an address that comes before all others where this machine has it.
    """
    if host == "0.0.0.0":  # noqa: S104 - compared only
        found = sorted(lan_addresses(), key=lambda address: address != first)
    elif host == "::":
        found = [address for address in (lan_address_6(),) if address is not None]
    else:
        found = [] if stays_here(host) else [host]
    return tuple(url(address, port) for address in found)


def local_url(host: str, port: int) -> str:
    """Return the address that this machine itself opens, for a server that listens on `host` and `port`."""
    # A server on "::" takes no IPv4.
    return url({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)  # noqa: S104 - compared, not listened on


def url(address: str, port: int) -> str:
    """Return the address of the pages as browsers write it: port 80 goes without saying."""
    shown = f"[{address}]" if ":" in address else address
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"  # noqa: PLR2004 - the port of http


def is_everywhere(host: str) -> bool:
    """Say whether a server on `host` listens on every address."""
    return host in ("0.0.0.0", "::")  # noqa: S104 - compared, not listened on


def stays_here(host: str) -> bool:
    """Say whether a server on `host` is for this machine alone."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return not is_everywhere(host) and not is_reachable(host)


def _routed(family: socket.AddressFamily, targets: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Yield the addresses from which this machine would speak to others."""
    for target in targets:
        # Not even the socket is to be had where the kernel lacks the family.
        with _unless_lacking(), closing(socket.socket(family, socket.SOCK_DGRAM)) as probe:
            probe.connect(target)
            yield str(probe.getsockname()[0])


def _by_interface() -> Iterator[str]:
    """Yield the addresses of the interfaces behind which phones may be, wireless ones first."""
    with _unless_lacking():
        for name in sorted((name for _, name in socket.if_nameindex() if _may_have_phones(name)), key=_rank):
            address = _address_of(name)
            if address is not None:
                yield address


def _may_have_phones(interface: str) -> bool:
    """Whether an interface is a network of this room, as far as its name and the kernel tell."""
    if interface.startswith((*_INSIDE, *_AWAY)):
        return False
    folder = _SYSFS / interface
    try:
        kind = (folder / "type").read_text("ascii").strip()
        return kind == _ETHERNET and not (folder / "tun_flags").exists()
    except OSError:
        # Not Linux, or a place without /sys: the name is all there is.
        return True


@contextlib.contextmanager
def _unless_lacking() -> Iterator[None]:
    """Take a fault for the answer that there is no such network, unless nothing could be asked."""
    try:
        yield
    except OSError as error:
        if descriptors.are_lacking(error):
            raise


def _rank(name: str) -> tuple[bool, bool, str]:
    return not name.startswith(_WIRELESS), not name.startswith(_WIRED), name


def _address_of(interface: str) -> str | None:
    """Return the IPv4 address of an interface; None where it has none, or where the system is not asked this way."""
    try:
        import fcntl  # noqa: PLC0415 - Unix alone has it

        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
            answer = fcntl.ioctl(probe, _GET_ADDRESS, struct.pack("256s", interface.encode()[:_NAME_BYTES]))
    except ImportError:
        return None
    except OSError as error:
        if descriptors.are_lacking(error):
            raise
        return None
    return socket.inet_ntoa(answer[20:24])
