"""What is measured while a table plays for days, and what may not grow."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import threading
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from companion.history import past_games
from companion.journal import FILE_NAME, reading
from tests.soak.table import SoakTable

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY_MAY_GROW = 1.05
DESCRIPTORS_MAY_GROW = 4
THREADS_MAY_GROW = 2
BYTES_A_REPORT_MAY_GROW = 1.1
WARM_UP = 0.25
"""The part of the time in which memory may still find its size."""
SEED = 1933


@dataclass(frozen=True)
class Check:
    """One look at a box that has played for so many hours.

    Attributes:
        hours: of simulated time.
        games: that were finished.
        presses: of buttons.
        requests: of phones.
        arrivals: of phones at the table.
        memory_mb: resident memory of the process, box and phones together.
        descriptors: open files and sockets.
        threads: that are alive.
        reports: in the journal.
        journal_kb: how large its file is, without the log that SQLite writes over again and again.
    """

    hours: float
    games: int
    presses: int
    requests: int
    arrivals: int
    memory_mb: float
    descriptors: int
    threads: int
    reports: int
    journal_kb: float

    @property
    def bytes_a_report(self) -> float:
        """How much of the disk one report takes."""
        return self.journal_kb * 1024 / max(self.reports, 1)


def soak(folder: Path, hours: float, checks: int, tell: Callable[[Check], None], seed: int = SEED) -> list[Check]:
    """Play for so many simulated hours, and look at the box in regular intervals.

    Args:
        folder: where the journal is kept.
        hours: of simulated time.
        checks: how many looks.
        tell: called with each look.
        seed: of the table's whims.
    """
    table = SoakTable(folder, random.Random(seed))  # noqa: S311 - a test, not a secret
    looks: list[Check] = []
    try:
        for number in range(1, checks + 1):
            while table.seconds < 3600 * hours * number / checks:
                table.step()
            looks.append(look(table, folder / "state"))
            tell(looks[-1])
    finally:
        table.close()
    return looks


def look(table: SoakTable, state_dir: Path) -> Check:
    """Look at a box whose phones are all awake."""
    table.settle()
    # Before memory is looked at: SQLite reads the whole file for us, and the box never does.
    reports, journal_bytes = _journal(state_dir)
    gc.collect()
    _trim()
    return Check(
        table.seconds / 3600,
        table.games,
        table.presses,
        table.requests,
        table.arrivals,
        int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20,
        len(list(Path("/proc/self/fd").iterdir())),
        threading.active_count(),
        reports,
        journal_bytes / 1024,
    )


def _trim() -> None:
    """Give back what the C library keeps for later: it is nobody's."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _journal(state_dir: Path) -> tuple[int, int]:
    """Return how many reports the journal holds, and how large it is without SQLite's log, which is used again."""
    with reading(state_dir / FILE_NAME) as connection:
        (verdict,) = connection.execute("PRAGMA quick_check").fetchone()
        assert verdict == "ok", "the journal is readable, always"
        (reports,) = connection.execute("SELECT count(*) FROM entry").fetchone()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    return reports, pages * size


def what_grew(looks: list[Check]) -> list[str]:
    """Say in a sentence each what did not stay as it was after the warm-up."""
    warm = [each for each in looks if each.hours >= WARM_UP * looks[-1].hours]
    first, grew = warm[0], []
    for name, most in (
        ("memory_mb", first.memory_mb * MEMORY_MAY_GROW),
        ("descriptors", first.descriptors + DESCRIPTORS_MAY_GROW),
        ("threads", first.threads + THREADS_MAY_GROW),
        ("bytes_a_report", first.bytes_a_report * BYTES_A_REPORT_MAY_GROW),
    ):
        found = max(getattr(each, name) for each in warm)
        if found > most:
            grew.append(f"{name} grew from {getattr(first, name):.1f} to {found:.1f}; {most:.1f} were allowed")
    return grew


def heading() -> str:
    """The first line of the table."""
    return "  ".join(f"{_title(field.name):>11}" for field in fields(Check)) + f"  {'bytes/report':>12}"


def line(check: Check) -> str:
    """A line of the table."""
    values = (getattr(check, field.name) for field in fields(Check))
    shown = (f"{value:>11.1f}" if isinstance(value, float) else f"{value:>11}" for value in values)
    return "  ".join(shown) + f"  {check.bytes_a_report:>12.0f}"


def _title(name: str) -> str:
    return name.replace("_mb", " MB").replace("_kb", " kB")


def games_in(state_dir: Path) -> int:
    """How many games a journal holds that can be followed to their last report."""
    with reading(state_dir / FILE_NAME) as connection:
        return sum(game.evening is not None for game in past_games(connection))
