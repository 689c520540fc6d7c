"""What stands before everything else: the memory of the box, and the lights that show it.

Nothing here needs the libraries of voice and pages. A Raspberry Pi reads those from its card for many seconds, and the
table should be lit meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from companion import languages, pinmaps
from companion.game import evening as rulebook
from companion.game.commands import ChooseLanguage
from companion.game.seating import Seating
from companion.game.vocabulary import Phase
from companion.journal import Journal, resume
from companion.machine.systemd import Nobody
from companion.panel.lights import PanelLights
from companion.rulebooks import rules_of
from companion.table.snapshot import Feed
from companion.table.table import Table
from hardware.boards import load_board
from hardware.detect import on_raspberry_pi
from hardware.keyboard import KeyboardPanel
from hardware.panel import PanelError
from hardware.web import WebPanel

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.commands import Command
    from companion.game.editions import Rules
    from companion.game.evening import Evening
    from companion.machine.systemd import Supervisor
    from companion.settings import Settings
    from hardware.panel import Panel

logger = logging.getLogger(__name__)

_LONGEST_START_SECONDS = 180.0
"""The slowest box reads its libraries from the slowest card in less; one that takes longer hangs."""
_LANGUAGE_KEY = "configured_language"


def panel_kind(settings: Settings) -> str:
    """Return which panel is used; `auto` is pins on a Raspberry Pi and a page elsewhere."""
    if settings.panel != "auto":
        return settings.panel
    return "gpio" if on_raspberry_pi() else "web"


class Boot:
    """Panel, journal and lights of a box, as the plug left them. Ends with `close`.

    Attributes:
        panel: buttons and lights.
        journal: the memory.
        evening: where the journal left the table.
        next_language: the language that the settings name since the last start and the next lobby brings, while a game
            is under way; empty for none.
        feed: what the box shows.
        table: the owner of the game; it takes reports when it is started.
        lights: keeps the lights.
        supervisor: who is told how the box is.
        ended: set when somebody ends the box, which a terminal panel can before the rest of it is there.
        answers: whether the box does its work, given seconds to find out; None until there is a table.
    """

    def __init__(self, settings: Settings, *, panel: Panel | None = None, supervisor: Supervisor | None = None) -> None:
        """Light the lights, and tell the supervisor.

        Args:
            settings: of the box.
            panel: buttons and lights; by default those of the settings.
            supervisor: who is told how the box is.

        Raises:
            PanelError: the panel cannot be had.
            JournalBusy: another box runs on this state directory.
            LanguageError: the rules cannot be read.
        """
        self.ended = threading.Event()
        self.supervisor = supervisor or Nobody()
        self.answers: Callable[[float], bool] | None = None
        self._open_by = time.monotonic() + _LONGEST_START_SECONDS
        self._parts = ExitStack()
        rules = rules_of(settings.rules, settings.language)
        # Whatever is wrong with one part, the others are let go of: no light stays on, no lock is kept.
        with ExitStack() as parts:
            # A service that ended over a wrong pin map would leave the box dark, without a word to the table.
            is_service = not isinstance(self.supervisor, Nobody)
            self.panel = panel or _open_panel(settings, self.ended.set, goes_on=is_service)
            parts.callback(self.panel.close)
            self.journal = Journal.open(settings.state_dir)
            parts.callback(self.journal.close)
            self.evening, self.next_language = _resume(self.journal, rules, settings.language)
            self.feed = Feed(self.evening, cards=settings.roles == "cards")
            # What does not work can be told from here on: before sound, voice and network are there.
            self.table = Table(self.evening, self.journal, self.feed)
            self.strip = _open_strip(settings, goes_on=is_service)
            if self.strip is not None:
                parts.callback(self.strip.close)
            self.lights = PanelLights(self.panel, self.feed, self.table.trouble, strip=self.strip)
            parts.callback(self.lights.close)
            self._parts = parts.pop_all()
        # What was on the table is on it again. Voice and pages take their time, and a network may never come.
        self.supervisor.ready("the lights are on")
        self.supervisor.watch(self._is_alive)

    def remember_language(self, code: str) -> None:
        """Keep that a language of the settings has been put into force: one chosen at the panel later stays."""
        self.journal.remember(_LANGUAGE_KEY, code)

    def close(self) -> None:
        """Turn the lights off and let go of the journal. May be called twice."""
        self._parts.close()

    def _is_alive(self, patience_seconds: float) -> bool:
        """Whether this box does its work, or is still within the time that a start may take."""
        if self.answers is None:
            return time.monotonic() < self._open_by
        return self.answers(patience_seconds)


def _open_panel(settings: Settings, end: Callable[[], None], *, goes_on: bool) -> Panel:
    """Open the panel of the settings.

    Args:
        settings: of the box.
        end: ends the box.
        goes_on: whether a wrong pin map is a trouble, told on the page that stands in for the pins, and no error.

    Raises:
        PanelError: it cannot be had.
    """
    kind = panel_kind(settings)
    if kind == "gpio":
        try:
            board = load_board(settings.board)
        except PanelError as error:
            if not goes_on:
                raise
            trouble = " ".join(filter(None, (str(error), pinmaps.remedy(settings.board))))
            logger.error("The panel is a page until the pin map is mended: %s", trouble)  # noqa: TRY400 - a sentence
            return WebPanel(trouble)
        # gpiozero takes its time, and only a box with pins needs it.
        from hardware.gpio import GpioPanel, open_factory  # noqa: PLC0415

        return GpioPanel(board, open_factory())
    if kind == "keyboard":
        return KeyboardPanel(end)
    if kind == "gamepad":
        return _open_gamepad(settings, goes_on=goes_on)
    # A wrong pin map is told on a laptop too, where the settings of a box are tried.
    load_board(settings.board)
    return WebPanel()


def _open_strip(settings: Settings, *, goes_on: bool) -> Panel | None:
    """Open the strip of lights, if there is one; a service goes on without it."""
    if settings.strip is None:
        return None
    from hardware.strip import StripPanel, open_bus  # noqa: PLC0415 - only for who has one

    try:
        return StripPanel(open_bus(settings.strip))
    except PanelError as error:
        if not goes_on:
            raise
        logger.error("There is no strip of lights: %s", error)  # noqa: TRY400 - a sentence
        return None


def _open_gamepad(settings: Settings, *, goes_on: bool) -> Panel:
    """Open the USB buttons that were learnt; where they were not, the page alone, for a service that has to go on."""
    from hardware.gamepad import GamepadButtons, GamepadPanel  # noqa: PLC0415 - only for who has such buttons

    try:
        return GamepadPanel(GamepadButtons.load(settings.gamepad_file))
    except PanelError as error:
        if not goes_on:
            raise
        logger.error("The panel is a page alone: %s", error)  # noqa: TRY400 - a sentence
        return WebPanel(str(error))


def _resume(journal: Journal, rules: Rules, configured: str) -> tuple[Evening, str]:
    """Return the evening where the journal left it, with the settings of today as far as no game is under way.

    Returns:
        The evening, and the language that the settings name but that has to wait for the next lobby, or empty.
    """
    seating = Seating(language=configured)
    evening = resume(journal, lambda: rulebook.opened(rulebook=rules, seating=seating))
    wishes: list[Command] = []
    # A language chosen at the panel stays; one that was set anew since then wins.
    is_new = journal.setting(_LANGUAGE_KEY) not in (None, configured)
    waits = is_new and not evening.joining
    if is_new and not waits:
        wishes.append(ChooseLanguage(configured))
    if not waits:
        journal.remember(_LANGUAGE_KEY, configured)
    if evening.seating.language not in languages.codes():
        wishes.append(ChooseLanguage(configured))
    if evening.game.phase is Phase.LOBBY and evening.game.rules != rules:
        evening, entry = rulebook.opened(evening.game.players, rules, evening.seating)
        journal.append(entry)
    if wishes:
        entry = rulebook.decide(evening, wishes)
        journal.append(entry)
        evening = rulebook.evolve(evening, entry)
    return evening, configured if waits and configured != evening.seating.language else ""
