"""What is explained to those who play for the first time: once, in its place, and the same for every deal."""

import pytest

from companion import languages
from companion.game import boards, commands
from companion.game.vocabulary import Party, Phase, PresidentialPower
from companion.narrator import cues
from companion.narrator.teacher import LESSONS, RULES, Teacher
from companion.table.listener import Change
from hardware.panel import Button
from tests.support import Box, after, begun, evening_of, eventually, played

ENGLISH = languages.load("en")


def told(teacher, before, *report):
    """Return the keys of what is said to a report."""
    later = after(before, *report)
    lines = cues.announce(Change(before, (), later), ENGLISH)
    return [line.key for line in teacher.explained(lines)]


def lines_of(*keys):
    """Return lines without a fact."""
    return [cues.plain(ENGLISH, key) for key in keys]


def keys_of(lines):
    return [line.key for line in lines]


def test_a_table_that_knows_the_game_hears_nothing_more():
    """Switched off it adds no word."""
    lines = lines_of("roles_dealt", "danger_zone", "veto_unlocked")
    assert Teacher().explained(lines) == lines


def test_each_thing_is_explained_once_and_right_after_it():
    """The first time a sentence more, and from the second time on none; switched on again it begins anew."""
    teacher = Teacher(is_on=True)
    assert keys_of(teacher.explained(lines_of("danger_zone", "welcome"))) == [
        "danger_zone",
        "teach_danger_zone",
        "welcome",
    ]
    assert keys_of(teacher.explained(lines_of("danger_zone"))) == ["danger_zone"]
    teacher.switch(is_on=True)
    assert keys_of(teacher.explained(lines_of("danger_zone"))) == ["danger_zone", "teach_danger_zone"]


def test_the_rules_are_told_while_everybody_looks_at_their_role():
    """Six lines in a minute or so, each of which a press may cut."""
    assert keys_of(Teacher(is_on=True).explained(lines_of("roles_dealt"))) == ["roles_dealt", *RULES]


def test_every_power_has_its_lesson():
    """On every board."""
    for power in PresidentialPower:
        assert LESSONS[f"power_{power}"] == (f"teach_{power}",)


@pytest.mark.parametrize("code", languages.codes())
def test_lessons_hold_no_fact_in_any_language(code):
    """They are rendered before the evening, and the rules page shows them as they are."""
    language = languages.load(code)
    keys = [key for lesson in LESSONS.values() for key in lesson]
    assert all("{" not in language.lines[key] for key in keys)
    words = sum(len(language.lines[key].split()) for key in RULES)
    assert 60 <= words <= 150


@pytest.mark.parametrize("players", boards.PLAYER_COUNTS)
def test_a_name_on_offer_is_still_the_last_word(players):
    """A lesson stands before the question that the table has to answer."""
    teacher = Teacher(is_on=True)
    evening = begun(evening_of(players))
    while evening.game.phase is not Phase.EXECUTIVE_ACTION or not evening.game.eligible_targets:
        evening = played(evening, "f") if evening.game.phase is Phase.ELECTION else evening
        if evening.game.fascist_policies == 4:
            return
        voted = after(evening, commands.Vote(elected=True))
        voted = after(voted, commands.Answer(hitler=False)) if voted.game.phase is Phase.HITLER_CHECK else voted
        before, evening = voted, after(voted, commands.EnactPolicy(Party.FASCIST))
        entry = cues.announce(Change(before, (), evening), ENGLISH)
        lines = teacher.explained(entry)
        if evening.game.eligible_targets:
            assert lines[-1].key == "offer"


def test_the_host_switches_it_on_and_it_is_said():
    """On and off, in the table's language; the pages show which it is."""
    with Box(evening_of(5)) as box:
        box.table.call(lambda: box.announcer.teach(teaches=True)).result(5)
        eventually(lambda: box.feed.snapshot.caption == ENGLISH.say("teach_on"))
        assert box.feed.snapshot.teaches
        box.press(Button.JA)
        eventually(lambda: box.feed.snapshot.caption == ENGLISH.lines["rules_talk"])
        box.table.call(lambda: box.announcer.teach(teaches=False)).result(5)
        assert not box.feed.snapshot.teaches


def test_a_pace_that_is_chosen_holds_for_the_next_night():
    """The silences of a night that begins then are longer."""
    with Box(evening_of(5)) as box:
        before = box.announcer._pauses.after("PAUSE", 5)
        box.table.call(lambda: box.announcer.choose_pace("slow")).result(5)
        assert box.announcer._pauses.after("PAUSE", 5) == 1.5 * before
        assert box.feed.snapshot.pace == "slow"


def test_nobody_speaks_into_a_night():
    """Switched on from a page while everybody has closed eyes, it is shown later and not said now."""
    night = after(evening_of(5), commands.BeginNight())
    with Box(night) as box:
        box.table.call(lambda: box.announcer.teach(teaches=True)).result(5)
        assert box.feed.snapshot.teaches
        box.press(Button.JA)
        eventually(lambda: box.feed.snapshot.evening.game.phase is Phase.ASK)
        assert ENGLISH.say("teach_on") not in box.speaker.asked
