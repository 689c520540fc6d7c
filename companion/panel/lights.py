"""Which lights are on, as a pure function of what the box shows, and the thread that puts them on the panel."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from companion import languages
from companion.game import boards
from companion.game.vocabulary import Party, Phase
from companion.panel.now import now
from hardware.keyboard import KeyboardPanel
from hardware.panel import DARK, Light, Lights
from hardware.picture import Meanings

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.state import Game
    from companion.table.snapshot import Feed, Snapshot, Trouble
    from hardware.panel import Panel

logger = logging.getLogger(__name__)


class Mood(Enum):
    """What the status light tells."""

    WAITING = "waiting"
    SPEAKING = "speaking"
    REFUSING = "refusing"
    TROUBLE = "trouble"


_FIRST_ROW = 5
"""In the lobby the first five players stand on the Liberal row, the others on the Fascist row."""

_STATUS = {
    Mood.SPEAKING: Light.BREATHING,
    Mood.REFUSING: Light.FAST,
    Mood.TROUBLE: Light.FAST,
}

_READY = frozenset({Phase.LOBBY, Phase.GAME_OVER})
"""Phases in which nobody has to press anything."""


def lights_of(snapshot: Snapshot) -> Lights:
    """Return what every light does while this is shown."""
    if snapshot.refusing:
        mood = Mood.REFUSING
    elif snapshot.speaking:
        mood = Mood.SPEAKING
    elif snapshot.troubles:
        mood = Mood.TROUBLE
    else:
        mood = Mood.WAITING
    evening = snapshot.evening
    return picture(evening.game, mood, joined=len(evening.seating.players))


def picture(game: Game, mood: Mood = Mood.WAITING, *, joined: int = 0) -> Lights:
    """Return what every light does.

    In the lobby each phone that has joined lights one light; with none, the number that the panel has set is shown.

    Dark at night, the status light too: with closed eyes even a glow is seen. A policy that is awaited blinks on the
    slot that it would take; the winner's board blinks at the end.
    """
    if game.phase is Phase.NIGHT:
        return DARK
    status = _STATUS.get(mood, Light.ON if game.phase in _READY else Light.SLOW)
    return replace(_boards(game, joined), status=status)


def _boards(game: Game, joined: int) -> Lights:
    if game.phase is Phase.LOBBY:
        players = joined or game.players
        return Lights(
            liberal=_row(_FIRST_ROW, min(players, _FIRST_ROW)),
            fascist=_row(boards.FASCIST_SLOTS, players - _FIRST_ROW),
        )
    awaited = game.phase in (Phase.LEGISLATIVE_SESSION, Phase.CHAOS)
    lights = Lights(
        liberal=_row(boards.LIBERAL_SLOTS, game.liberal_policies, next_blinks=awaited),
        fascist=_row(boards.FASCIST_SLOTS, game.fascist_policies, next_blinks=awaited),
        tracker=_row(boards.TRACKER_SLOTS, game.election_tracker),
    )
    if game.winner is Party.LIBERAL:
        return replace(lights, liberal=(Light.SLOW,) * boards.LIBERAL_SLOTS)
    if game.winner is Party.FASCIST:
        return replace(lights, fascist=(Light.SLOW,) * boards.FASCIST_SLOTS)
    return lights


def _row(length: int, lit: int, *, next_blinks: bool = False) -> tuple[Light, ...]:
    return tuple(
        Light.ON if place < lit else Light.SLOW if next_blinks and place == lit else Light.OFF
        for place in range(length)
    )


_AGAIN_SECONDS = 1.0
"""How soon lights that could not be changed are tried again."""
_CLOSE_SECONDS = 0.25
"""How long a panel that is just being written to is waited for; one that hangs is not."""

DOES_NOT_ANSWER = "The panel does not answer."
FAILED = "The lights cannot be changed; the log says how."


class PanelLights:
    """Keeps a panel as the box has it, on a thread of its own: neither a slow nor a broken panel delays a press."""

    def __init__(
        self, panel: Panel, feed: Feed, tell: Callable[[Trouble, str], object], *, strip: Panel | None = None
    ) -> None:
        """Light the lights; they are right before anything else of the box is there.

        Args:
            panel: buttons and lights. A panel on a terminal shows the caption too.
            feed: what the box shows.
            tell: is told what of the panel does not work, and with an empty sentence that all of it works again.
            strip: more lights, which show the same.
        """
        self._panel = panel
        self._panels = (panel,) if strip is None else (panel, strip)
        self._feed = feed
        self._tell = tell
        self._shown: Lights | None = None
        self._caption = ""
        self._meanings = Meanings()
        self._failed = False
        self._began: float | None = None
        self._closed = False
        self.shown_version = 0
        """The newest version of the box that is on the panel."""
        self._thread = threading.Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """What of the panel does not work, in a few sentences; empty while all is well."""
        return FAILED if self._failed else " ".join(trouble for panel in self._panels for trouble in panel.troubles)

    @property
    def waits_seconds(self) -> float:
        """How long the panel has not come back from what it was asked for; 0 while it is not asked."""
        began = self._began
        return 0.0 if began is None else time.monotonic() - began

    def close(self) -> None:
        """Touch the panel no more. The lights stay as they are until the panel is closed."""
        self._closed = True
        self._feed.close()
        self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        self._show(self._feed.snapshot)
        while True:
            snapshot = self._feed.wait_for_lights(_AGAIN_SECONDS if self._failed else None)
            if self._closed:
                return
            self._show(snapshot)

    def _show(self, snapshot: Snapshot) -> None:
        self._began = time.monotonic()
        lights = lights_of(snapshot)
        try:
            if lights != self._shown:
                for panel in self._panels:
                    panel.show(lights)
                self._shown = lights
            self._feed.lights_shown()
            if isinstance(self._panel, KeyboardPanel):
                self._tell_in_words(self._panel, snapshot)
            self._failed = False
        except Exception:
            if not self._failed:
                logger.exception("the lights could not be changed; the game goes on")
            self._failed = True
        self._began = None
        self.shown_version = snapshot.version
        # A pin shows that it is broken when it is written to, and a button that it was let go at any time.
        self._tell("panel", self.trouble)

    def _tell_in_words(self, panel: KeyboardPanel, snapshot: Snapshot) -> None:
        """A panel that can write says too what is heard, what the table does now and what each key means."""
        if snapshot.caption != self._caption:
            self._caption = snapshot.caption
            panel.caption(snapshot.caption)
        present = now(snapshot, languages.load(snapshot.evening.seating.language))
        meanings = Meanings(present.text, present.buttons, present.held)
        if meanings != self._meanings:
            self._meanings = meanings
            panel.means(meanings)
