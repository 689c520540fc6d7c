"""A game at one moment. Frozen: every change is a new value. What can be derived is a property, not a field."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from companion.game import boards
from companion.game.editions import RETAIL, Headcount, Rules
from companion.game.vocabulary import Party, Phase, PresidentialPower, Reason, Role

__all__ = ["Game", "changed"]

if TYPE_CHECKING:
    # To the type checker `changed` is what it does: it then knows which facts a game has, and of what type.
    from dataclasses import replace as changed
else:

    def changed(game, /, **changes):
        """Return a game with some facts changed, as `dataclasses.replace` does, in a tenth of its time.

        A command changes a game up to three times; setting all the fields anew each time was most of its cost.
        """
        copy = object.__new__(Game)
        copy.__dict__.update(game.__dict__)
        copy.__dict__.update(changes)
        return copy


@dataclass(frozen=True)  # no slots: `changed` copies the dict
class Game:
    """One game from the lobby to its end. Seats are numbers, 1 to `players`, clockwise.

    Attributes:
        players: how many sit at the table; decides board and roles and never changes after the lobby.
        rules: the rulebook that is played.
        phase: where the table stands.
        roles: each seat's role, when the box dealt them; None with real role cards. Never shown by `repr`.
        looked: who has looked at their role since it was dealt.
        liberal_policies: enacted, 0 to 5.
        fascist_policies: enacted, 0 to 6.
        election_tracker: failed elections in a row, 0 to 3.
        draw_pile: cards left to draw. The box is not told when a government draws: the three count as drawn when their
            session ends.
        discard_pile: cards discarded, face down.
        president: the presidential candidate, and after the vote the President.
        turn: the last seat that became candidate in its turn, from which the presidency goes on clockwise. Differs from
            `president` during a special election only.
        chancellor: the nominee, and after the vote the Chancellor; None when nobody told the box.
        last_president: the last government's President, for the term limits.
        last_chancellor: its Chancellor.
        executed: the dead, in the order of their death.
        absent: who had to go home in the middle of the game. The game goes on as if their seats were not there.
        investigations: who looked at whose party membership, as (President, player).
        not_hitler: players whom the whole table knows not to be Hitler.
        pending_power: the power that the President has to use now; still Execution while the box awaits whether the
            executed player was Hitler.
        veto_refused: whether the President has refused a veto in this session.
        reason: how the game ended; None while it is played.
    """

    players: int = 5
    rules: Rules = RETAIL
    phase: Phase = Phase.LOBBY
    roles: tuple[Role, ...] | None = field(default=None, repr=False)
    looked: frozenset[int] = frozenset()
    liberal_policies: int = 0
    fascist_policies: int = 0
    election_tracker: int = 0
    draw_pile: int = boards.POLICY_CARDS
    discard_pile: int = 0
    president: int | None = None
    turn: int | None = None
    chancellor: int | None = None
    last_president: int | None = None
    last_chancellor: int | None = None
    executed: tuple[int, ...] = ()
    absent: frozenset[int] = frozenset()
    investigations: tuple[tuple[int, int], ...] = ()
    not_hitler: frozenset[int] = frozenset()
    pending_power: PresidentialPower | None = None
    veto_refused: bool = False
    reason: Reason | None = None

    @property
    def seats(self) -> range:
        """All seats, the dead included."""
        return range(1, self.players + 1)

    @property
    def alive(self) -> tuple[int, ...]:
        """The living who are at the table, in seat order."""
        return tuple(seat for seat in self.seats if seat not in self.executed and seat not in self.absent)

    @property
    def danger_zone(self) -> bool:
        """Whether electing Hitler Chancellor would end the game: three or more Fascist policies."""
        return self.fascist_policies >= boards.DANGER_ZONE

    @property
    def veto_unlocked(self) -> bool:
        """Whether a session that begins now may be vetoed: five Fascist policies."""
        return self.fascist_policies >= boards.VETO_UNLOCKED

    @property
    def can_propose_veto(self) -> bool:
        """Whether the Chancellor may propose a veto at this moment: unlocked, and not refused in this session."""
        return self.phase is Phase.LEGISLATIVE_SESSION and self.veto_unlocked and not self.veto_refused

    @property
    def term_limited(self) -> frozenset[int]:
        """Who may not be nominated Chancellor because of the last government.

        With few players (five or fewer alive by the retail rules) only the last Chancellor is limited. Limits never bar
        a President.
        """
        count = self.players if self.rules.few_players is Headcount.STARTED else len(self.alive)
        barred = {self.last_chancellor} if count <= boards.FEW_PLAYERS else {self.last_chancellor, self.last_president}
        return frozenset(seat for seat in barred if seat is not None)

    @property
    def eligible_chancellors(self) -> tuple[int, ...]:
        """Whom the presidential candidate may nominate now, in seat order."""
        if self.phase is not Phase.ELECTION:
            return ()
        barred = self.term_limited
        return tuple(seat for seat in self.alive if seat != self.president and seat not in barred)

    @property
    def investigated(self) -> tuple[int, ...]:
        """Players whose party membership a President has seen, in the order it was seen."""
        return tuple(player for _, player in self.investigations)

    @property
    def eligible_targets(self) -> tuple[int, ...]:
        """On whom the President may use the pending power, clockwise from the President."""
        if self.phase is not Phase.EXECUTIVE_ACTION or self.pending_power is None or self.president is None:
            return ()
        if not self.pending_power.needs_player:
            return ()
        spared = self.investigated if self.pending_power is PresidentialPower.INVESTIGATE_LOYALTY else ()
        president = self.president
        others = (seat for seat in self.alive if seat != president and seat not in spared)
        return tuple(sorted(others, key=lambda seat: (seat - president) % self.players))

    @property
    def asked(self) -> int | None:
        """Whom the table must hear about in the Hitler check; None when that seat is unknown to the box."""
        if self.phase is not Phase.HITLER_CHECK:
            return None
        return self.executed[-1] if self.pending_power is PresidentialPower.EXECUTION else self.chancellor

    @property
    def winner(self) -> Party | None:
        """Who has won; None while the game is played."""
        return None if self.reason is None else self.reason.winner

    def next_living(self, seat: int) -> int:
        """Return the next living player at the table, clockwise from `seat`."""
        executed, absent = self.executed, self.absent
        following = seat % self.players + 1
        while following in executed or following in absent:
            following = following % self.players + 1
        return following

    def is_hitler(self, seat: int | None) -> bool | None:
        """Say whether a seat is Hitler, as far as the box can know: None when it cannot."""
        if seat is None:
            return None
        if seat in self.not_hitler:
            return False
        return None if self.roles is None else self.roles[seat - 1] is Role.HITLER
