"""The clock of the discussion: switched on at the table, shown and spoken, and never a judge."""

import time

import pytest

from companion import languages
from companion.game import commands
from companion.game.vocabulary import Party, Phase
from companion.panel import discussion
from companion.panel.discussion import LAST_SECONDS, DiscussionClock
from companion.table.listener import Change
from companion.table.snapshot import Feed
from hardware.panel import Button, ButtonEvent, Gesture
from tests.play.test_reminder import Later
from tests.support import Box, after, begun, evening_of, eventually, played

SWITCH = ButtonEvent(Button.JA, Gesture.PRESS, beside=Button.REPEAT)
ENGLISH = languages.load("en")


class Fake(Later):
    """A table whose time a test lets pass, with a clock beside it."""

    def __init__(self, evening, minutes=3.0, *, is_on=True):
        super().__init__(evening)
        self.withholds = False
        self.feed = Feed(evening)
        self.kept = []
        self.clock = DiscussionClock(self, self, self.feed, minutes, is_on=is_on, remember=self.kept.append)

    def report(self, *report, is_withheld=False):
        before, self.evening = self.evening, after(self.evening, *report)
        self.clock.changed(Change(before, (), self.evening, is_withheld))

    @property
    def keys(self):
        return [key for _, key, _ in self.said]


@pytest.fixture(autouse=True)
def one_time(monkeypatch):
    """Let what is shown go by a time that stands still, so that figures are exact."""
    now = time.monotonic()
    monkeypatch.setattr(discussion.time, "monotonic", lambda: now)


def test_it_is_off_until_somebody_switches_it_on():
    """A box that nobody asked for a clock shows and says nothing of one."""
    table = Fake(begun(evening_of(5)), is_on=False)
    table.clock.game_resumed(table.evening)
    table.report(commands.Vote(elected=False))
    table.go(3600)
    assert table.feed.snapshot.clock is None
    assert table.said == []


def test_it_is_spoken_at_half_and_before_its_end_and_decides_nothing():
    """Three minutes: at 1:30, fifteen seconds before the end, and when it is over, with what the table waits for."""
    table = Fake(begun(evening_of(5)))
    table.clock.switch()
    table.clock.switch()
    table.report(commands.Vote(elected=False))
    assert table.feed.snapshot.clock.phase is Phase.ELECTION
    assert table.feed.snapshot.clock.seconds_left == pytest.approx(180)
    table.go(3600)
    assert [(at, key) for at, key, _ in table.said] == [
        (90.0, "clock_half"),
        (180.0 - LAST_SECONDS, "clock_last"),
        (180.0, "clock_over"),
        (180.0, "waiting_election"),
    ]
    assert table.evening.game.phase is Phase.ELECTION


def test_the_press_that_the_table_waits_for_stops_it_and_a_nomination_does_not():
    """A nominee who is exchanged begins no new discussion; the vote ends it, and the session has no clock."""
    table = Fake(begun(evening_of(5)))
    table.report(commands.Vote(elected=False))
    before = table.feed.snapshot.clock
    table.report(commands.Nominate(4))
    table.report(commands.Nominate(5))
    assert table.feed.snapshot.clock is before
    table.report(commands.Vote(elected=True))
    assert table.feed.snapshot.clock is None
    table.go(3600)
    assert table.said == []


def test_a_president_who_chooses_has_a_clock_of_their_own():
    """A power that needs a choice is a discussion as well, and says so."""
    table = Fake(begun(evening_of(9)))
    table.report(commands.Vote(elected=True))
    table.report(commands.EnactPolicy(Party.FASCIST))
    assert table.feed.snapshot.clock.phase is Phase.EXECUTIVE_ACTION
    assert "clock_executive_action" in ENGLISH.page


def test_what_is_withheld_starts_no_clock_before_it_is_said():
    """Whether somebody was Hitler must not be told by a clock that appears, or does not, before the word."""
    table = Fake(played(begun(evening_of(5)), "f f f"))
    assert table.evening.game.phase is Phase.ELECTION
    table.report(commands.Nominate(1 if table.evening.game.president != 1 else 2))
    table.withholds = True
    table.report(commands.Vote(elected=False), is_withheld=True)
    assert table.feed.snapshot.clock is None
    table.clock.switch()
    table.clock.switch()
    assert table.feed.snapshot.clock is None
    table.withholds = False
    table.clock.said("executed_not_hitler", "", 0.0)
    assert table.feed.snapshot.clock is not None


def test_after_the_plug_it_starts_anew_and_says_so():
    """How long the power was gone nobody knows."""
    table = Fake(begun(evening_of(5)))
    table.clock.game_resumed(table.evening)
    assert table.keys == ["clock_anew"]
    assert table.feed.snapshot.clock.seconds_left == pytest.approx(180)
    quiet = Fake(evening_of(5))
    quiet.clock.game_resumed(quiet.evening)
    assert quiet.said == []


def test_a_minute_is_not_halved_into_the_last_seconds():
    """Short clocks say less."""
    table = Fake(begun(evening_of(5)), minutes=0.5)
    table.report(commands.Vote(elected=False))
    table.go(3600)
    assert table.keys == ["clock_last", "clock_over", "waiting_election"]


def test_green_beside_yellow_switches_it_and_it_is_kept():
    """Everywhere but in a night that goes on it says so; the box remembers it for the next time it is switched on."""
    with Box(begun(evening_of(5))) as box:
        pressed = box.take(SWITCH)
        assert pressed.ok
        assert pressed.caption == ENGLISH.say("clock_on", minutes="3")
        eventually(lambda: box.feed.snapshot.clock)
        assert box.take(SWITCH).caption == ENGLISH.say("clock_off")
        eventually(lambda: box.feed.snapshot.clock is None)
        assert box.clock_kept == [True, False]
        assert box.table.evening.game.phase is Phase.ELECTION
