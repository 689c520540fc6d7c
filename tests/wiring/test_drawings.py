"""The two drawings: well-formed, whole, on their page, and true to scale."""

import dataclasses
import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import hardware
from companion import languages
from hardware.boards import GROUND_PINS, HEADER_PINS, board_names, load_board
from hardware.wiring import front, labels, parts, picture, plan, stripboard
from hardware.wiring.drawing import BOLD_WIDTH, LETTER_WIDTH
from hardware.wiring.front import BUTTON_HOLE_MM, LIGHT_HOLE_MM, PANEL_HEIGHT_MM, PANEL_WIDTH_MM, holes
from hardware.wiring.front import words as panel_words

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = Path(hardware.__file__).with_name("pictures")


def parsed(drawing):
    return ET.fromstring(drawing)  # noqa: S314 - we drew it ourselves


def texts(drawing):
    """Every line of text with its box (left, upper, right, lower), as wide as its letters could be."""
    for element in parsed(drawing).iter(f"{SVG}text"):
        x, y, size = (float(element.get(name)) for name in ("x", "y", "font-size"))
        letter = BOLD_WIDTH if element.get("font-weight") else LETTER_WIDTH
        width = len(element.text) * size * letter
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")]
        yield element.text, (left, y - size, left + width, y + size * 0.3)


def drawings():
    for name in board_names():
        yield pytest.param(picture(plan(load_board(name))), (210, 297), id=f"wiring-{name}")
        yield pytest.param(stripboard(plan(load_board(name))), (210, 297), id=f"stripboard-{name}")
        for code in languages.codes():
            made, words = plan(load_board(name)), languages.load(code).page
            yield pytest.param(front(made, words), (297, 210), id=f"front-{name}-{code}")
            yield pytest.param(labels(made, words), (210, 297), id=f"labels-{name}-{code}")


@pytest.mark.parametrize(("drawing", "size"), list(drawings()))
def test_a_drawing_is_a_sheet_of_a4(drawing, size):
    """It is well-formed, measures A4 in millimetres, a unit is a millimetre, and it needs nothing from elsewhere."""
    root = parsed(drawing)
    width, height = size
    assert (root.tag, root.get("width"), root.get("height")) == (f"{SVG}svg", f"{width}mm", f"{height}mm")
    assert root.get("viewBox") == f"0 0 {width} {height}"
    assert root.find(f"{SVG}title").text
    assert "href" not in drawing
    assert "nan" not in drawing


@pytest.mark.parametrize(("drawing", "size"), list(drawings()))
def test_no_text_leaves_the_page(drawing, size):
    """A printer's margin of 5 mm stays free, even if every letter is as wide as letters get."""
    width, height = size
    for words, (left, upper, right, lower) in texts(drawing):
        assert left >= 5, words
        assert upper >= 5, words
        assert right <= width - 5, words
        assert lower <= height - 5, words


@pytest.mark.parametrize("name", board_names())
def test_every_light_and_button_is_in_the_wiring_once(name):
    """Each by its name, with its colour in words and its GPIO number, beside the place that has its number."""
    made = plan(load_board(name))
    counted = Counter(words for words, _ in texts(picture(made)))
    for wire in made.wires:
        assert counted[wire.name] == 1
        assert sum(words.startswith(f"{wire.colour}, GPIO {wire.bcm} ") for words in counted) == 1
    assert all(counted[str(pin)] == 1 for pin in range(1, 41))


@pytest.mark.parametrize("name", board_names())
def test_a_wire_ends_at_its_own_place(name):
    """The wire beside a name is at the height of the place that the pin map gives, and on its side of the header."""
    made = plan(load_board(name))
    found = dict(texts(picture(made)))
    for wire in made.wires:
        (left, _, _, lower), (pin_left, _, _, pin_lower) = found[wire.name], found[str(wire.pin)]
        assert abs(lower - pin_lower) < 3.65
        assert (left > pin_left) is (wire.pin % 2 == 0)


@pytest.mark.parametrize(("name", "wires"), [("default", "two wires"), ("uln2803a", "one wire"), ("small", "one wire")])
def test_the_ground_has_as_many_wires_as_are_bought(name, wires):
    """What stands below the drawing is what the shopping list counts."""
    made = plan(load_board(name))
    count = {part.name: part.count for part in parts(made)}["jumper wire from the common ground to the header"]
    assert ["one wire", "two wires"][count - 1] == wires
    assert any(f"joined, they need {wires} to the header" in words for words, _ in texts(picture(made)))


