"""Buttons on USB and lights on a strip, before anybody blames a wire."""

import pytest

from companion.commands.selftest.report import Status
from hardware.gamepad import GamepadButtons
from hardware.input_devices import MISSING
from hardware.panel import PanelError
from tests.hardware.usb import CODES, Socket


@pytest.fixture
def socket():
    return Socket(lambda: 1.0)


def test_usb_buttons_that_were_learnt_and_are_plugged_in_pass(found, parts, settings, socket):
    """By their name; and they are given back."""
    parts.extra["open_input_devices"] = socket.find
    GamepadButtons(socket.name, CODES).save(settings().gamepad_file)
    result = found(panel="gamepad")["panel"]
    assert (result.status, result.words) == (Status.OK, "the buttons of Arcade encoder")
    assert all(device.closed for device in socket.opened)


def test_usb_buttons_that_are_away_or_not_learnt_are_told_with_what_to_do(found, parts, settings, socket):
    """Not learnt, not plugged in, and without the library."""
    parts.extra["open_input_devices"] = socket.find
    result = found(panel="gamepad")["panel"]
    assert result.status is Status.FAILED
    assert "companion gamepad" in result.words
    GamepadButtons("Another one", CODES).save(settings().gamepad_file)
    result = found(panel="gamepad")["panel"]
    assert result.status is Status.FAILED
    assert result.words == "Another one is not plugged in, or this user may not read it"

    def no_library():
        raise PanelError(MISSING)

    parts.extra["open_input_devices"] = no_library
    assert "evdev" in found(panel="gamepad")["panel"].words


def test_a_strip_is_looked_at_where_there_is_one(found, parts, tmp_path):
    """Its bus is opened and given back; one that is not there fails, and without a strip nothing is asked."""
    sent = []

    def open_strip(path):
        assert path == tmp_path / "spi"
        return sent.append

    parts.extra["open_strip"] = open_strip
    assert "strip" not in found()
    assert found(strip=tmp_path / "spi")["strip"].status is Status.OK
    assert sent == [b""]
    del parts.extra["open_strip"]
    result = found(strip=tmp_path / "spi")["strip"]
    assert result.status is Status.FAILED
    assert "SPI has to be on" in result.words
