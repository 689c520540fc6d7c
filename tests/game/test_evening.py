"""An evening: people who come and go, the games they play, and reports that are taken back."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from companion.game import boards, commands, evening, events, views
from companion.game.refusals import Refusal, Refused
from companion.game.seating import SIGNS
from companion.game.vocabulary import Party, Phase, Role
from companion.table.snapshot import Snapshot

if TYPE_CHECKING:
    from companion.game.commands import Command
    from companion.game.evening import Entry, Evening

NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ira", "Jo")


class Box:
    """An evening and its journal, told one report after the other."""

    def __init__(self, seats: int = 0, panel: int = 5) -> None:
        self.evening, first = evening.opened(panel)
        self.journal: list[Entry] = [first]
        for name in NAMES[:seats]:
            self.report(commands.TakeSeat(name, f"claim of {name}"))

    def report(self, *report: Command) -> Entry:
        """Report something that has to be allowed."""
        entry = evening.decide(self.evening, report)
        self.evening = evening.evolve(self.evening, entry)
        self.journal.append(entry)
        return entry

    def refusal(self, *report: Command) -> Refusal:
        """Report something that has to be refused, and return why."""
        with pytest.raises(Refused) as refused:
            evening.decide(self.evening, report)
        return refused.value.refusal

    def phase(self) -> Phase:
        """Return where the table stands."""
        return self.evening.game.phase

    def deal(self) -> tuple[Role, ...]:
        """Deal the roles in their unshuffled order: Liberals first, Hitler last."""
        roles = boards.roles(self.evening.game.players)
        self.report(commands.DealRoles(roles))
        return roles

    def begin(self, first: int = 1) -> None:
        """Go from the deal or the lobby through the night to the first election."""
        self.report(commands.BeginNight(regardless=True))
        self.report(commands.EndNight())
        self.report(commands.BeginGame(first))

    def play_out(self) -> None:
        """End the game: five Liberal governments."""
        for _ in range(5):
            self.report(commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))

    def replayed(self) -> Evening:
        """Return what the journal makes of it."""
        return evening.replay(*self.journal)


def test_the_seats_that_are_taken_decide_how_many_play() -> None:
    """With five or more seated the table is as large as the people are; below, it stays as it was set."""
    box = Box(seats=4, panel=8)
    assert box.evening.game.players == 8
    assert box.evening.seats_shown == (1, 2, 3, 4)
    for number in range(5, 11):
        box.report(commands.TakeSeat(NAMES[number - 1], str(number)))
        assert box.evening.game.players == number
    box.report(commands.RemovePlayer(3))
    assert box.evening.game.players == 9
    assert box.refusal(commands.SetPlayers(6)) is Refusal.SEATS_DECIDE


def test_with_no_phones_the_panel_decides_how_many_play() -> None:
    """With nobody seated the number of players is set, from five to ten."""
    box = Box()
    assert box.evening.seats_shown == (1, 2, 3, 4, 5)
    box.report(commands.SetPlayers(9))
    assert box.evening.seats_shown == tuple(range(1, 10))
    assert box.evening.names() == (None,) * 9
    assert box.refusal(commands.SetPlayers(11)) is Refusal.PLAYER_COUNT
    assert box.refusal(commands.SetPlayers(4)) is Refusal.PLAYER_COUNT


def test_an_eleventh_player_finds_the_table_full() -> None:
    """Ten sit; nobody else does, not on a shared phone either."""
    box = Box(seats=10)
    assert box.refusal(commands.TakeSeat("Kim", "claim of Kim")) is Refusal.TABLE_FULL
    assert box.refusal(commands.AddSharedSeat("Kim", 1)) is Refusal.TABLE_FULL


def test_a_name_is_taken_once_and_a_phone_sits_once() -> None:
    """The same name, or the same phone, gets no second seat."""
    box = Box(seats=2)
    assert box.refusal(commands.TakeSeat(" ANN ", "another phone")) is Refusal.NAME_TAKEN
    assert box.refusal(commands.TakeSeat("Kim", "claim of Ann")) is Refusal.ALREADY_SEATED
    assert box.refusal(commands.TakeSeat("", "another phone")) is Refusal.NAME_EMPTY
    assert box.refusal(commands.RenamePlayer(2, "ann")) is Refusal.NAME_TAKEN
    assert box.report(commands.RenamePlayer(1, "ANN")) == (events.PlayerRenamed(1, "ANN"),)
    assert box.report(commands.RenamePlayer(1, "ANN ")) == ()


def test_during_a_game_nobody_joins_leaves_or_moves() -> None:
    """From the deal to the end the seats stand; names, phones and languages may change."""
    box = Box(seats=6)
    box.deal()
    for _ in ("in the deal", "in the game"):
        for command in (
            commands.TakeSeat("Kim", "claim of Kim"),
            commands.AddSharedSeat("Kim", 1),
            commands.RemovePlayer(1),
            commands.MovePlayer(1, 2),
        ):
            assert box.refusal(command) is Refusal.JOINING_CLOSED
        if box.phase() is Phase.DEAL:
            box.begin()
    box.report(commands.RenamePlayer(1, "Anna"))
    box.report(commands.HandOverSeat(1, "new phone"))
    box.report(commands.ChooseLanguage("pl"))
    box.report(commands.ChooseLanguage("nb", 2))
    assert box.evening.names()[0] == "Anna"


def test_after_a_game_people_sit_down_for_the_next_one() -> None:
    """Joining is open again when the game is over, and the next lobby has them all; the seats of the old game stay."""
    box = Box(seats=5)
    box.deal()
    box.begin()
    box.play_out()
    assert box.phase() is Phase.GAME_OVER
    box.report(commands.TakeSeat("Flo", "claim of Flo"))
    assert box.evening.game.players == 5
    assert box.evening.names() == NAMES[:5]
    assert box.refusal(commands.MovePlayer(6, 1)) is Refusal.SEATS_AFTER_THE_GAME
    box.report(commands.OpenLobby())
    assert box.evening.game.players == 6
    assert box.evening.names() == NAMES[:6]
    assert box.refusal(commands.TakeBack()) is Refusal.NOTHING_TO_TAKE_BACK


def test_a_lobby_reached_by_taking_back_lays_the_table_for_everybody() -> None:
    """Who sat down after a game that is then taken back to its lobby gets a role at the next deal."""
    box = Box(seats=5)
    box.deal()
    box.begin()
    box.play_out()
    box.report(commands.TakeSeat("Flo", "claim of Flo"))
    for _ in range(box.evening.step.steps()):
        box.report(commands.TakeBack(confirmed=True))
    assert box.phase() is Phase.LOBBY
    assert box.evening.game.players == 6
    assert len(box.deal()) == 6
    assert box.evening.game == box.replayed().game


def test_a_shared_phone_belongs_to_its_owner() -> None:
    """A seat without a phone is served by the owner's, also when somebody who shares it already is named."""
    box = Box(seats=2)
    box.report(commands.AddSharedSeat("Kim", 2))
    box.report(commands.AddSharedSeat("Lee", 3))
    assert [player.shares for player in box.evening.seating.players] == [None, None, 2, 2]
    box.report(commands.HandOverSeat(4, "phone of Lee"))
    assert box.evening.seating.by_id(4).shares is None
    box.report(commands.RemovePlayer(2))
    assert box.evening.names() == ("Ann", "Lee")


