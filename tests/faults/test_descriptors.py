"""A box that may open no more files and sockets, while somebody plays.

The buttons play on, the table is told once, whoever comes waits, and nothing is lost that only could not be opened.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from companion import languages
from companion.machine import network
from companion.machine.addresses import AddressWatcher
from companion.machine.network import Whereabouts
from companion.machine.systemd import Systemd
from companion.narrator import alsa, loudspeaker
from companion.narrator.child import Child, ChildLostError
from companion.narrator.sound import VoiceError
from companion.narrator.speech import wav
from companion.narrator.speech.cache import ClipCache
from companion.phones import server, shortage
from companion.table.snapshot import Feed
from tests.evening.boxes import RunningBox, running
from tests.faults.test_faults import COMPANION, Started, environment, linux, warm_cache
from tests.faults.test_storms import PATIENCE_SECONDS, plays_on, pressed, to_the_election
from tests.narrator.test_loudspeaker import FakeCard
from tests.supervisor.test_supervisor import Ear, ear
from tests.support import evening_of, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ear", "environment", "warm_cache"]

resource = pytest.importorskip("resource")
pytestmark = linux

FEW = 96
"""Descriptors of a box that lives on little: it holds about thirty for itself."""


class Hunger:
    """Takes every descriptor of this process that may still be had, and gives them back."""

    def __init__(self) -> None:
        self._limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._taken: list[int] = []

    def take(self) -> None:
        highest = max(int(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are all that is wanted
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 8, self._limits[1]))
        with contextlib.suppress(OSError):
            while True:
                self._taken.append(os.open(os.devnull, os.O_RDONLY))

    def give_back(self) -> None:
        while self._taken:
            os.close(self._taken.pop())
        resource.setrlimit(resource.RLIMIT_NOFILE, self._limits)


@pytest.fixture
def hunger() -> Iterator[Hunger]:
    hunger = Hunger()
    yield hunger
    hunger.give_back()


class Line:
    """A connection that was there before, and stays."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        self._connection.connect()
        self.get("/healthz")

    def get(self, path: str) -> str:
        return self._ask("GET", path)

    def press(self, button: str) -> Any:
        content = json.dumps({"button": button, "held": False})
        return json.loads(self._ask("POST", "/api/panel", content, {"Content-Type": "application/json"}))

    def troubles(self) -> list[str]:
        found: list[str] = json.loads(self.get("/api/table"))["troubles"]
        return found

    def _ask(self, method: str, path: str, *content: Any) -> str:
        self._connection.request(method, path, *content)
        response = self._connection.getresponse()
        assert response.status == http.client.OK
        return response.read().decode()

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def box(tmp_path: Path) -> Iterator[RunningBox]:
    """A box with real role cards, at its first election."""
    with running(tmp_path / "state", roles="cards", voice="silent") as box:
        to_the_election(box)
        yield box


# --- the whole box ---------------------------------------------------------------------------------------------------


