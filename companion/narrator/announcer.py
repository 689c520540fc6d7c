"""Lets the narrator tell the table what happens: hears every change, and holds the night when it begins."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from companion import languages
from companion.game import events
from companion.game.commands import EndNight
from companion.game.vocabulary import Phase
from companion.listener import Change, GameListener
from companion.narrator import cues
from companion.narrator.narrator import Narrator
from companion.narrator.night import Pauses, Performance, perform, voice_of
from companion.narrator.sound import VoiceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.bulletin import Bulletin
    from companion.clock import Clock
    from companion.game.commands import Command
    from companion.game.evening import Evening
    from companion.languages import Language
    from companion.narrator.cues import Line
    from companion.narrator.sound import Output, Speaker

logger = logging.getLogger(__name__)


class Announcer(GameListener):
    """The game's side of the narrator, and the narrator's audience."""

    def __init__(
        self,
        speaker: Speaker,
        silence: Speaker,
        output: Output,
        clock: Clock,
        bulletin: Bulletin,
        pauses: Pauses,
    ) -> None:
        self._speaker = speaker
        self._silence = silence
        self._bulletin = bulletin
        self._pauses = pauses
        self.narrator = Narrator(speaker, silence, output, clock, self)
        self.on_speaking: Callable[[bool], None] = lambda _speaking: None
        self.on_trouble: Callable[[str, str], None] = bulletin.post_trouble
        self.report: Callable[[Command], object] = lambda _command: None

    # --- the game tells the announcer --------------------------------------------------------------------------------

    def game_resumed(self, evening: Evening) -> None:
        """Say where the table stands. A night that the power cut short waits, from its beginning, for a press."""
        language = languages.load(evening.seating.language)
        if evening.game.phase is Phase.NIGHT:
            self._hold_night(evening, language, paused=True)
        self.narrator.say(cues.resume(evening, language))

    def changed(self, change: Change) -> None:
        """Say what happened and what comes now."""
        language = languages.load(change.after.seating.language)
        if change.before.seating.language != change.after.seating.language:
            self._prepare(language)
        lines = cues.announce(change, language)
        if any(isinstance(event, events.NightBegan) for event in change.entry):
            self._hold_night(change.after, language)
        elif change.after.game.phase not in (Phase.NIGHT, Phase.ASK):
            self.narrator.stop_night()
        self.narrator.say(lines)

    def trouble(self, kind: str, sentence: str) -> None:
        """Say once that the journal or the panel does not work; a voice that fails cannot say so."""
        if sentence and kind in ("journal", "panel"):
            language = languages.load(self._bulletin.snapshot.evening.seating.language)
            self.narrator.say([cues.plain(language, f"{kind}_trouble")])

    def restart_night(self) -> None:
        """Begin the night again from its first step."""
        evening = self._bulletin.snapshot.evening
        self._hold_night(evening, languages.load(evening.seating.language))

    # --- the narrator tells its audience -----------------------------------------------------------------------------

    def caption(self, text: str, speaking: bool) -> None:
        """Show what is being said; what was said last stays to be read."""
        if text:
            self._bulletin.post(caption=text, speaking=speaking)
        else:
            self._bulletin.post(speaking=speaking)
        self.on_speaking(speaking)

    def night_reached_ask(self) -> None:
        """Report that everybody has been asked to open their eyes."""
        self.report(EndNight())

    def voice_trouble(self, sentence: str) -> None:
        """Show and log that the voice failed; the captions go on."""
        if sentence:
            logger.warning("the voice failed: %s", sentence)
        self.on_trouble("voice", sentence)

    # --- the night ---------------------------------------------------------------------------------------------------

    def _hold_night(self, evening: Evening, language: Language, *, paused: bool = False) -> None:
        performance = self._perform(language, evening.game.players)
        self.narrator.begin_night(performance, paused=paused)
        self._bulletin.post(night_paused=paused)

    def _perform(self, language: Language, players: int) -> Performance:
        """Render the whole night before anybody closes their eyes; without a voice, the captions lead through it."""
        try:
            return perform(language, players, self._speaker, self._pauses)
        except VoiceError as error:
            self.voice_trouble(str(error))
            return perform(language, players, self._silence, self._pauses)

    def _prepare(self, language: Language) -> None:
        """Render the night of a language that has just been chosen, so that it need not wait later."""
        texts = [
            language.pronounce(step.text) for script in (language.few, language.many) for step in script if step.text
        ]
        try:
            self._speaker.prepare(texts, voice_of(language))
        except VoiceError as error:
            self.voice_trouble(str(error))


def lines_to_prepare(language: Language) -> list[str]:
    """Return every fixed text of a language as the synthesiser reads it, for rendering before the evening."""
    return [language.pronounce(text) for text in cues.fixed_texts(language)]


def standing(evening: Evening) -> list[Line]:
    """Return the lines that say where the whole table stands."""
    return cues.standing(evening, languages.load(evening.seating.language))
