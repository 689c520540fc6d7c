import threading
from dataclasses import replace

import pytest

from companion import languages
from companion.game import boards, commands
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Party, Phase, Role
from companion.narrator.speech.silent import SilentSpeaker
from companion.panel import asking, presses
from hardware.panel import DARK, Button, ButtonEvent, Gesture, Light
from tests.support import Box, FakeClock, FakeSpeaker, after, begun, elected, evening_of, eventually, line, played

LIBERAL, FASCIST, JA, NEIN, REPEAT, UNDO = Button
ENGLISH = languages.load("en")


def say(key, **facts):
    return ENGLISH.say(key, **facts)


def spoken(key, **facts):
    """A line as the synthesiser reads it."""
    return ENGLISH.pronounce(say(key, **facts))


@pytest.fixture
def boxes():
    """Makes started boxes and closes them."""
    made = []

    def make(evening, **parts):
        box = Box(evening, **parts).start()
        made.append(box)
        box.silence()
        return box

    yield make
    for box in made:
        box.close()


def dangerous(players=7):
    """A game with real role cards and three Fascist policies, at an election."""
    evening = begun(evening_of(players))
    for _ in range(3):
        evening = after(evening, commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST))
        if evening.game.phase is Phase.EXECUTIVE_ACTION:
            targets = evening.game.eligible_targets
            evening = after(evening, commands.UsePower(targets[0] if targets else None))
    return evening


def test_a_refused_press_changes_nothing_and_says_what_is_awaited(boxes):
    """A press that means nothing is answered with what the box waits for, by voice, caption and blinking light."""
    box = boxes(dangerous())
    before = box.table.evening
    pressed = box.press(FASCIST)
    assert (pressed.ok, pressed.caption) == (False, say("waiting_election"))
    assert box.table.evening is before
    eventually(lambda: box.panel.lights.status is Light.FAST)
    box.silence()
    assert box.output.said()[-1] == spoken("waiting_election")


def test_the_hitler_question_stands_between_vote_and_policy(boxes):
    """In the danger zone a policy is refused until the question has been answered."""
    box = boxes(dangerous())
    assert box.press(JA).ok
    assert box.game.phase is Phase.HITLER_CHECK
    for button in (LIBERAL, FASCIST):
        assert not box.press(button).ok
        assert box.game.phase is Phase.HITLER_CHECK
    assert box.press(NEIN).ok
    assert box.press(LIBERAL).ok
    assert box.game.liberal_policies == 1


def test_a_veto_is_refused_with_its_reason(boxes):
    """Held nein proposes a veto once five Fascist policies are enacted, and says why not before and after."""
    box = boxes(begun(evening_of(5)))
    box.press(JA)
    assert box.press(NEIN, held=True) == type(box.press(REPEAT))(False, ENGLISH.refusals["veto_locked"])
    box.press(UNDO)
    assert not box.press(NEIN, held=True).ok
    assert (box.game.phase, box.game.election_tracker) == (Phase.ELECTION, 0)
    while box.game.fascist_policies < 5:
        box.press(JA)
        if box.game.phase is Phase.HITLER_CHECK:
            box.press(NEIN)
        box.press(FASCIST)
        while box.game.phase in (Phase.EXECUTIVE_ACTION, Phase.HITLER_CHECK):
            box.press(JA if box.game.phase is Phase.EXECUTIVE_ACTION else NEIN)
    box.press(JA)
    box.press(NEIN)
    assert box.press(NEIN, held=True).ok
    assert box.game.phase is Phase.VETO
    assert box.press(NEIN).ok
    refused = box.press(NEIN, held=True)
    assert (refused.ok, refused.caption) == (False, ENGLISH.refusals["veto_refused"])
    assert box.game.phase is Phase.LEGISLATIVE_SESSION


def test_ja_held_starts_without_waiting_for_phones(boxes):
    """With three phones joined ja says how many are needed; held ja begins the night with real cards."""
    evening = evening_of(5, seated=False)
    for name in ("Anna", "Bogdan", "Chiara"):
        evening = after(evening, commands.TakeSeat(name, f"claim {name}"))
    box = boxes(evening)
    assert box.press(JA).caption == say("waiting_lobby", count=3)
    assert box.press(JA, held=True).ok
    eventually(lambda: box.game.phase is Phase.ASK)


