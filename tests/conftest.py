"""Options that the long tests take, and the browser that tests of pages and drawings share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Playwright


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=200, help="how many times the kill test kills a playing box")
    parser.addoption("--monkeys", type=int, default=5_000, help="how many random presses the monkeys make")
    parser.addoption("--debian", default="", help="the Debian that is made in a folder to install in, such as trixie")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright, where it is installed."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Debian's Chromium, told that the box's address is here."""
    executable = chromium.executable()
    if executable is None:
        pytest.skip("no Chromium here: apt-get install --no-install-recommends chromium fonts-dejavu")
    browser = playwright.chromium.launch(executable_path=executable, args=chromium.ARGUMENTS)
    yield browser
    browser.close()
