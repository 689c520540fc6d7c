from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from companion.history import past_games
from companion.journal import FILE_NAME, reading
from tests.soak.measuring import Check, line, soak, what_grew

if TYPE_CHECKING:
    from pathlib import Path


def test_two_hours_of_games_leave_a_box_as_it_was(tmp_path: Path) -> None:
    """Ten phones come and go over a real server and nothing grows; `python -m tests.soak` plays a whole day."""
    looks = soak(tmp_path, hours=2.0, checks=8, tell=lambda check: print(line(check)))
    # So short a time says little of memory, which the long one judges.
    grew = [each for each in what_grew(looks) if not each.startswith("memory")]
    assert not grew
    assert looks[-1].memory_mb < looks[1].memory_mb * 1.2
    assert looks[-1].games >= 2
    assert looks[-1].arrivals >= 10
    with reading(tmp_path / "state" / FILE_NAME) as connection:
        assert all(game.evening is not None for game in past_games(connection))


def test_what_grows_is_said() -> None:
    """Memory above 5 %, and one descriptor, thread or byte too many, is a sentence each; warming up is not."""
    steady = [Check(hour, 1, 100, 100, 10, 60.0, 50, 40, 100, 50.0) for hour in (1.0, 2.0, 3.0, 4.0)]
    assert what_grew(steady) == []
    assert what_grew([replace(steady[0], hours=0.5, memory_mb=40.0), *steady]) == []
    for grown, word in (
        ({"memory_mb": 63.1}, "memory_mb"),
        ({"descriptors": 55}, "descriptors"),
        ({"threads": 43}, "threads"),
        ({"journal_kb": 56.0}, "bytes_a_report"),
    ):
        (sentence,) = what_grew([*steady[:-1], replace(steady[-1], **grown)])
        assert sentence.startswith(word)