def test_the_languages_name_themselves(boxes):
    """Held nein steps on, each language saying in itself that it is spoken now, without waiting for its night."""
    box = boxes(evening_of(5, seated=False))
    seen = []
    for _ in languages.codes():
        pressed = box.press(NEIN, held=True)
        language = languages.load(box.table.evening.seating.language)
        seen.append(language.code)
        assert pressed.caption == language.say("language_chosen")
        eventually(lambda: box.caption == language.say("language_chosen"))  # noqa: B023 - called at once
    assert sorted(seen) == sorted(languages.codes())


def test_roles_are_taken_back_by_a_second_press(boxes):
    """The first undo only warns; the second takes the roles back; any other press in between starts over."""
    box = boxes(evening_of(5))
    box.press(JA)
    assert box.game.phase is Phase.DEAL
    warned = box.press(UNDO)
    assert (warned.ok, warned.caption) == (False, say("confirm_taking_back_roles"))
    box.press(REPEAT)
    assert not box.press(UNDO).ok
    assert box.press(UNDO).ok
    assert (box.game.phase, box.game.roles) == (Phase.LOBBY, None)


def test_a_report_is_taken_back_by_name(boxes):
    """Undo says what was taken back, and once everything is, that there is nothing."""
    box = boxes(begun(evening_of(5)))
    box.press(NEIN)
    assert box.press(UNDO).caption == say("taken_back", report=ENGLISH.reports["election_failed"])
    assert box.game.election_tracker == 0
    while box.game.phase is not Phase.LOBBY:
        box.press(UNDO)
    for _ in box.table.evening.seating.players:
        assert box.press(UNDO).ok
    assert box.press(UNDO).caption == ENGLISH.refusals["nothing_to_take_back"]


def test_back_in_the_night_the_night_waits(boxes):
    """Undo after the night leads back into it: it stands still, says so, and ja holds it from its beginning."""
    box = boxes(evening_of(5))
    box.press(JA)
    box.press(JA, held=True)
    eventually(lambda: box.game.phase is Phase.ASK)
    box.silence()
    said = len(box.output.said())
    assert box.press(UNDO).ok
    assert box.game.phase is Phase.NIGHT
    box.silence()
    eventually(lambda: box.feed.snapshot.night_paused)
    assert box.output.said()[said:][-1] == spoken("night_paused")
    assert box.press(JA).ok
    eventually(lambda: box.game.phase is Phase.ASK)


@pytest.fixture
def nights():
    """Makes boxes in a night whose time passes when told to, and closes them."""
    made = []

    def make(evening=None, **parts):
        box = Box(evening or evening_of(7, seated=False), clock=FakeClock(standing=True), **parts).start()
        made.append(box)
        box.press(JA, held=True)
        eventually(lambda: box.output.said()[-1:] == [ENGLISH.pronounce(ENGLISH.many[0].text)])
        return box

    yield make
    for box in made:
        box.close()


def test_a_night_is_paused_and_goes_on_by_the_panel(nights):
    """At night nein stops and says how to go on, ja goes on, repeat begins again; all others are silent."""
    box = nights()
    said = len(box.output.said())
    for button in (LIBERAL, FASCIST, JA):
        assert not box.press(button).ok
    assert box.panel.lights == DARK
    assert len(box.output.said()) == said
    assert box.press(NEIN).ok
    eventually(lambda: box.output.said()[said:] == [spoken("night_paused")])
    assert box.feed.snapshot.night_paused
    assert box.press(JA).ok
    close = ENGLISH.pronounce(ENGLISH.many[0].text)
    eventually(lambda: box.output.said()[said:] == [spoken("night_paused"), close])
    assert box.press(REPEAT).ok
    eventually(lambda: box.output.said()[said:] == [spoken("night_paused"), close, close])
    assert not box.feed.snapshot.night_paused


def test_a_paused_night_says_how_to_go_on(nights):
    """A press that means nothing while the night stands still is answered with what does; the lights stay dark."""
    box = nights()
    box.press(NEIN)
    pressed = box.press(FASCIST)
    assert (pressed.ok, pressed.caption) == (False, say("night_paused"))
    assert box.press(REPEAT, held=True).caption == say("night_paused")
    assert box.panel.lights == DARK


def test_two_quick_presses_stop_the_night_and_go_on(nights):
    """However late the narrator hears of the first, ja goes on with a night that stands still, and nein stops it."""
    box = nights()
    for _ in range(3):
        both = [
            box.table.call(lambda b=button: box.presses.take(ButtonEvent(b, Gesture.PRESS))) for button in (NEIN, JA)
        ]
        assert [each.result(5).ok for each in both] == [True, True]
        assert not box.feed.snapshot.night_paused
    assert box.press(NEIN).caption == say("night_paused")
    assert box.feed.snapshot.night_paused


