"""Whoever was there keeps the evening: the story of a game as a picture among the photos of a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.people import NAMES, photograph

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.people import Evening


@pytest.mark.parametrize("device", ["Pixel 7", "iPhone 13"])
def test_the_story_of_a_game_is_saved_as_a_picture(evening: Evening, device: str, tmp_path: Path) -> None:
    """PNG made on the phone, of the size and the colours of the drawing; SVG as it came."""
    evening.fill_up(4)
    page = evening.join(NAMES[4], device)
    evening.play()
    for _ in range(5):
        for button in ("ja", "liberal"):
            assert evening.box.push(button).result().ok
    page.wait_for_selector("#story")
    page.click("#story summary")
    photograph(page, "story")
    with page.expect_download() as saved:
        page.click("#story [data-png]")
    assert saved.value.suggested_filename == "secret-hitler.png"
    png = tmp_path / "story.png"
    saved.value.save_as(png)
    content = png.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") == 2400
    assert len(content) > 30_000
    with page.expect_download() as drawn:
        page.click("#story a:not([data-png])")
    assert drawn.value.suggested_filename == "secret-hitler.svg"
    assert evening.faults == []
