"""From the two positions of a contact to what somebody meant: debounce, presses and holds.

Pure: no thread, no sleep, no clock. Whoever has the contacts feeds each change with its time, asks when something falls
due next, and comes back then. All times are seconds on one clock that never goes back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from hardware.panel import CHORDS, HOLD_SECONDS, Button, ButtonEvent, Gesture

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

REARM_SECONDS = 0.050
"""How long a contact must stay open before the next press counts: bounces of cheap buttons die out well within it."""

SETTLED_SECONDS = 0.020
"""A contact closed this long has stopped bouncing, so that its opening is a release and needs no second look."""

CHORD_SECONDS = 10.0
"""How long a button that is kept down makes chords, from its press or the last chord on: one that has jammed must not
keep the policy buttons from the game."""

TOGETHER_SECONDS = 0.3
"""Two fingers that mean a chord come down at nearly the same time, and either may be first."""

_TOLERANCE_SECONDS = 1e-6
"""Below what any contact does; makes 0.45 + 0.05 reach 0.5 in binary fractions."""


def whole_gesture(button: Button, held: bool, beside: Button | None = None) -> ButtonEvent:
    """What a button says that was pressed or held as one whole act, as on a page or a keyboard.

    Args:
        button: which.
        held: whether it was held to the end. A button without a hold action says PRESS all the same, as its contact
            would have the moment it went down.
        beside: the button that was kept down meanwhile. One that makes no chord with it counts for nothing.
    """
    if beside is not None and CHORDS.get(button) is beside:
        return ButtonEvent(button, Gesture.PRESS, beside=beside)
    return ButtonEvent(button, Gesture.HOLD if held and button in HOLD_SECONDS else Gesture.PRESS)


class _Phase(Enum):
    READY = auto()
    UNDECIDED = auto()
    """Down, and still to become a press or a hold."""
    SPENT = auto()
    """Has said what it had to say; the next press counts after a stable release."""
    STUCK = auto()
    """Down since before anybody looked."""


class _Due(NamedTuple):
    at: float
    step: Callable[[float], Iterator[ButtonEvent]]


@dataclass(slots=True)
class _Contact:
    """One button's contact. `raw` is what it does; `down` is the same without pulses shorter than the minimum."""

    button: Button
    minimum_pulse_seconds: float
    chord: Callable[[Button, float], ButtonEvent | None]
    phase: _Phase = _Phase.READY
    raw: bool = False
    raw_since: float = 0.0
    down: bool = False
    since: float = 0.0
    pressed_at: float = 0.0
    seconds_told: int = 0
    joined_at: float = 0.0
    """When another button last made a chord with this one."""
    hold_seconds: float | None = field(init=False)

    def __post_init__(self) -> None:
        self.hold_seconds = HOLD_SECONDS.get(self.button)

    @property
    def at_rest(self) -> bool:
        """Whether only an edge can change anything; so are most contacts most of the time."""
        return self.phase is _Phase.READY and self.raw == self.down

    def edge(self, down: bool, at: float) -> Iterator[ButtonEvent]:
        if down == self.raw:
            return
        self.raw, self.raw_since = down, at
        if self.minimum_pulse_seconds == 0 and self.raw != self.down:
            yield from self._turn(at)

    def makes_chords(self, now: float) -> bool:
        """Whether it is kept down, on purpose as far as anybody can tell."""
        kept = self.down and self.phase in (_Phase.UNDECIDED, _Phase.SPENT)
        return kept and now - max(self.pressed_at, self.joined_at) <= CHORD_SECONDS

    def join(self, now: float) -> None:
        """Become part of a chord: neither a press nor a hold of its own any more."""
        self.phase, self.joined_at = _Phase.SPENT, now

    def due(self) -> Iterator[_Due]:
        """What will happen by itself if the contact stays as it is."""
        if self.down and self.phase is _Phase.UNDECIDED:
            yield _Due(self.pressed_at + self._milestone(), self._count)
        if not self.down and self.phase is not _Phase.READY:
            yield _Due(self.since + REARM_SECONDS, self._rearm)
        if self.raw != self.down:
            yield _Due(self.raw_since + self.minimum_pulse_seconds, self._turn)

    def _turn(self, at: float) -> Iterator[ButtonEvent]:
        lasted = at - self.since
        if self.raw and self.phase is not _Phase.READY and lasted >= REARM_SECONDS - _TOLERANCE_SECONDS:
            yield from self._rearm(at)
        self.down, self.since = self.raw, at
        if self.down and self.phase is _Phase.READY:
            yield from self._begin(at)
        elif not self.down and self.phase is _Phase.UNDECIDED and lasted >= SETTLED_SECONDS:
            yield self._let_go(at)

    def may_still_join(self, now: float) -> bool:
        """Whether it went down just now, and has said nothing yet."""
        return self.down and self.phase is _Phase.UNDECIDED and now - self.pressed_at <= TOGETHER_SECONDS

    def _begin(self, at: float) -> Iterator[ButtonEvent]:
        if (chord := self.chord(self.button, at)) is not None:
            self.phase, self.pressed_at, self.joined_at = _Phase.SPENT, at, at
            yield chord
        elif self.hold_seconds is None:
            self.phase = _Phase.SPENT
            yield ButtonEvent(self.button, Gesture.PRESS, at_seconds=at)
        else:
            self.phase, self.pressed_at, self.seconds_told = _Phase.UNDECIDED, at, 0

    def _milestone(self) -> float:
        """Seconds from the press to the next thing to say: a second counted, or the hold itself."""
        assert self.hold_seconds is not None  # noqa: S101 - only a button with a hold action is ever undecided
        second = self.seconds_told + 1
        return second if self.hold_seconds - second >= 1 else self.hold_seconds

    def _count(self, at: float) -> Iterator[ButtonEvent]:
        assert self.hold_seconds is not None  # noqa: S101 - only a button with a hold action is ever undecided
        reached = self._milestone()
        if reached == self.hold_seconds:
            self.phase = _Phase.SPENT
            yield ButtonEvent(self.button, Gesture.HOLD, at_seconds=at)
        else:
            self.seconds_told += 1
            yield ButtonEvent(self.button, Gesture.HOLDING, int(self.hold_seconds - reached), at_seconds=at)

    def _rearm(self, at: float) -> Iterator[ButtonEvent]:
        if self.phase is _Phase.UNDECIDED:
            # A tap so short that its release looked like a bounce.
            yield self._let_go(at)
        self.phase = _Phase.READY

    def _let_go(self, at: float) -> ButtonEvent:
        self.phase = _Phase.SPENT
        gesture = Gesture.HOLD_CANCELLED if self.seconds_told else Gesture.PRESS
        return ButtonEvent(self.button, gesture, at_seconds=at)


