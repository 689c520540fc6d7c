"""The arithmetic of lights and pins: which resistor, how much current, and what is too much. Pure.

Units are volts, milliamperes and ohms throughout.
"""

from __future__ import annotations

from math import ceil, log10

from hardware.boards import Colour

PIN_VOLTS = 3.3
"""What a pin gives when it is high, and the most that may ever reach one."""

HEADER_VOLTS = 5.0
"""What the header gives beside that, on pins 2 and 4."""

WANTED_MILLIAMPS = 3.0
"""A light on a pin: bright enough at a table, and fifteen of them stay under what all pins may give together."""

DRIVEN_MILLIAMPS = 8.0
"""A light behind a driver chip, which has its own supply."""

PIN_LIMIT_MILLIAMPS = 16.0
"""The most that one pin may give, by the Raspberry Pi documentation."""

PINS_LIMIT_MILLIAMPS = 50.0
"""The most that all pins may give together."""

CHANNEL_LIMIT_MILLIAMPS = 100.0
"""The most through one output of the driver here: all eight at once then stay cool (500 mA is its absolute limit)."""

HEADER_LIMIT_MILLIAMPS = 500.0
"""The most that lights may take from the 5 V of the header, which the Raspberry Pi itself lives on."""

HEADROOM_VOLTS = 0.5
"""The least that has to be left for the resistor: with less, a light that differs a little is dark or too bright."""

FORWARD_VOLTS: dict[Colour, float] = {
    Colour.RED: 1.8,
    Colour.ORANGE: 2.0,
    Colour.YELLOW: 2.0,
    Colour.GREEN: 2.1,
    Colour.BLUE: 3.0,
    Colour.WHITE: 3.0,
}
"""What a light keeps for itself at a few milliamperes. Green is the ordinary yellow-green one; pure green wants 3 V."""

DRIVER_VOLTS = 0.8
"""What an output of the ULN2803A keeps for itself at such currents."""

DRIVER_INPUT_OHMS = 2700.0
DRIVER_INPUT_VOLTS = 1.4
"""An input of the ULN2803A: its resistor, and the two base-emitter junctions behind it. It needs no other resistor."""

PULL_UP_OHMS = 50_000.0
"""The least that the resistor inside the chip has, which holds a button's pin up."""

BOARD_PULL_UP_OHMS = 1_800.0
"""What holds GPIO 2 and GPIO 3 up: resistors on the board itself, for I2C."""

BOARD_PULLED_UP = frozenset({2, 3})

LOW_VOLTS = 0.8
"""A pin reads low below this, by the data sheet of the BCM2711 (table of GPIO voltages)."""

BUTTON_OHMS, BUTTON_OHMS_PULLED_UP = 1000, 330
"""In series with a button. A pin that some overlay drives high by mistake would be shorted to ground by a press: so it
gives a few milliamperes instead. On a pin that the board pulls up itself 1 kΩ would leave too much of the voltage."""

_E12 = (10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82)


class WiringError(Exception):
    """A pin map that must not be soldered; the message is one sentence that says which part of it and why."""


def series_resistor(volts: float, milliamps: float) -> int:
    """The resistor (ohms) of the E12 series that lets at most `milliamps` through.

    Args:
        volts: what is left for the resistor, above 0.
        milliamps: the current wanted, above 0. The resistor is rounded up, so the current is never more.
    """
    exact = volts / milliamps * 1000
    decade: int = 10 ** max(0, int(log10(exact)) - 1)
    for factor in (1, 10, 100):
        for step in _E12:
            # A thousandth less than wanted is no reason for the next one up.
            if step * decade * factor >= exact * 0.999:
                return step * decade * factor
    return ceil(exact)  # pragma: no cover - three decades hold every value


def milliamps(volts: float, ohms: float) -> float:
    """The current (mA) that `volts` drive through `ohms`."""
    return volts / ohms * 1000


def button_resistor(bcm: int) -> int:
    """The resistor (ohms) between a pin and its button."""
    return BUTTON_OHMS_PULLED_UP if bcm in BOARD_PULLED_UP else BUTTON_OHMS


def pull_up(bcm: int) -> float:
    """The least resistance (ohms) of what holds a button's pin up."""
    return BOARD_PULL_UP_OHMS if bcm in BOARD_PULLED_UP else PULL_UP_OHMS


def button_milliamps(bcm: int) -> float:
    """The current (mA) of a pin whose button is pressed: what its pull-up lets through."""
    return milliamps(PIN_VOLTS, pull_up(bcm) + button_resistor(bcm))


def driver_input_milliamps() -> float:
    """The current (mA) that an input of the driver takes from a pin."""
    return milliamps(PIN_VOLTS - DRIVER_INPUT_VOLTS, DRIVER_INPUT_OHMS)
