"""The panel on the pins of a Raspberry Pi. The only place that knows gpiozero.

Three threads meet here: gpiozero's, which only puts edges into a queue (lgpio runs every callback of every pin in one
thread, and a slow or failing one silences all buttons); one of ours that turns edges into gestures and delivers them;
and one that makes lights blink.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Condition, Thread, current_thread
from typing import TYPE_CHECKING, Any, NamedTuple

from gpiozero import LED, InputDevice

from hardware.blinking import Blinker
from hardware.delivery import Delivery
from hardware.gestures import Recogniser
from hardware.panel import DARK, Button, PanelError, PinsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.boards import Board
    from hardware.panel import ButtonEvent, Lights

_log = logging.getLogger(__name__)

KERNEL_FILTER_SECONDS = 0.010
"""Pulses shorter than this never leave the kernel: long wires beside a dimmer or a fridge catch such."""

_LOOK_AGAIN_SECONDS = 0.050
"""How often the contacts are looked at while a hold is under way."""

_OLDEST_SECONDS = 2.0
"""An edge said to be older than this was stamped on another clock than ours."""


def open_factory() -> Any:
    """Open the header of this Raspberry Pi, through lgpio and nothing else.

    gpiozero left to itself falls back from one backend to the next, and with a setting in the environment to pins
    that do not exist; a box that plays with nobody's buttons helps nobody.

    Returns:
        A gpiozero pin factory. Whoever gets it closes it; a `GpioPanel` does.

    Raises:
        PanelError: lgpio is not installed, or the kernel does not give us the header.
    """
    _give_lgpio_a_folder()
    here = Path.cwd()
    try:
        from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415 - importing it opens a pipe and starts a thread
    except (ImportError, AttributeError, OSError) as error:
        raise PanelError(
            "The pins need lgpio, which cannot be loaded here: on Raspberry Pi OS install python3-lgpio and make the "
            f"virtual environment with --system-site-packages ({error})."
        ) from error
    finally:
        os.chdir(here)  # Importing lgpio changes into its folder.
    try:
        return LGPIOFactory()
    except Exception as error:  # lgpio's own error is an Exception and nothing narrower.
        raise PinsError(f"The pins of this machine cannot be opened: {_reason(error)}.") from error


def _give_lgpio_a_folder() -> None:
    """Name a folder for the pipe that lgpio makes when it is imported; else it makes it where we happen to stand."""
    if os.environ.get("LG_WD"):
        return
    # systemd names several folders with colons between; the first is ours.
    folder = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    if not folder:
        folder = tempfile.mkdtemp(prefix="panel-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["LG_WD"] = str(Path(folder).absolute())


class Edge(NamedTuple):
    """A contact that has closed or opened.

    Attributes:
        button: whose.
        down: True when it closed.
        at: when, in seconds on the clock of whoever listens.
    """

    button: Button
    down: bool
    at: float


class _Contact:
    """One button's pin, and the handler that gpiozero itself holds only weakly."""

    def __init__(
        self,
        button: Button,
        bcm: int,
        pin_factory: Any,
        enqueue: Callable[[Button, bool, float], None],
        filter_seconds: float | None = KERNEL_FILTER_SECONDS,
    ) -> None:
        self._button = button
        self._enqueue = enqueue
        self._device = InputDevice(bcm, pull_up=True, pin_factory=pin_factory)
        try:
            pin = self._device.pin
            pin.bounce = filter_seconds
            pin.edges = "both"
            self.down_at_start = self.down
            pin.when_changed = self._changed
        except Exception:
            self._device.close()
            raise

    @property
    def down(self) -> bool:
        return bool(self._device.is_active)

    @property
    def released(self) -> bool:
        """Whether the contact is open for certain: not if the pin cannot be read."""
        try:
            return not self.down
        except Exception:  # noqa: BLE001 - each backend has errors of its own
            return False

    def _changed(self, ticks: float, state: int) -> None:
        # The pin is pulled up and the button takes it to ground.
        self._enqueue(self._button, not state, ticks)

    def close(self) -> None:
        # Closing the device alone would leave the handler registered with lgpio.
        self._device.pin.when_changed = None
        self._device.close()


