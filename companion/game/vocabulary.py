"""The words of the game, as the rulebook uses them."""

from __future__ import annotations

from enum import StrEnum


class Party(StrEnum):
    """The two parties on the membership cards, which are also the two kinds of policy."""

    LIBERAL = "liberal"
    FASCIST = "fascist"


Policy = Party
"""A policy is Liberal or Fascist, like a party."""


class Role(StrEnum):
    """The three secret roles."""

    LIBERAL = "liberal"
    FASCIST = "fascist"
    HITLER = "hitler"

    @property
    def party(self) -> Party:
        """What this role's party membership card shows: Hitler's says Fascist."""
        return Party.LIBERAL if self is Role.LIBERAL else Party.FASCIST


class PresidentialPower(StrEnum):
    """The powers printed on the Fascist boards."""

    INVESTIGATE_LOYALTY = "investigate_loyalty"
    CALL_SPECIAL_ELECTION = "call_special_election"
    POLICY_PEEK = "policy_peek"
    EXECUTION = "execution"

    @property
    def needs_player(self) -> bool:
        """Whether the President has to name somebody."""
        return self is not PresidentialPower.POLICY_PEEK


class Phase(StrEnum):
    """Where the table stands. The first four come before the game, the others are the referee's."""

    LOBBY = "lobby"
    DEAL = "deal"
    NIGHT = "night"
    ASK = "ask"
    ELECTION = "election"
    HITLER_CHECK = "hitler_check"
    LEGISLATIVE_SESSION = "legislative_session"
    VETO = "veto"
    CHAOS = "chaos"
    EXECUTIVE_ACTION = "executive_action"
    GAME_OVER = "game_over"


class Reason(StrEnum):
    """The four ways a game ends."""

    LIBERAL_POLICIES = "liberal_policies"
    HITLER_EXECUTED = "hitler_executed"
    FASCIST_POLICIES = "fascist_policies"
    HITLER_CHANCELLOR = "hitler_chancellor"

    @property
    def winner(self) -> Party:
        """Who wins this way."""
        liberal = self in {Reason.LIBERAL_POLICIES, Reason.HITLER_EXECUTED}
        return Party.LIBERAL if liberal else Party.FASCIST
