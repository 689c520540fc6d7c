"""The one place that wires the parts of a box together: voice, table and pages, upon lights and memory."""

from __future__ import annotations

import logging
import math
import threading
import time
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from companion import languages, voice
from companion.box.boot import Boot, panel_kind
from companion.game.commands import MovePlayer
from companion.game.refusals import Refusal, Refused
from companion.history import History
from companion.machine import network, power, wifi
from companion.machine.addresses import AddressWatcher
from companion.machine.broker import BrokerAddress
from companion.machine.clock import SystemClock
from companion.machine.dice import Dice
from companion.narrator import cues
from companion.narrator.ahead import LookingAhead
from companion.narrator.announcer import Announcer
from companion.narrator.loudspeaker import Loudspeaker
from companion.narrator.night import Pauses, voice_of
from companion.narrator.sound import VoiceError
from companion.narrator.speech.silent import SilentSpeaker
from companion.narrator.speech.speech import Speech
from companion.narrator.volumes import STEPS, nearest_step
from companion.panel.asking import Asking
from companion.panel.discussion import DiscussionClock
from companion.panel.lights import DOES_NOT_ANSWER, lights_of
from companion.panel.meanings import Pressed
from companion.panel.music import MusicPlayer
from companion.panel.presses import BoxActions, Presses
from companion.panel.reminder import Reminder
from companion.phones.app import create_app
from companion.phones.limits import TurnedAway
from companion.phones.server import Server
from companion.room.broker import MISSING, Room
from companion.settings import Settings
from companion.table.table import Decision
from hardware.keyboard import KeyboardPanel
from hardware.panel import ButtonEvent, Panel
from hardware.web import WebPanel, picture_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.commands import Command
    from companion.languages import Language
    from companion.machine.clock import Clock
    from companion.machine.network import Whereabouts
    from companion.machine.systemd import Supervisor
    from companion.machine.wifi import Hotspot
    from companion.narrator.sound import Output, Speaker
    from companion.phones.box import Choice, Guard

logger = logging.getLogger(__name__)

_LOOK_UP_SECONDS = 0.05
_NAP_SECONDS = 0.25
"""A box has two seconds to end, and should wake rarely while nothing happens."""
_QUIET_SECONDS = 20.0
"""When nothing has changed for so long, the journal is brought in order: nobody waits for it then."""
_LOOK_SECONDS = 1.0
"""How often the parts that may hang are looked at."""
_HANGS_SECONDS = 2.0
"""After how long a part that does not come back counts as one that hangs."""
_LONGEST_OPENING_SECONDS = 4.0
"""How long the first words wait for the sound card; after that they are captions at first."""
_HOST_KEY = "host"
_VOLUME_KEY = "volume"
_CLOCK_KEY = "clock"
_ON, _OFF = "on", "off"


