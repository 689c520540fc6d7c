"""The front panel as the rest of the box sees it: six buttons, fifteen lights, and the `Panel` that holds them.

Nothing here knows the game. A button has the name printed beside it; a light has the name of its row and its place in
it. Every panel (pins, a page, a terminal) tells of buttons through `ButtonEvent` and is told of lights through
`Lights`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Button(StrEnum):
    """The six buttons, by the name printed beside them."""

    LIBERAL = "liberal"
    FASCIST = "fascist"
    JA = "ja"
    NEIN = "nein"
    REPEAT = "repeat"
    UNDO = "undo"


class Gesture(Enum):
    """What somebody did with a button."""

    PRESS = "press"
    """A short press: at once on a button without a hold action, on release on one that has one."""
    HOLD = "hold"
    """The whole hold was reached; comes once a hold, and no PRESS follows."""
    HOLDING = "holding"
    """A long hold is under way: comes each second from the first on, so that a countdown can be spoken."""
    HOLD_CANCELLED = "hold_cancelled"
    """A hold that had begun to count was let go before its time."""


@dataclass(frozen=True, slots=True)
class ButtonEvent:
    """One gesture on one button.

    Attributes:
        button: which.
        gesture: what was done.
        seconds_left: with HOLDING, whole seconds until HOLD; else 0.
        beside: the button that was kept down meanwhile, where the two make a chord; else None.
        at_seconds: when, on the panel's clock; None where a panel has only whole acts and no contacts.
    """

    button: Button
    gesture: Gesture
    seconds_left: int = 0
    beside: Button | None = None
    # When is no part of what: two equal acts are equal.
    at_seconds: float | None = field(default=None, compare=False)


HOLD_SECONDS: dict[Button, float] = {
    Button.JA: 1.5,
    Button.NEIN: 1.5,
    Button.REPEAT: 1.5,
    Button.UNDO: 5.0,
}
"""Buttons with a hold action, and how long it takes (seconds). The two policy buttons act the moment they go down."""


CHORDS: dict[Button, Button] = {
    Button.LIBERAL: Button.REPEAT,
    Button.FASCIST: Button.REPEAT,
    Button.JA: Button.REPEAT,
    Button.UNDO: Button.REPEAT,
}
"""Buttons that mean something else while another one is kept down, and which that is. Any other two count each."""


class Light(Enum):
    """What one light does."""

    OFF = "off"
    ON = "on"
    SLOW = "slow"
    """Blinks once a second, half of it lit: waiting for somebody."""
    FAST = "fast"
    """Blinks four times a second: trouble, or a press that meant nothing here."""
    BREATHING = "breathing"
    """Two short flashes a second: speaking."""


ROWS: dict[str, int] = {"liberal": 5, "fascist": 6, "tracker": 3, "status": 1}
"""The rows of lights and how many each has."""


@dataclass(frozen=True, slots=True)
class Lights:
    """What all fifteen lights do, row by row."""

    liberal: tuple[Light, ...] = (Light.OFF,) * 5
    fascist: tuple[Light, ...] = (Light.OFF,) * 6
    tracker: tuple[Light, ...] = (Light.OFF,) * 3
    status: Light = Light.OFF

    def rows(self) -> dict[str, tuple[Light, ...]]:
        """All four rows by name, `status` as a row of one."""
        return {"liberal": self.liberal, "fascist": self.fascist, "tracker": self.tracker, "status": (self.status,)}


DARK = Lights()
"""Every light off."""


class PanelError(Exception):
    """A panel cannot be had, or its pin map is wrong; the message names file, key and reason."""


class PinsError(PanelError):
    """The pins cannot be had now: what was asked for is right, and another try may succeed."""


class Panel(Protocol):
    """Buttons and lights. `listen` is called once; its callback may come from any thread and only enqueues.

    `show` returns at once and may be called from any thread; blinking is the panel's own work. After `close` every
    light is off, no callback comes any more, and a second `close` does nothing.
    """

    @property
    def troubles(self) -> tuple[str, ...]:
        """What of this panel does not work, a sentence each: a pin refused, a button stuck. Empty when all is well."""

    def listen(self, callback: Callable[[ButtonEvent], None]) -> None:
        """Report every gesture to `callback` from now on."""

    def show(self, lights: Lights) -> None:
        """Make the lights so."""

    def close(self) -> None:
        """All lights off, buttons let go."""
