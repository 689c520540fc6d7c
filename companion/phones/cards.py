"""A player's own secret cards, as answers of the same length whatever they say.

The one place in this folder that sees a role. What it returns goes to the phone that holds the seat, and to no log.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from companion.game import boards
from companion.game.views import secret_view
from companion.game.vocabulary import Phase, Role

if TYPE_CHECKING:
    from companion.game.evening import Evening
    from companion.game.views import SecretView
    from companion.languages import Language

ANSWER_BYTES = 4096
"""How long the answer with a card is. No language's longest card comes near; one that did would take the double."""

KINDS = ("role", "membership", "investigations")
"""The secret role, the party membership card, and what the player saw of others as President."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says. Never put into a log: `repr` holds nothing.

    Attributes:
        title: the one big word.
        facts: the rest, as (label, text).
        codes: the same for programs, in the words of the outside contract.
    """

    title: str = field(repr=False)
    facts: tuple[tuple[str, str], ...] = field(repr=False)
    codes: dict[str, object] = field(repr=False)

    def answer(self) -> bytes:
        """Return the card as JSON of one fixed length."""
        content = {**self.codes, "title": self.title, "facts": self.facts, "pad": ""}
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        content["pad"] = "." * padding(len(body), ANSWER_BYTES)
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def padding(length: int, whole: int) -> int:
    """Return how much is missing to `whole`, or to its double and so on for what is longer."""
    while whole < length:
        whole *= 2
    return whole - length


def has_cards(evening: Evening, seat: int) -> bool:
    """Whether the box has dealt a role to a seat."""
    game = evening.game
    return game.roles is not None and seat in game.seats and game.phase is not Phase.LOBBY


def has_investigated(evening: Evening, seat: int) -> bool:
    """Whether a player has seen somebody's party membership, which the whole table knows."""
    return any(president == seat for president, _ in evening.game.investigations)


def card(
    evening: Evening, seat: int, kind: str, language: Language, *, names_of_allies: bool = False, teaches: bool = False
) -> Card | None:
    """Return a card of the player at a seat; None when the box has not dealt.

    Args:
        evening: the evening as it stands.
        seat: whose card; the caller has made sure that their phone asks.
        kind: one of `KINDS`.
        language: what the phone shows.
        names_of_allies: whether the table plays its night on the phones, so that the card names allies from then on.
        teaches: whether the table is told the rules, so that the role comes with a hint; as long for every role.
    """
    if not has_cards(evening, seat):
        return None
    view = secret_view(evening.game, seat)
    if view is None:
        return None
    if kind == "membership":
        return _membership_card(view, language)
    if kind == "investigations":
        return _investigations_card(view, evening, language)
    return _role_card(view, evening, language, names_of_allies=names_of_allies, teaches=teaches)


def _role_card(view: SecretView, evening: Evening, language: Language, *, names_of_allies: bool, teaches: bool) -> Card:
    page, terms = language.page, language.terms
    knows = [page[_knows_key(view.role, evening.game.players)]]
    # As at a table with closed eyes: who the others are is learnt in the night, not before.
    allies = view.allies if names_of_allies and evening.game.phase is not Phase.DEAL else ()
    knows.extend(
        page["knows_ally"].format(name=_name(evening, seat, language), role=terms[role]) for seat, role in allies
    )
    facts = (
        (page["party_label"], terms[view.party]),
        (page["goal_label"], page[f"goal_{view.role}"]),
        (page["knows_label"], "\n".join(knows)),
        *([(page["hint_label"], page[f"hint_{view.role}"])] if teaches else []),
    )
    codes: dict[str, object] = {"card": "role", "role": str(view.role), "party": str(view.party), "knows": knows}
    return Card(terms[view.role], facts, codes)


def _membership_card(view: SecretView, language: Language) -> Card:
    return Card(language.terms[view.party], (), {"card": "membership", "party": str(view.party)})


def _investigations_card(view: SecretView, evening: Evening, language: Language) -> Card:
    page, terms = language.page, language.terms
    facts = tuple(
        (_name(evening, seat, language), f"{page['party_label']}: {terms[party]}")
        for seat, party in view.investigations
    )
    # What was looked for is the headline: the newest of them, where a President has seen several.
    newest = [f"{_name(evening, seat, language)}: {terms[party]}" for seat, party in view.investigations[-1:]]
    title = newest[0] if newest else terms["investigate_loyalty"]
    seen = [{"seat": seat, "party": str(party)} for seat, party in view.investigations]
    return Card(title, facts, {"card": "investigations", "seen": seen})


def _knows_key(role: Role, players: int) -> str:
    if role is Role.LIBERAL:
        return "knows_liberal"
    return f"knows_{role}_{'few' if boards.hitler_knows_the_fascists(players) else 'many'}"


def _name(evening: Evening, seat: int, language: Language) -> str:
    """A name for plain text, isolated so that its writing direction touches nothing around it."""
    player = evening.seating.player_at(seat)
    if player is None:
        return language.say("player", seat=seat)
    return f"\u2068{player.name}\u2069"
