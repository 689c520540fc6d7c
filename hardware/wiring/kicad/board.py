"""Where everything lies on the board, and the tracks: signals above, ground below. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from hardware.boards import GROUND_PINS
from hardware.wiring.kicad import footprints
from hardware.wiring.kicad.channels import (
    FIRST_X,
    HEIGHT_MM,
    MIDDLE_X,
    MIDDLE_Y,
    PLUG,
    RESISTOR,
    ROW,
    SMALLEST_STEP,
    WIDTH_MM,
    header_nets,
    side_of,
    x_of,
)
from hardware.wiring.kicad.footprints import FORMAT, HOLE, RESISTOR_LENGTH
from hardware.wiring.kicad.forms import GENERATOR, Identities, at, form, layer, lettering, quoted, stroke
from hardware.wiring.kicad.schematic import LICENCE
from hardware.wiring.kicad.symbols import HEADER, LIBRARY
from hardware.wiring.kicad.symbols import PLUG as PLUG_KIND
from hardware.wiring.kicad.symbols import RESISTOR as RESISTOR_KIND
from hardware.wiring.parts import ohms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hardware.wiring.kicad.channels import Channel

Point = tuple[float, float]

SIGNAL_MM, GROUND_MM = 0.3, 0.5
"""How wide tracks are. The most that a light takes is 3 mA, and all of them together 40."""
_RAIL, _PLUG_RAIL = 3.4, 23.2
"""How far from the middle ground runs beside the header, and beside the plugs."""
_LINK = 2.0
"""How far left of pin 1 both halves of ground are joined."""
_LABEL = 25.7
"""How far from the middle the names of the plugs are."""
_HOLE_X = 29.0
"""From the middle of the header to its screws, by the HAT specification."""

_LAYERS = (
    (0, "F.Cu", "signal"),
    (31, "B.Cu", "signal"),
    (36, "B.SilkS", "user"),
    (37, "F.SilkS", "user"),
    (38, "B.Mask", "user"),
    (39, "F.Mask", "user"),
    (44, "Edge.Cuts", "user"),
    (49, "F.Fab", "user"),
)


@dataclass(frozen=True, slots=True)
class CircuitBoard:
    """A board.

    Attributes:
        title: what stands on it.
        channels: what is on it.
        identities: of the project.
    """

    title: str
    channels: tuple[Channel, ...]
    identities: Identities

    def text(self) -> str:
        """Return the file."""
        own = [f"/{net}" for channel in self.channels for net in (channel.pin_net, channel.part_net)]
        nets = list(dict.fromkeys(["", *header_nets(self.channels).values(), *own]))
        numbers = {net: str(number) for number, net in enumerate(nets)}
        body = [
            FORMAT,
            GENERATOR,
            form("general", form("thickness", 1.6), form("legacy_teardrops", "no")),
            form("paper", quoted("A4")),
            form("title_block", form("title", quoted(self.title)), form("company", quoted(LICENCE))),
            form("layers", *(form(str(number), quoted(name), kind) for number, name, kind in _LAYERS)),
            form("setup", form("pad_to_mask_clearance", 0)),
            *(form("net", number, quoted(net)) for net, number in numbers.items()),
            *self._parts(numbers),
            *self._edge(),
            *self._words(),
            *self._tracks(numbers),
        ]
        return form("kicad_pcb", *body) + "\n"

    def _parts(self, numbers: Mapping[str, str]) -> Iterator[str]:
        yield self._part(HEADER, "J1", "Raspberry Pi", (MIDDLE_X, MIDDLE_Y, 0), header_nets(self.channels), numbers)
        for channel in self.channels:
            pin, part = f"/{channel.pin_net}", f"/{channel.part_net}"
            # Leg 1 is the one towards the header.
            place = channel.signal_x, channel.y(RESISTOR), 90 if channel.side < 0 else 270
            value = ohms(channel.wire.resistor_ohms)
            yield self._part(RESISTOR_KIND, channel.resistor, value, place, {1: pin, 2: part}, numbers)
            what = f"{channel.wire.name}, {channel.wire.kind}"
            place = channel.signal_x, channel.y(PLUG), 0
            yield self._part(PLUG_KIND, channel.plug, what, place, {1: part, 2: "/GND"}, numbers)
        for number, side in enumerate((-1, 1), 1):
            yield self._part(HOLE, f"H{number}", "M2.5", (MIDDLE_X + side * _HOLE_X, MIDDLE_Y, 0), {}, numbers)

    def _part(
        self,
        kind: str,
        reference: str,
        value: str,
        place: tuple[float, float, int],
        nets: Mapping[int, str],
        numbers: Mapping[str, str],
    ) -> str:
        pads = {pin: form("net", numbers[net], quoted(net)) for pin, net in nets.items()}
        in_schematic = [] if kind == HOLE else [form("path", quoted(f"/{self.identities.text(reference)}"))]
        body = footprints.placed(kind, reference, value, pads, place[2], self.identities)
        identity = self.identities.of("on the board", reference)
        return form("footprint", quoted(f"{LIBRARY}:{kind}"), layer("F.Cu"), identity, at(*place), *body, *in_schematic)

    def _edge(self) -> Iterator[str]:
        left, right = MIDDLE_X - WIDTH_MM / 2, MIDDLE_X + WIDTH_MM / 2
        top, bottom = MIDDLE_Y - HEIGHT_MM / 2, MIDDLE_Y + HEIGHT_MM / 2
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        for place, (one, other) in enumerate(pairwise(corners)):
            ends = form("start", *one), form("end", *other)
            yield form("gr_line", *ends, stroke(0.1), layer("Edge.Cuts"), self.identities.of("edge", place))

    def _words(self) -> Iterator[str]:
        for channel in self.channels:
            yield self._word(channel.label, channel.x, channel.y(_LABEL), 0.8)
            middle = channel.y(RESISTOR + RESISTOR_LENGTH / 2)
            yield self._word(ohms(channel.wire.resistor_ohms).replace(" Ω", "").replace(" kΩ", "k"),
                             channel.signal_x, middle, 1, turn=90)  # fmt: skip
        yield self._word(self.title, MIDDLE_X, MIDDLE_Y - 5.6, 0.9)
        yield self._word(f"square pads: long legs of lights   {LICENCE}", MIDDLE_X, MIDDLE_Y + 5.6, 0.8)
        yield self._word("1", FIRST_X - 1.7, MIDDLE_Y + ROW, 0.9)

    def _word(self, text: str, x: float, y: float, height: float, turn: int = 0) -> str:
        identity = self.identities.of("word", text, x, y)
        return form("gr_text", quoted(text), at(x, y, turn), layer("F.SilkS"), identity, lettering(height))

    def _tracks(self, numbers: Mapping[str, str]) -> Iterator[str]:
        for channel in self.channels:
            pin = x_of(channel.wire.pin)
            near, far = channel.y(RESISTOR), channel.y(RESISTOR + RESISTOR_LENGTH)
            # Straight away from the header first: a slanting track would touch the neighbour's pad.
            way = (pin, channel.y(ROW)), (pin, channel.y(_RAIL)), (channel.signal_x, near)
            yield from self._track(numbers[f"/{channel.pin_net}"], SIGNAL_MM, "F.Cu", *way)
            way_on = (channel.signal_x, far), (channel.signal_x, channel.y(PLUG))
            yield from self._track(numbers[f"/{channel.part_net}"], SIGNAL_MM, "F.Cu", *way_on)
        for points in self._ground():
            yield from self._track(numbers["/GND"], GROUND_MM, "B.Cu", *points)

    def _ground(self) -> Iterator[tuple[Point, ...]]:
        """A rail on each side of the header, and one beside each row of plugs; all of them joined."""
        left = FIRST_X - _LINK
        yield (left, MIDDLE_Y - _RAIL), (left, MIDDLE_Y + _RAIL)
        for side in (-1, 1):
            channels = [channel for channel in self.channels if channel.side == side]
            rail, outer = MIDDLE_Y + side * _RAIL, MIDDLE_Y + side * _PLUG_RAIL
            pins = [x_of(pin) for pin in GROUND_PINS if side_of(pin) == side]
            for x in pins:
                yield (x, MIDDLE_Y + side * ROW), (x, rail)
            gaps = [_gap(channels)] if channels else []
            yield tuple((x, rail) for x in sorted({left, *gaps, *pins}))
            for gap in gaps:
                yield (gap, rail), (gap, outer)
            plugs = [channel.ground_x for channel in channels]
            for x in plugs:
                yield (x, MIDDLE_Y + side * PLUG), (x, outer)
            yield tuple((x, outer) for x in sorted({*gaps, *plugs}))

    def _track(self, net: str, width: float, on: str, *points: Point) -> Iterator[str]:
        for one, other in pairwise(points):
            ends = form("start", *one), form("end", *other)
            identity = self.identities.of("track", on, one, other)
            yield form("segment", *ends, form("width", width), layer(on), form("net", net), identity)


def _gap(channels: list[Channel]) -> float:
    """The middle between two plugs, where nothing has a leg; or right of a single one."""
    first = channels[0].x
    return round((first + channels[1].x) / 2 if len(channels) > 1 else first + SMALLEST_STEP / 2, 3)