def test_unused_places_say_what_they_are():
    """Grounds are eight, the supplies are left alone without a driver, and reserved pins say for what."""
    said = Counter(words for words, _ in texts(picture(plan(load_board("default")))))
    # One more in each of the two cells.
    assert said["ground"] == len(GROUND_PINS) + 2
    assert said["5 V, not used"] == 2
    assert said["3.3 V, not used"] == 2
    assert said["GPIO 2, kept for I2C"] == 1
    assert said["GPIO 19, kept for an I2S sound card"] == 1


def test_the_driver_gets_its_five_volts_from_pin_2_and_leaves_com_free():
    """With drivers one 5 V pin and one ground go to them, every light says its leg, and COM stays free."""
    said = Counter(words for words, _ in texts(picture(plan(load_board("uln2803a")))))
    assert said["to the resistors of the lights"] == 1
    assert said["to leg 9 of each driver"] == 1
    assert said["leg 10, COM: free"] == 1
    assert said["5 V, not used"] == 1
    assert sum("driver U1, leg" in words for words in said) == 8
    assert sum("driver U2, leg" in words for words in said) == 7


def test_a_supply_of_its_own_takes_nothing_from_the_header():
    """Lights fed from 12 V leave both 5 V pins alone."""
    board = dataclasses.replace(load_board("uln2803a"), supply_volts=12.0)
    said = Counter(words for words, _ in texts(picture(plan(board))))
    assert said["5 V, not used"] == 2
    assert said["+12 V"] == 1


def test_words_of_ones_own_stay_on_the_page_and_are_only_words():
    """A long name, a long description and signs of XML in a pin map change nothing of the drawing but its words."""
    board = load_board("default")
    strange = dataclasses.replace(
        board, name="<my> & " * 12, description="word " * 400, reserved={2: "<b>&" * 30, **dict.fromkeys((0, 1), "x")}
    )
    drawing = picture(plan(strange))
    for words, (left, _, right, _) in texts(drawing):
        assert 5 <= left <= right <= 205, words
    assert parsed(drawing).find(f"{SVG}title").text.startswith("Wiring of the pin map <my> & ")


@pytest.mark.parametrize("name", board_names())
@pytest.mark.parametrize("code", languages.codes())
def test_every_label_is_on_the_front_panel(name, code):
    """Buttons and rows are labelled in the table's language, each label once."""
    board = load_board(name)
    page = languages.load(code).page
    said = Counter(words for words, _ in texts(front(plan(board), page)))
    wanted = [page[f"button_{button}"] for button in board.buttons]
    rows = {
        "liberal": "liberal_board",
        "fascist": "fascist_board",
        "tracker": "election_tracker",
        "status": "status_light",
    }
    wanted += [page[rows[row]] for row in board.lights]
    assert all(said[label] == 1 for label in wanted)


@pytest.mark.parametrize("code", languages.codes())
def test_the_names_of_the_buttons_are_of_one_size(code):
    """A long word in a language makes all six smaller, and not itself alone."""
    page = languages.load(code).page
    names = {page[f"button_{button}"] for button in load_board("default").buttons}
    drawn = parsed(front(plan(load_board("default")), page)).iter(f"{SVG}text")
    sizes = [line.get("font-size") for line in drawn if line.text in names]
    assert (len(sizes), len(set(sizes))) == (6, 1)


@pytest.mark.parametrize("code", languages.codes())
def test_labels_do_not_run_into_each_other(code):
    """Between two labels of a line there is a gap, in every language."""
    lines = {}
    for _, (left, upper, right, lower) in texts(front(plan(load_board("default")), languages.load(code).page)):
        lines.setdefault(round(lower + (upper - lower) * 0.3 / 1.3), []).append((left, right))
    for line in lines.values():
        assert all(one[1] < other[0] for one, other in pairwise(sorted(line)))


