"""People who go home in the middle of a game, phones that die, and games that nobody finishes."""

from __future__ import annotations

import random

import pytest

from companion.game import boards, commands, events, rules, views
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Party, Phase, PresidentialPower
from companion.journal import codec
from tests.game.test_evening import Box


def playing(seats: int = 7, first: int = 1) -> Box:
    """Return a game with dealt roles at its first election."""
    box = Box(seats)
    box.deal()
    box.begin(first)
    return box


def leave(box: Box, seat: int, *, absent: bool = True) -> None:
    """Let somebody go home, or come back."""
    player = box.evening.seating.player_at(seat)
    assert player is not None
    box.report(commands.MarkAbsent(player.id, absent))


def test_the_presidency_passes_over_whoever_is_absent() -> None:
    """A candidate who leaves is followed by the next, the tracker stays, and the round goes on without them."""
    box = playing(7, first=3)
    leave(box, 3)
    assert (box.evening.game.president, box.evening.game.election_tracker) == (4, 0)
    leave(box, 5)
    box.report(commands.Vote(elected=False))
    assert box.evening.game.president == 6
    for _ in range(3):
        box.report(commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    # 6, 7, 1, and back past the two who left.
    assert box.evening.game.president == 2
    box.report(commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    assert box.evening.game.president == 4
    assert (box.replayed().game, box.replayed().seating) == (box.evening.game, box.evening.seating)


def test_whoever_is_absent_is_not_chosen() -> None:
    """Neither nominated nor the target of a power; a nominee who leaves is nominated no longer."""
    box = playing(7)
    box.report(commands.Nominate(2))
    leave(box, 2)
    game = box.evening.game
    assert game.chancellor is None
    assert 2 not in game.eligible_chancellors
    assert box.refusal(commands.Nominate(2)) is Refusal.PLAYER_IS_ABSENT
    for _ in range(2):
        box.report(commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST))
    assert box.evening.game.pending_power is PresidentialPower.INVESTIGATE_LOYALTY
    assert 2 not in box.evening.game.eligible_targets
    assert box.refusal(commands.UsePower(2)) is Refusal.PLAYER_IS_ABSENT


def test_term_limits_count_those_who_are_at_the_table() -> None:
    """With five at the table only the last Chancellor is limited, whether two were executed or went home."""
    box = playing(7)
    box.report(commands.Nominate(2))
    box.report(commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    assert box.evening.game.term_limited == {1, 2}
    leave(box, 6)
    leave(box, 7)
    assert box.evening.game.term_limited == {2}


def test_a_government_in_office_is_finished() -> None:
    """Who leaves in office changes nothing until the session is over."""
    box = playing(5)
    box.report(commands.Vote(elected=True))
    leave(box, 1)
    assert (box.phase(), box.evening.game.president) == (Phase.LEGISLATIVE_SESSION, 1)
    box.report(commands.EnactPolicy(Party.LIBERAL))
    assert box.evening.game.president == 2


def test_who_comes_back_plays_again() -> None:
    """Their seat is in the round again, and undo takes a leave back like any report."""
    box = playing(5)
    leave(box, 2)
    leave(box, 2, absent=False)
    assert box.evening.game.absent == frozenset()
    box.report(commands.Vote(elected=False))
    assert box.evening.game.president == 2
    leave(box, 3)
    box.report(commands.TakeBack())
    assert box.evening.game.absent == frozenset()


def test_three_have_to_stay() -> None:
    """A candidate, somebody to nominate, and the last Chancellor; a power that is due needs somebody too."""
    box = playing(5)
    leave(box, 4)
    leave(box, 5)
    player = box.evening.seating.player_at(3)
    assert player is not None
    assert box.refusal(commands.MarkAbsent(player.id)) is Refusal.TOO_FEW_LEFT
    assert not rules.can_leave(box.evening.game, 3)


def test_leaving_is_for_a_game_that_is_played() -> None:
    """Before and after it people are taken from the table; the dead and unknown seats cannot leave."""
    box = Box(5)
    assert box.refusal(commands.MarkAbsent(1)) is Refusal.NOT_NOW
    box.deal()
    assert box.refusal(commands.MarkAbsent(1)) is Refusal.NOT_NOW
    box.begin()
    assert box.refusal(commands.MarkAbsent(99)) is Refusal.NO_SUCH_SEAT
    assert box.report(commands.MarkAbsent(1, absent=False)) == ()
    with pytest.raises(Refused):
        rules.absence(box.evening.game, 6, absent=True)


def test_the_next_table_is_laid_without_those_who_went_home() -> None:
    """Also deal and seats; who shared their phone stays at the table and needs another."""
    box = Box(6)
    box.report(commands.AddSharedSeat("Kid", 2))
    box.deal()
    box.begin()
    leave(box, 2)
    box.play_out()
    box.report(commands.OpenLobby())
    assert [player.name for player in box.evening.seating.players] == ["Ann", "Cy", "Di", "Ed", "Flo", "Kid"]
    kid = box.evening.seating.players[-1]
    assert (kid.shares, kid.claim) == (None, "")
    assert box.evening.game.players == 6
    assert (box.replayed().game, box.replayed().seating) == (box.evening.game, box.evening.seating)


def test_after_a_game_people_go_home_before_the_next_deal() -> None:
    """Also the executed, and however few are left: the next table is laid for those who stay."""
    box = playing(6)
    box.play_out()
    for seat in (1, 4):
        leave(box, seat)
    assert [player.name for player in box.evening.staying.players] == ["Bo", "Cy", "Ed", "Flo"]
    leave(box, 4, absent=False)
    box.report(commands.OpenLobby(), commands.DealRoles(boards.roles(5)))
    assert box.evening.game.players == 5
    assert box.evening.game.absent == frozenset()


@pytest.mark.parametrize("seed", range(20))
def test_random_games_with_people_who_come_and_go_end_and_replay(seed: int) -> None:
    """Whoever leaves and comes back, somebody can act, nobody absent is candidate, and the journal tells the same."""
    chance = random.Random(seed)  # noqa: S311 - a test, not a secret
    box = playing(chance.choice((5, 6, 7, 8, 9, 10)))
    while box.phase() is not Phase.GAME_OVER:
        game = box.evening.game
        if chance.random() < 0.3:
            seat = chance.choice(game.seats)
            player = box.evening.seating.player_at(seat)
            assert player is not None
            if seat in game.absent:
                leave(box, seat, absent=False)
            elif rules.can_leave(game, seat):
                leave(box, seat)
            continue
        able = [each for each in rules.legal(game) if not isinstance(each, commands.Nominate)]
        assert able, game.phase
        box.report(chance.choice(able))
        game = box.evening.game
        if game.phase is Phase.ELECTION:
            assert game.president not in game.absent
            assert game.eligible_chancellors
    assert (box.replayed().game, box.replayed().seating) == (box.evening.game, box.evening.seating)


@pytest.mark.parametrize("policies", [0, 3])
def test_a_game_is_broken_off_on_the_second_word(policies: int) -> None:
    """Asked once it is refused with what it means; confirmed, it ends without a winner and every role is open."""
    box = playing(7)
    for _ in range(policies):
        box.report(commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    before = box.evening.game
    assert box.refusal(commands.BreakOff()) is Refusal.CONFIRM_BREAKING_OFF
    entry = box.report(commands.BreakOff(confirmed=True))
    game = box.evening.game
    assert (game.phase, game.winner, game.reason) == (Phase.GAME_OVER, None, None)
    assert views.revealed_roles(game) == before.roles
    assert views.answers_from_roles(before, entry)
    assert box.evening.joining
    box.report(commands.TakeBack())
    assert box.evening.game == before


def test_only_a_game_is_broken_off() -> None:
    """Nothing to break off in the lobby, in the night, nor after a game."""
    box = Box(5)
    assert box.refusal(commands.BreakOff(confirmed=True)) is Refusal.NOT_NOW
    box.deal()
    box.report(commands.BeginNight(regardless=True))
    assert box.refusal(commands.BreakOff(confirmed=True)) is Refusal.NOT_NOW
    box.report(commands.EndNight())
    box.report(commands.BeginGame(1))
    box.play_out()
    assert box.refusal(commands.BreakOff(confirmed=True)) is Refusal.NOT_NOW


def test_a_friends_phone_serves_whose_own_has_died() -> None:
    """The dead phone's secret ends, those who shared it move along, and its owner may still ask for the seat."""
    box = Box(6)
    box.report(commands.AddSharedSeat("Kid", 2))
    box.deal()
    box.begin()
    box.report(commands.ShareSeat(2, 4))
    seating = box.evening.seating
    assert seating.claimed_by("claim of Bo") is None
    assert [player.shares for player in seating.players] == [None, 4, None, None, None, None, 4]
    assert seating.by_id(2).former_claims == ("claim of Bo",)
    assert box.report(commands.ShareSeat(2, 4)) == ()
    # A phone is shared with its owner, and with nobody whose cards it shows.
    box.report(commands.ShareSeat(3, 2))
    assert box.evening.seating.by_id(3).shares == 4
    assert box.refusal(commands.ShareSeat(4, 3)) is Refusal.ALREADY_SEATED
    box.report(commands.HandOverSeat(2, "new claim"))
    assert box.evening.seating.by_id(2).shares is None
    assert (box.replayed().game, box.replayed().seating) == (box.evening.game, box.evening.seating)


@pytest.mark.parametrize(
    "event",
    [events.PlayerAbsent(3), events.PlayerPresent(3), events.GameBrokenOff(), events.SeatShared(2, 4)],
)
def test_the_journal_keeps_them(event: events.Event) -> None:
    """What is written is read again."""
    assert codec.from_plain(codec.to_plain(event)) == event
