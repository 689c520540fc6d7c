"""From a press to a light and to the first sample of sound, at a table with phones, in peace and under attack."""

from __future__ import annotations

import sqlite3
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from gpiozero.pins.mock import MockFactory

from companion.box.app import Companion
from companion.game import commands
from companion.narrator.loudspeaker import Loudspeaker
from companion.narrator.night import sound_clip
from companion.narrator.sound import Track
from companion.settings import Settings
from hardware.boards import load_board
from hardware.gpio import GpioPanel
from hardware.panel import Button
from sounds import Effect, Palette
from tests.bench.figures import Figures
from tests.bench.phones import PHONES, SEATS, Phones
from tests.bench.pins import WatchedPin
from tests.bench.siege import Siege
from tests.bench.sink import REST_SECONDS, Sink, WatchedOutput, first_sample_ms
from tests.support_sound import GongSpeaker

if TYPE_CHECKING:
    from pathlib import Path

_TABLE_SECONDS = 0.25
"""Between two presses at a table in a great hurry."""

perf = time.perf_counter


def whole_path(folder: Path, sink: Sink, presses: int, sounds: int) -> dict[str, Figures]:
    """From a pin through recogniser, table, journal on disk and snapshot to a light; and to the loudspeaker."""
    factory = MockFactory(pin_class=WatchedPin)
    board = load_board("default")
    with ExitStack() as parts:
        loudspeaker = Loudspeaker(sink.open_card)
        assert loudspeaker.wait_until_open(30)
        parts.callback(loudspeaker.close)
        alone = [
            first_sample_ms(
                sink,
                lambda: loudspeaker.play(sound_clip(Palette().path(Effect.LIBERAL_POLICY)), Track.VOICE),
                loudspeaker,
            )
            for _ in range(sounds)
        ]
        output = WatchedOutput(loudspeaker)
        settings = Settings(state_dir=folder / "state", cache_dir=folder / "cache", host="127.0.0.1", port=0)
        panel = GpioPanel(board, factory)
        box = Companion(settings, speaker=GongSpeaker(), output=output, panel=panel)
        parts.callback(box.close)
        box.open()
        box.learn()
        called, heard = _lobby(factory, board, sink, output, sounds)
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
            "loudspeaker alone": Figures(tuple(alone), "the loudspeaker alone, play to sink"),
            "press to the call of the loudspeaker": Figures(called),
            "press to the first sample": Figures(heard, "at the sink, out of silence"),
        }


def besieged(folder: Path, presses: int) -> dict[str, Figures]:
    """The same way from a pin to a light, while a hostile client holds on to all that it can get of the server."""
    factory = MockFactory(pin_class=WatchedPin)
    board = load_board("default")
    folder.mkdir()
    with ExitStack() as parts:
        settings = Settings(
            state_dir=folder / "state", cache_dir=folder / "cache", host="127.0.0.1", port=0, voice="silent"
        )
        box = Companion(settings, speaker=GongSpeaker(), panel=GpioPanel(board, factory))
        parts.callback(box.close)
        box.open()
        box.learn()
        phones = Phones(box.port, SEATS)
        parts.callback(phones.close)
        to_the_first_election(box)
        with Siege(box.port) as siege:
            lit, _ = _presses_in_a_game(box, factory, board, folder, presses)
        looked, failed = phones.looked()
    served = 100 * looked / max(looked + failed, 1)
    note = f"{siege.told}; of {SEATS} honest phones' {looked + failed} requests {served:g} % served"
    return {"press to LED under attack": Figures(lit, note)}


def _lobby(
    factory: MockFactory, board: Any, sink: Sink, output: WatchedOutput, sounds: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    pin = factory.pin(board.buttons[Button.LIBERAL])
    # The first press ends the greeting, and is not measured.
    _tap(pin)
    called, heard = [], []
    for _ in range(sounds):
        output.played.clear()
        began = 0.0

        def press() -> None:
            nonlocal began
            began = perf()
            pin.drive_low()

        heard.append(first_sample_ms(sink, press, output))
        assert output.played.wait(2)
        called.append((output.played_at - began) * 1000)
        pin.drive_high()
    return tuple(called), tuple(heard)


def _tap(pin: WatchedPin) -> None:
    pin.drive_low()
    time.sleep(REST_SECONDS)
    pin.drive_high()
    time.sleep(REST_SECONDS)


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
