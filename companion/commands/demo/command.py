"""Gives a box to made-up people: they take seats, look at their roles, and press its buttons at their own pace."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from companion.box.run import run as run_box
from companion.commands.demo.players import Company
from companion.errors import CompanionError
from companion.game import commands
from companion.game.vocabulary import Party, Phase
from hardware.gestures import whole_gesture
from hardware.panel import Button

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.box.app import Companion
    from companion.game.commands import Command
    from companion.game.state import Game
    from companion.settings import Settings
    from companion.table.snapshot import Snapshot

NAMES = ("Anna", "Bruno", "Clara", "David", "Emma", "Felix", "Greta", "Hugo", "Ida", "Oskar")
"""First names that every language of the box says right."""

_ANSWER_SECONDS = 10.0
_QUIET_SECONDS = 0.35
"""A line that follows another begins within this time; after it the box has said what it had to say."""

_LONGEST_LINE_SECONDS = 90.0
"""However long the box talks, and a night is the longest, the demo goes on after this."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the table plays.

    Attributes:
        listens: whether it lets the box finish before it goes on.
        thinks_seconds: how long it takes over each step, at the least and at the most.
        waits_for_enter: whether each step waits for the enter key.
    """

    listens: bool = True
    thinks_seconds: tuple[float, float] = (0.0, 0.0)
    waits_for_enter: bool = False


PACES = {
    "table": Pace(thinks_seconds=(1.5, 4.0)),
    "fast": Pace(listens=False, thinks_seconds=(0.3, 0.6)),
    "step": Pace(waits_for_enter=True),
}


def run(settings: Settings, players: int, pace: str, games: int, seed: int | None) -> int:
    """Let made-up people play whole games on a box of this machine, and return the exit code.

    Args:
        settings: of the box. Its games are kept in a folder that goes away, never beside those of people.
        players: how many, 5 to 10.
        pace: a key of `PACES`.
        games: how many games, one after the other.
        seed: the same number plays the same game again; None for another one each time.
    """
    if PACES[pace].waits_for_enter and not sys.stdin.isatty():
        print("--pace step waits for the enter key, and there is no keyboard here.", file=sys.stderr)
        return 2
    if settings.roles == "cards":
        print("With real role cards there is nobody to play: the demo needs roles that the box deals.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="companion-demo-") as folder:
        given = replace(settings, state_dir=Path(folder))
        if not PACES[pace].listens:
            given = replace(given, night_long_pause_seconds=0.0, night_gesture_pause_seconds=0.0, night_pace="quick")
        chance = random.Random(seed)  # noqa: S311 - a game that can be played again, not a secret
        return run_box(given, partial(_play, players=players, pace=PACES[pace], games=games, chance=chance))


def _play(box: Companion, *, players: int, pace: Pace, games: int, chance: random.Random) -> None:
    table = _Table(box, pace, chance)
    try:
        table.sit_down(players)
        for _ in range(games):
            table.play()
        table.finish()
    except (_EndedError, CancelledError):
        # Somebody has seen enough.
        return
    box.end()


class _EndedError(CompanionError):
    """The box was ended in the middle of the demo."""


class _Table:
    """The hands of everybody at the table: what they decide becomes presses, and taps on their own phones."""

    def __init__(self, box: Companion, pace: Pace, chance: random.Random) -> None:
        self._box = box
        self._pace = pace
        self._chance = chance
        self._read = ""

    def sit_down(self, players: int) -> None:
        """Say that nobody plays, and take the seats."""
        self._box.say("demo")
        # A busy machine may still be learning to speak: nobody sits down before it is said what this is.
        said, until = self._box.language("").say("demo"), time.monotonic() + _LONGEST_LINE_SECONDS
        while self._read != said and time.monotonic() < until:
            self._look(_QUIET_SECONDS)
        self.finish()
        for name in NAMES[:players]:
            # A claim that no phone can have: nobody comes into a seat of the demo.
            self._submit(commands.TakeSeat(name, f"demo {name}"))
            time.sleep(self._pace.thinks_seconds[0] / 3)

    def play(self) -> None:
        """Play one game, from the lobby or the end of the one before it to its own end."""
        self._step(partial(self.press, Button.JA))
        for seat in self._game.seats:
            time.sleep(self._chance.uniform(*self._pace.thinks_seconds) / 3)
            self._submit(commands.LookAtRole(seat))
        self._step(partial(self.press, Button.JA))
        self._wait_for(Phase.ASK)
        self._step(partial(self.press, Button.JA))
        company = Company(self._chance)
        while self._game.phase is not Phase.GAME_OVER:
            self._step(partial(self._do, company))

    def _do(self, company: Company) -> None:
        match company.next(self._game):
            case commands.Vote(elected):
                self.press(Button.JA if elected else Button.NEIN)
            case commands.EnactPolicy(policy):
                self.press(Button.LIBERAL if policy is Party.LIBERAL else Button.FASCIST)
            case commands.ProposeVeto():
                self.press(Button.NEIN, held=True)
            case commands.AnswerVeto(agreed):
                self.press(Button.JA if agreed else Button.NEIN)
            case commands.UsePower(None):
                self.press(Button.JA)
            case command:
                # From the phone of whoever has the turn.
                self._submit(command)

    def press(self, button: Button, *, held: bool = False) -> None:
        """Press or hold a button of the panel."""
        self._box.press(whole_gesture(button, held)).result(_ANSWER_SECONDS)

    def finish(self) -> None:
        """Let the box finish what it says."""
        quiet_since = began = time.monotonic()
        while (now := time.monotonic()) - quiet_since < _QUIET_SECONDS and now - began < _LONGEST_LINE_SECONDS:
            if self._look(_QUIET_SECONDS / 4).speaking:
                quiet_since = now

    @property
    def _game(self) -> Game:
        return self._box.feed.snapshot.evening.game

    def _step(self, act: Callable[[], None]) -> None:
        """Do something, and go on when every screen shows it: what the box answers out of roles waits for its words."""
        self._pause()
        before = self._box.feed.snapshot.evening
        act()
        until = time.monotonic() + _LONGEST_LINE_SECONDS
        while self._look(_QUIET_SECONDS).evening is before and time.monotonic() < until:
            pass

    def _pause(self) -> None:
        if self._pace.listens:
            self.finish()
        if self._pace.waits_for_enter:
            sys.stdin.readline()
        else:
            time.sleep(self._chance.uniform(*self._pace.thinks_seconds))

    def _wait_for(self, phase: Phase) -> None:
        while self._look(1.0).evening.game.phase is not phase:
            pass

    def _look(self, seconds: float) -> Snapshot:
        """Return what the box shows when that changes, or after so many seconds; read along what it says."""
        if self._box.is_ended:
            raise _EndedError
        now = self._box.feed.snapshot
        if now.caption != self._read:
            self._read = now.caption
            tell = self._box.notice or partial(print, flush=True)
            tell(now.caption)
        return self._box.feed.wait_newer(now.version, seconds)

    def _submit(self, *report: Command) -> None:
        self._box.submit(*report).result(_ANSWER_SECONDS)
