"""The stripboard behind the panel, hole by hole: where it is cut, what sits where, and which wire goes in. Pure.

A strip of copper for each wire. It is cut under the resistor: left of that is the pin, right of it the part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from string import ascii_uppercase
from typing import TYPE_CHECKING

from hardware.boards import GROUND_PINS
from hardware.wiring.drawing import (
    FAINT,
    INK,
    PAINT,
    SOFT,
    number,
    page,
    paragraph,
    resistor,
    shape,
    strand,
    text,
    wire,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from hardware.wiring.plan import Plan, Wire

PITCH_MM = 2.54
"""From one hole to the next, on any stripboard."""

_PIN_COLUMN = 2
_RESISTOR_HOLES = 4
"""From one end of a resistor to the other: 10 mm, as the legs of a quarter watt like to be bent."""
_CHIP_HOLES = 3
"""From one row of legs of a chip to the other."""
_CHIP_LEGS = 9
"""On each side."""
_SUPPLY_PIN = 2


@dataclass(frozen=True, slots=True)
class Joint:
    """A hole into which the end of a wire goes.

    Attributes:
        strip: which strip, from 0.
        column: which hole of it, from 1.
        to: where the wire leads: `pin 11`, `liberal 1, long leg`.
        colour: of the wire in the drawing.
    """

    strip: int
    column: int
    to: str
    colour: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A resistor between two holes of a strip.

    Attributes:
        strip: which strip, from 0.
        left: the hole of one end, from 1.
        right: the hole of the other.
        ohms: its value.
    """

    strip: int
    left: int
    right: int
    ohms: int


@dataclass(frozen=True, slots=True)
class Chip:
    """A driver chip across nine strips, leg 1 upper left.

    Attributes:
        name: `U1`.
        strip: the strip of leg 1.
        left: the column of legs 1 to 9.
        right: the column of legs 18 to 10.
    """

    name: str
    strip: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Link:
    """A piece of wire from one strip to another.

    Attributes:
        column: in which column it lies.
        upper: the strip of one end.
        lower: the strip of the other.
    """

    column: int
    upper: int
    lower: int


@dataclass(frozen=True, slots=True)
class Stripboard:
    """What there is on the board.

    Attributes:
        strips: how many.
        columns: how many holes each has, at least.
        joints: where wires go in.
        resistors: with the cut of the strip below each.
        chips: with the cut of the strips below each.
        links: from strip to strip.
        cuts: strip and column of each hole at which a strip is cut.
    """

    strips: int
    columns: int
    joints: tuple[Joint, ...]
    resistors: tuple[Placed, ...]
    chips: tuple[Chip, ...]
    links: tuple[Link, ...]
    cuts: tuple[tuple[int, int], ...]


def letter(strip: int) -> str:
    """Return what a strip is called: A, B, C and so on."""
    return ascii_uppercase[strip] if strip < len(ascii_uppercase) else f"A{ascii_uppercase[strip % 26]}"


def stripboard(plan: Plan) -> Stripboard:
    """Return the board of a plan: common strips outside, and one for each wire between them."""
    return _driven(plan) if plan.chips else _direct(plan)


def _direct(plan: Plan) -> Stripboard:
    """Lights on their pins, then buttons; a strip of ground above the ones and below the others."""
    strips = len(plan.wires) + (2 if plan.lights else 1)
    joints: list[Joint] = []
    resistors = []
    first = 1 if plan.lights else 0
    for strip, each in enumerate(plan.wires, first):
        placed, ends = _wired(strip, each, _PIN_COLUMN + 2, _PIN_COLUMN)
        resistors.append(placed)
        joints += ends
    if plan.lights:
        joints += _common(
            0, [f"pin {GROUND_PINS_ENDS[0]}, ground"], [f"{each.name}, short leg" for each in plan.lights]
        )
    joints += _common(strips - 1, [f"pin {GROUND_PINS_ENDS[1]}, ground"], [each.name for each in plan.buttons])
    columns = max(joint.column for joint in joints) + 1
    cuts = [(each.strip, each.left + 1) for each in resistors]
    return Stripboard(strips, columns, tuple(joints), tuple(resistors), (), (), tuple(cuts))


