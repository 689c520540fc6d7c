"""A box that is played on for days, on a fast clock: what grows?

    python -m tests.soak [--hours 24] [--checks 24] [--seed 1933] [--folder DIR]

Ten phones come, go, sleep and look over a real server; buttons are pressed on mock pins, nights are held, reports taken
back, languages changed, and the journal lies on a real disk. The process is surrounded as `companion install` has it.
Prints a line a check, and ends with 1 if memory grew by more than 5 % after the warm-up, or descriptors, threads or the
journal's size per report grew.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.soak.installed import become_installed
from tests.soak.measuring import SEED, Check, games_in, heading, line, soak, what_grew


def main() -> int:
    """Play, look, and judge."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="A box that is played on for days.")
    parser.add_argument("--hours", type=float, default=24.0, help="of simulated time; a press every half minute")
    parser.add_argument("--checks", type=int, default=24, help="how often the box is looked at")
    parser.add_argument("--seed", type=int, default=SEED, help="of the table's whims")
    parser.add_argument("--folder", type=Path, help="where the journal is kept; by default the system's for such files")
    chosen = parser.parse_args()
    become_installed()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        print(heading(), flush=True)
        looks = soak(Path(folder), chosen.hours, chosen.checks, _tell, chosen.seed)
        games = games_in(Path(folder) / "state")
    print(f"\n{chosen.hours:g} hours in {time.monotonic() - began:.0f} s; {games} games can be read from the journal.")
    grew = what_grew(looks)
    print("\n".join(grew) if grew else "Nothing grew.")
    return 1 if grew else 0


def _tell(check: Check) -> None:
    print(line(check), flush=True)


if __name__ == "__main__":
    sys.exit(main())
