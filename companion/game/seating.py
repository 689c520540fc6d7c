"""Who sits where, in which language, and by which phone. Not part of the rules, and never taken back with a report."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from companion.game import boards
from companion.game.refusals import Refusal, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_LENGTH = 24
"""The longest name, in characters: what fits beside a seat number on a small phone."""

_JOINERS = "\u200c\u200d"
"""Invisible, but part of words in some scripts and of many emoji."""

_BLANKS = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and symbols by their kind, but drawn as nothing: Hangul fillers, Khmer inherent vowels, blank Braille."""

_VARIATION_SELECTORS = frozenset(map(chr, (0x034F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Change at most how the letter before them is drawn."""

_UNSEEN = frozenset(_JOINERS + _BLANKS) | _VARIATION_SELECTORS


def tidy_name(typed: str) -> str:
    """Return a name as it is shown and spoken: composed, trimmed, single spaces, no control or direction marks.

    Raises:
        Refused: nothing visible is left, or more than `NAME_LENGTH` characters.
    """
    composed = unicodedata.normalize("NFC", typed)
    kept = "".join(
        " " if char.isspace() else char
        for char in composed
        if char.isspace() or char in _JOINERS or not unicodedata.category(char).startswith("C")
    )
    words = (word.strip(_JOINERS) for word in kept.split())
    name = " ".join(word for word in words if word)
    # Letters, numbers, punctuation and symbols can be seen; marks, joiners and blanks alone cannot.
    if not any(unicodedata.category(char)[0] in "LNPS" and char not in _BLANKS for char in name):
        raise Refused(Refusal.NAME_EMPTY)
    if len(name) > NAME_LENGTH:
        raise Refused(Refusal.NAME_TOO_LONG)
    return name


_SOUNDS = dict(
    zip(
        "абвгдежзиклмнопрстуфхцчшщъыьэюяєіґ",
        "a b v g d e zh z i k l m n o p r s t u f kh ts ch sh shch - y - e yu ya e i g".replace("-", "").split(" "),
        strict=True,
    )
)
"""Cyrillic letters by their sound in Latin, without their marks: й is и then, and ё is е."""

_LOOKS = dict(zip("авекмнорстухіѕј", "abekmhopctyxisj", strict=True))
"""Cyrillic letters that look like Latin ones, as capitals at least."""


def _same_name_keys(name: str) -> set[str]:
    """Return what two names have in common that people would take for the same, by eye or by ear.

    Zoë and Zoe, Anna and Анна: called aloud, each would answer for the other.
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(char for char in folded if char not in _UNSEEN and unicodedata.category(char) != "Mn")
    bare = " ".join((seen or folded).split())
    return {"".join(table.get(char, char) for char in bare) for table in (_SOUNDS, _LOOKS)}


SIGNS = ("star", "moon", "sun", "key", "bell", "leaf", "anchor", "cup", "fish", "boat", "hat", "tree")
"""What people know themselves by on a screen across the room: more than fit at a table, so that all have a choice."""


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody at the table.

    Attributes:
        id: who it is, whatever seat they move to; never used twice on one box's evening.
        name: unique at the table, by eye and by ear.
        claim: the hash of the phone's secret; empty for a player who shares a phone.
        language: what the phone shows; empty for the table's.
        shares: the id of the player whose phone serves this player too.
        former_claims: of the phones that had this seat before.
        sign: one of `SIGNS`, which nobody else at the table has; empty for whoever sat down before there were signs.
        spoken: the name as the voice reads it, where its owner has spelled it; empty for as it is written.
    """

    id: int
    name: str
    claim: str = field(default="", repr=False)
    language: str = ""
    shares: int | None = None
    former_claims: tuple[str, ...] = field(default=(), repr=False)
    sign: str = ""
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class Seating:
    """The people around the table, clockwise.

    Attributes:
        players: seat 1 first.
        language: what the box speaks.
        next_id: the id of whoever sits down next.
    """

    players: tuple[Player, ...] = ()
    language: str = "en"
    next_id: int = 1

    def names(self, seats: int) -> tuple[str | None, ...]:
        """Return the name at each of the first `seats` seats; None where nobody told the box."""
        known = [player.name for player in self.players[:seats]]
        return (*known, *[None] * (seats - len(known)))

    def seat_of(self, player_id: int) -> int | None:
        """Return the seat of a player, or None when they are not at the table."""
        return next((seat for seat, player in enumerate(self.players, 1) if player.id == player_id), None)

    def player_at(self, seat: int) -> Player | None:
        """Return who sits at a seat, as far as the box knows."""
        return self.players[seat - 1] if 1 <= seat <= len(self.players) else None

    def claimed_by(self, claim: str) -> Player | None:
        """Return the player whose phone has this claim."""
        return next((player for player in self.players if claim and player.claim == claim), None)

    def by_id(self, player_id: int) -> Player:
        """Return a player.

        Raises:
            Refused: nobody of that id is at the table.
        """
        found = next((player for player in self.players if player.id == player_id), None)
        if found is None:
            raise Refused(Refusal.NO_SUCH_SEAT)
        return found

    def free_name(self, typed: str, *, besides: int | None = None) -> str:
        """Return a tidy name that nobody else at the table has; `besides` is the id of whoever may keep theirs.

        Raises:
            Refused: it is empty, too long or taken.
        """
        name = tidy_name(typed)
        keys = _same_name_keys(name)
        if any(_same_name_keys(player.name) & keys for player in self.players if player.id != besides):
            raise Refused(Refusal.NAME_TAKEN)
        return name

    def free_sign(self, wanted: str = "") -> str:
        """Return the sign that is wanted where nobody has it, and another where somebody does."""
        taken = {player.sign for player in self.players}
        # Whoever sits down next gets the next one: what somebody left behind does not go to a stranger at once.
        start = self.next_id - 1
        following = (SIGNS[(start + step) % len(SIGNS)] for step in range(len(SIGNS)))
        return next(sign for sign in (wanted, *following) if sign in SIGNS and sign not in taken)

    def require_room(self) -> None:
        """Refuse an eleventh player.

        Raises:
            Refused: the table is full.
        """
        if len(self.players) >= boards.PLAYER_COUNTS[-1]:
            raise Refused(Refusal.TABLE_FULL)

    def with_player(self, player: Player) -> Seating:
        """Return the seating with somebody added after the last seat."""
        return replace(self, players=(*self.players, player), next_id=max(self.next_id, player.id + 1))

    def without(self, player_id: int) -> Seating:
        """Return the seating without a player, nor those who share that player's phone; the others close up."""
        return replace(self, players=tuple(each for each in self.players if player_id not in (each.id, each.shares)))

    def without_absent(self, player_ids: Iterable[int]) -> Seating:
        """Return the seating without players who went home; whoever shared their phone stays, and needs another."""
        gone = set(player_ids)
        staying = (each for each in self.players if each.id not in gone)
        return replace(
            self, players=tuple(replace(each, shares=None) if each.shares in gone else each for each in staying)
        )

    def changed(self, player: Player) -> Seating:
        """Return the seating with a player's data replaced."""
        return replace(self, players=tuple(player if each.id == player.id else each for each in self.players))

    def moved(self, player_id: int, seat: int) -> Seating:
        """Return the seating with a player at another seat, everybody else in their order."""
        player = self.by_id(player_id)
        others = [each for each in self.players if each.id != player_id]
        others.insert(seat - 1, player)
        return replace(self, players=tuple(others))
