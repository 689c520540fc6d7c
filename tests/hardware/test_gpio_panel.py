import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from gpiozero import GPIOPinInUse
from gpiozero.pins.mock import MockFactory, MockPin

import hardware
from hardware.boards import load_board
from hardware.gpio import KERNEL_FILTER_SECONDS, GpioPanel, open_factory
from hardware.panel import DARK, HOLD_SECONDS, Button, ButtonEvent, Gesture, Light, Lights

ROOT = Path(hardware.__file__).parents[1]
HEADER = Path("/dev/gpiochip0")


class StingyFactory(MockFactory):
    """Mock pins of which the kernel keeps some for itself."""

    def __init__(self, *kept):
        super().__init__()
        self._kept = kept

    def pin(self, name, **kwargs):
        """A pin, unless it is kept."""
        if name in self._kept:
            raise GPIOPinInUse(f"GPIO{name} busy")
        return super().pin(name, **kwargs)


class WornPin(MockPin):
    """A pin that can do what real ones do on a bad day."""

    broken = False
    held_down = False

    def release_unheard(self):
        """The contact opens, and the edge is lost on its way."""
        self._change_state(True)

    def tell(self, state, ago):
        """An edge that happened a while ago arrives only now."""
        self._change_state(state)
        self._when_changed()(time.monotonic() - ago, state)

    def _set_pull(self, value):
        super()._set_pull(value)
        if self.held_down:
            self._change_state(False)

    def _set_state(self, value):
        if self.broken and value:
            raise OSError("the line has gone")
        super()._set_state(value)


@pytest.fixture
def panels():
    """Makes panels and closes them."""
    made = []

    def make(board="default", factory=None, **clock):
        panel = GpioPanel(load_board(board), factory or MockFactory(), **clock)
        made.append(panel)
        return panel

    yield make
    for panel in made:
        panel.close()


def heard_by(panel):
    events = []
    panel.listen(events.append)
    return events


def test_a_refused_pin_is_named_and_the_rest_works(panels, eventually):
    """A button and a light that the kernel will not give are troubles by name, pin and reason; all others work."""
    factory = StingyFactory(7, 25)
    panel = panels(factory=factory)
    assert panel.troubles == (
        "Light fascist 3 (GPIO 25) does not work: GPIO25 busy.",
        "Button ja (GPIO 7) does not work: GPIO7 busy.",
    )
    events = heard_by(panel)
    factory.pin(5).drive_low()
    eventually(lambda: events == [ButtonEvent(Button.LIBERAL, Gesture.PRESS)])
    panel.show(Lights(fascist=(Light.ON,) * 6))
    assert [factory.pin(bcm).state for bcm in (10, 9, 11, 12, 13)] == [True] * 5


def test_a_pin_that_something_else_holds_is_a_trouble(panels):
    """Two panels on one header: the second has no pins, says so, and does not fail."""
    factory = MockFactory()
    panels("small", factory)
    second = GpioPanel(load_board("small"), factory)
    assert len(second.troubles) == 6
    assert all("is already in use" in trouble for trouble in second.troubles)
    second.close()


def test_a_light_that_breaks_later_is_a_trouble_too(panels):
    """The light is named once, and the others still change."""
    factory = MockFactory(pin_class=WornPin)
    panel = panels(factory=factory)
    factory.pin(17).broken = True
    for _ in range(2):
        panel.show(Lights(liberal=(Light.ON,) * 5))
        panel.show(DARK)
    panel.show(Lights(liberal=(Light.ON,) * 5))
    assert panel.troubles == ("Light liberal 1 (GPIO17) does not work: the line has gone.",)
    assert factory.pin(27).state


def test_a_button_down_at_the_start_is_reported_and_works_after_its_release(panels, clock, eventually):
    """It is a trouble until it has been let go, the others work meanwhile, and then it works."""
    factory = MockFactory(pin_class=WornPin)
    stuck = factory.pin(8)
    stuck.held_down = True
    panel = panels(factory=factory, clock=clock)
    events = heard_by(panel)
    assert panel.troubles == ("Button nein is stuck: it has been down since the start.",)
    factory.pin(5).drive_low()
    eventually(lambda: len(events) == 1)
    clock.go(10)
    stuck.drive_high()
    clock.go(1)
    eventually(lambda: panel.troubles == ())
    stuck.drive_low()
    clock.go(0.2)
    stuck.drive_high()
    eventually(lambda: events[1:] == [ButtonEvent(Button.NEIN, Gesture.PRESS)])


