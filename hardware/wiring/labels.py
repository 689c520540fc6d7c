"""The words of the front panel as labels to cut out, for a panel that was drilled and not engraved. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.wiring.drawing import BOLD_WIDTH, FAINT, INK, PAINT, SOFT, fitted, page, shape, text
from hardware.wiring.front import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hardware.wiring.front import Label
    from hardware.wiring.plan import Plan

WIDTH_MM, HEIGHT_MM = 210.0, 297.0
_MARGIN = 14.0
_TOP = 36.0
_GAP = 5.0
_ROOM = 3.0
"""Left and right of the words."""
_BAND = 2.0
"""A stripe of the button's colour, on the left of its label."""


def labels(plan: Plan, names: Mapping[str, str]) -> str:
    """Return the labels of a panel as an SVG document, A4 upright, in the size that they have on the front panel.

    Args:
        plan: which lights and buttons there are.
        names: what is printed, as for `front`.
    """
    body = [
        text(_MARGIN, 20, f"Labels: {plan.board.name}", 7, bold=True, room=WIDTH_MM - 2 * _MARGIN),
        text(_MARGIN, 27, "Print at 100 % on adhesive paper, or tape clear film over it, and cut out.", 3, fill=SOFT),
        *_rows(plan, names),
    ]
    return page(WIDTH_MM, HEIGHT_MM, f"Labels of the pin map {plan.board.name}", body)


def _rows(plan: Plan, names: Mapping[str, str]) -> Iterator[str]:
    colours = {names.get(f"button_{each.row}", ""): each.colour for each in plan.buttons}
    x, y = _MARGIN, _TOP
    # The largest first: the numbers of the lights share their rows.
    for label in sorted(words(plan, names), key=lambda label: -label.size_mm):
        width, height = _extent(label)
        if x + width > WIDTH_MM - _MARGIN:
            x, y = _MARGIN, y + height + _GAP
        yield from _label(label, x, y, colours.get(label.text, ""))
        x += width + _GAP


def _extent(label: Label) -> tuple[float, float]:
    size = _size(label)
    return len(label.text) * size * BOLD_WIDTH + 2 * _ROOM + _BAND, size * 2.2


def _size(label: Label) -> float:
    return label.size_mm if label.room_mm is None else fitted(label.text, label.size_mm, label.room_mm, bold=True)


def _label(label: Label, x: float, y: float, colour: str) -> Iterator[str]:
    width, height = _extent(label)
    yield shape("rect", x=x, y=y, width=width, height=height, fill="none", stroke=FAINT, stroke_width=0.15)
    if colour:
        yield shape("rect", x=x, y=y, width=_BAND, height=height, fill=PAINT[colour], stroke=INK, stroke_width=0.15)
    middle = x + (width + _BAND if colour else width) / 2
    yield text(middle, y + height / 2 + _size(label) * 0.36, label.text, _size(label), anchor="middle", bold=True)
