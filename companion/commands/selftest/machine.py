"""The machine that is looked at: its files below one root, and the few things that are none. Tests bring another."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import voice
from companion.machine import network
from hardware.detect import MODEL_FILE, on_raspberry_pi
from hardware.gpio import open_factory
from hardware.input_devices import open_devices
from hardware.strip import open_bus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from companion.narrator.sound import Output, Speaks
    from companion.settings import Settings
    from hardware.input_devices import InputDevice


_PAGE_SECONDS = 5.0
_RADIO_SECONDS = 5.0


def _is_usable(path: Path) -> bool:
    return os.access(path, os.R_OK | os.W_OK)


def _free_bytes(path: Path) -> int:
    return shutil.disk_usage(path).free


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "USER"


def _now() -> datetime:
    return datetime.now(UTC)


def _serves(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=_PAGE_SECONDS) as answer:
            return bool(answer.status == HTTPStatus.OK)
    except (OSError, HTTPException):
        return False


def _country() -> str:
    try:
        told = subprocess.run(["iw", "reg", "get"], capture_output=True, text=True, timeout=_RADIO_SECONDS, check=False)  # noqa: S607 - the radio's own program
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r"^country (\w\w)", told.stdout, re.MULTILINE)
    return found[1] if found else ""


@dataclass(frozen=True)
class Machine:
    """What the self-test sees of the machine.

    Attributes:
        root: below it lie boot, dev, proc, run and sys.
        user: who runs this.
        is_usable: whether a device or folder may be read and written.
        free_bytes: how much is free where a folder lies.
        now: the time of day.
        clock: seconds that never go back.
        join_url: the address that phones open, from host and port; None without one.
        country: whose rules the Wi-Fi follows, as `DE`; `00` while none is set, and empty where nobody can say.
        serves: whether a box answers on a port of this machine.
        open_pins: opens the header; raises PanelError where there is none.
        open_input_devices: opens the USB devices that have buttons; raises PanelError where it cannot look.
        open_strip: opens the bus of a strip of lights; raises PanelError where there is none.
        open_speaker: opens the voice of the settings.
        open_loudspeaker: opens the loudspeaker of the settings.
        open_sides: opens it anew so that left and right can be tried apart.
        is_attended: whether somebody sits at the terminal.
    """

    root: Path = Path("/")
    user: str = ""
    is_usable: Callable[[Path], bool] = _is_usable
    free_bytes: Callable[[Path], int] = _free_bytes
    now: Callable[[], datetime] = _now
    clock: Callable[[], float] = time.monotonic
    join_url: Callable[[str, int], str | None] = network.join_url
    country: Callable[[], str] = _country
    serves: Callable[[int], bool] = _serves
    open_pins: Callable[[], Any] = open_factory
    open_input_devices: Callable[[], Sequence[InputDevice]] = open_devices
    open_strip: Callable[[Path], Callable[[bytes], object]] = open_bus
    open_speaker: Callable[[Settings], Speaks] = voice.open_patient_speech
    open_loudspeaker: Callable[[Settings], Output] = voice.open_loudspeaker_and_wait
    open_sides: Callable[[Settings], Output] = voice.open_sides
    is_attended: Callable[[], bool] = lambda: sys.stdin.isatty() and sys.stdout.isatty()

    @property
    def who(self) -> str:
        """The name of the user, for a command that can be copied."""
        return self.user or _user()

    @property
    def is_raspberry_pi(self) -> bool:
        """Whether this is one."""
        return on_raspberry_pi(self.at(str(MODEL_FILE)))

    @property
    def model(self) -> str:
        """What the kernel calls the board; empty where it does not."""
        return self.read(str(MODEL_FILE)).strip("\0\n ")

    def at(self, path: str) -> Path:
        """A path of this machine, such as `/sys/class/hwmon`."""
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str:
        """What a file holds; empty where it cannot be read."""
        try:
            return self.at(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def list(self, folder: str, pattern: str) -> list[Path]:
        """What lies in a folder, by a pattern and in order; nothing where there is no such folder."""
        try:
            return sorted(self.at(folder).glob(pattern))
        except OSError:
            return []

    def uses_pins(self, settings: Settings) -> bool:
        """Whether the panel of the settings is pins, on this machine."""
        return settings.panel == "gpio" or (settings.panel == "auto" and self.is_raspberry_pi)
