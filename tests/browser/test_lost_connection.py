"""A page never freezes silently: each request has a deadline, silence is shown, and the page catches up by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.game import commands
from tests.browser.chromium import ADDRESS
from tests.browser.people import NAMES
from tests.browser.swallowing import Network
from tests.support import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from tests.browser.people import Evening

SHOWN_MS = 9_000
"""Five seconds of silence, the deadline of a request that began in it, and a slow machine."""
BACK_MS = 15_000


@pytest.fixture
def network(evening: Evening) -> Iterator[Network]:
    with Network(evening.server.port) as network:
        evening.box.address = f"http://{ADDRESS}:{network.port}/"
        evening.address = f"http://{ADDRESS}:{network.port}"
        yield network


def opened(evening: Evening, network: Network, name: str) -> Page:
    """Open a player's page, the table's or the panel's, which gets its stream."""
    evening.fill_up(5)
    page = evening.join(NAMES[5]) if name == "own" else evening.open(f"/{name}", "iPad Mini")
    before = network.passed.count("/news")
    page.reload()
    try:
        eventually(lambda: network.passed.count("/news") > before)
    except AssertionError:
        state = page.evaluate("[document.hidden, document.readyState, document.body.className]")
        pytest.fail(f"no stream was opened: {state}, {evening.faults}, {network.passed}, {network.swallowed}")
    return page


@pytest.fixture
def page(evening: Evening, network: Network) -> Page:
    """A player's page, which has its stream."""
    return opened(evening, network, "own")


def shows(page: Page, caption: str, timeout: int = BACK_MS) -> None:
    page.wait_for_function(
        "words => document.getElementById('caption').textContent === words", arg=caption, timeout=timeout
    )


def say(evening: Evening, words: str) -> None:
    evening.box.feed.post(caption=words)


@pytest.mark.parametrize("name", ["own", "table", "panel"])
def test_one_swallowed_request_costs_seconds_and_no_word(evening: Evening, network: Network, name: str) -> None:
    """A page that is asked for and never answered is given up for a newer question; what is said comes meanwhile."""
    page = opened(evening, network, name)
    left = [1]

    def swallow(path: str) -> bool:
        return path in {"/", "/table", "/panel"} and bool(left) and left.pop() == 1

    def change(word: str) -> None:
        if name != "panel":
            evening.box.do(commands.RenamePlayer(1, word))
        else:
            evening.box.feed.post_trouble("sound", word)

    def contains(word: str, timeout: int) -> None:
        page.wait_for_function("word => document.body.textContent.includes(word)", arg=word, timeout=timeout)

    network.swallows = swallow
    change("Beatrice")
    say(evening, "What is said.")
    shows(page, "What is said.", 3_000)
    contains("Beatrice", BACK_MS)
    assert len(network.swallowed) == 1
    change("Konstantin")
    contains("Konstantin", 3_000)
    assert evening.faults == []


def test_silence_is_shown_and_ends_by_itself(evening: Evening, network: Network, page: Page) -> None:
    """When nothing is answered any more the page says so within seconds; when it is again, it catches up."""
    assert not page.locator("#offline").is_visible()
    network.swallows = lambda _path: True
    page.wait_for_selector("#offline:visible", timeout=SHOWN_MS)
    say(evening, "What was said meanwhile.")
    network.swallows = lambda _path: False
    shows(page, "What was said meanwhile.")
    page.wait_for_selector("#offline", state="hidden", timeout=3_000)
    assert evening.faults == []


def test_a_stream_that_dies_without_a_word_is_noticed(evening: Evening, network: Network, page: Page) -> None:
    """Where only the stream is swallowed, the page asks by itself, and nothing looks lost."""
    network.swallows = lambda path: path == "/news"
    say(evening, "Something new.")
    shows(page, "Something new.")
    say(evening, "Something newer.")
    shows(page, "Something newer.")
    assert not page.locator("#offline").is_visible()
    assert evening.faults == []


def test_a_quiet_evening_looks_alive(page: Page) -> None:
    """While nobody says anything for long, no page takes that for a lost connection."""
    seen = page.evaluate(
        """() => new Promise(done => {
            const lost = document.getElementById('offline'), looks = [];
            const timer = setInterval(() => {
                looks.push(!lost.hidden);
                if (looks.length === 75) { clearInterval(timer); done(looks.filter(Boolean).length); }
            }, 100);
        })"""
    )
    assert seen == 0


def test_a_press_that_is_swallowed_is_told(evening: Evening, network: Network) -> None:
    """Whoever chooses on a phone hears that it did not get through, instead of waiting for ever."""
    page = evening.join(NAMES[0])
    evening.fill_up(7)
    evening.play()
    page.wait_for_selector(".turn")
    network.swallows = lambda path: path == "/me/nominate"
    page.locator(".choice").nth(1).click()
    page.click(".turn button")
    page.wait_for_selector("#toast:visible", timeout=12_000)
    assert page.locator("#toast").inner_text() == languages.load("en").page["offline"]
    network.swallows = lambda _path: False
    page.click(".turn button")
    page.wait_for_selector(".turn input[checked]", state="attached")
    assert evening.box.evening.game.chancellor is not None


def test_a_card_that_is_swallowed_is_told(evening: Evening, network: Network) -> None:
    """Where the card does not come, the screen does not stay black."""
    page = evening.join(NAMES[0])
    evening.fill_up(7)
    evening.deal()
    page.wait_for_selector(".tap:visible")
    network.swallows = lambda path: path == "/api/me/role"
    page.locator(".tap:visible").first.click()
    page.wait_for_selector("#toast:visible", timeout=12_000)
    assert not page.locator("#shown").is_visible()


def test_a_phone_that_wakes_asks_anew(evening: Evening, network: Network) -> None:
    """Back in the network nothing waits for a question from before."""
    page = evening.join(NAMES[0])
    network.swallows = lambda path: path == "/api/me"
    say(evening, "Before the sleep.")
    page.wait_for_timeout(300)
    network.swallows = lambda _path: False
    page.evaluate("window.dispatchEvent(new Event('online'))")
    shows(page, "Before the sleep.", 2_000)
    evening.box.do(commands.RenamePlayer(1, "Woken"))
    page.wait_for_selector("text=Woken", timeout=3_000)
