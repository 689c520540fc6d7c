"""The stripboard, followed with a meter: every pin reaches its part through its resistor, and nothing else."""

from collections import Counter, defaultdict

import pytest

from hardware.boards import GROUND_PINS, board_names, load_board
from hardware.wiring import plan
from hardware.wiring.stripboard import draw, letter, stripboard


class Meter:
    """Which holes are joined by copper and links, as a meter would find it: cuts part a strip."""

    def __init__(self, board):
        self.cuts = defaultdict(set)
        for strip, column in board.cuts:
            self.cuts[strip].add(column)
        self.joined = {self.piece(link.upper, link.column): self.piece(link.lower, link.column) for link in board.links}

    def piece(self, strip, column):
        """The piece of copper below a hole."""
        assert column not in self.cuts[strip], f"{letter(strip)}{column} is cut away"
        return strip, sum(cut < column for cut in self.cuts[strip])

    def net(self, strip, column):
        """What a hole is joined to, by the name of one piece of it."""
        piece = self.piece(strip, column)
        return self.joined.get(piece, piece)


@pytest.fixture(params=board_names())
def made(request):
    """The plan of each pin map."""
    return plan(load_board(request.param))


def test_no_hole_has_two_things_in_it(made):
    """A wire, the leg of a resistor or of a chip each has a hole to itself; none lies beyond the board or at a cut."""
    board = stripboard(made)
    holes = [(joint.strip, joint.column) for joint in board.joints]
    holes += [(each.strip, column) for each in board.resistors for column in (each.left, each.right)]
    holes += [
        (chip.strip + leg, column) for chip in board.chips for leg in range(9) for column in (chip.left, chip.right)
    ]
    holes += [(strip, link.column) for link in board.links for strip in (link.upper, link.lower)]
    assert max(Counter([*holes, *board.cuts]).values()) == 1
    assert all(0 <= strip < board.strips and 1 <= column < board.columns for strip, column in holes)


def test_every_pin_reaches_its_part_through_its_resistor(made):
    """Pin, resistor and part, and where there is a driver its channel between; no two wires touch."""
    board = stripboard(made)
    meter = Meter(board)
    ends = {joint.to: meter.net(joint.strip, joint.column) for joint in board.joints}
    over = {}
    for each in board.resistors:
        over[meter.net(each.strip, each.left)] = (meter.net(each.strip, each.right), each.ohms)
    driven = {
        meter.net(chip.strip + leg, chip.left): meter.net(chip.strip + leg, chip.right)
        for chip in board.chips
        for leg in range(8)
    }
    nets = []
    for wire in made.wires:
        pin = ends[f"pin {wire.pin} (GPIO {wire.bcm})"]
        leg = ("short" if wire.channel else "long") if wire.is_light else ""
        part = ends[f"{wire.name}, {leg} leg"] if leg else _button(wire.name, board, meter)
        before = driven[pin] if wire.channel else pin
        assert over[before] == (part, wire.resistor_ohms)
        nets += [pin, part, *([before] if wire.channel else [])]
    assert len(set(nets)) == len(nets)
    common = {
        meter.net(joint.strip, joint.column) for joint in board.joints if "ground" in joint.to or " V" in joint.to
    }
    assert not common & set(nets)


def _button(name, board, meter):
    """The own end of a button: its other one is on ground, under the same name."""
    found = {meter.net(joint.strip, joint.column) for joint in board.joints if joint.to == name}
    assert len(found) == 2
    # The last strip is their ground.
    (own,) = found - {meter.net(board.strips - 1, 2)}
    return own


def test_every_part_returns_to_where_it_should(made):
    """Lights on pins and all buttons to ground, lights behind a driver to its supply, and each chip to ground."""
    board = stripboard(made)
    meter = Meter(board)
    on = defaultdict(set)
    for joint in board.joints:
        on[meter.net(joint.strip, joint.column)].add(joint.to)
    grounds = {net for net, ends in on.items() if any("ground" in end for end in ends)}
    for button in made.buttons:
        assert any(button.name in on[net] for net in grounds)
    for light in made.lights:
        leg = "long" if light.channel else "short"
        (net,) = [net for net, ends in on.items() if f"{light.name}, {leg} leg" in ends]
        assert (net in grounds) is not bool(light.channel)
    for chip in board.chips:
        assert meter.net(chip.strip + 8, chip.left) in grounds, "leg 9 is ground"
        assert meter.net(chip.strip + 8, chip.right) not in on, "COM stays free"
    pins = {int(end.split()[1].rstrip(",")) for net in grounds for end in on[net] if end.startswith("pin")}
    assert pins <= set(GROUND_PINS)
    assert len(pins) == len([net for net in grounds if any(end.startswith("pin") for end in on[net])])


def test_the_drawing_shows_every_end(made):
    """Each pin and each part by name, and as many crosses as cuts, twice: from above and from below."""
    board, drawn = stripboard(made), draw(made)
    for wire in made.wires:
        assert f"pin {wire.pin} (GPIO {wire.bcm})" in drawn
    assert f"{len(board.cuts)} cuts." in drawn
    assert drawn.count("#b3261e") == 2 * len(board.cuts)
