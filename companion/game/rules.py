"""The referee: what a command makes of a game, what an event makes of it, and what may be done now.

`decide` answers a command with events or raises `Refused`; `evolve` applies one event; `legal` lists every command that
`decide` accepts. Only these three know the order of a round. The rules are those of the rulebook's sections Election,
Legislative Session and Executive Action; where rulebooks differ, `Game.rules` says how.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from itertools import permutations
from typing import TYPE_CHECKING, TypeVar, cast

from companion.game import boards, commands, events
from companion.game.commands import GameCommand
from companion.game.editions import RETAIL, Rules, TermLimited
from companion.game.events import GameEvent
from companion.game.refusals import Refusal, Refused
from companion.game.state import Game, changed
from companion.game.vocabulary import Party, Phase, PresidentialPower, Reason, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

C = TypeVar("C")
E = TypeVar("E")


def opened(players: int = 5, rules: Rules = RETAIL) -> Game:
    """Return a table laid for `players` people, in its lobby."""
    return Game(players=players, rules=rules)


def begun(players: int, first: int = 1, rules: Rules = RETAIL) -> Game:
    """Return a game with real role cards at its first election, with `first` as presidential candidate.

    Raises:
        Refused: fewer than five or more than ten players, or a seat that is not there.
    """
    _require(players in boards.PLAYER_COUNTS, Refusal.PLAYER_COUNT)
    game = opened(players, rules)
    _require(first in game.seats, Refusal.NO_SUCH_SEAT)
    return evolve(game, events.GameBegan(first))


def replay(game: Game, happened: Iterable[GameEvent]) -> Game:
    """Return what a series of events makes of a game."""
    return reduce(evolve, happened, game)


# --- what is allowed, and what it gives ------------------------------------------------------------------------------


def decide(game: Game, command: GameCommand) -> tuple[GameEvent, ...]:
    """Return the events that a command gives.

    Raises:
        Refused: the rules do not allow it now; the refusal says why.
    """
    kind = type(command)
    _require(game.phase in _PHASES[kind], Refusal.NOT_NOW)
    return _DECISIONS[kind](game, command)


def _require(allowed: bool, refusal: Refusal, *seats: int) -> None:
    if not allowed:
        raise Refused(refusal, *seats)


def _require_at_table(game: Game, seat: int) -> None:
    _require(seat not in game.executed, Refusal.PLAYER_IS_DEAD, seat)
    _require(seat not in game.absent, Refusal.PLAYER_IS_ABSENT, seat)


def _set_players(_: Game, command: commands.SetPlayers) -> tuple[GameEvent, ...]:
    _require(command.players in boards.PLAYER_COUNTS, Refusal.PLAYER_COUNT)
    return (events.PlayersSet(command.players),)


def _deal_roles(game: Game, command: commands.DealRoles) -> tuple[GameEvent, ...]:
    # With real cards nothing was dealt by the box that could be dealt anew.
    _require(game.phase is Phase.LOBBY or game.roles is not None, Refusal.NOT_NOW)
    _require(sorted(command.roles) == sorted(boards.roles(game.players)), Refusal.WRONG_DEAL)
    return (events.RolesDealt(command.roles),)


def _look_at_role(game: Game, command: commands.LookAtRole) -> tuple[GameEvent, ...]:
    _require(command.seat in game.seats, Refusal.NO_SUCH_SEAT)
    return () if command.seat in game.looked else (events.RoleSeen(command.seat),)


def _begin_night(game: Game, command: commands.BeginNight) -> tuple[GameEvent, ...]:
    if game.phase is Phase.DEAL:
        waiting = [seat for seat in game.seats if seat not in game.looked]
        _require(command.regardless or not waiting, Refusal.NOT_ALL_LOOKED, *waiting)
    elif game.phase is Phase.ASK:
        # Something went wrong: with real cards the night is held again; dealt roles are dealt anew instead.
        _require(game.roles is None, Refusal.NOT_NOW)
    return (events.NightBegan(),)


def _end_night(_: Game, __: commands.EndNight) -> tuple[GameEvent, ...]:
    return (events.NightEnded(),)


def _begin_game(game: Game, command: commands.BeginGame) -> tuple[GameEvent, ...]:
    _require(command.first in game.seats, Refusal.NO_SUCH_SEAT)
    return (events.GameBegan(command.first),)


def _nominate(game: Game, command: commands.Nominate) -> tuple[GameEvent, ...]:
    seat = command.chancellor
    _require(seat in game.seats, Refusal.NO_SUCH_SEAT)
    _require_at_table(game, seat)
    _require(seat != game.president, Refusal.OWN_CHANCELLOR, seat)
    _require(seat not in game.term_limited, Refusal.TERM_LIMITED, seat)
    return (events.ChancellorNominated(seat),)


def _vote(game: Game, command: commands.Vote) -> tuple[GameEvent, ...]:
    if not command.elected:
        return (events.ElectionFailed(),)
    elected = events.GovernmentElected()
    if not game.danger_zone:
        return (elected,)
    return (elected, *_hitler_check(game, game.chancellor, Reason.HITLER_CHANCELLOR))


def _hitler_check(game: Game, seat: int | None, reason: Reason) -> tuple[GameEvent, ...]:
    """Answer the Hitler question where the box knows the answer; otherwise the table is asked."""
    match game.is_hitler(seat):
        case True:
            return (events.GameWon(reason),)
        case False:
            return (events.NotHitlerConfirmed(seat),)
        case None:
            return ()


def _answer(game: Game, command: commands.Answer) -> tuple[GameEvent, ...]:
    if not command.hitler:
        return (events.NotHitlerConfirmed(game.asked),)
    executed = game.pending_power is PresidentialPower.EXECUTION
    return (events.GameWon(Reason.HITLER_EXECUTED if executed else Reason.HITLER_CHANCELLOR),)


def _enact_policy(game: Game, command: commands.EnactPolicy) -> tuple[GameEvent, ...]:
    chaos = game.phase is Phase.CHAOS
    enacted: GameEvent = (events.ChaosPolicyEnacted if chaos else events.PolicyEnacted)(command.policy)
    after = evolve(game, enacted)
    if after.liberal_policies == boards.LIBERAL_SLOTS:
        return (enacted, events.GameWon(Reason.LIBERAL_POLICIES))
    if after.fascist_policies == boards.FASCIST_SLOTS:
        return (enacted, events.GameWon(Reason.FASCIST_POLICIES))
    few = game.rules.reshuffle_below_after_chaos if chaos else game.rules.reshuffle_below
    return (enacted, *_reshuffle(after, few))


def _reshuffle(game: Game, below: int) -> tuple[GameEvent, ...]:
    return (events.PilesReshuffled(),) if game.draw_pile < below else ()


def _propose_veto(game: Game, _: commands.ProposeVeto) -> tuple[GameEvent, ...]:
    _require(game.veto_unlocked, Refusal.VETO_LOCKED)
    _require(not game.veto_refused, Refusal.VETO_REFUSED)
    return (events.VetoProposed(),)


def _answer_veto(game: Game, command: commands.AnswerVeto) -> tuple[GameEvent, ...]:
    if not command.agreed:
        return (events.VetoRefused(),)
    vetoed = events.AgendaVetoed()
    return (vetoed, *_reshuffle(evolve(game, vetoed), game.rules.reshuffle_below))


def _use_power(game: Game, command: commands.UsePower) -> tuple[GameEvent, ...]:
    player, power = command.player, game.pending_power
    if power is PresidentialPower.POLICY_PEEK:
        _require(player is None, Refusal.NO_PLAYER_NEEDED)
        return (events.PoliciesPeeked(),)
    if player is None:
        raise Refused(Refusal.PLAYER_NEEDED)
    _require(player in game.seats, Refusal.NO_SUCH_SEAT)
    _require_at_table(game, player)
    _require(player != game.president, Refusal.OWN_TARGET, player)
    if power is PresidentialPower.INVESTIGATE_LOYALTY:
        _require(player not in game.investigated, Refusal.ALREADY_INVESTIGATED, player)
        return (events.LoyaltyInvestigated(player),)
    if power is PresidentialPower.CALL_SPECIAL_ELECTION:
        return (events.SpecialElectionCalled(player),)
    return (events.PlayerExecuted(player), *_hitler_check(game, player, Reason.HITLER_EXECUTED))


def absence(game: Game, seat: int, *, absent: bool) -> tuple[GameEvent, ...]:
    """Return what it gives that a player leaves the table in a game or after it, or comes back to it.

    Raises:
        Refused: there is no game, no such seat, the player is dead, or too few would be left to play.
    """
    is_over = game.phase is Phase.GAME_OVER
    _require(is_over or game.phase in _UNDER_WAY, Refusal.NOT_NOW)
    _require(seat in game.seats, Refusal.NO_SUCH_SEAT)
    _require(is_over or seat not in game.executed, Refusal.PLAYER_IS_DEAD, seat)
    if absent == (seat in game.absent):
        return ()
    if not absent:
        return (events.PlayerPresent(seat),)
    gone: GameEvent = events.PlayerAbsent(seat)
    if is_over:
        return (gone,)
    after = evolve(game, gone)
    _require(len(after.alive) >= _FEWEST_AT_THE_TABLE, Refusal.TOO_FEW_LEFT, seat)
    # A power that was due has to find somebody still.
    _require(bool(after.eligible_targets) or not game.eligible_targets, Refusal.TOO_FEW_LEFT, seat)
    return (gone,)


def can_leave(game: Game, seat: int) -> bool:
    """Whether a player may leave the table now, and the others play on."""
    try:
        return bool(absence(game, seat, absent=True))
    except Refused:
        return False


def broken_off(game: Game) -> tuple[GameEvent, ...]:
    """Return what it gives that the table ends a game which nobody has won.

    Raises:
        Refused: no game is under way.
    """
    _require(game.phase in _UNDER_WAY or game.phase in (Phase.DEAL, Phase.ASK), Refusal.NOT_NOW)
    return (events.GameBrokenOff(),)


_FEWEST_AT_THE_TABLE = 3
"""A candidate, somebody to nominate, and the last Chancellor, who may not be."""

_UNDER_WAY = frozenset(
    {
        Phase.ELECTION,
        Phase.HITLER_CHECK,
        Phase.LEGISLATIVE_SESSION,
        Phase.VETO,
        Phase.CHAOS,
        Phase.EXECUTIVE_ACTION,
    }
)

_PHASES: dict[type, frozenset[Phase]] = {
    commands.SetPlayers: frozenset({Phase.LOBBY}),
    commands.DealRoles: frozenset({Phase.LOBBY, Phase.ASK}),
    commands.LookAtRole: frozenset({Phase.DEAL}),
    commands.BeginNight: frozenset({Phase.LOBBY, Phase.DEAL, Phase.ASK}),
    commands.EndNight: frozenset({Phase.NIGHT}),
    commands.BeginGame: frozenset({Phase.ASK}),
    commands.Nominate: frozenset({Phase.ELECTION}),
    commands.Vote: frozenset({Phase.ELECTION}),
    commands.Answer: frozenset({Phase.HITLER_CHECK}),
    commands.EnactPolicy: frozenset({Phase.LEGISLATIVE_SESSION, Phase.CHAOS}),
    commands.ProposeVeto: frozenset({Phase.LEGISLATIVE_SESSION}),
    commands.AnswerVeto: frozenset({Phase.VETO}),
    commands.UsePower: frozenset({Phase.EXECUTIVE_ACTION}),
}


def _decision(
    decider: Callable[[Game, C], tuple[GameEvent, ...]],
) -> Callable[[Game, GameCommand], tuple[GameEvent, ...]]:
    # The table below pairs each decider with the type of its command; mypy cannot follow a dict from type to handler.
    return cast("Callable[[Game, GameCommand], tuple[GameEvent, ...]]", decider)


_DECISIONS: dict[type, Callable[[Game, GameCommand], tuple[GameEvent, ...]]] = {
    commands.SetPlayers: _decision(_set_players),
    commands.DealRoles: _decision(_deal_roles),
    commands.LookAtRole: _decision(_look_at_role),
    commands.BeginNight: _decision(_begin_night),
    commands.EndNight: _decision(_end_night),
    commands.BeginGame: _decision(_begin_game),
    commands.Nominate: _decision(_nominate),
    commands.Vote: _decision(_vote),
    commands.Answer: _decision(_answer),
    commands.EnactPolicy: _decision(_enact_policy),
    commands.ProposeVeto: _decision(_propose_veto),
    commands.AnswerVeto: _decision(_answer_veto),
    commands.UsePower: _decision(_use_power),
}


# --- what an event makes of a game -----------------------------------------------------------------------------------


def evolve(game: Game, event: GameEvent) -> Game:
    """Return the game after an event. Trusts the event: whether it may happen is `decide`'s question."""
    return _EVOLUTIONS[type(event)](game, event)


