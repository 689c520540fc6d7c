"""A box that has waited for long says what it waits for, a few times, and never in the night."""

import pytest

from companion import languages
from companion.game import commands
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Party, Phase, Role
from companion.panel.reminder import REMINDERS, Reminder
from companion.table.listener import Change
from tests.play.later import Later
from tests.support import after, begun, evening_of


def at(evening, seconds=60.0):
    """Return a table that has just been switched on where an evening stands, and its reminder."""
    table = Later(evening)
    reminder = Reminder(table, table, seconds)
    reminder.game_resumed(evening)
    return table, reminder


def report(table, reminder, command):
    before = table.evening
    table.evening = after(before, command)
    reminder.changed(Change(before, (), table.evening))


def test_a_long_silence_is_broken_a_few_times_after_longer_and_longer_pauses():
    """After one minute, two more and four more; then whoever is not there is left in peace."""
    table, _ = at(begun(evening_of(5)))
    table.go(100_000)
    assert [(when, key) for when, key, _ in table.said] == [
        (60, "waiting_election"),
        (180, "waiting_election"),
        (420, "waiting_election"),
    ]
    assert len(table.said) == REMINDERS


def test_every_report_begins_a_new_silence():
    """Also one that was refused: somebody is at the box."""
    table, reminder = at(begun(evening_of(5)))
    table.go(59)
    report(table, reminder, commands.Vote(elected=True))
    table.go(59)
    reminder.refused(Refused(Refusal.NOT_NOW), table.evening)
    table.go(59)
    assert table.said == []
    table.go(1)
    assert table.said == [(178, "waiting_legislative_session", languages.load("en").say("waiting_legislative_session"))]
    report(table, reminder, commands.EnactPolicy(Party.LIBERAL))
    table.go(60)
    assert [key for _, key, _ in table.said] == ["waiting_legislative_session", "waiting_election"]


@pytest.mark.parametrize("phase", [Phase.LOBBY, Phase.DEAL, Phase.NIGHT, Phase.ASK, Phase.GAME_OVER])
def test_outside_the_game_nobody_is_reminded(phase):
    """Not while people come, look at their roles, close their eyes, or talk about how it was."""
    evening = evening_of(5)
    steps = {
        Phase.LOBBY: (),
        Phase.NIGHT: (commands.BeginNight(regardless=True),),
        Phase.ASK: (commands.BeginNight(regardless=True), commands.EndNight()),
    }
    for command in steps.get(phase, ()):
        evening = after(evening, command)
    if phase is Phase.DEAL:
        evening = after(evening, commands.DealRoles((Role.LIBERAL,) * 3 + (Role.FASCIST, Role.HITLER)))
    if phase is Phase.GAME_OVER:
        evening = begun(evening)
        for _ in range(5):
            evening = after(after(evening, commands.Vote(elected=True)), commands.EnactPolicy(Party.LIBERAL))
    assert evening.game.phase is phase
    table, _ = at(evening)
    table.go(100_000)
    assert table.said == []


def test_a_table_that_wants_none_gets_none():
    """0 minutes are never."""
    table, _ = at(begun(evening_of(5)), seconds=0.0)
    table.go(100_000)
    assert table.said == []
