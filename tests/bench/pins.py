"""Mock pins that tell when a light went on, and the shortest way there: a button that lights it by itself."""

from __future__ import annotations

import threading
import time
from typing import Any

from gpiozero import LED, Button
from gpiozero.pins.mock import MockFactory, MockPin

from tests.bench.figures import Figures

perf = time.perf_counter


class WatchedPin(MockPin):
    """A pin that knows when it went high."""

    def __init__(self, factory: Any, info: Any) -> None:
        super().__init__(factory, info)
        self.lit = threading.Event()
        self.lit_at = 0.0

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        if value:
            self.lit_at = perf()
            self.lit.set()
        else:
            self.lit.clear()


def bare_press(presses: int) -> Figures:
    """From the edge of a button to the light that it turns on by itself, with nothing in between."""
    factory = MockFactory(pin_class=WatchedPin)
    button, led = Button(5, pin_factory=factory), LED(17, pin_factory=factory)
    button.when_pressed = led.on
    durations = []
    for _ in range(presses):
        led.off()
        began = perf()
        factory.pin(5).drive_low()
        led.pin.lit.wait(1)
        durations.append((led.pin.lit_at - began) * 1000)
        factory.pin(5).drive_high()
    factory.close()
    return Figures(tuple(durations), "button.when_pressed = led.on")
