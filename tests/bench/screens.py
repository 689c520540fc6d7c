"""From a press to what is seen on the screen of a phone, in a real Chromium, beside a bare page that shows a number."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING

from flask import Flask, Response
from waitress.server import create_server

from companion.box.app import Companion
from companion.game import commands
from companion.settings import Settings
from hardware.panel import Button, ButtonEvent, Gesture
from hardware.web import WebPanel
from tests.bench.figures import Figures, Row
from tests.bench.phones import PHONES, SEATS, join
from tests.bench.presses import to_the_first_election
from tests.bench.streams import Counter
from tests.browser import chromium
from tests.support_sound import GongSpeaker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

_WATCH = """() => { window.changes = [];
new MutationObserver(() => window.changes.push(Date.now()))
.observe(document.body, {childList: true, characterData: true, subtree: true}); }"""

_BARE_PAGE = """<!doctype html><title>bare</title><body><p id="number"></p><script>
new EventSource('/api/events').onmessage = event => { document.getElementById('number').textContent = event.data; };
</script>"""

_REST_SECONDS = 0.7
"""Until the next press: every page has been drawn anew by then."""


def is_driven() -> bool:
    """Whether Playwright is installed."""
    return find_spec("playwright") is not None


def measure(folder: Path, *, presses: int, phones: int = PHONES) -> list[Row]:
    """Let so many presses be seen on every screen; nothing where there is no Chromium, or nobody to drive it."""
    executable = chromium.executable()
    if executable is None or not is_driven():
        return []
    # Only here: whoever has no browser measures the rest.
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=chromium.ARGUMENTS)
        try:
            bare, _ = _on_a_bare_page(browser, presses, phones)
            box, whole = _of_the_box(folder / "screens", browser, presses, phones)
        finally:
            browser.close()
    return [
        Row("screens", f"press to the words on {phones} screens", box, bare),
        Row("screens", f"press to the last change on {phones} screens", whole, bare),
    ]


def _of_the_box(folder: Path, browser: Browser, presses: int, phones: int) -> tuple[Figures, Figures]:
    settings = Settings(state_dir=folder, cache_dir=folder / "cache", host="127.0.0.1", port=0, voice="silent")
    box = Companion(settings, speaker=GongSpeaker(), panel=WebPanel())
    with ExitStack() as parts:
        parts.callback(box.close)
        box.open()
        box.learn()
        pages = []
        for number in range(phones):
            context = browser.new_context()
            parts.callback(context.close)
            if number < SEATS:
                name, _, value = join(box.port, number).partition("=")
                context.add_cookies([{"name": name, "value": value, "url": f"http://{chromium.ADDRESS}:{box.port}"}])
            pages.append(context.new_page())
        to_the_first_election(box)
        for number, page in enumerate(pages):
            page.goto(f"http://{chromium.ADDRESS}:{box.port}/{'' if number < SEATS else 'table'}")

        def undo() -> None:
            box.submit(commands.TakeBack()).result(5)

        return _seen(pages, presses, lambda: box.press(ButtonEvent(Button.LIBERAL, Gesture.PRESS)).result(5), undo)


def _on_a_bare_page(browser: Browser, presses: int, phones: int) -> tuple[Figures, Figures]:
    app, counter = Flask(__name__), Counter()
    app.add_url_rule("/", "page", lambda: _BARE_PAGE)
    app.add_url_rule("/api/events", view_func=lambda: Response(counter.numbers(), mimetype="text/event-stream"))
    server = create_server(app, host="127.0.0.1", port=0, threads=phones + 8, asyncore_use_poll=True)
    # Its streams wait for ever: the thread ends with the benchmark.
    threading.Thread(target=server.run, daemon=True).start()
    with ExitStack() as parts:
        pages = []
        for _ in range(phones):
            context = browser.new_context()
            parts.callback(context.close)
            pages.append(context.new_page())
            pages[-1].goto(f"http://{chromium.ADDRESS}:{server.effective_port}/")
        return _seen(pages, presses, counter.count, lambda: None)


def _seen(
    pages: list[Page], presses: int, press: Callable[[], object], undo: Callable[[], object]
) -> tuple[Figures, Figures]:
    """Return how long after each press each page changed for the first and the last time, by the system's clock."""
    first, last = [], []
    for page in pages:
        page.evaluate(_WATCH)
    for _ in range(presses):
        time.sleep(_REST_SECONDS)
        for page in pages:
            page.evaluate("window.changes.length = 0")
        began = time.time() * 1000
        press()
        time.sleep(_REST_SECONDS)
        for page in pages:
            changes = page.evaluate("window.changes")
            first += [change - began for change in changes[:1]]
            last += [change - began for change in changes[-1:]]
        undo()
    seen = f"{len(first)} of {presses * len(pages)} screens had changed before the next press"
    return Figures(tuple(first), seen), Figures(tuple(last))
