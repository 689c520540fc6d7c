"""Which wire goes where, through which resistor, and what is refused."""

import dataclasses

import pytest

from hardware.boards import GROUND_PINS, HEADER_PINS, Colour, Driver, LightRow, board_names, load_board
from hardware.panel import ROWS, Button
from hardware.wiring import WiringError, electrics, parts, plan
from hardware.wiring.plan import nearest_ground

E12 = {10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82}


@pytest.fixture(params=board_names())
def board(request):
    return load_board(request.param)


def coloured(board, colour, driver=Driver.DIRECT, volts=3.3):
    """The board with every light in one colour."""
    lights = {row: LightRow(lights.pins, colour) for row, lights in board.lights.items()}
    return dataclasses.replace(board, lights=lights, driver=driver, supply_volts=volts)


def test_the_table_is_the_pin_map(board):
    """Each button and each light of the map has one wire, on the pin that the map gives it, and no other wire is."""
    made = plan(board)
    assert {wire.name: wire.bcm for wire in made.buttons} == {
        button.value: pin for button, pin in board.buttons.items()
    }
    rows = {}
    for wire in made.lights:
        rows.setdefault(wire.row, []).append(wire)
    assert {row: tuple(wire.bcm for wire in wires) for row, wires in rows.items()} == {
        row: lights.pins for row, lights in board.lights.items()
    }
    assert all([wire.place for wire in wires] == list(range(1, ROWS[row] + 1)) for row, wires in rows.items())
    assert all(wire.pin == HEADER_PINS[wire.bcm] for wire in made.wires)
    assert all(wire.colour == board.lights[wire.row].colour for wire in made.lights)
    assert len({wire.pin for wire in made.wires}) == len(made.wires)


def test_no_wire_is_on_ground_or_on_a_supply(board):
    """What hangs on a pin hangs on a GPIO pin."""
    assert not {wire.pin for wire in plan(board).wires} & {1, 2, 4, 17, *GROUND_PINS}


def test_every_board_is_within_the_limits(board):
    """About 3 mA a light on a pin, and all together below 50 mA; behind a driver a pin gives less than one."""
    made = plan(board)
    assert made.pins_milliamps < electrics.PINS_LIMIT_MILLIAMPS
    assert all(wire.pin_milliamps <= 3.0 for wire in made.wires)
    if board.driver is Driver.DIRECT:
        assert all(2.4 <= wire.light_milliamps <= 3.0 for wire in made.lights)
    else:
        assert all(0.5 < wire.pin_milliamps < 1.0 for wire in made.lights)
        assert all(6.0 <= wire.light_milliamps <= 8.0 for wire in made.lights)


@pytest.mark.parametrize(
    ("volts", "milliamps", "ohms"),
    [
        (1.5, 3, 560),
        (1.3, 3, 470),
        (1.2, 3, 470),
        (1.2, 8, 150),
        (2.4, 8, 330),
        (0.5, 50, 10),
        (9, 3, 3300),
        (1, 10, 100),
    ],
)
def test_a_resistor_is_the_next_one_up_that_can_be_bought(volts, milliamps, ohms):
    """By Ohm's law, rounded up to the E12 series: 1.5 V at 3 mA are 500 ohms, and 560 is what shops have."""
    assert electrics.series_resistor(volts, milliamps) == ohms
    assert electrics.milliamps(volts, ohms) <= milliamps * 1.001


@pytest.mark.parametrize("volts", [0.5, 0.7, 1.3, 2.2, 5.9, 21.4])
@pytest.mark.parametrize("milliamps", [0.5, 1, 2.9, 8, 15.9])
def test_a_resistor_never_lets_more_through(volts, milliamps):
    """Whatever is left for it, the resistor is of the series, and less than a step too large."""
    ohms = electrics.series_resistor(volts, milliamps)
    assert ohms // 10 ** (len(str(ohms)) - 2) in E12
    assert milliamps / 1.26 < electrics.milliamps(volts, ohms) <= milliamps * 1.0011


def test_the_default_board_by_hand():
    """Green 470, red 560, yellow 470 ohms; 40 mA with everything lit, which is what the guide says."""
    made = plan(load_board("default"))
    assert {(wire.colour, wire.resistor_ohms) for wire in made.lights} == {
        ("green", 470),
        ("red", 560),
        ("yellow", 470),
    }
    lights = 5 * 1.2 / 470 + 6 * 1.5 / 560 + 4 * 1.3 / 470
    buttons = 6 * 3.3 / 51_000
    assert {wire.resistor_ohms for wire in made.buttons} == {1000}
    assert made.pins_milliamps == pytest.approx((lights + buttons) * 1000)
    assert (made.supply_milliamps, made.chips) == (0, 0)


@pytest.mark.parametrize(("pin", "ground"), [(8, 6), (10, 9), (7, 9), (11, 9), (29, 30), (40, 39), (1, 6), (19, 20)])
def test_the_nearest_ground_is_the_nearest_by_a_ruler(pin, ground):
    """Across the header is as near as along it."""
    assert nearest_ground(pin) == ground
    assert ground in GROUND_PINS


