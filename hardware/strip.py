"""Fifteen lights on one wire: a strip of addressable LEDs (WS2812 and alike) on the SPI bus of a Raspberry Pi.

Such an LED takes its colour from the length of each pulse, 800,000 bits a second. Three bits of SPI at three times that
speed make one of them: 110 for a one, 100 for a nought (the makers' data sheets allow 0.2 to 0.5 µs and 0.65 to 1 µs of
high level; here it is 0.42 and 0.83). So the wire is the bus's data line, and nothing else is needed: no library, no
root.
"""

from __future__ import annotations

import fcntl
import logging
import os
import struct
import time
from contextlib import suppress
from threading import Condition, Thread
from typing import TYPE_CHECKING

from hardware.blinking import Blinker
from hardware.panel import DARK, ROWS, PanelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from hardware.panel import ButtonEvent, Lights

    Colour = tuple[int, int, int]
    """Red, green and blue, 0 to 255."""

_log = logging.getLogger(__name__)

SPI_HERTZ = 2_400_000
RESET_SECONDS = 0.0003
"""After so long a silence the LEDs show what they were sent; newer ones want 280 µs."""

COLOURS: Mapping[str, Colour] = {
    "liberal": (0, 40, 120),
    "fascist": (130, 10, 0),
    "tracker": (110, 55, 0),
    "status": (30, 90, 25),
}
"""Bright enough for a lit room, and all fifteen together take less than 0.3 A."""

_SET_MODE, _SET_BITS, _SET_SPEED = 0x40016B01, 0x40016B03, 0x40046B04
"""SPI_IOC_WR_MODE, SPI_IOC_WR_BITS_PER_WORD and SPI_IOC_WR_MAX_SPEED_HZ."""

_FAREWELL_SECONDS = 0.5


def _pulses(value: int) -> bytes:
    """Return a byte as the LEDs are sent it: its bits as pulses, the highest first."""
    bits = "".join("110" if value >> bit & 1 else "100" for bit in range(7, -1, -1))
    return int(bits, 2).to_bytes(3, "big")


_PULSES = tuple(map(_pulses, range(256)))


def frame(colours: Iterable[Colour]) -> bytes:
    """Return what is sent so that the LEDs of a strip, the one nearest to the wire first, have these colours."""
    sent = b"".join(_PULSES[green] + _PULSES[red] + _PULSES[blue] for red, green, blue in colours)
    silence = bytes(round(SPI_HERTZ * RESET_SECONDS / 8))
    # A silence before as well: what came on the line while the bus was opened belongs to no frame.
    return silence + sent + silence


def colours_of(lit: Mapping[str, Sequence[bool]]) -> list[Colour]:
    """Return the colours of all lights in their order along the strip: Liberal, Fascist, tracker, status."""
    return [COLOURS[row] if on else (0, 0, 0) for row in ROWS for on in lit[row]]


def open_bus(path: Path) -> Callable[[bytes], object]:
    """Open an SPI bus; return what sends bytes over it, and closes it when it is sent none.

    Raises:
        PanelError: it cannot be had.
    """
    try:
        bus = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise PanelError(
            f"The strip of lights cannot be had: {path}: {error.strerror}. SPI has to be on, and the user in the group "
            "spi."
        ) from error
    try:
        fcntl.ioctl(bus, _SET_MODE, struct.pack("B", 0))
        fcntl.ioctl(bus, _SET_BITS, struct.pack("B", 8))
        fcntl.ioctl(bus, _SET_SPEED, struct.pack("I", SPI_HERTZ))
    except OSError as error:
        os.close(bus)
        raise PanelError(f"The strip of lights cannot be had: {path} is no SPI bus ({error.strerror}).") from error

    def send(sent: bytes) -> None:
        if sent:
            os.write(bus, sent)
        else:
            os.close(bus)

    return send


class StripPanel:
    """A `Panel` of lights alone.

    Args:
        send: sends bytes over the bus, and closes it when it is sent none; from `open_bus`.
        clock: seconds that never go back, for blinking.
    """

    def __init__(self, send: Callable[[bytes], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._send = send
        self._clock = clock
        self._blinker = Blinker()
        self._changed = Condition()
        self._trouble = ""
        self._closed = False
        self._thread = Thread(target=self._run, name="panel-strip", daemon=True)
        self._thread.start()

    @property
    def troubles(self) -> tuple[str, ...]:
        """Why the strip shows nothing; an LED that is broken cannot be told, since they do not answer."""
        return (self._trouble,) if self._trouble else ()

    def listen(self, callback: Callable[[ButtonEvent], None]) -> None:
        """Tell nothing: there are no buttons."""

    def show(self, lights: Lights) -> None:
        """Make the lights so."""
        with self._changed:
            if not self._closed:
                self._blinker.show(lights, self._clock())
                self._changed.notify_all()

    def close(self) -> None:
        """All lights off, the bus given back."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._blinker.show(DARK, self._clock())
            self._changed.notify_all()
        self._thread.join(_FAREWELL_SECONDS)

    def _run(self) -> None:
        try:
            with self._changed:
                while not self._closed:
                    self._write()
                    self._changed.wait(self._blinker.until_change(self._clock()))
                self._write()
        finally:
            with suppress(OSError):
                self._send(b"")

    def _write(self) -> None:
        """Send all colours: whichever LED has lost its own has it again with the next change."""
        try:
            self._send(frame(colours_of(self._blinker.lit(self._clock()))))
        except OSError as error:
            if not self._trouble:
                _log.warning("The strip of lights cannot be written to: %s.", error.strerror)
            self._trouble = f"The strip of lights does not work: {error.strerror}."
        else:
            self._trouble = ""
