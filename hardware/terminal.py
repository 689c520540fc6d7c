"""Single keys from a terminal, without waiting for Enter; also over ssh."""

from __future__ import annotations

import codecs
import os
import select
import termios
import tty
from contextlib import suppress
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import TextIO

_ESCAPE_PATIENCE_SECONDS = 0.05
"""How long the rest of an arrow key may take over a slow line, before Esc was Esc."""


class Keys(Protocol):
    """Where keys come from. While it is open, nothing typed is echoed."""

    def read(self, timeout_seconds: float | None) -> str:
        """The letters typed since last asked, arrow and function keys left out.

        Args:
            timeout_seconds: how long to wait for the first; None until there is one or `wake` is called.

        Raises:
            EOFError: the terminal has gone.
        """

    def wake(self) -> None:
        """Make a waiting `read` return, from any thread."""

    def close(self) -> None:
        """Give the terminal back as it was. A second time does nothing."""


class _Escape(Enum):
    NONE = auto()
    BEGUN = auto()
    IN_SEQUENCE = auto()
    ONE_MORE = auto()


class Letters:
    """Picks letters out of what a terminal sends; the letters inside the sequence of an arrow key are none."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="ignore").decode
        self._escape = _Escape.NONE

    @property
    def waiting(self) -> bool:
        """Whether a sequence has begun and its end is still to come."""
        return self._escape is not _Escape.NONE

    def feed(self, sent: bytes) -> str:
        """The letters in what was sent."""
        return "".join(letter for letter in self._decode(sent) if self._is_typed(letter))

    def give_up(self) -> None:
        """Nothing more came: Esc was pressed alone."""
        self._escape = _Escape.NONE

    def _is_typed(self, letter: str) -> bool:
        before = self._escape
        if letter == "\x1b":
            self._escape = _Escape.BEGUN
        elif before is _Escape.BEGUN:
            self._escape = {"[": _Escape.IN_SEQUENCE, "O": _Escape.ONE_MORE}.get(letter, _Escape.NONE)
        elif before is _Escape.ONE_MORE or "@" <= letter <= "~":
            # A sequence ends with a letter; before it come digits and semicolons.
            self._escape = _Escape.NONE
        return before is _Escape.NONE and letter.isprintable()


class TerminalKeys:
    """Keys from a POSIX terminal. Ctrl-C still interrupts."""

    def __init__(self, stdin: TextIO) -> None:
        self._terminal = stdin.fileno()
        self._as_it_was = termios.tcgetattr(self._terminal)
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)
        self._letters = Letters()
        self._closed = False
        tty.setcbreak(self._terminal)

    def read(self, timeout_seconds: float | None) -> str:
        """The letters typed since last asked; see `Keys`."""
        if self._letters.waiting:
            timeout_seconds = min(_ESCAPE_PATIENCE_SECONDS, timeout_seconds or _ESCAPE_PATIENCE_SECONDS)
        ready, _, _ = select.select([self._terminal, self._woken], [], [], timeout_seconds)
        if self._woken in ready:
            os.read(self._woken, 4096)
        if self._terminal not in ready:
            self._letters.give_up()
            return ""
        try:
            sent = os.read(self._terminal, 4096)
        except OSError as error:
            raise EOFError("the terminal has gone") from error
        if not sent:
            raise EOFError("the terminal has gone")
        return self._letters.feed(sent)

    def wake(self) -> None:
        """Make a waiting `read` return."""
        if not self._closed:
            # A full pipe wakes as well as one more byte would.
            with suppress(BlockingIOError):
                os.write(self._waker, b"!")

    def close(self) -> None:
        """Give the terminal back as it was."""
        if self._closed:
            return
        self._closed = True
        try:
            # At once: a terminal that takes no more output would never drain.
            termios.tcsetattr(self._terminal, termios.TCSANOW, self._as_it_was)
        except termios.error:
            pass  # The terminal has gone, and its settings with it.
        finally:
            os.close(self._woken)
            os.close(self._waker)


def open_keys(stdin: TextIO) -> Keys:
    """Keys from this terminal."""
    return TerminalKeys(stdin)


def put(stdout: TextIO, text: str) -> None:
    """Send text to this terminal at once; a letter that it has none for becomes a question mark.

    Past the buffer of `stdout`: a terminal stopped with Ctrl-S would keep its lock, and Python cannot end then.
    """
    rest = text.encode(stdout.encoding or "ascii", "replace")
    while rest:
        rest = rest[os.write(stdout.fileno(), rest) :]
