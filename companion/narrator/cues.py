"""From what happened to what is said: pure. Every line comes from the language file; nothing secret has a line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from companion.game import boards, events
from companion.game.editions import Office, Silence
from companion.game.evening import Evening
from companion.game.refusals import Refusal, Refused
from companion.game.state import Game
from companion.game.vocabulary import Party, Phase, PresidentialPower, Reason, Role
from companion.languages import Language
from companion.narrator.line import Called, InLanguage, Line, line
from companion.narrator.volumes import STEPS
from hardware.panel import HOLD_SECONDS, Button
from sounds import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from companion.game.events import Event, GameEvent
    from companion.game.seating import Player, Seating
    from companion.table.listener import Change


@dataclass(frozen=True, slots=True)
class Scene:
    """Where an event happened: the evening and game around it, and the language they speak."""

    language: Language
    before: Game
    after: Game
    evening: Evening
    entry: tuple[Event, ...]
    seating_before: Seating

    def line(self, key: str, effect: Effect | None = None, *, question: bool = False, **facts: object) -> Line:
        """Return a line of the language file with its facts."""
        return line(self.language, key, facts, effect, question=question)

    def name(self, seat: int | None) -> InLanguage:
        """Return who sits at a seat, as the box can say it."""
        return lambda language: name_of(self.evening, seat, language)

    def names(self, seats: Iterable[int]) -> InLanguage:
        """Return who sits at several seats, as a list."""
        listed = tuple(seats)
        return lambda language: names_of(self.evening, listed, language)

    def said_name(self, seating: Seating, player: int) -> InLanguage:
        """Return what a player, by id, is called aloud in a seating."""
        return lambda language: said_name(seating, seating.by_id(player), language)


def name_of(evening: Evening, seat: int | None, language: Language) -> str:
    """Return a seat's name, or its number where the box knows none that can be said."""
    player = None if seat is None else evening.seating.player_at(seat)
    if player is None or not can_be_said(player.name):
        return language.say("player", seat=seat)
    return Called(player.name, player.spoken)


def said_name(seating: Seating, player: Player, language: Language) -> str:
    """Return what a player is called aloud: by name, or by seat where the name has nothing to say."""
    seat = seating.seat_of(player.id)
    if seat is None or can_be_said(player.name):
        return Called(player.name, player.spoken)
    return language.say("player", seat=seat)


def can_be_said(name: str) -> bool:
    """Whether a name has a letter or a digit. One of signs alone is seen on screens and called by its seat."""
    return any(sign.isalnum() for sign in name)


def names_of(evening: Evening, seats: tuple[int, ...], language: Language) -> str:
    """Return several names as a list."""
    return joined_names([name_of(evening, seat, language) for seat in seats], ", ")


def joined_names(names: Sequence[str], between: str) -> Called:
    """Return several names as one, in writing and for the voice."""
    spoken = [name.spoken if isinstance(name, Called) else name for name in names]
    return Called(between.join(names), between.join(spoken))


def announce(change: Change, language: Language, *, cards: bool = False) -> list[Line]:
    """Return what is said of a change: what happened, what to do now, then what is good to know.

    A name on offer comes last: it is a question that waits for its answer. `cards` says whether the table deals its
    roles with real cards.
    """
    evening = change.after
    scene = Scene(language, change.before.game, evening.game, evening, change.entry, change.before.seating)
    if any(isinstance(event, events.ReportTakenBack) for event in change.entry):
        return [*_taken_back(scene, change.before), *reminder(scene.evening, language, cards=cards)]
    if any(isinstance(event, events.ReportRedone) for event in change.entry):
        return [*_redone(scene), *reminder(scene.evening, language, cards=cards)]
    told = [line for event in change.entry for line in _HAPPENED.get(type(event), _nothing)(scene, event)]
    now: list[Line] = []
    before, after = scene.before, scene.after
    # A nomination, a joined player or a seen role changes nothing about what the table has to do next.
    if _turned(before, after) or any(isinstance(event, events.GameBegan) for event in change.entry):
        now.extend(situation(scene))
    happened = [line for line in told if line.key not in _GOOD_TO_KNOW]
    known = [line for line in told if line.key in _GOOD_TO_KNOW]
    asked = [line for line in now if line.key == "offer"]
    return [*happened, *(line for line in now if line.key != "offer"), *known, *asked]


