"""The front panel as a sheet of A4 to print at 100 %, tape on and drill through. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.panel import ROWS, Button
from hardware.wiring.drawing import INK, PAINT, SOFT, fitted, number, page, shape, strand, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hardware.wiring.plan import Plan, Wire

WIDTH_MM, HEIGHT_MM = 297.0, 210.0
PANEL_WIDTH_MM, PANEL_HEIGHT_MM = 250.0, 150.0
CORNER_MM = 4.0
"""Corners are round, so that no hand is hurt."""
LIGHT_HOLE_MM = 6.5
"""The hole for the clip of a 5 mm light."""
BUTTON_HOLE_MM = 24.0
"""The hole for a 24 mm push button, the small kind of arcade machines."""
SCREW_HOLE_MM = 3.2
"""M3, with room."""

_LEFT = (WIDTH_MM - PANEL_WIDTH_MM) / 2
_TOP = 22.0
_MIDDLE = WIDTH_MM / 2
_LIGHT_STEP = 24.0
_BUTTON_STEP = 38.0
_ROW_Y: dict[str, float] = {"liberal": _TOP + 29, "fascist": _TOP + 59, "tracker": _TOP + 89, "status": _TOP + 89}
_BUTTON_Y = _TOP + 121
_STATUS_X = _MIDDLE + 2.5 * _LIGHT_STEP
"""The status light sits under the last Fascist one, the election tracker under the first three."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole to drill.

    Attributes:
        name: of the light or the button; empty for a screw.
        x_mm: of its middle, from the left edge of the panel.
        y_mm: of its middle, from the upper edge of the panel.
        diameter_mm: its width.
    """

    name: str
    x_mm: float
    y_mm: float
    diameter_mm: float


@dataclass(frozen=True, slots=True)
class Label:
    """Words on the front panel.

    Attributes:
        text: the words.
        x_mm: of their left end, or of their middle, from the left edge of the panel.
        y_mm: of the line that they stand on, from the upper edge of the panel.
        size_mm: of the letters.
        is_centred: whether `x_mm` is their middle.
        room_mm: how wide they may be; None where they fit as they are.
        is_bold: whether they are meant to be read from a seat at the table.
    """

    text: str
    x_mm: float
    y_mm: float
    size_mm: float
    is_centred: bool = False
    room_mm: float | None = None
    is_bold: bool = True


def holes(plan: Plan) -> tuple[Hole, ...]:
    """Every hole of the front panel, lights and buttons first, then the screws in the corners."""
    corners = [(x, y) for y in (7.0, PANEL_HEIGHT_MM - 7) for x in (7.0, PANEL_WIDTH_MM - 7)]
    return (
        *(Hole(each.name, *_of_light(each), LIGHT_HOLE_MM) for each in plan.lights),
        *(Hole(each.name, *_of_button(each), BUTTON_HOLE_MM) for each in plan.buttons),
        *(Hole("", x, y, SCREW_HOLE_MM) for x, y in corners),
    )


def front(plan: Plan, labels: Mapping[str, str]) -> str:
    """The front panel of a plan as an SVG document, A4 lying.

    Args:
        plan: which lights and buttons there are.
        labels: what is printed, by `button_liberal` and so on for the buttons and `liberal_board`, `fascist_board`,
            `election_tracker` and `status_light` for the rows; a key that is missing is printed as it is.
    """
    return page(WIDTH_MM, HEIGHT_MM, f"Front panel of the pin map {plan.board.name}", list(_body(plan, labels)))


def _of_light(each: Wire) -> tuple[float, float]:
    y = _ROW_Y[each.row] - _TOP
    if each.row == "status":
        return _STATUS_X - _LEFT, y
    # The tracker stands under the left end of the longest row.
    count = max(ROWS.values()) if each.row == "tracker" else ROWS[each.row]
    return _MIDDLE - _LEFT + (each.place - 1 - (count - 1) / 2) * _LIGHT_STEP, y


def _of_button(each: Wire) -> tuple[float, float]:
    place = list(Button).index(Button(each.row))
    return _MIDDLE - _LEFT + (place - (len(Button) - 1) / 2) * _BUTTON_STEP, _BUTTON_Y - _TOP


_ROW_LABELS = {
    "liberal": "liberal_board",
    "fascist": "fascist_board",
    "tracker": "election_tracker",
    "status": "status_light",
}


def _body(plan: Plan, labels: Mapping[str, str]) -> Iterator[str]:
    yield text(_LEFT, 13, f"Front panel: {plan.board.name}", 5, bold=True, room=PANEL_WIDTH_MM)
    yield text(_LEFT, 18, f"{PANEL_WIDTH_MM:g} x {PANEL_HEIGHT_MM:g} mm, seen from the front", 3, fill=SOFT)
    size = {"width": PANEL_WIDTH_MM, "height": PANEL_HEIGHT_MM, "rx": CORNER_MM}
    yield shape("rect", x=_LEFT, y=_TOP, **size, fill="none", stroke=INK, stroke_width=0.3)
    colours = {each.name: each.colour for each in plan.wires if each.is_light}
    button_colours = {each.name: each.colour for each in plan.buttons}
    for hole in holes(plan):
        is_button = hole.diameter_mm == BUTTON_HOLE_MM
        yield from _hole(hole, (button_colours if is_button else colours).get(hole.name, ""))
    yield from map(_printed, words(plan, labels))
    yield from _legend(plan)


def _hole(hole: Hole, colour: str) -> Iterator[str]:
    x, y, radius = _LEFT + hole.x_mm, _TOP + hole.y_mm, hole.diameter_mm / 2
    ring: dict[str, str | float] = {"fill": PAINT[colour], "fill_opacity": 0.16} if colour else {"fill": "none"}
    yield shape("circle", cx=x, cy=y, r=radius, stroke=INK, stroke_width=0.25, **ring)
    reach = radius + 2
    yield strand(
        f"M{number(x - reach)} {number(y)}h{number(2 * reach)}M{number(x)} {number(y - reach)}v{number(2 * reach)}",
        0.12,
    )


def words(plan: Plan, labels: Mapping[str, str]) -> Iterator[Label]:
    """Yield every label of a front panel: those of the rows, the numbers of the lights, and those of the buttons.

    Args:
        plan: which lights and buttons there are.
        labels: what is printed, as for `front`.
    """
    first = {each.row: each for each in reversed(plan.lights)}
    for row, each in first.items():
        x, y = _of_light(each)
        said = labels.get(_ROW_LABELS[row], _ROW_LABELS[row])
        if row == "status":
            yield Label(said, x, y - 9, 3.8, is_centred=True, room_mm=44)
        else:
            yield Label(said, x - LIGHT_HOLE_MM / 2, y - 9, 3.8, room_mm=70)
    for each in plan.lights:
        if each.row != "status":
            x, y = _of_light(each)
            yield Label(str(each.place), x, y + 8.6, 3, is_centred=True, is_bold=False)
    # The names of the buttons are all as large as the longest of them can be.
    names = {each.row: labels.get(f"button_{each.row}", f"button_{each.row}") for each in plan.buttons}
    size = min((fitted(name, 4.6, _BUTTON_STEP - 3, bold=True) for name in names.values()), default=4.6)
    for each in plan.buttons:
        x, y = _of_button(each)
        yield Label(names[each.row], x, y + BUTTON_HOLE_MM / 2 + 7, size, is_centred=True)


def _printed(label: Label) -> str:
    return text(
        _LEFT + label.x_mm,
        _TOP + label.y_mm,
        label.text,
        label.size_mm,
        anchor="middle" if label.is_centred else "start",
        fill=INK if label.is_bold else SOFT,
        bold=label.is_bold,
        room=label.room_mm,
    )


def _legend(plan: Plan) -> Iterator[str]:
    y = _TOP + PANEL_HEIGHT_MM + 9
    kinds = [(len(plan.buttons), BUTTON_HOLE_MM, "buttons"), (len(plan.lights), LIGHT_HOLE_MM, "lights in clips")]
    kinds.append((4, SCREW_HOLE_MM, "screws"))
    said = ", ".join(f"{count} x {width:g} mm for {what}" for count, width, what in kinds if count)
    yield text(_LEFT, y, f"Drill {said}.", 3)
    yield text(
        _LEFT, y + 5, "Print at 100 % (not fitted to the page) and measure the bar before you drill.", 3, fill=SOFT
    )
    right = _LEFT + PANEL_WIDTH_MM
    marks = "".join(f"M{number(right - 100 + tick * 10)} {number(y - 2)}v{3 if tick % 5 else 4}" for tick in range(11))
    yield strand(f"M{number(right - 100)} {number(y)}H{number(right)}{marks}", 0.25)
    yield text(right - 50, y + 5, "100 mm", 3, anchor="middle")
