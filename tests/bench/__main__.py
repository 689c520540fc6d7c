"""How fast the box is, beside the parts it is made of. Prints one table; nothing here passes or fails.

    python -m tests.bench [--json] [--quick] [--only GROUP] [--presses N] [--folder DIR]

Every figure stands beside a baseline of the same run on the same machine: a bare `button.when_pressed = led.on` on the
same kind of pins, the loudspeaker alone, a bare server, the import of the libraries alone. `--folder` chooses the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench import boxes, pins, presses, rules, screens, sound, streams, weight
from tests.bench.figures import Figures, Row, table
from tests.bench.phones import PHONES
from tests.bench.sink import Sink

if TYPE_CHECKING:
    from collections.abc import Callable

SLACK_MS = 5.0
"""What the whole path may take beside a bare path and two commits, at the 99th percentile."""

UNDER_ATTACK_MS = 20.0
"""What it may take while a hostile client holds on to all that it can get, at the 99th percentile."""

FIRST_SAMPLE_SLACK_MS = 15.0
"""What a press may take to the first sample beside the loudspeaker alone, at the 99th percentile: the table decides,
the journal is on disk, and the narrator cuts what it was saying."""

GROUPS = ("press", "attack", "stream", "screens", "start", "pages", "sound")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="How fast the box is.")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="a few of everything: whether it runs, not how fast it is")
    parser.add_argument("--only", choices=GROUPS, action="append", help="measure one group")
    parser.add_argument("--presses", type=int, help="how many presses are measured; 300 by default")
    parser.add_argument("--folder", type=Path, help="where the journal is kept; by default the system's for such files")
    chosen = parser.parse_args()
    pressed = chosen.presses or (3 if chosen.quick else 300)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for group in chosen.only or GROUPS:
            rows += measure(group, Path(folder), pressed, quick=chosen.quick)
    print(json.dumps([row.plain() for row in rows]) if chosen.json else table(rows))


def measure(group: str, folder: Path, pressed: int, *, quick: bool) -> list[Row]:
    """Return the rows of one group."""
    groups: dict[str, Callable[[], list[Row]]] = {
        "press": lambda: _press(folder, pressed, sounds=3 if quick else 200),
        "attack": lambda: _attack(folder, pressed),
        "stream": lambda: streams.measure(folder, changes=3 if quick else 100, clients=(15,) if quick else (15, 200)),
        "screens": lambda: screens.measure(folder, presses=2 if quick else 30, phones=3 if quick else PHONES),
        "start": lambda: boxes.measure(
            folder,
            starts=1 if quick else 5,
            games=5 if quick else 5000,
            idle_seconds=1 if quick else 20,
            presses=20 if quick else 2000,
        ),
        "pages": lambda: weight.measure(folder),
        "sound": lambda: sound.measure(folder, times=2 if quick else 20),
    }
    return groups[group]()


def _press(folder: Path, pressed: int, sounds: int) -> list[Row]:
    # The card's process plays into a pipe, so that the first sample can be seen where a sound card would hear it.
    bare, commands = pins.bare_press(pressed), rules.referee(random.Random(1))  # noqa: S311 - no secret
    in_memory = Path("/dev/shm")  # noqa: S108 - a folder of its own in it
    with tempfile.TemporaryDirectory(dir=in_memory if in_memory.is_dir() else None) as beside:
        sink = Sink(Path(beside))
        os.environ |= {"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(sink.path)}
        with sink:
            figures = presses.whole_path(folder, sink, pressed, sounds)
    commit, alone = figures["bare commit"], figures["loudspeaker alone"]
    both = Figures(
        (bare.p99 + 2 * commit.p99,), f"{bare.note}, and two commits: {commit.note}, p50 {commit.p50:.2f} ms"
    )
    return [
        Row("press", "press to LED", figures["press to LED"], both, both.p99 + SLACK_MS),
        Row("press", "press to the call of the loudspeaker", figures["press to the call of the loudspeaker"]),
        Row(
            "press",
            "press to the first sample",
            figures["press to the first sample"],
            alone,
            alone.p99 + FIRST_SAMPLE_SLACK_MS,
        ),
        Row("press", "pyttsx3's own say, to aplay", _said(sounds)),
        Row("press", "a command of the referee", commands),
    ]


def _said(times: int) -> Figures:
    # A process of its own: eSpeak NG is used from one thread of one process, and the box has its own.
    words = [sys.executable, "-m", "tests.bench.say", str(times)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return Figures(tuple(json.loads(told)), "rendered anew each time; what aplay and the card add is left out")


def _attack(folder: Path, pressed: int) -> list[Row]:
    attacked = presses.besieged(folder / "besieged", pressed)["press to LED under attack"]
    return [Row("attack", "press to LED under attack", attacked, pins.bare_press(pressed), UNDER_ATTACK_MS)]


if __name__ == "__main__":
    main()
