"""What is joined to what, as a schematic: the header, and a line for each resistor with its plug. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.boards import GROUND_PINS
from hardware.wiring.kicad.forms import GENERATOR, Identities, at, field, form, lettering, quoted
from hardware.wiring.kicad.symbols import FORMAT, HEADER, LIBRARY, PINS, PLUG, RESISTOR, drawn
from hardware.wiring.parts import ohms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardware.wiring.kicad.channels import Channel

LICENCE = "CC BY-NC-SA 4.0"

# Places on a sheet of A4 lying, on the grid of 1.27 mm by which pins and wires meet.
_HEADER_X, _HEADER_Y = 58.42, 99.06
_LINES_X, _LINES_Y = 116.84, 33.02
_LINE, _LINES = 12.7, 11
_COLUMN = 83.82
_WIRE = 20.32
"""From a resistor to its plug."""


@dataclass(frozen=True, slots=True)
class Schematic:
    """The schematic of a board.

    Attributes:
        project: what the files are called.
        title: what stands on the sheet.
        channels: what is on the board.
        identities: of the project.
    """

    project: str
    title: str
    channels: tuple[Channel, ...]
    identities: Identities

    def text(self) -> str:
        """Return the file."""
        body = [
            FORMAT,
            GENERATOR,
            self.identities.of("sheet"),
            form("paper", quoted("A4")),
            form("title_block", form("title", quoted(self.title)), form("company", quoted(LICENCE))),
            form("lib_symbols", *drawn(f"{LIBRARY}:")),
            *self._header(),
        ]
        for channel in self.channels:
            body += self._channel(channel)
        body.append(form("sheet_instances", form("path", quoted("/"), form("page", quoted("1")))))
        return form("kicad_sch", *body) + "\n"

    def _header(self) -> Iterator[str]:
        yield self._symbol(HEADER, "J1", "Raspberry Pi", _HEADER_X, _HEADER_Y, (0, -30.48), (0, -27.94))
        used = {channel.wire.pin: channel.pin_net for channel in self.channels}
        for pin, (x, y) in PINS[HEADER].items():
            place = round(_HEADER_X + x, 2), round(_HEADER_Y - y, 2)
            if pin in used or pin in GROUND_PINS:
                yield self._label(used.get(pin, "GND"), *place, to_left=x < 0)
            else:
                yield form("no_connect", at(*place, None), self.identities.of("free", pin))

    def _channel(self, channel: Channel) -> Iterator[str]:
        place = channel.number - 1
        x = _LINES_X + place // _LINES * _COLUMN
        y = _LINES_Y + place % _LINES * _LINE
        value = ohms(channel.wire.resistor_ohms)
        yield self._symbol(RESISTOR, channel.resistor, value, x, y, (0, -2.54), (0, 2.54))
        left, right = x + PINS[RESISTOR][1][0], x + PINS[RESISTOR][2][0]
        # A plug ends where the wire does.
        plug = round(right + _WIRE, 2)
        what = f"{channel.wire.name}, {channel.wire.kind}"
        yield self._symbol(PLUG, channel.plug, what, plug - PINS[PLUG][1][0], y, (0, -2.54), (0, 6.35))
        points = form("pts", form("xy", right, y), form("xy", plug, y))
        yield form("wire", points, self.identities.of("wire", channel.number))
        yield self._label(channel.pin_net, left, y, to_left=True)
        yield self._label(channel.part_net, right + 2.54, y, to_left=False)
        yield self._label("GND", plug, y - PINS[PLUG][2][1], to_left=True)

    def _symbol(
        self,
        kind: str,
        reference: str,
        value: str,
        x: float,
        y: float,
        name_at: tuple[float, float],
        value_at: tuple[float, float],
    ) -> str:
        sheet = f"/{self.identities.text('sheet')}"
        path = form("path", quoted(sheet), form("reference", quoted(reference)), form("unit", "1"))
        pins = (form("pin", quoted(str(pin)), self.identities.of(reference, "pin", pin)) for pin in PINS[kind])
        return form(
            "symbol",
            form("lib_id", quoted(f"{LIBRARY}:{kind}")),
            at(x, y),
            form("unit", "1"),
            form("exclude_from_sim", "no"),
            form("in_bom", "yes"),
            form("on_board", "yes"),
            form("dnp", "no"),
            self.identities.of(reference),
            field("Reference", reference, at(x + name_at[0], y + name_at[1])),
            field("Value", value, at(x + value_at[0], y + value_at[1])),
            field("Footprint", f"{LIBRARY}:{kind}", at(x, y), form("hide", "yes")),
            *pins,
            form("instances", form("project", quoted(self.project), path)),
        )

    def _label(self, name: str, x: float, y: float, *, to_left: bool) -> str:
        letters = lettering(1.27, left=not to_left, right=to_left)
        identity = self.identities.of("label", name, x, y)
        return form("label", quoted(name), at(x, y, 180 if to_left else 0), letters, identity)
