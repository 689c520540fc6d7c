"""One contract for every panel: pins through each pin map, the page, the terminal, and USB buttons."""

import codecs
import os
import select
import threading
import time
import warnings
from dataclasses import replace

import pytest
from gpiozero.pins.mock import MockFactory

from hardware.boards import board_names, load_board
from hardware.gamepad import GamepadButtons, GamepadPanel
from hardware.gpio import GpioPanel
from hardware.keyboard import KeyboardPanel
from hardware.panel import CHORDS, DARK, HOLD_SECONDS, ROWS, Button, ButtonEvent, Gesture, Light, Lights
from hardware.picture import UNICODE
from hardware.strip import StripPanel
from hardware.web import WebPanel
from tests.hardware.test_strip import decoded
from tests.hardware.usb import CODES, Socket

ALL_LIGHTS = [(row, place) for row, count in ROWS.items() for place in range(count)]


def only(row, place, light=Light.ON):
    """Lights of which one does something and all others are off."""
    lights = [light if other == place else Light.OFF for other in range(ROWS[row])]
    return replace(DARK, **{row: lights[0] if row == "status" else tuple(lights)})


class OnPins:
    """Somebody at a box whose pins are gpiozero's mock pins."""

    def __init__(self, board_name, clock):
        self._board = load_board(board_name)
        self._clock = clock
        factory = MockFactory()
        self.panel = GpioPanel(self._board, factory, clock)
        self._buttons = {button: factory.pin(bcm) for button, bcm in self._board.buttons.items()}
        self._lights = {
            (row, place): factory.pin(bcm)
            for row, lights in self._board.lights.items()
            for place, bcm in enumerate(lights.pins)
        }
        self.lights = list(self._lights)

    def press(self, button, seconds=0.2):
        """Press and let go."""
        self._buttons[button].drive_low()
        self._clock.go(seconds)
        self._buttons[button].drive_high()
        self._clock.go(0.1)

    def chord(self, kept_down, button):
        """Press a button while another one is kept down."""
        self._buttons[kept_down].drive_low()
        self._clock.go(0.2)
        self.press(button)
        self._buttons[kept_down].drive_high()
        self._clock.go(0.1)

    def hold(self, button):
        """Hold to the end."""
        self.press(button, HOLD_SECONDS.get(button, 1.0) + 0.1)

    def lit(self):
        """The lights that are seen lit, by row and place."""
        return {light for light, pin in self._lights.items() if pin.state}

    def leave(self):
        """Nothing to tidy up."""


class OnThePage:
    """Somebody at the panel page."""

    lights = ALL_LIGHTS

    def __init__(self):
        self.panel = WebPanel()

    def press(self, button):
        """Press and let go."""
        self.panel.press(button, held=False)

    def chord(self, kept_down, button):
        """Press a button while another one is kept down."""
        self.panel.press(button, beside=kept_down)

    def hold(self, button):
        """Hold to the end."""
        self.panel.press(button, held=True)

    def lit(self):
        """The lights that are seen lit, by row and place."""
        picture = self.panel.picture()
        rows = {**picture, "status": [picture["status"] != "off"]}
        return {(row, place) for row, place in ALL_LIGHTS if rows[row][place]}

    def leave(self):
        """Nothing to tidy up."""


class OnUsbButtons(OnThePage):
    """Somebody with buttons on a USB encoder, and the lights on a page."""

    def __init__(self, clock):
        self._clock = clock
        self._socket = Socket(clock)
        self.panel = GamepadPanel(GamepadButtons(self._socket.name, CODES), find=self._socket.find, clock=clock)

    def press(self, button, seconds=0.2):
        """Press and let go."""
        self._socket.key(button, down=True)
        self._clock.go(seconds)
        self._socket.key(button, down=False)
        self._clock.go(0.1)

    def chord(self, kept_down, button):
        """Press a button while another one is kept down."""
        self._socket.key(kept_down, down=True)
        self._clock.go(0.2)
        self.press(button)
        self._socket.key(kept_down, down=False)
        self._clock.go(0.1)

    def hold(self, button):
        """Hold to the end."""
        self.press(button, HOLD_SECONDS.get(button, 1.0) + 0.1)


