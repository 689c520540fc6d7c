"""Who else takes pins of the header: buses and consoles that the boot settings switch on, or that are on already."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.commands.selftest.report import Finding, failed, ok
from hardware.boards import HEADER_PINS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from companion.commands.selftest.machine import Machine
    from hardware.boards import Board

CONFIG_FILES = ("/boot/firmware/config.txt", "/boot/config.txt")
"""The boot settings: since Bookworm, and before."""

_YES = frozenset({"on", "yes", "true", "1", ""})
_I2S_OVERLAYS = re.compile(
    r"hifiberry|iqaudio|i2s|allo-|audioinjector|justboom|rpi-(dac|proto|codeczero|digi)|googlevoicehat|max98357a|"
    r"adau|wm89|merus|seeed-.*voicecard|pisound|respeaker"
)
_SPI1_PINS = (16, 17, 18, 19, 20, 21)
_SPI_PINS = (7, 8, 9, 10, 11)
_SERIAL_PORTS = re.compile(r"\bconsole=(serial0|ttyAMA0|ttyS0)\b")
"""Not ttyAMA10: that is the debug connector of a Raspberry Pi 5, which is no pin of the header."""


@dataclass(frozen=True, slots=True)
class Boot:
    """The boot settings that count on this board.

    Attributes:
        file: where they stand; empty where there is no such file.
        lines: each setting as key and value, lower case.
    """

    file: str
    lines: tuple[tuple[str, str], ...]

    def overlays(self) -> Iterator[tuple[str, dict[str, str]]]:
        """The overlays that are loaded, with their parameters."""
        for key, value in self.lines:
            if key == "dtoverlay" and value:
                name, *parameters = value.split(",")
                yield name, {key: given for key, _, given in (each.partition("=") for each in parameters)}

    def has_parameter(self, *names: str) -> bool:
        """Whether a parameter of the board is on; the last word counts."""
        state = False
        for key, value in self.lines:
            if key in {"dtparam", "device_tree_param"}:
                for each in value.split(","):
                    name, _, given = each.partition("=")
                    if name in names:
                        state = given in _YES
        return state

    def value(self, key: str) -> str:
        """What a key is set to; empty where it is not."""
        return next((value for name, value in reversed(self.lines) if name == key), "")


def read_boot(machine: Machine) -> Boot:
    """Read the boot settings of this machine, as far as they hold for its model."""
    for file in CONFIG_FILES:
        text = machine.read(file)
        if text:
            return Boot(file, tuple(_lines(text, machine.model)))
    return Boot("", ())


def _lines(text: str, model: str) -> Iterator[tuple[str, str]]:
    counts = True
    for raw in text.splitlines():
        written = raw.partition("#")[0].strip().lower()
        if written.startswith("[") and written.endswith("]"):
            counts = _holds(written[1:-1], model)
        elif counts and "=" in written:
            key, _, value = written.partition("=")
            yield key.strip(), value.strip()


def _holds(section: str, model: str) -> bool:
    """Whether a section of the boot settings is for this model. One that nobody knows is taken to be."""
    if section == "all":
        return True
    if section == "none":
        return False
    name = model.lower().replace("raspberry pi", "").strip()
    compute = re.fullmatch(r"cm(\d)\w*", section)
    if compute:
        return name.startswith(f"compute module {compute[1]}")
    board = re.fullmatch(r"pi(\d)\w*", section)
    if not board or not name:
        return True
    # Model 400 and the compute modules count as the model that they are made of; the first of all has no number.
    begins = {"0": ("zero",), "1": ("model", "compute module rev")}
    return name.startswith(begins.get(board[1], (board[1], f"compute module {board[1]}")))


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that may take pins.

    Attributes:
        name: what it is called.
        remedy: how it is switched off.
        find: the pins that it takes (BCM), each with how we know.
    """

    name: str
    remedy: str
    find: Callable[[Machine, Boot], Iterator[tuple[int, str]]]


