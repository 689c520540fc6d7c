"""Made-up people at the table: simple, a little dishonest, and never wiser than a player in their seat.

Each decides by what `secret_view` shows to that seat and by what happened in front of everybody. The cards lie here
too, as they would lie on a real table, since the box knows policies only when they are enacted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from companion.game import boards, commands
from companion.game.views import SecretView, secret_view
from companion.game.vocabulary import Party, Phase, Policy, PresidentialPower, Role

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from companion.game.commands import GameCommand
    from companion.game.state import Game

_DOUBT = 1.6
"""How suspect a government may be, both together, before a Liberal says nein."""

_CERTAIN = 20.0

_OPENLY, _AMONG_FRIENDS, _SMEARS, _GOES_ALONG = 0.8, 0.35, 0.5, 0.45
_FEARS_CHAOS = 0.7
_INNOCENT = {Role.HITLER: 0.6, Role.FASCIST: 0.3}
"""How often a Fascist nominates Hitler in the danger zone, another friend, calls a Liberal a Fascist, votes for a
government of Liberals; how often a Liberal takes any government rather than chaos; and how often a Fascist enacts a
Liberal policy early on, to be trusted."""

_POLICIES = (Policy.LIBERAL,) * 6 + (Policy.FASCIST,) * 11


@dataclass(repr=False)
class _Mind:
    """What one player thinks of the others: above zero is suspicion, below zero trust."""

    seat: int
    view: SecretView
    suspicion: dict[int, float]

    @property
    def is_liberal(self) -> bool:
        return self.view.role is Role.LIBERAL

    @property
    def friends(self) -> tuple[int, ...]:
        """The fellow Fascists that this player knows."""
        return tuple(seat for seat, _ in self.view.allies)

    @property
    def hitler(self) -> int | None:
        """Who Hitler is, as far as this player knows."""
        if self.view.role is Role.HITLER:
            return self.seat
        return next((seat for seat, role in self.view.allies if role is Role.HITLER), None)


@dataclass
class Company:
    """The people around one table, and the policy cards before them.

    Attributes:
        chance: what decides where they would toss a coin.
    """

    chance: Random
    _minds: dict[int, _Mind] = field(default_factory=dict, repr=False)
    _pile: list[Policy] = field(default_factory=list, repr=False)
    _hand: list[Policy] = field(default_factory=list, repr=False)
    _before: Game | None = field(default=None, repr=False)

    def next(self, game: Game) -> GameCommand:
        """Return what the table does next, from the first election to the last press before the end.

        Args:
            game: as the box has it, roles and all; nobody looks further than their seat.

        Raises:
            ValueError: it is not the players' turn.
        """
        self._watch(game)
        match game.phase:
            case Phase.ELECTION if game.chancellor is None:
                return commands.Nominate(self._nominee(game))
            case Phase.ELECTION:
                return commands.Vote(self._is_elected(game))
            case Phase.LEGISLATIVE_SESSION:
                return self._session(game)
            case Phase.VETO:
                return commands.AnswerVeto(self._agrees(game))
            case Phase.CHAOS:
                self._lay_out(game)
                return commands.EnactPolicy(self._pile.pop(0))
            case Phase.EXECUTIVE_ACTION:
                return self._power(game)
        raise ValueError(f"nobody plays in the phase {game.phase}")

    # --- what everybody sees -----------------------------------------------------------------------------------------

    def _watch(self, game: Game) -> None:
        """Let everybody think about what has happened since they were last asked."""
        before = self._before
        if before is None:
            self._minds = {
                seat: _Mind(seat, view, dict.fromkeys(game.seats, 0.0))
                for seat in game.seats
                if (view := secret_view(game, seat)) is not None
            }
        elif before.phase is Phase.LEGISLATIVE_SESSION and game.fascist_policies > before.fascist_policies:
            self._think((before.president, 0.8), (before.chancellor, 1.2))
        elif before.phase is Phase.LEGISLATIVE_SESSION and game.liberal_policies > before.liberal_policies:
            self._think((before.president, -0.5), (before.chancellor, -0.9))
        if before is not None and len(game.investigations) > len(before.investigations):
            self._hear_claim(*game.investigations[-1])
        for mind in self._minds.values():
            # The role card stays what it was; what a President saw is new.
            mind.view = secret_view(game, mind.seat) or mind.view
            for seat, party in mind.view.investigations:
                mind.suspicion[seat] = _CERTAIN if party is Party.FASCIST else -_CERTAIN
        if game.phase not in (Phase.LEGISLATIVE_SESSION, Phase.VETO):
            self._hand = []
        self._before = game

    def _think(self, *about: tuple[int | None, float]) -> None:
        for mind in self._minds.values():
            for seat, weight in about:
                if seat is not None and seat != mind.seat:
                    mind.suspicion[seat] += weight * self.chance.uniform(0.6, 1.4)

    def _hear_claim(self, president: int, player: int) -> None:
        """Let the President say what the membership card showed; a Fascist covers friends, and now and then smears."""
        claimant = self._minds[president]
        party = self._minds[player].view.party
        if not claimant.is_liberal:
            smears = party is Party.LIBERAL and self._happens(_SMEARS)
            party = Party.FASCIST if smears else Party.LIBERAL
        for mind in self._minds.values():
            believed = 1.5 if mind.suspicion[president] < 1 else 0.3
            mind.suspicion[player] += believed if party is Party.FASCIST else -believed
            if mind.seat == player and party is not mind.view.party:
                # Whoever is called what they are not knows one liar.
                mind.suspicion[president] = _CERTAIN

    # --- elections ---------------------------------------------------------------------------------------------------

    def _nominee(self, game: Game) -> int:
        mind = self._minds[self._president(game)]
        eligible = game.eligible_chancellors
        if not mind.is_liberal:
            hitler = mind.hitler
            if game.danger_zone and hitler is not None and hitler in eligible and self._happens(_OPENLY):
                return hitler
            friends = [seat for seat in eligible if seat in mind.friends]
            if friends and self._happens(_AMONG_FRIENDS):
                return self.chance.choice(friends)
        return self._least_suspect(mind, eligible)

    def _is_elected(self, game: Game) -> bool:
        votes = [self._votes_ja(self._minds[seat], game) for seat in game.alive]
        return sum(votes) > len(votes) / 2

    def _votes_ja(self, mind: _Mind, game: Game) -> bool:
        government = (game.president, game.chancellor)
        if mind.seat in government:
            return True
        if not mind.is_liberal:
            if game.chancellor == mind.hitler and game.danger_zone:
                return True
            return bool(set(government) & set(mind.friends)) or self._happens(_GOES_ALONG)
        if game.election_tracker == boards.TRACKER_SLOTS - 1:
            # Chaos takes the top card, which is a Fascist one two times in three.
            return self._happens(_FEARS_CHAOS)
        doubt = sum(mind.suspicion[seat] for seat in government if seat is not None)
        if game.danger_zone and game.chancellor not in game.not_hitler:
            doubt += 0.7
        return doubt + self.chance.gauss(0, 0.5) < _DOUBT

    # --- legislative sessions ----------------------------------------------------------------------------------------

    def _session(self, game: Game) -> GameCommand:
        if not self._hand:
            self._draw(game)
        chancellor = self._minds[self._chancellor(game)]
        if game.can_propose_veto and self._wants_veto(chancellor):
            return commands.ProposeVeto()
        policy = self._choice(chancellor, self._hand, game)
        self._hand = []
        return commands.EnactPolicy(policy)

    def _draw(self, game: Game) -> None:
        """Let the President draw three, discard one and hand over the rest."""
        self._lay_out(game)
        hand = self._pile[: boards.SESSION_CARDS]
        del self._pile[: boards.SESSION_CARDS]
        kept = self._choice(self._minds[self._president(game)], hand, game)
        # The discarded card is one that the President does not want to see enacted.
        unwanted = [policy for policy in hand if policy is not kept]
        hand.remove(unwanted[0] if unwanted else kept)
        self._hand = hand

    def _choice(self, mind: _Mind, hand: Iterable[Policy], game: Game) -> Policy:
        """Return the policy that a player would have enacted, of those in hand."""
        hand = list(hand)
        wanted = Policy.LIBERAL if mind.is_liberal or self._plays_innocent(mind, game) else Policy.FASCIST
        return wanted if wanted in hand else hand[0]

    def _plays_innocent(self, mind: _Mind, game: Game) -> bool:
        if game.liberal_policies == boards.LIBERAL_SLOTS - 1 or game.fascist_policies == boards.FASCIST_SLOTS - 1:
            return False
        early = game.fascist_policies < boards.DANGER_ZONE and game.liberal_policies <= game.fascist_policies
        return early and self._happens(_INNOCENT[mind.view.role])

    def _wants_veto(self, chancellor: _Mind) -> bool:
        unwanted = Policy.FASCIST if chancellor.is_liberal else Policy.LIBERAL
        return all(policy is unwanted for policy in self._hand)

    def _agrees(self, game: Game) -> bool:
        president = self._minds[self._president(game)]
        agreed = self._wants_veto(president) and game.election_tracker < boards.TRACKER_SLOTS - 1
        if agreed:
            self._hand = []
        return agreed

    def _lay_out(self, game: Game) -> None:
        """Shuffle when the box says so: the pile is as high as the box counts, of all cards that are not enacted."""
        if len(self._pile) == game.draw_pile:
            return
        cards = list(_POLICIES)
        for policy, count in ((Policy.LIBERAL, game.liberal_policies), (Policy.FASCIST, game.fascist_policies)):
            for _ in range(count):
                cards.remove(policy)
        self.chance.shuffle(cards)
        self._pile = cards[: game.draw_pile]

    # --- executive actions -------------------------------------------------------------------------------------------

    def _power(self, game: Game) -> GameCommand:
        if game.pending_power is PresidentialPower.POLICY_PEEK:
            return commands.UsePower()
        mind = self._minds[self._president(game)]
        targets = game.eligible_targets
        if game.pending_power is PresidentialPower.CALL_SPECIAL_ELECTION:
            friends = [seat for seat in targets if seat in mind.friends]
            if friends and not mind.is_liberal:
                return commands.UsePower(self.chance.choice(friends))
            return commands.UsePower(self._least_suspect(mind, targets))
        if not mind.is_liberal:
            # Never a friend, and best of all somebody whom the table suspects anyway.
            targets = tuple(seat for seat in targets if seat not in mind.friends) or targets
        return commands.UsePower(max(targets, key=lambda seat: mind.suspicion[seat] + self.chance.random() / 2))

    # --- small things ------------------------------------------------------------------------------------------------

    def _happens(self, chance: float) -> bool:
        return self.chance.random() < chance

    def _least_suspect(self, mind: _Mind, seats: Iterable[int]) -> int:
        return min(seats, key=lambda seat: mind.suspicion[seat] + self.chance.random() / 2)

    @staticmethod
    def _president(game: Game) -> int:
        if game.president is None:
            raise ValueError("there is no President")
        return game.president

    @staticmethod
    def _chancellor(game: Game) -> int:
        if game.chancellor is None:
            raise ValueError("there is no Chancellor")
        return game.chancellor