def test_the_countdown_stops_the_night(nights):
    """Holding undo at night lets the night stand still and counts aloud; letting go leaves it so, and says it."""
    box = nights()
    box.take(ButtonEvent(UNDO, Gesture.HOLDING, 4))
    eventually(lambda: box.output.said()[-1] == spoken("shutdown_countdown", seconds=4))
    assert box.feed.snapshot.night_paused
    box.take(ButtonEvent(UNDO, Gesture.HOLD_CANCELLED))
    eventually(lambda: box.output.said()[-1] == spoken("shutdown_cancelled"))
    assert not box.switched_off.is_set()
    assert box.press(JA).ok
    eventually(lambda: box.output.said()[-1] == ENGLISH.pronounce(ENGLISH.many[0].text))


def test_a_phone_that_asked_before_the_night_is_not_answered_in_it():
    """A question of a phone lapses when the night begins, and ja and nein belong to the night."""
    with Box(after(evening_of(5), commands.DealRoles(boards.roles(5))), clock=FakeClock(standing=True)) as box:
        assert asked_for_host(box, 1)
        assert box.feed.snapshot.question.player == 1
        box.submit(commands.BeginNight(regardless=True)).result(5)
        assert box.feed.snapshot.question is None
        assert asked_for_host(box, 1) is None
        eventually(lambda: box.narrator.holds_night)
        assert box.press(NEIN).caption == say("night_paused")
        assert box.hosts == []


def test_the_countdown_is_heard_at_once_and_ends_in_goodbye():
    """Each second of the hold interrupts the last, even a question; the box goes off when its goodbye is said."""
    clock = FakeClock(standing=True)
    with Box(begun(evening_of(5)), clock=clock) as box:
        for left in (4, 3, 2, 1):
            box.take(ButtonEvent(UNDO, Gesture.HOLDING, left))
            eventually(lambda: box.output.said()[-1:] == [spoken("shutdown_countdown", seconds=left)])  # noqa: B023 - called at once
        box.take(ButtonEvent(UNDO, Gesture.HOLD))
        eventually(lambda: box.output.said()[-1] == spoken("goodbye"))
        assert not box.switched_off.is_set()
        eventually(lambda: clock.go(1) or box.switched_off.is_set())


def test_the_box_is_switched_off_once_however_the_goodbye_ends(monkeypatch):
    """Undo that was held asks for the end once: not again when the longest time for a goodbye is over."""
    monkeypatch.setattr(presses, "GOODBYE_SECONDS", 0.2)
    asked = []
    with Box(begun(evening_of(5)), clock=FakeClock()) as box:
        box.presses._actions = replace(box.presses._actions, switch_off=lambda: asked.append("off"))
        box.take(ButtonEvent(UNDO, Gesture.HOLD))
        eventually(lambda: asked)
        over = threading.Event()
        box.table.call(lambda: box.table.later(0.3, over.set))
        assert over.wait(5)
        box.silence()
        assert asked == ["off"]


def test_letting_go_in_time_says_what_the_table_has_to_do():
    """After a hold that was let go the box stays on and asks again what the countdown interrupted."""
    with Box(begun(evening_of(5))) as box:
        box.silence()
        box.take(ButtonEvent(UNDO, Gesture.HOLDING, 4))
        box.take(ButtonEvent(UNDO, Gesture.HOLD_CANCELLED))
        box.silence()
        assert box.output.said()[-2:] == [spoken("shutdown_cancelled"), spoken("next_candidate", name="Anna")]


def test_a_fast_table_does_not_hear_old_questions():
    """However fast the reports come, no question is asked that was answered before it could be asked."""
    clock = FakeClock(standing=True)
    with Box(begun(evening_of(7)), clock=clock) as box:
        eventually(lambda: box.output.heard)
        for _ in range(4):
            box.press(JA)
            box.press(LIBERAL)
        name = box.table.evening.seating.player_at(box.game.president).name
        clock.standing = False
        clock.go(0)
        box.silence()
        questions = [each for each in box.output.said() if "candidate" in each]
        assert questions[-1] == spoken("next_candidate", name=name)
        assert len(questions) <= 2


def test_the_report_of_a_phone_ends_what_it_answers():
    """A power used on the President's phone drops the names that the box was about to offer."""
    evening = after(begun(evening_of(9)), commands.Vote(elected=True))
    clock = FakeClock(standing=True)
    with Box(evening, clock=clock) as box:
        box.press(FASCIST)
        assert box.game.phase is Phase.EXECUTIVE_ACTION
        target = box.game.eligible_targets[2]
        box.submit(commands.UsePower(target)).result(5)
        box.hearing()
        clock.standing = False
        clock.go(0)
        box.silence()
        assert not [each for each in box.output.said() if each.endswith("?")]
        assert box.feed.snapshot.choice is None