def _driven(plan: Plan) -> Stripboard:
    """The supply above, then the chips with a resistor at each output, then buttons, and ground below."""
    ground = 1 + plan.chips * _CHIP_LEGS + len(plan.buttons)
    left = _PIN_COLUMN + 3
    right = left + _CHIP_HOLES
    chips = [Chip(f"U{chip + 1}", 1 + chip * _CHIP_LEGS, left, right) for chip in range(plan.chips)]
    cuts = [(chip.strip + leg, left + 1) for chip in chips for leg in range(_CHIP_LEGS)]
    joints: list[Joint] = []
    resistors = []
    for each in plan.lights:
        assert each.channel is not None  # noqa: S101 - there are chips
        strip = chips[each.channel.chip - 1].strip + each.channel.input_leg - 1
        # Between the output and the short leg it does the same as before the long one.
        placed, ends = _wired(strip, each, right + 2, _PIN_COLUMN)
        resistors.append(placed)
        joints += ends
    for strip, each in enumerate(plan.buttons, ground - len(plan.buttons)):
        placed, ends = _wired(strip, each, right + 2, _PIN_COLUMN)
        resistors.append(placed)
        joints += ends
    volts = f"{plan.board.supply_volts:g} V"
    source = f"pin {_SUPPLY_PIN}, {volts}" if plan.fed_by_header else f"+{volts} of the supply"
    joints += _common(0, [source], [f"{each.name}, long leg" for each in plan.lights], "red")
    back = [f"pin {GROUND_PINS_ENDS[0]}, ground", *([] if plan.fed_by_header else ["minus of the supply"])]
    links = [Link(_PIN_COLUMN + 1 + place, chip.strip + _CHIP_LEGS - 1, ground) for place, chip in enumerate(chips)]
    joints += _common(ground, back, [each.name for each in plan.buttons], taken={link.column for link in links})
    cuts += [(each.strip, each.left + 1) for each in resistors]
    columns = max(joint.column for joint in joints) + 1
    return Stripboard(ground + 1, columns, tuple(joints), tuple(resistors), tuple(chips), tuple(links), tuple(cuts))


GROUND_PINS_ENDS = (min(GROUND_PINS), max(GROUND_PINS))
"""The grounds at the two ends of the header."""


def _wired(strip: int, each: Wire, left: int, pin_column: int) -> tuple[Placed, tuple[Joint, Joint]]:
    """The resistor of a wire, and its two ends: the pin, and the part."""
    right = left + _RESISTOR_HOLES
    leg = ("short leg" if each.channel else "long leg") if each.is_light else ""
    part = Joint(strip, right + 2, f"{each.name}{', ' if leg else ''}{leg}", each.colour)
    return Placed(strip, left, right, each.resistor_ohms), (
        Joint(strip, pin_column, f"pin {each.pin} (GPIO {each.bcm})", each.colour),
        part,
    )


def _common(
    strip: int, sources: list[str], parts: list[str], colour: str = "black", taken: Collection[int] = ()
) -> Iterator[Joint]:
    """The ends of wires on a strip that many share, past holes that are taken."""
    free = (column for column in count(_PIN_COLUMN) if column not in taken)
    for column, to in zip(free, [*sources, *parts], strict=False):
        yield Joint(strip, column, to, colour)


# --- the drawing ----------------------------------------------------------------------------------------------------

WIDTH_MM, HEIGHT_MM = 210.0, 297.0
_MARGIN = 14.0
_TOP = 48.0
_STEP = 6.0
"""From hole to hole in the large view."""
_COPPER = "#e6c39a"
_BELOW_MM = 13.0
_ENDS = 2
"""A wire has two."""
_SOURCES = ("pin", "+", "minus")
"""How the ends begin that lead to the header or a supply."""


