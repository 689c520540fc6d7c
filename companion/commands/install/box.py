"""The plan of a box: everything that makes a Raspberry Pi one, in order."""

from __future__ import annotations

import tempfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from companion import languages
from companion.commands.install.hotspot import Hotspot
from companion.commands.install.plan import Plan
from companion.commands.install.program import CURRENT, NAME, Current, Older, Program
from companion.commands.install.steps import AtBoot, File, Group, Link, Package, Running, User, Voices
from companion.machine import udev
from companion.settings import BOX_FILE, BOX_USER, SettingsError, installed_file, load

if TYPE_CHECKING:
    from companion.commands.install.plan import Step
    from companion.commands.install.target import Target
    from companion.settings import Settings

SERVICE = f"{NAME}.service"
NETWORK_SERVICE = f"{NAME}-network.service"
SETTINGS = str(BOX_FILE)
STATE = f"/var/lib/{NAME}"
LGPIO = "usr/lib/python3/dist-packages/lgpio.py"
"""Where the pins' library lies, below the root, when it comes as a package."""
_OWN_VOICE = "the eSpeak NG that comes with the program speaks"
_AVAHI = "/etc/avahi/services"
_RASPBERRY_PI_OS = (
    "/etc/rpi-issue",
    "/etc/apt/sources.list.d/raspi.list",
    "/etc/apt/sources.list.d/raspi.sources",
)
"""What only Raspberry Pi OS has: any of them, from Bookworm on."""


def box_plan(
    source: Path | None, wheels: Path | None, hotspot: str | None, target: Target, *, voices: bool = False
) -> Plan:
    """Return the plan.

    Args:
        source: what the program is installed from; None to take it back.
        wheels: the wheels that it needs, for a machine without the internet.
        hotspot: the name of a network of the box's own that is made at every start; None for one where there is none.
        target: where, since a name on the network needs avahi there.
        voices: whether better voices are fetched.
    """
    takes_back = source is None
    # Whoever has such voices keeps what speaks them.
    settings = _settings(target)
    voice_dir = f"{STATE}/voices" if settings is None else str(settings.voice_dir)
    program = Program(source, wheels, piper=voices or any(target.at(voice_dir).glob("*.onnx")))
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
        User(BOX_USER, STATE, ("gpio", "audio", "spi")),
        program,
        Current(program),
        Link("/usr/local/bin/companion", f"{CURRENT}/bin/companion"),
        File(SETTINGS, installed_file(), is_theirs=True),
        File(f"/etc/polkit-1/rules.d/50-{NAME}.rules", _text("poweroff.rules")),
    ]
    # 0: nobody can know it.
    port = 0 if settings is None else settings.port
    if takes_back or (port and target.at(_AVAHI).is_dir()):
        steps.append(File(f"{_AVAHI}/{NAME}.service", _text("avahi.service").format(port=port)))
    if takes_back:
        # Made when buttons on USB were learnt.
        steps.append(File(udev.RULES, ""))
    if takes_back or hotspot is not None or wants_own_network(target):
        steps += [
            Hotspot(hotspot or ""),
            File(f"/etc/systemd/system/{NETWORK_SERVICE}", _text(NETWORK_SERVICE)),
            AtBoot(NETWORK_SERVICE),
        ]
    steps += [
        File(f"/etc/systemd/system/{SERVICE}", _text(SERVICE)),
        AtBoot(SERVICE),
        Running(SERVICE, port),
        Older(program),
    ]
    if takes_back or voices:
        # Last, since it takes long: the box plays already.
        steps.append(_voices(voice_dir))
    return Plan(steps)


def _voices(folder: str) -> Voices:
    names = (languages.load(code).voice.piper for code in languages.codes())
    fetch = (f"{CURRENT}/bin/companion", "voices", "--config", SETTINGS, "--install", "all")
    return Voices(folder, tuple(filter(None, names)), fetch, SERVICE)


def is_plain_debian(target: Target) -> bool:
    """Whether this is Debian's own Debian, whose archive has no lgpio; Raspberry Pi OS calls itself Debian too."""
    is_debian = "ID=debian" in target.read("/etc/os-release").splitlines()
    return is_debian and not any(target.at(path).exists() for path in _RASPBERRY_PI_OS)


def _settings(target: Target) -> Settings | None:
    """Return the settings that are there, or those that will be; None where they are wrong, which the service tells."""
    place = target.at(SETTINGS)
    try:
        if place.exists():
            return load({}, {}, place)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".toml") as first:
            first.write(installed_file())
            first.flush()
            return load({}, {}, Path(first.name))
    except SettingsError:
        return None


def wants_own_network(target: Target) -> bool:
    """Whether the box makes a network of its own where it finds none; NetworkManager has to be there for it."""
    settings = _settings(target)
    return (settings is None or settings.own_network) and target.at("/usr/bin/nmcli").exists()


def _text(name: str) -> str:
    return files("companion.commands.install").joinpath("files", name).read_text(encoding="utf-8")
