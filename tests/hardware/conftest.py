import re
import time

import pytest


class FakeClock:
    """Seconds that go on when told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        """The time, in seconds."""
        return self.now

    def go(self, seconds):
        """Let seconds pass."""
        self.now += seconds


class Screen:
    """What a terminal shows after the few sequences that the keyboard panel sends. Colours are thrown away."""

    _SENT = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])|\r?\n|\r|[^\x1b\r\n]+")

    def __init__(self):
        self.lines = [""]
        self.row = 0
        self.cursor_visible = True
        self.wraps = True
        self._column = 0

    def feed(self, text):
        """Show what was sent."""
        for sent in self._SENT.finditer(text):
            private, number, action = sent.groups()
            if sent[0] in ("\n", "\r\n"):
                self.row, self._column = self.row + 1, 0
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif sent[0] == "\r":
                self._column = 0
            elif action is None:
                line = self.lines[self.row]
                self.lines[self.row] = line[: self._column] + sent[0] + line[self._column + len(sent[0]) :]
                self._column += len(sent[0])
            elif action == "A":
                self.row -= int(number)
            elif action == "K":
                self.lines[self.row] = self.lines[self.row][: self._column]
            elif action == "J":
                self.lines[self.row :] = [""]
            elif private and number == "25":
                self.cursor_visible = action == "h"
            elif private and number == "7":
                self.wraps = action == "h"
            else:
                assert action == "m", f"the screen does not know {sent[0]!r}"

    @property
    def text(self):
        """Everything on the screen."""
        return "\n".join(self.lines)


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def screen():
    return Screen()


@pytest.fixture
def eventually():
    """Wait, at most twenty seconds, until a condition holds that another thread brings about."""

    def wait(condition):
        end = time.monotonic() + 20
        while not (held := condition()):
            assert time.monotonic() < end, "it never came to pass"
            time.sleep(0.001)
        return held

    return wait