def test_the_kernel_is_asked_to_filter(panels):
    """Each button's pin is pulled up and told to swallow pulses under 10 ms."""
    factory = MockFactory()
    panels("gpio3-power", factory)
    for bcm in load_board("gpio3-power").buttons.values():
        assert factory.pin(bcm).pull == "up"
        assert factory.pin(bcm).bounce == KERNEL_FILTER_SECONDS == 0.010


def test_ten_presses_in_a_second_are_ten(panels, clock, eventually):
    """50 ms down and 50 ms up."""
    factory = MockFactory()
    events = heard_by(panels(factory=factory, clock=clock))
    for _ in range(10):
        factory.pin(7).drive_low()
        clock.go(0.05)
        factory.pin(7).drive_high()
        clock.go(0.05)
    eventually(lambda: len(events) == 10)
    assert set(events) == {ButtonEvent(Button.JA, Gesture.PRESS)}


def test_a_hold_is_told_while_the_button_is_still_down(panels, clock, eventually):
    """Nobody has to let go, or to press anything else, for HOLD to come."""
    factory = MockFactory()
    events = heard_by(panels(factory=factory, clock=clock))
    factory.pin(7).drive_low()
    clock.go(1.5)
    eventually(lambda: events == [ButtonEvent(Button.JA, Gesture.HOLD)])


def test_the_long_hold_counts_down(panels, clock, eventually):
    """Held undo: four, three, two, one, and then HOLD; once."""
    factory = MockFactory()
    events = heard_by(panels(factory=factory, clock=clock))
    factory.pin(15).drive_low()
    for second in range(1, 6):
        clock.go(1)
        eventually(lambda second=second: len(events) == second)
    assert [event.seconds_left for event in events] == [4, 3, 2, 1, 0]
    assert events[-1].gesture is Gesture.HOLD


def test_a_lost_release_does_not_become_a_shutdown(panels, clock, eventually):
    """The kernel may drop an edge; a hold is looked at while it lasts."""
    factory = MockFactory(pin_class=WornPin)
    events = heard_by(panels(factory=factory, clock=clock))
    factory.pin(15).drive_low()
    clock.go(2)
    eventually(lambda: len(events) == 2)
    factory.pin(15).release_unheard()
    eventually(lambda: events[-1] == ButtonEvent(Button.UNDO, Gesture.HOLD_CANCELLED))


def test_a_hold_counts_from_the_press_however_late_it_is_seen(panels, clock, eventually, monkeypatch):
    """A thread that gets no turn between two looks tells first what happened, then what time it is."""
    meanwhile = []

    class Starved(SimpleQueue):
        def get(self, block=True, timeout=None):
            try:
                return super().get(block, timeout)
            except Empty:
                while meanwhile:
                    meanwhile.pop()()
                raise

    monkeypatch.setattr("hardware.gpio.SimpleQueue", Starved)
    factory = MockFactory()
    panel = panels(factory=factory, clock=clock)
    events = heard_by(panel)
    board = load_board("default")
    # Its release keeps the thread looking again and again.
    liberal, undo = factory.pin(board.buttons[Button.LIBERAL]), factory.pin(board.buttons[Button.UNDO])
    liberal.drive_low()
    liberal.drive_high()
    meanwhile.append(lambda: (undo.drive_low(), clock.go(HOLD_SECONDS[Button.UNDO])))
    assert eventually(lambda: ButtonEvent(Button.UNDO, Gesture.HOLD) in events)


def test_edges_that_arrive_late_keep_their_times(panels, eventually):
    """Two presses that waited together while the machine was busy are still two."""
    factory = MockFactory(pin_class=WornPin)
    events = heard_by(panels(factory=factory))
    pin = factory.pin(5)
    for ago, state in ((0.4, False), (0.3, True), (0.2, False), (0.1, True)):
        pin.tell(state, ago)
    eventually(lambda: len(events) == 2)