def test_the_offer_goes_round_and_is_shown(boxes):
    """The names come clockwise from the President's left, forward and back; ja uses the power on the one shown."""
    box = boxes(after(begun(evening_of(9)), commands.Vote(elected=True)))
    box.press(FASCIST)
    targets = box.game.eligible_targets
    assert box.feed.snapshot.choice == targets[0]
    box.press(LIBERAL)
    assert box.feed.snapshot.choice == targets[1]
    box.press(FASCIST)
    box.press(FASCIST)
    assert box.feed.snapshot.choice == targets[-1]
    pressed = box.press(NEIN)
    assert not pressed.ok
    box.silence()
    name = box.table.evening.seating.player_at(targets[-1]).name
    assert box.output.said()[-1] == spoken("offer", name=name)
    box.press(JA)
    assert box.game.investigated == (targets[-1],)
    assert box.feed.snapshot.choice is None


def claim_of(box, player):
    return box.table.evening.seating.by_id(player).claim


def asked_for_host(box, player):
    """Ask whether a player's phone may be the host; the number, or None."""
    return box.table.call(lambda: box.asking.for_host(player, claim_of(box, player))).result(5)


def asked_for_seat(box, player, claim="another phone", former=""):
    return box.table.call(lambda: box.asking.for_seat(player, claim, former)).result(5)


def hold_green(box, seconds=2.0):
    """Hold ja, so many seconds after the last word."""
    box.silence()
    box.clock.go(seconds)
    return box.press(JA, held=True)


def test_a_phone_becomes_host_when_green_is_held(boxes):
    """The box says the name and the number that stands on that phone; held ja makes it the host, and it is no vote."""
    box = boxes(begun(evening_of(5)))
    number = asked_for_host(box, 3)
    assert 10 <= number <= 99
    assert asked_for_host(box, 2) is None
    box.silence()
    assert box.output.said()[-1] == spoken("host_request", name="Chiara", number=number)
    assert hold_green(box).ok
    assert box.hosts == [claim_of(box, 3)]
    assert box.game.phase is Phase.ELECTION
    assert box.feed.snapshot.host == 3


def test_a_question_about_a_name_of_signs_alone_is_shown_in_each_language(boxes):
    """Whoever is called by their seat is called so in the language of the screen that shows it."""
    box = boxes(begun(evening_of(5)))
    box.table.submit(commands.RenamePlayer(3, "🦊")).result(5)
    number = asked_for_host(box, 3)
    box.silence()
    for code in languages.codes():
        language = languages.load(code)
        words = language.say("host_request", name=language.say("player", seat=3), number=number)
        assert box.feed.snapshot.caption_in(language) == words


def test_what_is_known_already_is_on_every_screen_at_once(boxes):
    """Of an executed player whom the table knew not to be Hitler no word is to come, so no screen waits for one."""
    roles = [Role.LIBERAL, Role.LIBERAL, Role.LIBERAL, Role.FASCIST, Role.HITLER]
    evening = played(begun(evening_of(5), deal=roles), "f f f")
    evening = after(evening, commands.Nominate(2))
    evening = after(evening, commands.Vote(elected=True))
    assert 2 in evening.game.not_hitler
    box = boxes(after(evening, commands.EnactPolicy(Party.FASCIST)))
    assert box.game.phase is Phase.EXECUTIVE_ACTION
    assert box.submit(commands.UsePower(2)).result(5).refused is None
    assert not box.table.withholds
    assert box.feed.snapshot.evening.game.executed[-1] == 2


@pytest.mark.parametrize("button", [JA, NEIN])
def test_a_short_press_never_answers_a_phone(boxes, button):
    """What is pressed while a question stands is the result of the vote, and gives no seat away."""
    box = boxes(begun(evening_of(7)))
    before = claim_of(box, 2)
    asked_for_seat(box, 2)
    assert box.press(button).ok
    assert (box.game.phase, box.game.election_tracker) == (
        (Phase.LEGISLATIVE_SESSION, 0) if button is JA else (Phase.ELECTION, 1)
    )
    box.silence()
    assert box.press(NEIN if button is NEIN else LIBERAL).ok
    assert claim_of(box, 2) == before
    assert box.feed.snapshot.question is not None


