"""The one-line notation: what it reads, and how it says what is wrong."""

from __future__ import annotations

import pytest

from companion.game import boards, rules
from companion.game.editions import RETAIL
from companion.game.state import Game
from companion.game.vocabulary import Phase
from tests import notation
from tests.support_game import PRINTED, dealt


def test_a_line_reads_like_a_person_would_say_it() -> None:
    """Seats, boards, piles and offices are written out, and what is as at the start is left out."""
    assert notation.to_line(rules.begun(7, 4)) == (
        "players=7 phase=election liberal=0/5 fascist=0/6 tracker=0/3 draw=17 discard=0 president=4"
    )


def test_what_is_left_out_is_as_at_the_start() -> None:
    """An empty line is a lobby for five; piles left out hold what is not enacted."""
    assert notation.from_line("") == Game()
    game = notation.from_line("phase=election president=2 liberal=1 fascist=2 discard=6")
    assert (game.draw_pile, game.discard_pile, game.turn) == (8, 6, 2)
    assert notation.from_line("phase=election president=2 fascist=2 draw=9").discard_pile == 6


def test_facts_may_stand_in_any_order() -> None:
    """The order of the facts, and the space between them, say nothing."""
    line = notation.to_line(rules.begun(9, 2))
    assert notation.from_line("   ".join(reversed(line.split())) + "\n") == notation.from_line(line)


@pytest.mark.parametrize("rulebook", sorted(PRINTED))
def test_a_line_names_the_points_in_which_a_rulebook_departs(rulebook: str) -> None:
    """The rules that are played are in the line, as far as they are not the retail rules."""
    line = notation.to_line(rules.begun(6, 1, PRINTED[rulebook]))
    assert notation.from_line(line).rules == PRINTED[rulebook]
    assert (line == notation.to_line(rules.begun(6, 1, RETAIL))) is (rulebook == "retail")


def test_roles_are_never_in_a_line() -> None:
    """A game with dealt roles and one with real cards are written alike."""
    assert notation.to_line(dealt(boards.roles(8))) == notation.to_line(rules.begun(8))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plyers=7", "plyers: no such fact; did you mean players?"),
        ("roles=hitler", "roles: no such fact"),
        ("players", "players: has no value"),
        ("players=", "players: has no value"),
        ("players=7 players=8", "players: is given twice"),
        ("players=4", "players: 4 is not a number from 5 to 10"),
        ("players=007", "players: 007 is not a number"),
        ("players=²", "players: \\xb2 is not a number"),
        ("players=-7", "players: -7 is not a number"),
        ("phase=bedtime", "phase: bedtime is not one of lobby, "),
        ("liberal=6", "liberal: 6 is not a number from 0 to 5"),
        ("liberal=2/6", "liberal: the board has 5 slots, not 6"),
        ("fascist=3/", "fascist: the board has 6 slots"),
        ("draw=18", "draw: 18 is not a number from 0 to 17"),
        ("draw=9 discard=9", "draw: 9 to draw and 9 discarded are not the 17 cards"),
        ("phase=election president=1 fascist=4 draw=10 discard=4", "draw: 10 to draw and 4 discarded are not the 13"),
        ("phase=election president=1 draw=2", "draw: with fewer than three"),
        ("phase=election", "president: a game that has begun"),
        ("phase=election president=6", "president: 6 is not a number from 1 to 5"),
        ("phase=election president=0", "president: 0 is not a number from 1 to 5"),
        ("phase=election president=1 chancellor=1", "chancellor: is the President"),
        ("phase=election president=1 tracker=3", "tracker: three failed elections"),
        ("phase=chaos president=1 tracker=2", "tracker: three failed elections"),
        ("phase=night president=1", "phase: in the night phase nothing"),
        ("fascist=1", "phase: in the lobby phase nothing"),
        ("players=7 phase=election president=1 turn=2 fascist=2", "turn: the board has given"),
        ("phase=election president=1 executed=1 fascist=4", "president: is executed"),
        ("phase=election president=1 chancellor=2 executed=2 fascist=4", "chancellor: is executed"),
        ("phase=election president=1 executed=2,2 fascist=5", "executed: names a seat twice"),
        ("phase=election president=1 executed=2,3 fascist=4", "executed: the board has given execution 1 times"),
        ("phase=election president=1 investigated=1>2 fascist=4", "investigated: the board has given"),
        ("players=9 phase=election president=1 investigated=1 fascist=1", "investigated: 1 does not say who saw"),
        ("players=9 phase=election president=1 investigated=1>2,3>2 fascist=2", "investigated: no player is"),
        ("players=9 phase=election president=1 investigated=2>2 fascist=2", "investigated: no President"),
        ("phase=executive_action president=1 fascist=3", "power: an executive action needs one"),
        (
            "phase=executive_action president=1 fascist=3 power=execution",
            "power: the last slot covered has policy_peek",
        ),
        ("phase=election president=1 fascist=3 power=policy_peek", "power: none is pending"),
        ("phase=hitler_check president=1 fascist=4 power=execution", "executed: nobody is"),
        ("phase=hitler_check president=1 fascist=2", "phase: no Chancellor is asked"),
        ("phase=veto president=1 fascist=4", "phase: the fifth Fascist policy"),
        ("phase=election president=1 fascist=5 veto=refused", "veto: can be refused only"),
        ("phase=legislative_session president=1 fascist=5 veto=yes", "veto: yes is not one of refused"),
        ("phase=game_over president=1", "reason: a game has one"),
        ("phase=election president=1 reason=liberal_policies", "reason: a game has one"),
        ("phase=election president=1 liberal=5", "reason: a full board"),
        ("phase=game_over president=1 fascist=5 reason=fascist_policies", "reason: a full board"),
        ("phase=game_over president=1 fascist=4 reason=hitler_executed", "reason: nobody is executed"),
        ("phase=game_over president=1 fascist=2 reason=hitler_chancellor", "reason: fewer than three"),
        ("term_limited=nobody", "term_limited: 'nobody' is not one of last_elected, last_enacted"),
        ("reshuffle_below=2", "reshuffle_below: 2 is not a number from 3 to 6"),
        ("election_resets_tracker=yes", "election_resets_tracker: 'yes' is not true or false"),
    ],
)
def test_a_line_that_is_no_game_is_refused_by_its_key(line: str, said: str) -> None:
    """The refusal begins with the key that is wrong and says why."""
    with pytest.raises(notation.NotationError) as refused:
        notation.from_line(line)
    assert str(refused.value).startswith(said)


def test_before_the_game_a_line_tells_who_has_looked() -> None:
    """The deal is public in who has looked at their role, and in nothing else."""
    game = notation.from_line("players=6 phase=deal looked=1,4")
    assert game.phase is Phase.DEAL
    assert game.looked == {1, 4}
    assert notation.to_line(game).endswith(" looked=1,4")