def test_holes_are_to_scale_and_apart():
    """A 24 mm hole for each button, 6.5 mm for each light, four for screws, with 8 mm of panel between."""
    made = plan(load_board("default"))
    drilled = holes(made)
    assert Counter(hole.diameter_mm for hole in drilled) == {BUTTON_HOLE_MM: 6, LIGHT_HOLE_MM: 15, 3.2: 4}
    assert [hole.name for hole in drilled if hole.name] == [wire.name for wire in made.wires]
    circles = {
        (float(each.get("cx")), float(each.get("cy"))): float(each.get("r"))
        for each in parsed(front(made, {})).iter(f"{SVG}circle")
    }
    left, top = (297 - PANEL_WIDTH_MM) / 2, 22
    for hole in drilled:
        assert circles[left + hole.x_mm, top + hole.y_mm] == pytest.approx(hole.diameter_mm / 2)
        assert hole.diameter_mm / 2 + 5 <= hole.x_mm <= PANEL_WIDTH_MM - hole.diameter_mm / 2 - 5
        assert hole.diameter_mm / 2 + 5 <= hole.y_mm <= PANEL_HEIGHT_MM - hole.diameter_mm / 2 - 5
    for one in drilled:
        for other in drilled:
            distance = ((one.x_mm - other.x_mm) ** 2 + (one.y_mm - other.y_mm) ** 2) ** 0.5
            assert one is other or distance - (one.diameter_mm + other.diameter_mm) / 2 >= 8


def test_the_bar_is_as_long_as_it_says():
    """Whoever measures 100 mm on paper has printed it to scale."""
    (bar,) = re.findall(r'd="M([\d.]+) ([\d.]+)H([\d.]+)M', front(plan(load_board("default")), {}))
    assert float(bar[2]) - float(bar[0]) == 100


@pytest.mark.parametrize("path", sorted(PICTURES.glob("*.svg")), ids=lambda path: path.stem)
def test_the_pictures_of_the_guide_are_what_the_command_draws(path):
    """`companion wiring --board NAME` with `--svg`, `--front` or `--stripboard` gives the very files of the guide."""
    board, _, kind = path.stem.rpartition("-")
    made = plan(load_board(board))
    drawn = {
        "wiring": lambda: picture(made),
        "front": lambda: front(made, languages.load("en").page),
        "stripboard": lambda: stripboard(made),
    }[kind]()
    assert path.read_text(encoding="utf-8") == drawn


def test_resistors_wear_their_rings():
    """470 ohms are yellow, violet, brown; 560 are green, blue, brown; gold stands for 5 %."""
    from hardware.wiring.drawing import resistor  # noqa: PLC0415

    def rings(ohms):
        return re.findall(r'fill="(#\w+)"', resistor(0, 0, ohms))[1:]

    assert rings(470) == ["#f5c518", "#7a3ea8", "#7b4a1e", "#c9a227"]
    assert rings(560) == ["#2e9e4f", "#2563c9", "#7b4a1e", "#c9a227"]
    assert rings(1200) == ["#7b4a1e", "#d0312d", "#d0312d", "#c9a227"]


def test_a_browser_finds_all_text_on_the_page(browser):
    """Rendered for real, every line of text lies on its sheet, whatever font the machine has."""
    shown = [picture(plan(load_board(name))) for name in board_names()]
    shown += [front(plan(load_board("default")), languages.load(code).page) for code in languages.codes()]
    outside = """() => { const page = document.documentElement.viewBox.baseVal;
        return [...document.querySelectorAll('text')].filter(text => { const box = text.getBBox();
            return box.x < 5 || box.y < 5 || box.x + box.width > page.width - 5 || box.y + box.height > page.height - 5;
        }).map(text => text.textContent); }"""
    page = browser.new_page()
    for drawing in shown:
        page.goto("about:blank")
        page.goto("data:image/svg+xml;charset=utf-8," + re.sub(r"[#%]", lambda sign: f"%{ord(sign[0]):02x}", drawing))
        assert page.evaluate("document.querySelectorAll('text').length") > 15
        assert page.evaluate(outside) == []
    page.close()


def test_every_place_of_the_header_is_named():
    """The 28 GPIO numbers, eight grounds and four supplies are the forty places."""
    assert sorted([*HEADER_PINS.values(), *GROUND_PINS, 1, 2, 4, 17]) == list(range(1, 41))


@pytest.mark.parametrize("code", languages.codes())
def test_the_labels_are_the_words_of_the_front(code):
    """Each word once, none over another, with the colour of its button beside it."""
    made, words = plan(load_board("default")), languages.load(code).page
    printed = Counter(each.text for each in panel_words(made, words))
    sheet = list(texts(labels(made, words)))
    assert Counter(text for text, _ in sheet[2:]) == printed
    boxes = [box for _, box in sheet]
    for place, (left, upper, right, lower) in enumerate(boxes):
        for other in boxes[place + 1 :]:
            assert right <= other[0] or other[2] <= left or lower <= other[1] or other[3] <= upper
