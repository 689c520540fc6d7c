"""The front panel for a laser cutter and the case for a printer: the holes of the drawing, read back from the files."""

import re
import shutil
import subprocess
from itertools import pairwise

import pytest

from companion import languages
from hardware.boards import board_names, load_board
from hardware.wiring import case, dxf, plan
from hardware.wiring.front import PANEL_HEIGHT_MM, PANEL_WIDTH_MM, holes

BOARDS = board_names()


def entities(drawing):
    """Read a DXF as its readers do: pairs of lines, a group code and a value, and an entity from each code 0 on."""
    lines = drawing.splitlines()
    assert len(lines) % 2 == 0
    pairs = list(zip(map(int, lines[::2]), lines[1::2], strict=True))
    assert pairs[-1] == (0, "EOF")
    starts = [at for at, (code, _) in enumerate(pairs) if code == 0]
    return [dict(pairs[start:end]) for start, end in pairwise(starts)]


@pytest.mark.parametrize("name", BOARDS)
def test_every_hole_is_cut_where_it_is_drilled(name):
    """To a hundredth of a millimetre, seen from the front: a DXF counts upwards, paper downwards."""
    made = plan(load_board(name))
    cut = {
        (round(float(each[10]), 2), round(PANEL_HEIGHT_MM - float(each[20]), 2), round(2 * float(each[40]), 2))
        for each in entities(dxf(made, {}))
        if each[0] == "CIRCLE"
    }
    assert cut == {(round(hole.x_mm, 2), round(hole.y_mm, 2), round(hole.diameter_mm, 2)) for hole in holes(made)}


@pytest.mark.parametrize("code", languages.codes())
def test_words_are_engraved_and_nothing_else_is(code):
    """Outline and holes are cut; every word in its language stands on the other layer, in letters that R12 has."""
    page = languages.load(code).page
    drawing = dxf(plan(load_board("default")), page)
    assert drawing.isascii()
    drawn = [each for each in entities(drawing) if 8 in each]
    assert {each[8] for each in drawn if each[0] == "TEXT"} == {"ENGRAVE"}
    assert {each[8] for each in drawn if each[0] != "TEXT"} == {"CUT"}
    said = [
        re.sub(r"\\U\+([0-9A-F]{4})", lambda found: chr(int(found[1], 16)), each[1])
        for each in drawn
        if each[0] == "TEXT"
    ]
    for key in ("liberal_board", "fascist_board", "election_tracker", "status_light", "button_ja", "button_undo"):
        assert page[key] in said


def test_the_outline_is_closed():
    """Every edge begins where a corner ends: a cutter that lifts its beam leaves the panel hanging."""
    ends = []
    for each in entities(dxf(plan(load_board("default")), {})):
        if each[0] == "LINE":
            ends += [(float(each[10]), float(each[20])), (float(each[11]), float(each[21]))]
        elif each[0] == "ARC":
            x, y, radius = (float(each[code]) for code in (10, 20, 40))
            turns = {0: (radius, 0), 90: (0, radius), 180: (-radius, 0), 270: (0, -radius)}
            ends += [(x + dx, y + dy) for dx, dy in (turns[int(each[50])], turns[int(each[51]) % 360])]
    assert len(ends) == 16
    assert all(ends.count(end) == 2 for end in ends)
    assert {x for x, _ in ends} >= {0.0, PANEL_WIDTH_MM}


@pytest.mark.parametrize("name", BOARDS)
def test_the_case_has_every_hole_of_the_front(name):
    """The same holes, with their names, and four posts for the screws."""
    made = plan(load_board(name))
    program = case(made, languages.load("pl").page)
    rows = re.findall(r"^  \[([\d.]+), ([\d.]+), ([\d.]+)\], // (.+)$", program, re.MULTILINE)
    drilled = {(round(hole.x_mm, 2), round(PANEL_HEIGHT_MM - hole.y_mm, 2), hole.diameter_mm) for hole in holes(made)}
    assert {(float(x), float(y), float(width)) for x, y, width, _ in rows} == drilled
    assert [name for *_, name in rows].count("screw") == 4
    coloured = re.findall(r'^  \[[\d.]+, [\d.]+, "#\w+"\], // (.+)$', program, re.MULTILINE)
    assert coloured == [wire.name for wire in made.wires]
    assert '"Liberalna", "center"]' in program
    for opening, closing in ("{}", "()", "[]"):
        assert program.count(opening) == program.count(closing)


@pytest.mark.parametrize("part", ["front", "back"])
def test_the_case_can_be_printed(part, tmp_path):
    """OpenSCAD makes one body of it, with a loudspeaker or without."""
    if shutil.which("openscad") is None:
        pytest.skip("OpenSCAD is not installed")
    program = tmp_path / "case.scad"
    program.write_text(case(plan(load_board("default")), {}), encoding="utf-8")
    for speaker in (0, 60):
        body = tmp_path / f"{part}-{speaker}.stl"
        done = subprocess.run(
            [
                "openscad",
                "-D",
                "$fn=16",
                "-D",
                f'part="{part}"',
                "-D",
                f"speaker={speaker}",
                "-o",
                str(body),
                str(program),
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        assert "WARNING" not in done.stderr
        assert body.stat().st_size > 10_000


def test_the_whole_box_can_be_seen(tmp_path):
    """OpenSCAD reads it in full, with every word in its language, and has nothing to say against it."""
    if shutil.which("openscad") is None:
        pytest.skip("OpenSCAD is not installed")
    program, seen = tmp_path / "case.scad", tmp_path / "box.csg"
    program.write_text(case(plan(load_board("default")), languages.load("ru").page), encoding="utf-8")
    command = ["openscad", "-D", 'part="built"', "-o", str(seen), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert "WARNING" not in done.stderr
    assert seen.read_text(encoding="utf-8").count("sphere(") == 15
