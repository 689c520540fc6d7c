"""The wiring as one sheet of A4: the 40-pin header with every wire on it, and how one light and one button go. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.boards import GROUND_PINS, HEADER_PINS
from hardware.wiring import electrics
from hardware.wiring.drawing import (
    FAINT,
    HAIR,
    INK,
    PAINT,
    SOFT,
    ground,
    number,
    page,
    paragraph,
    resistor,
    shape,
    strand,
    text,
    wire,
)
from hardware.wiring.parts import ground_wires, ohms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardware.wiring.plan import Plan, Wire

WIDTH_MM, HEIGHT_MM = 210.0, 297.0

_MARGIN = 14.0
_MIDDLE = WIDTH_MM / 2
_TOP = 51.0
"""Where the first row of the header is."""
_STEP = 7.3
"""From one row to the next; the header itself has 2.54."""
_PIN_RADIUS = 2.6
_WIRE_END = 36.0
"""From the middle of the sheet to where a wire meets its part."""

_POWER_PINS = {1: "3.3 V", 17: "3.3 V", 2: "5 V", 4: "5 V"}
_SUPPLY_PIN, _DRIVER_GROUND_PIN = 2, 6
"""Side by side, for the two wires of the drivers."""
_CELL_TOP, _CELL_HEIGHT = 205.0, 63.0
_DRIVEN_RED = "#b3261e"


def picture(plan: Plan) -> str:
    """The wiring of a plan as an SVG document, A4 upright."""
    return page(WIDTH_MM, HEIGHT_MM, f"Wiring of the pin map {plan.board.name}", list(_body(plan)))


def _body(plan: Plan) -> Iterator[str]:
    yield text(_MARGIN, 20, f"Wiring: {plan.board.name}", 7, bold=True, room=WIDTH_MM - 2 * _MARGIN)
    yield from paragraph(_MARGIN, 27, plan.board.description, WIDTH_MM - 2 * _MARGIN, most_lines=3)
    yield from _orientation()
    wires = {each.pin: each for each in plan.wires}
    free = {HEADER_PINS[bcm]: purpose for bcm, purpose in plan.board.reserved.items()}
    yield from _header_body()
    for pin in range(1, 41):
        if pin in wires:
            yield from _wired(wires[pin])
        else:
            yield from _unwired(plan, pin, free.get(pin, ""))
    yield from _cells(plan)
    yield from _footer(plan)


def _place(pin: int) -> tuple[float, float, int]:
    """Where a place of the header is on the sheet, and on which side: -1 left, 1 right."""
    side = -1 if pin % 2 else 1
    return _MIDDLE + side * _STEP / 2, _TOP + (pin - 1) // 2 * _STEP, side


def _anchor(side: int) -> str:
    return "end" if side < 0 else "start"


def _orientation() -> Iterator[str]:
    y = _TOP - 8.5
    yield text(_MIDDLE, y - 1.2, "seen from above,", 2.6, anchor="middle", fill=SOFT)
    yield text(_MIDDLE, y + 2.2, "memory card at this end", 2.6, anchor="middle", fill=SOFT)
    yield text(_MIDDLE - _WIRE_END, y + 2.2, "inner row of the board", 2.6, anchor="end", fill=SOFT)
    yield text(_MIDDLE + _WIRE_END, y + 2.2, "outer row, at the edge", 2.6, fill=SOFT)


def _header_body() -> Iterator[str]:
    yield shape(
        "rect",
        x=_MIDDLE - _STEP - 0.6,
        y=_TOP - _STEP / 2 - 0.6,
        width=2 * _STEP + 1.2,
        height=20 * _STEP + 1.2,
        rx=1.4,
        fill="#33363b",
    )


def _pin(pin: int, fill: str, ink: str) -> Iterator[str]:
    x, y, _ = _place(pin)
    if pin == 1:
        yield shape(
            "rect", x=x - _PIN_RADIUS, y=y - _PIN_RADIUS, width=2 * _PIN_RADIUS, height=2 * _PIN_RADIUS, fill=fill
        )
    else:
        yield shape("circle", cx=x, cy=y, r=_PIN_RADIUS, fill=fill)
    yield text(x, y + 0.95, str(pin), 2.7, anchor="middle", fill=ink, bold=True)


def _wired(each: Wire) -> Iterator[str]:
    x, y, side = _place(each.pin)
    end = _MIDDLE + side * _WIRE_END
    yield wire(f"M{number(x + side * _PIN_RADIUS)} {number(y)}H{number(end)}", each.colour)
    yield from _pin(each.pin, "#e3b94d", INK)
    if each.channel is None:
        yield resistor((x + end) / 2 + side * 2, y, each.resistor_ohms)
    if each.is_light:
        yield shape("circle", cx=end, cy=y, r=2.3, fill=PAINT[each.colour], stroke=INK, stroke_width=0.35)
        yield shape("path", d=f"M{number(end - 1.3)} {number(y - 0.5)}a1.4 1.4 0 0 1 1 -1", fill="none",
                    stroke="#ffffff", stroke_width=0.45, stroke_linecap="round")  # fmt: skip
    else:
        yield shape("rect", x=end - 2.4, y=y - 2.4, width=4.8, height=4.8, rx=1, fill="#e9ebee", stroke=INK,
                    stroke_width=0.35)  # fmt: skip
        yield shape("circle", cx=end, cy=y, r=1.6, fill=PAINT[each.colour], stroke=INK, stroke_width=0.3)
    said = end + side * 4.2
    yield text(said, y - 0.5, each.name, 3.3, anchor=_anchor(side), bold=True)
    yield text(said, y + 2.6, " · ".join(_details(each)), 2.5, anchor=_anchor(side), fill=SOFT)


def _details(each: Wire) -> Iterator[str]:
    yield f"{each.colour}, GPIO {each.bcm}"
    if each.channel:
        yield f"driver U{each.channel.chip}, leg {each.channel.input_leg}"
    else:
        yield ohms(each.resistor_ohms)
        yield f"ground {each.ground_pin}"


def _lead(pin: int, colour: str, name: str, detail: str) -> Iterator[str]:
    """A wire that feeds the lights."""
    x, y, side = _place(pin)
    end = _MIDDLE + side * _WIRE_END
    yield wire(f"M{number(x + side * _PIN_RADIUS)} {number(y)}H{number(end)}", colour)
    yield text(end + side * 4.2, y - 0.5, name, 3.3, anchor=_anchor(side), bold=True)
    yield text(end + side * 4.2, y + 2.6, detail, 2.5, anchor=_anchor(side), fill=SOFT)


def _unwired(plan: Plan, pin: int, purpose: str) -> Iterator[str]:
    x, y, side = _place(pin)
    said = x + side * 5.2
    if pin in GROUND_PINS:
        yield from _pin(pin, "#0f0f10", "#ffffff")
        if pin == _DRIVER_GROUND_PIN and plan.chips:
            yield from _lead(pin, "black", "ground", "to leg 9 of each driver")
            return
        yield text(said, y + 0.95, "ground", 2.7, anchor=_anchor(side), fill=INK)
    elif pin in _POWER_PINS:
        yield from _pin(pin, _DRIVEN_RED if _POWER_PINS[pin] == "5 V" else "#c9701f", "#ffffff")
        if pin == _SUPPLY_PIN and plan.chips and plan.fed_by_header:
            yield from _lead(pin, "red", "5 V", "to the resistors of the lights")
        else:
            yield text(said, y + 0.95, f"{_POWER_PINS[pin]}, not used", 2.7, anchor=_anchor(side), fill=FAINT)
    else:
        yield from _pin(pin, "#8a8f98", "#ffffff")
        bcm = next(bcm for bcm, place in HEADER_PINS.items() if place == pin)
        use = f"kept for {purpose}" if purpose else "free"
        yield text(said, y + 0.95, f"GPIO {bcm}, {use}", 2.7, anchor=_anchor(side), fill=FAINT, room=80)


# --- how one light and one button go -------------------------------------------------------------------------------


def _cells(plan: Plan) -> Iterator[str]:
    width = (WIDTH_MM - 2 * _MARGIN - 6) / 2
    left = _MARGIN
    if plan.lights:
        yield from _frame(left, width, "One light")
        yield from _driven_light(plan, left) if plan.chips else _direct_light(plan, left)
        left += width + 6
    yield from _frame(left, width, "One button")
    yield from _button(plan, left)


def _frame(left: float, width: float, title: str) -> Iterator[str]:
    yield shape("rect", x=left, y=_CELL_TOP, width=width, height=_CELL_HEIGHT, rx=2, fill="#fafafa", stroke=HAIR,
                stroke_width=0.3)  # fmt: skip
    yield text(left + 4, _CELL_TOP + 6.2, title, 3.8, bold=True)


def _chip(x: float, y: float, width: float, height: float, words: str) -> Iterator[str]:
    yield shape("rect", x=x, y=y, width=width, height=height, rx=1, fill="#ffffff", stroke=INK, stroke_width=0.35)
    yield text(x + width / 2, y + height + 3.6, words, 2.5, anchor="middle", fill=SOFT)


def _led(x: float, y: float, colour: str = "#f3f4f6") -> Iterator[str]:
    """The sign of a light that lies on a line from left (long leg) to right (short leg), 5 mm wide."""
    yield shape("path", d=f"M{number(x)} {number(y - 2.5)}v5l4.4 -2.5z", fill=colour, stroke=INK, stroke_width=0.4,
                stroke_linejoin="round")  # fmt: skip
    yield strand(f"M{number(x + 4.4)} {number(y - 2.5)}v5", 0.55)
    for shift in (0.0, 1.9):
        from_x, from_y = x + 1.6 + shift, y - 3.2
        yield strand(f"M{number(from_x)} {number(from_y)}l2 -2m-1.2 0h1.2v1.2", 0.3)


def _direct_light(plan: Plan, left: float) -> Iterator[str]:
    y = _CELL_TOP + 20
    yield from _chip(left + 5, y - 5, 13, 10, "Raspberry Pi")
    yield text(left + 11.5, y + 1, "GPIO", 2.6, anchor="middle")
    yield strand(f"M{number(left + 18)} {number(y)}H{number(left + 50)}M{number(left + 54.4)} {number(y)}h17.6v3")
    yield resistor(left + 28, y, plan.lights[0].resistor_ohms, 10)
    yield from _led(left + 50, y)
    yield ground(left + 72, y + 3)
    yield text(left + 28, y + 5, "resistor", 2.5, anchor="middle", fill=SOFT)
    yield text(left + 49.4, y + 5, "long leg", 2.5, anchor="end", fill=SOFT)
    yield text(left + 55, y + 5, "short leg", 2.5, fill=SOFT)
    yield text(left + 72, y + 10.6, "ground", 2.5, anchor="middle", fill=SOFT)
    yield from _resistor_list(plan, left, _CELL_TOP + 39)
    yield text(left + 4, _CELL_TOP + _CELL_HEIGHT - 4, "The flat side of an LED is its short leg.", 2.6, fill=SOFT)


def _driven_light(plan: Plan, left: float) -> Iterator[str]:
    top, bottom = _CELL_TOP + 15, _CELL_TOP + 28
    volts = f"{plan.board.supply_volts:g} V"
    yield text(left + 5, top + 1, f"+{volts}", 3, bold=True, fill=_DRIVEN_RED)
    yield strand(f"M{number(left + 14)} {number(top)}H{number(left + 44)}")
    yield strand(f"M{number(left + 48.4)} {number(top)}H{number(left + 78)}V{number(bottom)}H{number(left + 62)}")
    yield resistor(left + 23, top, plan.lights[0].resistor_ohms, 10)
    yield from _led(left + 44, top)
    yield text(left + 23, top + 4.6, "resistor", 2.5, anchor="middle", fill=SOFT)
    yield text(left + 43.4, top + 4.6, "long leg", 2.5, anchor="end", fill=SOFT)
    yield text(left + 49, top + 4.6, "short leg", 2.5, fill=SOFT)
    yield shape(
        "rect", x=left + 5, y=bottom - 4, width=13, height=8, rx=1, fill="#ffffff", stroke=INK, stroke_width=0.35
    )
    yield text(left + 11.5, bottom + 1, "GPIO", 2.6, anchor="middle")
    yield strand(f"M{number(left + 18)} {number(bottom)}H{number(left + 40)}")
    yield shape("rect", x=left + 40, y=bottom - 5.5, width=22, height=11, rx=1, fill="#33363b")
    yield text(left + 51, bottom + 1, "ULN2803A", 2.9, anchor="middle", fill="#ffffff", bold=True)
    yield text(left + 39, bottom - 1.1, "input", 2.4, anchor="end", fill=SOFT)
    yield text(left + 63, bottom - 1.1, "output", 2.4, fill=SOFT)
    yield strand(f"M{number(left + 46)} {number(bottom + 5.5)}v1.5")
    yield ground(left + 46, bottom + 6)
    yield text(left + 43, bottom + 9.4, "leg 9, ground", 2.4, anchor="end", fill=SOFT)
    yield strand(f"M{number(left + 56)} {number(bottom + 5.5)}v2.5")
    yield text(left + 57.4, bottom + 9.4, "leg 10, COM: free", 2.4, fill=SOFT)
    yield from _resistor_list(plan, left, _CELL_TOP + 45)
    yield text(left + 4, _CELL_TOP + _CELL_HEIGHT - 3.4, "The output of input leg n is leg 19 - n, right across.", 2.6,
               fill=SOFT)  # fmt: skip


def _resistor_list(plan: Plan, left: float, y: float) -> Iterator[str]:
    kinds = {(each.colour, each.resistor_ohms): each for each in plan.lights}
    for place, ((colour, value), each) in enumerate(kinds.items()):
        x, down = left + 4 + place % 2 * 42, y + place // 2 * 6
        yield shape("circle", cx=x + 1.6, cy=down, r=1.6, fill=PAINT[colour], stroke=INK, stroke_width=0.25)
        yield resistor(x + 9.5, down, value, 8)
        yield text(x + 15, down + 1, f"{ohms(value)}, {each.light_milliamps:.1f} mA", 2.7)


def _button(plan: Plan, left: float) -> Iterator[str]:
    y = _CELL_TOP + 25
    yield from _chip(left + 5, y - 14, 26, 19, "Raspberry Pi")
    yield text(left + 29, y - 3.2, "GPIO", 2.6, anchor="end")
    yield text(left + 12, y - 10.4, "3.3 V", 2.3, anchor="middle", fill=SOFT)
    yield strand(f"M{number(left + 12)} {number(y - 9.6)}v1.4m0 5.4V{number(y)}H{number(left + 31)}", dashed=True)
    yield shape("rect", x=left + 10.9, y=y - 8.2, width=2.2, height=5.4, fill="#ffffff", stroke=INK, stroke_width=0.3,
                stroke_dasharray="1 0.8")  # fmt: skip
    yield text(left + 14.4, y - 5.2, "inside", 2.3, fill=SOFT)
    yield strand(f"M{number(left + 31)} {number(y)}H{number(left + 54)}M{number(left + 64)} {number(y)}h12v3")
    most = max(each.resistor_ohms for each in plan.buttons)
    yield resistor(left + 41.5, y, most, 10)
    yield text(left + 41.5, y + 5, ohms(most), 2.5, anchor="middle", fill=SOFT)
    for contact in (54.0, 64.0):
        yield shape("circle", cx=left + contact, cy=y, r=0.8, fill="#ffffff", stroke=INK, stroke_width=0.4)
    yield strand(f"M{number(left + 54.2)} {number(y - 2.6)}h9.6m-4.8 0v-3.4m-2.4 0h4.8", 0.5)
    yield text(left + 59, y + 5, "button", 2.5, anchor="middle", fill=SOFT)
    yield ground(left + 76, y + 3)
    yield text(left + 76, y + 10.6, "ground", 2.5, anchor="middle", fill=SOFT)
    others = "; ".join(
        f"{each.name} has {ohms(each.resistor_ohms)}" for each in plan.buttons if each.resistor_ohms != most
    )
    yield from paragraph(
        left + 4,
        _CELL_TOP + 44,
        f"The resistor guards a pin that is driven by mistake{f' ({others})' if others else ''}. What pulls the pin up "
        "is inside the Raspberry Pi. A button with four legs goes in by two that are diagonally opposite.",
        88,
        2.6,
    )


def _footer(plan: Plan) -> Iterator[str]:
    y = _CELL_TOP + _CELL_HEIGHT + 7
    total = f"{plan.pins_milliamps:.1f} of {electrics.PINS_LIMIT_MILLIAMPS:g} mA"
    yield text(_MARGIN, y, f"All pins together: {total}, everything lit and pressed.", 2.8, fill=INK)
    to_header = "one wire" if ground_wires(plan) == 1 else "two wires"
    rail = f"All grounds are one: joined, they need {to_header} to the header."
    yield text(_MARGIN, y + 4.4, f"Only 3.3 V may ever reach a GPIO pin. {rail}", 2.8, fill=INK)
    yield text(_MARGIN, y + 8.8, "Solder with the power off, and count pins twice.", 2.8, fill=INK)
