from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.game import commands
from companion.languages import load
from companion.network import Whereabouts
from companion.wifi import Hotspot
from tests.phones.table import Table

if TYPE_CHECKING:
    from tests.phones.fake_box import FakeBox

HOTSPOT = Hotspot("Żółty & stół", "k7mp-wq3x-n9ra", "192.168.4.1")


def text_of(table: Table, path: str = "/table") -> str:
    """Return a page as people read it, its marks taken away."""
    page = table.phone().get(path).get_data(as_text=True)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


@pytest.mark.parametrize("code", languages.codes())
def test_a_box_with_a_network_of_its_own_shows_two_steps(box: FakeBox, code: str) -> None:
    """First the Wi-Fi, with name and passphrase for who types; then the code to join; and that no internet is fine."""
    if code != "en":
        box.do(commands.ChooseLanguage(code))
    box.where = Whereabouts("http://192.168.4.1/", "http://box.local/", HOTSPOT)
    words, shown = load(code).page, text_of(Table(box))
    parts = (words["wifi_step"], HOTSPOT.name, HOTSPOT.passphrase, words["scan_to_join"], words["wifi_hint"])
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)


def test_a_guest_in_another_network_tells_no_passphrase(box: FakeBox) -> None:
    """Without a network of its own the page has one code, no steps and no hint; the network's code is not there."""
    table = Table(box)
    words, shown = load("en").page, text_of(table)
    assert words["scan_to_join"] in shown
    assert not [key for key in ("wifi_step", "wifi_hint") if words[key] in shown]
    assert table.phone().get("/wifi.svg").status_code == 404


def test_the_code_of_the_network_is_kept_nowhere(box: FakeBox) -> None:
    """It is drawn anew for another passphrase, and no browser stores it; its address does not hold the passphrase."""
    box.where = Whereabouts("http://192.168.4.1/", "", HOTSPOT)
    table = Table(box)
    first = table.phone().get("/wifi.svg")
    assert (first.mimetype, first.headers["Cache-Control"]) == ("image/svg+xml", "no-store")
    source = re.search(r"/wifi\.svg[^\"]*", table.phone().get("/table").get_data(as_text=True))
    assert source is not None
    assert HOTSPOT.passphrase not in source[0]
    box.where = Whereabouts("http://192.168.4.1/", "", Hotspot(HOTSPOT.name, "another", HOTSPOT.address))
    assert table.phone().get("/wifi.svg").data != first.data
    assert source[0] not in table.phone().get("/table").get_data(as_text=True)


def test_the_name_stands_beside_the_address_and_not_in_the_code(box: FakeBox) -> None:
    """Many an Android does not know .local names: the code holds the address whether there is a name or not."""
    box.where = Whereabouts("http://192.168.4.1:8080/")
    table = Table(box)
    plain = table.phone().get("/join.svg").data
    box.where = Whereabouts("http://192.168.4.1:8080/", "http://box.local:8080/")
    assert table.phone().get("/join.svg").data == plain
    assert "http://192.168.4.1:8080/ http://box.local:8080/" in text_of(table)


def test_the_public_state_has_no_passphrase(box: FakeBox) -> None:
    """Programs that watch the table learn nothing of the network."""
    box.where = Whereabouts("http://192.168.4.1/", "", HOTSPOT)
    table = Table(box)
    table.sit(1)
    for path in ("/api/table", "/api/me", "/healthz"):
        assert HOTSPOT.passphrase not in table.phones[0].get(path).get_data(as_text=True)


def test_the_host_has_both_codes_at_hand(box: FakeBox) -> None:
    """Whoever comes late is let in with the host's phone."""
    box.where = Whereabouts("http://192.168.4.1/", "", HOTSPOT)
    table = Table(box)
    table.sit(1)
    table.make_host(table.phones[0])
    page = table.phones[0].get("/host").get_data(as_text=True)
    assert "/wifi.svg?" in page
    assert "/join.svg?" in page


def test_a_new_address_makes_a_new_page(box: FakeBox) -> None:
    """The stamp and version change with the address, so that every open page shows the new code by itself."""
    table = Table(box)
    before = table.phone().get("/api/table")
    again = table.phone().get("/api/table", headers={"If-None-Match": before.headers["ETag"]})
    assert again.status_code == 304
    box.address = "http://10.0.0.7:8080/"
    after = table.phone().get("/api/table", headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    assert before.json is not None
    assert after.json is not None
    assert after.json["stamp"] != before.json["stamp"]
    assert "http://10.0.0.7:8080/" in text_of(table)
