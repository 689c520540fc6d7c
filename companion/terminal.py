"""Standard output as it may be: closed, full, read by nobody, or without the letters of six languages."""

from __future__ import annotations

import contextlib
import io
import os
import sys


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


def drawn_code(text: str) -> list[str]:
    """Return a QR code in half blocks, a line each; nothing for a terminal that cannot show them."""
    if not can_show("█▀▄"):
        return []
    # Most of what is printed is no code, and this takes its time.
    import qrcode  # noqa: PLC0415
    from qrcode.constants import ERROR_CORRECT_M  # noqa: PLC0415

    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=2)
    code.add_data(text)
    drawn = io.StringIO()
    code.print_ascii(out=drawn, invert=is_terminal())
    return drawn.getvalue().splitlines()


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
