"""How often phones may ask the table: pauses that grow, and a table that forgives."""

from __future__ import annotations

from companion.panel.questions import FORGIVEN_SECONDS, LONGEST_PAUSE_SECONDS, NUMBERS, Pauses, Question


class Now:
    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


def test_each_question_that_lapses_makes_the_next_pause_longer():
    """Ten seconds, twenty, forty, and at last five minutes; while one lasts nobody may ask."""
    now = Now()
    pauses = Pauses(now)
    lasted = []
    for _ in range(7):
        assert pauses.seconds_left == 0
        pauses.lapsed()
        lasted.append(pauses.seconds_left)
        now.seconds += pauses.seconds_left
    assert lasted == [10, 20, 40, 80, 160, LONGEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS]


def test_a_flood_gets_few_questions_an_evening():
    """Somebody who asks as soon as they may, and is never allowed, is heard some forty times in four hours."""
    now = Now()
    pauses = Pauses(now)
    asked, end = 0, now.seconds + 4 * 3600
    while now.seconds < end:
        asked += 1
        now.seconds += 30
        pauses.lapsed()
        now.seconds += pauses.seconds_left
    assert asked < 60


def test_a_question_that_is_allowed_ends_all_pauses():
    """The table that wants one more phone is not kept waiting for what strangers did before."""
    now = Now()
    pauses = Pauses(now)
    for _ in range(5):
        pauses.lapsed()
    pauses.allowed()
    assert pauses.seconds_left == 0
    pauses.lapsed()
    assert pauses.seconds_left == 10


def test_a_quiet_while_is_forgiven():
    """After a quarter of an hour without a question the next pause is a short one."""
    now = Now()
    pauses = Pauses(now)
    for _ in range(5):
        pauses.lapsed()
    now.seconds += FORGIVEN_SECONDS + 1
    pauses.lapsed()
    assert pauses.seconds_left == 10


def test_a_question_tells_nobody_whose_phone_asks():
    """Its number has two digits, and its `repr`, which may get into a log, no claim."""
    assert {len(str(number)) for number in NUMBERS} == {2}
    assert "secret hash" not in repr(Question("seat", 2, 37, "secret hash"))