def only_leaves(change: Change) -> bool:
    """Whether somebody has only left or come back, and the table has the same to do as before."""
    coming_and_going = (events.PlayerAbsent, events.PlayerPresent)
    is_nothing_else = all(isinstance(event, coming_and_going) for event in change.entry)
    return is_nothing_else and not _turned(change.before.game, change.after.game)


def _turned(before: Game, after: Game) -> bool:
    """Whether the table has something else to do: another phase or candidate, or a nominee who has left."""
    moved = (before.phase, before.president, before.turn) != (after.phase, after.president, after.turn)
    return moved or (before.chancellor is not None and before.chancellor in after.absent - before.absent)


_GOOD_TO_KNOW = frozenset({"chaos_enacted", "danger_zone", "veto_unlocked"})
"""What changes for the rest of the game: it waits until the table knows what to do now."""


def resume(evening: Evening, language: Language) -> list[Line]:
    """Return what is said when the box is switched on."""
    game = evening.game
    scene = Scene(language, game, game, evening, (), evening.seating)
    if game.phase is Phase.LOBBY:
        return [scene.line("welcome", Effect.ATTENTION)]
    if game.phase is Phase.NIGHT:
        return [scene.line("night_interrupted", Effect.ATTENTION, question=True)]
    return [scene.line("resumed", Effect.ATTENTION), *standing(evening, language)]


def standing(
    evening: Evening,
    language: Language,
    offered: int | None = None,
    *,
    cards: bool = False,
    interrupted: bool = False,
) -> list[Line]:
    """Return where the whole table stands, and what it waits for; the arguments are those of `reminder`."""
    game = evening.game
    scene = Scene(language, game, game, evening, (), evening.seating)
    lines: list[Line] = []
    if game.president is not None:
        lines.append(
            scene.line(
                "standing",
                liberal=game.liberal_policies,
                fascist=game.fascist_policies,
                tracker=game.election_tracker,
            )
        )
        lines.append(scene.line("standing_president", name=scene.name(game.president)))
        if game.executed:
            lines.append(scene.line("standing_dead", names=scene.names(game.executed)))
        if game.absent:
            lines.append(scene.line("standing_absent", names=scene.names(sorted(game.absent))))
        lines.append(scene.line("standing_piles", draw=game.draw_pile))
    if game.phase is Phase.GAME_OVER:
        lines.append(scene.line("broken_off" if game.reason is None else f"win_{game.reason}"))
    if game.phase is Phase.ELECTION:
        # Whose turn it is has just been said.
        return [*lines, waiting(evening, language)]
    return [*lines, *reminder(evening, language, offered, cards=cards, interrupted=interrupted)]


def paused_night(interrupted: bool) -> str:
    """Return the key of what is said and shown of a night that stands still, also since the power went out in it."""
    return "night_interrupted" if interrupted else "night_paused"


def reminder(
    evening: Evening,
    language: Language,
    offered: int | None = None,
    *,
    cards: bool = False,
    interrupted: bool = False,
) -> list[Line]:
    """Return what the table has to do now, for those who did not hear it or have gone back to it.

    Args:
        evening: where the table stands.
        language: in which it is said.
        offered: the seat that ja would choose; nobody is ever chosen whose name was not said.
        cards: whether roles are dealt with real cards.
        interrupted: whether a night stands still since the power went out.
    """
    game = evening.game
    scene = Scene(language, game, game, evening, (), evening.seating)
    if game.phase is Phase.NIGHT:
        # A night that goes on is never spoken into, so this one stands still.
        return [scene.line(paused_night(interrupted))]
    if game.phase is Phase.ELECTION and game.chancellor is not None:
        return [scene.line("nominated", president=scene.name(game.president), chancellor=scene.name(game.chancellor))]
    if game.phase is Phase.EXECUTIVE_ACTION:
        return list(_executive_action(scene, offered))
    if game.phase in (Phase.ELECTION, Phase.HITLER_CHECK):
        return list(situation(scene))
    lines = [waiting(evening, language, cards=cards)]
    if game.can_propose_veto:
        lines.append(scene.line("veto_possible"))
    return lines


