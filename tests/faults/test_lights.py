"""A whole box whose panel breaks in the middle of the evening: presses count, and the table is told."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gpiozero.pins.mock import MockFactory

from companion import languages
from companion.box.app import Companion
from companion.panel import lights
from companion.settings import Settings
from hardware.boards import load_board
from hardware.gpio import GpioPanel
from hardware.panel import Button, ButtonEvent, Gesture, Light
from tests.faults.test_listeners import PATIENCE_SECONDS, fails
from tests.hardware.test_gpio_panel import WornPin
from tests.support import FakeClock, FakeOutput, FakePanel, FakeSpeaker, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from hardware.panel import Panel


@contextlib.contextmanager
def lit_by(panel: Panel, folder: Path) -> Iterator[tuple[Companion, FakeOutput]]:
    """Run a box with a panel of the test's, in the lobby, and with the loudspeaker that it is heard by."""
    clock = FakeClock()
    output = FakeOutput(clock)
    settings = Settings(host="127.0.0.1", port=0, state_dir=folder / "state", cache_dir=folder / "cache")
    box = Companion(settings, clock=clock, speaker=FakeSpeaker(), output=output, panel=panel)
    with contextlib.closing(box):
        box.open()
        box.learn()
        yield box, output


def one_more(box: Companion) -> int:
    """Let a press set one player more, and return how many there are."""
    assert box.press(ButtonEvent(Button.LIBERAL, Gesture.PRESS)).result(PATIENCE_SECONDS).ok
    return int(box.feed.snapshot.evening.game.players)


def test_a_light_that_breaks_in_the_evening_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    """The table reads which light, and the voice says once that something on the panel does not work."""
    factory, board = MockFactory(pin_class=WornPin), load_board("default")
    pins = board.lights["fascist"].pins
    with lit_by(GpioPanel(board, factory), tmp_path) as (box, output):
        assert box.feed.snapshot.troubles == ()
        factory.pin(pins[0]).broken = True
        assert one_more(box) == 6
        told = f"Light fascist 1 (GPIO{pins[0]}) does not work: the line has gone."
        eventually(lambda: dict(box.feed.snapshot.troubles) == {"panel": told}, PATIENCE_SECONDS)
        assert one_more(box) == 7
        eventually(lambda: factory.pin(pins[1]).state, PATIENCE_SECONDS)
        assert dict(box.feed.snapshot.troubles) == {"panel": told}
        english = languages.load("en")
        spoken = english.pronounce(english.say("panel_trouble"))
        eventually(lambda: output.said().count(spoken) == 1, PATIENCE_SECONDS)


def test_what_was_wrong_with_the_panel_is_taken_back_when_it_works(tmp_path: Path) -> None:
    """A button that was stuck at the start and is let go is no trouble any more at the next light."""
    panel = FakePanel()
    panel.troubles = ("Button nein is stuck: it has been down since the start.",)
    with lit_by(panel, tmp_path) as (box, _):
        eventually(lambda: dict(box.feed.snapshot.troubles) == {"panel": panel.troubles[0]}, PATIENCE_SECONDS)
        one_more(box)
        assert "panel" in dict(box.feed.snapshot.troubles)
        panel.troubles = ()
        one_more(box)
        eventually(lambda: box.feed.snapshot.troubles == (), PATIENCE_SECONDS)


def test_lights_that_cannot_be_changed_are_told_and_right_as_soon_as_they_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A panel that fails at every picture costs no press; the table is told, and later sees where the game stands."""
    panel = FakePanel()
    with lit_by(panel, tmp_path) as (box, _):
        with monkeypatch.context() as broken:
            broken.setattr(panel, "show", fails)
            assert [one_more(box) for _ in range(3)] == [6, 7, 8]
            told = ("panel", lights.FAILED)
            eventually(lambda: box.feed.snapshot.troubles == (told,), PATIENCE_SECONDS)
        assert one_more(box) == 9
        eventually(lambda: box.feed.snapshot.troubles == (), PATIENCE_SECONDS)
        wanted = lights.picture(box.feed.snapshot.evening.game)
        eventually(lambda: (panel.lights.liberal, panel.lights.fascist) == (wanted.liberal, wanted.fascist))
        assert wanted.fascist.count(Light.ON) == 4
