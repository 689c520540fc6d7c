"""The front panel for a laser cutter (DXF) and a case for a 3D printer (OpenSCAD), from the holes of a plan. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardware.wiring.drawing import PAINT, fitted, number
from hardware.wiring.front import (
    BUTTON_HOLE_MM,
    CORNER_MM,
    LIGHT_HOLE_MM,
    PANEL_HEIGHT_MM,
    PANEL_WIDTH_MM,
    holes,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hardware.wiring.front import Label
    from hardware.wiring.plan import Plan, Wire

CUT, ENGRAVE = "CUT", "ENGRAVE"
"""The layers: red to cut through, blue to engrave, as laser cutters take them."""

_RED, _BLUE = 1, 5
_MILLIMETRES = 4
"""Of $INSUNITS."""


def dxf(plan: Plan, labels: Mapping[str, str]) -> str:
    """Return the front panel as a DXF drawing (R12, millimetres): outline and holes on one layer, words on another.

    Args:
        plan: which lights and buttons there are.
        labels: what is engraved, as for `front`.
    """
    return "".join(f"{code}\n{value}\n" for code, value in _dxf(plan, labels))


_Pairs = tuple[int, str | int | float]


def _dxf(plan: Plan, labels: Mapping[str, str]) -> Iterator[_Pairs]:
    yield from ((0, "SECTION"), (2, "HEADER"), (9, "$ACADVER"), (1, "AC1009"), (9, "$INSUNITS"), (70, _MILLIMETRES))
    yield from ((0, "ENDSEC"), (0, "SECTION"), (2, "TABLES"), (0, "TABLE"), (2, "LAYER"), (70, 2))
    for layer, colour in ((CUT, _RED), (ENGRAVE, _BLUE)):
        yield from ((0, "LAYER"), (2, layer), (70, 0), (62, colour), (6, "CONTINUOUS"))
    yield from ((0, "ENDTAB"), (0, "ENDSEC"), (0, "SECTION"), (2, "ENTITIES"))
    yield from _outline()
    for hole in holes(plan):
        yield from ((0, "CIRCLE"), (8, CUT), (10, hole.x_mm), (20, PANEL_HEIGHT_MM - hole.y_mm))
        yield (40, hole.diameter_mm / 2)
    for label in words(plan, labels):
        size = label.size_mm if label.room_mm is None else fitted(label.text, label.size_mm, label.room_mm, bold=True)
        x, y = label.x_mm, PANEL_HEIGHT_MM - label.y_mm
        # DXF means the height of a capital letter, print the size of the type.
        yield from ((0, "TEXT"), (8, ENGRAVE), (10, x), (20, y), (40, size * 0.7), (1, _plain(label.text)))
        if label.is_centred:
            yield from ((72, 1), (11, x), (21, y))
    yield from ((0, "ENDSEC"), (0, "EOF"))


def _outline() -> Iterator[_Pairs]:
    """Four edges and four round corners."""
    right, upper, radius = PANEL_WIDTH_MM, PANEL_HEIGHT_MM, CORNER_MM
    edges = (
        ((radius, 0.0), (right - radius, 0.0)),
        ((right, radius), (right, upper - radius)),
        ((right - radius, upper), (radius, upper)),
        ((0.0, upper - radius), (0.0, radius)),
    )
    for (x, y), (to_x, to_y) in edges:
        yield from ((0, "LINE"), (8, CUT), (10, x), (20, y), (11, to_x), (21, to_y))
    corners = ((radius, radius, 180), (right - radius, radius, 270), (right - radius, upper - radius, 0))
    for x, y, begin in (*corners, (radius, upper - radius, 90)):
        yield from ((0, "ARC"), (8, CUT), (10, x), (20, y), (40, radius), (50, begin), (51, (begin + 90) % 360))


def _plain(text: str) -> str:
    """Return words in ASCII, as R12 has them: any other letter by its number."""
    return "".join(letter if letter.isascii() else f"\\U+{ord(letter):04X}" for letter in text)


_CASE = """\
// A case for the pin map {name}, to print or to change: made by `companion wiring --case`. Lengths are millimetres.
// Show one part, make an STL of it, then the other.
part = "both"; // "front", "back", "both", or "built" to see the box with everything in it

width = {width};
height = {height};
depth = 60;       // room behind the front: a button with its plugs takes 40
wall = 3;
corner = {corner};
screw = {screw};      // M3, through the front
thread = 2.6;     // what an M3 screw cuts its own thread into
post = 11;
supply = [13, 9]; // the hole for the supply's plug, in the upper side, away from the players
cable = 6;        // and one for a cable to a loudspeaker
vents = 9;        // slots in the upper side, above the processor
speaker = 0;      // the width of a loudspeaker behind the left side; 0 for none

// x and y of each hole from the lower left corner of the front, and its width
holes = [
{holes}
];

// what is seen of a box that is built: x, y and colour of each light and button; x, y, size and text of each word
lights = [
{lights}
];
buttons = [
{buttons}
];
words = [
{words}
];

$fn = 64;

module plate(inset = 0) {{
  round = max(0.5, corner - inset);
  translate([inset + round, inset + round]) offset(r = round)
    square([width - 2 * (inset + round), height - 2 * (inset + round)]);
}}

