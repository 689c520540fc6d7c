"""The circuit board, followed with a meter and a ruler; and by KiCad itself where it is installed."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from companion.cli import main
from hardware.boards import GROUND_PINS, board_names, load_board
from hardware.wiring import WiringError, kicad, plan
from hardware.wiring.kicad.channels import HEIGHT_MM, MIDDLE_X, MIDDLE_Y, WIDTH_MM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hardware.wiring import Plan

CLEARANCE_MM = 0.2
"""What every maker of boards can do."""
TO_EDGE_MM = 0.5

DIRECT = [name for name in board_names() if not plan(load_board(name)).chips]

Form = list[Any]


def read(text: str) -> Form:
    """Return what KiCad reads: a list for each form, its name first."""
    stack: list[Form] = [[]]
    for word in re.findall(r'"(?:\\.|[^"\\])*"|[()]|[^\s()]+', text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(json.loads(word) if word.startswith('"') else word)
    assert len(stack) == 1
    (form,) = stack[0]
    return form


def all_of(form: Form, name: str) -> list[Form]:
    return [each for each in form if isinstance(each, list) and each[0] == name]


def one_of(form: Form, name: str) -> Form:
    (found,) = all_of(form, name)
    return found


@dataclass(frozen=True)
class Metal:
    """A round pad or a track: what lies within `reach` of a line.

    Attributes:
        net: what it is joined to, by the board's own word.
        layers: on which sides it is.
        line: its two ends; the same twice for a pad.
        reach: half its width.
        name: of a pad, such as `R1-2`; empty for a track.
    """

    net: str
    layers: frozenset[str]
    line: tuple[complex, complex]
    reach: float
    name: str = ""

    def gap(self, other: Metal) -> float:
        """How far apart two are (mm); below 0 where they touch."""
        return between(self.line, other.line) - self.reach - other.reach


def between(one: tuple[complex, complex], other: tuple[complex, complex]) -> float:
    """The distance of two lines."""
    if crosses(one, other):
        return 0.0
    return min(
        *(to_line(point, other) for point in one),
        *(to_line(point, one) for point in other),
    )


def to_line(point: complex, line: tuple[complex, complex]) -> float:
    start, along = line[0], line[1] - line[0]
    if not abs(along):
        return abs(point - start)
    share = ((point - start) * along.conjugate()).real / abs(along) ** 2
    return abs(point - start - max(0.0, min(1.0, share)) * along)


def crosses(one: tuple[complex, complex], other: tuple[complex, complex]) -> bool:
    def side(line: tuple[complex, complex], point: complex) -> float:
        return ((line[1] - line[0]).conjugate() * (point - line[0])).imag

    return side(one, other[0]) * side(one, other[1]) < 0 and side(other, one[0]) * side(other, one[1]) < 0


def metal_of(board: Form) -> Iterator[Metal]:
    """Every pad and track of a board."""
    for part in all_of(board, "footprint"):
        x, y, turn = (float(number) for number in one_of(part, "at")[1:])
        (reference,) = [each[2] for each in all_of(part, "property") if each[1] == "Reference"]
        for pad in all_of(part, "pad"):
            across, down = (float(number) for number in one_of(pad, "at")[1:3])
            # Turned against the clock, with y downwards.
            place = complex(x, y) + complex(across, down) * complex(
                math.cos(math.radians(turn)), -math.sin(math.radians(turn))
            )
            width = float(one_of(pad, "size")[1])
            net = all_of(pad, "net")
            named = net[0][2] if net else f"nothing {reference}"
            layers = frozenset({"F.Cu", "B.Cu"})
            yield Metal(named, layers, (place, place), width / 2, f"{reference}-{pad[1]}")
            if pad[3] == "rect":
                # A square has corners as well.
                for corner in (complex(width, width) / 2, complex(width, -width) / 2):
                    yield Metal(named, layers, (place - corner, place + corner), 0.0, f"{reference}-{pad[1]}")
    names = {each[1]: each[2] for each in all_of(board, "net")}
    for track in all_of(board, "segment"):
        ends = [complex(*map(float, one_of(track, end)[1:])) for end in ("start", "end")]
        layers = frozenset({one_of(track, "layer")[1]})
        width = float(one_of(track, "width")[1])
        yield Metal(names[one_of(track, "net")[1]], layers, (ends[0], ends[1]), width / 2)


def faults(metal: list[Metal]) -> list[str]:
    """What is wrong with a board: nets that come too near, and nets that are in pieces."""
    found = []
    joined: dict[Metal, Metal] = {each: each for each in metal}

    def piece(each: Metal) -> Metal:
        while joined[each] is not each:
            each = joined[each]
        return each

    for one, other in combinations(metal, 2):
        if not one.layers & other.layers:
            continue
        if one.net != other.net:
            if one.gap(other) < CLEARANCE_MM:
                found.append(f"{one.net} and {other.net} are {one.gap(other):.2f} mm apart")
        elif one.gap(other) < 0:
            joined[piece(one)] = piece(other)
    pieces = defaultdict(set)
    for each in metal:
        if not each.net.startswith("unconnected"):
            pieces[each.net].add(piece(each))
    return [*found, *(f"{net} is in {len(parts)} pieces" for net, parts in pieces.items() if len(parts) > 1)]


@pytest.fixture(params=DIRECT)
def made(request: pytest.FixtureRequest) -> Plan:
    """The plan of each pin map that needs no driver."""
    return plan(load_board(request.param))


@pytest.fixture
def board(made: Plan) -> Form:
    """Its board."""
    return read(kicad(made)[f"companion-{made.board.name}.kicad_pcb"])


def test_every_net_is_in_one_piece_and_away_from_the_others(board: Form) -> None:
    """As the tracks lie, measured: nothing touches what it should not, and nothing is left out."""
    assert faults(list(metal_of(board))) == []


def test_the_measuring_finds_a_fault(board: Form) -> None:
    """A track that is missing, and one that has slipped onto its neighbour."""
    metal = list(metal_of(board))
    track = next(each for each in metal if not each.name and each.net != "/GND")
    assert f"{track.net} is in 2 pieces" in faults([each for each in metal if each is not track])
    pad = next(each for each in metal if each.name and each.net == "/GND")
    slipped = Metal(track.net, pad.layers, pad.line, 0.1)
    assert any("apart" in fault for fault in faults([*metal, slipped]))


def test_every_wire_goes_from_its_pin_through_its_resistor_to_its_plug(made: Plan, board: Form) -> None:
    """And each plug's other pin, like every ground of the header, is ground."""
    nets = {each.name: each.net for each in metal_of(board) if each.name}
    values = {
        reference[2]: value[2]
        for part in all_of(board, "footprint")
        for reference, value in [all_of(part, "property")[:2]]
    }
    ends = {}
    for name in [name for name in values if name.startswith("R")]:
        ends[nets[f"{name}-1"]] = (nets[f"{name}-2"], values[name])
    plugs = {nets[f"{name}-1"]: name for name in values if name.startswith("J") and name != "J1"}
    for wire in made.wires:
        part, value = ends[nets[f"J1-{wire.pin}"]]
        assert value == (f"{wire.resistor_ohms} Ω" if wire.resistor_ohms < 1000 else f"{wire.resistor_ohms // 1000} kΩ")
        plug = plugs[part]
        assert values[plug] == f"{wire.name}, {wire.kind}"
        assert nets[f"{plug}-2"] == "/GND"
    assert {pin for pin in range(1, 41) if nets[f"J1-{pin}"] == "/GND"} == set(GROUND_PINS)
    used = {wire.pin for wire in made.wires} | set(GROUND_PINS)
    assert all(nets[f"J1-{pin}"].startswith("unconnected") for pin in set(range(1, 41)) - used)