def test_a_hold_that_began_before_the_number_was_said_allows_nothing(boxes):
    """It may have been meant for something else: it does nothing, and the question is said again."""
    box = boxes(begun(evening_of(7)))
    before = claim_of(box, 2)
    number = asked_for_seat(box, 2)
    question = spoken("seat_request", name=box.table.evening.seating.by_id(2).name, number=number)
    for _ in range(3):
        pressed = hold_green(box, seconds=1.0)
        assert not pressed.ok
    assert box.game.phase is Phase.ELECTION
    assert claim_of(box, 2) == before
    box.silence()
    assert box.output.said().count(question) == 4
    assert hold_green(box).ok
    assert claim_of(box, 2) == "another phone"


def test_a_hold_while_the_number_is_being_said_allows_nothing():
    """Only the end of the number counts, not that it has begun."""
    with Box(begun(evening_of(7)), clock=FakeClock(standing=True)) as box:
        asked_for_seat(box, 2)
        for _ in range(200):
            if box.caption.startswith("A phone asks"):
                break
            box.clock.go(0.2)
            box.hearing()
        assert box.caption.startswith("A phone asks")
        assert not box.press(JA, held=True).ok
        assert claim_of(box, 2) != "another phone"


def test_a_page_allows_nothing(boxes):
    """Whoever is the host may press every button on a phone; what phones ask is answered at the box alone."""
    box = boxes(begun(evening_of(7)))
    before = claim_of(box, 2)
    asked_for_seat(box, 2)
    box.silence()
    box.clock.go(5)
    held = ButtonEvent(JA, Gesture.HOLD)
    box.table.call(lambda: box.presses.take(held, at_panel=False)).result(5)
    assert claim_of(box, 2) == before


def test_the_rights_of_a_host_go_with_the_phone_and_not_with_the_seat(boxes):
    """Another phone that gets the host's seat gets no more than the seat; the right is forgotten for good."""
    box = boxes(begun(evening_of(5)))
    asked_for_host(box, 3)
    hold_green(box)
    asked_for_seat(box, 3)
    hold_green(box)
    assert claim_of(box, 3) == "another phone"
    assert box.feed.snapshot.host is None
    assert box.hosts[-1] == ""


@pytest.mark.parametrize("kept", ["claim 3", "a claim of another evening", "", "3"])
def test_a_host_is_known_again_by_the_phone(kept):
    """After the plug the host's phone is the host's; with a journal that was put aside nobody is, whatever the seat."""
    evening = evening_of(5)
    claim = evening.seating.by_id(3).claim
    with Box(evening, host_claim=claim if kept == "claim 3" else kept) as box:
        assert box.feed.snapshot.host == (3 if kept == "claim 3" else None)


def test_a_question_of_a_phone_lapses(monkeypatch):
    """When nobody allows it, the question ends and the box says so; no press was ever the question's."""
    monkeypatch.setattr(asking, "QUESTION_SECONDS", 0.02)
    with Box(begun(evening_of(5))) as box:
        assert asked_for_host(box, 3)
        eventually(lambda: box.feed.snapshot.question is None)
        box.silence()
        assert box.output.said()[-1] == spoken("request_expired")
        assert asked_for_seat(box, 2) is None, "nobody asks again at once"
        box.press(NEIN)
        assert box.game.election_tracker == 1


def test_a_question_that_is_never_said_lapses_all_the_same(monkeypatch):
    """A voice that hangs keeps no question for ever."""
    monkeypatch.setattr(asking, "UNSAID_SECONDS", 0.02)
    with Box(begun(evening_of(5)), clock=FakeClock(standing=True)) as box:
        assert asked_for_host(box, 3)
        eventually(lambda: box.feed.snapshot.question is None)


def test_questions_without_end_take_no_press(boxes):
    """A phone that asks before every press takes none: thirty of thirty votes are counted."""
    box = boxes(begun(evening_of(10)))
    counted = 0
    for number in range(30):
        asked_for_seat(box, 1 + number % 10, f"stranger {number}")
        before = (
            box.game.election_tracker,
            box.game.discard_pile,
            box.game.fascist_policies,
            box.game.liberal_policies,
        )
        pressed = box.press(NEIN if box.game.phase is Phase.ELECTION else LIBERAL if number % 2 else FASCIST)
        after_it = (
            box.game.election_tracker,
            box.game.discard_pile,
            box.game.fascist_policies,
            box.game.liberal_policies,
        )
        counted += pressed.ok and before != after_it
        if box.game.phase is Phase.GAME_OVER:
            box.press(UNDO)
    assert counted == 30
    assert box.table.evening.seating == begun(evening_of(10)).seating


