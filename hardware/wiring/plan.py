"""A pin map as wires: one for each light and each button, with all that is needed to solder it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.boards import GROUND_PINS, HEADER_PINS, Colour, Driver
from hardware.panel import ROWS, Button
from hardware.wiring import electrics
from hardware.wiring.electrics import WiringError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardware.boards import Board

CHANNELS = 8
"""The switches in one driver chip."""

BUTTON_COLOURS: dict[Button, str] = {
    Button.LIBERAL: "blue",
    Button.FASCIST: "red",
    Button.JA: "green",
    Button.NEIN: "white",
    Button.REPEAT: "yellow",
    Button.UNDO: "black",
}
"""The colour of each button, which the box names when it explains itself."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One switch of a driver chip.

    Attributes:
        chip: which chip, from 1.
        number: which of its switches, 1 to 8; the same as the leg of its input.
    """

    chip: int
    number: int

    @property
    def input_leg(self) -> int:
        """The leg that the pin goes to."""
        return self.number

    @property
    def output_leg(self) -> int:
        """The leg that the light's cathode goes to, right across."""
        return 19 - self.number


@dataclass(frozen=True, slots=True)
class Wire:
    """One pin of the header and what hangs on it.

    Attributes:
        name: `liberal 1`, `status` for lights; `ja` for buttons.
        row: the row of a light, or the button's name.
        place: the place in the row, from 1.
        is_light: whether it is a light; else it is a button.
        colour: of the light or the button.
        bcm: the number of the pin as programs say it.
        pin: its place on the header, 1 to 40.
        ground_pin: the nearest place of ground on the header; None for a light behind a driver, which takes it there.
        resistor_ohms: in series with the light or the button.
        light_milliamps: through the light while it is lit; 0 for a button.
        pin_milliamps: through the pin while the light is lit or the button is pressed.
        channel: the switch of the driver, where there is one.
    """

    name: str
    row: str
    place: int
    is_light: bool
    colour: str
    bcm: int
    pin: int
    ground_pin: int | None
    resistor_ohms: int
    light_milliamps: float
    pin_milliamps: float
    channel: Channel | None = None

    @property
    def kind(self) -> str:
        """`light` or `button`."""
        return "light" if self.is_light else "button"


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole panel; what `plan` returns is within every limit.

    Attributes:
        board: the pin map.
        wires: the lights row by row, then the buttons.
    """

    board: Board
    wires: tuple[Wire, ...]

    @property
    def lights(self) -> tuple[Wire, ...]:
        """The wires of lights."""
        return tuple(wire for wire in self.wires if wire.is_light)

    @property
    def buttons(self) -> tuple[Wire, ...]:
        """The wires of buttons."""
        return tuple(wire for wire in self.wires if not wire.is_light)

    @property
    def pins_milliamps(self) -> float:
        """What all pins give together (mA), every light lit and every button pressed."""
        return sum(wire.pin_milliamps for wire in self.wires)

    @property
    def supply_milliamps(self) -> float:
        """What all lights take together (mA) from a supply of their own; 0 where the pins feed them."""
        return sum(wire.light_milliamps for wire in self.lights if wire.channel)

    @property
    def chips(self) -> int:
        """How many driver chips are needed."""
        return max((wire.channel.chip for wire in self.lights if wire.channel), default=0)

    @property
    def fed_by_header(self) -> bool:
        """Whether lights behind a driver take the 5 V of the header; else they have a supply of their own."""
        return self.board.supply_volts == electrics.HEADER_VOLTS


def plan(board: Board, wanted_milliamps: float | None = None) -> Plan:
    """Work out every wire of a panel.

    Args:
        board: a pin map that has been checked.
        wanted_milliamps: the current through each light, in mA; None for what suits the board, which is 3 on a pin and
            8 behind a driver. The resistor is the next one up that can be bought, so it becomes a little less.

    Raises:
        WiringError: the lights cannot be lit so, or a limit would be passed.
    """
    if wanted_milliamps is not None and not wanted_milliamps > 0:
        raise WiringError(f"A light cannot have {wanted_milliamps:g} mA: ask for more than nothing.")
    direct = board.driver is Driver.DIRECT
    wanted = wanted_milliamps or (electrics.WANTED_MILLIAMPS if direct else electrics.DRIVEN_MILLIAMPS)
    if direct and board.lights and board.supply_volts != electrics.PIN_VOLTS:
        raise WiringError(
            f"The pin map {board.name} wants {board.supply_volts:g} V on its pins: a pin gives "
            f"{electrics.PIN_VOLTS:g} V, and more destroys it."
        )
    made = Plan(board, (*_lights(board, wanted), *_buttons(board)))
    _within_limits(made)
    return made


def nearest_ground(pin: int) -> int:
    """The ground that is nearest to a place on the header; of two, the lower number."""
    return min(GROUND_PINS, key=lambda ground: (_distance(pin, ground), ground))


def _distance(one: int, other: int) -> int:
    """The square of the distance of two places, in steps of the header."""
    return ((one - 1) // 2 - (other - 1) // 2) ** 2 + (one % 2 - other % 2) ** 2


def _lights(board: Board, wanted: float) -> Iterator[Wire]:
    direct = board.driver is Driver.DIRECT
    count = 0
    for row, lights in board.lights.items():
        volts = _left_for_resistor(board, row, lights.colour)
        ohms = electrics.series_resistor(volts, wanted)
        current = electrics.milliamps(volts, ohms)
        for place, bcm in enumerate(lights.pins, 1):
            yield Wire(
                name=row if ROWS[row] == 1 else f"{row} {place}",
                row=row,
                place=place,
                is_light=True,
                colour=lights.colour.value,
                bcm=bcm,
                pin=HEADER_PINS[bcm],
                ground_pin=nearest_ground(HEADER_PINS[bcm]) if direct else None,
                resistor_ohms=ohms,
                light_milliamps=current,
                pin_milliamps=current if direct else electrics.driver_input_milliamps(),
                channel=None if direct else Channel(count // CHANNELS + 1, count % CHANNELS + 1),
            )
            count += 1


def _left_for_resistor(board: Board, row: str, colour: Colour) -> float:
    forward = electrics.FORWARD_VOLTS[colour]
    lost = 0.0 if board.driver is Driver.DIRECT else electrics.DRIVER_VOLTS
    left = board.supply_volts - forward - lost
    if left < electrics.HEADROOM_VOLTS - 1e-9:
        raise WiringError(
            f"The {row} lights are {colour.value}, which needs about {forward + lost:.1f} V and leaves too little of "
            f"{board.supply_volts:g} V for a resistor: choose another colour, or drive them from 5 V with a ULN2803A "
            "(the pin map uln2803a)."
        )
    return left


def _buttons(board: Board) -> Iterator[Wire]:
    for button, bcm in board.buttons.items():
        yield Wire(
            name=button.value,
            row=button.value,
            place=1,
            is_light=False,
            colour=BUTTON_COLOURS[button],
            bcm=bcm,
            pin=HEADER_PINS[bcm],
            ground_pin=nearest_ground(HEADER_PINS[bcm]),
            resistor_ohms=electrics.button_resistor(bcm),
            light_milliamps=0.0,
            pin_milliamps=electrics.button_milliamps(bcm),
        )


def _within_limits(made: Plan) -> None:
    for wire in made.wires:
        if wire.pin_milliamps > electrics.PIN_LIMIT_MILLIAMPS:
            raise WiringError(
                f"The light {wire.name} would take {wire.pin_milliamps:.1f} mA from GPIO {wire.bcm}: a pin gives "
                f"{electrics.PIN_LIMIT_MILLIAMPS:g} mA at most."
            )
        if wire.channel and wire.light_milliamps > electrics.CHANNEL_LIMIT_MILLIAMPS:
            raise WiringError(
                f"The light {wire.name} would take {wire.light_milliamps:.0f} mA: the driver stays cool up to "
                f"{electrics.CHANNEL_LIMIT_MILLIAMPS:g} mA on each of its outputs."
            )
    if made.pins_milliamps > electrics.PINS_LIMIT_MILLIAMPS:
        raise WiringError(
            f"All lights together would take {made.pins_milliamps:.0f} mA from the pins, which give "
            f"{electrics.PINS_LIMIT_MILLIAMPS:g} mA at most: ask for less, or use a ULN2803A (the pin map uln2803a)."
        )
    if made.fed_by_header and made.supply_milliamps > electrics.HEADER_LIMIT_MILLIAMPS:
        raise WiringError(
            f"All lights together would take {made.supply_milliamps:.0f} mA from the 5 V of the header, which the "
            f"Raspberry Pi needs itself: ask for {electrics.HEADER_LIMIT_MILLIAMPS:g} mA at most."
        )
