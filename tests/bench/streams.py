"""From a new version to the line that a client reads from its stream, beside a bare server's counter."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from flask import Flask, Response
from waitress.server import create_server

from companion.box.app import Companion
from companion.settings import Settings
from hardware.web import WebPanel
from tests.bench.figures import Figures, Row
from tests.bench.phones import SEATS
from tests.support_sound import GongSpeaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TIMES_BARE = 2.0
_REST_SECONDS = 0.1


def measure(folder: Path, *, changes: int, clients: tuple[int, ...]) -> list[Row]:
    """Let so many clients at a time follow the box, and then a bare server."""
    rows = []
    for many in clients:
        bare, _ = _of_a_bare_server(many, changes)
        box, polls = _of_the_box(folder / f"stream-{many}", many, changes)
        rows.append(Row("stream", f"version to stream, {many} clients", box, bare, TIMES_BARE * bare.p99))
        if polls.values:
            rows.append(Row("stream", f"a poll of the table, {many} clients", polls))
    return rows


def _of_the_box(folder: Path, many: int, changes: int) -> tuple[Figures, Figures]:
    settings = Settings(state_dir=folder, cache_dir=folder / "cache", host="127.0.0.1", port=0, voice="silent")
    box = Companion(settings, speaker=GongSpeaker(), panel=WebPanel())
    try:
        box.open()
        box.learn()
        return _followed(box.port, many, SEATS, changes, lambda: box.feed.post(choice=changed()).version)
    finally:
        box.close()


def changed() -> int:
    """Return something that was never shown before."""
    return time.monotonic_ns()


class Counter:
    """A number that clients follow, and nothing else."""

    def __init__(self) -> None:
        self._number = 0
        self._newer = threading.Condition()

    def count(self) -> int:
        with self._newer:
            self._number += 1
            self._newer.notify_all()
            return self._number

    def numbers(self) -> Iterator[str]:
        number = self._number
        yield f"data: {number}\n\n"
        while True:
            with self._newer:
                while self._number == number:
                    self._newer.wait()
                number = self._number
            yield f"data: {number}\n\n"


def _of_a_bare_server(many: int, changes: int) -> tuple[Figures, Figures]:
    app, counter = Flask(__name__), Counter()
    app.add_url_rule("/api/events", view_func=lambda: Response(counter.numbers(), mimetype="text/event-stream"))
    server = create_server(
        app, host="127.0.0.1", port=0, threads=many + 8, connection_limit=1000, asyncore_use_poll=True
    )
    # Its streams wait for ever: the thread ends with the benchmark.
    threading.Thread(target=server.run, daemon=True).start()
    followed = _followed(int(server.effective_port), many, 0, changes, counter.count)
    server.close()
    return followed


def _followed(port: int, many: int, seats: int, changes: int, change: Callable[[], int]) -> tuple[Figures, Figures]:
    """Return how long each version took to each stream, and how long the polls of the others took."""
    words = [sys.executable, "-m", "tests.bench.listeners", str(port), str(many), str(seats)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as listeners:
        assert listeners.stdout is not None
        word, _, streams = listeners.stdout.readline().strip().partition(" ")
        assert word == "ready"
        posted: dict[int, float] = {}
        for _ in range(changes):
            now = time.time()
            posted[change()] = now
            time.sleep(_REST_SECONDS)
        told = json.loads(listeners.communicate("end\n", timeout=30)[0])
    took = tuple((at - posted[number]) * 1000 for number, at in told["heard"] if number in posted)
    note = f"{streams} of {many} clients hold a stream"
    polls = f"the other {many - int(streams)} ask every 2 s, request to answer"
    return Figures(took, note), Figures(tuple(each * 1000 for each in told["polls"]), polls)