def _next_candidate(game: Game) -> Game:
    """Let the presidency move on: clockwise from the last regular turn, so also after a special election."""
    # With nobody's turn yet there is nothing to move on from: `GameBegan` sets it before any vote.
    candidate = game.next_living(game.turn or game.players)
    return changed(
        game,
        phase=Phase.ELECTION,
        president=candidate,
        turn=candidate,
        chancellor=None,
        pending_power=None,
        veto_refused=False,
    )


def _after_failure(game: Game) -> Game:
    """Advance the election tracker; the third failure is chaos, at once."""
    failed = changed(game, election_tracker=game.election_tracker + 1)
    if failed.election_tracker < boards.TRACKER_SLOTS:
        return _next_candidate(failed)
    return changed(failed, phase=Phase.CHAOS, chancellor=None, veto_refused=False)


def _lay(game: Game, policy: Party) -> Game:
    """Put a policy on its board; whoever enacts it, the election tracker returns to 0."""
    liberal = policy is Party.LIBERAL
    return changed(
        game,
        liberal_policies=game.liberal_policies + liberal,
        fascist_policies=game.fascist_policies + (not liberal),
        election_tracker=0,
    )


def _is_full(game: Game) -> bool:
    return game.liberal_policies == boards.LIBERAL_SLOTS or game.fascist_policies == boards.FASCIST_SLOTS


