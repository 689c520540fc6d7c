from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from companion.box import run
from companion.machine import network, terminal, wifi
from companion.machine.network import Whereabouts
from companion.machine.wifi import Hotspot
from companion.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

KEYFILE = """\
[connection]
id=secret-hitler-companion

[wifi]
mode=ap
ssid={name}

[wifi-security]
key-mgmt=wpa-psk
psk={psk}

[ipv4]
method=shared
address1=192.168.4.1/24
"""


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Secret Table", "Secret Table"),
        ("100%; so far", "100%; so far"),
        ("197;187;195;179;197;130;119;", "Żółw"),
        ("1984", "1984"),
    ],
)
def test_a_name_is_read_as_network_manager_writes_it(written: str, name: str) -> None:
    """Plain where it can be, and as the numbers of its bytes where it has letters beyond ASCII."""
    assert wifi.parse(KEYFILE.format(name=written, psk="p#%;=q")) == Hotspot(name, "p#%;=q", "192.168.4.1")


@pytest.mark.parametrize(
    "text",
    ["", "none", "[wifi\n", KEYFILE.replace("mode=ap", "mode=infrastructure"), KEYFILE.replace("psk=", "other=")],
)
def test_what_is_no_network_of_the_box_is_none(text: str) -> None:
    """A home's Wi-Fi, whose passphrase the box may know, is shown to nobody; nor is a file of something else."""
    assert wifi.parse(text) is None


def test_a_file_that_cannot_be_read_is_no_network(tmp_path: Path) -> None:
    """Missing, a folder or no text: the pages come up without the code."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for path in (None, tmp_path, tmp_path / "missing", tmp_path / "bytes"):
        assert wifi.read(path) is None
    (tmp_path / "good").write_text(KEYFILE.format(name="Table", psk="secret"), encoding="utf-8")
    assert wifi.read(tmp_path / "good") == Hotspot("Table", "secret", "192.168.4.1")


def test_the_code_of_a_network_is_escaped() -> None:
    """What has a meaning in the code is told from what is in the name."""
    assert Hotspot("a:b,c", 'p;q"\\').code == r"WIFI:T:WPA;S:a\:b\,c;P:p\;q\"\\;;"


def test_the_passphrase_is_in_no_repr() -> None:
    """Whatever is logged of the box, the passphrase is not in it."""
    assert "hush" not in repr(Whereabouts("http://192.168.4.1/", "", Hotspot("Table", "hush")))


def test_systemd_hands_the_file_to_the_service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As a service the box reads what systemd handed it; started by hand it has no such file."""
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    assert Settings().hotspot_file is None
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert Settings().hotspot_file == tmp_path / "hotspot"


def test_the_network_is_shown_while_it_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hotspot that is only written down, or whose Wi-Fi does something else, sends nobody after it."""
    hotspot = Hotspot("Table", "secret", "192.168.4.1")
    addresses = ["192.168.1.5"]
    monkeypatch.setattr(network, "_by_interface", lambda: iter(addresses))
    assert network.whereabouts("127.0.0.1", 80, hotspot).hotspot is None
    addresses.append("192.168.4.1")
    assert network.whereabouts("127.0.0.1", 80, hotspot).hotspot is hotspot
    assert network.whereabouts("127.0.0.1", 80, None).hotspot is None


def test_the_name_is_told_where_somebody_answers_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By avahi the box has a name, with the port that is not 80; without it, or on one address alone, it has none."""
    monkeypatch.setattr(network, "_AVAHI", tmp_path / "pid")
    monkeypatch.setattr(network.socket, "gethostname", lambda: "Box.home.arpa")
    assert network.mdns_url("0.0.0.0", 80) == ""  # noqa: S104 - compared, not listened on
    (tmp_path / "pid").touch()
    assert network.mdns_url("0.0.0.0", 80) == "http://box.local/"  # noqa: S104
    assert network.mdns_url("::", 8080) == "http://box.local:8080/"
    assert network.mdns_url("127.0.0.1", 80) == ""


def test_only_a_terminal_is_told_the_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at the terminal gets both codes; what goes into a log has the code to join, and no passphrase."""
    where = Whereabouts("http://192.168.4.1/", "http://box.local/", Hotspot("Table", "hush-hush"))
    monkeypatch.setattr(terminal, "can_show", lambda _: True)
    monkeypatch.setattr(terminal, "is_terminal", lambda: False)
    logged = run._codes(where, coloured=False)
    assert "hush" not in "".join(logged)
    assert logged[0] == "By name: http://box.local/"
    monkeypatch.setattr(terminal, "is_terminal", lambda: True)
    shown = run._codes(where, coloured=True)
    assert "Table   Passphrase: hush-hush" in "\n".join(shown)
    assert sum("█" in line for line in shown) > 2 * sum("█" in line for line in logged)
