"""How long pyttsx3's own `say` takes until it hands a line to the sound card, for the benchmark.

    python -m tests.bench.say TIMES

It renders the line anew each time and plays it with `aplay`. One of ours stands in for that, which only notes when it
was started: what the card adds is left out, in favour of `say`. Prints a JSON list of milliseconds.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.support import eventually

LINE = "A Liberal policy has been enacted."


def main() -> None:
    """Say a line so many times."""
    times = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        heard = Path(folder) / "heard"
        player = Path(folder) / "aplay"
        player.write_text(f'#!/bin/sh\ndate +%s%N >> "{heard}"\n')
        player.chmod(0o755)
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        print(json.dumps([_say(Path(folder), heard) for _ in range(times)]))


def _say(folder: Path, heard: Path) -> float:
    """Say the line, and return the milliseconds until it was on its way to the card."""
    from companion.narrator.speech import library  # noqa: PLC0415 - the library has to be loaded before pyttsx3

    library.load(folder)
    import pyttsx3  # noqa: PLC0415

    engine = pyttsx3.init("espeak")
    engine.runAndWait()
    heard.write_text("")
    began = time.time_ns()
    engine.say(LINE)
    engine.runAndWait()
    (noted,) = eventually(lambda: heard.read_text().split())
    return (int(noted) - began) / 1e6


if __name__ == "__main__":
    main()
