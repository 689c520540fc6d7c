"""An evening at the table: the people, the game they play, and every step that can be taken back.

One report (a press, a tap, a line) is one or more commands, decided together, and gives one `Entry` for the journal:
all of it happened or none. `taking back` returns to the game before the last report and leaves people and phones as
they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, cast

from companion.game import boards, commands, events, rules
from companion.game.editions import RETAIL, Rules
from companion.game.refusals import Refusal, Refused
from companion.game.seating import SIGNS, Player, Seating, tidy_name
from companion.game.state import Game
from companion.game.vocabulary import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from companion.game.commands import Command
    from companion.game.events import Event, GameEvent

Entry = tuple["Event", ...]
"""What one report made happen."""

_FORMER_CLAIMS = 3
"""How many of the phones that had a seat before are remembered."""
_NO_STEP = (events.PlayersSet, events.RoleSeen)
"""Game events that are no report of the table's and so are not taken back on their own."""
_LEAVE_REDO = (
    events.PlayerRenamed,
    events.SeatHandedOver,
    events.SeatShared,
    events.LanguageChosen,
    events.SignChosen,
    events.NameSpelled,
)
"""Events after which a report that was taken back still fits the table: the same people sit at the same seats."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A game, the report that led to it, and the step before."""

    game: Game
    report: tuple[GameEvent, ...] = ()
    before: Step | None = None

    def steps(self) -> int:
        """How many reports can be taken back."""
        count, step = 0, self
        while step.before is not None:
            count, step = count + 1, step.before
        return count


@dataclass(frozen=True, slots=True)
class Evening:
    """The whole memory of the box at one moment.

    Attributes:
        seating: who sits where.
        step: the game and the way to it.
        taken_back: the steps that were taken back and can be put back, the last one last.
    """

    seating: Seating
    step: Step
    taken_back: tuple[Step, ...] = ()

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.step.game

    @property
    def staying(self) -> Seating:
        """Who sits where for the next game: everybody but those who went home."""
        gone = [player for seat in self.game.absent if (player := self.seating.player_at(seat))]
        return self.seating.without_absent(player.id for player in gone)

    @property
    def joining(self) -> bool:
        """Whether people may sit down: in the lobby, and after a game for the next one."""
        return self.game.phase in (Phase.LOBBY, Phase.GAME_OVER)

    @property
    def seats_shown(self) -> tuple[int, ...]:
        """The living seats as the table sees them: in the lobby those taken, or as many as the panel has set."""
        seated = len(self.seating.players)
        # With real role cards the panel may have set another number than that of the seats.
        if self.game.phase is Phase.LOBBY and seated and _players_for(self.seating, 0) in (0, self.game.players):
            return tuple(range(1, seated + 1))
        return self.game.alive

    def names(self) -> tuple[str | None, ...]:
        """Return the name at each seat of the game, seat 1 first; None where the box was not told."""
        seats = max(self.seats_shown, default=0) if self.game.phase is Phase.LOBBY else self.game.players
        return self.seating.names(seats)


def opened(players: int = 5, rulebook: Rules = RETAIL, seating: Seating | None = None) -> tuple[Evening, Entry]:
    """Return a fresh evening in its lobby, and the entry that a journal begins with."""
    entry: Entry = (events.GameOpened(players, rulebook, seating or Seating()),)
    return replay(entry), entry


def replay(first: Entry, *entries: Entry) -> Evening:
    """Return what a journal's entries make of an evening. The first begins with `GameOpened`."""
    return reduce(evolve, entries, evolve(None, first))


def decide(evening: Evening, report: Iterable[Command]) -> Entry:
    """Return what the commands of one report give, decided one after the other.

    Raises:
        Refused: one of them is not allowed; then none has happened.
    """
    happened: Entry = ()
    for command in report:
        # The entry so far as a whole, as the journal will have it: taking back counts whole entries.
        happened += _decide_one(evolve(evening, happened), command)
    return happened


