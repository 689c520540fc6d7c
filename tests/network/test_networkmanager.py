"""What nmcli and iw print, read; their words are those of NetworkManager 1.52 and iw 6.9."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from companion.commands.network import networkmanager
from companion.commands.network.networkmanager import Device, NetworkError, NetworkManager, run_program

if TYPE_CHECKING:
    from collections.abc import Sequence

STATUS = """\
wlan0:wifi:connected:Café\\: upstairs
eth0:ethernet:unavailable:
p2p-dev-wlan0:wifi-p2p:disconnected:
eth1:ethernet:connected (externally):eth1
lo:loopback:connected (externally):lo
wlan1:wifi:unmanaged:
wlan2:wifi:disconnected:
"""
PROFILES = """\
1111:802-11-wireless:yes
2222:802-11-wireless:yes
3333:802-11-wireless:no
4444:802-3-ethernet:yes
5555:802-11-wireless:yes
"""
FACTS = {
    "1111": "infrastructure\nHome\n",
    "2222": "ap\nSecret Table\n",
    "5555": "infrastructure\nStu\\:ga Ł\n",
}
SCAN = """\
BSS 02:00:00:00:01:00(on wlan0)
	freq: 2412.0
	SSID: Home
BSS 02:00:00:00:02:00(on wlan0)
	SSID: Stu:ga \\xc5\\x81
	Supported rates: 1.0*
BSS 02:00:00:00:03:00(on wlan0)
	SSID:
"""
STATIONS = """\
Station 02:00:00:00:02:00 (on wlan0)
	inactive time:	2000 ms
Station 02:00:00:00:03:00 (on wlan0)
	inactive time:	20 ms
"""


class Programs:
    """Prints what it is asked for, and notes what it is told."""

    def __init__(self, **broken: str) -> None:
        self.broken = broken
        self.ran: list[str] = []

    def __call__(self, command: Sequence[str]) -> str:
        line = " ".join(command)
        self.ran.append(line)
        if command[0] in self.broken:
            raise NetworkError(self.broken[command[0]])
        if "device status" in line:
            return STATUS
        if "connection.autoconnect" in line:
            return "yes\n"
        if "-g " in line:
            return FACTS[command[-1]]
        if "connection show" in line:
            return PROFILES
        return SCAN if "scan" in line else STATIONS if "station" in line else ""


def test_cables_and_radios_that_are_cared_for() -> None:
    """Nothing else that NetworkManager lists, and names as people gave them."""
    assert NetworkManager(Programs()).devices() == [
        Device("wlan0", True, True, "Café: upstairs"),
        Device("eth0", False, False, ""),
        Device("eth1", False, True, "eth1"),
        Device("wlan2", True, True, ""),
    ]


def test_what_is_known_and_what_is_seen() -> None:
    """Neither the box's own, nor what is only joined by hand; the same name however it is printed."""
    networks = NetworkManager(Programs())
    assert networks.known() == {"Home", "Stu:ga Ł"}
    assert networks.in_sight("wlan0") == {"Home", "Stu:ga Ł"}
    assert networks.guests("wlan0") == 2


def test_whether_its_own_comes_up_by_itself() -> None:
    """As NetworkManager has it, whoever has changed it."""
    assert NetworkManager(Programs()).makes_own_always() is True


def test_a_radio_that_cannot_be_asked() -> None:
    """Without iw, or where the radio refuses, nobody knows."""
    networks = NetworkManager(Programs(iw="This machine has no iw."))
    assert networks.in_sight("wlan0") is None
    assert networks.guests("wlan0") is None


def test_its_own_network_is_opened_and_closed_by_its_profile() -> None:
    """As it was installed."""
    programs = Programs()
    networks = NetworkManager(programs)
    networks.open_own()
    networks.close_own()
    assert programs.ran == [
        "nmcli -t connection up secret-hitler-companion",
        "nmcli -t connection down secret-hitler-companion",
    ]


def test_programs_that_fail_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is missing, one that fails with words or without, one that hangs."""
    monkeypatch.setattr(networkmanager, "_ANSWER_SECONDS", 0.5)
    for code, told in (
        ("raise SystemExit('Error: NetworkManager is not running.')", r": NetworkManager is not running\.$"),
        ("raise SystemExit(3)", r": it failed\.$"),
        ("import time; time.sleep(60)", r" does not answer\.$"),
    ):
        with pytest.raises(NetworkError, match=told):
            run_program([sys.executable, "-c", code])
    with pytest.raises(NetworkError, match=r"^This machine has no nmcli-of-nobody\.$"):
        run_program(["nmcli-of-nobody"])
    assert run_program([sys.executable, "-c", "import os; print(os.environ['LC_ALL'])"]) == "C.UTF-8\n"