module front() {{
  linear_extrude(wall) difference() {{
    plate();
    for (hole = holes) translate([hole[0], hole[1]]) circle(d = hole[2]);
  }}
}}

module back() {{
  difference() {{
    union() {{
      difference() {{
        linear_extrude(depth + wall) plate();
        translate([0, 0, wall]) linear_extrude(depth + 1) plate(wall);
      }}
      for (hole = holes) if (hole[2] == screw) translate([hole[0], hole[1]]) intersection() {{
        cylinder(d = post, h = depth + wall);
        translate([-hole[0], -hole[1]]) linear_extrude(depth + wall) plate();
      }}
    }}
    for (hole = holes) if (hole[2] == screw)
      translate([hole[0], hole[1], wall + depth - 16]) cylinder(d = thread, h = 17);
    translate([width * 0.2, height + 1, wall + 14]) rotate([90, 0, 0]) linear_extrude(wall + 2)
      offset(r = 1.5) offset(delta = -1.5) square(supply, center = true);
    translate([width * 0.35, height + 1, wall + 14]) rotate([90, 0, 0]) cylinder(d = cable, h = wall + 2);
    for (slot = [0 : vents - 1]) translate([width * 0.62 + slot * 8, height - wall - 1, wall + 12])
      cube([3, wall + 2, depth - 24]);
    if (speaker > 0) for (ring = [0 : 5], turn = [0 : 30 : 330]) translate([-1, height / 2, wall + depth / 2])
      rotate([0, 90, 0]) rotate(turn) translate([ring * speaker / 12, 0]) cylinder(d = 3.5, h = wall + 2, $fn = 12);
  }}
}}

module built() {{
  color("#5b3a26") back();
  translate([0, 0, depth + wall]) {{
    color("#efe4cc") front();
    for (hole = holes) if (hole[2] == screw) translate([hole[0], hole[1], wall])
      color("#8d8f94") cylinder(d = 5.6, h = 1.4);
    for (light = lights) translate([light[0], light[1], wall]) {{
      color("#2b2b2e") cylinder(d = 8, h = 1.2);
      color(light[2]) translate([0, 0, 1.2]) {{ cylinder(d = 5, h = 1.2); translate([0, 0, 1.2]) sphere(d = 5); }}
    }}
    for (button = buttons) translate([button[0], button[1], wall]) {{
      color("#1f1f22") cylinder(d1 = 28, d2 = 26.5, h = 3);
      color(button[2]) translate([0, 0, 3]) {{
        cylinder(d = 21, h = 3);
        translate([0, 0, 3]) cylinder(d1 = 21, d2 = 18, h = 1.2);
      }}
    }}
    for (word = words) translate([word[0], word[1], wall]) color("#2a211b") linear_extrude(0.3)
      text(word[3], size = word[2] * 0.72, halign = word[4], font = "DejaVu Sans:style=Bold");
  }}
}}

if (part == "built") built();
if (part == "front" || part == "both") translate([0, 0, part == "both" ? depth + wall + 25 : 0])
  color("#efe4cc") front();
if (part == "back" || part == "both") color("#5b3a26") back();
"""


def case(plan: Plan, labels: Mapping[str, str]) -> str:
    """Return a case for the front panel of a plan: an OpenSCAD program, with what may be changed on top.

    Args:
        plan: which lights and buttons there are.
        labels: what stands on the panel in the picture of the whole box, as for `front`.
    """
    rows = "\n".join(
        f"  [{number(hole.x_mm)}, {number(PANEL_HEIGHT_MM - hole.y_mm)}, {number(hole.diameter_mm)}],"
        f" // {hole.name or 'screw'}"
        for hole in holes(plan)
    )
    screw = min(hole.diameter_mm for hole in holes(plan))
    return _CASE.format(
        name=plan.board.name,
        width=number(PANEL_WIDTH_MM),
        height=number(PANEL_HEIGHT_MM),
        corner=number(CORNER_MM),
        screw=number(screw),
        holes=rows,
        lights=_coloured(plan, plan.lights),
        buttons=_coloured(plan, plan.buttons),
        words="\n".join(map(_word, words(plan, labels))),
    )


def _coloured(plan: Plan, wires: Iterable[Wire]) -> str:
    """Where each is, and its colour."""
    place = {(hole.name, hole.diameter_mm): hole for hole in holes(plan)}
    rows = []
    for wire in wires:
        hole = place[wire.name, LIGHT_HOLE_MM if wire.is_light else BUTTON_HOLE_MM]
        x, y = number(hole.x_mm), number(PANEL_HEIGHT_MM - hole.y_mm)
        rows.append(f'  [{x}, {y}, "{PAINT[wire.colour]}"], // {wire.name}')
    return "\n".join(rows)


def _word(label: Label) -> str:
    size = label.size_mm if label.room_mm is None else fitted(label.text, label.size_mm, label.room_mm, bold=True)
    facts = (
        number(label.x_mm),
        number(PANEL_HEIGHT_MM - label.y_mm),
        number(size),
        json.dumps(label.text, ensure_ascii=False),
    )
    return f'  [{", ".join(facts)}, "{"center" if label.is_centred else "left"}"],'
