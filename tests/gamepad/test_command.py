"""`companion gamepad`: six presses, and it knows the buttons."""

import threading

import pytest

from companion.commands import gamepad
from companion.commands.gamepad import run
from hardware.gamepad import GamepadButtons
from hardware.input_devices import KeyEdge
from hardware.panel import Button
from tests.hardware.usb import CODES, Socket

pytest.importorskip("evdev", reason="the library for USB buttons is not installed: the extra `gamepad` brings it")


@pytest.fixture
def sockets():
    """An encoder and a keyboard that somebody has plugged in as well."""
    return Socket(lambda: 1.0), Socket(lambda: 1.0, "Keyboard")


def find(*sockets):
    return lambda: [device for socket in sockets for device in socket.find()]


def pressing(socket, codes):
    """Press one after the other as soon as the command listens."""

    def press():
        for code in codes:
            socket.device.tell(KeyEdge(code, True, 1.0))
            socket.device.tell(KeyEdge(code, False, 1.1))

    timer = threading.Timer(0.1, press)
    timer.start()
    return timer


def test_six_presses_are_kept(tmp_path, sockets, capsys):
    """Of the device that is pressed first; a button that is taken is asked for again."""
    encoder, keyboard = sockets
    codes = list(CODES.values())
    timer = pressing(encoder, [codes[0], codes[0], *codes[1:]])
    file = tmp_path / "gamepad.toml"
    assert run(file, find(encoder, keyboard)) == 0
    timer.join()
    assert GamepadButtons.load(file) == GamepadButtons("Arcade encoder", CODES)
    told = capsys.readouterr().out
    assert "that one is taken" in told
    assert "BTN_JOYSTICK" in told
    for button in Button:
        assert f"Press the button for {button}" in told
    assert all(device.closed for device in (*encoder.opened, *keyboard.opened))


def test_nothing_is_kept_when_it_is_pulled_out(tmp_path, sockets, capsys):
    """What was learnt before stays."""
    encoder, _ = sockets
    file = tmp_path / "gamepad.toml"
    file.write_text("as before")
    timer = threading.Timer(0.1, encoder.pull_out)
    timer.start()
    assert run(file, encoder.find) == 1
    timer.join()
    assert file.read_text() == "as before"
    assert "nothing is kept" in capsys.readouterr().err


def test_without_any_device_it_says_so(tmp_path, sockets, capsys):
    """And why there may be one that it does not see."""
    encoder, _ = sockets
    encoder.plugged_in = False
    assert run(tmp_path / "gamepad.toml", encoder.find) == 1
    assert "group `input`" in capsys.readouterr().err


def learn(sockets, tmp_path, monkeypatch, give, *, user="root"):
    """Learn six buttons on a machine that was made a box, and return the exit code."""
    encoder, _ = sockets
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(gamepad, "BOX_USER", user)
    timer = pressing(encoder, list(CODES.values()))
    code = run(tmp_path / "gamepad.toml", encoder.find, rules=tmp_path / "a" / "box.rules", give=give)
    timer.join()
    return code


def test_beside_an_installed_box_its_service_gets_that_device_alone(tmp_path, sockets, monkeypatch, capsys):
    """The rule names the device, so that no keyboard is the service's to read."""
    given = []
    assert learn(sockets, tmp_path, monkeypatch, lambda *words: given.append(words) or "") == 0
    assert given == [("Arcade encoder", "root", tmp_path / "a" / "box.rules")]
    assert "may read Arcade encoder, and no other device" in capsys.readouterr().out


def test_a_rule_that_cannot_be_given_is_told(tmp_path, sockets, monkeypatch, capsys):
    """The buttons are kept all the same."""
    assert learn(sockets, tmp_path, monkeypatch, lambda *_: "udev did not take it") == 1
    assert "may not read Arcade encoder: udev did not take it." in capsys.readouterr().err
    assert (tmp_path / "gamepad.toml").exists()


def test_without_an_installed_box_nobody_is_given_anything(tmp_path, sockets, monkeypatch):
    """There is no service whose user could have it."""
    assert learn(sockets, tmp_path, monkeypatch, lambda *_: "no", user="no such user") == 0
