"""From a press to a light and to the first sample of sound, and the rules alone."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import pygame.mixer
from gpiozero import LED
from gpiozero import Button as GpioButton
from gpiozero.pins.mock import MockFactory, MockPin

from companion.app import Companion
from companion.game import commands, rules
from companion.game.vocabulary import Phase
from companion.narrator.mixer import PygameMixer
from companion.narrator.night import effect_clip
from companion.narrator.sound import Track
from companion.settings import Settings
from hardware.boards import load_board
from hardware.gpio import GpioPanel
from hardware.panel import Button
from sounds import Effect
from tests.bench.figures import Figures

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from companion.narrator.sound import Clip, Output, Voice

PHONES = 15
SEATS = 10
_REST_SECONDS = 0.06
"""A contact counts again after 50 ms of stable release."""
_TABLE_SECONDS = 0.25
"""Between two presses at a table in a great hurry."""

perf = time.perf_counter


class WatchedPin(MockPin):
    """A pin that knows when it went high."""

    def __init__(self, factory: Any, info: Any) -> None:
        super().__init__(factory, info)
        self.lit = threading.Event()
        self.lit_at = 0.0

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        if value:
            self.lit_at = perf()
            self.lit.set()
        else:
            self.lit.clear()


def bare_press(presses: int) -> Figures:
    """From the edge of a button to the light that it turns on by itself, with nothing in between."""
    factory = MockFactory(pin_class=WatchedPin)
    button, led = GpioButton(5, pin_factory=factory), LED(17, pin_factory=factory)
    button.when_pressed = led.on
    durations = []
    for _ in range(presses):
        led.off()
        began = perf()
        factory.pin(5).drive_low()
        led.pin.lit.wait(1)
        durations.append((led.pin.lit_at - began) * 1000)
        factory.pin(5).drive_high()
    factory.close()
    return Figures(tuple(durations), "button.when_pressed = led.on")


def referee(chance: random.Random, games: int = 300) -> Figures:
    """One command through the rules: decided, and what happened applied."""
    durations = []
    for number in range(games):
        game = rules.begun(5 + number % 6)
        while game.phase is not Phase.GAME_OVER:
            command = chance.choice(rules.legal(game))
            began = perf()
            happened = rules.decide(game, command)
            game = rules.replay(game, happened)
            durations.append((perf() - began) * 1000)
    each = 1000 * len(durations) / sum(durations)
    return Figures(tuple(durations), f"{each:,.0f} a second")


class Sink:
    """Where the sound card would be: a pipe that notes when something is heard in it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "loudspeaker"
        os.mkfifo(self.path)
        # SDL writes through the C library, which collects 4,096 bytes for a pipe. In the box's own format that is 93 ms
        # of sound, and would be what is measured; with frames of eight bytes each buffer of 512 goes out by itself.
        init = pygame.mixer.init
        pygame.mixer.init = lambda rate, _size, _channels, frames, **more: init(rate, 32, 2, frames, **more)
        self.heard = threading.Event()
        self.heard_at = 0.0
        self._thread = threading.Thread(target=self._listen, name="sink", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(2)

    def _listen(self) -> None:
        with self.path.open("rb", buffering=0) as pipe:
            while samples := pipe.read(4096):
                if not self.heard.is_set() and samples.strip(b"\0"):
                    self.heard_at = perf()
                    self.heard.set()


class LoudSpeaker:
    """Has the same sound ready for every text: what is measured is the way to the loudspeaker, not eSpeak."""

    def prepare(self, texts: Sequence[str], voice: Voice, progress: Callable[[int, int], None] | None = None) -> None:
        """Nothing has to be rendered."""

    def clip(self, text: str, voice: Voice) -> Clip:  # noqa: ARG002 - the seam's shape
        """Return the same sound."""
        return effect_clip(Effect.LIBERAL_POLICY)

    def describe(self, voice: Voice) -> str:  # noqa: ARG002 - the seam's shape
        """Say what this is."""
        return "the same sound for every text"

    def close(self) -> None:
        """Hold nothing back."""


class WatchedOutput:
    """Passes everything on to the mixer, and notes when the voice is asked for."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.played = threading.Event()
        self.played_at = 0.0

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        if track is Track.VOICE and not self.played.is_set():
            self.played_at = perf()
            self.played.set()
        self._output.play(clip, track, loop=loop)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)


class Phones:
    """Phones around the table, in a process of their own as they are in life."""

    def __init__(self, port: int, phones: int = PHONES) -> None:
        words = [sys.executable, "-m", "tests.bench.phones", str(port), str(SEATS), str(phones)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def looked(self) -> tuple[int, int]:
        """Send the phones away, and return how often they looked at the table, and how often they could not."""
        told, _ = self._process.communicate("end\n", timeout=10)
        looked, failed = map(int, told.split())
        return looked, failed

    def close(self) -> None:
        """Send them away if they are still there."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


def whole_path(folder: Path, sink: Sink, presses: int, sounds: int) -> dict[str, Figures]:
    """From a pin through recogniser, table, journal on disk and lamplighter to a light; and to the loudspeaker."""
    factory = MockFactory(pin_class=WatchedPin)
    board = load_board("default")
    with ExitStack() as parts:
        mixer = PygameMixer()
        output = WatchedOutput(mixer)
        settings = Settings(state_dir=folder / "state", cache_dir=folder / "cache", host="127.0.0.1", port=0)
        panel = GpioPanel(board, factory)
        box = Companion(settings, speaker=LoudSpeaker(), output=output, panel=panel)
        parts.callback(box.close)
        box.start()
        alone = [
            _sound(sink, lambda: mixer.play(effect_clip(Effect.LIBERAL_POLICY), Track.VOICE), mixer)
            for _ in range(sounds)
        ]
        called, heard = _lobby(factory, board, sink, output, mixer, sounds)
        port = int(box.local_address.rstrip("/").rpartition(":")[2])
        phones = Phones(port)
        parts.callback(phones.close)
        to_the_first_election(box)
        lit, commits = _presses_in_a_game(box, factory, board, folder, presses)
        looked, _ = phones.looked()
        return {
            "bare commit": Figures(commits, "SQLite, WAL, synchronous=FULL, the same disk"),
            "press to LED": Figures(
                lit, f"journal on disk, voice speaking, {PHONES} phones, which looked {looked} times"
            ),
            "mixer alone": Figures(tuple(alone), "the mixer alone, play to sink"),
            "press to the call of the mixer": Figures(called),
            "press to the first sample": Figures(heard, "at the sink, out of silence"),
        }


class Siege:
    """A hostile client on another address, in a process of its own, for as long as it is in the `with`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.told = ""

    def __enter__(self) -> Self:
        words = [sys.executable, "-m", "tests.bench.siege", str(self._port)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self.told = self._process.communicate("end\n", timeout=30)[0].strip()


def besieged(folder: Path, presses: int) -> dict[str, Figures]:
    """The same way from a pin to a light, while a hostile client holds on to all that it can get of the server."""
    factory = MockFactory(pin_class=WatchedPin)
    board = load_board("default")
    folder.mkdir()
    with ExitStack() as parts:
        settings = Settings(
            state_dir=folder / "state", cache_dir=folder / "cache", host="127.0.0.1", port=0, voice="silent"
        )
        box = Companion(settings, speaker=LoudSpeaker(), panel=GpioPanel(board, factory))
        parts.callback(box.close)
        box.start()
        phones = Phones(box.port, SEATS)
        parts.callback(phones.close)
        to_the_first_election(box)
        with Siege(box.port) as siege:
            lit, _ = _presses_in_a_game(box, factory, board, folder, presses)
        looked, failed = phones.looked()
    served = 100 * looked / max(looked + failed, 1)
    note = f"{siege.told}; of {SEATS} honest phones' {looked + failed} requests {served:g} % served"
    return {"press to LED under attack": Figures(lit, note)}


def _sound(sink: Sink, begin: Callable[[], None], mixer: PygameMixer) -> float:
    """Return how long it takes from `begin` to the first sample at the sink, in milliseconds, out of silence."""
    mixer.stop(Track.VOICE)
    time.sleep(0.3)
    sink.heard.clear()
    began = perf()
    begin()
    assert sink.heard.wait(2)
    return (sink.heard_at - began) * 1000


def _lobby(
    factory: MockFactory, board: Any, sink: Sink, output: WatchedOutput, mixer: PygameMixer, sounds: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    pin = factory.pin(board.buttons[Button.LIBERAL])
    called, heard = [], []
    for _ in range(sounds):
        output.played.clear()
        began = 0.0

        def press() -> None:
            nonlocal began
            began = perf()
            pin.drive_low()

        heard.append(_sound(sink, press, mixer))
        assert output.played.wait(2)
        called.append((output.played_at - began) * 1000)
        pin.drive_high()
        time.sleep(_REST_SECONDS)
    return tuple(called), tuple(heard)


def to_the_first_election(box: Companion) -> None:
    box.submit(commands.BeginNight(regardless=True)).result(5)
    box.submit(commands.EndNight()).result(5)
    box.submit(commands.BeginGame(1)).result(5)


def _presses_in_a_game(
    box: Companion, factory: MockFactory, board: Any, folder: Path, presses: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    button, light = factory.pin(board.buttons[Button.LIBERAL]), factory.pin(board.lights["liberal"].pins[0])
    disk = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    disk.execute("PRAGMA journal_mode = WAL").fetchone()
    disk.execute("PRAGMA synchronous = FULL")
    disk.execute("CREATE TABLE entries (id INTEGER PRIMARY KEY, entry TEXT)")
    lit, commits = [], []
    for _ in range(presses):
        began = perf()
        button.drive_low()
        assert light.lit.wait(5)
        lit.append((light.lit_at - began) * 1000)
        button.drive_high()
        box.submit(commands.TakeBack()).result(5)
        while light.lit.is_set():
            time.sleep(0.001)
        time.sleep(_TABLE_SECONDS)
        began = perf()
        disk.execute("INSERT INTO entries (entry) VALUES (?)", ("an entry of the usual length" * 8,))
        commits.append((perf() - began) * 1000)
    disk.close()
    return tuple(lit), tuple(commits)