def session(evening: Evening, language: Language) -> list[Line]:
    """Return what President and Chancellor do with the policies, and whether they may propose a veto."""
    game = evening.game
    scene = Scene(language, game, game, evening, (), evening.seating)
    enacts = "session_president_enacts" if game.rules.enacting_office is Office.PRESIDENT else "session"
    # After a refused veto no card is drawn any more.
    lines = [scene.line("waiting_legislative_session" if game.veto_refused else enacts)]
    if game.can_propose_veto:
        lines.append(scene.line("veto_possible"))
    return lines


def waiting(evening: Evening, language: Language, *, cards: bool = False) -> Line:
    """Return the short sentence that says what the box waits for."""
    game, seated = evening.game, len(evening.seating.players)
    key = f"waiting_{game.phase}"
    facts: dict[str, object] = {}
    if game.phase is Phase.LOBBY:
        if cards or not seated:
            key = "waiting_lobby_cards"
        elif seated in boards.PLAYER_COUNTS:
            key = "waiting_lobby_ready"
        else:
            facts = {"count": seated}
    elif game.pending_power is PresidentialPower.POLICY_PEEK:
        key = "waiting_policy_peek"
    return line(language, key, facts, question=game.phase not in (Phase.LOBBY, Phase.DEAL))


def refusal(refused: Refused, evening: Evening, language: Language) -> Line:
    """Return the sentence that says why something was refused."""
    reason = refused.refusal
    if reason is Refusal.NOT_ALL_LOOKED:
        facts = {"names": lambda other: names_of(evening, refused.seats, other)}
        return line(language, "not_all_looked", facts, Effect.REFUSED)
    if reason in (Refusal.CONFIRM_TAKING_BACK_ROLES, Refusal.CONFIRM_BREAKING_OFF):
        return line(language, str(reason), {}, Effect.REFUSED)
    return line(language, f"refused.{reason}", {}, Effect.REFUSED)


def offer(evening: Evening, seat: int, language: Language) -> Line:
    """Return the name on offer, as a question."""
    return line(language, "offer", {"name": lambda other: name_of(evening, seat, other)})


def joined(evening: Evening, players: Iterable[int], language: Language) -> list[Line]:
    """Return the sentence that welcomes players, by id; none for those who have left again."""
    seated = [player for player in evening.seating.players if player.id in set(players)]
    if not seated:
        return []
    seating = evening.seating
    count = len(seating.players)

    def names(those: list[Player]) -> InLanguage:
        return lambda other: joined_names([said_name(seating, player, other) for player in those], ", ")

    if seated[1:]:
        facts = {"names": names(seated[:-1]), "last": names(seated[-1:]), "count": count}
        told = line(language, "players_joined", facts)
    else:
        told = line(language, "player_joined", {"name": names(seated), "count": count})
    return [replace(told, joined=tuple(player.id for player in seated))]


REVEALING = frozenset(
    {"chancellor_not_hitler", "executed_not_hitler", "broken_off", *(f"win_{reason}" for reason in Reason)}
)
"""The lines that tell what the box answers out of the roles it dealt: what they tell is shown with them, not before."""


def plain(language: Language, key: str, **facts: object) -> Line:
    """Return a line about the box itself."""
    return line(language, key, facts)


def fixed_texts(language: Language) -> list[str]:
    """Return every text that holds no fact: the night, and each such line."""
    night = [step.text for script in (language.few, language.many) for step in script if step.text]
    spoken = [text for table in (language.lines, language.refusals) for text in table.values() if "{" not in text]
    return list(dict.fromkeys([*night, *spoken]))


def counted_texts(language: Language) -> list[str]:
    """Return what may be counted at any moment: the steps of the volume, and the seconds until the box goes off."""
    volume = [language.say("volume", level=level) for level in range(STEPS + 1)]
    countdown = [language.say("shutdown_countdown", seconds=left) for left in range(1, int(HOLD_SECONDS[Button.UNDO]))]
    return [*volume, *countdown]


# --- what happened ---------------------------------------------------------------------------------------------------


def _nothing(_: Scene, __: Event) -> Iterator[Line]:
    return iter(())


def _seat_taken(scene: Scene, event: events.SeatTaken) -> Iterator[Line]:
    yield from joined(scene.evening, (event.player,), scene.language)


def _player_removed(scene: Scene, event: events.PlayerRemoved) -> Iterator[Line]:
    name = scene.said_name(scene.seating_before, event.player)
    yield scene.line("player_left", name=name, count=len(scene.evening.seating.players))