def test_the_phone_that_had_a_seat_waits_behind_no_stranger(boxes):
    """Whoever lost their seat to another phone may ask at once, in place of a stranger who asks without end."""
    box = boxes(begun(evening_of(5)))
    owner = claim_of(box, 2)
    asked_for_seat(box, 2, "thief")
    hold_green(box)
    assert claim_of(box, 2) == "thief"
    assert asked_for_seat(box, 4, "stranger")
    assert asked_for_seat(box, 2, "owner anew", former="nobody") is None
    number = asked_for_seat(box, 2, "owner anew", former=owner)
    assert number is not None
    assert asked_for_seat(box, 4, "stranger") is None
    # The stranger's number allows nothing any more: a hold that comes now is too early.
    assert box.feed.snapshot.question.claim == "owner anew"
    hold_green(box)
    assert claim_of(box, 2) == "owner anew"


def test_a_question_ends_with_the_seat_that_it_is_about(boxes):
    """Whoever is taken from the table is asked for no more."""
    box = boxes(evening_of(7))
    asked_for_seat(box, 7)
    assert box.press(UNDO).ok
    assert box.feed.snapshot.question is None


def test_undo_in_the_lobby_clears_the_table_seat_by_seat(boxes):
    """Ten seats that a prank has taken are cleared by ten presses, each said by name; the phones are turned away."""
    box = boxes(evening_of(10))
    seats = box.table.evening.seating.players
    for left, player in enumerate(reversed(seats), 1):
        pressed = box.press(UNDO)
        assert pressed.ok
        assert pressed.caption == say("player_left", name=player.name, count=10 - left)
    assert box.table.evening.seating.players == ()
    assert box.turned_away == [player.claim for player in reversed(seats)]


