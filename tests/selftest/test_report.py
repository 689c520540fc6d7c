"""Checks that rest on each other, and how they are told."""

from companion.commands.selftest.report import Check, Status, facts, failed, line, ok, passed, perform, skipped, summary


def test_what_rests_on_a_failure_is_skipped_and_not_looked_at():
    """The reason names the failure; what rests on something left out has that one's reason."""
    looked = []

    def look(name, finding):
        return lambda: looked.append(name) or finding

    results = perform(
        [
            Check("a", look("a", failed("broken", "mend it"))),
            Check("b", look("b", ok("fine")), ("a",)),
            Check("c", look("c", ok("fine")), ("b",)),
            Check("d", look("d", skipped("not here"))),
            Check("e", look("e", ok("fine")), ("d",)),
            Check("f", look("f", ok("fine"))),
        ]
    )
    assert looked == ["a", "d", "f"]
    assert [result.words for result in results] == [
        "broken",
        "needs a, which failed",
        "needs a, which failed",
        "not here",
        "not here",
        "fine",
    ]
    assert not passed(results)
    assert passed(results[3:])


def test_a_check_that_goes_wrong_is_one_line_and_stops_no_other():
    """An error nobody thought of is a failure of that check alone."""

    def stumble():
        raise RuntimeError

    first, second = perform([Check("a", stumble), Check("b", lambda: ok("fine"))])
    assert (first.status, first.words) == (Status.FAILED, "the check itself went wrong: RuntimeError")
    assert second.status is Status.OK


def test_the_table_stands_in_columns():
    """Status, name, words; the remedy under the words."""
    (result,) = perform([Check("port", lambda: failed("8080 is taken", "take another"))])
    assert line(result, 10) == "failed   port        8080 is taken\n                     -> take another"
    assert summary([result]) == "1 failed."


def test_results_are_told_as_they_come():
    """So that whoever waits for the voices sees what was found before."""
    told = []
    perform([Check("a", lambda: ok("fine")), Check("b", lambda: ok(str(len(told))))], told.append)
    assert [each.words for each in told] == ["fine", "1"]


def test_json_has_the_same_words():
    """A program reads status, words and remedy of each check, and whether all is well."""
    results = perform([Check("a", lambda: ok("fine"))])
    assert facts(results) == {"ok": True, "checks": [{"check": "a", "status": "ok", "words": "fine", "remedy": ""}]}
