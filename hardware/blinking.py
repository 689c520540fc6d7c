"""How a light blinks: rhythms as a table, and which lights are lit at a given moment. Pure; the time is given."""

from __future__ import annotations

from hardware.panel import DARK, Light, Lights

RHYTHMS_MS: dict[Light, tuple[int, ...]] = {
    Light.SLOW: (500, 500),
    Light.FAST: (125, 125),
    Light.BREATHING: (100, 150, 100, 650),
}
"""Milliseconds lit, dark, lit, dark and so on; then again. A light begins lit, so that it answers at once."""


def is_lit(light: Light, age_seconds: float) -> bool:
    """Whether a light is lit.

    Args:
        light: what it does.
        age_seconds: how long it has been doing so.
    """
    if light not in RHYTHMS_MS:
        return light is Light.ON
    step, _ = _step(light, age_seconds)
    return step % 2 == 0


def until_change(light: Light, age_seconds: float) -> float | None:
    """Seconds until a light next turns on or off by itself; None when it never does.

    Args:
        light: what it does.
        age_seconds: how long it has been doing so.
    """
    if light not in RHYTHMS_MS:
        return None
    _, left_ms = _step(light, age_seconds)
    return left_ms / 1000


def _step(light: Light, age_seconds: float) -> tuple[int, int]:
    """The step of its rhythm that a light is in, and the milliseconds left of it.

    Whole milliseconds, so that a thread that wakes a little early finds the step that it woke for.
    """
    rhythm = RHYTHMS_MS[light]
    into = round(age_seconds * 1000) % sum(rhythm)
    for step, length in enumerate(rhythm):
        if into < length:
            return step, length - into
        into -= length
    raise AssertionError("a rhythm is as long as its steps")  # pragma: no cover


class Blinker:
    """What every light of a panel does, and since when.

    A light that is told to go on as it was keeps its rhythm, however often it is told.
    """

    def __init__(self) -> None:
        self._rows = DARK.rows()
        self._since: dict[tuple[str, int], float] = {}

    def show(self, lights: Lights, now: float) -> None:
        """Make the lights so from `now` (seconds) on."""
        rows = lights.rows()
        for row, row_lights in rows.items():
            for place, light in enumerate(row_lights):
                if light is not self._rows[row][place]:
                    self._since[row, place] = now
        self._rows = rows

    def lit(self, now: float) -> dict[str, tuple[bool, ...]]:
        """Which lights are lit at `now` (seconds), row by row."""
        return {
            row: tuple(is_lit(light, self._age(row, place, now)) for place, light in enumerate(row_lights))
            for row, row_lights in self._rows.items()
        }

    def until_change(self, now: float) -> float | None:
        """Seconds from `now` until the first light changes by itself; None when none does."""
        waits = (
            until_change(light, self._age(row, place, now))
            for row, row_lights in self._rows.items()
            for place, light in enumerate(row_lights)
        )
        return min((wait for wait in waits if wait is not None), default=None)

    def _age(self, row: str, place: int, now: float) -> float:
        return now - self._since.get((row, place), now)