def _on_players_set(game: Game, event: events.PlayersSet) -> Game:
    return changed(game, players=event.players)


def _on_roles_dealt(game: Game, event: events.RolesDealt) -> Game:
    return changed(game, roles=event.roles, looked=frozenset(), phase=Phase.DEAL)


def _on_role_seen(game: Game, event: events.RoleSeen) -> Game:
    return changed(game, looked=game.looked | {event.seat})


def _on_night_began(game: Game, _: events.NightBegan) -> Game:
    return changed(game, phase=Phase.NIGHT)


def _on_night_ended(game: Game, _: events.NightEnded) -> Game:
    return changed(game, phase=Phase.ASK)


def _on_game_began(game: Game, event: events.GameBegan) -> Game:
    return changed(game, phase=Phase.ELECTION, president=event.first, turn=event.first)


def _on_chancellor_nominated(game: Game, event: events.ChancellorNominated) -> Game:
    return changed(game, chancellor=event.chancellor)


def _on_government_elected(game: Game, _: events.GovernmentElected) -> Game:
    rules = game.rules
    limits = rules.term_limited is TermLimited.LAST_ELECTED
    return changed(
        game,
        phase=Phase.HITLER_CHECK if game.danger_zone else Phase.LEGISLATIVE_SESSION,
        last_president=game.president if limits else game.last_president,
        last_chancellor=game.chancellor if limits else game.last_chancellor,
        election_tracker=0 if rules.election_resets_tracker else game.election_tracker,
    )