def test_the_header_lies_as_on_a_raspberry_pi(board: Form) -> None:
    """From above, with the memory card on the left: pin 1 lower left, pin 2 above it, pin 40 upper right."""
    pads = [each for each in metal_of(board) if each.name and each.reach]
    places = {each.name: each.line[0] - complex(MIDDLE_X, MIDDLE_Y) for each in pads}
    wanted = {1: -24.13 + 1.27j, 2: -24.13 - 1.27j, 39: 24.13 + 1.27j, 40: 24.13 - 1.27j}
    for pin, place in wanted.items():
        assert places[f"J1-{pin}"] == pytest.approx(place)


def test_nothing_comes_near_the_edge(board: Form) -> None:
    """Metal stays half a millimetre inside."""
    for each in metal_of(board):
        for end in each.line:
            away = end - complex(MIDDLE_X, MIDDLE_Y)
            assert abs(away.real) + each.reach <= WIDTH_MM / 2 - TO_EDGE_MM
            assert abs(away.imag) + each.reach <= HEIGHT_MM / 2 - TO_EDGE_MM


def test_board_and_schematic_speak_of_the_same(made: Plan) -> None:
    """Every symbol is on the board by its identity; no identity is there twice; it is written the same each time."""
    files = kicad(made)
    assert files == kicad(made)
    name = f"companion-{made.board.name}"
    sheet, board = read(files[f"{name}.kicad_sch"]), read(files[f"{name}.kicad_pcb"])
    drawn = {f"/{one_of(each, 'uuid')[1]}" for each in all_of(sheet, "symbol")}
    placed = {path[1] for each in all_of(board, "footprint") for path in all_of(each, "path")}
    assert drawn == placed
    for file in ("kicad_sch", "kicad_pcb"):
        identities = re.findall(r'\(uuid "([^"]+)"\)', files[f"{name}.{file}"])
        assert max(Counter(identities).values()) == 1
    for library in re.findall(r"companion:(\w+)", files[f"{name}.kicad_pcb"]):
        assert f"companion.pretty/{library}.kicad_mod" in files


def test_a_pin_map_with_drivers_has_no_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said so, and nothing is written."""
    with pytest.raises(WiringError, match="no circuit board for drivers"):
        kicad(plan(load_board("uln2803a")))
    assert main(["wiring", "--board", "uln2803a", "--kicad", str(tmp_path / "board")]) == 2
    assert "no circuit board" in capsys.readouterr().err
    assert not (tmp_path / "board").exists()


def test_kicad_itself_finds_no_fault(made: Plan, tmp_path: Path) -> None:
    """Its electrical and its design rules, and that board and schematic agree, by the program as people use it."""
    program = shutil.which("kicad-cli")
    if program is None:
        pytest.skip("KiCad (8 or newer) is not installed")
    assert main(["wiring", "--board", made.board.name, "--kicad", str(tmp_path)]) == 0
    name = f"companion-{made.board.name}"
    for words in (
        ["sch", "erc", "--severity-all", "--exit-code-violations", f"{name}.kicad_sch"],
        ["pcb", "drc", "--severity-all", "--schematic-parity", "--exit-code-violations", f"{name}.kicad_pcb"],
    ):
        subprocess.run([program, *words], cwd=tmp_path, check=True)
