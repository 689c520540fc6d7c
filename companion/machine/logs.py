"""The log of the box: a line a message, whatever a foreign request has put into it.

What phones and strangers send may get into a message. A line break there would forge a line, and an escape sequence
would work on the terminal of whoever reads.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_FOREIGN = ("waitress",)
"""Loggers of libraries that tell of what strangers do. Where in the library that was is of use to nobody."""


class OneLine(logging.Formatter):
    """Writes each message on one line, with control characters as escapes; tracebacks of our own faults follow it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        if record.name.partition(".")[0] in _FOREIGN and record.exc_info:
            record.exc_info = None
            record.exc_text = None
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return the line of a record, without its traceback."""
        return visible(super().formatMessage(record))

    def formatException(  # noqa: N802 - logging's own name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        """Return a traceback; its lines are ours, what an exception says in them may not be."""
        return "\n".join(map(visible, super().formatException(ei).split("\n")))


def visible(text: str) -> str:
    """Return a text with every control character as an escape."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def set_up(level: str) -> None:
    """Write the log to standard error from a level on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])


def write_to(notice: Callable[[str], None]) -> None:
    """Write the log through whoever draws on the terminal, message by message."""

    def write(record: logging.LogRecord) -> bool:
        notice(visible(record.getMessage()))
        return False

    for handler in logging.getLogger().handlers:
        handler.addFilter(write)
