import re
import tomllib

import pytest
from gpiozero.pins.mock import MockFactory

from hardware.boards import GROUND_PINS, HEADER_PINS, Colour, Driver, board_names, load_board
from hardware.panel import ROWS, Button, PanelError

COLOURS = "red, orange, yellow, green, blue, white"

GOOD = """
name = "mine"
description = "a box of one's own"
driver = "direct"
supply_volts = 3.3
[buttons]
liberal = 5
fascist = 6
ja = 7
nein = 8
repeat = 4
undo = 15
[lights.tracker]
pins = [16, 26, 14]
colour = "yellow"
[reserved]
I2C = [2, 3]
"""


def refusal(tmp_path, text):
    """The sentence with which a map of this text is refused; it always names the file."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PanelError) as refused:
        load_board(path)
    sentence = str(refused.value)
    assert sentence.startswith(f"{path}: ")
    return sentence.removeprefix(f"{path}: ")


def test_the_maps_that_come_with_the_box():
    """There are five, and each loads under its own name."""
    assert board_names() == ("default", "gpio3-power", "small", "strip", "uln2803a")
    for name in board_names():
        assert load_board(name).name == name


@pytest.mark.parametrize("name", board_names())
def test_every_map_opens_by_explaining_itself(name):
    """The first line says what the file is, and no file is without a word on its format."""
    from hardware import boards  # noqa: PLC0415 - only for its folder

    text = (boards._MAPS / f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("# A pin map: ")
    assert name == "default" or "default.toml explains the format" in text
    assert set(tomllib.loads(text)) <= {
        "name",
        "description",
        "driver",
        "supply_volts",
        "buttons",
        "lights",
        "reserved",
    }


def test_the_default_map_is_the_documented_one():
    """Pins as the wiring guide has had them from the start."""
    board = load_board()
    assert dict(board.buttons) == {
        Button.LIBERAL: 5,
        Button.FASCIST: 6,
        Button.JA: 7,
        Button.NEIN: 8,
        Button.REPEAT: 4,
        Button.UNDO: 15,
    }
    assert {row: lights.pins for row, lights in board.lights.items()} == {
        "liberal": (17, 27, 22, 23, 24),
        "fascist": (10, 9, 25, 11, 12, 13),
        "tracker": (16, 26, 14),
        "status": (18,),
    }


def test_lights_on_the_pins_are_of_colours_that_three_volts_can_light():
    """Blue and white want more than 3.3 V, so no map drives them directly."""
    for name in board_names():
        board = load_board(name)
        if board.driver is Driver.DIRECT:
            assert not {row.colour for row in board.lights.values()} & {Colour.BLUE, Colour.WHITE}


def test_gpio14_is_never_a_button():
    """It flickers while the Pi boots."""
    for name in board_names():
        assert 14 not in load_board(name).buttons.values()


def test_the_power_map_has_undo_on_the_pin_that_wakes_a_pi():
    """GPIO 3, and then I2C is not reserved."""
    board = load_board("gpio3-power")
    assert board.buttons[Button.UNDO] == 3
    assert "I2C" not in board.reserved.values()


def test_a_board_may_have_no_lights():
    """Six buttons and no light is a whole board."""
    board = load_board("small")
    assert len(board.buttons) == 6
    assert board.lights == {}


def test_the_header_is_that_of_every_pi():
    """The gpiozero library's own table of the 40-pin header says the same of every pin and every ground."""
    header = MockFactory().board_info.headers["J8"]
    assert {
        int(pin.name.removeprefix("GPIO")): place for place, pin in header.pins.items() if pin.name.startswith("GPIO")
    } == HEADER_PINS
    assert tuple(place for place, pin in header.pins.items() if pin.name == "GND") == GROUND_PINS