class OnKernelInput(OnThePage):
    """Somebody with a device that the kernel has made for this test: by its clock, time really passes."""

    def __init__(self):
        evdev = pytest.importorskip("evdev", reason="the extra `gamepad` is not installed")
        if not os.access("/dev/uinput", os.W_OK):
            pytest.skip("there is no /dev/uinput that may be written to: no input devices can be made here")
        self._keys = evdev.ecodes.EV_KEY
        self._device = evdev.UInput({self._keys: [*CODES.values()]}, name="Companion's contract")
        self.panel = GamepadPanel(GamepadButtons(self._device.name, CODES), look_seconds=0.05)
        end = time.monotonic() + 20
        while self.panel.troubles and time.monotonic() < end:
            time.sleep(0.05)

    def _key(self, button, down):
        self._device.write(self._keys, CODES[button], int(down))
        self._device.syn()

    def press(self, button, seconds=0.1):
        """Press and let go."""
        self._key(button, down=True)
        time.sleep(seconds)
        self._key(button, down=False)
        time.sleep(0.1)

    def chord(self, kept_down, button):
        """Press a button while another one is kept down."""
        self._key(kept_down, down=True)
        time.sleep(0.1)
        self.press(button)
        self._key(kept_down, down=False)
        time.sleep(0.1)

    def hold(self, button):
        """Hold to the end."""
        self.press(button, HOLD_SECONDS.get(button, 0.5) + 0.3)

    def leave(self):
        """Unplug it. The library looks for an event loop before it closes anything."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self._device.close()


class OnAStrip:
    """Somebody who looks at a strip of LEDs: each frame is taken off the wire and read as the LEDs read it."""

    lights = ALL_LIGHTS

    def __init__(self, clock):
        self._sent = []
        self.panel = StripPanel(self._sent.append, clock)

    def lit(self):
        """The lights that are seen lit, by row and place."""
        frames = [sent for sent in self._sent if sent]
        colours = decoded(frames[-1]) if frames else []
        return {light for light, colour in zip(ALL_LIGHTS, colours, strict=bool(frames)) if any(colour)}

    def leave(self):
        """Nothing to tidy up."""


class AtTheTerminal:
    """Somebody at a terminal, which here is the other end of a pseudo-terminal."""

    lights = ALL_LIGHTS

    def __init__(self, screen):
        self.screen = screen
        self._keyboard, terminal = os.openpty()
        self._stdin, self._stdout = os.fdopen(terminal, "r"), os.fdopen(os.dup(terminal), "w", encoding="utf-8")
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self.panel = KeyboardPanel(lambda: None, stdin=self._stdin, stdout=self._stdout, environment={"NO_COLOR": "1"})

    def press(self, button):
        """Press and let go."""
        os.write(self._keyboard, button.value[0].encode())

    def chord(self, kept_down, button):
        """Press the key of a chord: a terminal does not tell what is kept down."""
        assert CHORDS[button] is kept_down
        os.write(
            self._keyboard, {Button.LIBERAL: b"+", Button.FASCIST: b"-", Button.JA: b"t", Button.UNDO: b"y"}[button]
        )

    def hold(self, button):
        """Hold to the end."""
        os.write(self._keyboard, button.value[0].upper().encode())

    def lit(self):
        """The lights that are seen lit, by row and place."""
        while select.select([self._keyboard], [], [], 0)[0]:
            self.screen.feed(self._decode(os.read(self._keyboard, 65536)))
        picture = self.screen.lines[-18:-1]
        if len(picture) < 17:
            return set()
        boards, sides = [line[:54] for line in picture], [line[54:] for line in picture]
        rows = {
            "liberal": boards[1].split()[1:-1],
            "fascist": boards[5].split()[1:-1],
            "tracker": sides[1].split()[1:-1],
            "status": sides[5].split()[1:-1],
        }
        drawn_lit = {UNICODE.slot_lit.strip(), UNICODE.lamp_lit.strip()}
        return {(row, place) for row, marks in rows.items() for place, mark in enumerate(marks) if mark in drawn_lit}

    def leave(self):
        """Put the terminal away."""
        self._stdin.close()
        self._stdout.close()
        os.close(self._keyboard)


WITH_BUTTONS = [*(f"gpio {name}" for name in board_names()), "web", "keyboard", "gamepad", "kernel input"]


@pytest.fixture(params=WITH_BUTTONS)
def somebody(request, clock, screen):
    """Somebody at a panel of each kind."""
    yield from met(request, clock, screen)


@pytest.fixture(params=[*WITH_BUTTONS, "strip"])
def onlooker(request, clock, screen):
    """Somebody who looks at a panel of each kind, those of lights alone as well."""
    yield from met(request, clock, screen)


def met(request, clock, screen):
    """Bring somebody to a panel."""
    kind, _, board_name = request.param.partition(" ")
    person = {
        "gpio": lambda: OnPins(board_name, clock),
        "web": OnThePage,
        "keyboard": lambda: AtTheTerminal(screen),
        "gamepad": lambda: OnUsbButtons(clock),
        "kernel": OnKernelInput,
        "strip": lambda: OnAStrip(clock),
    }[kind]()
    yield person
    person.panel.close()
    person.leave()


@pytest.fixture
def heard(somebody):
    """Every event of the panel, as it comes."""
    events = []
    somebody.panel.listen(events.append)
    return events


def test_all_is_well_at_first(onlooker):
    """A panel that works has no troubles, and no light is on."""
    assert onlooker.panel.troubles == ()
    assert onlooker.lit() == set()


@pytest.mark.parametrize("button", list(Button))
def test_a_press_is_told_once(somebody, heard, eventually, button):
    """Each button says PRESS."""
    somebody.press(button)
    eventually(lambda: heard)
    assert heard == [ButtonEvent(button, Gesture.PRESS)]


@pytest.mark.parametrize("button", list(Button))
def test_a_hold_is_told_once(somebody, heard, eventually, button):
    """Each button with a hold action says HOLD and no PRESS; one without says PRESS however long it is down."""
    somebody.hold(button)
    act = Gesture.HOLD if button in HOLD_SECONDS else Gesture.PRESS
    eventually(lambda: heard and heard[-1].gesture is act)
    assert [event for event in heard if event.gesture is not Gesture.HOLDING] == [ButtonEvent(button, act)]


def test_presses_come_in_order(somebody, heard, eventually):
    """Six buttons, one after the other, twice."""
    for button in [*Button, *Button]:
        somebody.press(button)
    eventually(lambda: len(heard) == 12)
    assert [event.button for event in heard] == [*Button, *Button]


@pytest.mark.parametrize(("button", "kept_down"), CHORDS.items())
def test_a_chord_is_told_once_and_takes_the_place_of_both(somebody, heard, eventually, button, kept_down):
    """A policy button beside repeat is one event; the button that was kept down says nothing of its own."""
    somebody.chord(kept_down, button)
    eventually(lambda: heard)
    somebody.press(Button.UNDO)
    eventually(lambda: len(heard) > 1)
    assert heard == [ButtonEvent(button, Gesture.PRESS, beside=kept_down), ButtonEvent(Button.UNDO, Gesture.PRESS)]


def test_an_error_of_the_callback_does_not_kill_the_buttons(somebody, eventually, caplog):
    """A listener that fails on the first press is logged, and told of the second."""
    heard = []

    def fail_once(event):
        heard.append(event)
        if len(heard) == 1:
            raise RuntimeError("the table fell over")

    somebody.panel.listen(fail_once)
    somebody.press(Button.LIBERAL)
    eventually(lambda: len(heard) == 1)
    somebody.press(Button.FASCIST)
    eventually(lambda: len(heard) == 2)
    assert "the table fell over" in caplog.text


def test_each_light_goes_on_and_off_alone(onlooker, eventually):
    """Every light that the panel has is lit by its name and place, and no other with it."""
    for light in onlooker.lights:
        onlooker.panel.show(only(*light))
        eventually(lambda expected={light}: onlooker.lit() == expected)
        onlooker.panel.show(DARK)
        eventually(lambda: onlooker.lit() == set())


def test_a_blinking_light_begins_lit(onlooker, eventually):
    """A light that is to blink answers at once."""
    for light in onlooker.lights:
        onlooker.panel.show(only(*light, Light.SLOW))
        eventually(lambda expected={light}: onlooker.lit() == expected)


def test_nothing_is_lit_after_closing(onlooker, eventually):
    """Whatever was lit or blinking, closing turns it off, and showing it again does nothing."""
    everything = Lights((Light.ON,) * 5, (Light.SLOW,) * 6, (Light.FAST,) * 3, Light.BREATHING)
    onlooker.panel.show(everything)
    eventually(lambda: onlooker.lit() == set(onlooker.lights))
    onlooker.panel.close()
    assert onlooker.lit() == set()
    onlooker.panel.show(everything)
    assert onlooker.lit() == set()


def test_closing_twice_is_closing(onlooker):
    """The second time does nothing."""
    onlooker.panel.close()
    onlooker.panel.close()


def test_lights_may_be_shown_from_many_threads(somebody, eventually):
    """Eight threads at once leave the panel as the last of them to finish wanted it."""

    def flicker():
        for row, place in ALL_LIGHTS:
            somebody.panel.show(only(row, place, Light.FAST))

    threads = [threading.Thread(target=flicker) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    somebody.panel.show(only("liberal", 0))
    eventually(lambda: somebody.lit() == {("liberal", 0)} & set(somebody.lights))


def test_a_listener_may_change_the_lights(somebody, eventually):
    """A press that lights something does so from within the callback."""
    somebody.panel.listen(lambda _event: somebody.panel.show(only("fascist", 5)))
    somebody.press(Button.FASCIST)
    eventually(lambda: somebody.lit() == {("fascist", 5)} & set(somebody.lights))


def test_a_listener_may_close_the_panel(somebody, eventually):
    """A press that ends everything ends it, without waiting for itself."""
    closed = threading.Event()

    def end(_event):
        somebody.panel.close()
        closed.set()

    somebody.panel.listen(end)
    somebody.press(Button.LIBERAL)
    eventually(closed.is_set)
