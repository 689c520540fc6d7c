# ruff: noqa: S104 - addresses are compared here; nobody listens on them
from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from companion import network
from companion.network import is_reachable, join_url, lan_address, local_url, stays_here

if TYPE_CHECKING:
    from collections.abc import Callable

NOWHERE = """
import fcntl, socket, struct
from companion import network
print(network.lan_address(), network.join_url("0.0.0.0", 80), network.join_url("::", 80), sep="|")
"""


def routes(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    """Let the routing table name these addresses."""
    monkeypatch.setattr(network, "_routed", lambda *_: iter(found))


def interfaces(monkeypatch: pytest.MonkeyPatch, **found: str | None) -> None:
    """Let the machine have these interfaces."""
    monkeypatch.setattr(socket, "if_nameindex", lambda: list(enumerate(found, 1)))
    monkeypatch.setattr(network, "_address_of", found.get)


def test_an_address_is_never_this_machine_alone() -> None:
    """Whatever network there is here, the address for phones is none that means the phone itself."""
    found = lan_address()
    assert found is None or is_reachable(found)


def test_the_address_is_the_one_that_this_machine_speaks_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """The routing table knows best; what it says of localhost and of unconfigured networks is passed over."""
    interfaces(monkeypatch, wlan0="192.168.4.1")
    routes(monkeypatch, "127.0.1.1", "169.254.3.4", "0.0.0.0", "192.168.1.5", "10.0.0.7")
    assert lan_address() == "192.168.1.5"


def test_a_box_that_is_the_hotspot_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a route to anywhere the interfaces are asked, wireless first; no phone is behind a container's."""
    routes(monkeypatch)
    interfaces(
        monkeypatch,
        lo="127.0.0.1",
        docker0="172.17.0.1",
        eth0="10.9.8.7",
        wg0="10.1.1.1",
        wlan0="192.168.4.1",
        usb0=None,
    )
    assert lan_address() == "192.168.4.1"
    interfaces(monkeypatch, lo="127.0.0.1", docker0="172.17.0.1", eth0="10.9.8.7")
    assert lan_address() == "10.9.8.7"


def test_no_network_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """With localhost alone there is nothing that a phone could open, and no join address."""
    routes(monkeypatch)
    interfaces(monkeypatch, lo="127.0.0.1", eth0=None)
    assert lan_address() is None
    assert join_url("0.0.0.0", 8080) is None
    assert join_url("::", 8080) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for its own loopback")
def test_an_interface_is_asked_for_its_address() -> None:
    """Linux says which address an interface has, and that one is not there."""
    assert network._address_of("lo") == "127.0.0.1"
    assert network._address_of("no-such-interface-here") is None


@pytest.fixture
def lonely() -> Callable[[str], str]:
    """Return what runs Python in a network of its own, after a shell command; skips where that is not allowed."""

    def run(prepare: str) -> str:
        command = ["unshare", "--net", "sh", "-c", f'{prepare} && exec "$0" -c "$1"', sys.executable, NOWHERE]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        except FileNotFoundError:
            pytest.skip("there is no unshare here")
        if done.returncode and not done.stdout:
            pytest.skip(f"a network of its own is not to be had: {done.stderr.strip()[-80:]}")
        return done.stdout.strip()

    return run


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs a network namespace")
def test_a_machine_without_any_network_has_none(lonely: Callable[[str], str]) -> None:
    """Where there is no network at all, not even a loopback, nothing is found and nothing fails."""
    assert lonely("true") == "None|None|None"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs a network namespace")
def test_a_hotspot_without_any_route_elsewhere_has_its_own(lonely: Callable[[str], str]) -> None:
    """An interface with an address and no route to anywhere else is where the phones are."""
    hotspot = "ip link add wlan9 type bridge && ip addr add 192.168.44.1/24 dev wlan9 && ip link set wlan9 up"
    assert lonely(hotspot) == "192.168.44.1|http://192.168.44.1/|None"


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [
        ("0.0.0.0", 8080, "http://192.168.1.5:8080/"),
        ("::", 8080, "http://[2001:db8::5]:8080/"),
        ("127.0.0.1", 8080, None),
        ("127.8.9.1", 8080, None),
        ("::1", 8080, None),
        ("169.254.1.2", 8080, None),
        ("localhost", 8080, None),
        ("LocalHost.", 8080, None),
        ("10.0.0.7", 8080, "http://10.0.0.7:8080/"),
        ("10.0.0.7", 80, "http://10.0.0.7/"),
        ("10.0.0.7", 443, "http://10.0.0.7:443/"),
        ("fd00::7", 8080, "http://[fd00::7]:8080/"),
        ("fd00::7", 80, "http://[fd00::7]/"),
        ("box.local", 8080, "http://box.local:8080/"),
        ("box.local", 80, "http://box.local/"),
    ],
)
def test_the_join_address_is_what_a_phone_can_open(
    host: str, port: int, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name or an address is given as it is, everywhere as the machine's own; what stays here is given to nobody."""
    monkeypatch.setattr(network, "lan_address", lambda: "192.168.1.5")
    monkeypatch.setattr(network, "lan_address_6", lambda: "2001:db8::5")
    assert join_url(host, port) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("0.0.0.0", "http://127.0.0.1:8080/"),
        ("::", "http://[::1]:8080/"),
        ("::1", "http://[::1]:8080/"),
        ("10.0.0.7", "http://10.0.0.7:8080/"),
        ("box.local", "http://box.local:8080/"),
    ],
)
def test_this_machine_opens_what_the_server_listens_on(host: str, expected: str) -> None:
    """The address for this machine itself is one on which the server answers."""
    assert local_url(host, 8080) == expected


@pytest.mark.parametrize(
    ("address", "reachable"),
    [
        ("192.168.4.1", True),
        ("10.0.0.1", True),
        ("2001:db8::1", True),
        ("127.0.0.1", False),
        ("::1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("169.254.0.1", False),
        ("fe80::1", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_loopback_is_out_of_reach(address: str, reachable: bool) -> None:
    """Loopback, unspecified and link-local addresses are none that a phone could open; a name is no address."""
    assert is_reachable(address) is reachable


def test_a_server_everywhere_is_not_for_this_machine_alone() -> None:
    """Only a server on a loopback address is told to be for this machine alone."""
    assert [host for host in ("0.0.0.0", "::", "127.0.0.1", "::1", "localhost", "10.0.0.1") if stays_here(host)] == [
        "127.0.0.1",
        "::1",
        "localhost",
    ]
