"""Held undo: what it switches off, and in which order."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from companion.box import run
from companion.box.app import Companion
from companion.box.boot import Boot
from companion.machine import power
from companion.settings import Settings
from hardware.panel import DARK, Button, ButtonEvent, Gesture, PanelError, PinsError
from tests.support import FakeClock, FakeOutput, FakePanel, FakeSpeaker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from companion.machine.systemd import Supervisor

HELD_UNDO = ButtonEvent(Button.UNDO, Gesture.HOLD)


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a systemctl on the path that notes how it was asked, and then does as it is told."""

    def put(then: str) -> Path:
        program, asked = tmp_path / "bin" / "systemctl", tmp_path / "asked"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\necho "$@" >>"{asked}"\n{then}\n', encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        return asked

    return put


@pytest.fixture
def held_undo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FakePanel]:
    """Runs a box on which somebody holds undo as soon as it is open, and returns its panel."""

    def hold(shutdown: str) -> FakePanel:
        clock, panel = FakeClock(), FakePanel()

        def lay(settings: Settings, supervisor: Supervisor) -> Boot:
            return Boot(settings, panel=panel, supervisor=supervisor)

        def make(ground: Boot, settings: Settings) -> Companion:
            output = FakeOutput(clock)
            box = Companion(settings, clock=clock, speaker=FakeSpeaker(), output=output, boot=ground)
            learn = box.learn
            monkeypatch.setattr(box, "learn", lambda: (panel.do(HELD_UNDO), learn())[1])
            return box

        monkeypatch.setattr(run, "Boot", lay)
        monkeypatch.setattr(run, "_upon", make)
        monkeypatch.setattr(run.signal, "signal", lambda *_: None)
        settings = Settings(
            state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", host="127.0.0.1", port=0, shutdown=shutdown
        )
        assert run.run(settings) == 0
        return panel

    return hold


def test_held_undo_asks_for_power_off_while_the_lights_are_on(
    systemctl: Callable[[str], Path], held_undo: Callable[[str], FakePanel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine is asked before the lights go out, so that dark lights mean that all is put away."""
    asked = systemctl("exit 0")
    lights: list[bool] = []
    ask = power.power_off
    panels: list[FakePanel] = []
    monkeypatch.setattr(FakePanel, "listen", lambda panel, callback: (panels.append(panel), _listen(panel, callback)))
    monkeypatch.setattr(power, "power_off", lambda: (lights.append(panels[0].lights != DARK), ask())[1])
    panel = held_undo("poweroff")
    assert asked.read_text(encoding="utf-8").split() == ["--no-ask-password", "--no-block", "poweroff"]
    assert lights == [True]
    assert panel.lights == DARK


_listen = FakePanel.listen


def test_held_undo_leaves_a_laptop_on(systemctl: Callable[[str], Path], held_undo: Callable[[str], FakePanel]) -> None:
    """Nobody's laptop is switched off by a game: only a setting allows it, and it is not the default."""
    asked = systemctl("exit 0")
    assert Settings().shutdown == "end"
    panel = held_undo("end")
    assert not asked.exists()
    assert panel.lights == DARK


def test_a_machine_without_systemd_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not there cannot be asked."""
    monkeypatch.setenv("PATH", "")
    assert power.power_off() == "there is no systemctl on this machine"


def test_what_is_no_program_is_told(systemctl: Callable[[str], Path]) -> None:
    """A systemctl that cannot be started is a reason like any other."""
    program = systemctl("exit 0").parent / "bin" / "systemctl"
    program.write_bytes(b"\x7fELF" + sys.byteorder.encode())
    assert power.power_off() == "systemctl cannot be asked (OSError)"


def test_a_silent_refusal_has_its_number(systemctl: Callable[[str], Path]) -> None:
    """There is always a reason, if only a number."""
    systemctl("exit 4")
    assert power.power_off() == "systemctl says 4"


@pytest.mark.parametrize(("error", "code"), [(PinsError("busy"), 1), (PanelError("map.toml: wrong"), 2)])
def test_pins_that_are_late_are_tried_again_and_a_wrong_map_is_not(
    error: PanelError, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service is started again after 1 and not after 2: only the first may be right the next time."""

    def refuse(*_: object, **__: object) -> Boot:
        raise error

    monkeypatch.setattr(run, "Boot", refuse)
    monkeypatch.setattr(run.signal, "signal", lambda *_: None)
    assert run.run(Settings()) == code