def test_a_seat_handed_over_answers_to_the_new_phone_only() -> None:
    """The old phone's claim ends, and a phone that has a seat gets no second one."""
    box = Box(seats=3)
    assert box.refusal(commands.HandOverSeat(1, "claim of Bo")) is Refusal.ALREADY_SEATED
    box.report(commands.HandOverSeat(1, "new phone"))
    assert box.evening.seating.claimed_by("claim of Ann") is None
    found = box.evening.seating.claimed_by("new phone")
    assert found is not None
    assert found.name == "Ann"


def test_players_who_are_not_there_are_refused() -> None:
    """An id or a seat that nobody has is refused by every command about people."""
    box = Box(seats=3)
    for command in (
        commands.RenamePlayer(9, "Kim"),
        commands.RemovePlayer(9),
        commands.MovePlayer(9, 1),
        commands.MovePlayer(1, 4),
        commands.MovePlayer(1, 0),
        commands.HandOverSeat(9, "phone"),
        commands.AddSharedSeat("Kim", 9),
        commands.ChooseLanguage("pl", 9),
    ):
        assert box.refusal(command) is Refusal.NO_SUCH_SEAT


def test_phones_get_roles_only_when_enough_people_sit() -> None:
    """Roles are dealt to five or more who are seated; real role cards need nobody seated."""
    box = Box(seats=4)
    assert box.refusal(commands.DealRoles(boards.roles(5))) is Refusal.TOO_FEW_PLAYERS
    box.report(commands.BeginNight())
    assert box.phase() is Phase.NIGHT