def evolve(evening: Evening | None, entry: Entry) -> Evening:
    """Return the evening after one entry. None stands for the time before the first."""
    seating = Seating() if evening is None else evening.seating
    step = Step(Game()) if evening is None else evening.step
    taken_back = () if evening is None else evening.taken_back
    before = step
    report: list[GameEvent] = []
    for event in entry:
        if not isinstance(event, (events.ReportTakenBack, events.ReportRedone, *_LEAVE_REDO)):
            taken_back = ()
        if isinstance(event, events.GameOpened):
            seating = event.seating
            before = step = Step(rules.opened(event.players, event.rules))
            # What came before belongs to the game that this one follows.
            report.clear()
        elif isinstance(event, events.ReportTakenBack):
            # Of a report that takes back its own beginning, only that beginning is taken back.
            if not report and step.before is not None:
                taken_back = (*taken_back, step)
            before = step = before if report else step.before or step
            report.clear()
        elif isinstance(event, events.ReportRedone):
            *others, step = taken_back
            taken_back, before = tuple(others), step
        elif type(event) in _SEATING:
            seating = _SEATING[type(event)](seating, event)
        else:
            played = cast("GameEvent", event)
            step = replace(step, game=rules.evolve(step.game, played))
            if not isinstance(played, _NO_STEP):
                report.append(played)
    if report:
        step = Step(step.game, tuple(report), before)
    return Evening(seating, step, taken_back)


# --- decisions -------------------------------------------------------------------------------------------------------


def _decide_one(evening: Evening, command: Command) -> Entry:
    if isinstance(command, commands.TakeBack):
        return _take_back(evening, command)
    if isinstance(command, commands.Redo):
        if not evening.taken_back:
            raise Refused(Refusal.NOTHING_TO_REDO)
        return (events.ReportRedone(),)
    if isinstance(command, commands.OpenLobby):
        if evening.game.phase is not Phase.GAME_OVER:
            # A new lobby has no way back, so no game is thrown away by one: undo leads out of it instead.
            raise Refused(Refusal.NOT_NOW)
        seating = evening.staying
        return (events.GameOpened(_players_for(seating, evening.game.players), evening.game.rules, seating),)
    if isinstance(command, commands.BreakOff):
        ended = rules.broken_off(evening.game)
        if not command.confirmed:
            raise Refused(Refusal.CONFIRM_BREAKING_OFF)
        return ended
    if isinstance(command, commands.MarkAbsent):
        seat = evening.seating.seat_of(evening.seating.by_id(command.player).id)
        return rules.absence(evening.game, seat or 0, absent=command.absent)
    if type(command) in _SEATING_DECISIONS:
        return _SEATING_DECISIONS[type(command)](evening, command)
    return _decide_game(evening, cast("commands.GameCommand", command))


def _decide_game(evening: Evening, command: commands.GameCommand) -> Entry:
    seated = len(evening.seating.players)
    if isinstance(command, commands.SetPlayers) and seated and not command.whoever_sits:
        raise Refused(Refusal.SEATS_DECIDE)
    if isinstance(command, commands.DealRoles) and seated < boards.PLAYER_COUNTS[0]:
        raise Refused(Refusal.TOO_FEW_PLAYERS)
    return rules.decide(evening.game, command)


def _take_back(evening: Evening, command: commands.TakeBack) -> Entry:
    if evening.step.before is None:
        raise Refused(Refusal.NOTHING_TO_TAKE_BACK)
    deals = any(isinstance(event, events.RolesDealt) for event in evening.step.report)
    if deals and not command.confirmed:
        raise Refused(Refusal.CONFIRM_TAKING_BACK_ROLES)
    game = evening.step.before.game
    players = _players_for(evening.seating, game.players)
    if game.phase is not Phase.LOBBY or players == game.players:
        return (events.ReportTakenBack(),)
    # Somebody sat down after the game: people are not taken back, so the lobby lays the table for them too.
    return (events.ReportTakenBack(), events.PlayersSet(players))


def _players_for(seating: Seating, otherwise: int) -> int:
    """The seats that are taken decide how many play, once they are enough for a game."""
    seated = len(seating.players)
    return seated if seated in boards.PLAYER_COUNTS else otherwise


