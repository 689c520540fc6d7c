"""Breaking a game off at the box, somebody who goes home, a phone that dies, and captions in another language."""

import pytest

from companion import languages
from companion.game import boards, commands
from companion.game import evening as rulebook
from companion.game.vocabulary import Phase, Role
from companion.narrator import cues
from companion.panel import presses
from companion.panel.now import now
from companion.table.listener import Change
from hardware.panel import HOLD_SECONDS, Button
from tests.support import Box, FakeClock, after, begun, evening_of, eventually, played

LIBERAL, FASCIST, JA, NEIN, REPEAT, UNDO = Button
ENGLISH = languages.load("en")


def dealt(players=7):
    """A game whose roles the box has dealt."""
    return begun(evening_of(players), deal=boards.roles(players))


def warned(box):
    """Hold nein once, and hear what it would mean."""
    pressed = box.press(NEIN, held=True)
    assert (pressed.ok, pressed.caption) == (False, ENGLISH.say("confirm_breaking_off"))
    box.silence()
    # As long as a hold takes: it begins after the last word.
    box.clock.go(2.0)


def test_a_game_is_broken_off_by_two_holds_and_every_role_is_told():
    """The roles appear with the words that tell of it; nobody has won; then the table opens as after any game."""
    with Box(dealt()) as box:
        warned(box)
        assert box.game.phase is Phase.ELECTION
        assert box.press(NEIN, held=True).caption == ENGLISH.say("broken_off")
        box.silence()
        eventually(lambda: box.feed.snapshot.evening.game.phase is Phase.GAME_OVER)
        told = " ".join(box.output.said())
        hitler = box.table.evening.seating.player_at(box.game.roles.index(Role.HITLER) + 1).name
        assert ENGLISH.pronounce(f"Hitler: {hitler}.") in told
        assert box.game.winner is None
        assert box.press(NEIN).ok
        assert box.game.phase is Phase.LOBBY


def test_roles_are_not_shown_before_it_is_said():
    """A clock that stands keeps the voice from speaking: every screen still shows the game."""
    with Box(dealt(), clock=FakeClock(standing=True)) as box:
        began = box.clock.now() - HOLD_SECONDS[NEIN]
        box.table.call(lambda: box.presses.said("confirm_breaking_off", "", began)).result(5)
        assert box.press(NEIN, held=True).ok
        assert box.table.evening.game.phase is Phase.GAME_OVER
        assert box.feed.snapshot.evening.game.phase is Phase.ELECTION


@pytest.mark.parametrize("between", [(JA, False), (FASCIST, False), (LIBERAL, False)])
def test_any_press_after_the_warning_plays_on(between):
    """Only a hold right after the warning ends the game."""
    with Box(dealt()) as box:
        warned(box)
        button, held = between
        box.press(button, held=held)
        box.silence()
        box.press(NEIN, held=True)
        assert box.game.phase is not Phase.GAME_OVER


def test_a_hold_before_the_warning_was_heard_warns_again():
    """Whoever holds twice in a row without listening breaks nothing off."""
    with Box(dealt(), clock=FakeClock(standing=True)) as box:
        for _ in range(3):
            assert not box.press(NEIN, held=True).ok
        assert box.game.phase is Phase.ELECTION


@pytest.mark.parametrize("seconds", [0.0, presses.BREAK_OFF_SECONDS + 5])
def test_only_a_hold_that_begins_soon_after_the_warning_counts(seconds):
    """One that began during its last words, and one long after it, are answered with the warning again."""
    with Box(dealt()) as box:
        assert not box.press(NEIN, held=True).ok
        box.silence()
        box.clock.go(seconds)
        pressed = box.press(NEIN, held=True)
        assert (pressed.ok, pressed.caption) == (False, ENGLISH.say("confirm_breaking_off"))
        assert box.game.phase is Phase.ELECTION


def test_who_goes_home_interrupts_no_question():
    """The table still hears what it has to answer, to its end; a nominee who leaves calls the candidate again."""
    evening = played(dealt(), "f")
    with Box(after(evening, commands.Vote(elected=True)), clock=FakeClock(standing=True)) as box:
        box.press(FASCIST)
        game = box.game
        assert game.phase is Phase.EXECUTIVE_ACTION
        box.hearing()
        being_said = box.narrator._line
        assert being_said is not None
        gone = box.table.evening.seating.player_at(game.eligible_targets[-1])
        box.submit(commands.MarkAbsent(gone.id)).result(5)
        box.hearing()
        assert box.narrator._line is being_said
        waiting = [line.key for line in box.narrator._queue]
        assert waiting.index("power_investigate_loyalty") < waiting.index("player_absent")
    nominated = after(dealt(), commands.Nominate(5))
    left = commands.MarkAbsent(nominated.seating.player_at(5).id)
    change = Change(nominated, rulebook.decide(nominated, [left]), after(nominated, left))
    assert not cues.only_leaves(change)
    assert [line.key for line in cues.announce(change, ENGLISH)][:2] == ["player_absent", "next_candidate"]


def test_a_game_that_was_broken_off_by_mistake_is_taken_back_at_the_box():
    """By the table, which has heard everything; a page may not."""
    with Box(dealt()) as box:
        warned(box)
        box.press(NEIN, held=True)
        box.silence()
        assert box.press(UNDO).ok
        assert box.game.phase is Phase.ELECTION