def test_an_edge_stamped_by_another_clock_counts_from_its_arrival(panels, eventually):
    """Some kernels stamp edges with the time of day; their presses count all the same."""
    factory = MockFactory(pin_class=WornPin)
    events = heard_by(panels(factory=factory))
    factory.pin(5).tell(False, ago=time.monotonic() - time.time())
    factory.pin(6).tell(False, ago=3600.0)
    eventually(lambda: [event.button for event in events] == [Button.LIBERAL, Button.FASCIST])


def test_a_light_blinks_by_itself(panels, eventually):
    """Shown once, it goes dark and comes back."""
    factory = MockFactory()
    panel = panels(factory=factory)
    pin = factory.pin(18)
    panel.show(Lights(status=Light.FAST))
    assert pin.state
    eventually(lambda: not pin.state)
    eventually(lambda: pin.state)


def test_closing_gives_everything_back(panels):
    """No thread of ours is left, and the next panel finds the pins free."""
    factory = MockFactory()
    before = set(threading.enumerate())
    panel = GpioPanel(load_board(), factory)
    panel.close()
    assert set(threading.enumerate()) == before
    assert panels(factory=factory).troubles == ()


def test_nothing_is_told_before_listening_or_after_closing(panels, eventually):
    """A press nobody listens for is dropped, not kept for later."""
    factory = MockFactory()
    panel = panels(factory=factory)
    liberal, fascist = factory.pin(5), factory.pin(6)
    liberal.drive_low()
    time.sleep(0.01)  # Nothing shows that a press has been dropped.
    events = heard_by(panel)
    fascist.drive_low()
    eventually(lambda: events == [ButtonEvent(Button.FASCIST, Gesture.PRESS)])
    panel.close()
    assert len(events) == 1


def in_a_process_of_its_own(code, folder, **environment):
    """Run code in an empty folder, as importing lgpio changes a process for good."""
    clean = {key: value for key, value in os.environ.items() if key not in ("LG_WD", "RUNTIME_DIRECTORY")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


OPEN = """
import os, sys
{before}
from hardware.gpio import open_factory
from hardware.panel import PanelError
try:
    open_factory()
except PanelError as error:
    print(error)
print(os.getcwd())
"""


@pytest.mark.skipif(HEADER.exists(), reason="this machine has pins")
def test_a_machine_without_pins_is_refused_with_a_sentence(tmp_path):
    """No fallback to pins that do not exist, whatever gpiozero's own setting says; and no pipe left where we stand."""
    said = in_a_process_of_its_own(OPEN.format(before=""), tmp_path, GPIOZERO_PIN_FACTORY="mock").splitlines()
    assert said[0].startswith("The pins ")
    assert said[1] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_backend_is_refused_with_what_to_install(tmp_path):
    """Without lgpio the sentence names the package and the kind of virtual environment."""
    said = in_a_process_of_its_own(OPEN.format(before="sys.modules['lgpio'] = None"), tmp_path)
    assert said.startswith("The pins need lgpio, which cannot be loaded here: on Raspberry Pi OS install python3-lgpio")
    assert "--system-site-packages" in said


def test_lgpio_makes_its_pipe_in_the_runtime_directory(tmp_path):
    """As a service, the box uses the folder that systemd made for it."""
    pytest.importorskip("lgpio", reason="lgpio is not installed")
    runtime, here = tmp_path / "run", tmp_path / "here"
    runtime.mkdir()
    here.mkdir()
    code = OPEN.format(before="") + "print(os.environ['LG_WD'], os.listdir(os.environ['LG_WD']))"
    said = in_a_process_of_its_own(code, here, RUNTIME_DIRECTORY=f"{runtime}:/run/other").splitlines()
    assert said[-1].startswith(f"{runtime} ['.lgd-nfy")
    assert list(here.iterdir()) == []


@pytest.mark.skipif(not HEADER.exists(), reason=f"there is no {HEADER}: no GPIO on this machine")
def test_the_panel_works_on_the_kernels_own_pins():
    """Through lgpio every pin of the default map is given, and each row of lights can be turned on and off."""
    panel = GpioPanel(load_board(), open_factory())
    try:
        assert panel.troubles == ()
        panel.show(Lights((Light.ON,) * 5, (Light.ON,) * 6, (Light.ON,) * 3, Light.ON))
        panel.show(DARK)
        assert panel.troubles == ()
    finally:
        panel.close()
