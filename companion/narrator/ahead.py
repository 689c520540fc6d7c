"""Renders what the next report would make the box say, while the table still talks: no name comes late, or mute.

The box knows the rules, so it knows what may happen next. It looks ahead without the roles, even where it dealt them:
neither what is rendered nor how long that takes may depend on what only one player knows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from companion import languages
from companion.game import commands, rules
from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.narrator.night import voice_of
from companion.table.listener import Change, GameListener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from companion.game.commands import Command
    from companion.game.evening import Evening
    from companion.languages import Language
    from companion.narrator.line import Line
    from companion.narrator.speech.speech import Speech

_IN_A_GAME = frozenset(Phase) - {Phase.LOBBY, Phase.DEAL}
_PASSED_THROUGH = frozenset({Phase.NIGHT, Phase.HITLER_CHECK, Phase.LEGISLATIVE_SESSION})
"""Phases that one report may lead through: the vote and its policy in one press, or a question that the box answers."""


def lines_to_prepare(language: Language) -> list[str]:
    """Return, as the synthesiser reads them, the texts of a language that hold no name and no number of a game."""
    return [language.pronounce(text) for text in (*cues.fixed_texts(language), *cues.counted_texts(language))]


def texts_ahead(evening: Evening, *, cards: bool = False) -> list[str]:
    """Return the texts that the next report may make the box say, the likeliest first.

    Names are spelled for the voice. The same whoever has which role. Empty in the lobby, where people come in no order
    that could be foreseen.

    Args:
        evening: where the table stands.
        cards: whether roles are dealt with real cards.
    """
    if evening.game.phase not in _IN_A_GAME:
        return []
    known = set(cues.fixed_texts(languages.load(evening.seating.language)))
    public = replace(evening, step=replace(evening.step, game=replace(evening.game, roles=None)))
    return [text for text in dict.fromkeys(_lines_after(public, cards=cards)) if text not in known]


def _lines_after(evening: Evening, *, cards: bool) -> Iterator[str]:
    language = languages.load(evening.seating.language)
    for seat in evening.game.eligible_targets:
        yield _read(cues.offer(evening, seat, language))
    for command in _next_commands(evening):
        try:
            entry = rulebook.decide(evening, (command,))
        except Refused:
            continue
        after = rulebook.evolve(evening, entry)
        yield from (_read(line) for line in cues.announce(Change(evening, entry, after), language, cards=cards))
        if isinstance(command, commands.TakeBack | commands.Redo):
            continue
        if after.game.phase in _PASSED_THROUGH:
            yield from _lines_after(after, cards=cards)
        else:
            yield from (_read(cues.offer(after, seat, language)) for seat in after.game.eligible_targets)


def _read(line: Line) -> str:
    return line.spoken or line.text


def _next_commands(evening: Evening) -> list[Command]:
    """Return what may be reported next; who is nominated last, since few tables tell the box."""
    legal = rules.legal(evening.game)
    nominations = [command for command in legal if isinstance(command, commands.Nominate)]
    others = [command for command in legal if not isinstance(command, commands.Nominate)]
    redo = [commands.Redo()] if evening.taken_back else []
    return [*others, commands.TakeBack(confirmed=True), *redo, *nominations]


class LookingAhead(GameListener):
    """Has the voice render what the table may hear next, from where the table stands now."""

    def __init__(self, speech: Speech, *, cards: bool = False) -> None:
        """Look ahead for a table.

        Args:
            speech: who renders it when nobody waits for anything.
            cards: whether roles are dealt with real cards.
        """
        self._speech = speech
        self._cards = cards
        self._prepared: tuple[Language, list[str]] | None = None

    def game_resumed(self, evening: Evening) -> None:
        """Look ahead from where the table stands."""
        self._look_ahead(evening)

    def changed(self, change: Change) -> None:
        """Look ahead from where the table stands now."""
        self._look_ahead(change.after)

    def _look_ahead(self, evening: Evening) -> None:
        language = languages.load(evening.seating.language)

        def texts() -> list[str]:
            ahead = [language.pronounce(text) for text in texts_ahead(evening, cards=self._cards)]
            # The table may have chosen another language than the one that the box learns at its start: first its night.
            return [*ahead, *self._prepared_lines(language)]

        self._speech.look_ahead(texts, voice_of(language))

    def _prepared_lines(self, language: Language) -> list[str]:
        """Return the lines without a fact, worked out once a language: they are looked for after each report."""
        if self._prepared is None or self._prepared[0] is not language:
            self._prepared = (language, lines_to_prepare(language))
        return self._prepared[1]