def test_the_night_waits_for_everybody_to_look() -> None:
    """The refusal names the seats that have not looked; going on regardless is possible."""
    box = Box(seats=5)
    box.deal()
    for seat in (1, 2, 4):
        box.report(commands.LookAtRole(seat))
    with pytest.raises(Refused) as refused:
        evening.decide(box.evening, [commands.BeginNight()])
    assert refused.value.refusal is Refusal.NOT_ALL_LOOKED
    assert refused.value.seats == (3, 5)
    box.report(commands.LookAtRole(3))
    box.report(commands.LookAtRole(5))
    assert box.report(commands.LookAtRole(5)) == ()
    box.report(commands.BeginNight())


def test_after_a_bad_night_dealt_roles_are_dealt_anew_and_cards_are_kept() -> None:
    """Something went wrong: dealt roles are dealt again, and with real cards the night is held again."""
    box = Box(seats=5)
    box.deal()
    box.report(commands.BeginNight(regardless=True))
    box.report(commands.EndNight())
    assert box.refusal(commands.BeginNight()) is Refusal.NOT_NOW
    box.report(commands.DealRoles(boards.roles(5)[::-1]))
    assert box.phase() is Phase.DEAL
    cards = Box()
    cards.report(commands.BeginNight())
    cards.report(commands.EndNight())
    assert cards.refusal(commands.DealRoles(boards.roles(5))) is Refusal.TOO_FEW_PLAYERS
    cards.report(commands.BeginNight())


def test_taking_back_leaves_people_and_phones_as_they_are() -> None:
    """Names, seats, phones and languages are no reports of the game and stay when one is taken back."""
    box = Box(seats=5)
    box.deal()
    box.begin()
    box.report(commands.Vote(elected=True))
    box.report(commands.RenamePlayer(1, "Anna"))
    box.report(commands.HandOverSeat(2, "new phone"))
    box.report(commands.ChooseLanguage("it"))
    seating = box.evening.seating
    for _ in range(box.evening.step.steps()):
        box.report(commands.TakeBack(confirmed=True))
    assert box.phase() is Phase.LOBBY
    assert box.evening.seating == seating
    assert box.evening.names()[0] == "Anna"
    assert box.refusal(commands.TakeBack()) is Refusal.NOTHING_TO_TAKE_BACK


def test_dealt_roles_are_taken_back_only_when_that_is_confirmed() -> None:
    """One press too many does not lose the roles."""
    box = Box(seats=5)
    box.deal()
    box.report(commands.LookAtRole(1))
    assert box.refusal(commands.TakeBack()) is Refusal.CONFIRM_TAKING_BACK_ROLES
    box.report(commands.BeginNight(regardless=True))
    box.report(commands.TakeBack())
    assert box.evening.game.looked == {1}
    box.report(commands.TakeBack(confirmed=True))
    assert box.phase() is Phase.LOBBY
    assert box.evening.game.roles is None


