"""What a page weighs: the bytes of its answers on the wire, and how many there are."""

from __future__ import annotations

import http.client
import re
from typing import TYPE_CHECKING

from companion.box.app import Companion
from companion.settings import Settings
from hardware.web import WebPanel
from tests.bench.figures import Figures, Row
from tests.bench.phones import join
from tests.support_sound import GongSpeaker

if TYPE_CHECKING:
    from pathlib import Path


def measure(folder: Path) -> list[Row]:
    """Load the pages as a phone does that has never been here."""
    settings = Settings(
        state_dir=folder / "weight", cache_dir=folder / "cache", host="127.0.0.1", port=0, voice="silent"
    )
    box = Companion(settings, speaker=GongSpeaker(), panel=WebPanel())
    try:
        box.open()
        box.learn()
        cookie = join(box.port, 1)
        pages = {"join": ("the page to join", "/", ""), "own": ("a player's page", "/", cookie)}
        pages["table"] = ("the table's page", "/table", "")
        return [_weighed(name, kind, box.port, path, cookie) for kind, (name, path, cookie) in pages.items()]
    finally:
        box.close()


def _weighed(name: str, kind: str, port: int, path: str, cookie: str) -> Row:
    kept: dict[str, int] = {}
    page, kept[path] = _fetched(port, path, cookie)
    for asset in re.findall(rb'(?:src|href)="(/static/[^"]+)"', page):
        kept[asset.decode()] = _fetched(port, asset.decode(), cookie)[1]
    assert f'data-page="{kind}"'.encode() in page, page
    parts = ", ".join(f"{each} {size:,}" for each, size in kept.items())
    return Row("pages", name, Figures((sum(kept.values()) / 1000,), f"{len(kept)} requests: {parts} bytes", "kB"))


def _fetched(port: int, path: str, cookie: str) -> tuple[bytes, int]:
    """Return an answer's body, and the bytes of the whole answer as they were sent."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    line.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": "gzip"})
    answer = line.getresponse()
    assert answer.status == http.HTTPStatus.OK, (path, answer.status)
    body = answer.read()
    head = sum(len(f"{name}: {value}\r\n".encode()) for name, value in answer.getheaders())
    line.close()
    return body, len(f"HTTP/1.1 {answer.status} {answer.reason}\r\n\r\n") + head + len(body)