def _players_set(scene: Scene, event: events.PlayersSet) -> Iterator[Line]:
    # Seats that were taken or left have said the number already.
    if len(scene.entry) == 1:
        yield scene.line("players_set", count=event.players)


def _language_chosen(scene: Scene, event: events.LanguageChosen) -> Iterator[Line]:
    if event.player is None:
        yield scene.line("language_chosen")


def _seat_handed_over(scene: Scene, event: events.SeatHandedOver) -> Iterator[Line]:
    yield scene.line("seat_moved", name=scene.said_name(scene.evening.seating, event.player))


def _roles_dealt(scene: Scene, _: events.RolesDealt) -> Iterator[Line]:
    yield scene.line("roles_dealt", Effect.ATTENTION)


def _role_seen(scene: Scene, _: events.RoleSeen) -> Iterator[Line]:
    if len(scene.after.looked) == scene.after.players:
        yield scene.line("all_looked")


def _chancellor_nominated(scene: Scene, event: events.ChancellorNominated) -> Iterator[Line]:
    yield scene.line("nominated", president=scene.name(scene.after.president), chancellor=scene.name(event.chancellor))


def _government_elected(scene: Scene, _: events.GovernmentElected) -> Iterator[Line]:
    yield scene.line("government_elected")


def _election_failed(scene: Scene, _: events.ElectionFailed) -> Iterator[Line]:
    yield scene.line("election_failed", tracker=scene.before.election_tracker + 1)


def _not_hitler_confirmed(scene: Scene, event: events.NotHitlerConfirmed) -> Iterator[Line]:
    if event.player is not None and event.player in scene.before.not_hitler:
        return
    if event.player is not None and event.player in scene.after.executed:
        yield scene.line("executed_not_hitler", name=scene.name(event.player))
    else:
        yield scene.line("chancellor_not_hitler")


def _policy_enacted(scene: Scene, event: events.PolicyEnacted | events.ChaosPolicyEnacted) -> Iterator[Line]:
    game = scene.after
    if event.policy is Party.LIBERAL:
        yield scene.line("liberal_policy", Effect.LIBERAL_POLICY, liberal=game.liberal_policies)
    else:
        yield scene.line("fascist_policy", Effect.FASCIST_POLICY, fascist=game.fascist_policies)
    if game.phase is Phase.GAME_OVER:
        return
    if isinstance(event, events.ChaosPolicyEnacted):
        yield scene.line("chaos_enacted")
    if event.policy is Party.FASCIST and game.fascist_policies == boards.DANGER_ZONE:
        yield scene.line("danger_zone")
    if event.policy is Party.FASCIST and game.fascist_policies == boards.VETO_UNLOCKED:
        yield scene.line("veto_unlocked")


def _piles_reshuffled(scene: Scene, _: events.PilesReshuffled) -> Iterator[Line]:
    yield scene.line("reshuffled", cards=scene.after.draw_pile)


def _veto_refused(scene: Scene, _: events.VetoRefused) -> Iterator[Line]:
    yield scene.line("veto_refused")


def _agenda_vetoed(scene: Scene, _: events.AgendaVetoed) -> Iterator[Line]:
    yield scene.line("veto_agreed", tracker=scene.before.election_tracker + 1)


def _loyalty_investigated(scene: Scene, event: events.LoyaltyInvestigated) -> Iterator[Line]:
    president = scene.name(scene.before.president)
    yield scene.line("investigated", president=president, name=scene.name(event.player))


def _player_executed(scene: Scene, event: events.PlayerExecuted) -> Iterator[Line]:
    yield scene.line("executed", name=scene.name(event.player))


def _game_won(scene: Scene, event: events.GameWon) -> Iterator[Line]:
    liberal = event.reason.winner is Party.LIBERAL
    yield scene.line(f"win_{event.reason}", Effect.WIN_LIBERAL if liberal else Effect.WIN_FASCIST)


def _seat_shared(scene: Scene, event: events.SeatShared) -> Iterator[Line]:
    seating = scene.evening.seating
    name, friend = (scene.said_name(seating, player) for player in (event.player, event.with_player))
    yield scene.line("seat_shared", name=name, friend=friend)


def _player_absent(scene: Scene, event: events.PlayerAbsent) -> Iterator[Line]:
    yield scene.line("player_absent", name=scene.name(event.player))


