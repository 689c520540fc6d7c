import codecs
import os
import re
import select
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.blinking import Blinker
from hardware.keyboard import KEYS, KeyboardPanel
from hardware.panel import Button, ButtonEvent, Gesture, Light, Lights, PanelError
from hardware.picture import ASCII, UNICODE, WIDTH, Picture

termios = pytest.importorskip("termios", reason="a pseudo-terminal needs POSIX")

from hardware.terminal import Letters, open_keys  # noqa: E402 - after the check for POSIX

NOTHING_LIT = Blinker().lit(0.0)


class Terminal:
    """Both ends of a pseudo-terminal, and a panel at one of them."""

    def __init__(self, screen):
        self.screen = screen
        self.quits = []
        self.far, near = os.openpty()
        self.stdin = os.fdopen(near, "r")
        self.stdout = None
        self.before = termios.tcgetattr(near)
        self.raw = b""
        self._decode = codecs.getincrementaldecoder("utf-8")().decode

    def open(self, encoding="utf-8", **environment):
        """A panel at the near end."""
        if self.stdout:
            self.stdout.close()
        self.stdout = os.fdopen(os.dup(self.stdin.fileno()), "w", encoding=encoding)
        return KeyboardPanel(
            lambda: self.quits.append("quit"), stdin=self.stdin, stdout=self.stdout, environment=environment
        )

    def type(self, keys):
        """Keys from the far end."""
        os.write(self.far, keys if isinstance(keys, bytes) else keys.encode())

    def text(self):
        """What the screen shows now."""
        while select.select([self.far], [], [], 0)[0]:
            sent = os.read(self.far, 65536)
            self.raw += sent
            self.screen.feed(self._decode(sent))
        return self.screen.text

    def hang_up(self):
        """The far end goes away, as when ssh breaks."""
        os.close(self.far)
        self.far = None

    def close(self):
        """Both ends away."""
        self.stdin.close()
        if self.stdout:
            self.stdout.close()
        if self.far is not None:
            os.close(self.far)


@pytest.fixture
def terminal(screen):
    made = Terminal(screen)
    yield made
    made.close()


@pytest.fixture
def panel(terminal):
    made = terminal.open()
    yield made
    made.close()


def heard_by(panel):
    events = []
    panel.listen(events.append)
    return events


def test_every_button_has_a_key_of_its_own():
    """Its first letter: l f j n r u."""
    assert "".join(KEYS) == "lfjnru"
    assert list(KEYS.values()) == list(Button)


def test_a_capital_holds(panel, terminal, eventually):
    """Small letters press, capitals hold."""
    events = heard_by(panel)
    terminal.type("jJ")
    eventually(lambda: len(events) == 2)
    assert events == [ButtonEvent(Button.JA, Gesture.PRESS), ButtonEvent(Button.JA, Gesture.HOLD)]


def test_keys_work_on_a_russian_keyboard(panel, terminal, eventually):
    """The letters on the same keys mean the same buttons."""
    events = heard_by(panel)
    terminal.type("даоткгГ")
    eventually(lambda: len(events) == 7)
    assert [event.button for event in events] == [*Button, Button.UNDO]
    assert events[-1].gesture is Gesture.HOLD


def test_arrow_keys_press_nothing(panel, terminal, eventually):
    """The letters inside the sequences of arrow, function and Home keys are no buttons."""
    events = heard_by(panel)
    terminal.type("\x1b[D\x1b[F\x1bOR\x1b[15~\x1b[1;5Fx l")
    eventually(lambda: events)
    assert events == [ButtonEvent(Button.LIBERAL, Gesture.PRESS)]


def test_escape_alone_does_not_swallow_the_next_key(panel, terminal, eventually):
    """Somebody who hits Esc and then a key has pressed that key."""
    events = heard_by(panel)
    terminal.type("\x1b")
    time.sleep(0.2)  # Longer than the rest of an arrow key may take.
    terminal.type("n")
    eventually(lambda: events == [ButtonEvent(Button.NEIN, Gesture.PRESS)])


@given(st.lists(st.sampled_from(["l", "\x1b[A", "\x1bOP", "\x1b[3~", "\x1b[1;5F", "ж"]), max_size=20), st.data())
def test_letters_are_found_however_the_line_cuts_them(keys, data):
    """A slow line may cut a sequence, or a letter of two bytes, anywhere."""
    sent = "".join(keys).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=10)))
    letters = Letters()
    found = "".join(letters.feed(sent[start:end]) for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True))
    assert found == "".join(key for key in keys if key in "lж")


def test_q_quits(panel, terminal, eventually):
    """The box is told, and decides itself when to close the panel."""
    terminal.type("q")
    eventually(lambda: terminal.quits == ["quit"])
    assert not panel.troubles


def test_a_terminal_that_goes_away_quits(panel, terminal, eventually):
    """A broken ssh session ends the panel as `q` does, once."""
    eventually(lambda: "LIBERAL" in terminal.text())
    terminal.hang_up()
    eventually(lambda: terminal.quits)
    panel.close()
    assert terminal.quits == ["quit"]


def test_the_terminal_is_given_back_as_it_was(terminal, eventually):
    """Echo, line mode, cursor and wrapping are as before."""
    panel = terminal.open()
    eventually(lambda: "LIBERAL" in terminal.text())
    assert not termios.tcgetattr(terminal.stdin)[3] & (termios.ECHO | termios.ICANON)
    assert not terminal.screen.cursor_visible
    panel.close()
    terminal.text()
    assert termios.tcgetattr(terminal.stdin) == terminal.before
    assert terminal.screen.cursor_visible
    assert terminal.screen.wraps


