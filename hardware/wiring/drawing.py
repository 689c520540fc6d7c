"""The few strokes that both drawings are made of. Lengths are millimetres on paper. Pure."""

from __future__ import annotations

from html import escape
from textwrap import wrap

INK = "#1d1d1f"
SOFT = "#5f6368"
FAINT = "#9aa0a6"
HAIR = "#d5d8dc"
PAPER = "#ffffff"

PAINT: dict[str, str] = {
    "red": "#d0312d",
    "orange": "#ef7d1a",
    "yellow": "#f5c518",
    "green": "#2e9e4f",
    "blue": "#2563c9",
    "white": "#fbfbf8",
    "black": "#26262a",
}
"""Colours of lights, buttons and wires, as they print."""

LETTER_WIDTH, BOLD_WIDTH = 0.62, 0.74
"""How wide the letters of a line are at most on average, in any of our alphabets, as a part of its size."""


def number(value: float) -> str:
    """A length without digits that no printer could show."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _attributes(attributes: dict[str, str | float]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
    )


def shape(name: str, **attributes: str | float) -> str:
    """One element. A `_` in an attribute's name is a hyphen, and one at its end is nothing."""
    return f"<{name}{_attributes(attributes)}/>"


def fitted(words: str, size: float, room: float, *, bold: bool = False) -> float:
    """The largest size up to `size` at which words are no wider than `room`, even if every letter is a wide one."""
    return min(size, room / (max(1, len(words)) * (BOLD_WIDTH if bold else LETTER_WIDTH)))


def text(
    x: float,
    y: float,
    words: str,
    size: float = 3.0,
    *,
    anchor: str = "start",
    fill: str = INK,
    bold: bool = False,
    room: float | None = None,
) -> str:
    """A line of text.

    Args:
        x: where it begins, ends or has its middle, by `anchor`.
        y: its base line.
        words: what it says.
        size: its height.
        anchor: `start`, `middle` or `end`.
        fill: its colour.
        bold: whether it stands out.
        room: how wide it may be; a line that could be wider is set smaller.
    """
    if room is not None:
        size = fitted(words, size, room, bold=bold)
    attributes: dict[str, str | float] = {"x": x, "y": y, "font_size": size, "fill": fill}
    if anchor != "start":
        attributes["text_anchor"] = anchor
    if bold:
        attributes["font_weight"] = "bold"
    return f"<text{_attributes(attributes)}>{escape(words, quote=False)}</text>"


def paragraph(
    x: float, y: float, words: str, width: float, size: float = 3.0, fill: str = SOFT, most_lines: int = 4
) -> list[str]:
    """Text on as many lines as it needs, each no wider than `width`; what does not fit on `most_lines` is left out."""
    letters = int(width / (size * LETTER_WIDTH))
    lines = wrap(" ".join(words.split()), letters, max_lines=most_lines, placeholder=" …")
    return [text(x, y + place * size * 1.42, line, size, fill=fill) for place, line in enumerate(lines)]


def wire(points: str, colour: str) -> str:
    """A wire along a path, in its colour with a dark edge, so that a white one shows too."""
    stroke = {"fill": "none", "stroke_linecap": "round", "stroke_linejoin": "round"}
    return shape("path", d=points, stroke=INK, stroke_width=1.25, **stroke) + shape(
        "path", d=points, stroke=PAINT.get(colour, colour), stroke_width=0.85, **stroke
    )


def strand(points: str, width: float = 0.4, *, dashed: bool = False, colour: str = INK) -> str:
    """A thin line along a path, as in a circuit diagram."""
    attributes: dict[str, str | float] = {"d": points, "fill": "none", "stroke": colour, "stroke_width": width}
    if dashed:
        attributes["stroke_dasharray"] = "1 0.8"
    return shape("path", stroke_linejoin="round", **attributes)


def ground(x: float, y: float) -> str:
    """The sign of ground, hanging from a point."""
    return strand(
        f"M{number(x)} {number(y)}v2.4M{number(x - 2.4)} {number(y + 2.4)}h4.8"
        f"M{number(x - 1.5)} {number(y + 3.3)}h3M{number(x - 0.6)} {number(y + 4.2)}h1.2"
    )


_BANDS = (
    "#26262a",
    "#7b4a1e",
    "#d0312d",
    "#ef7d1a",
    "#f5c518",
    "#2e9e4f",
    "#2563c9",
    "#7a3ea8",
    "#8a8f98",
    "#fbfbf8",
)


def resistor(x: float, y: float, ohms: int, width: float = 8.0) -> str:
    """A resistor that lies across a point, with the rings of its value and a golden one for 5 %."""
    height = width * 0.3
    digits = str(ohms)
    rings = [_BANDS[int(digits[0])], _BANDS[int(digits[1])], _BANDS[len(digits) - 2], "#c9a227"]
    places = (0.17, 0.34, 0.51, 0.80)
    body = shape(
        "rect",
        x=x - width / 2,
        y=y - height / 2,
        width=width,
        height=height,
        rx=height * 0.42,
        fill="#ecd9b4",
        stroke=INK,
        stroke_width=0.2,
    )
    return body + "".join(
        shape(
            "rect",
            x=x - width / 2 + place * width,
            y=y - height / 2 + 0.1,
            width=width * 0.075,
            height=height - 0.2,
            fill=ring,
        )
        for place, ring in zip(places, rings, strict=True)
    )


def page(width: float, height: float, title: str, body: list[str]) -> str:
    """A whole drawing, one sheet of paper in its true size."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}mm" height="{number(height)}mm" '
        f'viewBox="0 0 {number(width)} {number(height)}" font-family="DejaVu Sans, Verdana, Helvetica, sans-serif">'
    )
    paper = shape("rect", width=width, height=height, fill=PAPER)
    return "\n".join([head, f"<title>{escape(title, quote=False)}</title>", paper, *body, "</svg>"]) + "\n"
