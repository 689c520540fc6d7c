"""USB buttons as the kernel sees them: controllers, arcade encoders, number pads. The only place that knows evdev."""

from __future__ import annotations

import fcntl
import os
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hardware.panel import PanelError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import evdev

_FOLDER = Path("/dev/input")

_SET_CLOCK = 0x400445A0
"""EVIOCSCLOCKID: by which clock the kernel stamps what a device does."""

MISSING = (
    "USB buttons need the library evdev: on Raspberry Pi OS install python3-evdev and make the virtual environment "
    "with --system-site-packages; elsewhere install the extra `gamepad`."
)


class KeyEdge(NamedTuple):
    """A key or button of a device that has gone down or come up.

    Attributes:
        code: the kernel's number of the key.
        down: whether it went down.
        at: when, in seconds on `time.monotonic`.
    """

    code: int
    down: bool
    at: float


class InputDevice(Protocol):
    """A device with keys or buttons, open for reading."""

    @property
    def name(self) -> str:
        """What it calls itself."""

    @property
    def path(self) -> str:
        """Its file."""

    def fileno(self) -> int:
        """Return what `select` waits for."""

    def read(self) -> Iterable[KeyEdge]:
        """Return what has happened. Raises OSError when it is gone."""

    def held(self) -> set[int]:
        """Return the codes of the keys that are down. Raises OSError when it is gone."""

    def keep_to_us(self) -> None:
        """Let nobody else have what it does: a number pad would type into a terminal as well."""

    def close(self) -> None:
        """Give it back."""


class _Evdev:
    """An `InputDevice` through evdev."""

    def __init__(self, device: evdev.InputDevice[str]) -> None:
        self._device = device
        self.name: str = device.name
        self.path: str = str(device.path)
        # By the clock of the box, on which holds are timed; the wall clock may jump when the network comes.
        fcntl.ioctl(device.fd, _SET_CLOCK, struct.pack("i", time.CLOCK_MONOTONIC))

    def fileno(self) -> int:
        return int(self._device.fd)

    def read(self) -> list[KeyEdge]:
        from evdev import ecodes  # noqa: PLC0415 - see open_devices

        try:
            events = list(self._device.read())
        except BlockingIOError:
            return []
        # 2 is a key that repeats while it is down.
        return [
            KeyEdge(event.code, bool(event.value), event.timestamp())
            for event in events
            if event.type == ecodes.EV_KEY and event.value in (0, 1)
        ]

    def held(self) -> set[int]:
        return set(self._device.active_keys())

    def keep_to_us(self) -> None:
        self._device.grab()

    def close(self) -> None:
        _give_back(self._device)


def open_devices() -> list[InputDevice]:
    """Open every device with keys that this user may read. Whoever gets them closes them.

    Raises:
        PanelError: evdev is not installed.
    """
    try:
        # Only where such buttons are wanted is the library needed.
        import evdev  # noqa: PLC0415
    except ImportError as error:
        raise PanelError(MISSING) from error
    found: list[InputDevice] = []
    # Not by evdev's own list: what it takes for readable differs from version to version.
    for path in sorted(_FOLDER.glob("event*")):
        try:
            device = evdev.InputDevice(str(path))
        except OSError:
            # Not this user's, or unplugged between two looks.
            continue
        if evdev.ecodes.EV_KEY in device.capabilities():
            found.append(_Evdev(device))
        else:
            _give_back(device)
    return found


def _give_back(device: evdev.InputDevice[str]) -> None:
    """Close a device. Not by its own `close`, which makes an event loop first, with descriptors of its own."""
    descriptor, device.fd = device.fd, -1
    if descriptor >= 0:
        os.close(descriptor)


def name_of_key(code: int) -> str:
    """Return what the kernel calls a key, such as `BTN_TRIGGER`."""
    import evdev  # noqa: PLC0415 - see open_devices

    name = evdev.ecodes.bytype[evdev.ecodes.EV_KEY].get(code, str(code))
    return name if isinstance(name, str) else str(next(iter(name)))
