"""How fast the box is, beside the parts it is made of. Prints one table; nothing here passes or fails.

    python -m tests.bench [--json] [--presses N] [--folder DIR]

Every figure stands beside a baseline of the same run on the same machine: a bare `button.when_pressed = led.on` on the
same kind of pins, one commit of SQLite with an fsync on the same disk, the mixer alone. `--folder` chooses the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from pathlib import Path

from tests.bench import measures
from tests.bench.figures import Figures, table

SLACK_MS = 5.0
"""What the whole path may take beside a bare path and two commits, at the 99th percentile."""

UNDER_ATTACK_MS = 20.0
"""What it may take while a hostile client holds on to all that it can get, at the 99th percentile."""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="How fast the box is.")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--presses", type=int, default=200, help="how many presses are measured")
    parser.add_argument("--folder", type=Path, help="where the journal is kept; by default the system's for such files")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        figures = measure(Path(folder), chosen.presses)
    bare, commit, press = (figures[name] for name in ("bare press to LED", "bare commit", "press to LED"))
    allowed_ms = bare.p99_ms + 2 * commit.p99_ms + SLACK_MS
    if chosen.json:
        print(json.dumps({**{name: each.plain() for name, each in figures.items()}, "allowed_p99_ms": allowed_ms}))
        return
    print(table(figures))
    verdict = "within" if press.p99_ms <= allowed_ms else "ABOVE"
    print(f"\npress to LED, p99: {press.p99_ms:.2f} ms, {verdict} {allowed_ms:.2f} ms (bare + two commits + 5 ms)")
    attacked = figures["press to LED under attack"]
    verdict = "within" if attacked.p99_ms <= UNDER_ATTACK_MS else "ABOVE"
    print(f"    under attack, p99: {attacked.p99_ms:.2f} ms, {verdict} {UNDER_ATTACK_MS:g} ms")
    print(f"                   {press.p50_ms / commit.p50_ms:.2f} times one bare commit at the median")


def measure(folder: Path, presses: int) -> dict[str, Figures]:
    """Return every figure by its name."""
    # The mixer plays into a pipe, so that the first sample can be seen where a sound card would hear it.
    sink = measures.Sink(folder)
    os.environ |= {"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(sink.path)}
    figures = {
        "bare press to LED": measures.bare_press(presses),
        "referee, a command": measures.referee(random.Random(1)),  # noqa: S311 - a benchmark, not a secret
    }
    with sink:
        figures |= measures.whole_path(folder, sink, presses)
    return figures | measures.besieged(folder / "besieged", presses)


if __name__ == "__main__":
    main()
