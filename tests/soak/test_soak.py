from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import sounds
from companion import languages
from companion.history import past_games
from companion.journal import FILE_NAME, reading
from sounds import Effect, Palette
from tests.soak.installed import surroundings
from tests.soak.measuring import SEED, Check, line, soak, what_grew
from tests.soak.table import SoakTable

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


def test_a_table_that_plays_on_interns_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game puts no new string into Python's table of them, which grows with all that pass through it."""
    for effect in Effect:
        sounds.seconds(Palette().path(effect))
    for code in languages.codes():
        languages.load(code)
    table = SoakTable(tmp_path, random.Random(SEED))  # noqa: S311 - a test, not a secret
    intern, interned = sys.intern, []

    def noting(text: str) -> str:
        interned.append(text)
        return intern(text)

    try:
        while table.games < 1:
            table.step()
        monkeypatch.setattr(sys, "intern", noting)
        while table.games < 2:
            table.step()
    finally:
        monkeypatch.undo()
        table.close()
    assert interned == []


def test_threads_that_rest_keep_nothing_back() -> None:
    """By its unit an installed box gets back what its forty threads have freed; glibc would keep megabytes for them."""
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("this C library gives no account of what it keeps")
    bare = {name: value for name, value in os.environ.items() if name not in surroundings()}
    assert _kept_back(bare) > 2**21
    assert _kept_back(bare | surroundings()) < 2**17


def _kept_back(environment: dict[str, str]) -> int:
    command = [sys.executable, "-m", "tests.soak.installed"]
    return int(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


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
