"""A sign by one tap, a name that is heard before it is kept, and pictures of the rules, in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion import languages
from companion.narrator.teacher import RULES
from tests.browser.people import NAMES

if TYPE_CHECKING:
    from tests.browser.people import Evening

ENGLISH = languages.load("en")


def test_a_tapped_sign_is_on_every_screen_and_taken_for_everybody_else(evening: Evening) -> None:
    """No page is loaded anew for it."""
    anna, boris = evening.join(NAMES[0], "iPhone SE"), evening.join(NAMES[1], "Pixel 7")
    table = evening.open("/table", "iPad Mini")
    for page in (anna, boris, table):
        page.evaluate("window.same = true")
    anna.locator("#sign-tree").click()
    anna.wait_for_selector("#sign-tree[aria-current]")
    table.wait_for_selector("#seat-1 .of-tree")
    boris.wait_for_selector("#sign-tree[disabled]")
    assert all(page.evaluate("window.same") for page in (anna, boris, table))


def test_what_is_spelled_stays_typed_while_it_is_heard(evening: Evening) -> None:
    """Listen as often as you like; then keep it."""
    anna = evening.join(NAMES[0], "iPhone SE")
    anna.locator("#spell summary").click()
    anna.locator("#spoken").fill("Anja")
    anna.get_by_role("button", name=ENGLISH.page["spell_hear"]).click()
    for _ in range(200):
        if evening.box.names_heard:
            break
        anna.wait_for_timeout(20)
    assert evening.box.names_heard == [(1, "Anja")]
    # Somebody else sits down meanwhile, and the page is made anew.
    evening.join(NAMES[1], "Pixel 7")
    anna.wait_for_selector("#seat-2")
    assert anna.locator("#spoken").input_value() == "Anja"
    anna.get_by_role("button", name=ENGLISH.page["spell_keep"]).click()
    for _ in range(200):
        if evening.box.evening.seating.players[0].spoken:
            break
        anna.wait_for_timeout(20)
    assert evening.box.evening.seating.players[0].spoken == "Anja"


def test_the_picture_of_a_rule_is_lit_while_it_is_told(evening: Evening) -> None:
    """By the words alone: nothing else on the page has changed."""
    evening.join(NAMES[0], "iPhone SE")
    evening.fill_up(5)
    evening.box.feed.post(teaches=True)
    evening.deal()
    table = evening.open("/table", "iPad Mini")
    table.wait_for_selector(".lesson")
    for rule in RULES[1:3]:
        evening.box.feed.post(caption=ENGLISH.lines[rule])
        table.wait_for_function(
            "words => [...document.querySelectorAll('.said')].map(each => each.dataset.says).join() === words",
            arg=ENGLISH.lines[rule],
        )
