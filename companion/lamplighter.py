"""Keeps the panel's lights as the game has them, and lets the status light tell what the box is doing."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from companion.lights import Mood, picture
from companion.listener import Change, GameListener

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.bulletin import Trouble
    from companion.game.evening import Evening
    from hardware.panel import Panel

logger = logging.getLogger(__name__)

REFUSAL_SECONDS = 1.0
"""How long the status light shows that a press meant nothing."""


class Lamplighter(GameListener):
    """Shows every change on the panel. Safe from any thread: speech and refusals come from others, and never fail.

    What it hears as a listener does fail when the panel does: so the table is told.
    """

    def __init__(self, panel: Panel, evening: Evening) -> None:
        """Light the lights at once: they have to be right before the voice speaks."""
        self._panel = panel
        self._evening = evening
        self._lock = threading.Lock()
        self._speaking = False
        self._troubles: set[Trouble] = set()
        self._refusing: threading.Timer | None = None
        self._closed = False
        self._told = ""
        self.on_trouble: Callable[[str], None] = lambda _sentence: None
        """Told what of the panel does not work any more, and, with an empty sentence, that all of it works again. What
        was so at the beginning the panel itself says."""
        self._show()

    def game_resumed(self, evening: Evening) -> None:
        """Show the game that the journal remembered."""
        self._update(evening)

    def changed(self, change: Change) -> None:
        """Show the game as it is now, unless it was shown already."""
        if change.is_withheld:
            return
        with self._lock:
            # Heard in order, but late: whoever has called `show` meanwhile knows better.
            if self._evening is change.before:
                self._evening = change.after
                self._show()

    def revealed(self, evening: Evening) -> None:
        """Show what the voice begins to tell."""
        self._update(evening)

    def show(self, evening: Evening) -> None:
        """Show an evening at once, on the caller's thread: the light is the first answer to a press. Never raises."""
        with self._lock:
            before, self._evening = self._evening, evening
            if not self._try_to_show():
                # `changed` comes next, and tries again: where that fails too, the table is told.
                self._evening = before

    def trouble(self, kind: Trouble, sentence: str) -> None:
        """Let the status light tell of trouble, until all of it is over."""
        with self._lock:
            if sentence:
                self._troubles.add(kind)
            else:
                self._troubles.discard(kind)
            self._show()

    def speaking(self, speaking: bool) -> None:
        """Let the status light tell whether the box speaks."""
        with self._lock:
            self._speaking = speaking
            self._try_to_show()

    def refuse(self) -> None:
        """Blink for a moment: the press was seen, and meant nothing."""
        with self._lock:
            if self._closed:
                return
            if self._refusing is not None:
                self._refusing.cancel()
            timer = threading.Timer(REFUSAL_SECONDS, lambda: self._refused(timer))
            timer.daemon = True
            timer.start()
            self._refusing = timer
            self._try_to_show()

    def close(self) -> None:
        """End a blink that is under way, and touch the panel no more."""
        with self._lock:
            self._closed = True
            if self._refusing is not None:
                self._refusing.cancel()
                self._refusing = None

    def _refused(self, timer: threading.Timer) -> None:
        with self._lock:
            # A newer refusal blinks for its own time, even if this timer could no longer be cancelled.
            if timer is self._refusing:
                self._refusing = None
                self._try_to_show()

    def _try_to_show(self) -> bool:
        """Show, for callers who have other things to do than to mind the lights; say whether it worked."""
        try:
            self._show()
        except Exception:
            logger.exception("the lights could not be changed; the game goes on")
            return False
        return True

    def _update(self, evening: Evening) -> None:
        with self._lock:
            self._evening = evening
            self._show()

    def _show(self) -> None:
        if self._closed:
            return
        if self._refusing is not None:
            mood = Mood.REFUSING
        elif self._speaking:
            mood = Mood.SPEAKING
        elif self._troubles:
            mood = Mood.TROUBLE
        else:
            mood = Mood.WAITING
        self._panel.show(picture(self._evening.game, mood, joined=len(self._evening.seating.players)))
        self._tell()

    def _tell(self) -> None:
        # A pin shows that it is broken when it is written to, and a button that it was let go at any time.
        sentence = " ".join(self._panel.troubles)
        if sentence != self._told:
            self._told = sentence
            self.on_trouble(sentence)