def test_a_terminal_that_takes_no_more_output_blocks_nobody(terminal, eventually):
    """Ctrl-S, or a line gone dead: showing and closing still return."""
    panel = terminal.open()
    started = time.monotonic()
    # Nobody reads at the far end: the terminal fills up.
    for number in range(3000):
        panel.notice(f"line {number} " + "x" * 60)
        panel.show(Lights(status=Light.ON if number % 2 else Light.OFF))
    panel.close()
    assert time.monotonic() - started < 5
    # Once somebody reads again, the panel takes its leave.
    eventually(lambda: terminal.text() and "panel-keyboard" not in [thread.name for thread in threading.enumerate()])


def test_the_caption_is_shown_and_replaced(panel, terminal, eventually):
    """The last caption stands, the one before has gone."""
    panel.caption("Everybody close your eyes.")
    eventually(lambda: "Everybody close your eyes." in terminal.text())
    panel.caption("Open your eyes.")
    eventually(lambda: "Open your eyes." in terminal.text())
    assert "close" not in terminal.text()


def test_a_notice_passes_above_the_picture(panel, terminal, eventually):
    """It stays readable, and the picture stays whole and single under it."""
    eventually(lambda: "LIBERAL" in terminal.text())
    panel.notice("the voice has gone\nand come back")
    # The picture follows its notice in a write of its own.
    eventually(lambda: terminal.text() and len(terminal.screen.lines) == 2 + len(Picture().draw(NOTHING_LIT, "")) + 1)
    assert terminal.screen.lines[:2] == ["the voice has gone", "and come back"]
    assert terminal.screen.text.count("LIBERAL") == 1


def test_a_light_blinks_by_itself(panel, terminal, eventually):
    """Shown once, it goes dark and comes back."""
    panel.show(Lights(status=Light.FAST))
    eventually(lambda: "●" in terminal.text())
    eventually(lambda: "●" not in terminal.text())
    eventually(lambda: "●" in terminal.text())


def test_the_picture_is_not_drawn_again_for_nothing(panel, terminal, eventually):
    """Being told the same lights sends nothing over the line."""
    lights = Lights(status=Light.ON)
    panel.show(lights)
    eventually(lambda: "●" in terminal.text())
    sent = len(terminal.raw)
    for _ in range(50):
        panel.show(lights)
    panel.caption("ready")
    eventually(lambda: "ready" in terminal.text())
    assert len(terminal.raw) - sent < 100


def test_colours_are_left_out_where_nobody_wants_them(terminal, eventually):
    """With NO_COLOR set no colour is sent; without it there is."""
    panel = terminal.open(NO_COLOR="1")
    eventually(lambda: "LIBERAL" in terminal.text())
    panel.close()
    assert not re.search(rb"\x1b\[[0-9;]*m", terminal.raw)
    coloured = terminal.open()
    coloured.close()
    terminal.text()
    assert re.search(rb"\x1b\[[0-9;]*m", terminal.raw)


def test_a_terminal_without_unicode_gets_plain_letters(terminal, eventually):
    """Only ASCII is sent, also for a caption in Russian."""
    panel = terminal.open(encoding="ascii", NO_COLOR="1")
    panel.caption("Закройте глаза")
    panel.show(Lights(liberal=(Light.ON,) * 5))
    eventually(lambda: "######" in terminal.text() and "????????" in terminal.screen.text)
    panel.close()
    assert terminal.raw.isascii()


def test_a_pipe_is_no_terminal(tmp_path, terminal):
    """Both ends must be terminals that can move their cursor; the sentence says which is none."""
    with (tmp_path / "file").open("w+") as file:
        with pytest.raises(PanelError, match="standard input is none"):
            KeyboardPanel(lambda: None, stdin=file, stdout=terminal.stdin, environment={})
        with pytest.raises(PanelError, match="standard output is none"):
            KeyboardPanel(lambda: None, stdin=terminal.stdin, stdout=file, environment={})
    with pytest.raises(PanelError, match="standard output is none"):
        terminal.open(TERM="dumb")
    assert termios.tcgetattr(terminal.stdin) == terminal.before


def test_waking_interrupts_a_wait_for_keys(terminal):
    """A read that waits for ever returns when woken from another thread."""
    keys = open_keys(terminal.stdin)
    timer = threading.Timer(0.01, keys.wake)
    timer.start()
    assert keys.read(None) == ""
    timer.join()
    keys.close()
    keys.close()
    keys.wake()


@pytest.mark.parametrize("strokes", [UNICODE, ASCII])
@given(st.text(max_size=400))
def test_the_picture_always_fits(strokes, caption):
    """Whatever is said, as many lines as ever, none wider than 80 columns, and nothing that moves the cursor."""
    lines = Picture(strokes, colour=False).draw(NOTHING_LIT, caption)
    assert len(lines) == len(Picture().draw(NOTHING_LIT, ""))
    assert max(map(len, lines)) <= WIDTH
    assert all(line.isprintable() for line in lines)


def test_lit_and_dark_differ_without_colour():
    """Whoever sees no colours still sees which lights are on."""
    for strokes in (UNICODE, ASCII):
        dark = Picture(strokes, colour=False).draw(NOTHING_LIT, "")
        for row, lights in NOTHING_LIT.items():
            for place in range(len(lights)):
                one = {**NOTHING_LIT, row: tuple(other == place for other in range(len(lights)))}
                assert Picture(strokes, colour=False).draw(one, "") != dark


def test_the_legend_names_every_button():
    """A new player finds the keys on the screen."""
    legend = "\n".join(Picture(colour=False).draw(NOTHING_LIT, "")[-4:])
    for key, button in KEYS.items():
        assert f"{key} {button.value}" in legend
    for hint in ("capital: hold", "+ louder", "- softer", "q quit"):
        assert hint in legend