def _with_player_count(evening: Evening, event: events.SeatingEvent) -> Entry:
    """Add the number of players that a change of seats brings about in the lobby."""
    after = _SEATING[type(event)](evening.seating, event)
    players = _players_for(after, evening.game.players)
    if evening.game.phase is not Phase.LOBBY or players == evening.game.players:
        return (event,)
    return (event, events.PlayersSet(players))


def _require_joining(evening: Evening) -> None:
    if not evening.joining:
        raise Refused(Refusal.JOINING_CLOSED)


def _require_lobby(evening: Evening) -> None:
    # After a game the seats still say who had which role; they are rearranged in the next lobby.
    if evening.game.phase is Phase.GAME_OVER:
        raise Refused(Refusal.SEATS_AFTER_THE_GAME)
    if evening.game.phase is not Phase.LOBBY:
        raise Refused(Refusal.JOINING_CLOSED)


def _take_seat(evening: Evening, command: commands.TakeSeat) -> Entry:
    seating = evening.seating
    if seating.claimed_by(command.claim) is not None:
        raise Refused(Refusal.ALREADY_SEATED)
    _require_joining(evening)
    seating.require_room()
    name, sign = seating.free_name(command.name), seating.free_sign(command.sign)
    spoken = tidy_name(command.spoken) if command.spoken else ""
    taken = events.SeatTaken(seating.next_id, name, command.claim, command.language, None, sign, spoken)
    return _with_player_count(evening, taken)


def _add_shared_seat(evening: Evening, command: commands.AddSharedSeat) -> Entry:
    seating = evening.seating
    _require_joining(evening)
    seating.require_room()
    owner = seating.by_id(command.with_player)
    name = seating.free_name(command.name)
    shares = _owner_of_phone(owner)
    sign = seating.free_sign()
    return _with_player_count(evening, events.SeatTaken(seating.next_id, name, "", owner.language, shares, sign))


def _owner_of_phone(player: Player) -> int:
    """A phone is shared with its owner, not with somebody who shares it already."""
    return player.id if player.shares is None else player.shares


def _share_seat(evening: Evening, command: commands.ShareSeat) -> Entry:
    player, friend = (evening.seating.by_id(each) for each in (command.player, command.with_player))
    owner = _owner_of_phone(friend)
    if owner == player.id:
        raise Refused(Refusal.ALREADY_SEATED)
    return () if player.shares == owner else (events.SeatShared(player.id, owner),)


def _rename_player(evening: Evening, command: commands.RenamePlayer) -> Entry:
    player = evening.seating.by_id(command.player)
    name = evening.seating.free_name(command.name, besides=player.id)
    return () if name == player.name else (events.PlayerRenamed(player.id, name),)


def _remove_player(evening: Evening, command: commands.RemovePlayer) -> Entry:
    _require_lobby(evening)
    player = evening.seating.by_id(command.player)
    return _with_player_count(evening, events.PlayerRemoved(player.id))


def _move_player(evening: Evening, command: commands.MovePlayer) -> Entry:
    _require_lobby(evening)
    player = evening.seating.by_id(command.player)
    if not 1 <= command.seat <= len(evening.seating.players):
        raise Refused(Refusal.NO_SUCH_SEAT)
    moved = events.PlayerMoved(player.id, command.seat)
    return () if evening.seating.seat_of(player.id) == command.seat else (moved,)


def _hand_over_seat(evening: Evening, command: commands.HandOverSeat) -> Entry:
    seating = evening.seating
    player = seating.by_id(command.player)
    if seating.claimed_by(command.claim) is not None:
        raise Refused(Refusal.ALREADY_SEATED)
    return (events.SeatHandedOver(player.id, command.claim),)


def _choose_language(evening: Evening, command: commands.ChooseLanguage) -> Entry:
    if command.player is not None and evening.seating.by_id(command.player).language == command.language:
        return ()
    return (events.LanguageChosen(command.language, command.player),)


def _choose_sign(evening: Evening, command: commands.ChooseSign) -> Entry:
    player = evening.seating.by_id(command.player)
    taken = any(each.sign == command.sign for each in evening.seating.players if each.id != player.id)
    if taken or command.sign not in SIGNS:
        raise Refused(Refusal.SIGN_TAKEN)
    return () if player.sign == command.sign else (events.SignChosen(player.id, command.sign),)


