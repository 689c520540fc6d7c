"""Header, resistor, plug and screw as holes and metal. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.wiring.kicad.channels import COLUMNS, PITCH, ROW
from hardware.wiring.kicad.forms import GENERATOR, Identities, at, field, form, layer, quoted, stroke
from hardware.wiring.kicad.symbols import HEADER, PLUG, RESISTOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOLE = "Hole"
KINDS = (HEADER, RESISTOR, PLUG, HOLE)
FORMAT = form("version", "20240108")

RESISTOR_LENGTH = 10.16
"""From one leg to the other: a quarter watt with legs bent as they like."""
HOLE_MM = 2.7
"""For a screw M2.5."""

PADS: dict[str, dict[int, tuple[float, float]]] = {
    # The inner row, with pin 1, is below the outer one.
    HEADER: {
        pin: (round(((pin - 1) // 2 - (COLUMNS - 1) / 2) * PITCH, 3), ROW if pin % 2 else -ROW)
        for pin in range(1, 2 * COLUMNS + 1)
    },
    RESISTOR: {1: (0.0, 0.0), 2: (RESISTOR_LENGTH, 0.0)},
    PLUG: {1: (0.0, 0.0), 2: (PITCH, 0.0)},
    HOLE: {},
}
"""Where the pads of each are, from where it is placed."""

METAL = {HEADER: (1.6, 1.0), RESISTOR: (1.6, 0.8), PLUG: (1.7, 1.0)}
"""How wide a pad is, and the hole in it."""
_OUTLINES = {HEADER: (-25.4, -2.54, 25.4, 2.54), RESISTOR: (1.93, -1.25, 8.23, 1.25), PLUG: (-1.27, -1.27, 3.81, 1.27)}


def file(kind: str) -> str:
    """Return a footprint of the library."""
    body = placed(kind, "REF**", kind, {}, 0, Identities(kind))
    return form("footprint", quoted(kind), FORMAT, GENERATOR, layer("F.Cu"), *body) + "\n"


def placed(
    kind: str, reference: str, value: str, nets: Mapping[int, str], turn: int, identities: Identities
) -> Iterator[str]:
    """Yield what a footprint consists of.

    Args:
        kind: which.
        reference: what it is called on the board.
        value: what it is.
        nets: the form of the net of each pad, as far as it has one.
        turn: how far it is turned on the board, in degrees.
        identities: of the project.
    """
    yield field("Reference", reference, at(0, -3, turn), layer("F.Fab"), identities.of(reference, "name"), height=0.8)
    yield field("Value", value, at(0, 3, turn), layer("F.Fab"), identities.of(reference, "value"), height=0.8)
    if kind == HOLE:
        # In no schematic, and nothing to buy.
        yield form("attr", "board_only", "exclude_from_pos_files", "exclude_from_bom")
        yield _pad("", "np_thru_hole", "circle", (0, 0, 0), (HOLE_MM, HOLE_MM), identities.of(reference, "hole"))
        return
    yield form("attr", "through_hole")
    left, top, right, bottom = _OUTLINES[kind]
    corners = form("start", left, top), form("end", right, bottom)
    yield form(
        "fp_rect", *corners, stroke(0.12), form("fill", "none"), layer("F.SilkS"), identities.of(reference, "outline")
    )
    for pin, (x, y) in PADS[kind].items():
        # A square says which is the first; a resistor has no first one.
        shape = "rect" if pin == 1 and kind != RESISTOR else "circle"
        more = [nets[pin]] if pin in nets else []
        yield _pad(str(pin), "thru_hole", shape, (x, y, turn), METAL[kind], *more, identities.of(reference, "pad", pin))


def _pad(
    name: str, kind: str, shape: str, place: tuple[float, float, float], metal: tuple[float, float], *more: str
) -> str:
    width, drill = metal
    layers = form("layers", quoted("*.Cu"), quoted("*.Mask"))
    size = form("size", width, width)
    return form("pad", quoted(name), kind, shape, at(*place), size, form("drill", drill), layers, *more)