def draw(plan: Plan) -> str:
    """Return the board of a plan as an SVG document, A4 upright: large from above, and in true size from below."""
    board = stripboard(plan)
    body = [
        text(_MARGIN, 20, f"Stripboard: {plan.board.name}", 7, bold=True, room=WIDTH_MM - 2 * _MARGIN),
        *paragraph(
            _MARGIN,
            27,
            f"{board.strips} strips with {board.columns} holes each, at least; seen from above, with the copper below. "
            "Cut the strips first, each at the hole with a cross. Then resistors, then wires. A strip of ground or of "
            "plus takes its wires in any of its holes.",
            WIDTH_MM - 2 * _MARGIN,
        ),
        *_large(board),
        *_true_size(board),
    ]
    return page(WIDTH_MM, HEIGHT_MM, f"Stripboard of the pin map {plan.board.name}", body)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Where the large view lies on its paper."""

    board: Stripboard

    @property
    def left(self) -> float:
        """The edge of the board."""
        return (WIDTH_MM - self.board.columns * _STEP) / 2

    @property
    def right(self) -> float:
        """The other edge."""
        return WIDTH_MM - self.left

    def x(self, column: float) -> float:
        """The middle of the holes of a column."""
        return self.left + (column - 0.5) * _STEP

    def y(self, strip: int) -> float:
        """The middle of a strip."""
        return _TOP + strip * _STEP


def _large(board: Stripboard) -> Iterator[str]:
    sheet = _Sheet(board)
    for column in range(1, board.columns + 1):
        yield text(sheet.x(column), _TOP - 4.2, str(column), 2, anchor="middle", fill=FAINT)
    for strip in range(board.strips):
        y = sheet.y(strip)
        size = {"width": sheet.right - sheet.left, "height": _STEP * 0.66}
        yield shape("rect", x=sheet.left, y=y - _STEP * 0.33, **size, fill=_COPPER)
        for column in range(1, board.columns + 1):
            yield shape("circle", cx=sheet.x(column), cy=y, r=0.7, fill="#ffffff")
        yield text(_MARGIN, y + 0.9, letter(strip), 2.6, fill=FAINT)
    for link in board.links:
        yield wire(
            f"M{number(sheet.x(link.column))} {number(sheet.y(link.upper))}V{number(sheet.y(link.lower))}", "black"
        )
        yield from (_end(sheet.x(link.column), sheet.y(strip), "black") for strip in (link.upper, link.lower))
    for placed in board.resistors:
        x, to, y = sheet.x(placed.left), sheet.x(placed.right), sheet.y(placed.strip)
        yield strand(f"M{number(x)} {number(y)}H{number(to)}", 0.5, colour="#8a8f98")
        yield resistor((x + to) / 2 + _STEP * 0.4, y, placed.ohms, (to - x) * 0.42)
    for chip in board.chips:
        yield from _chip(chip, sheet.x(chip.left), sheet.y(chip.strip), sheet.x(chip.right))
    for strip, column in board.cuts:
        yield from _cross(sheet.x(column), sheet.y(strip), 1.5)
    for strip in range(board.strips):
        joints = [joint for joint in board.joints if joint.strip == strip]
        yield from _shared(sheet, strip, joints) if len(joints) > _ENDS else _own(sheet, strip, joints)


def _own(sheet: _Sheet, strip: int, joints: list[Joint]) -> Iterator[str]:
    """The two ends of a wire with a strip of its own: the pin on the left, the part on the right."""
    y = sheet.y(strip)
    for joint in joints:
        x = sheet.x(joint.column)
        is_pin = joint.to.startswith("pin")
        to = sheet.left - 4.4 if is_pin else sheet.right + 2.4
        yield wire(f"M{number(x)} {number(y)}H{number(to)}", joint.colour)
        yield _end(x, y, joint.colour)
        yield text(to + (-0.8 if is_pin else 0.8), y + 1, joint.to, 3, anchor="end" if is_pin else "start", room=46)


def _shared(sheet: _Sheet, strip: int, joints: list[Joint]) -> Iterator[str]:
    """The wires of a strip that many share: every hole is as good as another."""
    y = sheet.y(strip)
    sources = [joint.to for joint in joints if joint.to.startswith(_SOURCES)]
    legs = {joint.to.partition(", ")[2] for joint in joints} & {"long leg", "short leg"}
    for joint in joints:
        yield _end(sheet.x(joint.column), y, joint.colour)
    yield text(sheet.left - 5.2, y + 1, " and ".join(sources), 3, anchor="end", room=46)
    parts = f"{legs.pop()}s of all lights" if legs else "other legs of all buttons"
    yield text(sheet.right + 3.2, y + 1, parts, 3, room=WIDTH_MM - 6 - sheet.right - 3.2)


def _end(x: float, y: float, colour: str) -> str:
    return shape("circle", cx=x, cy=y, r=1.15, fill=PAINT[colour], stroke=INK, stroke_width=0.3)


def _cross(x: float, y: float, reach: float) -> Iterator[str]:
    way = f"M{number(x - reach)} {number(y - reach)}l{number(2 * reach)} {number(2 * reach)}"
    yield strand(f"{way}m0 {number(-2 * reach)}l{number(-2 * reach)} {number(2 * reach)}", reach / 3, colour="#b3261e")


def _chip(chip: Chip, x: float, y: float, right: float) -> Iterator[str]:
    height = (_CHIP_LEGS - 1) * _STEP
    body = {"width": right - x - 2.4, "height": height + 4}
    yield shape("rect", x=x + 1.2, y=y - 2, **body, rx=1, fill="#33363b", fill_opacity=0.9)
    yield shape("circle", cx=(x + right) / 2, cy=y - 2, r=1.6, fill="#ffffff")
    yield text(x + 0.65 * (right - x), y + height / 2 + 1, chip.name, 3.4, anchor="middle", fill="#ffffff", bold=True)
    for leg in range(_CHIP_LEGS):
        for column, name in ((x, leg + 1), (right, 2 * _CHIP_LEGS - leg)):
            yield shape("circle", cx=column, cy=y + leg * _STEP, r=1.2, fill="#c9ccd1", stroke=INK, stroke_width=0.25)
            yield text(column, y + leg * _STEP + 0.65, str(name), 1.7, anchor="middle")


def _true_size(board: Stripboard) -> Iterator[str]:
    """The side of the copper in its true size, for whoever cuts: what was left is right."""
    top = _TOP + board.strips * _STEP + _BELOW_MM
    left = _MARGIN + 6
    width = (board.columns - 1) * PITCH_MM
    yield text(_MARGIN, top - 4.5, "From below, in true size", 3.8, bold=True)
    for strip in range(board.strips):
        y = top + strip * PITCH_MM
        yield shape("rect", x=left - 1.2, y=y - 0.9, width=width + 2.4, height=1.8, fill=_COPPER)
        yield text(left + width + 2, y + 0.7, letter(strip), 1.8, fill=FAINT)
        for column in range(board.columns):
            yield shape("circle", cx=left + column * PITCH_MM, cy=y, r=0.5, fill="#ffffff")
    for strip, column in board.cuts:
        yield from _cross(left + width - (column - 1) * PITCH_MM, top + strip * PITCH_MM, 0.8)
    said = (
        f"{len(board.cuts)} cuts. Column 1 is on the right here. A drill of 4 mm, turned by hand, cuts a strip; hold "
        "the board against a lamp afterwards, and measure that no strip has a connection to its neighbour, nor across "
        "a cut. Printed at 100 %, it lies hole by hole as on the board."
    )
    yield from paragraph(
        left + width + 12, top + 2, said, WIDTH_MM - _MARGIN - left - width - 12, fill=SOFT, most_lines=12
    )
