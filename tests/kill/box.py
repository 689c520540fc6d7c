"""A box that plays at random until it is killed.

It prints `resumed FINGERPRINT NOTE`, then for every report `would FINGERPRINT` before and `did FINGERPRINT` after it
was acknowledged.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[:0] = sys.argv[3:]

from companion.game import evening as rulebook  # noqa: E402
from companion.journal import Journal, resume  # noqa: E402
from companion.table.snapshot import Feed  # noqa: E402 - found by the path above
from companion.table.table import Table  # noqa: E402
from tests.journal.playing import chance_of, fingerprint, next_command  # noqa: E402


def say(*words: str) -> None:
    """Print a line that reaches the reader whole although this process may end at any moment."""
    os.write(1, f"{' '.join(words)}\n".encode())


def main() -> None:
    chance = chance_of(sys.argv[2])
    journal = Journal.open(Path(sys.argv[1]))
    evening = resume(journal, rulebook.opened)
    say("resumed", fingerprint(evening), journal.note)
    table = Table(evening, journal, Feed(evening))
    table.start()
    while True:
        command = next_command(table.evening, chance)
        entry = rulebook.decide(table.evening, [command])
        say("would", fingerprint(rulebook.evolve(table.evening, entry)))
        say("did", fingerprint(table.submit(command).result().evening))


if __name__ == "__main__":
    main()
