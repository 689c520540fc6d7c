"""The public notice of the moment: one immutable `Snapshot`, read by anybody at any time, that grows a version.

Phones, the table page and streams look here; nobody waits for the owner thread to look something up.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from companion.machine.network import NOWHERE, Whereabouts

if TYPE_CHECKING:
    from companion.game.evening import Evening
    from companion.game.vocabulary import Phase
    from companion.languages import Language
    from companion.narrator.line import InLanguage
    from companion.panel.questions import Question


Trouble: TypeAlias = Literal["journal", "journal_note", "panel", "part", "phones", "sound", "voice"]
"""What may not work: the memory, what it found of the last evening, buttons and lights, a part of the program, the door
for phones, the sound card, the voice. Each has its sentence for the pages in every language, `trouble_KIND`."""


_LIGHT_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Countdown:
    """A clock that runs on the table.

    Attributes:
        phase: what it is for.
        seconds: how long it runs.
        ends_at: when it is over, in seconds of `time.monotonic`.
    """

    phase: Phase
    seconds: float
    ends_at: float

    @property
    def seconds_left(self) -> float:
        """How long it still runs; 0 once it is over."""
        return max(0.0, self.ends_at - time.monotonic())


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the box shows at one moment.

    Attributes:
        evening: the whole state. Holds secrets: show it through the views of `companion.game.views` only.
        version: grows by one with every change of anything here.
        caption: what is being said now, or was said last, in the table's language.
        told: the same in any language; None for what has no other words.
        choice: the seat on offer while a power's player is chosen.
        speaking: whether the caption is being said at this moment.
        night_paused: whether the night stands still until somebody presses ja.
        night_interrupted: whether it does so since the power went out in the middle of it.
        cards: whether roles are dealt with real cards.
        refusing: whether a press has just meant nothing: the status light tells so for a moment.
        troubles: what does not work, as (kind, why in a sentence for whoever mends it).
        host: the id of the player whose phone may do all that the panel can; None when nobody's may.
        question: what a phone asks the table; None when none does.
        where: where phones find the box.
        clock: the clock of the discussion; None where none runs.
        pace: how slow or quick the night is.
        teaches: whether the rules are explained while the table plays.
        music: whether music is played before and after a game.
    """

    evening: Evening
    version: int = 1
    caption: str = ""
    told: InLanguage | None = field(default=None, compare=False)
    choice: int | None = None
    speaking: bool = False
    night_paused: bool = False
    night_interrupted: bool = False
    refusing: bool = False
    cards: bool = False
    troubles: tuple[tuple[Trouble, str], ...] = ()
    host: int | None = None
    question: Question | None = None
    where: Whereabouts = NOWHERE
    clock: Countdown | None = None
    pace: str = "normal"
    teaches: bool = False
    music: bool = False

    def says_more_than(self, older: Snapshot) -> bool:
        """Whether anything has changed that is read: not only what the status light shows."""
        same = replace(self, version=older.version, speaking=older.speaking, refusing=older.refusing)
        return same != older

    def caption_in(self, language: Language) -> str:
        """Return the caption in a language."""
        if self.told is None or language.code == self.evening.seating.language:
            return self.caption
        return self.told(language)

    def __repr__(self) -> str:
        return f"Snapshot(version={self.version})"


class Feed:
    """Holds the newest snapshot and wakes those who wait for a newer one. Safe from any thread; never blocks long."""

    def __init__(self, evening: Evening, *, cards: bool = False) -> None:
        self._snapshot = Snapshot(evening, cards=cards)
        self._newer = threading.Condition()
        self._news_for_lights = threading.Event()
        self._lit = threading.Event()
        self._lights_wait = False
        self._closed = False

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self._snapshot

    def post(self, **changes: Any) -> Snapshot:
        """Change what is shown, and return the snapshot that shows it. Nothing new makes no new version."""
        with self._newer:
            changed = replace(self._snapshot, **changes)
            if changed != self._snapshot:
                self._snapshot = replace(changed, version=self._snapshot.version + 1)
                self._light_first(is_game="evening" in changes)
                self._newer.notify_all()
            return self._snapshot

    def post_trouble(self, kind: Trouble, sentence: str) -> bool:
        """Show that something does not work, or, with an empty sentence, that it works again; whether that is new."""
        with self._newer:
            if dict(self._snapshot.troubles).get(kind, "") == sentence:
                return False
            troubles = tuple(each for each in self._snapshot.troubles if each[0] != kind)
            if sentence:
                troubles = (*troubles, (kind, sentence))
            self.post(troubles=troubles)
            return True

    def wait_newer(self, version: int, timeout_seconds: float | None) -> Snapshot:
        """Return a snapshot newer than `version`, or the newest one when the time is over; None: however long."""
        with self._newer:
            self._newer.wait_for(lambda: self._closed or self._snapshot.version > version, timeout_seconds)
            return self._snapshot

    def wait_for_lights(self, timeout_seconds: float | None) -> Snapshot:
        """Return the newest snapshot as soon as one came since this was last asked; for the lights alone."""
        self._lights_wait = True
        self._news_for_lights.wait(timeout_seconds)
        self._lights_wait = False
        self._news_for_lights.clear()
        return self._snapshot

    def lights_shown(self) -> None:
        """Note that the lights are on the panel; for the lights alone."""
        self._lit.set()

    def _light_first(self, *, is_game: bool) -> None:
        """Let the light be the first answer to a press: fifteen pages that wake at once would make it the last.

        For some thousandths of a second at most, and not where the lights are still at something: a panel that hangs
        keeps nobody waiting.
        """
        goes_first = is_game and self._lights_wait
        if goes_first:
            self._lit.clear()
        self._news_for_lights.set()
        if goes_first:
            self._lit.wait(_LIGHT_SECONDS)

    def close(self) -> None:
        """Let nobody wait any longer: the box ends."""
        self._news_for_lights.set()
        with self._newer:
            self._closed = True
            self._newer.notify_all()
