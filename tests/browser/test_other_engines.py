"""The walk of a player through an evening, in the engines of iPhones and of Firefox."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from selenium.common.exceptions import NoSuchFrameException

from companion import languages
from companion.game import commands
from companion.game.vocabulary import Party
from companion.phones.app import create_app
from companion.phones.server import Server
from tests.browser.engines import firefox, firefox_program, webkit, webkit_programs
from tests.browser.people import NAMES
from tests.browser.swallowing import Network
from tests.phones.fake_box import FakeBox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.browser.engines import Engine

# Selenium's own WebKit driver is built in a way that Selenium no longer likes.
pytestmark = pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning")

ENGLISH = languages.load("en")
PATIENCE_SECONDS = 20.0


def eventually(ask: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
    """Return what `ask` returns as soon as it is true. A page that is just being left has no answer yet."""
    until = time.monotonic() + seconds
    while True:
        try:
            answer = ask()
        except NoSuchFrameException:
            answer = None
        if answer:
            return answer
        assert time.monotonic() < until, "it never came to pass"
        time.sleep(0.05)


class Walk:
    """A player at a table, in one engine."""

    def __init__(self, engine: Engine, stack: ExitStack) -> None:
        self.engine = engine
        self._stack = stack
        self.box = FakeBox()
        self.server = self._serve(0)
        self.network = stack.enter_context(Network(self.server.port))
        self.address = f"http://127.0.0.1:{self.network.port}"
        self.box.address = f"{self.address}/"

    def _serve(self, port: int) -> Server:
        server = Server(create_app(self.box), "127.0.0.1", port)
        self._stack.callback(server.close)
        server.start()
        return server

    def sees(self, selector: str) -> bool:
        """Whether an element is on the page and can be seen."""
        return bool(
            self.engine.run(
                f"const found = [...document.querySelectorAll({selector!r})];"
                "const seen = each => each.getClientRects().length && getComputedStyle(each).visibility === 'visible';"
                "return found.some(seen);"
            )
        )

    def text(self, selector: str = "body") -> str:
        """What can be read in an element."""
        return str(
            self.engine.run(f"const found = document.querySelector({selector!r}); return found ? found.innerText : '';")
        )

    def is_own(self) -> bool:
        """Whether the player's own page is there, and its scripts: before them a form leaves the page."""
        told = self.engine.run(
            "return document.body && document.readyState === 'complete' ? document.body.className : '';"
        )
        return str(told).startswith("own")

    def click(self, selector: str) -> None:
        self.engine.run(f"document.querySelector({selector!r}).click();")

    def join(self) -> None:
        """Sit down as the first of seven; the others' phones do not matter."""
        self.engine.open(self.address + "/")
        eventually(lambda: self.sees("form.paper button"))
        self.engine.run(f"document.getElementById('name').value = {NAMES[0]!r};")
        self.click("form.paper button")
        eventually(self.is_own)
        for seat, name in enumerate(NAMES[1:7], 1):
            self.box.do(commands.TakeSeat(name, f"claim {seat}"))

    @property
    def role(self) -> str:
        """The player's own role, in words."""
        return ENGLISH.terms[self.box.roles()[0]]

    @property
    def secret(self) -> str:
        """What stands on the player's own card and nowhere else."""
        return ENGLISH.page[f"goal_{self.box.roles()[0]}"]


