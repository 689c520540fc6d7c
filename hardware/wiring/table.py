"""A plan as a table for the terminal, and as facts for programs. Pure."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from hardware.boards import Driver
from hardware.wiring import electrics
from hardware.wiring.parts import ohms, parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.wiring.plan import Plan, Wire


_COLUMNS = 110


def table(plan: Plan) -> str:
    """The pin table, the currents and the shopping list, as lines of text without colours."""
    driven = plan.board.driver is Driver.ULN2803A
    head = ["", "colour", "GPIO", "pin", "ground", "resistor", "mA", *(["driver"] if driven else [])]
    rows = [_row(wire, driven=driven) for wire in plan.wires]
    lines = [*wrap(f"Pin map {plan.board.name}: {plan.board.description}", _COLUMNS), ""]
    lines += columns([head, *rows], right={2, 3, 4, 5, 6})
    lines += ["", *notes(plan), "", "To buy:"]
    lines += columns([[f"  {part.count}", part.name] for part in parts(plan)], right={0})
    return "\n".join(lines) + "\n"


def notes(plan: Plan) -> list[str]:
    """What holds for the panel as a whole, a sentence or two a line."""
    most = max(wire.pin_milliamps for wire in plan.wires)
    currents = (
        f"All pins together give {plan.pins_milliamps:.1f} mA of {electrics.PINS_LIMIT_MILLIAMPS:g} mA, "
        f"none more than {most:.1f} mA of {electrics.PIN_LIMIT_MILLIAMPS:g} mA."
    )
    said = [
        "GPIO is the number in programs (BCM), pin the place on the 40-pin header, ground the nearest ground there.",
        "Every button connects its pin to ground, through its resistor; what pulls it up is inside the Raspberry Pi.",
        currents,
        "Only 3.3 V may ever reach a pin.",
    ]
    if plan.chips:
        source = "from pin 2 of the header" if plan.fed_by_header else "from a supply of their own, its minus on ground"
        said += [
            f"The lights take {plan.supply_milliamps:.0f} mA of {plan.board.supply_volts:g} V {source}.",
            "Each light: plus, resistor, long leg of the LED; short leg to an output of the driver.",
            "U1 3>16 means driver 1, from input leg 3 to output leg 16. Leg 9 goes to ground; COM (leg 10) stays free.",
        ]
    elif plan.lights:
        said.append("Each light: pin, resistor, long leg of the LED; short leg to ground.")
    return said


def facts(plan: Plan) -> dict[str, Any]:
    """The plan for programs, ready for JSON; currents in mA, resistors in ohms."""
    return {
        "board": plan.board.name,
        "driver": plan.board.driver.value,
        "supply_volts": plan.board.supply_volts,
        "wires": [_facts(wire) for wire in plan.wires],
        "pins_milliamps": round(plan.pins_milliamps, 2),
        "pins_limit_milliamps": electrics.PINS_LIMIT_MILLIAMPS,
        "supply_milliamps": round(plan.supply_milliamps, 2),
        "parts": [{"count": part.count, "part": part.name} for part in parts(plan)],
    }


def columns(rows: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    """Rows as lines with columns that stand under each other.

    Args:
        rows: cells, the same number in each row.
        right: the columns that are numbers and end under each other.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _row(wire: Wire, *, driven: bool) -> list[str]:
    current = f"{wire.light_milliamps:.1f}" if wire.is_light else f"{wire.pin_milliamps:.2f}"
    row = [f"{wire.kind:<6} {wire.name}", wire.colour, str(wire.bcm), str(wire.pin), str(wire.ground_pin or "")]
    row += [ohms(wire.resistor_ohms), current]
    if driven:
        channel = wire.channel
        row.append(f"U{channel.chip} {channel.input_leg}>{channel.output_leg}" if channel else "")
    return row


def _facts(wire: Wire) -> dict[str, Any]:
    channel = wire.channel
    return {
        "kind": wire.kind,
        "name": wire.name,
        "colour": wire.colour,
        "bcm": wire.bcm,
        "pin": wire.pin,
        "ground_pin": wire.ground_pin,
        "resistor_ohms": wire.resistor_ohms,
        "light_milliamps": round(wire.light_milliamps, 2),
        "pin_milliamps": round(wire.pin_milliamps, 2),
        "driver": channel and {"chip": channel.chip, "input_leg": channel.input_leg, "output_leg": channel.output_leg},
    }
