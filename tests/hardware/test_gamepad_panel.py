"""Buttons on USB: pulled out and plugged in again, kept by somebody else, bounced, dropped; and what was learnt."""

import pytest

from hardware.gamepad import GamepadButtons, GamepadPanel
from hardware.input_devices import KeyEdge
from hardware.panel import Button, ButtonEvent, Gesture, PanelError
from tests.hardware.usb import CODES, Socket


@pytest.fixture
def socket(clock):
    return Socket(clock)


@pytest.fixture
def panel(socket, clock):
    """A panel with its device, and what it has told."""
    made = GamepadPanel(GamepadButtons(socket.name, CODES), find=socket.find, clock=clock, look_seconds=0.01)
    made.heard = []
    made.listen(made.heard.append)
    yield made
    made.close()


def press(socket, clock, button, seconds=0.2):
    socket.key(button, down=True)
    clock.go(seconds)
    socket.key(button, down=False)
    clock.go(0.1)


def test_it_is_pulled_out_and_plugged_in_in_the_middle_of_a_game(panel, socket, clock, eventually):
    """A trouble while it is away; then it counts again, wherever it was plugged in."""
    press(socket, clock, Button.JA)
    eventually(lambda: panel.heard)
    socket.pull_out()
    (trouble,) = eventually(lambda: panel.troubles)
    assert trouble == "Arcade encoder is not plugged in, or this user may not read it."
    socket.plugged_in = True
    eventually(lambda: panel.troubles == ())
    press(socket, clock, Button.LIBERAL)
    eventually(lambda: len(panel.heard) == 2)
    assert panel.heard[1] == ButtonEvent(Button.LIBERAL, Gesture.PRESS)


@pytest.mark.parametrize("seconds", [0.2, 3.0])
def test_a_button_that_was_down_when_it_was_pulled_out_was_not_pressed(panel, socket, clock, eventually, seconds):
    """Nor held; a hold that was being counted aloud is called off."""
    socket.key(Button.UNDO, down=True)
    clock.go(seconds)
    if seconds > 1:
        eventually(lambda: [event.gesture for event in panel.heard] == [Gesture.HOLDING] * 3)
    else:
        eventually(lambda: panel._recogniser.down)
    socket.pull_out()
    eventually(lambda: panel.troubles)
    socket.plugged_in = True
    eventually(lambda: panel.troubles == ())
    clock.go(10)
    press(socket, clock, Button.FASCIST)
    eventually(lambda: panel.heard and panel.heard[-1].button is Button.FASCIST)
    told = [event.gesture for event in panel.heard[:-1] if event.gesture is not Gesture.HOLDING]
    assert told == ([Gesture.HOLD_CANCELLED] if seconds > 1 else [])


def test_a_button_that_is_down_at_the_start_says_nothing_until_it_is_let_go(socket, clock, eventually):
    """And is named as stuck meanwhile."""
    socket.down.add(CODES[Button.NEIN])
    panel = GamepadPanel(GamepadButtons(socket.name, CODES), find=socket.find, clock=clock)
    heard = []
    panel.listen(heard.append)
    try:
        assert panel.troubles == ("Button nein is stuck: it has been down since the start.",)
        socket.key(Button.NEIN, down=False)
        clock.go(1)
        press(socket, clock, Button.NEIN)
        eventually(lambda: heard)
        assert heard == [ButtonEvent(Button.NEIN, Gesture.PRESS)]
        assert panel.troubles == ()
    finally:
        panel.close()


def test_a_release_that_the_kernel_dropped_does_not_hold_for_ever(panel, socket, clock, eventually):
    """A button that is not down any more is a press, and never the hold that ends the box."""
    socket.key(Button.UNDO, down=True)
    eventually(lambda: panel._recogniser.down)
    socket.down.clear()
    clock.go(0.5)
    eventually(lambda: panel.heard)
    clock.go(10)
    press(socket, clock, Button.LIBERAL)
    eventually(lambda: len(panel.heard) > 1)
    assert [event.gesture for event in panel.heard] == [Gesture.PRESS, Gesture.PRESS]


def test_other_buttons_of_the_device_mean_nothing(panel, socket, clock, eventually):
    """A controller has more than six."""
    socket.device.tell(KeyEdge(999, True, clock()))
    press(socket, clock, Button.JA)
    eventually(lambda: panel.heard)
    assert panel.heard == [ButtonEvent(Button.JA, Gesture.PRESS)]


def test_a_device_that_somebody_else_keeps_is_a_trouble_until_they_let_it_go(socket, clock, eventually):
    """It is ours alone once we have it: a number pad would type into a terminal as well."""
    socket.taken = True
    panel = GamepadPanel(GamepadButtons(socket.name, CODES), find=socket.find, clock=clock, look_seconds=0.01)
    try:
        assert len(panel.troubles) == 1
        socket.taken = False
        eventually(lambda: panel.troubles == ())
        assert socket.device.ours
    finally:
        panel.close()


def test_a_device_of_another_name_is_left_alone(clock):
    """Whatever else is plugged in."""
    other = Socket(clock, "Somebody's keyboard")
    panel = GamepadPanel(GamepadButtons("Arcade encoder", CODES), find=other.find, clock=clock, look_seconds=10)
    try:
        assert len(panel.troubles) == 1
        assert all(device.closed and not device.ours for device in other.opened)
    finally:
        panel.close()


def test_closing_gives_the_device_back(panel, socket):
    """And a second time does nothing."""
    panel.close()
    panel.close()
    assert all(device.closed for device in socket.opened)


def test_what_was_learnt_is_kept(tmp_path):
    """In a file that people can read; the name may hold anything."""
    path = tmp_path / "state" / "gamepad.toml"
    learnt = GamepadButtons('DragonRise "Generic" USB\\Joystick é', CODES)
    learnt.save(path)
    assert GamepadButtons.load(path) == learnt
    assert "liberal = 288" in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "device = 3",
        'device = "a"\n[buttons]\nliberal = 1',
        'device = "a"\n[buttons]\n' + "".join(f"{button} = 1\n" for button in Button),
        'device = "a"\n[buttons]\n' + "".join(f'{button} = "{button}"\n' for button in Button),
        "not toml",
    ],
)
def test_a_file_that_is_wrong_is_a_sentence(tmp_path, text):
    """It names the file and what to do."""
    path = tmp_path / "gamepad.toml"
    path.write_text(text)
    with pytest.raises(PanelError, match=r"gamepad\.toml.*companion gamepad"):
        GamepadButtons.load(path)


def test_without_a_file_it_says_how_to_learn(tmp_path):
    """Nobody has pressed anything yet."""
    with pytest.raises(PanelError, match="companion gamepad"):
        GamepadButtons.load(tmp_path / "gamepad.toml")