def test_nein_opens_the_table_after_a_game(boxes):
    """People leave, join and change seats, and ja deals to those who are there; the box says so, and no welcome."""
    evening = begun(evening_of(6), deal=boards.roles(6))
    for _ in range(5):
        evening = after(evening, commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    box = boxes(evening)
    pressed = box.press(NEIN)
    assert pressed.ok
    assert pressed.caption == say("table_open")
    assert (box.game.phase, box.game.players) == (Phase.LOBBY, 6)
    gone = box.table.evening.seating.players[0]
    assert box.submit(commands.RemovePlayer(gone.id)).result().refused is None
    assert box.press(JA).caption == say("roles_dealt")
    assert (box.game.phase, box.game.players) == (Phase.DEAL, 5)


def test_ja_deals_again_to_the_same_seats(boxes):
    """After the end ja deals anew to everybody who sits there, and one undo does not bring the old game back."""
    evening = begun(evening_of(6), deal=boards.roles(6))
    for _ in range(5):
        evening = after(evening, commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    box = boxes(evening)
    assert box.game.phase is Phase.GAME_OVER
    assert box.press(JA).caption == say("roles_dealt")
    assert (box.game.phase, box.game.players, len(box.game.roles)) == (Phase.DEAL, 6, 6)
    assert box.table.evening.names()[0] == "Anna"


def test_a_voice_that_fails_leaves_the_game_and_its_captions():
    """Without a voice the night goes to its end by captions, and the trouble is shown once and goes when it is over."""
    speaker = FakeSpeaker("*")
    with Box(evening_of(5, seated=False), speaker=speaker) as box:
        box.press(JA)
        eventually(lambda: box.game.phase is Phase.ASK)
        assert dict(box.feed.snapshot.troubles)["voice"] == "the voice is hoarse"
        box.silence()
        assert box.caption == say("night_question")
        speaker.broken.clear()
        box.press(JA)
        box.silence()
        assert "voice" not in dict(box.feed.snapshot.troubles)


def test_trouble_with_the_disk_is_told_whatever_else_is_said():
    """That the box cannot save is said even if the table goes on at once."""
    clock = FakeClock(standing=True)
    with Box(begun(evening_of(5)), clock=clock) as box:
        box.memory.trouble = "the disk is full"
        box.press(NEIN)
        box.press(NEIN)
        clock.standing = False
        clock.go(0)
        box.silence()
        assert box.output.said().count(spoken("journal_trouble")) == 1


def an_execution(players=7):
    """A game with real role cards whose next Fascist policy lets the President execute a player."""
    return played(begun(evening_of(players)), "f f f")


def test_ja_chooses_nobody_whose_name_was_not_said():
    """A press of ja before the first name is said kills nobody, however often; once the name has begun, ja counts."""
    evening = elected(an_execution())
    clock = FakeClock(standing=True)
    with Box(evening, clock=clock) as box:
        box.press(FASCIST)
        assert box.game.phase is Phase.EXECUTIVE_ACTION
        first = box.feed.snapshot.choice
        name = box.table.evening.seating.player_at(first).name
        for _ in range(5):
            pressed = box.press(JA)
            assert (pressed.ok, pressed.caption) == (False, say("offer", name=name))
        assert box.game.executed == ()
        clock.standing = False
        clock.go(0)
        box.silence()
        assert box.output.said()[-1] == spoken("offer", name=name)
        assert box.press(JA).ok
        assert box.game.executed == (first,)


def test_a_finger_that_is_faster_than_the_voice_hears_what_it_asked_for():
    """The next name that is asked for before the voice has begun with the power is said, and not the first one."""
    with Box(elected(an_execution())) as box:
        box.speaker.may_speak.clear()
        box.press(FASCIST)
        asked = box.press(LIBERAL).caption
        box.speaker.may_speak.set()
        box.silence()
        assert box.output.said()[-1] == ENGLISH.pronounce(asked)
        assert box.press(JA).ok


def test_every_next_name_has_to_be_said_too():
    """Whoever steps on and presses ja at once chooses neither the name before nor the one that is not yet said."""
    clock = FakeClock(standing=True)
    with Box(elected(an_execution()), clock=clock) as box:
        box.press(FASCIST)
        clock.standing = False
        clock.go(0)
        box.silence()
        clock.standing = True
        box.speaker.may_speak.clear()
        box.press(LIBERAL)
        assert not box.press(JA).ok
        assert box.game.executed == ()
        box.speaker.may_speak.set()
        clock.standing = False
        clock.go(0)
        box.silence()
        second = box.feed.snapshot.choice
        assert box.press(JA).ok
        assert box.game.executed == (second,)


def test_a_silent_box_has_said_the_name_that_has_stood_there_for_a_second():
    """Without a voice nobody is executed whose name has not been on the screens for long enough to be read."""
    clock = FakeClock(standing=True)
    with Box(elected(an_execution()), speaker=SilentSpeaker("the voice is switched off"), clock=clock) as box:
        box.press(FASCIST)
        first = box.feed.snapshot.choice
        name = say("offer", name=box.table.evening.seating.player_at(first).name)
        while box.caption != name:
            assert not box.press(JA).ok, "it has stood on no screen yet"
            assert box.game.executed == ()
            clock.go(0.3)
        assert not box.press(JA).ok, "nobody can have read it"
        # A press that came too early has the name said anew.
        eventually(lambda: box.announcer._awaited.began_at is not None)
        clock.go(1.0)
        assert box.press(JA).ok
        assert box.game.executed == (first,)


def test_a_name_of_signs_alone_is_called_by_its_seat(boxes):
    """Nobody is chosen unsaid: a cat has a place at the table, and the box says which."""
    evening = an_execution()
    for name in ("🐈", "..."):
        player = evening.seating.players[1 if name == "..." else 2]
        evening = after(evening, commands.RenamePlayer(player.id, name))
    box = boxes(elected(evening))
    box.press(FASCIST)
    box.silence()
    said = {box.output.said()[-1]}
    for _ in box.game.eligible_targets:
        box.press(LIBERAL)
        box.silence()
        said.add(box.output.said()[-1])
    assert {spoken("offer", name=say("player", seat=seat)) for seat in (2, 3)} <= said
    assert not any("🐈" in line or "..." in line for line in said)


def test_a_name_that_the_host_spells_anew_is_said_anew():
    """A name that changes while it is on offer is no dead end: ja says it as it is now, and then chooses it."""
    clock = FakeClock(standing=True)
    with Box(elected(an_execution()), clock=clock) as box:
        box.press(FASCIST)
        first = box.feed.snapshot.choice
        player = box.table.evening.seating.player_at(first)
        box.submit(commands.RenamePlayer(player.id, "Zoë")).result(5)
        clock.standing = False
        clock.go(0)
        box.silence()
        while not box.press(JA).ok:
            box.silence()
        assert box.game.executed == (first,)


@pytest.mark.parametrize("cards", [True, False])
def test_back_in_the_lobby_the_reminder_knows_how_roles_are_dealt(boxes, cards):
    """Whoever takes the beginning of the night back is told what to press with real cards, or with phones."""
    box = boxes(evening_of(6), cards=cards)
    box.press(JA)
    assert box.game.phase is not Phase.LOBBY
    while box.game.phase is not Phase.LOBBY:
        box.press(UNDO)
    box.silence()
    assert box.output.said()[-1] == spoken("waiting_lobby_cards" if cards else "waiting_lobby_ready")


def test_the_press_that_begins_the_night_is_answered_with_its_first_words(boxes):
    """Whoever presses ja for the night reads what is being said, not what was said before."""
    box = boxes(evening_of(6, seated=False), cards=True)
    assert box.press(JA).caption == ENGLISH.few[0].text
    other = boxes(evening_of(8, seated=False, language="pl"), cards=True)
    assert other.press(JA).caption == languages.load("pl").many[0].text


@pytest.mark.parametrize("policies", ["", "f", "l l l"])
def test_no_game_is_thrown_away_by_a_new_lobby(policies):
    """Only a game that is over makes room for the next: a lobby has no way back, and undo leads out of a game."""
    evening = played(begun(evening_of(5)), policies)
    with pytest.raises(Refused) as refused:
        after(evening, commands.OpenLobby())
    assert refused.value.refusal is Refusal.NOT_NOW


@pytest.mark.parametrize("code", languages.codes())
def test_those_who_sit_down_together_are_welcomed_together(code):
    """Those who join while the box speaks are welcomed in one sentence, by the names of now, if still there."""
    language = languages.load(code)
    clock = FakeClock(standing=True)
    with Box(evening_of(5, seated=False, language=code), clock=clock) as box:
        eventually(lambda: box.caption == language.show_sound("attention"))
        for name in ("Anna", "Bogdan", "Otto", "Karl"):
            box.submit(commands.TakeSeat(name, f"claim of {name}")).result(5)
        box.submit(commands.RemovePlayer(3)).result(5)
        box.submit(commands.RenamePlayer(4, "Chiara")).result(5)
        box.hearing()
        clock.standing = False
        clock.go(0)
        box.silence()
        joined = language.say("players_joined", names="Anna, Bogdan", last="Chiara", count=3)
        assert box.output.said()[1:] == [language.pronounce(joined)]
        box.press(REPEAT)
        box.silence()
        assert box.caption == joined
        box.submit(commands.TakeSeat("Dina", "claim of Dina")).result(5)
        box.silence()
        assert box.caption == language.say("player_joined", name="Dina", count=4)


def turned(box, button):
    """Press a policy button while repeat is kept down."""
    return box.take(ButtonEvent(button, Gesture.PRESS, beside=REPEAT))


def test_the_volume_is_turned_and_said_and_nothing_of_the_game_changes(boxes):
    """Beside repeat, red is softer and blue is louder, said in the table's language; the game stands where it stood."""
    box = boxes(begun(evening_of(5)))
    before = box.table.evening
    pressed = turned(box, FASCIST)
    assert (pressed.ok, pressed.caption, box.volume) == (True, say("volume", level=9), 9)
    eventually(lambda: box.caption == say("volume", level=9))
    assert turned(box, LIBERAL).caption == say("volume", level=10)
    assert box.table.evening is before


def test_repeat_says_again_what_was_said_before_the_volume(boxes):
    """Who turns the box up because they have missed something hears that again, and not the volume."""
    box = boxes(begun(evening_of(5)))
    box.press(JA)
    box.silence()
    last = box.output.said()[-1]
    turned(box, FASCIST)
    box.silence()
    assert box.output.said()[-1] == say("volume", level=9)
    box.press(REPEAT)
    box.silence()
    assert box.output.said()[-2:] == [last, say("waiting_legislative_session")]


def test_turning_does_not_cut_what_is_being_said():
    """The volume is told after the announcement, once, however often it was turned meanwhile."""
    clock = FakeClock()
    with Box(begun(evening_of(5)), clock=clock) as box:
        box.silence()
        clock.standing = True
        box.narrator.say([line("a long story"), line("and its end")])
        eventually(lambda: box.output.said()[-1:] == ["a long story"])
        for _ in range(3):
            turned(box, FASCIST)
        clock.standing = False
        clock.go(0)
        box.silence()
        assert box.output.said()[-3:] == ["a long story", "and its end", say("volume", level=7)]


def test_at_night_the_volume_changes_without_a_word(nights):
    """The night goes on to its end as if nobody had touched anything; standing still, it says how loud it is."""
    box = nights()
    heard = len(box.output.heard)
    assert (turned(box, FASCIST).ok, box.volume) == (True, 9)
    assert not box.feed.snapshot.night_paused
    assert len(box.output.heard) == heard
    box.press(NEIN)
    turned(box, FASCIST)
    eventually(lambda: (box.clock.go(1), say("volume", level=8) in box.output.said())[1])
    assert say("volume", level=9) not in box.output.said()
