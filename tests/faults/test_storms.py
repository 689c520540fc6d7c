"""A whole box in the middle of a game, while the machine under it or the network around it misbehaves.

Each storm ends the same way: the game stands where the presses left it, the lights show it, and the box takes the next
press. Where something was lost, somebody at the table is told in one sentence.
"""

from __future__ import annotations

import ast
import contextlib
import http.client
import shutil
import signal
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import companion
from companion.box import app
from companion.commands import history
from companion.journal import memory
from companion.panel import lights
from companion.phones.server import CONNECTIONS_PER_ADDRESS
from hardware.panel import Button, ButtonEvent, Gesture
from tests.evening.boxes import RunningBox, running
from tests.faults.test_faults import Started, environment, linux, warm_cache
from tests.journal.playing import fingerprint
from tests.journal.test_disk import small_disk
from tests.supervisor.test_supervisor import Ear, ear
from tests.support import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ear", "environment", "small_disk", "warm_cache"]

PATIENCE_SECONDS = 20.0


@pytest.fixture
def box(tmp_path: Path) -> Iterator[RunningBox]:
    """A box with real role cards, at its first election."""
    with running(tmp_path / "state", roles="cards", voice="silent") as box:
        to_the_election(box)
        yield box


def to_the_election(box: RunningBox) -> None:
    """Hold the night and say that all is well."""
    assert box.press("ja")["ok"]
    box.reaches("ask")
    assert box.press("ja")["ok"]
    box.reaches("election")


def plays_on(box: RunningBox, press: Callable[[str], object]) -> None:
    """One failed election more is counted and shown, and taken back."""
    before = box.companion.feed.snapshot.evening.game.election_tracker
    for button, tracker in (("nein", before + 1), ("undo", before)):
        press(button)
        eventually(lambda tracker=tracker: tracker_of(box) == tracker, PATIENCE_SECONDS)
        eventually(lambda: lights_are_right(box), PATIENCE_SECONDS)


def tracker_of(box: RunningBox) -> int:
    return int(box.companion.feed.snapshot.evening.game.election_tracker)


def lights_are_right(box: RunningBox) -> bool:
    """Whether every board shows what the game is."""
    wanted = lights.picture(box.companion.feed.snapshot.evening.game)
    shown = box.companion.panel_picture()
    assert shown is not None
    return all(
        shown[row] == [light is not lights.Light.OFF for light in getattr(wanted, row)]
        for row in ("liberal", "fascist", "tracker")
    )


def pressed(box: RunningBox) -> Callable[[str], object]:
    """Return a finger for the buttons themselves, which need no network."""
    return lambda button: box.companion.press(ButtonEvent(Button(button), Gesture.PRESS)).result(PATIENCE_SECONDS)


