"""The panel on a page: lights and buttons in memory, for an HTTP side to show and press."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from hardware.blinking import RHYTHMS_MS
from hardware.delivery import Delivery
from hardware.gestures import whole_gesture
from hardware.panel import DARK, Light, Lights

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.panel import Button, ButtonEvent


class Blinking(TypedDict):
    """Which lights blink."""

    liberal: list[bool]
    fascist: list[bool]
    tracker: list[bool]
    status: bool


class Picture(TypedDict):
    """The lights, ready for JSON. A light that blinks counts as lit; the status light is given as what it does."""

    liberal: list[bool]
    fascist: list[bool]
    tracker: list[bool]
    status: str
    blinking: Blinking


def picture_of(lights: Lights) -> Picture:
    """Return lights as a page shows them."""
    return {
        "liberal": [light is not Light.OFF for light in lights.liberal],
        "fascist": [light is not Light.OFF for light in lights.fascist],
        "tracker": [light is not Light.OFF for light in lights.tracker],
        "status": lights.status.value,
        "blinking": {
            "liberal": [light in RHYTHMS_MS for light in lights.liberal],
            "fascist": [light in RHYTHMS_MS for light in lights.fascist],
            "tracker": [light in RHYTHMS_MS for light in lights.tracker],
            "status": lights.status in RHYTHMS_MS,
        },
    }


class WebPanel:
    """A `Panel` that a page shows and presses.

    Args:
        trouble: why the page stands in for another panel, in a sentence; empty where it was asked for.
    """

    def __init__(self, trouble: str = "") -> None:
        self._trouble = trouble
        self._deliver = Delivery()
        self._lights = DARK
        self._closed = False

    @property
    def troubles(self) -> tuple[str, ...]:
        """Why the page stands in for another panel; nothing of its own can break."""
        return (self._trouble,) if self._trouble else ()

    def listen(self, callback: Callable[[ButtonEvent], None]) -> None:
        """Report every gesture to `callback` from now on, from the thread that calls `press`."""
        self._deliver.to(callback)

    def press(self, button: Button, held: bool = False, beside: Button | None = None) -> None:
        """Somebody pressed a button on the page; returns when the callback has.

        Args:
            button: which.
            held: whether it was held to the end. The page does the waiting, so a hold arrives whole and at once.
            beside: the button that was kept down meanwhile.
        """
        self._deliver(whole_gesture(button, held, beside))

    def show(self, lights: Lights) -> None:
        """Make the lights so."""
        if not self._closed:
            self._lights = lights

    def picture(self) -> Picture:
        """The lights as they are now."""
        return picture_of(self._lights)

    def close(self) -> None:
        """All lights off, buttons let go."""
        self._closed = True
        self._deliver.close()
        self._lights = DARK
