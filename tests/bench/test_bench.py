from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.bench import screens
from tests.bench.figures import Figures, Row, table
from tests.browser import chromium

ROWS = {
    "press": 5,
    "attack": 1,
    "stream": 1,
    "screens": 2,
    "start": 8,
    "pages": 3,
}
no_screens = pytest.mark.skipif(
    chromium.executable() is None or not screens.is_driven(),
    reason="no Chromium here: apt-get install --no-install-recommends chromium fonts-dejavu, pip install playwright",
)


@pytest.mark.parametrize("group", [pytest.param(each, marks=no_screens if each == "screens" else ()) for each in ROWS])
def test_every_group_of_the_benchmark_yields_its_rows(group: str) -> None:
    """The benchmark runs end to end, and what it promises stands beside what it is measured against."""
    words = [sys.executable, "-m", "tests.bench", "--quick", "--json", "--only", group]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])
    assert len(rows) >= ROWS[group]
    for row in rows:
        assert row["samples"] > 0
        assert 0 <= row["p50"] <= row["p99"]
        assert (row["verdict"] is None) == (row["target_p99"] is None)


def test_the_table_says_which_promise_did_not_hold() -> None:
    """A figure above its target is called ABOVE, one within it `within`, and the ratio is that of the p99s."""
    bare = Figures((2.0,) * 100)
    text = table(
        [Row("g", "slow", Figures((7.0,) * 100), bare, 5.0), Row("g", "quick", Figures((1.0,) * 100), bare, 5.0)]
    )
    slow, quick = text.splitlines()[3:5]
    assert slow.split()[-3:] == ["3.50", "5.000", "ABOVE"]
    assert quick.split()[-3:] == ["0.50", "5.000", "within"]
