"""The front panel drawn in text: two boards as rows of coloured slots, the tracker, the status lamp, the keys. Pure."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hardware.panel import ROWS, Button

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTH = 80
"""Columns that every terminal has."""

CAPTION_LINES = 3
NOW_LINES = 2

_CELL = 39
"""Columns of a key with what it means; two stand beside each other."""

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
class Meanings:
    """What the table does now, and what each button means at this moment; None where it means nothing."""

    text: str = ""
    pressed: Mapping[Button, str | None] = field(default_factory=dict)
    held: Mapping[Button, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Picture:
    """How to draw for one terminal.

    Attributes:
        strokes: `UNICODE` or `ASCII`.
        colour: whether to paint. Without it, lit and dark still differ by their strokes.
    """

    strokes: Strokes = UNICODE
    colour: bool = True

    def draw(
        self, lit: Mapping[str, tuple[bool, ...]], caption: str, now: Meanings | None = None, unknown: str = ""
    ) -> list[str]:
        """The whole panel.

        Args:
            lit: which lights are lit, row by row.
            caption: what is being said; wrapped, and cut where it fills its lines.
            now: what the table does, and what the keys mean; None before anybody knows.
            unknown: a key that was pressed last and is none of the panel's; empty for none.

        Returns:
            Lines of at most `WIDTH` columns, always as many.
        """
        left = [*self._board("liberal", lit["liberal"]), *self._board("fascist", lit["fascist"])]
        right = [*self._side("tracker", lit["tracker"]), *self._side("status", lit["status"])]
        beside = [f" {board} {side}" for board, side in zip(left, right, strict=True)]
        now = now or Meanings()
        return [
            *beside,
            *self._wrapped(now.text, " ", NOW_LINES, _BOLD),
            *self._wrapped(caption, self.strokes.bullet, CAPTION_LINES),
            *self._keys(now),
            self._hints(unknown),
        ]

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

    def _wrapped(self, said: str, mark: str, count: int, *codes: str) -> list[str]:
        lines = textwrap.wrap(_printable(said), WIDTH - 6, max_lines=count, placeholder=" ...")
        lines += [""] * (count - len(lines))
        marks = [mark, *" " * (count - 1)]
        painted = [self._paint(line, *codes) if codes else line for line in lines]
        return [f"  {mark} {line}" if line else "" for mark, line in zip(marks, painted, strict=True)]

    def _keys(self, now: Meanings) -> list[str]:
        """Two keys a line, each with its letter, its button and what it means; those that mean nothing are dim."""
        buttons = list(Button)
        pairs = [buttons[place : place + 2] for place in range(0, len(buttons), 2)]
        return ["".join(f" {self._key(button, now)}" for button in pair).rstrip() for pair in pairs]

    def _key(self, button: Button, now: Meanings) -> str:
        letter = button.value[0]
        pressed, held = now.pressed.get(button), now.held.get(button)
        words = [pressed] if pressed else []
        holds = f"{letter.upper()}: {held}" if held else ""
        # A hold beside a press is told where there is room for it.
        if holds and len(f"{button.value}  {pressed}   {holds}" if pressed else holds) <= _CELL - 3:
            words.append(holds)
        text = _printable(f"{button.value}  {'   '.join(words)}".rstrip())
        text = text if len(text) <= _CELL - 3 else f"{text[: _CELL - 6]}..."
        space = " " * (_CELL - 2 - len(text))
        plain = text if words or not now.text else self._paint(text, _DIM)
        return f"{self._paint(letter, _BOLD, _KEY_COLOURS[button])} {plain}{space}"

    def _hints(self, unknown: str) -> str:
        if unknown:
            keys = " ".join(button.value[0] for button in Button)
            return f" {_printable(unknown)} is no key here: {keys}   + - t y   q"
        return self._paint(" capital: hold   + louder   - softer   y redo   t clock   q quit", _DIM)

    def _paint(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour else text


def _printable(text: str) -> str:
    """A player's name may hold anything; what is no letter must not move the cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
