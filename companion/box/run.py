"""`companion run`: starts a box, tells the terminal where it is, and ends it in order."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

from companion.box.boot import Boot
from companion.journal import JournalBusy
from companion.machine import logs, network, terminal
from companion.machine.network import CannotServeError
from companion.machine.systemd import supervisor
from hardware.panel import PanelError, PinsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from companion.box.app import Companion
    from companion.machine.network import Whereabouts
    from companion.settings import Settings

logger = logging.getLogger(__name__)

TOO_FEW_THREADS = "this system allows it too few threads (TasksMax of its service, or ulimit -u)"
_LONGEST_CLOSE_SECONDS = 1.7
"""The box has two seconds."""


def run(settings: Settings, guests: Callable[[Companion], None] | None = None) -> int:
    """Run a box until it is ended, and return the exit code: 1 when it could not start, 2 for wrong settings.

    Args:
        settings: of the box.
        guests: what plays with it, on a thread of its own, as soon as it speaks; None leaves it to people.
    """
    try:
        return _run(settings, guests)
    except RuntimeError as error:
        # Python's own word for a system that allows no more threads.
        if "thread" not in str(error):
            raise
        print(f"The box cannot start: {TOO_FEW_THREADS}.", file=sys.stderr)
        return 1


def _run(settings: Settings, guests: Callable[[Companion], None] | None) -> int:
    end = _End()
    try:
        boot = Boot(settings, supervisor=supervisor(os.environ))
        end.then(boot.ended.set)
        companion = _upon(boot, settings)
    except PanelError as error:
        print(error, file=sys.stderr)
        # At power-on the header may come a moment later; a service that ends with 1 is started again.
        return 1 if isinstance(error, PinsError) else 2
    except (JournalBusy, CannotServeError) as error:
        print(error, file=sys.stderr)
        return 1
    try:
        end.then(companion.end)
        if companion.notice is not None:
            logs.write_to(companion.notice)
        companion.open()
        if not end.asked:
            # Before the voice has learnt its lines, which takes a small computer minutes: presses count already.
            where = companion.addresses.look()
            _greet(companion, where, settings.host)
            coloured = _has_colours(companion)
            companion.addresses.tell(lambda found: _print(companion, _moved(found, coloured=coloured)), where.address)
        companion.learn()
        if guests is not None:
            threading.Thread(target=guests, args=(companion,), name="guests", daemon=True).start()
        companion.wait()
    finally:
        _close(companion)
    return 0


def _upon(boot: Boot, settings: Settings) -> Companion:
    """Make the rest of the box. Only now are its libraries read from the card: the table is lit already."""
    with contextlib.ExitStack() as on_error:
        on_error.callback(boot.close)
        from companion.box.app import Companion  # noqa: PLC0415

        companion = Companion(settings, boot=boot)
        on_error.pop_all()
        return companion


def _close(companion: Companion) -> None:
    """End a box in order; or, where something hangs, all the same and lights off. The journal is whole either way."""

    def leave() -> None:
        companion.darken()
        os._exit(0)

    deadline = threading.Timer(_LONGEST_CLOSE_SECONDS, leave)
    deadline.daemon = True
    deadline.start()
    try:
        companion.close()
    finally:
        deadline.cancel()


class _End:
    """SIGTERM and SIGINT, from the first moment: a box that is still being wired ends as soon as it can."""

    def __init__(self) -> None:
        self.asked = False
        self._then: Callable[[], None] = lambda: None
        signal.signal(signal.SIGTERM, self._ask)
        signal.signal(signal.SIGINT, self._ask)

    def then(self, act: Callable[[], None]) -> None:
        """Do something when the end is asked for, or at once when it was."""
        self._then = act
        if self.asked:
            act()

    def _ask(self, _signal: int, _frame: FrameType | None) -> None:
        self.asked = True
        # Not here: a handler runs in the middle of whatever the main thread does, and that may be to wait for the end,
        # with the very lock in its hands that telling of the end takes.
        threading.Thread(target=self._then, name="end", daemon=True).start()


# --- what the terminal is told ---------------------------------------------------------------------------------------


def _greet(companion: Companion, where: Whereabouts, host: str) -> None:
    """Print where the box is found: the ready line for programs, the code for phones, and what people should know."""
    address = where.address
    lines = [*companion.notes, f"ready {_with_port(address or companion.local_address, companion.port)}"]
    if address is not None:
        lines += _codes(where, coloured=_has_colours(companion))
    elif network.stays_here(host):
        lines.append(f"Phones cannot join: on {host} the pages are for this machine alone.")
    else:
        lines.append("Phones cannot join: no network was found. The pages work on this machine.")
    if companion.panel_picture() is not None:
        lines.append(f"The panel: {companion.local_address}panel   The table: {companion.local_address}table")
    _print(companion, lines)


def _print(companion: Companion, lines: Sequence[str]) -> None:
    """Print lines, also on a terminal that belongs to the panel."""
    if companion.notice is None:
        terminal.write("".join(f"{line}\n" for line in lines))
    else:
        for line in lines:
            companion.notice(line)


def _moved(where: Whereabouts, *, coloured: bool) -> list[str]:
    """Return what is to be told when the network has given the box another address."""
    return [f"The network has changed: phones now open {where.address}", *_codes(where, coloured=coloured)]


def _has_colours(companion: Companion) -> bool:
    """Say whether what is printed may be coloured; on a terminal that belongs to the panel, only the panel is."""
    return companion.notice is None and terminal.has_colours()


def _with_port(address: str, port: int) -> str:
    """Return an address with its port, which programs need not know by heart."""
    return address if address.endswith(f":{port}/") else f"{address.removesuffix('/')}:{port}/"


def _codes(where: Whereabouts, *, coloured: bool) -> list[str]:
    """Return the codes for phones: the one of the box's own network, and the one to join.

    A terminal that cannot show them has the address. The network's is for whoever looks at the terminal: what a service
    prints is kept in a log, where no passphrase may stand.
    """
    lines = []
    if where.name:
        lines.append(f"By name: {where.name}")
    if where.hotspot is not None and terminal.is_terminal():
        lines.append(f"First the Wi-Fi: {where.hotspot.name}   Passphrase: {where.hotspot.passphrase}")
        lines += terminal.drawn_code(where.hotspot.code, coloured=coloured)
        lines.append("A phone may say that there is no internet: stay connected. Then join:")
    lines += terminal.drawn_code(where.address or "", coloured=coloured)
    if where.others:
        lines.append(f"If phones are in another network: {'   '.join(where.others)}")
    return lines