def _player_present(scene: Scene, event: events.PlayerPresent) -> Iterator[Line]:
    yield scene.line("player_present", name=scene.name(event.player))


def _game_broken_off(scene: Scene, _: events.GameBrokenOff) -> Iterator[Line]:
    yield scene.line("broken_off", Effect.ATTENTION)
    roles = scene.after.roles
    if roles is not None:
        seats = {role: [seat for seat in scene.after.seats if roles[seat - 1] is role] for role in Role}
        hitler, fascists = scene.names(seats[Role.HITLER]), scene.names(seats[Role.FASCIST])
        yield scene.line("broken_off_roles", hitler=hitler, fascists=fascists)


def _handlers() -> dict[type, Callable[[Scene, Event], Iterator[Line]]]:
    pairs = (
        (events.SeatTaken, _seat_taken),
        (events.PlayerRemoved, _player_removed),
        (events.PlayersSet, _players_set),
        (events.LanguageChosen, _language_chosen),
        (events.SeatHandedOver, _seat_handed_over),
        (events.RolesDealt, _roles_dealt),
        (events.RoleSeen, _role_seen),
        (events.ChancellorNominated, _chancellor_nominated),
        (events.GovernmentElected, _government_elected),
        (events.ElectionFailed, _election_failed),
        (events.NotHitlerConfirmed, _not_hitler_confirmed),
        (events.PolicyEnacted, _policy_enacted),
        (events.ChaosPolicyEnacted, _policy_enacted),
        (events.PilesReshuffled, _piles_reshuffled),
        (events.VetoRefused, _veto_refused),
        (events.AgendaVetoed, _agenda_vetoed),
        (events.LoyaltyInvestigated, _loyalty_investigated),
        (events.PlayerExecuted, _player_executed),
        (events.GameWon, _game_won),
        (events.SeatShared, _seat_shared),
        (events.PlayerAbsent, _player_absent),
        (events.PlayerPresent, _player_present),
        (events.GameBrokenOff, _game_broken_off),
    )
    return {kind: cast("Callable[[Scene, Event], Iterator[Line]]", handler) for kind, handler in pairs}


_HAPPENED = _handlers()


# --- what comes now --------------------------------------------------------------------------------------------------


def situation(scene: Scene) -> Iterator[Line]:
    """Yield what the table has to do in the phase that has just begun."""
    yield from _SITUATIONS.get(scene.after.phase, _no_situation)(scene)


def _no_situation(_: Scene) -> Iterator[Line]:
    return iter(())


def _lobby(scene: Scene) -> Iterator[Line]:
    # After a game those who sit here know how to join.
    yield scene.line("table_open" if scene.evening.seating.players else "welcome", Effect.ATTENTION)


def _ask(scene: Scene) -> Iterator[Line]:
    yield scene.line("night_question", question=True)


def _election(scene: Scene) -> Iterator[Line]:
    key = "next_candidate"
    if any(isinstance(event, events.GameBegan) for event in scene.entry):
        key = "first_candidate"
    elif scene.after.president != scene.after.turn:
        key = "special_election"
    yield scene.line(key, name=scene.name(scene.after.president), question=True)
    if key == "first_candidate":
        # Once in a game, where it is needed: the box itself counts no votes.
        yield scene.line("vote_rule")
        if not scene.evening.seating.players:
            # Nobody has a name here: who is called by a number has to know whose it is.
            yield scene.line("seat_one")


def _hitler_check(scene: Scene) -> Iterator[Line]:
    if scene.after.pending_power is PresidentialPower.EXECUTION:
        name = scene.name(scene.after.asked)
        yield scene.line("hitler_question_executed", Effect.ATTENTION, question=True, name=name)
    else:
        yield scene.line("hitler_question_chancellor", Effect.ATTENTION, question=True)


def _legislative_session(scene: Scene) -> Iterator[Line]:
    if scene.before.phase is Phase.VETO:
        return
    rules = scene.after.rules
    yield scene.line("session_president_enacts" if rules.enacting_office is Office.PRESIDENT else "session")
    yield scene.line("silence_from_draw" if rules.silence is Silence.FROM_DRAW else "silence_government")
    if scene.after.can_propose_veto:
        yield scene.line("veto_possible")


def _veto(scene: Scene) -> Iterator[Line]:
    yield scene.line("veto_proposed", Effect.ATTENTION, question=True)


