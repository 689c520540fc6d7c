"""The box plays whole games by itself, by the same presses and taps as people, and says that it does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from random import Random
from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.box.app import Companion
from companion.cli import main
from companion.commands.demo import command
from companion.game.vocabulary import Phase
from companion.settings import Settings
from hardware.web import WebPanel
from tests.support_sound import GongSpeaker

if TYPE_CHECKING:
    from pathlib import Path

AT_ONCE = command.Pace(listens=False)


class HastyClock:
    """The machine's own clock, forty times as fast: a line of a second is over before anybody has looked up."""

    def now(self) -> float:
        """Return hurried seconds."""
        return 40 * time.monotonic()

    def wait(self, wake: threading.Condition, seconds: float | None) -> None:
        """Wait for a fortieth of the time."""
        wake.wait(seconds if seconds is None else seconds / 40)


@pytest.mark.parametrize("players", [5, 8])
def test_made_up_people_play_two_games_on_a_real_box(tmp_path: Path, players: int) -> None:
    """From the lobby to the second end, whatever the box withholds until it is said; then the box is over."""
    settings = Settings(
        state_dir=tmp_path,
        cache_dir=tmp_path / "cache",
        host="127.0.0.1",
        port=0,
        night_long_pause_seconds=0.0,
        night_gesture_pause_seconds=0.0,
        night_pace="quick",
    )
    box = Companion(settings, clock=HastyClock(), speaker=GongSpeaker(), panel=WebPanel())
    captions: list[str] = []
    ends: list[str] = []

    def read_along() -> None:
        version = 0
        while not box.is_ended:
            shown = box.feed.wait_newer(version, 0.1)
            if (
                shown.version != version
                and shown.evening.game.phase is Phase.GAME_OVER
                and ends[-1:] != [str(shown.evening.game)]
            ):
                ends.append(str(shown.evening.game))
            version = shown.version
            captions.append(shown.caption)

    try:
        box.open()
        box.learn()
        reader = threading.Thread(target=read_along)
        reader.start()
        command._play(box, players=players, pace=AT_ONCE, games=2, chance=Random(players))  # noqa: S311 - no secret
        reader.join(5)
        assert box.is_ended
        assert languages.load("en").lines["demo"] in captions
        assert len(ends) == 2
    finally:
        box.close()


def demo(tmp_path: Path, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return subprocess.Popen(
        [sys.executable, "-m", "companion", "demo", "--voice", "silent", "--host", "127.0.0.1", "--port", "0", *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_demo_can_be_left_in_the_middle_and_leaves_nothing(tmp_path: Path) -> None:
    """It says what it is; an interrupt ends it as it ends a box; of its games nothing is kept."""
    with demo(tmp_path, "--pace", "fast", "--language", "it") as running:
        assert running.stdout is not None
        line = languages.load("it").lines["demo"]
        assert any(said.strip() == line for said in running.stdout)
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 0
        assert running.stderr is not None
        assert running.stderr.read() == ""
    assert not (tmp_path / "state").exists()


def test_steps_need_a_keyboard(tmp_path: Path) -> None:
    """Where nobody can press enter the demo says so instead of standing still."""
    with demo(tmp_path, "--pace", "step") as running:
        _, told = running.communicate(timeout=20)
    assert running.returncode == 2
    assert told == "--pace step waits for the enter key, and there is no keyboard here.\n"


def test_real_role_cards_have_nobody_to_play_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made-up people need roles that the box deals."""
    monkeypatch.setenv("COMPANION_ROLES", "cards")
    assert main(["demo"]) == 2
    assert "roles that the box deals" in capsys.readouterr().err
