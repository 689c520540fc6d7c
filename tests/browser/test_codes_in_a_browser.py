"""The codes for phones as they stand on a screen: read back from screenshots by a real decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from companion.machine.network import Whereabouts
from companion.machine.wifi import Hotspot
from tests.browser.people import NAMES
from tests.codes import Code, grey, read

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.people import Evening

HOTSPOT = Hotspot("Żółty stół; 1", "k7mp-wq3x-n9ra", "192.168.4.1")
SCREENS = {"television": (1920, 1080), "laptop": (1366, 768), "old tablet": (1024, 768), "upright": (768, 1024)}


def seen(page: Page) -> list[Code]:
    """Read what stands on the screen once its codes are drawn, the first of them whole."""
    codes = page.locator(".code[open] img")
    for place in range(codes.count()):
        codes.nth(place).evaluate("image => { image.loading = 'eager'; return image.decode(); }")
    if codes.count():
        codes.first.evaluate("image => image.scrollIntoViewIfNeeded()")
    return read(grey(page.screenshot()))


def check(codes: list[Code], *texts: str) -> None:
    """Check what was read, that it is dark on light, and that the quiet zone keeps the dark page away."""
    assert [code.text for code in codes] == [*texts]
    for code in codes:
        assert code.dark < 60
        assert code.margin > 200
        # A camera needs two or three of its own points for one; a screen is a part of what it sees.
        assert code.module > 4


@pytest.mark.parametrize("size", SCREENS.values(), ids=SCREENS)
def test_the_table_shows_both_codes_on_one_screen(evening: Evening, size: tuple[int, int]) -> None:
    """Of a box with a network of its own, first the Wi-Fi and then the address, whole without scrolling."""
    evening.box.where = Whereabouts(f"{evening.address}/", "http://box.local/", HOTSPOT)
    page = evening.open("/table", "Desktop Chrome", viewport={"width": size[0], "height": size[1]})
    check(seen(page), HOTSPOT.code, f"{evening.address}/")
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("device", ["iPhone SE", "Pixel 7"])
def test_a_phone_lets_the_next_one_in(evening: Evening, device: str) -> None:
    """Whoever sits at the table has the code on the own page, a touch away; another phone reads it there."""
    page = evening.join(NAMES[0], device)
    page.locator(".code summary").tap()
    check(seen(page), f"{evening.address}/")


def test_the_code_is_a_press_away_in_the_middle_of_a_game(evening: Evening) -> None:
    """And at night no screen shows one: the room is dark."""
    evening.fill_up(5)
    page = evening.open("/table", "iPad Mini")
    evening.deal()
    assert evening.box.push("ja", held=True).result().ok
    page.wait_for_selector(".dark")
    assert seen(page) == []
    for _ in range(2):
        assert evening.box.push("ja", held=True).result().ok
    page.locator(".code summary").tap()
    check(seen(page), f"{evening.address}/")
