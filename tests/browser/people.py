"""People with phones around a box that is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from companion.game import commands
from tests.browser.chromium import ADDRESS, SIZES, screenshot_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import ExitStack

    from playwright.sync_api import Browser, BrowserContext, Page

    from companion.phones.server import Server
    from tests.phones.fake_box import FakeBox

NAMES = ("Anna", "Jürgen von der Linde", "Тимофей", "محمد بن علي", "🦊 Zoë", "Łukasz", "Bo", "Dag", "Eva", "Flo")


class Evening:
    """The box, its server, and whoever comes."""

    def __init__(
        self, box: FakeBox, server: Server, browser: Browser, devices: Mapping[str, Any], stack: ExitStack
    ) -> None:
        self.box = box
        self.server = server
        self.address = f"http://{ADDRESS}:{server.port}"
        self._browser = browser
        self._devices = devices
        self._stack = stack
        self.faults: list[str] = []

    def context(self, device: str = "Pixel 7", **settings: Any) -> BrowserContext:
        """Return another phone; every fault of a page's script is noted."""
        context = self._browser.new_context(**{**self._devices[device], **settings})
        self._stack.callback(context.close)
        context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        return context

    def open(self, path: str = "/", device: str = "Pixel 7", **settings: Any) -> Page:
        """Open a page on another phone."""
        page = self.context(device, **settings).new_page()
        page.goto(self.address + path)
        return page

    def join(self, name: str, device: str = "Pixel 7", language: str = "en") -> Page:
        """Let somebody sit down with a phone."""
        page = self.open(f"/?language={language}", device)
        page.fill("#name", name)
        page.click("form.paper button")
        page.wait_for_selector(".own")
        return page

    def fill_up(self, players: int) -> None:
        """Let others sit down whose phones do not matter."""
        seating = self.box.evening.seating
        for seat in range(len(seating.players), players):
            self.box.do(commands.TakeSeat(NAMES[seat], f"elsewhere {seat}"))

    def make_host(self, page: Page) -> None:
        """Let the phone of a page become the host's."""
        answer = page.evaluate(
            "fetch('/me/host', {method: 'POST', headers: {'X-Companion': '1'}}).then(answer => answer.status)"
        )
        assert answer == 200, answer
        self.box.grant()

    def deal(self) -> None:
        """Deal the roles."""
        assert self.box.push("ja", held=False).result().ok

    def play(self) -> None:
        """Go through deal and night to the first election."""
        self.deal()
        for _ in range(3):
            assert self.box.push("ja", held=True).result().ok


class Finger:
    """One finger on a touch screen."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._y = 0.0

    def down(self, selector: str) -> None:
        """Put it on something, and leave it there."""
        target = self._page.locator(selector).first
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None
        point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        self._y = point["y"]
        self._send("touchStart", [point])

    def slide(self, selector: str) -> None:
        """Slide it onto something, in some steps."""
        box = self._page.locator(selector).first.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for step in range(1, 9):
            self._send("touchMove", [{"x": x, "y": self._y + (y - self._y) * step / 8}])
        self._y = y

    def up(self) -> None:
        """Lift it."""
        self._send("touchEnd", [])

    def cancel(self) -> None:
        """Let the system take the touch away, as for a call that comes in."""
        self._send("touchCancel", [])

    def _send(self, kind: str, points: list[dict[str, float]]) -> None:
        self._devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def photograph(page: Page, name: str) -> None:
    """Check that a page fits phones of three sizes without zoom, and keep pictures where they are wanted."""
    folder = screenshot_folder()
    before = page.viewport_size
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=folder / f"{name}-{width}.png", full_page=True)
    if before is not None:
        page.set_viewport_size(before)