@pytest.mark.parametrize("code", languages.codes())
def test_somebody_who_goes_home_is_named_and_the_next_candidate_called(code):
    """In every language: who has left, then what the table does now."""
    language = languages.load(code)
    before = begun(evening_of(7, language=code))
    player = before.seating.player_at(1)
    report = commands.MarkAbsent(player.id)
    later = after(before, report)
    entry = rulebook.decide(before, [report])
    lines = cues.announce(Change(before, entry, later), language)
    assert [line.key for line in lines] == ["player_absent", "next_candidate"]
    assert player.name in lines[0].text
    assert later.seating.player_at(2).name in lines[1].text
    standing = [line.text for line in cues.standing(later, language)]
    assert language.say("standing_absent", names=player.name) in standing


@pytest.mark.parametrize("code", [code for code in languages.codes() if code != "en"])
def test_a_caption_is_told_in_the_language_of_whoever_reads_it(code):
    """Lines with names, numbers and reports, refusals, sounds and the night: nothing stays in the table's language."""
    other = languages.load(code)
    with Box(played(begun(evening_of(7)), "f l")) as box:
        said = {}
        post = box.feed.post

        def noting(**changes):
            snapshot = post(**changes)
            if changes.get("caption"):
                said[snapshot.caption] = snapshot.caption_in(other)
            return snapshot

        box.feed.post = noting
        box.press(FASCIST)
        box.silence()
        box.press(UNDO)
        box.silence()
        box.press(NEIN, held=True)
        box.silence()
        box.press(NEIN)
        box.silence()
        box.press(REPEAT, held=True)
        box.silence()

    def taken_back(language):
        reports = language.reports
        report = f"{reports['government_elected']}, {reports['policy_enacted_fascist']}"
        return language.say("taken_back", report=report)

    expected = {
        taken_back(ENGLISH): taken_back(other),
        ENGLISH.say("confirm_breaking_off"): other.say("confirm_breaking_off"),
        ENGLISH.say("election_failed", tracker=1): other.say("election_failed", tracker=1),
        ENGLISH.show_sound("fascist_policy"): other.show_sound("fascist_policy"),
    }
    for caption, told in expected.items():
        assert said[caption] == told
    assert not [caption for caption, told in said.items() if caption == told and "?" not in caption]


def test_the_night_is_read_in_the_language_of_the_phone():
    """Step by step, whatever order another edition gives them."""
    with Box(evening_of(7)) as box:
        said = {}
        post = box.feed.post
        polish = languages.load("pl")

        def noting(**changes):
            snapshot = post(**changes)
            if changes.get("caption"):
                said[snapshot.caption] = snapshot.caption_in(polish)
            return snapshot

        box.feed.post = noting
        box.press(JA, held=True)
        eventually(lambda: box.game.phase is Phase.ASK)
        box.silence()
    for english in ENGLISH.many:
        if english.text:
            assert said[english.text] == next(step.text for step in polish.many if step.step == english.step)


def test_after_a_night_that_the_power_cut_short_voice_and_screen_use_the_same_words():
    """What is said when the box is switched on stands on every screen, and is what repeat says."""
    evening = after(evening_of(5), commands.BeginNight(regardless=True))
    with Box(evening) as box:
        box.silence()
        words = ENGLISH.say("night_interrupted")
        assert ENGLISH.pronounce(words) in box.output.said()
        assert now(box.feed.snapshot, ENGLISH).text == words
        assert box.press(LIBERAL).caption == words
        box.press(JA)
        assert not box.feed.snapshot.night_interrupted


def test_a_friends_phone_is_allowed_at_the_box():
    """The box names both; the hold of ja that follows lets the phone show the cards too."""
    evening = dealt()
    seating = evening.seating
    dead, friend = seating.player_at(2), seating.player_at(5)
    with Box(evening) as box:
        box.silence()
        number = box.table.call(lambda: box.asking.for_sharing(dead.id, friend.claim)).result(5)
        box.silence()
        words = ENGLISH.say("share_request", name=dead.name, friend=friend.name, number=number)
        assert ENGLISH.pronounce(words) in box.output.said()
        box.clock.go(2.0)
        assert box.press(JA, held=True).ok
        assert box.table.evening.seating.by_id(dead.id).shares == friend.id
        box.silence()
        assert ENGLISH.pronounce(ENGLISH.say("seat_shared", name=dead.name, friend=friend.name)) in box.output.said()
        assert box.game.phase is Phase.ELECTION


def test_a_phone_that_loses_its_own_seat_shows_nobody_elses():
    """The question ends with the seat of the phone that asked."""
    evening = evening_of(6)
    dead, friend = evening.seating.player_at(2), evening.seating.player_at(5)
    with Box(evening) as box:
        box.table.call(lambda: box.asking.for_sharing(dead.id, friend.claim)).result(5)
        box.submit(commands.RemovePlayer(friend.id)).result(5)
        assert box.feed.snapshot.question is None


def test_policies_of_a_broken_off_game_stay_on_the_boards():
    """So that the table sees how far it came."""
    evening = played(dealt(), "l f")
    with Box(evening) as box:
        warned(box)
        box.press(NEIN, held=True)
        box.silence()
        assert (box.game.liberal_policies, box.game.fascist_policies) == (1, 1)


@pytest.mark.parametrize(("players", "phase", "count"), [(7, Phase.DEAL, 6), (5, Phase.LOBBY, 5)])
def test_ja_deals_to_those_who_stay(players, phase, count):
    """After a game that somebody left; where too few stay the table opens for others instead."""
    evening = dealt(players)
    gone = evening.seating.player_at(3)
    evening = after(evening, commands.MarkAbsent(gone.id))
    with Box(evening) as box:
        warned(box)
        box.press(NEIN, held=True)
        box.silence()
        assert box.press(JA).ok
        assert (box.game.phase, box.game.players) == (phase, count)
        assert gone not in box.table.evening.seating.players