@pytest.fixture(scope="module", params=["webkit", "firefox"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """That engine; the test says so where it is not installed."""
    if request.param == "webkit" and webkit_programs() is None:
        pytest.skip("WebKit is not installed: webkit2gtk-driver and xvfb")
    if request.param == "firefox" and firefox_program() is None:
        pytest.skip("Firefox is not installed: firefox-esr")
    with webkit() if request.param == "webkit" else firefox(tmp_path_factory.mktemp("profile")) as engine:
        yield engine


@pytest.fixture
def walk(engine: Engine) -> Iterator[Walk]:
    """A player with that engine at a table of their own."""
    with ExitStack() as stack:
        yield Walk(engine, stack)


def test_a_player_s_evening(walk: Walk) -> None:
    """Join, hold, let go, leave and come back, lose the connection, and see the end; nothing is for translation."""
    walk.join()
    assert walk.engine.run("return document.documentElement.translate;") is False
    assert "telephone=no" in walk.engine.run("return document.querySelector('meta[name=format-detection]').content;")
    walk.box.push("ja")
    eventually(lambda: walk.sees(".hold"))

    walk.engine.press(".hold")
    eventually(lambda: walk.text("#shown .word") == walk.role)
    assert walk.sees("#shown")
    walk.engine.release()
    eventually(lambda: not walk.sees("#shown"))
    assert walk.engine.run("return document.querySelector('#shown .word').textContent;") == ""

    walk.engine.press(".hold")
    eventually(lambda: walk.text("#shown .word") == walk.role)
    walk.engine.open(walk.address + "/table")
    eventually(lambda: walk.engine.run("return location.pathname;") == "/table")
    walk.engine.back()
    eventually(walk.is_own)
    assert not walk.sees("#shown")
    assert walk.secret not in walk.text()
    walk.box.feed.post(caption="After Back.")
    eventually(lambda: walk.text("#caption") == "After Back.")

    assert not walk.sees("#offline")
    walk.network.swallows = lambda _path: True
    eventually(lambda: walk.sees("#offline"))
    walk.box.feed.post(caption="Found again.")
    walk.network.swallows = lambda _path: False
    eventually(lambda: walk.text("#caption") == "Found again.")
    eventually(lambda: not walk.sees("#offline"))

    for _ in range(3):
        walk.box.push("ja", held=True)
    for _ in range(5):
        walk.box.do(commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    eventually(lambda: walk.sees(".ending"))
    assert ENGLISH.page["winner_liberal"] in walk.text(".ending")


def test_a_sign_is_tapped_and_a_name_is_heard_and_kept(walk: Walk) -> None:
    """Each button of the form does what it says: listening keeps nothing."""
    walk.join()
    walk.click("#sign-tree")
    eventually(lambda: walk.sees("#sign-tree[aria-current]"))
    eventually(lambda: walk.sees("#seat-1 .of-tree"))
    walk.engine.run("document.getElementById('spell').open = true; document.getElementById('spoken').value = 'Anja';")
    walk.click("#spell button[value=hear]")
    eventually(lambda: walk.box.names_heard == [(1, "Anja")])
    assert walk.box.evening.seating.players[0].spoken == ""
    walk.click("#spell button[value=keep]")
    eventually(lambda: walk.box.evening.seating.players[0].spoken == "Anja")
    assert len(walk.box.names_heard) == 1


def test_back_brings_no_card_back(walk: Walk) -> None:
    """The page with a card, which only a browser without scripts is meant to see, is empty when Back brings it back."""
    walk.join()
    walk.box.push("ja")
    eventually(lambda: walk.sees(".hold"))
    walk.engine.run("document.querySelector('.envelope').submit();")
    eventually(lambda: walk.text(".shown .word") == walk.role)
    assert walk.secret in walk.text()
    walk.click(".button")
    eventually(walk.is_own)
    walk.engine.back()
    for _ in range(40):
        # At no moment, whatever the page is by now.
        seen = walk.engine.run("return document.body ? document.body.innerText : '';")
        assert walk.secret not in seen
        time.sleep(0.05)
    assert walk.is_own()


def test_no_card_form_can_be_sent_before_its_script_is_there(walk: Walk) -> None:
    """Whoever taps while the script is still on its way gets no page of its own with a role on it."""
    walk.join()
    walk.box.push("ja")
    eventually(lambda: walk.sees(".hold"))
    # The script hangs on its way; the page is there all the same.
    walk.network.swallows = lambda path: path.startswith("/static/page.js")
    walk.engine.run(f"location.href = {walk.address + '/?slow'!r};")
    eventually(lambda: walk.engine.run("return location.search === '?slow' && !!document.querySelector('.envelope');"))
    assert not walk.sees(".tap")
    assert not walk.sees(".hold")
    buttons = walk.engine.run(
        "return [...document.querySelectorAll('.envelope button')].filter(each => each.type === 'submit').length;"
    )
    assert buttons == 0
    walk.network.swallows = lambda _path: False


def test_the_story_of_a_game_becomes_a_picture(walk: Walk) -> None:
    """The drawing of the box can be painted and read back here too, so that a phone keeps it among its photos."""
    walk.join()
    for button, held in (("ja", False), ("ja", True), ("ja", True), ("ja", True)):
        assert walk.box.push(button, held=held).result().ok
    for _ in range(5):
        for button in ("ja", "liberal"):
            assert walk.box.push(button).result().ok
    eventually(lambda: walk.engine.run("return document.querySelector('#story [data-png]') !== null;"))
    walk.engine.run(
        "window.made = 0; const make = URL.createObjectURL.bind(URL);"
        "URL.createObjectURL = blob => { if (blob.type === 'image/png') window.made = blob.size; return make(blob); };"
        "HTMLAnchorElement.prototype.click = () => {};"
        "const tap = new MouseEvent('click', {bubbles: true, cancelable: true});"
        "document.querySelector('#story [data-png]').dispatchEvent(tap);"
    )
    eventually(lambda: walk.engine.run("return window.made;"))
    assert int(walk.engine.run("return window.made;")) > 30_000
