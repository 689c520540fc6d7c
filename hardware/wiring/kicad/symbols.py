"""Header, resistor and plug as they are drawn in a schematic. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.wiring.kicad.channels import COLUMNS, PITCH, pin_name
from hardware.wiring.kicad.forms import GENERATOR, at, field, form, lettering, quoted, stroke

if TYPE_CHECKING:
    from collections.abc import Iterable

LIBRARY = "companion"
FORMAT = form("version", "20231120")

Pins = dict[int, tuple[float, float]]
"""Where each pin of a symbol ends, from its middle; up is more, as in a library."""

HEADER, RESISTOR, PLUG = "Header", "R", "Plug"
PINS: dict[str, Pins] = {
    HEADER: {
        pin: (-12.7 if pin % 2 else 12.7, (COLUMNS - 1) / 2 * PITCH - (pin - 1) // 2 * PITCH)
        for pin in range(1, 2 * COLUMNS + 1)
    },
    RESISTOR: {1: (-3.81, 0.0), 2: (3.81, 0.0)},
    PLUG: {1: (-5.08, 0.0), 2: (-5.08, -PITCH)},
}
_BOXES = {
    HEADER: (-10.16, 26.67, 10.16, -26.67),
    RESISTOR: (-2.54, 1.016, 2.54, -1.016),
    PLUG: (-1.27, 1.27, 1.27, -3.81),
}
_LENGTHS = {HEADER: 2.54, RESISTOR: 1.27, PLUG: 3.81}
_LETTERS = {HEADER: "J", RESISTOR: "R", PLUG: "J"}


def library() -> str:
    """Return the library of all three."""
    return form("kicad_symbol_lib", FORMAT, GENERATOR, *drawn("")) + "\n"


def drawn(prefix: str) -> Iterable[str]:
    """Return all three, by names with this before them: in a schematic they are copies."""
    return (_drawn(kind, prefix) for kind in PINS)


def _drawn(kind: str, prefix: str) -> str:
    left, top, right, bottom = _BOXES[kind]
    box = form(
        "rectangle",
        form("start", left, top),
        form("end", right, bottom),
        stroke(0.254),
        form("fill", form("type", "none")),
    )
    return form(
        "symbol",
        quoted(f"{prefix}{kind}"),
        form("exclude_from_sim", "no"),
        form("in_bom", "yes"),
        form("on_board", "yes"),
        field("Reference", _LETTERS[kind], at(0, PITCH)),
        field("Value", kind, at(0, -PITCH)),
        field("Footprint", f"{LIBRARY}:{kind}", at(0, 0), form("hide", "yes")),
        form("symbol", quoted(f"{kind}_0_1"), box),
        form("symbol", quoted(f"{kind}_1_1"), *(_pin(kind, pin, *place) for pin, place in PINS[kind].items())),
    )


def _pin(kind: str, number: int, x: float, y: float) -> str:
    name = pin_name(number) if kind == HEADER else "~"
    words = (form(what, quoted(said), lettering(1)) for what, said in (("name", name), ("number", str(number))))
    return form("pin", "passive", "line", at(x, y, 180 if x > 0 else 0), form("length", _LENGTHS[kind]), *words)
