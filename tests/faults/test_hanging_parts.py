"""A whole box, one part of which hangs at whatever it is asked for: presses are decided, pages answer, the box ends.

What hangs is put at the very end of each seam: the card behind the loudspeaker, the voice behind the narrator, the
panel behind the lights.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from companion.box.app import Companion
from companion.game.vocabulary import Phase
from companion.narrator.loudspeaker import Loudspeaker
from companion.narrator.sound_card import DOES_NOT_ANSWER as SILENT_CARD
from companion.panel.lights import DOES_NOT_ANSWER as DEAD_PANEL
from companion.settings import Settings
from hardware.panel import Button, ButtonEvent, Gesture
from tests.narrator.test_loudspeaker import FakeCard
from tests.support import FakePanel, FakeSpeaker, eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE_SECONDS = 10


class Snare:
    """Whoever is caught never comes back, until the test lets everybody go."""

    def __init__(self) -> None:
        self.caught = threading.Event()
        self._go = threading.Event()

    def __call__(self, *_: object, **__: object) -> Any:
        self.caught.set()
        self._go.wait()

    def let_go(self) -> None:
        self._go.set()


@pytest.fixture
def snare() -> Iterator[Snare]:
    snare = Snare()
    yield snare
    snare.let_go()


@contextlib.contextmanager
def played(
    folder: Path,
    *,
    open_card: Callable[[], Any] = FakeCard,
    speaker: FakeSpeaker | None = None,
    panel: FakePanel | None = None,
) -> Iterator[Companion]:
    """Run a box with real role cards, in the lobby, and let it learn to speak as far as it can."""
    settings = Settings(host="127.0.0.1", port=0, roles="cards", state_dir=folder / "state", cache_dir=folder / "cache")
    output = Loudspeaker(open_card)
    box = Companion(settings, speaker=speaker or FakeSpeaker(), output=output, panel=panel or FakePanel())
    learns = threading.Thread(target=box.learn, daemon=True)
    try:
        box.open()
        learns.start()
        yield box
    finally:
        began = time.monotonic()
        ends = threading.Thread(target=box.close, daemon=True)
        ends.start()
        ends.join(PATIENCE_SECONDS)
        assert not ends.is_alive()
        assert time.monotonic() - began < PATIENCE_SECONDS


def players_after_two_presses(box: Companion) -> int:
    """Press a button twice, each time until it has been decided, and return for how many the table is set."""
    for _ in range(2):
        assert box.press(ButtonEvent(Button.LIBERAL, Gesture.PRESS)).result(PATIENCE_SECONDS).ok
    assert box._table.answers(PATIENCE_SECONDS)
    return int(box.feed.snapshot.evening.game.players)


def is_told(box: Companion, kind: str, sentence: str) -> None:
    """What hangs is told within some seconds, without another press."""
    eventually(lambda: dict(box.feed.snapshot.troubles).get(kind) == sentence, PATIENCE_SECONDS)


def test_a_card_whose_opening_hangs(tmp_path: Path, snare: Snare) -> None:
    """The table opens, presses count, and the trouble is told."""
    with played(tmp_path, open_card=snare) as box:
        assert snare.caught.wait(PATIENCE_SECONDS)
        assert players_after_two_presses(box) == 7
        is_told(box, "sound", SILENT_CARD)


@pytest.mark.parametrize("at", ["play", "stop", "set_volume", "glide", "close"])
def test_a_card_that_hangs_at_something(tmp_path: Path, snare: Snare, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Whatever the loudspeaker asks of it, presses count; and the box ends."""
    monkeypatch.setattr(FakeCard, at, snare)
    with played(tmp_path) as box:
        assert box.press(ButtonEvent(Button.LIBERAL, Gesture.PRESS, beside=Button.REPEAT)).result(PATIENCE_SECONDS).ok
        assert players_after_two_presses(box) == 7
        if at == "play":
            assert snare.caught.wait(PATIENCE_SECONDS)
            is_told(box, "sound", SILENT_CARD)
            assert players_after_two_presses(box) == 9


@pytest.mark.parametrize("at", ["clip", "prepare"])
def test_a_voice_that_hangs(tmp_path: Path, snare: Snare, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Presses count while a line is rendered for ever, a night can be begun and stopped, and the box ends."""
    monkeypatch.setattr(FakeSpeaker, at, snare)
    with played(tmp_path) as box:
        assert snare.caught.wait(PATIENCE_SECONDS)
        assert players_after_two_presses(box) == 7
        assert box.press(ButtonEvent(Button.JA, Gesture.PRESS)).result(PATIENCE_SECONDS).ok
        assert box.press(ButtonEvent(Button.NEIN, Gesture.PRESS)).result(PATIENCE_SECONDS).ok
        assert box.feed.snapshot.evening.game.phase is Phase.NIGHT
        assert box.feed.snapshot.night_paused


def test_a_panel_that_hangs(tmp_path: Path, snare: Snare, monkeypatch: pytest.MonkeyPatch) -> None:
    """Presses count though no light can be changed, from power-on, and the trouble is told."""
    monkeypatch.setattr(FakePanel, "show", snare)
    with played(tmp_path) as box:
        assert snare.caught.wait(PATIENCE_SECONDS)
        assert players_after_two_presses(box) == 7
        is_told(box, "panel", DEAD_PANEL)
        assert players_after_two_presses(box) == 9
