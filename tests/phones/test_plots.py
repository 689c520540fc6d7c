"""Plots of many games: the numbers that the page draws."""

from __future__ import annotations

from companion.game.vocabulary import Party
from companion.phones.plots import lengths, run


def test_games_are_counted_by_their_length() -> None:
    """Every game stands in one bar, and the fullest bar is the highest."""
    bins = lengths([21.0, 24.9, 25.0, 31.0, 44.0])
    assert sum(each.count for each in bins) == 5
    assert [(each.label, each.count) for each in bins] == [("20", 2), ("25", 1), ("30", 1), ("35", 0), ("40", 1)]
    assert max(each.share for each in bins) == 1.0


def test_a_box_that_was_left_on_makes_no_plot_of_one_bar() -> None:
    """One game of two days among a hundred of half an hour lands in the last bar."""
    bins = lengths([25.0 + each % 20 for each in range(100)] + [2880.0])
    assert len(bins) > 2
    assert sum(each.count for each in bins) == 101
    assert bins[-1].count >= 1


def test_no_number_of_games_makes_more_than_nine_bars() -> None:
    """However long they take."""
    for longest in (1.0, 30.0, 90.0, 500.0, 5000.0):
        assert 1 <= len(lengths([longest * each / 50 for each in range(51)])) <= 9
    assert lengths([]) == []


def test_the_lines_rise_with_each_win() -> None:
    """The oldest game first; one that was broken off moves neither."""
    told = run([Party.LIBERAL, None, Party.FASCIST, Party.LIBERAL])
    assert told.liberal == (0, 1, 1, 1, 2)
    assert told.fascist == (0, 0, 0, 1, 1)
    assert told.path(told.liberal, 40, 100) == "M0 100.0H0.0V100.0H10.0V50.0H20.0V50.0H30.0V50.0H40.0V0.0"
    assert run([]).path((0,), 10, 10) == "M0 10.0H0.0V10.0"
