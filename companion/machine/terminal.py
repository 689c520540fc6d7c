"""Standard output as it may be: closed, full, read by nobody, or without the letters of six languages."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import textwrap

_QUIET_MODULES = 4
"""The light margin that a decoder may count on (ISO/IEC 18004)."""
_WHITE_ON_BLACK = "\x1b[38;5;231;48;5;16m"
"""By the numbers of colours that are the same in every theme; the first sixteen are each theme's own."""
_AS_BEFORE = "\x1b[0m"


def make_safe() -> None:
    """Let printing never fail for want of a letter, and no file of ours take the place of a closed stream.

    A program that is started with its output closed gives that number to the first file it opens, and whatever prints
    there writes into it; here that would be the journal.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is the one that is missing.
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole process
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def has_colours() -> bool:
    """Say whether the output takes colours: somebody looks at it, and neither `TERM` nor `NO_COLOR` says otherwise."""
    return is_terminal() and os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("NO_COLOR")


def can_show(text: str) -> bool:
    """Say whether the output has these letters."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def is_terminal() -> bool:
    """Say whether somebody looks at the output."""
    return sys.stdout.isatty()


def fitted(text: str, indent: int) -> str:
    """Return text wrapped between its words for whoever looks at the output; a pipe gets its lines as they are.

    Args:
        text: one line or more.
        indent: how far each line after the first of a wrapped one stands in, in columns.
    """
    if not is_terminal():
        return text
    columns = max(shutil.get_terminal_size().columns, 2 * indent)
    return "\n".join(
        textwrap.fill(line, columns, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )


def drawn_code(text: str, *, coloured: bool = False) -> list[str]:
    """Return a QR code in half blocks, a line each; nothing for a terminal that cannot show them.

    The blocks are what is light in the code. So it is dark on light, as phones want it, on the dark ground that most
    terminals have and that a log is read on.

    Args:
        text: what the code holds.
        coloured: whether it brings that ground along, for a terminal that has a light one; see `has_colours`.
    """
    if not can_show("█▀▄"):
        return []
    # Most of what is printed is no code, and this takes its time.
    import qrcode  # noqa: PLC0415
    from qrcode.constants import ERROR_CORRECT_M  # noqa: PLC0415

    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=_QUIET_MODULES)
    code.add_data(text)
    drawn = io.StringIO()
    code.print_ascii(out=drawn, invert=True)
    rows = drawn.getvalue().splitlines()
    return [f"{_WHITE_ON_BLACK}{row}{_AS_BEFORE}" for row in rows] if coloured else rows


def write(text: str) -> None:
    """Print a text, or let it be where nobody takes it: a box does not stop for want of a reader."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        let_go()


def let_go() -> None:
    """Give up on the output: whoever read it has left, or its disk is full."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
