"""Browsers of other makers, from Debian's packages: WebKit, as iPhones have it, and Firefox."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import websocket
from selenium import webdriver
from selenium.common.exceptions import NoSuchFrameException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from urllib3.exceptions import HTTPError

if TYPE_CHECKING:
    from collections.abc import Iterator

_START_SECONDS = 60
_ANSWER_SECONDS = 8
_LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Engine(Protocol):
    """A browser with one window."""

    def open(self, address: str) -> None:
        """Go to a page; who opens it waits for what is on it."""

    def run(self, script: str) -> Any:
        """Run the body of a function in the page, and return what it returns."""

    def press(self, selector: str) -> None:
        """Put a finger down on an element, and leave it there."""

    def release(self) -> None:
        """Lift it."""

    def back(self) -> None:
        """Press Back."""


class WebKit:
    """WebKitGTK by its own driver."""

    def __init__(self, driver: webdriver.WebKitGTK) -> None:
        self._driver = driver
        # The driver never answers a script that was asked for in the moment in which its page was left.
        driver.command_executor._client_config.timeout = _ANSWER_SECONDS

    def open(self, address: str) -> None:
        self._driver.get(address)

    def run(self, script: str) -> Any:
        try:
            return self._driver.execute_script(script)
        except HTTPError as error:
            raise NoSuchFrameException("the page was being left") from error

    def press(self, selector: str) -> None:
        element = self._driver.find_element(By.CSS_SELECTOR, selector)
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        ActionChains(self._driver, duration=50).click_and_hold(element).perform()

    def release(self) -> None:
        ActionChains(self._driver, duration=50).release().perform()

    def back(self) -> None:
        self._driver.back()


class Firefox:
    """Firefox by WebDriver BiDi, which it speaks without a driver."""

    def __init__(self, line: websocket.WebSocket) -> None:
        self._line = line
        self._asked = 0
        self._ask("session.new", capabilities={})
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address: str) -> None:
        self._ask("browsingContext.navigate", context=self._context, url=address, wait="interactive")

    def run(self, script: str) -> Any:
        told = self._ask(
            "script.evaluate",
            expression=f"JSON.stringify((function () {{ {script} }})() ?? null)",
            target={"context": self._context},
            awaitPromise=True,
        )
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    def press(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        x, y = self.run(
            f"const area = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            "return [Math.round(area.x + area.width / 2), Math.round(area.y + area.height / 2)];"
        )
        self._point({"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0})

    def release(self) -> None:
        self._point({"type": "pointerUp", "button": 0})

    def back(self) -> None:
        self._ask("browsingContext.traverseHistory", context=self._context, delta=-1)

    def _point(self, *actions: dict[str, object]) -> None:
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": list(actions)}
        self._ask("input.performActions", context=self._context, actions=[finger])

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._asked += 1
        self._line.send(json.dumps({"id": self._asked, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._line.recv())
            if told.get("id") == self._asked:
                assert told["type"] == "success", told
                return told["result"]


def webkit_programs() -> tuple[str, str, str] | None:
    """Return where WebKit's driver, its browser and a screen in memory are; None where one is missing."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    browsers = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    return (driver, str(browsers[-1]), screen) if driver and browsers and screen else None


def firefox_program() -> str | None:
    """Return where Firefox is, or None."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


@contextlib.contextmanager
def webkit() -> Iterator[Engine]:
    """Start WebKit with a profile of its own, on a screen in memory."""
    programs = webkit_programs()
    assert programs is not None
    driver_path, browser, screen = programs
    with contextlib.ExitStack() as stack:
        display = stack.enter_context(_screen(screen))
        options = Options()
        options.binary_location = browser
        options.add_argument("--automation")
        # The tests wait for what they want to see: some pages are never there as a whole.
        options.page_load_strategy = "none"
        # The tests run as root in a container, where WebKit's own sandbox cannot be had.
        environment = {**os.environ, "DISPLAY": display, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        driver = webdriver.WebKitGTK(options=options, service=Service(executable_path=driver_path, env=environment))
        stack.callback(driver.quit)
        yield WebKit(driver)


@contextlib.contextmanager
def _screen(program: str) -> Iterator[str]:
    """Start a screen in memory, and yield its name."""
    reading, writing = os.pipe()
    with subprocess.Popen(
        [program, "-displayfd", str(writing), "-screen", "0", "800x1000x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    ) as xvfb:
        try:
            os.close(writing)
            with os.fdopen(reading) as told:
                yield f":{told.readline().strip()}"
        finally:
            xvfb.terminate()


@contextlib.contextmanager
def firefox(profile: Path) -> Iterator[Engine]:
    """Start Firefox with a profile of its own."""
    program = firefox_program()
    assert program is not None
    command = [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    log = profile / "log"
    with (
        log.open("w") as written,
        subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=written, env={**os.environ, "HOME": str(profile)}
        ) as browser,
    ):
        try:
            until = time.monotonic() + _START_SECONDS
            while not (listens := _LISTENS.search(log.read_text(errors="replace"))):
                assert browser.poll() is None, "Firefox did not start"
                assert time.monotonic() < until, "Firefox did not listen"
                time.sleep(0.1)
            with contextlib.closing(
                websocket.create_connection(f"{listens[1]}/session", timeout=60, suppress_origin=True)
            ) as line:
                yield Firefox(line)
        finally:
            browser.terminate()