def test_the_driver_takes_the_lights_in_order():
    """Fifteen lights need two chips of eight; input and output lie across from each other, and COM is none."""
    made = plan(load_board("uln2803a"))
    channels = [wire.channel for wire in made.lights]
    assert [(channel.chip, channel.number) for channel in channels] == [(n // 8 + 1, n % 8 + 1) for n in range(15)]
    assert made.chips == 2
    assert all(1 <= channel.input_leg <= 8 and 11 <= channel.output_leg <= 18 for channel in channels)
    assert all(channel.input_leg + channel.output_leg == 19 for channel in channels)
    assert all(wire.ground_pin is None for wire in made.lights), "such a light returns to the driver, not to the header"
    assert all(wire.channel is None and wire.ground_pin for wire in made.buttons)


def test_gpio3_has_a_pull_up_of_its_own():
    """A pressed button draws 1.5 mA there, through the 1.8 kilohms that the board has for I2C and its own 330 ohms."""
    undo = next(wire for wire in plan(load_board("gpio3-power")).wires if wire.name == "undo")
    assert undo.pin_milliamps == pytest.approx(3.3 / 2.13, rel=0.01)


@pytest.mark.parametrize("bcm", [3, 17])
def test_a_pressed_button_is_read_and_harms_no_pin(bcm):
    """Pressed, a pin is low beyond doubt; driven high by mistake, it gives less than it may."""
    resistor = electrics.button_resistor(bcm)
    assert electrics.PIN_VOLTS * resistor / (resistor + electrics.pull_up(bcm)) < 0.7 * electrics.LOW_VOLTS
    assert electrics.milliamps(electrics.PIN_VOLTS, resistor) < 0.7 * electrics.PIN_LIMIT_MILLIAMPS


@pytest.mark.parametrize("colour", [Colour.BLUE, Colour.WHITE])
def test_blue_and_white_on_a_pin_are_refused(colour):
    """3.3 V leave too little for a resistor, and the sentence says what to do."""
    with pytest.raises(WiringError, match=f"{colour.value}, .*ULN2803A"):
        plan(coloured(load_board("default"), colour))


def test_five_volts_on_a_pin_are_refused():
    """A pin map that feeds its pins from 5 V is never drawn."""
    with pytest.raises(WiringError, match=r"5 V on its pins: a pin gives 3\.3 V, and more destroys it"):
        plan(coloured(load_board("default"), Colour.RED, volts=5.0))


def test_a_driver_without_enough_volts_is_refused():
    """A driver keeps a part for itself: 3.3 V through it light no blue LED."""
    with pytest.raises(WiringError, match="liberal lights are blue"):
        plan(coloured(load_board("uln2803a"), Colour.BLUE, Driver.ULN2803A, 3.3))


def test_too_much_together_is_refused():
    """Fifteen lights at 4 mA pass what all pins may give."""
    with pytest.raises(
        WiringError, match=r"All lights together would take 5\d mA from the pins, which give 50 mA at most"
    ):
        plan(load_board("default"), 4)


def test_too_much_for_one_pin_is_refused_by_its_name():
    """A single light above 16 mA is named, with its pin."""
    with pytest.raises(WiringError, match=r"The light liberal 1 would take 17\.6 mA from GPIO 17"):
        plan(load_board("default"), 20)


def test_too_much_for_a_driver_is_refused():
    """Neither an output above 100 mA, nor more than 500 mA from the 5 V that the Raspberry Pi lives on."""
    board = load_board("uln2803a")
    with pytest.raises(WiringError, match="stays cool up to 100 mA"):
        plan(board, 150)
    with pytest.raises(WiringError, match="from the 5 V of the header"):
        plan(board, 45)


@pytest.mark.parametrize("wanted", [0, -1, float("nan")])
def test_no_current_is_refused(wanted):
    """A light of nothing needs no wire."""
    with pytest.raises(WiringError, match="ask for more than nothing"):
        plan(load_board("default"), wanted)


def test_a_supply_of_twelve_volts_is_its_own():
    """Lights may have 12 V of their own; then the header is not asked for it, and the resistors grow."""
    made = plan(coloured(load_board("uln2803a"), Colour.BLUE, Driver.ULN2803A, 12.0))
    assert not made.fed_by_header
    assert {wire.resistor_ohms for wire in made.lights} == {1200}


def test_the_shopping_list_counts_everything(board):
    """One LED and one clip a light, one button each, a resistor and a wire each, and chips with sockets."""
    made = plan(board)
    counted = {}
    for part in parts(made):
        kind = part.name.split()[0]
        counted[kind] = counted.get(kind, 0) + part.count
    lights = len(made.lights)
    assert counted["push"] == 6
    assert (counted.get("LED", 0), counted.get("clip", 0), counted["resistor"]) == (lights, lights, len(made.wires))
    assert counted.get("driver", 0) == counted.get("socket", 0) == (2 if board.driver is Driver.ULN2803A else 0)
    assert sum(part.count for part in parts(made) if "socket on one end" in part.name) == len(made.wires)


def test_buttons_have_the_colours_that_the_box_names():
    """Blue, red, green, white, yellow and black, as the box says when it explains itself."""
    colours = {wire.name: wire.colour for wire in plan(load_board("small")).buttons}
    assert colours == dict(zip(Button, ("blue", "red", "green", "white", "yellow", "black"), strict=True))
