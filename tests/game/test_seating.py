"""Names and seats: who may sit where, and when two names are one."""

from __future__ import annotations

import pytest

from companion.game.refusals import Refusal, Refused
from companion.game.seating import NAME_LENGTH, Player, Seating, tidy_name


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Anna", "Anna"),
        ("  Anna \t Maria\n", "Anna Maria"),
        ("Zażółć", "Zażółć"),
        ("Zaz\u0307o\u0301łc\u0301", "Zażółć"),
        ("Анна", "Анна"),
        ("أحمد", "أحمد"),
        ("דנה", "דנה"),
        ("李小龙", "李小龙"),
        ("🦊", "🦊"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("نیلوفر\u200cها", "نیلوفر\u200cها"),
        ("1", "1"),
        ("<b>Bo</b>", "<b>Bo</b>"),
        ("An\x00na\x07", "Anna"),
        ("An\u200bna\u00ad", "Anna"),
        ("\u202eannA\u202c", "annA"),
        ("\u2066Bo\u2069\u200f", "Bo"),
        ("\u200d Bo \u200d", "Bo"),
        ("Bo \u200c Li", "Bo Li"),
        ("Bo\u3000Li\u00a0Ann", "Bo Li Ann"),
        ("Bo\ud800", "Bo"),
        ("x" * NAME_LENGTH, "x" * NAME_LENGTH),
    ],
)
def test_a_name_is_shown_as_a_person_means_it(typed: str, shown: str) -> None:
    """Every script and emoji is kept; spaces are trimmed; what is not seen or turns the text around is left out."""
    assert tidy_name(typed) == shown
    assert tidy_name(shown) == shown


@pytest.mark.parametrize(
    "typed",
    [
        "", "   ", "\n\t", "\x00\x01", "\u200b\u200d\u200c", "\u202e\u202c", "\u0301\u0301", "\u3164", "\u2800\u2800",
        "\u115f\u1160", "\ufe0f",
    ],
)  # fmt: skip
def test_a_name_that_nobody_can_see_is_no_name(typed: str) -> None:
    """Nothing, spaces, marks alone, controls and blanks are refused as an empty name."""
    with pytest.raises(Refused) as refused:
        tidy_name(typed)
    assert refused.value.refusal is Refusal.NAME_EMPTY


@pytest.mark.parametrize("typed", ["x" * (NAME_LENGTH + 1), "x" * 200, "🦊" * 200, "e\u0301" * 25])
def test_a_name_too_long_for_a_small_phone_is_refused(typed: str) -> None:
    """More than the longest name is refused, counted in characters as they are shown."""
    with pytest.raises(Refused) as refused:
        tidy_name(typed)
    assert refused.value.refusal is Refusal.NAME_TOO_LONG


@pytest.mark.parametrize(
    ("there", "typed"),
    [
        ("Anna", "Anna"),
        ("Anna", "ANNA"),
        ("Anna", "  anna  "),
        ("Anna", "Ａｎｎａ"),
        ("Anna", "An\u200dna"),
        ("Anna", "Anna\ufe0f"),
        ("Anna Maria", "anna   maria"),
        ("Strauß", "STRAUSS"),
        ("Zażółć", "ZAZ\u0307O\u0301ŁC\u0301"),
        ("ﬁona", "fiona"),
        ("ДИМА", "дима"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("Bo Li", "Bo \u200d Li"),
        ("José", "Jose"),
        ("Anna", "Анна"),
        ("Борис", "Boris"),
        ("Артём", "Артем"),
        ("Тим", "TИM"),
    ],
)
def test_names_that_people_take_for_the_same_are_the_same(there: str, typed: str) -> None:
    """Case, width, composition, spaces and unseen marks do not make another name (Mafia-Hands/Mafia 322).

    Neither do marks and another script, where both names are called the same, or look the same.
    """
    seating = Seating((Player(1, tidy_name(there)),), next_id=2)
    with pytest.raises(Refused) as refused:
        seating.free_name(typed)
    assert refused.value.refusal is Refusal.NAME_TAKEN
    assert seating.free_name(typed, besides=1) == tidy_name(typed)


@pytest.mark.parametrize(("there", "typed"), [("Anna", "Anne"), ("Anna", "Anna2"), ("Ania", "Аня")])
def test_names_that_people_tell_apart_are_different(there: str, typed: str) -> None:
    """Other letters and sounds make another name."""
    assert Seating((Player(1, there),), next_id=2).free_name(typed) == typed


FOUR = Seating(tuple(Player(number, name, f"claim {number}") for number, name in enumerate("ABCD", 1)), next_id=5)


@pytest.mark.parametrize(
    ("player", "seat", "order"),
    [(1, 1, "ABCD"), (1, 4, "BCDA"), (4, 1, "DABC"), (2, 3, "ACBD"), (3, 2, "ACBD")],
)
def test_a_player_who_moves_has_the_seat_named_and_the_others_keep_their_order(
    player: int, seat: int, order: str
) -> None:
    """The others close up around whoever moves."""
    moved = FOUR.moved(player, seat)
    assert "".join(name or "?" for name in moved.names(4)) == order
    assert moved.seat_of(player) == seat


def test_whoever_shares_a_phone_leaves_with_its_owner() -> None:
    """Removing the owner of a phone removes those who share it; removing a sharer removes nobody else."""
    shared = FOUR.with_player(Player(5, "E", shares=2))
    assert shared.without(2).names(3) == ("A", "C", "D")
    assert shared.without(5).names(4) == ("A", "B", "C", "D")


def test_an_id_is_never_used_twice() -> None:
    """Whoever comes after somebody left gets a new id."""
    assert FOUR.without(4).next_id == 5


def test_a_claim_finds_its_player_and_nothing_finds_nobody() -> None:
    """A phone's claim finds its player; an empty claim finds nobody, though sharers have one."""
    shared = FOUR.with_player(Player(5, "E", shares=2))
    found = shared.claimed_by("claim 3")
    assert found is not None
    assert found.name == "C"
    assert shared.claimed_by("") is None
    assert shared.claimed_by("claim 9") is None


def test_seats_without_a_name_are_shown_without_one() -> None:
    """Where nobody told the box, a seat has no name."""
    assert FOUR.names(6) == ("A", "B", "C", "D", None, None)
    assert FOUR.player_at(5) is None
    assert FOUR.player_at(0) is None
    assert FOUR.seat_of(9) is None


def test_a_claim_is_never_shown() -> None:
    """What proves that a phone owns a seat is in no `repr`."""
    assert "claim" not in repr(FOUR)
