"""The plan of a box: everything that makes a Raspberry Pi one, in order."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from companion.commands.install.hotspot import Hotspot
from companion.commands.install.plan import Plan
from companion.commands.install.program import CURRENT, NAME, Current, Older, Program
from companion.commands.install.steps import AtBoot, File, Group, Link, Package, Running, User
from companion.machine import udev
from companion.settings import BOX_FILE, SettingsError, installed_file, load

if TYPE_CHECKING:
    from pathlib import Path

    from companion.commands.install.plan import Step
    from companion.commands.install.target import Target

SERVICE = f"{NAME}.service"
SETTINGS = str(BOX_FILE)
STATE = f"/var/lib/{NAME}"
USER = "companion"
LGPIO = "usr/lib/python3/dist-packages/lgpio.py"
"""Where the pins' library lies, below the root, when it comes as a package."""
_OWN_VOICE = "the eSpeak NG that comes with the program speaks"
_FIRST_PORT = 80
"""What the settings file says as it is installed."""
_AVAHI = "/etc/avahi/services"
_RASPBERRY_PI_OS = (
    "/etc/rpi-issue",
    "/etc/apt/sources.list.d/raspi.list",
    "/etc/apt/sources.list.d/raspi.sources",
)
"""What only Raspberry Pi OS has: any of them, from Bookworm on."""


def box_plan(source: Path | None, wheels: Path | None, hotspot: str | None, target: Target) -> Plan:
    """Return the plan.

    Args:
        source: what the program is installed from; None to take it back.
        wheels: the wheels that it needs, for a machine without the internet.
        hotspot: the name of the box's own network; None without one.
        target: where, since a name on the network needs avahi there.
    """
    takes_back = source is None
    program = Program(source, wheels)
    steps: list[Step] = [
        Package("python3-venv", "usr/lib/python3*/ensurepip/__init__.py"),
        Package("libespeak-ng1", "usr/lib/*/libespeak-ng.so.1", _OWN_VOICE),
        Package("espeak-ng-data", "usr/*/**/espeak-ng-data/phontab", _OWN_VOICE),
    ]
    if takes_back or not is_plain_debian(target):
        steps.append(Package("python3-lgpio", LGPIO))
    steps += [
        Group("gpio"),
        Group("audio"),
        Group("spi"),
        User(USER, STATE, ("gpio", "audio", "spi")),
        program,
        Current(program),
        Link("/usr/local/bin/companion", f"{CURRENT}/bin/companion"),
        File(SETTINGS, installed_file(), is_theirs=True),
        File(f"/etc/polkit-1/rules.d/50-{NAME}.rules", _text("poweroff.rules")),
    ]
    port = _port(target)
    if takes_back or (port and target.at(_AVAHI).is_dir()):
        steps.append(File(f"{_AVAHI}/{NAME}.service", _text("avahi.service").format(port=port)))
    if takes_back:
        # Made when buttons on USB were learnt.
        steps.append(File(udev.RULES, ""))
    if takes_back or hotspot is not None:
        steps.append(Hotspot(hotspot or ""))
    steps += [
        File(f"/etc/systemd/system/{SERVICE}", _text(SERVICE)),
        AtBoot(SERVICE),
        Running(SERVICE, port),
        Older(program),
    ]
    return Plan(steps)


def is_plain_debian(target: Target) -> bool:
    """Whether this is Debian's own Debian, whose archive has no lgpio; Raspberry Pi OS calls itself Debian too."""
    is_debian = "ID=debian" in target.read("/etc/os-release").splitlines()
    return is_debian and not any(target.at(path).exists() for path in _RASPBERRY_PI_OS)


def _port(target: Target) -> int:
    """Return the port of the pages by the settings that are there, or that will be; 0 where nobody can know it."""
    try:
        return load({}, {}, target.at(SETTINGS)).port if target.at(SETTINGS).exists() else _FIRST_PORT
    except SettingsError:
        # The service will tell what is wrong with them.
        return 0


def _text(name: str) -> str:
    return files("companion.commands.install").joinpath("files", name).read_text(encoding="utf-8")
