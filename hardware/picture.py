"""The front panel drawn in text: two boards as rows of coloured slots, the tracker, the status lamp, the keys. Pure."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.panel import ROWS, Button

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTH = 80
"""Columns that every terminal has."""

CAPTION_LINES = 3

_SLOT = 6
_BOARD_WIDTH = 2 + max(ROWS.values()) * (_SLOT + 2) + 2
_SIDE_WIDTH = WIDTH - _BOARD_WIDTH - 3

_BOLD, _DIM = "1", "2"
_COLOURS = {"liberal": "94", "fascist": "91", "tracker": "93", "status": "97"}
_KEY_COLOURS = {
    Button.LIBERAL: "94",
    Button.FASCIST: "91",
    Button.JA: "92",
    Button.NEIN: "97",
    Button.REPEAT: "93",
    Button.UNDO: "90",
}


@dataclass(frozen=True, slots=True)
class Strokes:
    """What lines, slots and lamps are drawn with."""

    corners: tuple[str, str, str, str]
    across: str
    down: str
    slot_lit: str
    slot_dark: str
    lamp_lit: str
    lamp_dark: str
    bullet: str


UNICODE = Strokes(("╭", "╮", "╰", "╯"), "─", "│", "█" * _SLOT, "░" * _SLOT, " ● ", " ○ ", "▸")
ASCII = Strokes(("+", "+", "+", "+"), "-", "|", "#" * _SLOT, "." * _SLOT, "(*)", "( )", ">")


@dataclass(frozen=True, slots=True)
class Picture:
    """How to draw for one terminal.

    Attributes:
        strokes: `UNICODE` or `ASCII`.
        colour: whether to paint. Without it, lit and dark still differ by their strokes.
    """

    strokes: Strokes = UNICODE
    colour: bool = True

    def draw(self, lit: Mapping[str, tuple[bool, ...]], caption: str) -> list[str]:
        """The whole panel.

        Args:
            lit: which lights are lit, row by row.
            caption: what is being said; wrapped, and cut where it fills its lines.

        Returns:
            Lines of at most `WIDTH` columns, always as many.
        """
        left = [*self._board("liberal", lit["liberal"]), *self._board("fascist", lit["fascist"])]
        right = [*self._side("tracker", lit["tracker"]), *self._side("status", lit["status"])]
        beside = [f" {board} {side}" for board, side in zip(left, right, strict=True)]
        return [*beside, *self._caption(caption), self._keys(), self._hints()]

    def _board(self, row: str, lit: tuple[bool, ...]) -> list[str]:
        slots = "  ".join(self._light(row, is_lit, self.strokes.slot_lit, self.strokes.slot_dark) for is_lit in lit)
        columns = len(lit) * (_SLOT + 2) - 2
        return self._box(row, [(slots, columns)] * 2, _BOARD_WIDTH)

    def _side(self, row: str, lit: tuple[bool, ...]) -> list[str]:
        lamps = "  ".join(self._light(row, is_lit, self.strokes.lamp_lit, self.strokes.lamp_dark) for is_lit in lit)
        columns = len(lit) * 5 - 2
        return self._box(row, [(lamps, columns), ("", 0)], _SIDE_WIDTH)

    def _box(self, title: str, content: list[tuple[str, int]], width: int) -> list[str]:
        """A frame with its title in the upper edge. Content comes with its columns, as colours take none."""
        top_left, top_right, bottom_left, bottom_right = self.strokes.corners
        across, down = self.strokes.across, self._paint(self.strokes.down, _DIM)
        edge = self._paint(across * (width - len(title) - 5) + top_right, _DIM)
        return [
            f"{self._paint(top_left + across, _DIM)} {self._paint(title.upper(), _BOLD, _COLOURS[title])} {edge}",
            *(f"{down}  {text}{' ' * (width - 4 - columns)}{down}" for text, columns in content),
            self._paint(bottom_left + across * (width - 2) + bottom_right, _DIM),
        ]

    def _light(self, row: str, lit: bool, lit_stroke: str, dark_stroke: str) -> str:
        return self._paint(lit_stroke, _COLOURS[row]) if lit else self._paint(dark_stroke, _DIM)

    def _caption(self, caption: str) -> list[str]:
        # A player's name may hold anything; what is no letter must not move the cursor.
        text = "".join(letter if letter.isprintable() else " " for letter in caption)
        lines = textwrap.wrap(text, WIDTH - 6, max_lines=CAPTION_LINES, placeholder=" ...")
        marks = [self.strokes.bullet, *" " * (CAPTION_LINES - 1)]
        lines += [""] * (CAPTION_LINES - len(lines))
        return [f"  {mark} {line}".rstrip() if line else "" for mark, line in zip(marks, lines, strict=True)]

    def _keys(self) -> str:
        keys = "  ".join(
            f"{self._paint(button.value[0], _BOLD, _KEY_COLOURS[button])} {button.value}" for button in Button
        )
        return f" {keys}"

    def _hints(self) -> str:
        return self._paint(" capital: hold   + louder   - softer   q quit", _DIM)

    def _paint(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour else text
