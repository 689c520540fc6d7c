"""A line that names somebody who has spelled their name for the voice."""

import pytest

from companion import languages
from companion.game import commands
from companion.game.vocabulary import Party
from companion.narrator import cues
from companion.narrator.ahead import texts_ahead
from companion.narrator.line import Called
from companion.table.listener import Change
from hardware.panel import Button
from tests.support import Box, after, begun, evening_of, eventually

ENGLISH = languages.load("en")


def spelled(evening, *spoken):
    """Let the first players spell their names."""
    for player, name in zip(evening.seating.players, spoken, strict=False):
        evening = after(evening, commands.SpellName(player.id, name))
    return evening


def test_a_name_is_shown_as_it_is_written_and_read_as_it_is_spelled():
    """In one sentence, whatever stands around it."""
    told = cues.plain(ENGLISH, "name_heard", name=Called("Siobhan", "Shivawn"))
    assert "Siobhan" in told.text
    assert "Shivawn" in told.for_the_voice
    assert "Siobhan" not in told.for_the_voice
    assert told.told_in(languages.load("pl")).count("Siobhan") == 1


def test_a_name_that_nobody_spelled_is_read_as_it_is_written():
    """The voice gets the very words of the caption, but for the pronunciation list."""
    told = cues.plain(ENGLISH, "name_heard", name=Called("Siobhan"))
    assert told.spoken == ""
    assert told.for_the_voice == ENGLISH.pronounce(told.text)


@pytest.mark.parametrize("code", languages.codes())
def test_names_in_a_list_are_each_read_as_they_are_spelled(code):
    """Those who join together, and one by one."""
    language = languages.load(code)
    evening = spelled(evening_of(3), "Spelled one", "", "Spelled three")
    names = [player.name for player in evening.seating.players]
    together, alone = cues.joined(evening, (1, 2, 3), language), cues.joined(evening, (1,), language)
    for name in names:
        assert name in together[0].text
    assert "Spelled one" in together[0].spoken
    assert names[1] in together[0].spoken
    assert "Spelled three" in together[0].spoken
    assert "Spelled one" in alone[0].spoken


def test_every_line_about_somebody_reads_the_spelling():
    """Whatever the table reports: where a name is shown, its spelling is read."""
    evening = begun(spelled(evening_of(5), *(f"Spelled {seat}" for seat in range(1, 6))))
    names = {player.name: player.spoken for player in evening.seating.players}
    seen = 0
    for command in (
        commands.Nominate(2),
        commands.Vote(elected=True),
        commands.EnactPolicy(Party.LIBERAL),
        commands.Vote(elected=False),
    ):
        before, evening = evening, after(evening, command)
        for told in cues.announce(Change(before, (), evening), ENGLISH):
            for name, spoken in names.items():
                if name in told.text:
                    seen += 1
                    assert spoken in told.spoken
                    assert name not in told.spoken
    assert seen


def test_what_may_come_next_is_rendered_as_it_will_be_read():
    """No name comes late because it was spelled."""
    evening = begun(spelled(evening_of(5), *(f"Spelled {seat}" for seat in range(1, 6))))
    ahead = texts_ahead(evening)
    assert any("Spelled 2" in text for text in ahead)
    assert not any(player.name in text for player in evening.seating.players for text in ahead)


def test_the_voice_says_it_and_the_screens_show_the_name():
    """On a whole box: first heard, then kept, then in the welcome of the game."""
    with Box(evening_of(5)) as box:
        ann = box.evening.seating.players[0]
        box.table.call(lambda: box.announcer.say_name(ann.id, "Shivawn")).result(5)
        eventually(lambda: box.feed.snapshot.caption == ENGLISH.say("name_heard", name=ann.name))
        assert ENGLISH.say("name_heard", name="Shivawn") in box.speaker.asked
        box.table.submit(commands.SpellName(ann.id, "Shivawn")).result(5)
        for _ in range(4):
            box.press(Button.JA)
        eventually(lambda: any("Shivawn" in text for text in box.speaker.asked[1:]) or box.press(Button.JA))


def test_the_voice_lets_itself_be_heard():
    """In the sentence by which the languages are compared."""
    with Box(evening_of(5)) as box:
        box.table.call(box.announcer.say_sample).result(5)
        eventually(lambda: ENGLISH.pronounce(ENGLISH.say("sample")) in box.speaker.asked)
