# ruff: noqa: S104 - addresses are compared here; nobody listens on them
from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from companion.machine import network
from companion.machine.network import is_reachable, join_url, lan_addresses, local_url, stays_here
from companion.machine.wifi import Hotspot

if TYPE_CHECKING:
    from collections.abc import Callable

NOWHERE = """
import fcntl, socket, struct
from companion.machine import network
print(next(iter(network.lan_addresses()), None), network.join_url("0.0.0.0", 80), network.join_url("::", 80), sep="|")
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
    assert all(map(is_reachable, lan_addresses()))


def test_where_interfaces_tell_nothing_the_routing_table_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says of localhost and of unconfigured networks is passed over."""
    interfaces(monkeypatch)
    routes(monkeypatch, "127.0.1.1", "169.254.3.4", "0.0.0.0", "192.168.1.5", "10.0.0.7")
    assert lan_addresses() == ("192.168.1.5",)


def test_the_address_is_where_the_phones_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wi-Fi before cables, private before public; nobody is behind a container, a tunnel or a mobile network."""
    routes(monkeypatch, "10.7.0.2")
    found = {
        "lo": "127.0.0.1",
        "docker0": "172.17.0.1",
        "wg0": "10.7.0.2",
        "tun0": "10.8.0.2",
        "wwan0": "10.64.3.2",
        "ppp0": "10.64.3.3",
        "tailscale0": "100.64.3.2",
        "eth0": "10.9.8.7",
        "eth1": "203.0.113.9",
        "wlan0": "192.168.1.50",
        "usb0": None,
    }
    interfaces(monkeypatch, **found)
    assert lan_addresses() == ("192.168.1.50", "10.9.8.7", "203.0.113.9")
    interfaces(monkeypatch, lo="127.0.0.1", docker0="172.17.0.1", eth0="10.9.8.7")
    assert lan_addresses() == ("10.9.8.7",)


def test_the_box_s_own_network_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever made the box a hotspot meets there; the others stay on offer."""
    interfaces(monkeypatch, wlan0="192.168.1.50", wlan1="192.168.4.1", eth0="10.9.8.7")
    hotspot = Hotspot("Table", "k7mp-wq3x-n9ra", "192.168.4.1")
    where = network.whereabouts("0.0.0.0", 8080, hotspot)
    assert where.address == "http://192.168.4.1:8080/"
    assert where.others == ("http://192.168.1.50:8080/", "http://10.9.8.7:8080/")
    without = network.whereabouts("0.0.0.0", 8080, None)
    assert without.address == "http://192.168.1.50:8080/"


def test_no_network_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """With localhost alone there is nothing that a phone could open, and no join address."""
    routes(monkeypatch)
    interfaces(monkeypatch, lo="127.0.0.1", eth0=None)
    assert lan_addresses() == ()
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


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs a network namespace")
def test_a_tunnel_that_carries_the_default_route_is_not_where_the_phones_are(lonely: Callable[[str], str]) -> None:
    """Real interfaces: a tunnel by any name with the default route, a mobile network, and the Wi-Fi of the room."""
    prepared = " && ".join(
        (
            "ip link add wlan0 type bridge",
            "ip addr add 192.168.1.50/24 dev wlan0",
            "ip link set wlan0 up",
            "ip tuntap add dev vpn mode tun",
            "ip addr add 10.7.0.2/24 dev vpn",
            "ip link set vpn up",
            "ip link add wwan0 type bridge",
            "ip addr add 10.64.3.2/24 dev wwan0",
            "ip link set wwan0 up",
            "ip route add default dev vpn",
        )
    )
    assert lonely(prepared) == "192.168.1.50|http://192.168.1.50/|None"


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
    monkeypatch.setattr(network, "lan_addresses", lambda: ("192.168.1.5",))
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