def test_one_report_of_several_commands_is_one_step() -> None:
    """Elected and enacted in one press is taken back in one press."""
    box = Box()
    box.begin()
    before = box.evening.game
    box.report(commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST))
    assert box.evening.game.fascist_policies == 1
    box.report(commands.TakeBack())
    assert box.evening.game == before


def test_one_report_happens_whole_or_not_at_all() -> None:
    """When one command of a report is refused, none has happened."""
    box = Box()
    box.begin()
    before = box.evening
    report = (commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST), commands.ProposeVeto())
    assert box.refusal(*report) is Refusal.NOT_NOW
    assert box.evening is before


def test_a_report_may_take_back_and_correct() -> None:
    """Taking back and reporting otherwise in one report is one step again; its own beginning is taken back too."""
    box = Box()
    box.begin()
    before = box.evening.game
    box.report(commands.Vote(elected=False))
    steps = box.evening.step.steps()
    box.report(commands.TakeBack(), commands.Vote(elected=True))
    assert box.phase() is Phase.LEGISLATIVE_SESSION
    assert box.evening.step.steps() == steps
    box.report(commands.EnactPolicy(Party.LIBERAL), commands.TakeBack(), commands.EnactPolicy(Party.FASCIST))
    assert (box.evening.game.liberal_policies, box.evening.game.fascist_policies) == (0, 1)
    assert box.evening.step.steps() == steps + 1
    box.report(commands.Vote(elected=True), commands.TakeBack())
    assert box.phase() is Phase.ELECTION
    assert box.evening.step.steps() == steps + 1
    box.report(commands.TakeBack())
    box.report(commands.TakeBack())
    assert box.evening.game == before
    assert box.replayed().game == before


def test_an_evening_of_two_games_replays_from_its_journal() -> None:
    """The journal alone gives back people, game and every step, over more than one game."""
    box = Box(seats=7)
    box.deal()
    box.begin(3)
    box.play_out()
    box.report(commands.OpenLobby())
    box.report(commands.MovePlayer(7, 1))
    box.deal()
    box.begin()
    box.report(commands.Vote(elected=False))
    replayed = box.replayed()
    assert replayed.seating == box.evening.seating
    assert replayed.game == box.evening.game
    assert replayed.step.steps() == box.evening.step.steps()
    assert box.evening.names()[0] == "Gus"


ROLE_WORD = re.compile(r"Role\.|'(liberal|fascist|hitler)'", re.IGNORECASE)


@pytest.mark.parametrize("players", boards.PLAYER_COUNTS)
def test_nothing_that_is_written_to_a_log_tells_a_role(players: int) -> None:
    """No `repr` or `str` of a state, command, event, snapshot or view holds a role, a party or a phone's claim."""
    box = Box(seats=players)
    hand = list(boards.roles(players))
    random.Random(players).shuffle(hand)  # noqa: S311 - a test's deal is no secret
    deal = commands.DealRoles(tuple(hand))
    shown: list[object] = [deal, box.report(deal)]
    box.begin()
    target = views.secret_view(box.evening.game, 1)
    shown += [box.evening, box.evening.game, box.evening.step, Snapshot(box.evening), target, box.journal]
    shown += [box.evening.seating, commands.TakeSeat("Kim", "claim of Kim"), commands.HandOverSeat(1, "claim of Kim")]
    for each in shown:
        for text in (repr(each), str(each), f"{each}"):
            assert not ROLE_WORD.search(text)
            assert "claim of" not in text


def test_each_player_knows_what_the_night_tells_them() -> None:
    """Fascists know each other and Hitler; Hitler knows the Fascist with five or six players only; Liberals nobody."""
    for players in boards.PLAYER_COUNTS:
        box = Box(seats=players)
        assert views.secret_view(box.evening.game, 1) is None
        roles = box.deal()
        evil = {seat: role for seat, role in enumerate(roles, 1) if role is not Role.LIBERAL}
        for seat, role in enumerate(roles, 1):
            view = views.secret_view(box.evening.game, seat)
            assert view is not None
            knows = role is Role.FASCIST or (role is Role.HITLER and players <= 6)
            assert dict(view.allies) == ({other: evil[other] for other in evil if other != seat} if knows else {})
            assert view.role is role
            assert view.party is role.party


