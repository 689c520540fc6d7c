"""The guide that tells how to build the box says what the program says."""

import re
import shlex
from pathlib import Path

import pytest

import hardware
from companion.cli import _COMMANDS, _parser
from hardware.boards import board_names, load_board
from hardware.wiring import parts, plan
from hardware.wiring.front import BUTTON_HOLE_MM, LIGHT_HOLE_MM, PANEL_HEIGHT_MM, PANEL_WIDTH_MM, SCREW_HOLE_MM

GUIDE = Path(hardware.__file__).with_name("BUILDING.md")
TEXT = GUIDE.read_text(encoding="utf-8")
FAULTS = TEXT.partition("## When something is wrong")[2]


def test_every_command_of_the_guide_is_one():
    """Whatever follows `companion` in a line to be typed is a command of ours, with options that it has."""
    typed = re.findall(r"(?:^|`|&& )(?:sudo )?(?:\.venv/bin/)?companion\b([^`\n]*)", TEXT, re.MULTILINE)
    assert len(typed) > 10
    for words in filter(None, map(shlex.split, typed)):
        assert words[0] in _COMMANDS
        assert _parser().parse_args(words).command == words[0]


def test_the_guide_counts_what_the_program_counts():
    """Lights, resistors and wires of the shopping list, and the current, are those of the default pin map."""
    made = plan(load_board("default"))
    count = {part.name: part.count for part in parts(made)}
    colours = ("green", "red", "yellow")
    leds = [sum(n for name, n in count.items() if name.startswith(f"LED 5 mm, {colour}")) for colour in colours]
    assert "LEDs 5 mm with clips: {} green, {} red, {} yellow".format(*leds) in TEXT
    resistors = " + ".join(str(count[f"resistor {value}, 0.25 W"]) for value in ("470 Ω", "560 Ω", "1 kΩ"))
    assert f"| {resistors} | resistors" in TEXT
    wires = sum(n for name, n in count.items() if name.startswith("jumper wire"))
    assert (
        f"| {wires} | jumper wires with a socket on one end: {len(made.wires)} for the pins, {wires - 21} for ground"
        in TEXT
    )
    assert f"Everything lit takes {made.pins_milliamps:.0f} mA from the pins, which may give 50 together" in TEXT
    assert ", ".join(wire.colour for wire in made.buttons) in TEXT


def test_the_guide_drills_what_the_template_drills():
    """The sizes in the text are those of the drawing."""
    sizes = f"{BUTTON_HOLE_MM:g} mm for buttons, {LIGHT_HOLE_MM:g} mm for lights, {SCREW_HOLE_MM:g} mm for the screws"
    assert sizes in TEXT
    assert f"about {PANEL_WIDTH_MM:g} x {PANEL_HEIGHT_MM:g} mm in front" in TEXT


def test_every_fault_has_a_cause_and_a_remedy():
    """Each line of the table has its three cells."""
    rows = [line for line in FAULTS.splitlines() if line.startswith("| ")]
    assert len(rows) > 20
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 3
        assert all(cells)


@pytest.mark.parametrize(
    ("pins", "words"),
    [((7, 8), "SPI"), ((4,), "1-wire"), ((14, 15), "serial"), ((18,), "I2S")],
)
def test_the_pins_that_others_take_are_in_the_fault_table(pins, words):
    """The faults that the default pin map can have from a bus are told by the pins that it uses."""
    board = load_board("default")
    used = {*board.buttons.values(), *(pin for row in board.lights.values() for pin in row.pins)}
    assert set(pins) <= used
    assert words in FAULTS


def test_every_board_that_the_guide_names_is_one():
    """`default`, `uln2803a` and `small` are pin maps that come with the box."""
    assert {name for name in ("default", "uln2803a", "small") if f"`{name}`" in TEXT} <= set(board_names())


def test_every_picture_of_the_guide_is_there():
    """Where the pictures are, those that the guide shows are among them; a wheel has none."""
    pictures = GUIDE.with_name("pictures")
    if not pictures.is_dir():
        pytest.skip("a wheel has no pictures")
    shown = set(re.findall(r"\(pictures/([\w.-]+)\)", TEXT))
    drawn = {f"default-{drawing}.svg" for drawing in ("wiring", "front", "stripboard")}
    assert shown == {*drawn, "box.png", "case.png", "board.png"}
    assert all((pictures / name).is_file() for name in shown)
