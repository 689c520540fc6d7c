from __future__ import annotations

import html
import io
import re
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import pygame
import pytest

from companion import languages
from companion.game import commands
from companion.languages import load
from companion.machine.network import Whereabouts
from companion.machine.wifi import Hotspot
from tests.codes import grey, read
from tests.phones.table import Table

if TYPE_CHECKING:
    from tests.codes import Grey
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


# --- read back -------------------------------------------------------------------------------------------------------


def painted(drawing: bytes, points: int) -> Grey:
    """Return a code as a page shows it, so many points wide: on its paper, in the middle of the dark page."""
    style = files("companion.phones").joinpath("static/style.css").read_text(encoding="utf-8")
    paper = re.search(r"\.code img \{[^}]*background: (#\w+)", style)
    page = re.search(r"--wood: (#\w+)", style)
    assert paper is not None
    assert page is not None
    screen = pygame.Surface((points + 200, points + 200))
    screen.fill(page[1])
    pygame.draw.rect(screen, paper[1], (100, 100, points, points))
    screen.blit(pygame.image.load_sized_svg(io.BytesIO(drawing), (points, points)), (100, 100))
    return grey(screen)


def from_afar(picture: Grey, times: int, *, glare: float = 0.5) -> Grey:
    """Return a picture so many times smaller, and washed out: what a camera has of a screen across the table."""
    rows, columns = (length - length % times for length in picture.shape)
    small = picture[:rows, :columns].reshape(rows // times, times, columns // times, times).mean(axis=(1, 3))
    return (255 * glare + small * (1 - glare)).astype(np.uint8)


@pytest.mark.parametrize("points", [150, 280, 480])
@pytest.mark.parametrize("address", ["http://192.168.4.1/", "http://192.168.178.123:8080/"])
def test_a_camera_reads_the_code_to_join(box: FakeBox, address: str, points: int) -> None:
    """It holds the address in capitals, dark on light, with its quiet zone though the page is dark."""
    box.where = Whereabouts(address, "http://box.local/")
    (code,) = read(painted(Table(box).phone().get("/join.svg").data, points))
    assert code.text == address
    assert code.dark < 60
    assert code.margin > 200


@pytest.mark.parametrize(
    "hotspot",
    [
        HOTSPOT,
        Hotspot('Tisch; 1, \\der: "beste"', "k7mp-wq3x-n9ra"),
        Hotspot("Тайный стол", "\\;,:\" 'x' \\"),
        Hotspot("a" * 32, "b" * 63),
    ],
    ids=lambda hotspot: hotspot.name,
)
def test_a_camera_reads_the_code_of_the_network(box: FakeBox, hotspot: Hotspot) -> None:
    """Name and passphrase come back letter by letter as they are, also signs that mean something in such a code."""
    box.where = Whereabouts("http://192.168.4.1/", "", hotspot)
    (code,) = read(painted(Table(box).phone().get("/wifi.svg").data, 280))
    fields = re.fullmatch(r"WIFI:T:WPA;S:((?:\\.|[^\\;])*);P:((?:\\.|[^\\;])*);;", code.text)
    assert fields is not None
    assert [re.sub(r"\\(.)", r"\1", field) for field in fields.groups()] == [hotspot.name, hotspot.passphrase]
    assert code.dark < 60
    assert code.margin > 200


def test_a_code_is_read_across_the_table(box: FakeBox) -> None:
    """On a screen of the table, six times smaller and with half its contrast lost to glare, both are still read."""
    box.where = Whereabouts("http://192.168.178.123:8080/", "", HOTSPOT)
    phone = Table(box).phone()
    for path, text in (("/join.svg", "http://192.168.178.123:8080/"), ("/wifi.svg", HOTSPOT.code)):
        (code,) = read(from_afar(painted(phone.get(path).data, 480), 6))
        assert code.text == text
        assert code.module < 3