def test_the_game_goes_on_by_buttons_and_the_table_is_told(
    box: RunningBox, hunger: Hunger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing to be opened presses count, durably; pages and voice say it once, and phones that waited get in."""
    monkeypatch.setattr(shortage, "CALM_SECONDS", 2 * shortage.REST_SECONDS)
    told = languages.load("en").page["trouble_phones"]
    spoken = languages.load("en").pronounce(languages.load("en").say("phones_trouble"))
    with contextlib.ExitStack() as open_before:
        table = open_before.enter_context(contextlib.closing(Line(box.port)))
        assert told not in table.get("/table")
        # Their calls are made with the last descriptors, and nobody can answer.
        callers = [open_before.enter_context(socket.socket()) for _ in range(5)]
        hunger.take()
        for caller in callers:
            caller.setblocking(False)
            caller.connect_ex(("127.0.0.1", box.port))
        eventually(lambda: table.troubles() == [shortage.SENTENCE], PATIENCE_SECONDS)
        assert told in table.get("/table")
        for _ in range(20):
            plays_on(box, pressed(box))
            plays_on(box, table.press)
        assert box.companion.notes == [], "the journal wrote all of it"
        assert table.troubles() == [shortage.SENTENCE]
        hunger.give_back()
        for caller in callers:
            caller.settimeout(PATIENCE_SECONDS)
            caller.sendall(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
            assert caller.recv(100).startswith(b"HTTP/1.0 200")
        eventually(lambda: table.troubles() == [], PATIENCE_SECONDS)
    plays_on(box, box.press)
    box.silence()
    assert box.output.said().count(spoken) == 1


def test_a_door_that_cannot_be_opened_is_not_looked_at_all_the_time(
    box: RunningBox, hunger: Hunger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long somebody waits, callers are looked for twice a second at most, and the processor rests."""
    looks: list[float] = []
    real = server.TcpWSGIServer.accept
    monkeypatch.setattr(server.TcpWSGIServer, "accept", lambda here: (looks.append(time.monotonic()), real(here))[1])
    turns = itertools.count()
    readable = server.TcpWSGIServer.readable
    monkeypatch.setattr(server.TcpWSGIServer, "readable", lambda here: (next(turns), readable(here))[1])
    with contextlib.closing(Line(box.port)) as table, socket.socket() as caller:
        hunger.take()
        caller.setblocking(False)
        began = time.monotonic()
        caller.connect_ex(("127.0.0.1", box.port))
        eventually(table.troubles, PATIENCE_SECONDS)
        asked = next(turns)
        threading.Event().wait(5 * shortage.REST_SECONDS)
        turned = next(turns) - asked
        passed = time.monotonic() - began
    assert len(looks) <= passed / shortage.REST_SECONDS + 2
    assert turned <= 10 * (passed + 1)


def test_a_box_that_may_open_little_is_flooded_and_plays(environment: dict[str, str], tmp_path: Path) -> None:
    """The program itself: full of strangers it tells and counts, ends in time, and goes on where it was."""
    options = ["--roles", "cards", "--state-dir", str(tmp_path / "state")]
    cache = Path(environment["COMPANION_CACHE_DIR"])
    kept = sorted(path.name for path in cache.rglob("*.wav"))
    little = ["sh", "-c", f'ulimit -n {FEW}; exec "$@"', "sh", *COMPANION]
    with Started(options, environment, command=little) as box, contextlib.ExitStack() as strangers:
        table = strangers.enter_context(contextlib.closing(Line(box.port())))
        for _ in range(2 * FEW):
            stranger = strangers.enter_context(socket.socket())
            stranger.setblocking(False)
            stranger.connect_ex(("127.0.0.1", box.port()))
        eventually(lambda: shortage.SENTENCE in table.troubles(), PATIENCE_SECONDS)
        assert table.press("ja")["ok"] is True
        eventually(lambda: json.loads(table.get("/api/table"))["phase"] == "night", PATIENCE_SECONDS)
        assert box.end() == 0
    assert sorted(path.name for path in cache.rglob("*.wav")) == kept, "lines that could not be opened are kept"
    with Started(options, environment) as again:
        assert again.ask("GET", "/api/table")["phase"] == "night"
        assert again.end() == 0


# --- what its parts do meanwhile -------------------------------------------------------------------------------------


def test_a_spoken_line_that_cannot_be_opened_is_kept(hunger: Hunger, tmp_path: Path) -> None:
    """A line that may be whole is not taken for a damaged one, which would be removed and rendered anew."""
    cache = ClipCache(tmp_path / "voice")
    path = cache.directory / "line.wav"
    wav.write_silence(path, 1.0)
    hunger.take()
    with pytest.raises(VoiceError, match="cannot be opened"):
        cache.find(path)
    hunger.give_back()
    found = cache.find(path)
    assert found is not None
    assert found.seconds == 1.0


def test_a_worker_that_cannot_be_started_is_a_voice_that_fails(hunger: Hunger) -> None:
    """Whoever wants a line hears of it as of every other fault of the voice: the caption leads on."""
    hunger.take()
    with pytest.raises(ChildLostError, match="no place to work"):
        Child([sys.executable, "-c", "pass"])


def test_cards_that_cannot_be_looked_at_are_no_cards_that_are_gone(
    hunger: Hunger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mixer that plays is not given up for a new one, which could not be opened now."""
    (tmp_path / "Device").symlink_to(tmp_path)
    monkeypatch.setattr(alsa, "FOLDER", tmp_path)
    opened: list[FakeCard] = []
    looks = itertools.count()

    def look() -> frozenset[str]:
        next(looks)
        return alsa.card_names()

    def open_card() -> FakeCard:
        opened.append(FakeCard())
        return opened[-1]

    speaker = loudspeaker.Loudspeaker(open_card, look=look, look_seconds=0.001)
    assert speaker.wait_until_open(10)
    hunger.take()
    before = next(looks)
    eventually(lambda: next(looks) > before + 20)
    hunger.give_back()
    speaker.close()
    assert len(opened) == 1


def test_an_address_that_cannot_be_asked_for_is_still_shown(hunger: Hunger) -> None:
    """The code to join stays on the page: the network is where it was."""
    home, looks = Whereabouts("http://192.168.1.5/"), itertools.count()
    feed = Feed(evening_of())
    feed.post(where=home)

    def look() -> Whereabouts:
        next(looks)
        return network.whereabouts("0.0.0.0", 8080, None)  # noqa: S104 - asked about, not listened on

    watcher = AddressWatcher(look, feed, every_seconds=0.001)
    hunger.take()
    watcher.start()
    eventually(lambda: next(looks) > 40)
    shown = feed.snapshot.where
    watcher.close()
    hunger.give_back()
    assert shown == home


def test_the_watchdog_hears_of_a_box_that_may_open_nothing(ear: Ear, hunger: Hunger) -> None:
    """A box that plays is not started again because it cannot open one more socket to say so."""
    systemd = Systemd(ear.address, limit_seconds=0.1)
    systemd.watch(lambda _: True)
    ear.hear_until("WATCHDOG=1")
    hunger.take()
    ear.forget()
    assert ear.hear() == ["WATCHDOG=1"]
    hunger.give_back()
    systemd.stopping("the test is over")
