"""What to buy for a panel, with counts. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from hardware.boards import Colour
from hardware.wiring.plan import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardware.wiring.plan import Plan

_WATTS = 0.25
_NOTES = {Colour.GREEN.value: ", the ordinary kind (about 2.1 V), not pure green"}


@dataclass(frozen=True, slots=True)
class Part:
    """A line of the shopping list.

    Attributes:
        count: how many.
        name: of what.
    """

    count: int
    name: str


def parts(plan: Plan) -> tuple[Part, ...]:
    """What hangs on the pins of a panel. The Raspberry Pi, its card and its loudspeaker are not among it."""
    return tuple(_parts(plan))


def ohms(value: int) -> str:
    """A resistor's value as it is said: `470 Ω`, `1.2 kΩ`."""
    return f"{value} Ω" if value < 1000 else f"{value / 1000:g} kΩ"  # noqa: PLR2004 - a thousand is a k


def _parts(plan: Plan) -> Iterator[Part]:
    for wire in plan.buttons:
        yield Part(1, f"push button, momentary, normally open, 24 mm, {wire.colour}")
    for colour, count in Counter(wire.colour for wire in plan.lights).items():
        yield Part(count, f"LED 5 mm, {colour}{_NOTES.get(colour, '')}")
    if plan.lights:
        yield Part(len(plan.lights), "clip for a 5 mm LED")
    for value, count in sorted(Counter(wire.resistor_ohms for wire in plan.wires).items()):
        yield Part(count, f"resistor {ohms(value)}, {_watts(plan, value)} W")
    if plan.chips:
        yield Part(plan.chips, f"driver ULN2803A, DIP-18 ({CHANNELS} channels each, {len(plan.lights)} used)")
        yield Part(plan.chips, "socket DIP-18")
        yield Part(2, f"jumper wire to the header for {plan.board.supply_volts:g} V and ground")
    yield Part(1, "stripboard, for resistors and the common ground")
    yield Part(len(plan.wires), "jumper wire to the header, socket on one end")
    yield Part(ground_wires(plan), "jumper wire from the common ground to the header")


def _watts(plan: Plan, value: int) -> str:
    """The next size of resistor that may get as warm as this one does."""
    worst = max(wire.light_milliamps**2 * value / 1e6 for wire in plan.wires if wire.resistor_ohms == value)
    # Half of what it may: it stays cool enough to touch.
    return f"{_WATTS * max(1, ceil(worst * 2 / _WATTS)):g}"


def ground_wires(plan: Plan) -> int:
    """How many lead from the common ground to the header: one for the buttons, and one for lights that return there."""
    return 2 if plan.lights and not plan.chips else 1