def test_roles_are_shown_at_the_end_only() -> None:
    """All roles are public once the game is over, and not before; without a deal there is nothing to show."""
    box = Box(seats=5)
    roles = box.deal()
    box.begin()
    assert views.revealed_roles(box.evening.game) is None
    box.play_out()
    assert views.revealed_roles(box.evening.game) == roles
    box.report(commands.TakeBack())
    assert views.revealed_roles(box.evening.game) is None


@pytest.mark.parametrize("seat", [0, -1, 6])
def test_a_seat_that_is_not_there_has_no_secrets(seat: int) -> None:
    """Secrets of a seat beyond the table are refused, not somebody else's."""
    box = Box(seats=5)
    box.deal()
    with pytest.raises(Refused) as refused:
        views.secret_view(box.evening.game, seat)
    assert refused.value.refusal is Refusal.NO_SUCH_SEAT


def test_what_was_taken_back_is_put_back_in_its_order() -> None:
    """Undo down to the lobby and redo up again: the game is the one it was, and so is what undo takes back next."""
    box = Box(seats=5)
    box.deal()
    box.report(commands.LookAtRole(2))
    box.begin()
    box.report(commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST))
    whole = box.evening
    steps = whole.step.steps()
    for _ in range(steps):
        box.report(commands.TakeBack(confirmed=True))
    assert box.phase() is Phase.LOBBY
    for _ in range(steps):
        assert box.report(commands.Redo()) == (events.ReportRedone(),)
    assert box.evening.step is whole.step
    assert box.refusal(commands.Redo()) is Refusal.NOTHING_TO_REDO
    assert box.replayed().game == whole.game
    box.report(commands.TakeBack())
    assert box.evening.game.fascist_policies == 0


@pytest.mark.parametrize(
    ("meanwhile", "is_lost"),
    [
        (commands.Vote(elected=False), True),
        (commands.Nominate(3), True),
        (commands.MarkAbsent(4), True),
        (commands.RenamePlayer(1, "Anna"), False),
        (commands.HandOverSeat(2, "new phone"), False),
        (commands.ChooseLanguage("it"), False),
    ],
)
def test_redo_lasts_until_something_else_is_reported(meanwhile: Command, is_lost: bool) -> None:
    """A report in between makes it another game; who holds which phone does not."""
    box = Box(seats=7)
    box.deal()
    box.begin()
    box.report(commands.Vote(elected=True))
    box.report(commands.TakeBack())
    box.report(meanwhile)
    if is_lost:
        assert box.refusal(commands.Redo()) is Refusal.NOTHING_TO_REDO
    else:
        box.report(commands.Redo())
        assert box.phase() is Phase.LEGISLATIVE_SESSION


def test_dealt_roles_are_not_put_back_on_other_people() -> None:
    """Once somebody has left or sat down since the deal was taken back, that deal is gone for good."""
    for changed in ((commands.RemovePlayer(5),), (commands.MovePlayer(5, 1),), (commands.TakeSeat("Zed", "a claim"),)):
        box = Box(seats=5)
        box.deal()
        box.report(commands.TakeBack(confirmed=True))
        box.report(*changed)
        assert box.refusal(commands.Redo()) is Refusal.NOTHING_TO_REDO
        assert box.evening.game.roles is None


def test_moved_one_after_the_other_everybody_sits_where_chance_put_them() -> None:
    """Seats that are shuffled are one report of moves, first seat first."""
    chance = random.Random(3)  # noqa: S311 - a test, not a secret
    for players in boards.PLAYER_COUNTS:
        box = Box(seats=players)
        order = list(box.evening.seating.players)
        chance.shuffle(order)
        box.report(*(commands.MovePlayer(player.id, seat) for seat, player in enumerate(order, 1)))
        assert [player.id for player in box.evening.seating.players] == [player.id for player in order]


