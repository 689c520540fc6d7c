"""What a phone's camera makes of a picture with QR codes in it: a real decoder, which is kept from being too clever."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame
import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Grey = NDArray[np.uint8]
    """How light each point of a picture is, row by row; 255 is white."""

QUIET_MODULES = 4
"""The light margin around a code that a decoder may count on (ISO/IEC 18004)."""

_LETTER_POINTS = 6
"""How wide a square is; a terminal's letter is as wide, and twice as high."""
_HALVES = {"█": (True, True), "▀": (True, False), "▄": (False, True), " ": (False, False), "\xa0": (False, False)}
"""Which halves of a letter are in the letter's colour."""
_GREYS = {"231": 255, "16": 0}
"""Colours of a terminal by number, of those that no theme changes."""
DARK_THEME, LIGHT_THEME = (200, 20), (30, 250)
"""How light the letters and the ground of a terminal are."""


@dataclass(frozen=True)
class Code:
    """A code that was read.

    Attributes:
        text: what it holds.
        module: how many points of the picture one of its squares is wide.
        margin: how light the darkest point is in the quiet zone around it.
        dark: how light its dark squares are.
    """

    text: str
    module: float
    margin: int
    dark: int


def grey(picture: bytes | pygame.Surface) -> Grey:
    """Return a screenshot, or what was painted, in grey."""
    surface = pygame.image.load(io.BytesIO(picture)) if isinstance(picture, bytes) else picture
    return np.ascontiguousarray(pygame.surfarray.array3d(pygame.transform.grayscale(surface))[:, :, 0].T)


def on_terminal(lines: Sequence[str], theme: tuple[int, int]) -> Grey:
    """Return what a terminal in its theme shows of lines, with empty ones around them."""
    rows: list[list[int]] = []
    for line in ("", "", *lines, "", ""):
        letter, ground = theme
        halves: tuple[list[int], list[int]] = ([], [])
        for colours, text in re.findall(r"\x1b\[([\d;]*)m|([^\x1b])", line):
            if text:
                for half, lit in zip(halves, _HALVES[text], strict=True):
                    half.append(letter if lit else ground)
            elif colours == "0":
                letter, ground = theme
            else:
                letter, ground = (_GREYS[number] for number in re.findall(r"[34]8;5;(\d+)", colours))
        rows += halves
    width = max(map(len, rows)) + 4
    squares = [[theme[1]] * 2 + row + [theme[1]] * (width - 2 - len(row)) for row in rows]
    return np.array(squares, np.uint8).repeat(_LETTER_POINTS, axis=0).repeat(_LETTER_POINTS, axis=1)


def read(picture: Grey) -> list[Code]:
    """Read every code in a picture, from the left.

    Only dark on light, as the standard has it: there are phones that read nothing else.
    """
    zxing = pytest.importorskip("zxingcpp", reason="there is no decoder: pip install zxing-cpp")
    found = zxing.read_barcodes(picture, formats=zxing.BarcodeFormat.QRCode, try_invert=False)
    return [_measured(each, picture) for each in sorted(found, key=lambda each: each.position.top_left.x)]


def _measured(found: Any, picture: Grey) -> Code:
    first, last = found.position.top_left, found.position.bottom_right
    # The first version has 21 squares a side, and each has four more than the one before.
    module = (last.x - first.x) / (17 + 4 * int(found.extra["Version"]))
    # Half lit points at either edge are neither.
    reach, edge = int(QUIET_MODULES * module) - 1, int(module / 4) + 1
    # Beyond the picture's edge may be anything.
    around = np.pad(picture, reach)[first.y : last.y + 2 * reach, first.x : last.x + 2 * reach].copy()
    around[reach - edge : -reach + edge, reach - edge : -reach + edge] = 255
    # In the middle of the pattern in a corner.
    middle = round(3.5 * module)
    return Code(found.text, module, int(around.min()), int(picture[first.y + middle, first.x + middle]))
