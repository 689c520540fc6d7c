"""A voice that fails is asked ever more rarely, until it speaks again."""

from __future__ import annotations

from companion.narrator.speech.rest import FIRST_SECONDS, LONGEST_SECONDS, Rest


class Now:
    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


def asked_in(rest, now, seconds):
    """How often a voice that always fails is asked, when somebody would ask every second."""
    asked = 0
    for _ in range(seconds):
        if not rest.error:
            asked += 1
            rest.failed("no voice")
        now.seconds += 1
    return asked


def test_a_rest_doubles_with_each_failure():
    """Ten seconds, twenty, forty: in two and a half minutes of asking every second a voice is started four times."""
    now = Now()
    assert asked_in(Rest(now=now), now, 150) == 4
    assert [FIRST_SECONDS * (2**n - 1) for n in range(1, 5)] == [10, 30, 70, 150]


def test_a_rest_ends_somewhere():
    """Also a voice that fails all evening is tried four times an hour, in case somebody mended it."""
    now = Now()
    rest = Rest(now=now)
    asked_in(rest, now, 40_000)
    assert asked_in(rest, now, 3600) == 3600 / LONGEST_SECONDS


def test_a_line_that_is_spoken_ends_the_rest():
    """After one success the next failure costs the first rest again."""
    now = Now()
    rest = Rest(now=now)
    asked_in(rest, now, 100)
    rest.succeeded()
    assert rest.error == ""
    rest.failed("again")
    assert rest.error == "again"
    now.seconds += FIRST_SECONDS
    assert rest.error == ""


def test_some_failures_are_spared():
    """Where a failure may be the line's own fault, the first ones are followed by no rest."""
    rest = Rest(spared=2, now=Now())
    for error in ("", "", "three"):
        rest.failed("three")
        assert rest.error == error