def _on_election_failed(game: Game, _: events.ElectionFailed) -> Game:
    return _after_failure(game)


def _on_not_hitler_confirmed(game: Game, event: events.NotHitlerConfirmed) -> Game:
    known = game.not_hitler if event.player is None else game.not_hitler | {event.player}
    confirmed = changed(game, not_hitler=known)
    if game.pending_power is PresidentialPower.EXECUTION:
        return _next_candidate(confirmed)
    return changed(confirmed, phase=Phase.LEGISLATIVE_SESSION)


def _on_policy_enacted(game: Game, event: events.PolicyEnacted) -> Game:
    limits = game.rules.term_limited is TermLimited.LAST_ENACTED
    enacted = changed(
        _lay(game, event.policy),
        draw_pile=game.draw_pile - boards.SESSION_CARDS,
        discard_pile=game.discard_pile + boards.SESSION_CARDS - 1,
        last_president=game.president if limits else game.last_president,
        last_chancellor=game.chancellor if limits else game.last_chancellor,
    )
    if _is_full(enacted):
        return enacted
    power = boards.power(game.players, enacted.fascist_policies) if event.policy is Party.FASCIST else None
    if power is None:
        return _next_candidate(enacted)
    return changed(enacted, phase=Phase.EXECUTIVE_ACTION, pending_power=power, veto_refused=False)


