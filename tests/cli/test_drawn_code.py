from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from companion import terminal
from companion.wifi import Hotspot
from tests.codes import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.codes import Grey

POINTS = 6
"""How wide a square is; a terminal's letter is as wide, and twice as high."""
HALVES = {"█": (True, True), "▀": (True, False), "▄": (False, True), " ": (False, False), "\xa0": (False, False)}
"""Which halves of a letter are in the letter's colour."""
GREYS = {"231": 255, "16": 0}
"""Colours of a terminal by number, of those that no theme changes."""
DARK_THEME, LIGHT_THEME = (200, 20), (30, 250)
"""How light letters and ground are."""
TEXTS = ["HTTP://192.168.178.123:8080/", Hotspot("Żółty; stół", "k7mp-wq3x-n9ra").code, "HTTP://[FD00::1]:65535/"]


def shown(lines: Sequence[str], theme: tuple[int, int]) -> Grey:
    """Return what a terminal in its theme shows of lines, with empty ones around them."""
    rows: list[list[int]] = []
    for line in ("", "", *lines, "", ""):
        letter, ground = theme
        halves: tuple[list[int], list[int]] = ([], [])
        for colours, text in re.findall(r"\x1b\[([\d;]*)m|([^\x1b])", line):
            if text:
                for half, lit in zip(halves, HALVES[text], strict=True):
                    half.append(letter if lit else ground)
            elif colours == "0":
                letter, ground = theme
            else:
                letter, ground = (GREYS[number] for number in re.findall(r"[34]8;5;(\d+)", colours))
        rows += halves
    width = max(map(len, rows)) + 4
    squares = [[theme[1]] * 2 + row + [theme[1]] * (width - 2 - len(row)) for row in rows]
    return np.array(squares, np.uint8).repeat(POINTS, axis=0).repeat(POINTS, axis=1)


@pytest.fixture(autouse=True)
def a_terminal_with_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "can_show", lambda _: True)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("theme", [DARK_THEME, LIGHT_THEME])
def test_a_camera_reads_a_terminal_in_any_theme(text: str, theme: tuple[int, int]) -> None:
    """In colours of its own the code is dark on light with its quiet zone, whatever the terminal's are."""
    (code,) = read(shown(terminal.drawn_code(text, coloured=True), theme))
    assert (code.text, code.dark, code.margin) == (text, 0, 255)


@pytest.mark.parametrize("text", TEXTS)
def test_a_camera_reads_a_log_on_a_dark_ground(text: str) -> None:
    """Without colours, as `journalctl` prints what a service said, the code has what letters are light by."""
    lines = terminal.drawn_code(text)
    assert "\x1b" not in "".join(lines)
    (code,) = read(shown(lines, DARK_THEME))
    assert (code.text, code.dark, code.margin) == (text, DARK_THEME[1], DARK_THEME[0])


@pytest.mark.parametrize(
    ("environment", "looked_at", "has"),
    [
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "xterm-256color"}, False, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({}, True, False),
    ],
)
def test_colours_are_for_terminals_that_take_them(
    environment: dict[str, str], looked_at: bool, has: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that reads our lines instead of people gets a sign that it does not know."""
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(terminal, "is_terminal", lambda: looked_at)
    assert terminal.has_colours() is has
