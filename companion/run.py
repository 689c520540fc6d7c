"""`companion run`: starts a box, tells the terminal where it is, and ends it in order."""

from __future__ import annotations

import logging
import signal
import sys
from typing import TYPE_CHECKING

import qrcode
from qrcode.constants import ERROR_CORRECT_M

from companion.app import Companion
from companion.journal import JournalBusy
from companion.phones.server import CannotServeError
from hardware.panel import PanelError

if TYPE_CHECKING:
    from types import FrameType

    from companion.settings import Settings

logger = logging.getLogger(__name__)


def run(settings: Settings) -> int:
    """Run a box until it is ended, and return the exit code: 1 when it could not start, 2 for wrong settings."""
    try:
        companion = Companion(settings)
    except PanelError as error:
        print(error, file=sys.stderr)
        return 2
    except (JournalBusy, CannotServeError) as error:
        print(error, file=sys.stderr)
        return 1

    def end(_signal: int, _frame: FrameType | None) -> None:
        companion.end()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    try:
        companion.start()
        _greet(companion)
        companion.wait()
    finally:
        companion.close()
    return 0


def _greet(companion: Companion) -> None:
    """Print where the box is found: the ready line for programs, the code for phones, and what people should know."""
    address = companion.join_address()
    for note in companion.notes:
        print(note)
    print(f"ready {address or companion.local_address}", flush=True)
    if address is None:
        print("No network was found, so phones cannot join. The pages work on this machine.", flush=True)
        return
    _print_code(address)
    if companion.panel_picture() is not None:
        print(f"The panel: {companion.local_address}panel   The table: {companion.local_address}table", flush=True)


def _print_code(address: str) -> None:
    """Print the join code in half blocks. A terminal that cannot show them gets the address alone."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=2)
    # In capitals the code is smaller and reads better in dim light; hosts and schemes do not mind.
    code.add_data(address.upper())
    try:
        "█▀▄".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return
    code.print_ascii(out=sys.stdout, invert=sys.stdout.isatty())
    sys.stdout.flush()
