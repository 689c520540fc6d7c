"""`companion network`: where the box is found, and the card with both codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from companion import cli, languages
from companion.commands.network.networkmanager import NetworkManager
from companion.commands.network.show import drawn_card, show
from companion.machine.wifi import Hotspot
from companion.settings import Settings
from tests.codes import read
from tests.network.test_networkmanager import Programs
from tests.phones.test_codes import painted

if TYPE_CHECKING:
    from pathlib import Path

OWN = Hotspot("Secret Table", "abcd-efgh-jkmn", "192.168.4.1")
KEYFILE = """\
[wifi]
mode=ap
ssid=Secret Table
[wifi-security]
psk=abcd-efgh-jkmn
[ipv4]
address1=192.168.4.1/24
"""


def test_it_tells_networks_addresses_and_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the passphrase, for whoever may read it, and a card."""
    keyfile, card = tmp_path / "own.nmconnection", tmp_path / "card.svg"
    keyfile.write_text(KEYFILE)
    assert show(Settings(host="192.168.1.20", port=80), NetworkManager(Programs()), card, keyfile) == 0
    told = capsys.readouterr().out
    assert "Wi-Fi wlan0: in 'Café: upstairs'" in told
    assert "cable eth0: switched off" in told
    assert "Wi-Fi wlan2: not connected" in told
    assert "Phones open http://192.168.1.20/" in told
    assert "'Secret Table' with the passphrase abcd-efgh-jkmn" in told
    assert "http://192.168.4.1/" in card.read_text()


def test_without_a_network_of_its_own_there_is_no_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says so, also where nobody can be asked."""
    networks = NetworkManager(Programs(nmcli="This machine has no nmcli."))
    assert show(Settings(), networks, tmp_path / "card.svg", tmp_path / "nothing") == 1
    told = capsys.readouterr()
    assert "This machine has no nmcli." in told.err
    assert "It has no own network." in told.out
    assert not (tmp_path / "card.svg").exists()


@pytest.mark.parametrize("code", languages.codes())
def test_the_card_holds_both_codes_and_what_can_be_typed(code: str) -> None:
    """The first lets a phone into the network, the second opens the page, in every language within the card's edges."""
    words = languages.load(code).page
    card = drawn_card(OWN, "http://192.168.4.1/", words)
    codes = re.findall(r'<svg x=.*?(viewBox="[^"]+">)(<path .*?/>)</svg>', card, re.DOTALL)
    alone = [f'<svg xmlns="http://www.w3.org/2000/svg" {box}{path}</svg>'.encode() for box, path in codes]
    assert [code.text for each in alone for code in read(painted(each, 280))] == [OWN.code, "http://192.168.4.1/"]
    for text in (words["wifi_step"], words["scan_to_join"], OWN.name, OWN.passphrase, words["wifi_hint"]):
        assert text in card


def test_the_command_tells_whoever_asks(capsys: pytest.CaptureFixture[str]) -> None:
    """On any machine, without an own network and without NetworkManager."""
    assert cli.main(["network"]) == 0
    assert "own network" in capsys.readouterr().out
