from __future__ import annotations

import pytest

from companion.machine import terminal
from companion.machine.wifi import Hotspot
from tests.codes import DARK_THEME, LIGHT_THEME, on_terminal, read

TEXTS = ["http://192.168.178.123:8080/", Hotspot("Żółty; stół", "k7mp-wq3x-n9ra").code, "http://[fd00::1]:65535/"]


@pytest.fixture(autouse=True)
def a_terminal_with_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "can_show", lambda _: True)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("theme", [DARK_THEME, LIGHT_THEME])
def test_a_camera_reads_a_terminal_in_any_theme(text: str, theme: tuple[int, int]) -> None:
    """In colours of its own the code is dark on light with its quiet zone, whatever the terminal's are."""
    (code,) = read(on_terminal(terminal.drawn_code(text, coloured=True), theme))
    assert (code.text, code.dark, code.margin) == (text, 0, 255)


@pytest.mark.parametrize("text", TEXTS)
def test_a_camera_reads_a_log_on_a_dark_ground(text: str) -> None:
    """Without colours, as `journalctl` prints what a service said, the code has what letters are light by."""
    lines = terminal.drawn_code(text)
    assert "\x1b" not in "".join(lines)
    (code,) = read(on_terminal(lines, DARK_THEME))
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
