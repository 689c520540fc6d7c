from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from companion.box import app
from companion.box.app import Companion
from companion.machine.systemd import Nobody, Systemd, supervisor
from companion.settings import Settings
from tests.support import FakeClock, FakeOutput, FakePanel, FakeSpeaker, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_SECONDS = 20.0


class Ear:
    """The other end of the socket, as systemd holds it."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.settimeout(PATIENCE_SECONDS)

    def hear(self) -> list[str]:
        """The lines of the next message."""
        return self._socket.recv(4096).decode().split("\n")

    def hear_until(self, line: str) -> list[str]:
        """All lines up to one."""
        heard: list[str] = []
        while line not in heard:
            heard += self.hear()
        return heard

    def hears_nothing_for(self, seconds: float) -> bool:
        self._socket.settimeout(seconds)
        try:
            self._socket.recv(4096)
        except TimeoutError:
            return True
        finally:
            self._socket.settimeout(PATIENCE_SECONDS)
        return False

    def forget(self) -> None:
        """Drop what was said until now."""
        self._socket.setblocking(False)
        try:
            while True:
                self._socket.recv(4096)
        except BlockingIOError:
            self._socket.settimeout(PATIENCE_SECONDS)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[Ear]:
    ear = Ear(tmp_path / "notify")
    yield ear
    ear.close()


def box_for(tmp_path: Path, who: Systemd, **parts: Any) -> Companion:
    clock = FakeClock()
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", host="127.0.0.1", port=0)
    parts = {"speaker": FakeSpeaker(), "output": FakeOutput(clock), "panel": FakePanel()} | parts
    return Companion(settings, clock=clock, supervisor=who, **parts)


def test_without_systemd_nobody_is_told() -> None:
    """A box that somebody starts by hand opens no socket, whatever else stands in the environment."""
    for environment in ({}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:9"}, {"WATCHDOG_USEC": "1000000"}):
        assert isinstance(supervisor(environment), Nobody)


@pytest.mark.parametrize(
    ("environment", "limit"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdog_is_for_the_process_that_is_meant(environment: dict[str, str], limit: float | None) -> None:
    """A process that inherited the environment of the one that is watched gives no sign in its name."""
    who = supervisor({"NOTIFY_SOCKET": "/run/systemd/notify", **environment})
    assert isinstance(who, Systemd)
    assert who._limit_seconds == limit


def test_a_socket_that_is_gone_ends_no_box(tmp_path: Path) -> None:
    """What cannot be told is dropped."""
    who = Systemd(str(tmp_path / "nothing" / "here"))
    who.ready("here")
    who.status("there")
    who.stopping("gone")


def test_an_abstract_socket_is_found() -> None:
    """An address that begins with @ is one without a file."""
    name = f"companion-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0{name}")
        ear.settimeout(PATIENCE_SECONDS)
        Systemd(f"@{name}").status("one\nline")
        assert ear.recv(100) == b"STATUS=one line"


def test_ready_comes_after_lights_and_journal_and_before_voice_pages_and_network(
    ear: Ear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """READY is heard when the lights show what the journal holds, and nothing else is there yet."""
    happened: list[str] = []

    class Telling(Systemd):
        def ready(self, status: str) -> None:
            happened.append(f"ready, lights {'on' if panel.shown else 'off'}")
            happened.append(f"journal {(tmp_path / 'state' / 'journal.lock').exists()}")
            super().ready(status)

    panel = FakePanel()
    monkeypatch.setattr(app.voice, "open_speaker", lambda _: happened.append("voice") or FakeSpeaker())
    served = app.Server
    monkeypatch.setattr(app, "Server", lambda *given, **named: happened.append("pages") or served(*given, **named))
    network = threading.Event()
    # A look that never ends until the test lets it.
    monkeypatch.setattr(
        app.network, "join_url", lambda *_: network.wait(PATIENCE_SECONDS) and happened.append("network")
    )
    box = box_for(tmp_path, Telling(ear.address), panel=panel, speaker=None)
    try:
        assert happened == ["ready, lights on", "journal True", "voice", "pages"]
        assert ear.hear()[0] == "READY=1"
        box.open()
        box.learn()
        assert "network" not in happened, "a start that asks for a network does not wait for the answer"
        assert ear.hear_until(f"STATUS=open for the table, and learning to speak; pages on port {box.port}")
        assert ear.hear() == [f"STATUS=open for the table; pages on port {box.port}"]
    finally:
        network.set()
        box.close()
    assert ear.hear()[0] == "STOPPING=1"


def test_the_lights_wait_for_no_library_of_voice_or_pages(ear: Ear, tmp_path: Path) -> None:
    """READY is told before the libraries are read that a Raspberry Pi takes many seconds for."""
    told = (
        "import sys; from companion.box.boot import Boot; from companion.settings import Settings; "
        "from companion.machine.systemd import Systemd; from pathlib import Path; from tests.support import FakePanel; "
        "import companion.box.run; panel = FakePanel(); "
        "ground = Boot(Settings(state_dir=Path(sys.argv[1])), panel=panel, supervisor=Systemd(sys.argv[2])); "
        "assert panel.shown; ground.close(); "
        "print(*{name.partition('.')[0] for name in sys.modules} & {'flask', 'waitress', 'pygame', 'numpy', 'qrcode'})"
    )
    heard = subprocess.run(
        [sys.executable, "-c", told, str(tmp_path / "state"), ear.address], capture_output=True, text=True, check=False
    )
    assert (heard.stdout, heard.stderr) == ("\n", "")
    assert ear.hear()[0] == "READY=1"


def test_the_watchdog_is_fed_while_the_owner_thread_answers_and_not_when_it_hangs(ear: Ear, tmp_path: Path) -> None:
    """A box whose table hangs gives no sign of life, so that systemd starts it again from its journal."""
    box = box_for(tmp_path, Systemd(ear.address, limit_seconds=0.4))
    hang = threading.Event()
    try:
        box.open()
        box.learn()
        ear.hear_until(f"STATUS=open for the table; pages on port {box.port}")
        assert ear.hear() == ["WATCHDOG=1"]
        assert ear.hear() == ["WATCHDOG=1"]
        hanging = threading.Event()
        box._table.call(lambda: (hanging.set(), hang.wait(PATIENCE_SECONDS)))
        assert hanging.wait(PATIENCE_SECONDS)
        eventually(lambda: ear.hears_nothing_for(0.3))
        hang.set()
        assert ear.hear() == ["WATCHDOG=1"]
    finally:
        hang.set()
        box.close()


def test_a_start_that_takes_its_time_is_alive_and_one_that_hangs_is_not(
    ear: Ear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rendering the lines of an empty cache is no hang; a start that never ends is one."""
    box = box_for(tmp_path, Systemd(ear.address, limit_seconds=0.2))
    try:
        ear.hear_until("WATCHDOG=1")
        monkeypatch.setattr(box._boot, "_open_by", 0.0)
        eventually(lambda: ear.hears_nothing_for(0.2))
    finally:
        box.close()


def test_a_box_as_a_service_tells_its_whole_life(ear: Ear, tmp_path: Path) -> None:
    """The program itself, told by its environment as systemd does it: ready, alive, stopping, exit code 0."""
    environment = {
        **os.environ,
        "NOTIFY_SOCKET": ear.address,
        "WATCHDOG_USEC": "2000000",
        "STATE_DIRECTORY": str(tmp_path / "state"),
        "CACHE_DIRECTORY": str(tmp_path / "cache"),
    }
    command = [sys.executable, "-m", "companion", "--panel", "web", "--voice", "silent", "--port", "0"]
    with subprocess.Popen(
        [*command, "--host", "127.0.0.1"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as box:
        assert ear.hear()[0] == "READY=1"
        heard = ear.hear_until("WATCHDOG=1")
        while not any(line.startswith("STATUS=open for the table;") for line in heard):
            heard += ear.hear()
        ear.forget()
        assert ear.hear() == ["WATCHDOG=1"]
        box.send_signal(signal.SIGTERM)
        ear.hear_until("STOPPING=1")
        box.communicate(timeout=PATIENCE_SECONDS)
    assert box.returncode == 0