def look(claim: Claim, machine: Machine, board: Board) -> Finding:
    """Whether something takes a pin that the pin map needs."""
    used = {pin: f"the {button} button" for button, pin in board.buttons.items()}
    for row, lights in board.lights.items():
        used |= {pin: f"light {row} {place}" for place, pin in enumerate(lights.pins, 1)}
    boot = read_boot(machine)
    taken: dict[int, str] = {}
    for pin, source in claim.find(machine, boot):
        taken.setdefault(pin, source)
    both = [pin for pin in used if pin in taken]
    if both:
        pins = ", ".join(f"GPIO {pin} (pin {HEADER_PINS[pin]}, {used[pin]})" for pin in sorted(both))
        return failed(f"is on ({taken[both[0]]}) and takes {pins}", claim.remedy)
    if taken:
        return ok(f"is on ({next(iter(taken.values()))}), and takes no pin of this map")
    return ok("is off")


def _spi(machine: Machine, boot: Boot) -> Iterator[tuple[int, str]]:
    for device in machine.list("/dev", "spidev0.*"):
        yield from ((pin, f"/dev/{device.name} is there") for pin in _SPI_PINS)
    if machine.list("/sys/bus/spi/devices", "spi0.*"):
        yield from ((pin, "/sys/bus/spi/devices has spi0") for pin in _SPI_PINS)
    if boot.has_parameter("spi"):
        yield from ((pin, f"dtparam=spi=on in {boot.file}") for pin in _SPI_PINS)
    for name, _ in boot.overlays():
        if name.startswith("spi0"):
            yield from ((pin, f"dtoverlay={name} in {boot.file}") for pin in _SPI_PINS)
        if name.startswith("spi1"):
            yield from ((pin, f"dtoverlay={name} in {boot.file}") for pin in _SPI1_PINS)


def _one_wire(machine: Machine, boot: Boot) -> Iterator[tuple[int, str]]:
    for name, parameters in boot.overlays():
        if name in {"w1-gpio", "w1-gpio-pullup"}:
            given = parameters.get("gpiopin", "4")
            yield int(given) if given.isdecimal() else 4, f"dtoverlay={name} in {boot.file}"
            return
    if machine.list("/sys/bus/w1/devices", "w1_bus_master*"):
        yield 4, "/sys/bus/w1 has a bus"


def _serial(machine: Machine, boot: Boot) -> Iterator[tuple[int, str]]:
    console = _SERIAL_PORTS.search(machine.read("/proc/cmdline"))
    active = {"ttyAMA0", "ttyS0"} & set(machine.read("/sys/class/tty/console/active").split())
    sources = []
    if console:
        sources.append(f"{console[0]} in /proc/cmdline")
    if active:
        sources.append(f"{min(active)} is a console")
    if boot.value("enable_uart") == "1":
        sources.append(f"enable_uart=1 in {boot.file}")
    if boot.has_parameter("uart0", "uart0_console"):
        sources.append(f"dtparam=uart0=on in {boot.file}")
    for source in sources:
        yield from ((pin, source) for pin in (14, 15))


def _i2s(_: Machine, boot: Boot) -> Iterator[tuple[int, str]]:
    if boot.has_parameter("i2s"):
        yield from ((pin, f"dtparam=i2s=on in {boot.file}") for pin in (18, 19, 20, 21))
    for name, _parameters in boot.overlays():
        if _I2S_OVERLAYS.search(name):
            yield from ((pin, f"dtoverlay={name} in {boot.file}") for pin in (18, 19, 20, 21))


def _i2c(machine: Machine, boot: Boot) -> Iterator[tuple[int, str]]:
    if machine.list("/dev", "i2c-1"):
        yield from ((pin, "/dev/i2c-1 is there") for pin in (2, 3))
    if boot.has_parameter("i2c", "i2c_arm", "i2c1"):
        yield from ((pin, f"dtparam=i2c_arm=on in {boot.file}") for pin in (2, 3))


CLAIMS = (
    Claim("SPI", "sudo raspi-config nonint do_spi 1, then restart the Raspberry Pi", _spi),
    Claim("1-wire", "sudo raspi-config nonint do_onewire 1, then restart the Raspberry Pi", _one_wire),
    Claim(
        "serial console",
        "sudo raspi-config nonint do_serial_cons 1 && sudo raspi-config nonint do_serial_hw 1, then restart the "
        "Raspberry Pi",
        _serial,
    ),
    Claim(
        "I2S",
        "take the sound card's line out of config.txt and restart the Raspberry Pi; or, to keep the card, leave the "
        "status light out of a pin map of your own",
        _i2s,
    ),
    Claim("I2C", "sudo raspi-config nonint do_i2c 1, then restart the Raspberry Pi", _i2c),
)
