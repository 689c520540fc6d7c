"""A box started by its own command, as people start it: how soon it is ready, and what it takes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Self

from companion.game import commands
from companion.game import evening as rulebook
from companion.game.seating import Seating
from companion.journal import Journal
from tests.bench.figures import Figures, Row
from tests.bench.phones import Phones
from tests.support import free_port

perf = time.perf_counter

READY_MS = 1000.0
IN_PLAY_MB = 70.0
IDLE_PERCENT = 1.0
MEMORY_MAY_GROW = 1.05
FIRST_PRESSES = 50
"""After so many a box has once done all that it does again with each further press."""
PHONES = 10
_IMPORT = "import flask, gpiozero, pygame"


class Box:
    """`companion --panel web` in a process of its own; in a `with` it has learnt to speak."""

    def __init__(self, folder: Path, cache: Path) -> None:
        # Chosen here, since a box that still learns to speak is pressed before it says where it is.
        self.port = free_port()
        words = [sys.executable, "-m", "companion", "--panel", "web", "--host", "127.0.0.1", "--port", str(self.port)]
        words += ["--voice", "auto", "--state-dir", str(folder)]
        variables = {**os.environ, "COMPANION_CACHE_DIR": str(cache), "SDL_AUDIODRIVER": "dummy"}
        self._began = perf()
        self.process = subprocess.Popen(
            words, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def first_press_ms(self) -> float:
        """Press until a press counts, and return how long after the start that was."""
        while True:
            try:
                self.press("repeat")
            except OSError:
                assert self.process.poll() is None, "the box did not start"
                time.sleep(0.002)
            else:
                return (perf() - self._began) * 1000

    def ready_ms(self) -> float:
        """Wait until the box says that it is ready, and return how long after the start that was."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("ready http://"):
                return (perf() - self._began) * 1000
        raise AssertionError("the box did not get ready")

    def __enter__(self) -> Self:
        self.ready_ms()
        return self

    def close(self) -> None:
        """End it, in whatever it is."""
        self.process.terminate()
        self.process.communicate(timeout=20)

    def __exit__(self, *_: object) -> None:
        self.close()

    def memory_mb(self) -> tuple[float, float]:
        """Return what the box keeps, and what the processes that it started keep (resident set size), in MB."""
        own = self.process.pid
        # Each thread's children are listed with it, and the voice is started by a thread of its own.
        children = [child for task in Path(f"/proc/{own}/task").iterdir() for child in _children(task)]
        return rss_mb(own), sum(rss_mb(child) for child in children)

    def cpu_seconds(self) -> float:
        """Return the time that the box has computed for."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def press(self, button: str, *, held: bool = False) -> None:
        """Press a button of its panel."""
        body = f'{{"button": "{button}", "held": {"true" if held else "false"}}}'.encode()
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/panel", body, {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(asked, timeout=10).read()  # noqa: S310


def _children(task: Path) -> list[int]:
    try:
        return [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        # The thread has ended since it was listed.
        return []


def rss_mb(pid: int) -> float:
    """Return the resident set size of a process, in MB: other programs that run meanwhile do not change it."""
    found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return int(found[1]) / 1024


def measure(folder: Path, *, starts: int, games: int, idle_seconds: float, presses: int) -> list[Row]:
    """Start boxes with a cold and a warm cache and after many games; then look at what one takes."""
    bare = Figures(tuple(_bare_import()[0] for _ in range(starts)), f'python -c "{_IMPORT}"')
    bare_mb = Figures((_bare_import()[1],), f'python -c "{_IMPORT}"', "MB")
    pressed, cold = _first_start_ms(folder / "once", folder / "cold")
    warm = [_ready_ms(folder / "once", folder / "cold") for _ in range(starts)]
    _played(folder / "often", games)
    late = [_ready_ms(folder / "often", folder / "cold") for _ in range(starts)]
    rows = [
        Row(
            "start", "start to first press, cold cache", Figures((pressed,), "while it learns to speak"), bare, READY_MS
        ),
        Row("start", "start to ready, cold cache", Figures((cold,), "every line of a language is rendered"), bare),
        Row("start", "start to ready", Figures(tuple(warm), "warm cache"), bare, READY_MS),
        Row("start", f"start to ready, {games:,} games", Figures(tuple(late), "warm cache"), bare, READY_MS),
    ]
    with Box(folder / "often", folder / "cold") as box:
        late_mb = box.memory_mb()[0]
    with Box(folder / "once", folder / "cold") as box:
        idle_mb = box.memory_mb()[0]
        phones = Phones(box.port, PHONES)
        try:
            used, began = box.cpu_seconds(), perf()
            time.sleep(idle_seconds)
            percent = 100 * (box.cpu_seconds() - used) / (perf() - began)
            box.press("ja")
            box.press("ja", held=True)
            time.sleep(2)
            playing_mb, worker_mb = box.memory_mb()
        finally:
            phones.close()
    worker = f"the voice's own process takes {worker_mb:.1f} MB more"
    kept = "resident set size"
    playing = f"{PHONES} phones, the night; {worker}"
    return [
        *rows,
        Row("memory", "idle", Figures((idle_mb,), kept, "MB"), bare_mb, IN_PLAY_MB),
        Row("memory", f"idle, {games:,} games", Figures((late_mb,), kept, "MB"), bare_mb, IN_PLAY_MB),
        Row(
            "memory",
            "in play",
            Figures((playing_mb,), playing, "MB"),
            bare_mb,
            IN_PLAY_MB,
        ),
        Row(
            "processor",
            "idle",
            Figures((percent,), f"{PHONES} phones hold streams for {idle_seconds:g} s", "% of a core"),
            target=IDLE_PERCENT,
        ),
        _after_presses(folder, presses),
    ]


def _after_presses(folder: Path, presses: int) -> Row:
    """Return what a box keeps after many presses in a game, beside the same box after a few."""
    _at_an_election(folder / "pressed")
    with Box(folder / "pressed", folder / "cold") as box:
        _fail_elections(box, FIRST_PRESSES)
        few = Figures((box.memory_mb()[0],), f"the same box after {FIRST_PRESSES} presses", "MB")
        _fail_elections(box, presses)
        # A game keeps its own reports until it ends, so that a journal that is lost can be written anew.
        note = "elections that fail and are taken back, in one game, which keeps 0.2 kB of each; resident set size"
        many = Figures((box.memory_mb()[0],), note, "MB")
    return Row("memory", f"after {presses:,} presses", many, few, MEMORY_MAY_GROW * few.p99)


def _fail_elections(box: Box, presses: int) -> None:
    for _ in range(presses // 2):
        box.press("nein")
        box.press("undo")


def _first_start_ms(state: Path, cache: Path) -> tuple[float, float]:
    """Return when a box without a line in its cache counts the first press, and when it is ready, in ms."""
    with closing(Box(state, cache)) as box:
        return box.first_press_ms(), box.ready_ms()


def _ready_ms(state: Path, cache: Path) -> float:
    with closing(Box(state, cache)) as box:
        return box.ready_ms()


def _bare_import() -> tuple[float, float]:
    """Return how long the bare parts take to be imported, in ms, and what they keep, in MB."""
    began = perf()
    words = [sys.executable, "-c", f"{_IMPORT}; print('imported', flush=True); input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "imported" not in process.stdout.readline():
            assert process.poll() is None
        took, kept = (perf() - began) * 1000, rss_mb(process.pid)
        process.communicate("\n")
    return took, kept


_TO_THE_ELECTION = (commands.BeginNight(regardless=True), commands.EndNight(), commands.BeginGame(1))
"""All in one report, so that laying games out does not take longer than measuring."""


def _played(folder: Path, games: int) -> None:
    """Leave a journal that holds so many games."""
    with closing(Journal.open(folder)) as journal:
        evening, entry = rulebook.opened(5, seating=Seating(language="en"))
        journal.append(entry)
        for _ in range(games):
            journal.append(rulebook.decide(evening, _TO_THE_ELECTION))
            evening, entry = rulebook.opened(5, seating=evening.seating)
            journal.append(entry)


def _at_an_election(folder: Path) -> None:
    """Leave a journal whose game is at its first election."""
    with closing(Journal.open(folder)) as journal:
        evening, entry = rulebook.opened(5, seating=Seating(language="en"))
        journal.append(entry)
        journal.append(rulebook.decide(evening, _TO_THE_ELECTION))