class GpioPanel:
    """A `Panel` on pins.

    A pin that the kernel will not give is named in `troubles`, and the rest of the panel works.

    Args:
        board: which pin is what.
        pin_factory: from `open_factory`, or gpiozero's `MockFactory`. It belongs to the panel from now on, which
            closes it.
        clock: seconds that never go back. Edges are stamped when they happened with the default, and when they
            arrive with any other.
    """

    def __init__(self, board: Board, pin_factory: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self._factory = pin_factory
        self._clock = clock
        self._deliver = Delivery()
        self._refused: list[str] = []
        self._edges: SimpleQueue[Edge | None] = SimpleQueue()
        self._blinker = Blinker()
        self._lights_changed = Condition()
        self._closed = False

        self._lamps = _open_lamps(board, pin_factory, self._refuse)
        self._lit = dict.fromkeys(self._lamps, False)
        self._contacts = _open_contacts(board, pin_factory, self._enqueue, self._refuse)
        self._recogniser = Recogniser(
            down_at_start={button for button, contact in self._contacts.items() if contact.down_at_start}
        )
        for trouble in self.troubles:
            _log.warning("%s", trouble)
        self._threads = (
            Thread(target=self._watch_contacts, name="panel-buttons", daemon=True),
            Thread(target=self._blink, name="panel-lights", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    @property
    def troubles(self) -> tuple[str, ...]:
        """Pins refused for good, and buttons that have been down since the start as long as they are."""
        return (
            *self._refused,
            *(
                f"Button {button.value} is stuck: it has been down since the start."
                for button in self._recogniser.stuck
            ),
        )

    def listen(self, callback: Callable[[ButtonEvent], None]) -> None:
        """Report every gesture to `callback` from now on, from the thread of the buttons."""
        self._deliver.to(callback)

    def show(self, lights: Lights) -> None:
        """Make the lights so; they have changed when this returns."""
        with self._lights_changed:
            if self._closed:
                return
            self._blinker.show(lights, self._clock())
            self._write()
            self._lights_changed.notify()

    def close(self) -> None:
        """All lights off, threads ended, pins given back."""
        with self._lights_changed:
            if self._closed:
                return
            self._closed = True
            self._deliver.close()
            self._blinker.show(DARK, self._clock())
            self._write()
            self._lights_changed.notify()
        self._edges.put(None)
        for thread in self._threads:
            if thread is not current_thread():
                thread.join()
        for device in (*self._contacts.values(), *self._lamps.values(), self._factory):
            # A pin that will not be given back must not keep the others.
            with suppress(Exception):
                device.close()

    def _refuse(self, name: str, error: Exception) -> None:
        self._refused.append(f"{name} does not work: {_reason(error)}.")

    def _enqueue(self, button: Button, down: bool, ticks: float) -> None:
        """Note an edge. Runs in gpiozero's thread: no work, and nothing that can fail."""
        self._edges.put(Edge(button, down, _happened(self._clock, self._factory, ticks)))

    def _watch_contacts(self) -> None:
        while True:
            try:
                edge = self._edges.get(timeout=self._patience())
            except Empty:
                now = self._clock()
                # An edge that came while this thread was kept from looking is older than now. It has to be told first,
                # or a hold would count from when it was seen.
                if not self._edges.empty():
                    continue
                events = self._look_again(now)
            else:
                if edge is None:
                    return
                events = self._recogniser.edge(*edge)
            for event in events:
                self._deliver(event)

    def _patience(self) -> float | None:
        """How long to wait for an edge, in seconds; None for ever, while nothing can happen without one."""
        deadline = self._recogniser.next_deadline()
        if deadline is None:
            return None
        return max(0.0, min(deadline - self._clock(), _LOOK_AGAIN_SECONDS))

    def _look_again(self, now: float) -> list[ButtonEvent]:
        """Let time pass up to now, after a look at the contacts that should be down.

        An edge that got lost on its way must not let a button that was released long ago shut the box down.
        """
        events: list[ButtonEvent] = []
        for button in self._recogniser.down:
            if self._contacts[button].released:
                events += self._recogniser.edge(button, down=False, at_seconds=now)
        return events + self._recogniser.advance(now)

    def _blink(self) -> None:
        with self._lights_changed:
            while not self._closed:
                self._write()
                self._lights_changed.wait(self._blinker.until_change(self._clock()))

    def _write(self) -> None:
        """Turn on and off what has to change. The lock is held."""
        for row, row_lit in self._blinker.lit(self._clock()).items():
            for place, lit in enumerate(row_lit):
                key = row, place
                if key in self._lamps and self._lit[key] is not lit:
                    self._turn(key, lit)

    def _turn(self, key: tuple[str, int], lit: bool) -> None:
        lamp = self._lamps[key]
        try:
            lamp.value = lit
        except Exception as error:  # noqa: BLE001 - each backend has errors of its own
            self._refuse(f"Light {_name(*key)} ({lamp.pin})", error)
            _log.warning("%s", self._refused[-1])
            del self._lamps[key]
        else:
            self._lit[key] = lit


class Probe:
    """The pins one by one, for a test of the wires: each edge as the contact makes it, and one light at a time.

    Nothing is filtered and nothing is recognised, so that bounces can be counted.

    Args:
        board: which pin is what.
        pin_factory: as for a `GpioPanel`. It belongs to the probe from now on.
        clock: as for a `GpioPanel`.
    """

    def __init__(self, board: Board, pin_factory: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self._factory = pin_factory
        self._clock = clock
        self._edges: SimpleQueue[Edge] = SimpleQueue()
        self._refused: list[str] = []
        self._lamps = _open_lamps(board, pin_factory, self._refuse)
        self._contacts = _open_contacts(board, pin_factory, self._enqueue, self._refuse, filter_seconds=None)

    @property
    def refused(self) -> tuple[str, ...]:
        """The pins that could not be had, a sentence each."""
        return tuple(self._refused)

    def watches(self, button: Button) -> bool:
        """Whether the pin of a button could be had."""
        return button in self._contacts

    def down(self, button: Button) -> bool:
        """Whether a button's contact is closed now."""
        return self.watches(button) and self._contacts[button].down

    def next_edge(self, timeout_seconds: float) -> Edge | None:
        """The next edge of any button, waited for at most so long; None when there was none."""
        try:
            return self._edges.get(timeout=timeout_seconds) if timeout_seconds > 0 else self._edges.get_nowait()
        except Empty:
            return None

    def light(self, row: str, place: int, *, lit: bool) -> bool:
        """Turn a light on or off.

        Args:
            row: its row.
            place: its place in the row, from 1.
            lit: whether it shall be lit.

        Returns:
            Whether its pin could be had.
        """
        lamp = self._lamps.get((row, place - 1))
        if lamp is not None:
            lamp.value = lit
        return lamp is not None

    def close(self) -> None:
        """All lights off, pins given back. A second time does nothing."""
        for lamp in self._lamps.values():
            with suppress(Exception):
                lamp.off()
        devices = (*self._contacts.values(), *self._lamps.values(), self._factory)
        self._contacts, self._lamps = {}, {}
        for device in devices:
            # A pin that will not be given back must not keep the others.
            with suppress(Exception):
                device.close()

    def _enqueue(self, button: Button, down: bool, ticks: float) -> None:
        """Note an edge. Runs in gpiozero's thread: no work, and nothing that can fail."""
        self._edges.put(Edge(button, down, _happened(self._clock, self._factory, ticks)))

    def _refuse(self, name: str, error: Exception) -> None:
        self._refused.append(f"{name} does not work: {_reason(error)}.")


def _open_lamps(board: Board, pin_factory: Any, refuse: Callable[[str, Exception], None]) -> dict[tuple[str, int], Any]:
    lamps = {}
    for row, row_lights in board.lights.items():
        for place, bcm in enumerate(row_lights.pins):
            try:
                lamps[row, place] = LED(bcm, pin_factory=pin_factory)
            except Exception as error:  # noqa: BLE001 - each backend has errors of its own
                refuse(f"Light {_name(row, place)} (GPIO {bcm})", error)
    return lamps


def _open_contacts(
    board: Board,
    pin_factory: Any,
    enqueue: Callable[[Button, bool, float], None],
    refuse: Callable[[str, Exception], None],
    filter_seconds: float | None = KERNEL_FILTER_SECONDS,
) -> dict[Button, _Contact]:
    contacts = {}
    for button, bcm in board.buttons.items():
        try:
            contacts[button] = _Contact(button, bcm, pin_factory, enqueue, filter_seconds)
        except Exception as error:  # noqa: BLE001 - each backend has errors of its own
            refuse(f"Button {button.value} (GPIO {bcm})", error)
    return contacts


def _happened(clock: Callable[[], float], pin_factory: Any, ticks: float) -> float:
    """When an edge happened, in seconds on `clock`: by the kernel's stamp where it is the clock of the kernel."""
    now = clock()
    if clock is time.monotonic:
        # The kernel stamps an edge when it happens; this thread may come to it late, and two quick presses that
        # waited together must not look like one.
        age = pin_factory.ticks_diff(pin_factory.ticks(), ticks)
        if 0 <= age <= _OLDEST_SECONDS:
            now -= float(age)
    return now


def _name(row: str, place: int) -> str:
    return row if row == "status" else f"{row} {place + 1}"


def _reason(error: Exception) -> str:
    text = str(error).strip().strip("'").rstrip(".")
    return text or type(error).__name__
