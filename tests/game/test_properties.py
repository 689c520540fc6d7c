"""What holds in every game that can be played, whoever plays it and however badly."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.game import boards, commands, evening, events, rules, views
from companion.game.refusals import Refused
from companion.game.state import changed
from companion.game.vocabulary import Party, Phase, PresidentialPower, Role
from companion.journal import codec
from tests import notation
from tests.support_game import PRINTED, conceivable, conceivable_deals, dealt

if TYPE_CHECKING:
    from companion.game.commands import Command, GameCommand
    from companion.game.evening import Entry, Evening
    from companion.game.state import Game

BEFORE_THE_GAME = {Phase.LOBBY, Phase.DEAL, Phase.NIGHT, Phase.ASK}
NO_POWER_EVENTS = (events.LoyaltyInvestigated, events.SpecialElectionCalled, events.PoliciesPeeked)
ROUND_STEPS = 8
"""Commands from one presidency to the next at most: vote, answer, veto, refusal, policy, power, answer; one spare."""


def accepted(game: Game, command: GameCommand) -> bool:
    """Whether `decide` accepts a command."""
    try:
        rules.decide(game, command)
    except Refused:
        return False
    return True


def seated(players: int, rulebook: str) -> tuple[Evening, Entry]:
    """Return an evening whose lobby has every seat taken, and the entry that opens it."""
    opened, first = evening.opened(players, PRINTED[rulebook])
    seating = opened.seating
    for number in range(1, players + 1):
        entry = evening.decide(opened, [commands.TakeSeat(f"Player {number}", f"claim {number}")])
        opened = evening.evolve(opened, entry)
        seating = opened.seating
    return evening.opened(players, first[0].rules, seating)  # type: ignore[union-attr]


def whole(memory: Evening) -> list[object]:
    """Return everything an evening holds, the way to it included, for comparison."""
    held: list[object] = [memory.seating]
    step: evening.Step | None = memory.step
    while step is not None:
        held += [step.game, step.report]
        step = step.before
    return held


class AnyGame(RuleBasedStateMachine):
    """One table, whose people do anything that is possible; and the same table with another deal of roles."""

    @initialize(
        players=st.sampled_from(boards.PLAYER_COUNTS),
        rulebook=st.sampled_from(sorted(PRINTED)),
        with_cards=st.booleans(),
        dealing=st.randoms(use_true_random=False),
        tops=st.none() | st.tuples(st.integers(0, boards.LIBERAL_SLOTS - 1), st.integers(0, boards.FASCIST_SLOTS - 1)),
    )
    def sit_down(
        self, players: int, rulebook: str, with_cards: bool, dealing: object, tops: tuple[int, int] | None
    ) -> None:
        """Begin in the lobby, or after so much chaos that the powers, the danger zone or the veto are near."""
        self.live, first = seated(players, rulebook)
        self.entries: list[Entry] = [first]
        self.chain = [self.live.game]
        self.twin: Evening | None = None if with_cards else self.live
        if with_cards:
            self.do(commands.BeginNight())
        else:
            hand = list(boards.roles(players))
            dealing.shuffle(hand)  # type: ignore[attr-defined]
            roles = tuple(hand)
            dealing.shuffle(hand)  # type: ignore[attr-defined]
            self.do(commands.DealRoles(roles), commands.DealRoles(tuple(hand)))
        if tops is None:
            return
        if not with_cards:
            self.do(commands.BeginNight(regardless=True))
        self.do(commands.EndNight())
        self.do(commands.BeginGame(players))
        for policy in (Party.LIBERAL,) * tops[0] + (Party.FASCIST,) * tops[1]:
            for _ in range(boards.TRACKER_SLOTS):
                self.do(commands.Vote(elected=False))
            self.do(commands.EnactPolicy(policy))

    def do(self, command: Command, twin_does: Command | None = None) -> Entry:
        """Report a command, at the twin table too, and check what came of it against a model of the past."""
        entry = evening.decide(self.live, [command])
        self.entries.append(entry)
        if self.twin is not None:
            self.do_alike(command, twin_does, entry)
        self.live = evening.evolve(self.live, entry)
        if entry == (events.ReportTakenBack(),):
            self.chain.pop()
            assert self.live.game == self.chain[-1]
        elif any(not isinstance(event, (events.PlayersSet, events.RoleSeen)) for event in entry):
            self.chain.append(self.live.game)
        else:
            self.chain[-1] = self.live.game
        return entry

    def do_alike(self, command: Command, twin_does: Command | None, entry: Entry) -> None:
        assert self.twin is not None
        game = self.live.game
        other = evening.decide(self.twin, [twin_does or command])
        self.twin = evening.evolve(self.twin, other)
        if repr(other) != repr(entry):
            # Only the Hitler question may tell the tables apart.
            executing = game.pending_power is PresidentialPower.EXECUTION
            assert isinstance(command, commands.UsePower if executing else commands.Vote)
            assert executing or (game.danger_zone and game.chancellor is not None)
            self.twin = None

    @precondition(lambda self: self.live.game.phase is not Phase.GAME_OVER)
    @rule(data=st.data())
    def anything_possible(self, data: st.DataObject) -> None:
        possible: dict[type, list[GameCommand]] = {}
        for command in rules.legal(self.live.game):
            if not isinstance(command, (commands.SetPlayers, commands.DealRoles)):
                possible.setdefault(type(command), []).append(command)
        # First what is done, then with whom: seats are many and would crowd out the rest.
        kind = data.draw(st.sampled_from(sorted(possible, key=lambda kind: kind.__name__)))
        before = self.live.game
        entry = self.do(data.draw(st.sampled_from(possible[kind])))
        self.chaos_gave_no_power(before, entry)
        self.the_same_again_is_the_same(entry)

    def chaos_gave_no_power(self, before: Game, entry: Entry) -> None:
        if before.phase is Phase.CHAOS:
            assert self.live.game.pending_power is None
            assert self.live.game.phase in (Phase.ELECTION, Phase.GAME_OVER)
            assert self.live.game.last_president is None
            assert self.live.game.last_chancellor is None
            assert self.live.game.fascist_policies + self.live.game.liberal_policies == (
                before.fascist_policies + before.liberal_policies + 1
            )
        if any(isinstance(event, NO_POWER_EVENTS) for event in entry):
            assert before.phase is Phase.EXECUTIVE_ACTION

    def the_same_again_is_the_same(self, entry: Entry) -> None:
        """Taking back and doing the same again, or putting it back, changes nothing."""
        if not self.live.step.report or self.live.step.report != entry:
            return
        taken_back = evening.evolve(self.live, evening.decide(self.live, [commands.TakeBack(confirmed=True)]))
        assert whole(evening.evolve(taken_back, entry)) == whole(self.live)
        redone = evening.evolve(taken_back, evening.decide(taken_back, [commands.Redo()]))
        assert whole(redone) == whole(self.live)

    @precondition(lambda self: len(self.chain) > 1)
    @rule(often=st.integers(1, 12), sure=st.integers(0, 3))
    def take_back(self, often: int, sure: int) -> None:
        """Take some back; not each time, or no game would come to its end."""
        for _ in range(min(often, len(self.chain) - 1) if sure == 0 else 0):
            self.do(commands.TakeBack(confirmed=True))

    @invariant()
    def the_cards_are_seventeen(self) -> None:
        game = self.live.game
        enacted = game.liberal_policies + game.fascist_policies
        assert game.draw_pile + game.discard_pile + enacted == boards.POLICY_CARDS
        assert game.phase is Phase.GAME_OVER or game.draw_pile >= boards.SESSION_CARDS

    @invariant()
    def three_failures_are_chaos(self) -> None:
        game = self.live.game
        assert 0 <= game.election_tracker <= 3
        assert (game.election_tracker == 3) is (game.phase is Phase.CHAOS)

    @invariant()
    def the_president_lives(self) -> None:
        game = self.live.game
        assert (game.president in game.alive) is (game.phase not in BEFORE_THE_GAME)

    @invariant()
    def a_candidate_can_nominate_somebody(self) -> None:
        game = self.live.game
        assert bool(game.eligible_chancellors) is (game.phase is Phase.ELECTION)
        assert game.president not in game.eligible_chancellors

    @invariant()
    def what_is_listed_is_what_is_accepted(self) -> None:
        game = self.live.game
        legal = rules.legal(game)
        assert len(set(legal)) == len(legal)
        assert bool(legal) is (game.phase is not Phase.GAME_OVER)
        tried = set(conceivable(game.players))
        for command in tried:
            assert accepted(game, command) is (command in legal), command
        assert {each for each in legal if not isinstance(each, commands.DealRoles)} <= tried
        deals = [command for command in conceivable_deals(game.players) if accepted(game, command)]
        assert set(deals) <= set(legal)
        assert bool(deals) is any(isinstance(each, commands.DealRoles) for each in legal)

    @invariant()
    def the_public_hears_nothing_of_the_deal(self) -> None:
        if self.twin is None:
            return
        assert views.public_view(self.twin.game) == views.public_view(self.live.game)
        assert notation.to_line(self.twin.game) == notation.to_line(self.live.game)
        assert repr(self.twin) == repr(self.live)

    @invariant()
    def a_line_tells_the_whole_public_state(self) -> None:
        game = self.live.game
        read = notation.from_line(notation.to_line(game))
        assert read == changed(game, roles=None)
        assert views.public_view(read) == views.public_view(game)

    def teardown(self) -> None:
        if not hasattr(self, "entries"):
            return
        plain = json.loads(json.dumps([[codec.to_plain(event) for event in entry] for entry in self.entries]))
        first, *others = (tuple(map(codec.from_plain, entry)) for entry in plain)
        assert whole(evening.replay(first, *others)) == whole(self.live)


AnyGame.TestCase.settings = settings(max_examples=120, stateful_step_count=50, deadline=None)


class TestAnyGame(AnyGame.TestCase):  # type: ignore[misc, valid-type]
    """In every reachable game the invariants above hold, and its journal replays to the same evening."""


# --- single facts ----------------------------------------------------------------------------------------------------

any_deal = st.sampled_from(boards.PLAYER_COUNTS).flatmap(lambda players: st.permutations(boards.roles(players)))


def answer_truly(game: Game, roles: tuple[Role, ...]) -> Game:
    """Return the game after the table has answered the Hitler question, if it is asked."""
    if game.phase is not Phase.HITLER_CHECK or game.asked is None:
        return game
    return rules.replay(game, rules.decide(game, commands.Answer(roles[game.asked - 1] is Role.HITLER)))


@given(roles=any_deal, data=st.data())
@settings(deadline=None)
def test_a_box_that_dealt_the_roles_knows_what_the_table_would_answer(roles: list[Role], data: st.DataObject) -> None:
    """A game with dealt roles goes like one with real cards in which every Hitler question is answered truly."""
    deal = tuple(roles)
    box, table = dealt(deal), rules.begun(len(deal))
    for _ in range(60):
        legal = rules.legal(box)
        if not legal:
            break
        command = data.draw(st.sampled_from(legal))
        if isinstance(command, commands.Vote) and box.chancellor is None:
            command = commands.Nominate(data.draw(st.sampled_from(box.eligible_chancellors)))
        box = rules.replay(box, rules.decide(box, command))
        table = answer_truly(rules.replay(table, rules.decide(table, command)), deal)
        assert changed(box, roles=None) == table


@given(
    players=st.sampled_from(boards.PLAYER_COUNTS),
    rulebook=st.sampled_from(["retail", "it", "nb"]),
    chance=st.randoms(use_true_random=False),
)
@settings(deadline=None, max_examples=150)
def test_every_game_ends(players: int, rulebook: str, chance: object) -> None:
    """Ten policies end no game and the eleventh does; before each there are at most three presidencies.

    The Portuguese print is left out: a tracker that every elected government resets lets a table veto for ever.
    """
    game = rules.begun(players, 1, PRINTED[rulebook])
    for _ in range((boards.LIBERAL_SLOTS + boards.FASCIST_SLOTS - 1) * 3 * ROUND_STEPS):
        legal = [command for command in rules.legal(game) if not isinstance(command, commands.Nominate)]
        if not legal:
            break
        game = rules.replay(game, rules.decide(game, chance.choice(legal)))  # type: ignore[attr-defined]
    assert game.phase is Phase.GAME_OVER
    assert game.winner is not None


@pytest.mark.parametrize("rulebook", sorted(PRINTED))
def test_all_that_is_listed_and_nothing_else_is_accepted_to_the_end(rulebook: str) -> None:
    """In every position of whole games, with dealt roles or cards, `decide` accepts exactly what `legal` lists."""
    chance = random.Random(rulebook)  # noqa: S311 - a test's game is no secret
    for number in range(36):
        players = boards.PLAYER_COUNTS[number % 6]
        hand = list(boards.roles(players))
        chance.shuffle(hand)
        game = dealt(tuple(hand), 1, PRINTED[rulebook]) if number % 2 else rules.begun(players, 1, PRINTED[rulebook])
        while legal := rules.legal(game):
            assert {command for command in conceivable(players) if accepted(game, command)} == set(legal)
            weights = [0.2 if isinstance(command, commands.Nominate) else 1.0 for command in legal]
            game = rules.replay(game, rules.decide(game, chance.choices(legal, weights)[0]))
        assert not [command for command in conceivable(players) if accepted(game, command)]


@given(first=any_deal, data=st.data())
def test_a_membership_card_never_tells_hitler_from_a_fascist(first: list[Role], data: st.DataObject) -> None:
    """What an investigator learns is the party, the same for Hitler as for a Fascist."""
    players = len(first)
    if players < 7:
        return
    target = data.draw(st.sampled_from(range(2, players + 1)))
    game = changed(dealt(tuple(first)), fascist_policies=2, draw_pile=15, phase=Phase.EXECUTIVE_ACTION)
    game = changed(game, pending_power=PresidentialPower.INVESTIGATE_LOYALTY)
    seen = rules.replay(game, rules.decide(game, commands.UsePower(target)))
    own = views.secret_view(seen, 1)
    assert own is not None
    assert own.investigations == ((target, first[target - 1].party),)
    assert all(views.secret_view(seen, seat).investigations == () for seat in range(2, players + 1))  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", get_args(events.Event), ids=lambda kind: kind.__name__)
def test_every_kind_of_event_survives_the_journal(kind: type) -> None:
    """An event written as JSON and read again is the same event, whatever it holds."""

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(event=st.from_type(kind))
    def check(event: events.Event) -> None:
        assert codec.from_plain(json.loads(json.dumps(codec.to_plain(event)))) == event

    check()


@given(text=st.text(st.sampled_from("playersh=0123456789,>/ electionchaosvetodrawpower_²\n"), max_size=80))
def test_any_text_is_a_game_or_is_refused_with_its_key(text: str) -> None:
    """The notation reads a line or refuses it by name; nothing else comes of any text."""
    try:
        game = notation.from_line(text)
    except notation.NotationError as error:
        said = str(error)
    else:
        said = f"game: {notation.to_line(game)}"
        assert notation.from_line(notation.to_line(game)) == game
    assert ": " in said