def _chaos(scene: Scene) -> Iterator[Line]:
    vetoed = any(isinstance(event, events.AgendaVetoed) for event in scene.entry)
    yield scene.line("chaos_vetoed" if vetoed else "chaos", Effect.CHAOS, question=True)


def _executive_action(scene: Scene, offered: int | None = None) -> Iterator[Line]:
    game = scene.after
    if game.pending_power is None:
        return
    name = scene.name(game.president)
    yield scene.line(f"power_{game.pending_power}", Effect.ATTENTION, question=True, name=name)
    if game.pending_power.needs_player:
        yield scene.line("choose_player")
        yield offer(scene.evening, offered or game.eligible_targets[0], scene.language)


def _game_over(scene: Scene) -> Iterator[Line]:
    yield scene.line("game_over")


_SITUATIONS: dict[Phase, Callable[[Scene], Iterator[Line]]] = {
    Phase.LOBBY: _lobby,
    Phase.ASK: _ask,
    Phase.ELECTION: _election,
    Phase.HITLER_CHECK: _hitler_check,
    Phase.LEGISLATIVE_SESSION: _legislative_session,
    Phase.VETO: _veto,
    Phase.CHAOS: _chaos,
    Phase.EXECUTIVE_ACTION: _executive_action,
    Phase.GAME_OVER: _game_over,
}


# --- taking back -----------------------------------------------------------------------------------------------------


def report_key(event: GameEvent) -> str | None:
    """Return what an event is called among the reports of the language file; None for what is not reported."""
    return _REPORT_NAMES.get((type(event), getattr(event, "policy", None)))


_REPORT_NAMES: dict[tuple[type, Party | None], str] = {
    (events.RolesDealt, None): "roles_dealt",
    (events.NightBegan, None): "night_began",
    (events.NightEnded, None): "night_ended",
    (events.GameBegan, None): "game_began",
    (events.ChancellorNominated, None): "chancellor_nominated",
    (events.GovernmentElected, None): "government_elected",
    (events.ElectionFailed, None): "election_failed",
    (events.NotHitlerConfirmed, None): "not_hitler_confirmed",
    (events.PolicyEnacted, Party.LIBERAL): "policy_enacted_liberal",
    (events.PolicyEnacted, Party.FASCIST): "policy_enacted_fascist",
    (events.ChaosPolicyEnacted, Party.LIBERAL): "chaos_policy_enacted_liberal",
    (events.ChaosPolicyEnacted, Party.FASCIST): "chaos_policy_enacted_fascist",
    (events.VetoProposed, None): "veto_proposed",
    (events.VetoRefused, None): "veto_refused",
    (events.AgendaVetoed, None): "agenda_vetoed",
    (events.LoyaltyInvestigated, None): "loyalty_investigated",
    (events.SpecialElectionCalled, None): "special_election_called",
    (events.PoliciesPeeked, None): "policies_peeked",
    (events.PlayerExecuted, None): "player_executed",
    (events.GameWon, None): "game_won",
    (events.PlayerAbsent, None): "player_absent",
    (events.PlayerPresent, None): "player_present",
    (events.GameBrokenOff, None): "game_broken_off",
}


def report_of(evening: Evening, language: Language) -> str:
    """Return what the last report is called, which undo would take back."""
    return _called(evening.step.report, language)


def redo_of(evening: Evening, language: Language) -> str:
    """Return what the report is called that was taken back last; empty where there is none to put back."""
    return _called(evening.taken_back[-1].report, language) if evening.taken_back else ""


def _called(report: Iterable[GameEvent], language: Language) -> str:
    keys = [key for event in report if (key := report_key(event)) is not None]
    # One press that reported the vote and the policy is taken back as a whole, and said as a whole.
    return ", ".join(language.reports[key] for key in keys)


def _taken_back(scene: Scene, before: Evening) -> Iterator[Line]:
    yield scene.line("taken_back", report=lambda language: report_of(before, language))
    if len(scene.evening.taken_back) > 1:
        # Whoever takes back one report after the other may take back one too many.
        yield scene.line("redo_hint")


def _redone(scene: Scene) -> Iterator[Line]:
    yield scene.line("redone", report=lambda language: report_of(scene.evening, language))
    if scene.after.reason is not None:
        yield scene.line(f"win_{scene.after.reason}")
