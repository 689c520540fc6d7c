"""The wires of a plan as they lie on the board, each with its resistor and its plug. Pure.

Pins of the outer row go up from the header, those of the inner row down, in their order: so no two tracks cross.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.boards import GROUND_PINS, HEADER_PINS
from hardware.wiring.electrics import WiringError

if TYPE_CHECKING:
    from hardware.wiring.plan import Plan, Wire

WIDTH_MM, HEIGHT_MM = 65.0, 55.0
"""As wide as a board on a Raspberry Pi may be (the HAT specification); its inner half lies over the Raspberry Pi."""

COLUMNS = 20
PITCH = 2.54
ROW = PITCH / 2
"""From the middle of the header to one of its rows."""
MIDDLE_X, MIDDLE_Y = 100.0, 100.0
"""Of the header, and of the board, on the sheet."""
FIRST_X = MIDDLE_X - (COLUMNS - 1) / 2 * PITCH
"""Of pins 1 and 2."""
RESISTOR, PLUG = 8.0, 21.2
"""How far from the middle the near leg of a resistor is, and a plug."""

LARGEST_STEP, SMALLEST_STEP = 5.5, 5.08
"""From one plug to the next."""

_SUPPLY = {1: "3V3", 17: "3V3", 2: "5V", 4: "5V"}
_GPIO = {pin: f"GPIO{bcm}" for bcm, pin in HEADER_PINS.items()}


@dataclass(frozen=True, slots=True)
class Channel:
    """A wire on the board.

    Attributes:
        wire: of the plan.
        number: from 1, along the header.
        x: the middle of its plug.
        side: -1 above the header, 1 below it.
    """

    wire: Wire
    number: int
    x: float
    side: int

    @property
    def resistor(self) -> str:
        """What its resistor is called on the board."""
        return f"R{self.number}"

    @property
    def plug(self) -> str:
        """What its plug is called; J1 is the header."""
        return f"J{self.number + 1}"

    @property
    def pin_net(self) -> str:
        """What joins the header and the resistor."""
        return pin_name(self.wire.pin)

    @property
    def part_net(self) -> str:
        """What joins the resistor and the plug."""
        return self.wire.name.replace(" ", "_") if self.wire.is_light else f"{self.wire.name}_button"

    @property
    def label(self) -> str:
        """What stands beside its plug, on two lines."""
        name, _, number = self.wire.name.partition(" ")
        return f"{name}\n{number or self.wire.kind}"

    @property
    def signal_x(self) -> float:
        """The signal of the plug; ground is right of it."""
        return self.x - PITCH / 2

    @property
    def ground_x(self) -> float:
        """The ground of the plug."""
        return self.x + PITCH / 2

    def y(self, away: float) -> float:
        """A place so far from the middle of the header, on this side."""
        return MIDDLE_Y + self.side * away


def channels_of(plan: Plan) -> tuple[Channel, ...]:
    """Return every wire of a plan on the board.

    Raises:
        WiringError: there are more on one row of the header than there is room.
    """
    found: list[Channel] = []
    for side in (-1, 1):
        wires = sorted((wire for wire in plan.wires if side_of(wire.pin) == side), key=lambda wire: wire.pin)
        step = min(LARGEST_STEP, (WIDTH_MM - 2) / max(1, len(wires)))
        if step < SMALLEST_STEP:
            raise WiringError(
                f"The pin map {plan.board.name} has {len(wires)} wires on one row of the header, and a board has room"
                f" for {int((WIDTH_MM - 2) / SMALLEST_STEP)}."
            )
        for place, wire in enumerate(wires):
            x = round(MIDDLE_X + (place - (len(wires) - 1) / 2) * step, 3)
            found.append(Channel(wire, len(found) + 1, x, side))
    return tuple(found)


def side_of(pin: int) -> int:
    """Return on which side of the header a pin is: -1 for the outer row, which is above, 1 for the inner one."""
    return 1 if pin % 2 else -1


def x_of(pin: int) -> float:
    """Return where a pin is, along the header."""
    return FIRST_X + (pin - 1) // 2 * PITCH


def pin_name(pin: int) -> str:
    """Return what a pin of the header is called."""
    return "GND" if pin in GROUND_PINS else _SUPPLY.get(pin) or _GPIO[pin]


def header_nets(channels: tuple[Channel, ...]) -> dict[int, str]:
    """Return the net of every pin of the header, as KiCad names it; also of those that are free."""
    used = {channel.wire.pin: f"/{channel.pin_net}" for channel in channels}
    nets = {}
    for pin in range(1, 2 * COLUMNS + 1):
        name = pin_name(pin)
        nets[pin] = "/GND" if name == "GND" else used.get(pin, f"unconnected-(J1-{name}-Pad{pin})")
    return nets