def _on_chaos_policy_enacted(game: Game, event: events.ChaosPolicyEnacted) -> Game:
    enacted = changed(_lay(game, event.policy), draw_pile=game.draw_pile - 1, last_president=None, last_chancellor=None)
    return enacted if _is_full(enacted) else _next_candidate(enacted)


def _on_piles_reshuffled(game: Game, _: events.PilesReshuffled) -> Game:
    return changed(game, draw_pile=game.draw_pile + game.discard_pile, discard_pile=0)


def _on_veto_proposed(game: Game, _: events.VetoProposed) -> Game:
    return changed(game, phase=Phase.VETO)


def _on_veto_refused(game: Game, _: events.VetoRefused) -> Game:
    return changed(game, phase=Phase.LEGISLATIVE_SESSION, veto_refused=True)


def _on_agenda_vetoed(game: Game, _: events.AgendaVetoed) -> Game:
    cards = boards.SESSION_CARDS
    return _after_failure(changed(game, draw_pile=game.draw_pile - cards, discard_pile=game.discard_pile + cards))


def _on_loyalty_investigated(game: Game, event: events.LoyaltyInvestigated) -> Game:
    seen = (cast("int", game.president), event.player)
    return _next_candidate(changed(game, investigations=(*game.investigations, seen)))


def _on_special_election_called(game: Game, event: events.SpecialElectionCalled) -> Game:
    # `turn` stays with the caller, so that the presidency returns to the caller's left.
    return changed(game, phase=Phase.ELECTION, president=event.candidate, chancellor=None, pending_power=None)


def _on_policies_peeked(game: Game, _: events.PoliciesPeeked) -> Game:
    return _next_candidate(game)


def _on_player_executed(game: Game, event: events.PlayerExecuted) -> Game:
    return changed(game, executed=(*game.executed, event.player), phase=Phase.HITLER_CHECK)


def _on_game_won(game: Game, event: events.GameWon) -> Game:
    return changed(game, phase=Phase.GAME_OVER, reason=event.reason, pending_power=None, veto_refused=False)


def _on_player_absent(game: Game, event: events.PlayerAbsent) -> Game:
    gone = changed(game, absent=game.absent | {event.player})
    if game.phase is not Phase.ELECTION:
        # A government in office is finished as it was begun, by whoever acts for the one who left.
        return gone
    if event.player == game.president:
        return _next_candidate(gone)
    return changed(gone, chancellor=None) if event.player == game.chancellor else gone


def _on_player_present(game: Game, event: events.PlayerPresent) -> Game:
    return changed(game, absent=game.absent - {event.player})


def _on_game_broken_off(game: Game, _: events.GameBrokenOff) -> Game:
    return changed(game, phase=Phase.GAME_OVER, pending_power=None, veto_refused=False)


def _evolution(handler: Callable[[Game, E], Game]) -> Callable[[Game, GameEvent], Game]:
    return cast("Callable[[Game, GameEvent], Game]", handler)


_EVOLUTIONS: dict[type, Callable[[Game, GameEvent], Game]] = {
    events.PlayersSet: _evolution(_on_players_set),
    events.RolesDealt: _evolution(_on_roles_dealt),
    events.RoleSeen: _evolution(_on_role_seen),
    events.NightBegan: _evolution(_on_night_began),
    events.NightEnded: _evolution(_on_night_ended),
    events.GameBegan: _evolution(_on_game_began),
    events.ChancellorNominated: _evolution(_on_chancellor_nominated),
    events.GovernmentElected: _evolution(_on_government_elected),
    events.ElectionFailed: _evolution(_on_election_failed),
    events.NotHitlerConfirmed: _evolution(_on_not_hitler_confirmed),
    events.PolicyEnacted: _evolution(_on_policy_enacted),
    events.ChaosPolicyEnacted: _evolution(_on_chaos_policy_enacted),
    events.PilesReshuffled: _evolution(_on_piles_reshuffled),
    events.VetoProposed: _evolution(_on_veto_proposed),
    events.VetoRefused: _evolution(_on_veto_refused),
    events.AgendaVetoed: _evolution(_on_agenda_vetoed),
    events.LoyaltyInvestigated: _evolution(_on_loyalty_investigated),
    events.SpecialElectionCalled: _evolution(_on_special_election_called),
    events.PoliciesPeeked: _evolution(_on_policies_peeked),
    events.PlayerExecuted: _evolution(_on_player_executed),
    events.GameWon: _evolution(_on_game_won),
    events.PlayerAbsent: _evolution(_on_player_absent),
    events.PlayerPresent: _evolution(_on_player_present),
    events.GameBrokenOff: _evolution(_on_game_broken_off),
}