class Recogniser:
    """All six contacts, and what they have said so far.

    The first edge counts: a button without a hold action says PRESS the moment it goes down, one that has one says
    PRESS when it is let go, or HOLD once at its time and nothing after. The next press counts after
    `REARM_SECONDS` of stable release.

    Two buttons at once each count in order, but for the `CHORDS`: their press is told the moment both are down, with
    the button that was kept down, and neither says anything more of its own until it is pressed again.

    Args:
        minimum_pulse_seconds: changes shorter than this are ignored, and longer ones count this much later. 0 where
            the kernel already filters.
        down_at_start: the buttons found down at the start. They say nothing until they have been let go.
    """

    def __init__(self, *, minimum_pulse_seconds: float = 0.0, down_at_start: Collection[Button] = frozenset()) -> None:
        self._contacts = {
            button: _Contact(button, minimum_pulse_seconds, self._chord, _Phase.STUCK, raw=True, down=True)
            if button in down_at_start
            else _Contact(button, minimum_pulse_seconds, self._chord)
            for button in Button
        }
        self._now = 0.0

    @property
    def stuck(self) -> tuple[Button, ...]:
        """The buttons that have been down since the start."""
        return tuple(contact.button for contact in self._contacts.values() if contact.phase is _Phase.STUCK)

    @property
    def down(self) -> tuple[Button, ...]:
        """The buttons whose contact is closed, as far as edges have told."""
        return tuple(contact.button for contact in self._contacts.values() if contact.raw)

    def edge(self, button: Button, down: bool, at_seconds: float) -> list[ButtonEvent]:
        """A contact has closed or opened.

        Args:
            button: whose.
            down: True when it closed. An edge that changes nothing is ignored.
            at_seconds: when. One earlier than what has been told already counts as now.

        Returns:
            Everything that has happened up to this edge and through it, in order.
        """
        events = self.advance(at_seconds)
        events += self._contacts[button].edge(down, self._now)
        return events

    def advance(self, now: float) -> list[ButtonEvent]:
        """Let time pass.

        Args:
            now: the time, in seconds.

        Returns:
            What fell due up to now, in order.
        """
        self._now = max(self._now, now)
        events: list[ButtonEvent] = []
        while (due := self._soonest()) and due.at <= self._now + _TOLERANCE_SECONDS:
            events += due.step(due.at)
        return events

    def next_deadline(self) -> float | None:
        """When `advance` will have something to do, in seconds; None while only an edge can change anything."""
        due = self._soonest()
        return due.at if due else None

    def _chord(self, button: Button, at: float) -> ButtonEvent | None:
        """Return the chord that a button makes which has just gone down, with one that is down already; or None."""
        beside = CHORDS.get(button)
        if beside is not None and self._contacts[beside].makes_chords(at):
            self._contacts[beside].join(at)
            return ButtonEvent(button, Gesture.PRESS, beside=beside, at_seconds=at)
        for other, wanted in CHORDS.items():
            if wanted is button and self._contacts[other].may_still_join(at):
                self._contacts[other].join(at)
                return ButtonEvent(other, Gesture.PRESS, beside=button, at_seconds=at)
        return None

    def _soonest(self) -> _Due | None:
        restless = [contact for contact in self._contacts.values() if not contact.at_rest]
        return min((due for contact in restless for due in contact.due()), key=lambda due: due.at, default=None)
