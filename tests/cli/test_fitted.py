"""Long lines on a terminal of 80 columns."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from companion.machine import terminal

if TYPE_CHECKING:
    import pytest

LINE = "ok       voice en          English: 5.6 s, by eSpeak NG 1.52.0 from its wheel, licence GPL-3.0-or-later"
REMEDY = " " * 27 + "-> plug in a USB sound card, or set dtparam=audio=on in /boot/firmware/config.txt and restart"


def test_a_terminal_gets_lines_that_fit_and_keep_their_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """No word is cut, and what goes on stands under what it belongs to."""
    monkeypatch.setattr(terminal, "is_terminal", lambda: True)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((80, 24)))
    lines = terminal.fitted(f"{LINE}\n{REMEDY}", 27).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[0].startswith("ok       voice en          English:")
    assert all(line.startswith(" " * 27) for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == " ".join(f"{LINE} {REMEDY}".split())


def test_a_pipe_gets_the_lines_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "is_terminal", lambda: False)
    assert terminal.fitted(f"{LINE}\n{REMEDY}", 27) == f"{LINE}\n{REMEDY}"