# --- the clock on the wall -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jump", [timedelta(days=-1), timedelta(days=1)], ids=["back", "forward"])
def test_a_clock_that_is_set_by_a_day_changes_nothing(
    jump: timedelta, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the night, in the game and between two starts: the night goes on, seats stay, and so does the order of games.

    A box without a battery learns the time from the first phone's network, in the middle of an evening.
    """
    with running(tmp_path / "state", voice="silent") as box:
        phones = box.phones("Anna", "Boris", "Carl", "Dora", "Emil", "Fay", "Gus")
        assert box.press("ja")["ok"]
        set_the_clock(monkeypatch, jump)
        assert box.press("ja", held=True)["ok"]
        box.reaches("ask")
        assert box.press("ja")["ok"]
        box.reaches("election")
        plays_on(box, box.press)
        assert [phone.get("/api/me").json["seat"] for phone in phones] == [1, 2, 3, 4, 5, 6, 7]
        stood = fingerprint(box.companion.feed.snapshot.evening)
    set_the_clock(monkeypatch, -jump)
    with running(tmp_path / "state", voice="silent") as box:
        assert fingerprint(box.companion.feed.snapshot.evening) == stood
        assert lights_are_right(box)
        plays_on(box, box.press)
    assert history.run(tmp_path / "state") == 0


def set_the_clock(monkeypatch: pytest.MonkeyPatch, jump: timedelta) -> None:
    """Let whatever this box reads of the wall clock be so much later."""
    real = time.time

    class Jumped(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz or UTC) + jump

    monkeypatch.setattr(time, "time", lambda: real() + jump.total_seconds())
    monkeypatch.setattr(memory, "datetime", Jumped)


def test_the_wall_clock_is_for_history_alone() -> None:
    """What waits or measures does so by the monotonic clock; the time of day only dates games, files and the self-test.

    A new module that reads the time of day has to be named here, and to bear it being set.
    """
    root = Path(companion.__file__).parent
    reads = set()
    for file in (*root.rglob("*.py"), *(root.parent / "hardware").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in (
                *("time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
            ):
                reads.add(file.relative_to(root.parent).as_posix())
    assert reads <= {
        "companion/journal/memory.py",
        "companion/commands/selftest/machine.py",
        "companion/narrator/speech/cache.py",
    }


# --- a machine that has nothing left ---------------------------------------------------------------------------------


def test_a_full_disk_under_a_running_game_is_told_and_forgotten_when_there_is_room(small_disk: Path) -> None:
    """On a disk that is full the game goes on, the table is told once what it means, and later that it is over."""
    with running(small_disk / "state", roles="cards", voice="silent") as box:
        to_the_election(box)
        ballast = small_disk / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        eventually(lambda: (plays_on(box, box.press), box.table()["troubles"])[1], PATIENCE_SECONDS)
        (told,) = box.table()["troubles"]
        assert told == "The disk is full: what happens from here on is forgotten when the box is switched off."
        ballast.unlink()
        plays_on(box, box.press)
        assert box.table()["troubles"] == []
        stood = fingerprint(box.companion.feed.snapshot.evening)
    with running(small_disk / "state", roles="cards", voice="silent") as box:
        assert fingerprint(box.companion.feed.snapshot.evening) == stood


def test_a_state_directory_that_disappears_costs_no_game(box: RunningBox, tmp_path: Path) -> None:
    """Whoever deletes the directory in the middle of a game finds it made again, with the whole running game in it."""
    shutil.rmtree(tmp_path / "state")
    plays_on(box, box.press)
    stood = fingerprint(box.companion.feed.snapshot.evening)
    box.companion.close()
    with running(tmp_path / "state", roles="cards", voice="silent") as again:
        assert fingerprint(again.companion.feed.snapshot.evening) == stood


# --- a network full of strangers -------------------------------------------------------------------------------------


@linux
def test_1500_slow_connections_keep_nobody_from_playing(box: RunningBox) -> None:
    """Buttons, pages and a phone that joins are served all the while, and afterwards nothing is held on to."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] not in (-1, resource.RLIM_INFINITY) and limits[1] < 4096:
        pytest.skip(f"only {limits[1]} descriptors may be opened here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], 4096), limits[1]))
    try:
        before = threading.active_count()
        with contextlib.ExitStack() as lines:
            addresses = -(-1500 // CONNECTIONS_PER_ADDRESS)
            for number in range(1500):
                lines.enter_context(slow_connection(box.port, f"127.0.1.{1 + number % addresses}"))
                if number % 150 == 0:
                    plays_on(box, box.press)
            plays_on(box, pressed(box))
            assert box.phone().get("/table").status == 200
        assert threading.active_count() <= before + 1
        plays_on(box, box.press)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@contextlib.contextmanager
def slow_connection(port: int, address: str) -> Iterator[None]:
    """A request from another address whose headers never end; whether the box keeps it is the box's business."""
    with socket.socket() as line:
        line.bind((address, 0))
        line.settimeout(PATIENCE_SECONDS)
        with contextlib.suppress(OSError):
            line.connect(("127.0.0.1", port))
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        yield


MALFORMED = {
    "nothing": b"\r\n\r\n",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    "no version": b"GET /\r\n\r\n",
    "another version": b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    "zero bytes": b"GET /\0\0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "two lengths": b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nContent-Length: 9\r\n\r\nabc",
    "negative length": b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    "huge length": b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999\r\n\r\n",
    "wrong chunks": b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "smuggled": b"POST / HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
    "endless header": b"GET / HTTP/1.1\r\nX: " + b"a" * 40_000,
    "bare line feeds": b"GET / HTTP/1.1\nHost: 127.0.0.1\n\n",
    "header without name": b"GET / HTTP/1.1\r\n: nothing\r\n\r\n",
    "address of elsewhere": b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n",
    "way out": b"GET /static/../../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}


@pytest.mark.parametrize("sent", MALFORMED.values(), ids=MALFORMED)
def test_malformed_requests_change_nothing(sent: bytes, box: RunningBox) -> None:
    """Whatever bytes come in, no answer is a fault of ours, and the game does not notice."""
    stood = fingerprint(box.companion.feed.snapshot.evening)
    with socket.create_connection(("127.0.0.1", box.port), PATIENCE_SECONDS) as line:
        with contextlib.suppress(OSError):
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionError):
            while piece := line.recv(65_536):
                answer += piece
    assert not answer.startswith(b"HTTP/1.1 500")
    assert b"root:" not in answer
    assert fingerprint(box.companion.feed.snapshot.evening) == stood
    plays_on(box, box.press)


@pytest.mark.parametrize(
    "cookie",
    [
        "seat=" + "A" * 3000,
        "seat=\x80\xff\xfe",
        ";;;===;;; seat",
        'seat="unfinished',
        "seat=1; seat=2; seat=" + "0" * 64,
        "; ".join(f"cookie{number}={number}" for number in range(500)),
    ],
)
def test_a_jar_of_garbage_is_a_stranger(cookie: str, tmp_path: Path) -> None:
    """Cookies of no meaning give no seat and no error; the true one among them still does."""
    with running(tmp_path / "state", voice="silent") as box:
        (anna,) = box.phones("Anna")
        stranger = box.phone()
        stranger.cookie = cookie
        assert stranger.get("/").status == 200
        assert stranger.get("/api/me").status in (401, 403)
        assert stranger.post("/api/me/role").status in (401, 403)
        anna.cookie = f"{anna.cookie}; unrelated={cookie.partition('=')[2][:50].strip(chr(34))}"
        assert anna.get("/api/me").json["seat"] == 1


def test_an_address_that_changes_is_on_the_page_at_once(box: RunningBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A box that moves to another network shows the new address and its code, and nobody loses the game."""
    for address in ("http://192.168.7.7:8080/", "http://10.42.0.1:8080/"):
        monkeypatch.setattr(app.network, "join_urls", lambda *_, address=address: (address,))
        eventually(lambda address=address: address in box.phone().get("/table").text, PATIENCE_SECONDS * 2)
    assert "192.168.7.7" not in box.phone().get("/table").text
    plays_on(box, box.press)


# --- a box that hangs ------------------------------------------------------------------------------------------------


def test_a_table_that_hangs_is_no_healthy_box(box: RunningBox) -> None:
    """While the owner thread hangs `/healthz` answers 503, and 200 when it works again, with the game as it was."""
    hang, hanging = threading.Event(), threading.Event()
    box.companion._table.call(lambda: (hanging.set(), hang.wait(PATIENCE_SECONDS * 3)))
    try:
        assert hanging.wait(PATIENCE_SECONDS)
        assert box.phone().get("/healthz").status == http.HTTPStatus.SERVICE_UNAVAILABLE
    finally:
        hang.set()
    eventually(lambda: box.phone().get("/healthz").status == http.HTTPStatus.OK, PATIENCE_SECONDS)
    plays_on(box, box.press)


@linux
def test_a_box_that_stalls_is_started_again_and_goes_on_by_itself(
    ear: Ear, environment: dict[str, str], tmp_path: Path
) -> None:
    """No sign of life, so systemd kills it and starts it again: the game is where it was, and READY is told anew."""
    options = ["--roles", "cards", "--voice", "silent", "--state-dir", str(tmp_path / "state")]
    watched = {**environment, "NOTIFY_SOCKET": ear.address, "WATCHDOG_USEC": "2000000"}
    with Started(options, watched) as first:
        first.ready()
        assert first.ask("POST", "/api/panel", button="ja", held=False)["ok"] is True
        stood = first.ask("GET", "/api/table")
        ear.hear_until("WATCHDOG=1")
        first.process.send_signal(signal.SIGSTOP)
        eventually(lambda: ear.hears_nothing_for(2.0), PATIENCE_SECONDS * 3)
        # What systemd does then, by Restart=.
        first.process.kill()
        first.process.wait(PATIENCE_SECONDS)
    ear.forget()
    with Started(options, watched) as second:
        assert ear.hear()[0] == "READY=1"
        second.ready()
        ear.hear_until("WATCHDOG=1")
        resumed = second.ask("GET", "/api/table")
        assert (resumed["phase"], resumed["players"]) == (stood["phase"], stood["players"]) == ("night", 5)
        assert second.end() == 0


def test_the_service_is_watched_and_started_again() -> None:
    """The unit that `companion install` writes has a watchdog, and starts the box again whatever ended it."""
    unit = Path(companion.__file__).parent / "commands" / "install" / "files" / "secret-hitler-companion.service"
    lines = unit.read_text("utf-8").splitlines()
    assert any(line.startswith("WatchdogSec=") for line in lines)
    assert any(line in ("Restart=on-failure", "Restart=always") for line in lines)
