"""The panel in a terminal: a picture of the lights, and a key for each button."""

from __future__ import annotations

import atexit
import os
import sys
import time
from dataclasses import replace
from threading import Lock, Thread, current_thread
from typing import TYPE_CHECKING

from hardware.blinking import Blinker
from hardware.delivery import Delivery
from hardware.gestures import whole_gesture
from hardware.panel import CHORDS, DARK, Button, PanelError
from hardware.picture import ASCII, UNICODE, Meanings, Picture
from hardware.terminal import open_keys, put

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

    from hardware.panel import ButtonEvent, Lights

KEYS: dict[str, Button] = {button.value[0]: button for button in Button}
"""The key of each button: its first letter. The capital holds it."""

CHORD_KEYS: dict[str, Button] = {
    "+": Button.LIBERAL,
    "=": Button.LIBERAL,
    "-": Button.FASCIST,
    "_": Button.FASCIST,
    "t": Button.JA,
    "y": Button.UNDO,
}
"""A terminal is not told what is kept down, so a chord has a key: the button beside `repeat`. The unshifted key of the
plus does the same."""

_SAME_KEYS = str.maketrans("даоткгйенДАОТКГЙЕН", "lfjnruqtyLFJNRUQTY")
"""What a keyboard that is set to Russian sends for the same keys."""

_FAREWELL_SECONDS = 1.0
"""How long closing waits for a terminal that takes no more output, as one stopped with Ctrl-S."""

_GONE = (EOFError, OSError, ValueError)
"""How a terminal is found to have gone: nothing to read, nowhere to write, or its file closed under us."""

_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
_CUT_LONG_LINES, _WRAP_LONG_LINES = "\x1b[?7l", "\x1b[?7h"
_TO_LINE_END, _TO_SCREEN_END = "\x1b[K", "\x1b[J"


class KeyboardPanel:
    """A `Panel` in a terminal.

    The picture stays in place, under whatever the terminal showed before. What else should appear goes through
    `notice`, which lets it pass above the picture.

    Args:
        on_quit: called, from the panel's thread, when somebody presses `q` or the terminal has gone.
        stdin: the terminal to read keys from; the process's own by default.
        stdout: the terminal to draw on; the process's own by default.
        environment: where `NO_COLOR` and `TERM` are looked up; the process's own by default.
        clock: seconds that never go back, for blinking.

    Raises:
        PanelError: there is no terminal to read from, or to draw on.
    """

    def __init__(
        self,
        on_quit: Callable[[], None],
        *,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        environment: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        stdin = stdin or sys.stdin
        self._out = stdout or sys.stdout
        if not stdin.isatty():
            raise PanelError("The keyboard panel needs a terminal to read keys from, and standard input is none.")
        if not self._out.isatty() or environment.get("TERM") == "dumb":
            raise PanelError("The keyboard panel needs a terminal to draw on, and standard output is none.")
        self._on_quit = on_quit
        self._clock = clock
        self._picture = Picture(
            strokes=UNICODE if (self._out.encoding or "").lower().startswith("utf") else ASCII,
            colour=not environment.get("NO_COLOR"),
        )
        self._deliver = Delivery()
        self._lock = Lock()
        self._blinker = Blinker()
        self._caption = ""
        self._meanings = Meanings()
        self._unknown = ""
        self._notices: list[str] = []
        self._drawn: list[str] = []
        self._closed = False
        self._keys = open_keys(stdin)
        # Whoever forgets to close us, or fails before, still gets a usable terminal back.
        atexit.register(self.close)
        self._thread = Thread(target=self._run, name="panel-keyboard", daemon=True)
        self._thread.start()

    @property
    def troubles(self) -> tuple[str, ...]:
        """Empty: a terminal that cannot be had is refused at the start."""
        return ()

    def listen(self, callback: Callable[[ButtonEvent], None]) -> None:
        """Report every gesture to `callback` from now on, from the panel's own thread."""
        self._deliver.to(callback)

    def show(self, lights: Lights) -> None:
        """Make the lights so."""
        with self._lock:
            if not self._closed:
                self._blinker.show(lights, self._clock())
                self._keys.wake()

    def caption(self, text: str) -> None:
        """Show what is being said, until something else is."""
        with self._lock:
            if not self._closed:
                self._caption = text
                self._keys.wake()

    def means(self, meanings: Meanings) -> None:
        """Show what the table does now, and what each key means."""
        with self._lock:
            if not self._closed:
                self._meanings = meanings
                self._keys.wake()

    def notice(self, text: str) -> None:
        """Let a line pass above the picture, as a log does; it scrolls away like anything else."""
        with self._lock:
            if not self._closed:
                self._notices.append(text)
                self._keys.wake()

    def close(self) -> None:
        """All lights off, the terminal as it was. The dark picture stays on the screen."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._deliver.close()
            self._blinker.show(DARK, self._clock())
            self._keys.wake()
        if self._thread is not current_thread():
            self._thread.join(_FAREWELL_SECONDS)
        atexit.unregister(self.close)

    def _run(self) -> None:
        try:
            put(self._out, _HIDE_CURSOR)
            while not self._closed:
                self._draw()
                for letter in self._keys.read(self._until_change()).translate(_SAME_KEYS):
                    self._press(letter)
        except _GONE:
            self._leave()
        finally:
            self._restore()

    def _restore(self) -> None:
        with self._lock:
            self._closed = True
            self._keys.close()
        try:
            self._draw()
            put(self._out, _SHOW_CURSOR)
        except _GONE:
            pass  # There is nothing left to restore.

    def _press(self, letter: str) -> None:
        self._unknown = ""
        if letter == "q":
            self._leave()
        elif chord := CHORD_KEYS.get(letter.lower()):
            self._deliver(whole_gesture(chord, held=False, beside=CHORDS[chord]))
        elif button := KEYS.get(letter.lower()):
            self._deliver(replace(whole_gesture(button, held=letter.isupper()), at_seconds=self._clock()))
        elif letter.isalnum():
            self._unknown = letter

    def _leave(self) -> None:
        if not self._closed:
            self._on_quit()

    def _until_change(self) -> float | None:
        with self._lock:
            return 0 if self._closed else self._blinker.until_change(self._clock())

    def _draw(self) -> None:
        """Bring the screen up to date, in one piece so that nothing flickers."""
        with self._lock:
            lines = self._picture.draw(self._blinker.lit(self._clock()), self._caption, self._meanings, self._unknown)
            notices, self._notices = self._notices, []
        if lines == self._drawn and not notices:
            return
        up = f"\x1b[{len(self._drawn)}A" if self._drawn else ""
        if notices:
            above = "".join(f"{_printable(line)}\n" for notice in notices for line in notice.splitlines())
            picture = f"\r{_TO_SCREEN_END}{above}" + "".join(f"{_cut(line)}\n" for line in lines)
        else:
            before = self._drawn or [""] * len(lines)
            picture = "".join(
                "\n" if line == old else f"{_cut(line)}{_TO_LINE_END}\n"
                for line, old in zip(lines, before, strict=True)
            )
        put(self._out, f"{up}{picture}")
        self._drawn = lines


def _cut(line: str) -> str:
    """A line that a narrow terminal cuts short; wrapped it would push the picture out of place."""
    return f"{_CUT_LONG_LINES}{line}{_WRAP_LONG_LINES}" if line else ""


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