class Companion:
    """A whole box: `start`, then `wait` until somebody ends it, then `close`.

    Parts that tests bring of their own (speaker, output, panel, clock, dice) are used as they are.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        dice: Dice | None = None,
        speaker: Speaker | None = None,
        output: Output | None = None,
        panel: Panel | None = None,
        supervisor: Supervisor | None = None,
        boot: Boot | None = None,
        look: Callable[[str, int, Hotspot | None], Whereabouts] = network.whereabouts,
    ) -> None:
        """Wire a box.

        Args:
            settings: of the box.
            clock: what the narrator lives by.
            dice: what draws.
            speaker: the voice.
            output: the loudspeaker.
            panel: buttons and lights.
            supervisor: who is told how the box is.
            boot: lights and memory that stand already, panel and supervisor with them; ended with the box.
            look: says where a server is found, from host, port and the box's own network.

        Raises:
            PanelError: the panel cannot be had.
            JournalBusy: another box runs on this state directory.
            LanguageError: the rules cannot be read.
            CannotServeError: the port is taken.
        """
        self._settings = settings
        self._speaks = False
        self.turned_away = TurnedAway()
        self.history = History(settings.state_dir, settings.cache_dir)
        self._boot = boot or Boot(settings, panel=panel, supervisor=supervisor)
        self._ended = self._boot.ended
        self._supervisor = self._boot.supervisor
        self._panel = self._boot.panel
        self._journal = self._boot.journal
        self._dice = dice or Dice()
        self._table = self._boot.table
        self.feed = self._boot.feed
        self._parts = ExitStack()
        self._parts.callback(self._boot.close)
        # Whatever is wrong with one part, the others are let go of: no light stays on, no lock is kept.
        with ExitStack() as on_error:
            on_error.callback(self._parts.close)
            self._wire(settings, clock or SystemClock(), speaker, output)
            self._look_out(settings, look)
            on_error.pop_all()

    def _wire(
        self,
        settings: Settings,
        clock: Clock,
        speaker: Speaker | None,
        output: Output | None,
    ) -> None:
        """Make the parts in the order in which they are needed; they end in the opposite one."""
        ending = self._parts.callback
        self._speaker = speaker or voice.open_speaker(settings)
        self._speech = Speech(self._speaker)
        ending(self._speech.close)
        kept = self._journal.setting(_VOLUME_KEY)
        self._step = nearest_step(int(kept)) if kept is not None and kept.isdecimal() else STEPS
        self._output = output or voice.open_loudspeaker(settings, step=self._step)
        ending(self._output.close)
        pace = self._journal.setting("pace") or settings.night_pace
        pauses = Pauses(settings.night_long_pause_seconds, settings.night_gesture_pause_seconds, pace)
        silence = SilentSpeaker("the voice failed", voice.silence_folder(settings))
        on_phones = settings.night_on == "phones"
        self._announcer = Announcer(
            self._speech,
            silence,
            self._output,
            clock,
            self._table,
            self.feed,
            pauses,
            night_on_phones=on_phones,
            cards=settings.roles == "cards",
            is_silent=isinstance(self._speaker, SilentSpeaker),
            teaches=self._chosen("teach", settings.teach),
            palette=settings.palette,
        )
        self._ahead = LookingAhead(self._speech, cards=settings.roles == "cards")
        ending(self._table.close)
        ending(self._announcer.narrator.close)
        self._asking = Asking(self._table, self._announcer.narrator, self.feed, self._dice, clock)
        self._clock = DiscussionClock(
            self._table,
            self._announcer.narrator,
            self.feed,
            settings.discussion_minutes,
            is_on=self._journal.setting(_CLOCK_KEY) == _ON,
            remember=lambda is_on: self._journal.remember(_CLOCK_KEY, _ON if is_on else ""),
        )
        self._presses = Presses(
            self._table,
            self._announcer,
            self.feed,
            self._dice,
            self._asking,
            BoxActions(
                switch_off=self._switch_off,
                turn_volume=self._turn,
                switch_clock=self._clock.switch,
                turn_away=self.turned_away.note,
                remember_host=lambda claim: self._journal.remember(_HOST_KEY, claim),
                remember_language=self._boot.remember_language,
            ),
            cards=settings.roles == "cards",
            host_claim=self._journal.setting(_HOST_KEY) or "",
            next_language=self._boot.next_language,
        )
        self._music = MusicPlayer(
            self._table, self._announcer.narrator, self.feed, is_on=self._chosen("music", settings.sound_music)
        )
        self._reminder = Reminder(self._table, self._announcer.narrator, 60.0 * settings.reminder_minutes)
        pages = create_app(self, names_of_allies=on_phones)
        self._server = Server(pages, settings.host, settings.port, on_trouble=partial(self._table.trouble, "phones"))
        ending(self._server.close)

    def _look_out(self, settings: Settings, look: Callable[[str, int, Hotspot | None], Whereabouts]) -> None:
        """Have somebody look where phones find the box; not before the pages are there, and nothing waits for it."""
        hotspot = wifi.read(settings.hotspot_file)
        self._room = self._open_room(settings)
        self.addresses = AddressWatcher(lambda: look(settings.host, self._server.port, hotspot), self.feed)
        self.addresses.on_own_network = lambda: self._table.call(self._tell_own_network)
        self._parts.callback(self.addresses.close)

    def _tell_own_network(self) -> None:
        """Say that there is a Wi-Fi of the box's own, while people gather; in a game nobody waits for it."""
        if self._table.evening.joining:
            self._announcer.tell_own_network()

    def _open_room(self, settings: Settings) -> Room | None:
        """Return what tells the household's broker; None where there is none, or no library for it."""
        if not settings.room_broker:
            return None
        try:
            room = Room(self.feed, BrokerAddress.parse(settings.room_broker), settings.room_topic)
        except ImportError:
            logger.warning("The room does not play along: %s.", MISSING)
            return None
        self._parts.callback(room.close)
        return room

    # --- what the pages need of the box (companion.phones.box.Box) ---------------------------------------------------

    def submit(self, *commands: Command, only_if: Guard | None = None) -> Future[Decision]:
        """Ask for one report: all of its commands or none."""

        def decide() -> Decision:
            if only_if is None or only_if(self.feed.snapshot):
                return self._presses.submit(commands)
            return Decision(self._table.evening, refused=Refused(Refusal.NOT_NOW))

        return self._table.call(decide)

    def press(self, event: ButtonEvent, only_if: Guard | None = None, *, at_panel: bool = True) -> Future[Pressed]:
        """Do with a button of the panel what somebody did on a page; `at_panel` where the page is the panel itself."""

        def press() -> Pressed:
            if only_if is None or only_if(self.feed.snapshot):
                return self._presses.take(event, at_panel=at_panel)
            return Pressed(False, self.language("").refusals[Refusal.NOT_NOW])

        return self._table.call(press)

    def shuffle_seats(self, only_if: Guard) -> Future[Decision]:
        """Let chance decide who sits where."""

        def shuffle() -> Decision:
            evening = self._table.evening
            if not only_if(self.feed.snapshot):
                return Decision(evening, refused=Refused(Refusal.NOT_NOW))
            players = evening.seating.players
            order = self._dice.order(len(players))
            # One after the other to its seat: the first is never moved again.
            return self._presses.submit([MovePlayer(players[place].id, seat) for seat, place in enumerate(order, 1)])

        return self._table.call(shuffle)

    def choose(self, what: Choice, value: str, only_if: Guard) -> Future[bool]:
        """Let the table have something its own way, and keep that for the next time the box is switched on."""

        def choose() -> bool:
            if not only_if(self.feed.snapshot):
                return False
            match what:
                case "pace":
                    self._announcer.choose_pace(value)
                case "teach":
                    self._announcer.teach(teaches=value == _ON)
                case "music":
                    self._music.switch(is_on=value == _ON)
            self._journal.remember(what, value)
            return True

        return self._table.call(choose)

    def say_name(self, player: int, spoken: str, only_if: Guard) -> Future[bool]:
        """Say a player's name as they have spelled it, before it is kept."""

        def say() -> bool:
            if not only_if(self.feed.snapshot):
                return False
            self._announcer.say_name(player, spoken)
            return True

        return self._table.call(say)

    def say_sample(self, only_if: Guard) -> Future[bool]:
        """Let the table hear the voice."""

        def say() -> bool:
            if not only_if(self.feed.snapshot):
                return False
            self._announcer.say_sample()
            return True

        return self._table.call(say)

    @property
    def voice_name(self) -> str:
        """What the voice of the table's language is called; empty where there is none."""
        return self._speaker.called(voice_of(self.language("")))

    def _chosen(self, what: Choice, otherwise: bool) -> bool:
        """Return what the table chose at another time, or what the settings say."""
        return {_ON: True, _OFF: False}.get(self._journal.setting(what) or "", otherwise)

    def panel_picture(self) -> dict[str, object] | None:
        """Return what the lights of the panel on a screen do; None when the panel is not on a screen."""
        return dict(picture_of(lights_of(self.feed.snapshot))) if isinstance(self._panel, WebPanel) else None

    def ask_for_host(self, player: int, claim: str) -> Future[int | None]:
        """Ask the table whether a player's phone may be the host."""
        return self._table.call(lambda: self._asking.for_host(player, claim))

    def ask_for_seat(self, player: int, claim: str, former_claim: str) -> Future[int | None]:
        """Ask the table whether another phone may have a player's seat."""
        return self._table.call(lambda: self._asking.for_seat(player, claim, former_claim))

    def ask_to_share(self, player: int, claim: str) -> Future[int | None]:
        """Ask the table whether a seated phone may show another player's cards too."""
        return self._table.call(lambda: self._asking.for_sharing(player, claim))

    def forget_name(self, name: str) -> bool:
        """Take a name out of all that this box keeps, and return whether it is gone. Not for the owner thread."""
        done = self.history.forget(self._journal, name)
        try:
            voice.forget_names(self._settings, self._speaker)
        except (OSError, VoiceError) as error:
            logger.warning("Lines that say a name are still kept: %s.", type(error).__name__)
            return False
        # What was said last may have been about them.
        self.feed.post(caption="", told=None)
        return done

    def delete_game(self, number: int) -> bool:
        """Delete a game that is over, and return whether it is gone. Not for the owner thread."""
        return self.history.delete(self._journal, number)

    def language(self, code: str) -> Language:
        """Return a language by its code; empty means the table's."""
        return languages.load(code or self.feed.snapshot.evening.seating.language)

    # --- the life of a box -------------------------------------------------------------------------------------------

    @property
    def notes(self) -> list[str]:
        """What whoever starts the box should know, a sentence each; what does not work is in the log."""
        notes = []
        if self._settings.panel == "auto":
            kind = panel_kind(self._settings)
            where = "this is a Raspberry Pi" if kind == "gpio" else "this is no Raspberry Pi"
            notes.append(f"The panel is {kind}, since {where}.")
        if self._boot.next_language:
            name = self.language(self._boot.next_language).name
            notes.append(f"A game is under way: the language of the settings, {name}, comes with the next lobby.")
        return notes

    @property
    def _sound_trouble(self) -> str:
        """Why nothing can be heard; silence that was asked for is no trouble."""
        return "" if self._settings.voice == "silent" else self._output.trouble

    @property
    def local_address(self) -> str:
        """The address of the pages for this machine itself."""
        return network.local_url(self._settings.host, self._server.port)

    @property
    def port(self) -> int:
        """The port of the pages."""
        return self._server.port

    @property
    def notice(self) -> Callable[[str], None] | None:
        """How a line gets on a terminal that belongs to the panel; None where the terminal is free."""
        return self._panel.notice if isinstance(self._panel, KeyboardPanel) else None

    def open(self) -> None:
        """Go on where the journal left the table, and open the doors: presses count and the pages are there."""
        self._open_the_table()
        self._server.start()
        self.addresses.start()
        if self._room is not None:
            self._room.start()

    def learn(self) -> None:
        """Let the box speak: what the table waits for is said as soon as the voice is there.

        Returns when every line has been learnt, or early when somebody ends the box. A voice that fails is a trouble
        that table and log are told.
        """
        self._supervisor.status(f"open for the table, and learning to speak; pages on port {self.port}")
        self._learn_to_speak()
        if self._ended.is_set():
            return
        self._supervisor.status(f"open for the table; pages on port {self.port}")
        self._read_languages()

    def _open_the_table(self) -> None:
        """Take presses and reports, and tell what does not work."""
        if self._server.trouble:
            self._table.trouble("phones", self._server.trouble)
        if self._journal.note:
            self._table.trouble("journal_note", self._journal.note)
        self._table.later(0.0, self._look_at_the_parts)
        # In this order: who is on offer is known before the name is said.
        self._table.start(
            (self._presses, self._asking, self._announcer, self._reminder, self._clock, self._music, self._ahead)
        )
        self._boot.answers = self._table.answers
        self._panel.listen(self._on_button)

    def wait(self) -> None:
        """Return when somebody has ended the box.

        Python runs what a signal asks for between two steps of the main thread alone. One that comes in the moment
        before this thread falls asleep would be slept through, so it never sleeps for long.
        """
        rested_at = self.feed.snapshot.version
        quiet_since = time.monotonic()
        while not self._ended.wait(_NAP_SECONDS):
            version = self.feed.snapshot.version
            if version != rested_at:
                rested_at, quiet_since = version, time.monotonic()
            elif time.monotonic() - quiet_since > _QUIET_SECONDS:
                quiet_since = math.inf
                self._table.call(self._journal.rest)
                # What a page would otherwise read while somebody waits for it.
                self.history.catch_up(lambda: not self._ended.is_set())

    def end(self) -> None:
        """Let `wait` return."""
        self._ended.set()

    @property
    def is_ended(self) -> bool:
        """Whether somebody has ended the box."""
        return self._ended.is_set()

    def say(self, key: str) -> None:
        """Say a line about the box itself, in the table's language, however the game goes on."""

        def say() -> None:
            self._announcer.narrator.say([replace(cues.plain(self.language(""), key), lasting=True)])

        self._table.call(say)

    def _turn(self, steps: int) -> int:
        """Turn the volume, and keep it for the next time the box is switched on."""
        self._step = nearest_step(self._step + steps)
        self._output.turn_to(self._step)
        self._journal.remember(_VOLUME_KEY, str(self._step))
        return self._step

    def _look_at_the_parts(self) -> None:
        """Tell which parts do not work or do not come back, again and again; for the owner thread."""
        self._tell_sound()
        hangs = self._boot.lights.waits_seconds > _HANGS_SECONDS
        trouble = DOES_NOT_ANSWER if hangs else self._boot.lights.trouble
        if self._table.trouble("panel", trouble) and hangs:
            logger.warning(trouble)
        self._table.later(_LOOK_SECONDS, self._look_at_the_parts)

    def _tell_sound(self) -> None:
        trouble = self._sound_trouble
        if self._table.trouble("sound", trouble) and trouble:
            logger.warning(trouble)

    def _switch_off(self) -> None:
        """Undo was held and the goodbye is said: end the box, and before it the machine, if that is its own to end."""
        if self._settings.shutdown == "poweroff":
            # On a thread of its own: the narrator, who says when it is silent, has a word to say if this is refused.
            threading.Thread(target=self._power_off, name="power off", daemon=True).start()
        else:
            self.end()

    def _power_off(self) -> None:
        """Have the machine switched off, then end: when the lights are off the plug may go. Refused, the box plays on.

        A service that ended all the same would be started again at once, in front of people who have said good night.
        """
        trouble = power.power_off()
        if not trouble:
            self.end()
            return
        logger.warning("This machine cannot be switched off from the panel: %s.", trouble.rstrip("."))
        self._table.call(self._presses.cannot_switch_off)

    def darken(self) -> None:
        """Turn the lights off, whatever the rest of the box is doing."""
        self._panel.close()

    def close(self) -> None:
        """Stop everything, lights off; within two seconds."""
        self.end()
        self._supervisor.stopping("packing up")
        self._parts.close()

    # --- parts -------------------------------------------------------------------------------------------------------

    def _learn_to_speak(self) -> None:
        """Render what will be said; returns early when somebody ends the box."""
        trouble = voice.learn(
            self._speech,
            self.language(""),
            still_wanted=lambda: not self._ended.is_set(),
            # The first line is there, and so is the voice.
            on_line=self._let_the_narrator_speak,
            show=self._progress,
        )
        if trouble:
            self._announcer.narrator.voice_failed(trouble)
        self._let_the_narrator_speak()

    def _read_languages(self) -> None:
        """Read every language before somebody waits for it: the page on which people sit down names them all."""
        for code in languages.codes():
            if self._ended.is_set():
                return
            # A file that somebody is working on is left out there.
            with suppress(languages.LanguageError):
                languages.load(code)

    @property
    def _progress(self) -> Callable[[str], None] | None:
        """How learning shows itself on a terminal that belongs to the panel, beside what the box says meanwhile."""
        panel = self._panel
        if not isinstance(panel, KeyboardPanel):
            return None

        def show(progress: str) -> None:
            now = self.feed.snapshot
            panel.caption(now.caption if now.speaking else progress)

        return show

    def _let_the_narrator_speak(self) -> None:
        """Let the narrator speak, once, as soon as the loudspeaker is awake."""
        self._table.call(self._begin_to_speak)

    def _begin_to_speak(self) -> None:
        if not self._speaks:
            self._speaks = True
            self._speak_when_awake(time.monotonic() + _LONGEST_OPENING_SECONDS)

    def _speak_when_awake(self, until: float) -> None:
        """Begin to speak when the sound card is open, or cannot be; one that hangs is not waited for."""
        if not isinstance(self._output, Loudspeaker) or self._output.is_open or time.monotonic() > until:
            self._tell_sound()
            self._announcer.narrator.start()
        else:
            self._table.later(_LOOK_UP_SECONDS, lambda: self._speak_when_awake(until))

    def _on_button(self, event: ButtonEvent) -> None:
        self._table.call(lambda: self._presses.take(event))
