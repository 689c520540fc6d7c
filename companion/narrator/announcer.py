"""Lets the narrator tell the table what happens: hears every change, and holds the night when it begins."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from companion import languages
from companion.game import events
from companion.game.commands import EndNight
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.narrator.line import Called
from companion.narrator.narrator import Narrator
from companion.narrator.night import Pauses, Performance, perform, perform_on_phones
from companion.narrator.sound import VoiceError
from companion.narrator.teacher import Teacher
from companion.table.listener import Change, GameListener
from sounds import Palette

if TYPE_CHECKING:
    from companion.game.evening import Entry, Evening
    from companion.languages import Language
    from companion.machine.clock import Clock
    from companion.narrator.line import InLanguage, Line
    from companion.narrator.sound import Output, Speaks
    from companion.table.snapshot import Feed, Trouble
    from companion.table.table import Table

logger = logging.getLogger(__name__)

_PASSING = (
    events.PlayerRenamed,
    events.PlayerMoved,
    events.SeatHandedOver,
    events.RoleSeen,
    events.ChancellorNominated,
)
"""Events that leave the table with the same thing to do: whatever is being said of it still holds."""


_BACK_AND_FORTH = (events.ReportTakenBack, events.ReportRedone)

_COMING_AND_GOING = (events.SeatTaken, events.PlayerRemoved, events.PlayerRenamed)
"""Events that change what is to be said of those who have just sat down."""

_JOINING = ("player_joined", "players_joined")

SPOKEN_TROUBLES: tuple[Trouble, ...] = ("journal", "panel", "part", "phones")
"""Each has a line in every language, `KIND_trouble`. Voice and sound cannot tell of themselves, and what an old journal
lacked is for the eyes."""


READING_SECONDS = 1.0
"""How long a name stands on the screens before it counts as read, where nothing is heard."""


@dataclass(slots=True)
class _AwaitedName:
    """A name on offer, in the words in which it is said, and when these began."""

    text: str
    began_at: float | None = None


class Announcer(GameListener):
    """The game's side of the narrator, and the narrator's audience."""

    def __init__(
        self,
        speaker: Speaks,
        silence: Speaks,
        output: Output,
        clock: Clock,
        table: Table,
        feed: Feed,
        pauses: Pauses,
        *,
        night_on_phones: bool = False,
        cards: bool = False,
        is_silent: bool = False,
        teaches: bool = False,
        palette: Palette | None = None,
    ) -> None:
        self._palette = palette or Palette()
        self._speaker = speaker
        self._silence = silence
        self._table = table
        self._feed = feed
        self._pauses = pauses
        self._teacher = Teacher(is_on=teaches)
        feed.post(pace=pauses.pace, teaches=teaches)
        self._night_on_phones = night_on_phones
        self._cards = cards
        self._is_silent = is_silent
        self._clock = clock
        self._awaited = _AwaitedName("")
        self._revealing: Line | None = None
        self.narrator = Narrator(speaker, silence, output, clock, self, self._palette)

    # --- the game tells the announcer --------------------------------------------------------------------------------

    def game_resumed(self, evening: Evening) -> None:
        """Say where the table stands. A night that the power cut short waits, from its beginning, for a press."""
        language = languages.load(evening.seating.language)
        if evening.game.phase is Phase.NIGHT:
            self._hold_night(evening, language, paused=True)
            self._feed.post(night_interrupted=True)
        self.narrator.say(cues.resume(evening, language))

    def changed(self, change: Change) -> None:
        """Say what happened and what comes now."""
        language = languages.load(change.after.seating.language)
        lines = cues.announce(change, language, cards=self._cards)
        self._go_on(change)
        phase = change.after.game.phase
        if any(isinstance(event, events.NightBegan) for event in change.entry):
            self._hold_night(change.after, language)
        elif phase is Phase.NIGHT and any(isinstance(event, _BACK_AND_FORTH) for event in change.entry):
            # In a night again that is over: it waits, from its beginning, until everybody is ready for it.
            self._hold_night(change.after, language, paused=True)
        elif phase is not Phase.NIGHT:
            # A night that has reported its own end still says its last words.
            self.narrator.stop_night(unless_it_asks=phase is Phase.ASK)
        if change.is_withheld:
            lines = self._revealed_by(lines)
        lines = self._teacher.explained(lines)
        if any(isinstance(event, _COMING_AND_GOING) for event in change.entry):
            self.narrator.say_instead(_JOINING, lambda waiting: _together(waiting, lines, change, language))
        else:
            self.narrator.say(lines)

    def _revealed_by(self, lines: list[Line]) -> list[Line]:
        """Wait for the line that tells what is withheld, and have it said whatever the table does meanwhile."""
        tells = next((line for line in lines if line.key in cues.REVEALING), None)
        if tells is None:
            if self._revealing is None:
                # There are no words to wait for.
                self._table.reveal()
            return lines
        self._revealing = lasting = replace(tells, lasting=True)
        return [lasting if line is tells else line for line in lines]

    def _reveal(self, line: Line) -> None:
        """Show what a line tells, unless something newer is withheld by now: that waits for words of its own."""
        if self._revealing is line:
            self._revealing = None
            self._table.reveal()

    def _go_on(self, change: Change) -> None:
        """Stop saying what the table has left behind."""
        if any(isinstance(event, events.ChancellorNominated) for event in change.entry):
            self.narrator.withdraw(("nominated",))
        if not _moves_on(change.entry) or cues.only_leaves(change):
            return
        self.narrator.cut()
        self.narrator.withdraw()

    def trouble(self, kind: Trouble, sentence: str) -> None:
        """Say once that something does not work, unless it is what would have to say it."""
        if sentence and kind in SPOKEN_TROUBLES:
            language = languages.load(self._feed.snapshot.evening.seating.language)
            self.narrator.say([replace(cues.plain(language, f"{kind}_trouble"), lasting=True)])

    def choose_pace(self, pace: str) -> None:
        """Let the nights to come be slower or quicker: a key of `companion.narrator.night.PACES`."""
        self._pauses = replace(self._pauses, pace=pace)
        self._feed.post(pace=pace)

    def teach(self, *, teaches: bool) -> None:
        """Explain the rules from now on, or no more, and say so."""
        self._teacher.switch(is_on=teaches)
        self._feed.post(teaches=teaches)
        evening = self._table.evening
        if evening.game.phase is not Phase.NIGHT:
            # Nobody speaks into a night.
            language = languages.load(evening.seating.language)
            self.narrator.remark(cues.plain(language, "teach_on" if teaches else "teach_off"))

    def say_name(self, player: int, spoken: str) -> None:
        """Say a player's name, by id, as they have spelled it for the voice."""
        seating = self._table.evening.seating
        name = Called(seating.by_id(player).name, spoken)
        self.narrator.remark(cues.plain(languages.load(seating.language), "name_heard", name=name))

    def say_sample(self) -> None:
        """Let the table hear the voice."""
        self.narrator.remark(cues.plain(languages.load(self._table.evening.seating.language), "sample"))

    def tell_own_network(self) -> None:
        """Tell the table that the box has made a Wi-Fi of its own, whose code comes first."""
        self.narrator.remark(cues.plain(languages.load(self._table.evening.seating.language), "own_network"))

    def await_name(self, asked: str) -> None:
        """Listen for a name that has just come on offer, in the words in which it will be said."""
        self._awaited = _AwaitedName(asked)

    @property
    def name_said(self) -> bool:
        """Whether the table has heard at least the beginning of the name that was awaited last, or could read it.

        Where nothing can be heard, the name has to stand on the screens for a moment.
        """
        began = self._awaited.began_at
        if began is None:
            return not self._awaited.text
        return self._is_heard or self._clock.now() - began >= READING_SECONDS

    @property
    def _is_heard(self) -> bool:
        """Whether lines are heard and not only shown."""
        kinds = {kind for kind, _ in self._feed.snapshot.troubles}
        return not self._is_silent and not kinds & {"voice", "sound"}

    def first_words(self, evening: Evening) -> str:
        """Return the first words of the night that an evening begins, in the table's language."""
        language = languages.load(evening.seating.language)
        if self._is_on_phones(evening):
            return language.say("night_on_phones")
        return language.night(evening.game.players)[0].text

    def restart_night(self) -> None:
        """Begin the night again from its first step."""
        self.narrator.restart_night()
        self._feed.post(night_paused=False, night_interrupted=False)

    # --- the narrator tells its audience -----------------------------------------------------------------------------

    def caption(self, text: str, speaking: bool, told: InLanguage | None = None) -> None:
        """Show what is being said; what was said last stays to be read."""
        # One object for the words and the moment: on this thread they may be exchanged between two looks.
        awaited = self._awaited
        if text and text == awaited.text and awaited.began_at is None:
            awaited.began_at = self._clock.now()
        # Read here, written on the owner thread alone.
        revealing = self._revealing
        if text:
            self._feed.post(caption=text, told=told, speaking=speaking)
        else:
            self._feed.post(speaking=speaking)
        if revealing is not None and text == revealing.text:
            self._table.call(lambda: self._reveal(revealing))

    def line_said(self, line: Line) -> None:
        """Tell the table that a line was said to its end."""
        at_seconds = self._clock.now()
        self._table.call(lambda: self._table.tell(lambda listener: listener.said(line.key, line.text, at_seconds)))

    def night_reached_ask(self) -> None:
        """Report that everybody has been asked to open their eyes."""
        self._table.submit(EndNight())

    def voice_trouble(self, sentence: str) -> None:
        """Show and log that the voice failed; the captions go on."""
        if sentence:
            logger.warning("No voice: %s. Captions are shown instead.", sentence.rstrip("."))
        self._table.trouble("voice", sentence)

    # --- the night ---------------------------------------------------------------------------------------------------

    def _hold_night(self, evening: Evening, language: Language, *, paused: bool = False) -> None:
        self.narrator.hold_night(lambda: self._perform(language, evening), paused=paused)
        self._feed.post(night_paused=paused, night_interrupted=False)

    def _perform(self, language: Language, evening: Evening) -> Performance:
        """Render the whole night before anybody closes their eyes; without a voice, the captions lead through it."""
        try:
            return self._perform_with(self._speaker, language, evening)
        except (VoiceError, OSError) as error:
            self.narrator.voice_failed(str(error))
            return self._perform_with(self._silence, language, evening)

    def _perform_with(self, speaker: Speaks, language: Language, evening: Evening) -> Performance:
        if self._is_on_phones(evening):
            return perform_on_phones(language, speaker, self._pauses)
        return perform(language, evening.game.players, speaker, self._pauses, self._palette)

    def _is_on_phones(self, evening: Evening) -> bool:
        # Whether there were roles dealt at all is no secret; which they are is not asked here.
        return self._night_on_phones and evening.game.roles is not None


def _moves_on(entry: Entry) -> bool:
    """Whether what was said before an entry is behind the table now."""
    if any(isinstance(event, (events.SeatTaken, events.PlayerRemoved)) for event in entry):
        return False
    return not all(
        isinstance(event, _PASSING) or (isinstance(event, events.LanguageChosen) and event.player is not None)
        for event in entry
    )


def _together(waiting: list[Line], lines: list[Line], change: Change, language: Language) -> list[Line]:
    """Welcome in one sentence, by their names of now, all who sat down while the box was speaking.

    Of somebody who has left again before their welcome nothing is said.
    """
    players = [player for line in (*waiting, *lines) for player in line.joined]
    left = {event.player for event in change.entry if isinstance(event, events.PlayerRemoved)}
    unheard = ("player_left",) if left & set(players) else ()
    others = [line for line in lines if not line.joined and line.key not in unheard]
    return [*cues.joined(change.after, players, language), *others]