def _spell_name(evening: Evening, command: commands.SpellName) -> Entry:
    # In the middle of a game it could be made to say something about somebody.
    _require_joining(evening)
    player = evening.seating.by_id(command.player)
    spoken = tidy_name(command.spoken) if command.spoken.strip() else ""
    if spoken == player.name:
        spoken = ""
    return () if player.spoken == spoken else (events.NameSpelled(player.id, spoken),)


_SEATING_DECISIONS: dict[type, Callable[[Evening, Command], Entry]] = {
    kind: cast("Callable[[Evening, Command], Entry]", decision)
    for kind, decision in (
        (commands.TakeSeat, _take_seat),
        (commands.AddSharedSeat, _add_shared_seat),
        (commands.RenamePlayer, _rename_player),
        (commands.RemovePlayer, _remove_player),
        (commands.MovePlayer, _move_player),
        (commands.HandOverSeat, _hand_over_seat),
        (commands.ShareSeat, _share_seat),
        (commands.ChooseLanguage, _choose_language),
        (commands.ChooseSign, _choose_sign),
        (commands.SpellName, _spell_name),
    )
}


# --- what a seating event makes of the seating -----------------------------------------------------------------------


def _on_seat_taken(seating: Seating, event: events.SeatTaken) -> Seating:
    return seating.with_player(
        Player(
            event.player,
            event.name,
            event.claim,
            event.language,
            event.shares,
            sign=event.sign,
            spoken=event.spoken,
        )
    )


def _on_player_renamed(seating: Seating, event: events.PlayerRenamed) -> Seating:
    # Another name is said another way.
    return seating.changed(replace(seating.by_id(event.player), name=event.name, spoken=""))


def _on_player_removed(seating: Seating, event: events.PlayerRemoved) -> Seating:
    return seating.without(event.player)


def _on_player_moved(seating: Seating, event: events.PlayerMoved) -> Seating:
    return seating.moved(event.player, event.seat)


def _on_seat_handed_over(seating: Seating, event: events.SeatHandedOver) -> Seating:
    # A seat that shared a phone and gets one of its own shares no longer.
    player = seating.by_id(event.player)
    return seating.changed(replace(player, claim=event.claim, shares=None, former_claims=_former_claims(player)))


def _former_claims(player: Player) -> tuple[str, ...]:
    former = (*player.former_claims, player.claim) if player.claim else player.former_claims
    return former[-_FORMER_CLAIMS:]


def _on_seat_shared(seating: Seating, event: events.SeatShared) -> Seating:
    player = seating.by_id(event.player)
    seating = seating.changed(replace(player, claim="", shares=event.with_player, former_claims=_former_claims(player)))
    for other in seating.players:
        if other.shares == player.id:
            seating = seating.changed(replace(other, shares=event.with_player))
    return seating


def _on_language_chosen(seating: Seating, event: events.LanguageChosen) -> Seating:
    if event.player is None:
        return replace(seating, language=event.language)
    return seating.changed(replace(seating.by_id(event.player), language=event.language))


def _on_sign_chosen(seating: Seating, event: events.SignChosen) -> Seating:
    return seating.changed(replace(seating.by_id(event.player), sign=event.sign))


def _on_name_spelled(seating: Seating, event: events.NameSpelled) -> Seating:
    return seating.changed(replace(seating.by_id(event.player), spoken=event.spoken))


_SEATING: dict[type, Callable[[Seating, Event], Seating]] = {
    kind: cast("Callable[[Seating, Event], Seating]", evolution)
    for kind, evolution in (
        (events.SeatTaken, _on_seat_taken),
        (events.PlayerRenamed, _on_player_renamed),
        (events.PlayerRemoved, _on_player_removed),
        (events.PlayerMoved, _on_player_moved),
        (events.SeatHandedOver, _on_seat_handed_over),
        (events.SeatShared, _on_seat_shared),
        (events.LanguageChosen, _on_language_chosen),
        (events.SignChosen, _on_sign_chosen),
        (events.NameSpelled, _on_name_spelled),
    )
}