def test_a_map_of_ones_own(tmp_path):
    """A path is taken as well as a name, as `Path` or as text that ends in .toml."""
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert load_board(path) == load_board(str(path))
    assert load_board(path).lights["tracker"].pins == (16, 26, 14)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("undo = 15", "undo = 5", "buttons.undo: GPIO 5 is already used by buttons.liberal."),
        ("16, 26, 14", "16, 26, 5", "lights.tracker.pins: GPIO 5 is already used by buttons.liberal."),
        ("16, 26, 14", "16, 26, 16", "lights.tracker.pins: GPIO 16 is twice in this row."),
        ("undo = 15", "undo = 2", "buttons.undo: GPIO 2 is reserved for I2C."),
        ("undo = 15", "undo = 0", "buttons.undo: GPIO 0 is reserved for the identity chip of add-on boards."),
        ("undo = 15", "undo = 28", "buttons.undo: there is no GPIO 28: the header has 0 to 27 (BCM numbers)."),
        ("undo = 15", "undo = -1", "buttons.undo: there is no GPIO -1: the header has 0 to 27 (BCM numbers)."),
        ("undo = 15", "", "buttons.undo: is missing."),
        ("undo = 15", "undo = true", "buttons.undo: must be a GPIO number, not True."),
        ("undo = 15", 'undo = "GPIO15"', "buttons.undo: must be a GPIO number, not 'GPIO15'."),
        ("undo = 15", "undo = 15\nlibral = 9", "buttons.libral: there is no such key. Did you mean 'liberal'?"),
        ("[lights.tracker]", "[lights.traker]", "lights.traker: there is no such key. Did you mean 'tracker'?"),
        ("16, 26, 14", "16, 26", "lights.tracker.pins: the row has 3 lights, not 2."),
        ("[16, 26, 14]", "16", "lights.tracker.pins: must be a list of GPIO numbers, not 16."),
        ('colour = "yellow"', "", "lights.tracker.colour: is missing."),
        (
            '"yellow"',
            '"yelow"',
            f"lights.tracker.colour: must be one of {COLOURS}, not 'yelow'. Did you mean 'yellow'?",
        ),
        ('colour = "yellow"', 'color = "yellow"', "lights.tracker.color: there is no such key. Did you mean 'colour'?"),
        ('"direct"', '"uln2803"', "driver: must be one of direct, uln2803a, not 'uln2803'. Did you mean 'uln2803a'?"),
        ("supply_volts = 3.3", "supply_volts = 230", "supply_volts: must be a voltage above 0 and up to 24, not 230."),
        ("supply_volts = 3.3", "suply_volts = 3.3", "suply_volts: there is no such key. Did you mean 'supply_volts'?"),
        ('"direct"', "3", "driver: must be one of direct, uln2803a, not 3."),
        ('name = "mine"', "", "name: is missing."),
        ('name = "mine"', 'name = ""', "name: must be text, not ''."),
        ("[buttons]", "[button]", "button: there is no such key. Did you mean 'buttons'?"),
        ("[2, 3]", "[2, 40]", "reserved.I2C: there is no GPIO 40: the header has 0 to 27 (BCM numbers)."),
    ],
)
def test_a_wrong_map_is_refused_with_file_key_and_reason(tmp_path, before, after, sentence):
    """The sentence says where to look and what is wrong, and the nearest word that would be right."""
    assert before in GOOD
    assert refusal(tmp_path, GOOD.replace(before, after, 1)) == sentence


def test_a_table_that_is_none_is_refused(tmp_path):
    """`lights = 3` is no table of rows."""
    text = re.sub(r"\[lights\.tracker\]\n.*\n.*\n", "", GOOD).replace("[buttons]", "lights = 3\n[buttons]")
    assert refusal(tmp_path, text) == "lights: must be a table, not 3."


def test_what_is_no_toml_is_refused(tmp_path):
    """The reader's own words say where it stopped."""
    assert refusal(tmp_path, "name = ").startswith("is no TOML file: ")


def test_what_is_no_text_is_refused(tmp_path):
    """A photograph of a pin map is none."""
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(PanelError, match="is no TOML file"):
        load_board(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    """By its path and the system's reason."""
    with pytest.raises(PanelError, match=r"gone\.toml: cannot be read: No such file"):
        load_board(tmp_path / "gone.toml")


def test_an_unknown_name_is_refused_with_the_nearest():
    """A slip of the keyboard is answered with the name that was meant, anything else with all of them."""
    with pytest.raises(PanelError, match=r"no pin map called 'defualt'\. Did you mean 'default'\?"):
        load_board("defualt")
    with pytest.raises(PanelError, match="Known: default, gpio3-power, small, strip, uln2803a"):
        load_board("xyz")


def test_rows_have_the_lights_that_the_panel_has():
    """No shipped map has a row longer or shorter than the panel's."""
    for name in board_names():
        for row, lights in load_board(name).lights.items():
            assert len(lights.pins) == ROWS[row]