def test_everybody_has_a_sign_that_nobody_else_has():
    """Ten people sit down and each is known by another one; a shared seat has one too."""
    box = Box(seats=9)
    box.report(commands.AddSharedSeat("Jo", box.evening.seating.players[0].id))
    signs = [player.sign for player in box.evening.seating.players]
    assert len(set(signs)) == 10
    assert set(signs) <= set(SIGNS)


def test_a_sign_that_was_left_behind_goes_to_no_stranger_at_once():
    """Whoever looks for the star of a friend who has just gone finds nobody."""
    box = Box(seats=3)
    gone = box.evening.seating.players[1]
    box.report(commands.RemovePlayer(gone.id))
    box.report(commands.TakeSeat("Jo", "claim of Jo"))
    assert box.evening.seating.players[-1].sign != gone.sign


def test_a_wanted_sign_is_had_where_it_is_free():
    """And another one where it is not, or where there is no such sign."""
    box = Box()
    box.report(commands.TakeSeat("Ann", "a", sign="tree"))
    box.report(commands.TakeSeat("Bo", "b", sign="tree"))
    box.report(commands.TakeSeat("Cy", "c", sign="eagle"))
    ann, bo, cy = (player.sign for player in box.evening.seating.players)
    assert ann == "tree"
    assert len({ann, bo, cy}) == 3
    assert {bo, cy} <= set(SIGNS)


def test_a_sign_is_changed_at_any_time_and_never_doubled():
    """Also in the middle of a game; a taken or unknown one is refused, the same again changes nothing."""
    box = Box(seats=5)
    box.deal()
    first, second = box.evening.seating.players[:2]
    free = next(sign for sign in SIGNS if sign not in {each.sign for each in box.evening.seating.players})
    assert box.refusal(commands.ChooseSign(first.id, second.sign)) is Refusal.SIGN_TAKEN
    assert box.refusal(commands.ChooseSign(first.id, "eagle")) is Refusal.SIGN_TAKEN
    assert box.report(commands.ChooseSign(first.id, first.sign)) == ()
    box.report(commands.ChooseSign(first.id, free))
    assert box.evening.seating.players[0].sign == free
    assert evening.replay(*box.journal).seating == box.evening.seating


def test_a_name_is_spelled_for_the_voice_before_a_game():
    """Not in the middle of one, where it could be made to say something; another name is read as it is written."""
    box = Box(seats=5)
    ann = box.evening.seating.players[0].id
    box.report(commands.SpellName(ann, "  Enn "))
    assert box.evening.seating.players[0].spoken == "Enn"
    assert box.report(commands.SpellName(ann, "Enn")) == ()
    box.report(commands.SpellName(ann, "Ann"))
    assert box.evening.seating.players[0].spoken == ""
    box.report(commands.SpellName(ann, "Enn"))
    box.report(commands.RenamePlayer(ann, "Anna"))
    assert box.evening.seating.players[0].spoken == ""
    box.report(commands.SpellName(ann, ""))
    assert box.refusal(commands.SpellName(ann, "x" * 25)) is Refusal.NAME_TOO_LONG
    box.deal()
    assert box.refusal(commands.SpellName(ann, "Enn")) is Refusal.JOINING_CLOSED


def test_signs_and_spellings_come_along_to_the_next_game_and_leave_redo():
    """They belong to the people; a report that was taken back still fits the table."""
    box = Box(seats=5)
    ann = box.evening.seating.players[0]
    box.report(commands.SpellName(ann.id, "Enn"))
    box.deal()
    box.begin()
    box.report(commands.Vote(elected=True))
    box.report(commands.TakeBack())
    free = next(sign for sign in SIGNS if sign not in {each.sign for each in box.evening.seating.players})
    box.report(commands.ChooseSign(ann.id, free))
    box.report(commands.Redo())
    assert (box.evening.seating.players[0].sign, box.evening.seating.players[0].spoken) == (free, "Enn")
