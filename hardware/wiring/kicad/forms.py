"""How KiCad writes: forms in parentheses, and identities that are the same whenever the same thing is written. Pure.

Source: the description of its file formats at dev-docs.kicad.org. Lengths are millimetres.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass

GENERATOR = '(generator "companion")'
_ORIGIN = uuid.UUID("9a1c7f0e-54d2-4c41-9d0b-6d7f5f2c8e11")


def quoted(text: str) -> str:
    """Return a text in quotation marks."""
    return json.dumps(text, ensure_ascii=False)


def form(name: str, *parts: str | float) -> str:
    """Return a form: its name, and what belongs to it; numbers as lengths, text as it is."""
    return f"({' '.join([name, *(part if isinstance(part, str) else _number(part) for part in parts)])})"


def at(x: float, y: float, turn: float | None = 0) -> str:
    """Return a place, and how far it is turned, in degrees; None for what cannot be turned."""
    return form("at", x, y, *([] if turn is None else [turn]))


def layer(name: str) -> str:
    """Return on which layer something lies."""
    return form("layer", quoted(name))


def stroke(width: float) -> str:
    """Return how a line is drawn."""
    return form("stroke", form("width", width), form("type", "solid"))


def lettering(height: float, *, left: bool = False, right: bool = False) -> str:
    """Return how letters of a height are drawn, in the middle if not said otherwise."""
    side = "left" if left else "right" if right else ""
    font = form("font", form("size", height, height), form("thickness", height * 0.15))
    return form("effects", font, *([form("justify", side)] if side else []))


def field(name: str, text: str, place: str, *more: str, height: float = 1.27) -> str:
    """Return a property of a symbol or a footprint."""
    return form("property", quoted(name), quoted(text), place, *more, lettering(height))


def _number(value: float) -> str:
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


@dataclass(frozen=True, slots=True)
class Identities:
    """The identities of one project: KiCad knows everything by one."""

    project: str

    def text(self, *words: object) -> str:
        """Return the identity of what the words say."""
        return str(uuid.uuid5(_ORIGIN, " ".join(map(str, (self.project, *words)))))

    def of(self, *words: object) -> str:
        """Return it as a form."""
        return form("uuid", quoted(self.text(*words)))