# --- what may be done now --------------------------------------------------------------------------------------------


@lru_cache
def _deals(players: int) -> tuple[tuple[Role, ...], ...]:
    """Every way to deal the roles: where Hitler sits, then where the Fascists sit."""
    hand = boards.roles(players)
    fascists = hand.count(Role.FASCIST)
    seen = dict.fromkeys((seats[0], tuple(sorted(seats[1:]))) for seats in permutations(range(players), fascists + 1))
    return tuple(
        tuple(
            Role.HITLER if seat == hitler else Role.FASCIST if seat in allies else Role.LIBERAL
            for seat in range(players)
        )
        for hitler, allies in seen
    )


def legal(game: Game) -> tuple[GameCommand, ...]:
    """Return every command that `decide` accepts now, and none that it refuses."""
    return tuple(_LEGAL[game.phase](game))


def _legal_in_lobby(game: Game) -> Iterator[GameCommand]:
    yield from map(commands.SetPlayers, boards.PLAYER_COUNTS)
    yield from map(commands.DealRoles, _deals(game.players))
    yield from _either_night()


def _either_night() -> Iterator[GameCommand]:
    return map(commands.BeginNight, (False, True))


def _legal_in_deal(game: Game) -> Iterator[GameCommand]:
    yield from map(commands.LookAtRole, game.seats)
    if len(game.looked) == game.players:
        yield commands.BeginNight()
    yield commands.BeginNight(regardless=True)


def _legal_in_night(_: Game) -> Iterator[GameCommand]:
    yield commands.EndNight()


def _legal_in_ask(game: Game) -> Iterator[GameCommand]:
    yield from map(commands.BeginGame, game.seats)
    if game.roles is None:
        yield from _either_night()
    else:
        yield from map(commands.DealRoles, _deals(game.players))


def _legal_in_election(game: Game) -> Iterator[GameCommand]:
    yield from map(commands.Nominate, game.eligible_chancellors)
    yield from map(commands.Vote, (True, False))


def _legal_in_hitler_check(_: Game) -> Iterator[GameCommand]:
    return map(commands.Answer, (True, False))


def _legal_in_legislative_session(game: Game) -> Iterator[GameCommand]:
    yield from map(commands.EnactPolicy, Party)
    if game.can_propose_veto:
        yield commands.ProposeVeto()


def _legal_in_veto(_: Game) -> Iterator[GameCommand]:
    return map(commands.AnswerVeto, (True, False))


def _legal_in_chaos(_: Game) -> Iterator[GameCommand]:
    return map(commands.EnactPolicy, Party)


def _legal_in_executive_action(game: Game) -> Iterator[GameCommand]:
    if game.pending_power is PresidentialPower.POLICY_PEEK:
        yield commands.UsePower()
    yield from map(commands.UsePower, game.eligible_targets)


def _legal_in_game_over(_: Game) -> Iterator[GameCommand]:
    return iter(())


_LEGAL: dict[Phase, Callable[[Game], Iterator[GameCommand]]] = {
    Phase.LOBBY: _legal_in_lobby,
    Phase.DEAL: _legal_in_deal,
    Phase.NIGHT: _legal_in_night,
    Phase.ASK: _legal_in_ask,
    Phase.ELECTION: _legal_in_election,
    Phase.HITLER_CHECK: _legal_in_hitler_check,
    Phase.LEGISLATIVE_SESSION: _legal_in_legislative_session,
    Phase.VETO: _legal_in_veto,
    Phase.CHAOS: _legal_in_chaos,
    Phase.EXECUTIVE_ACTION: _legal_in_executive_action,
    Phase.GAME_OVER: _legal_in_game_over,
}
