"""The sound card in its own process: what hangs or dies there costs the sound, and is told."""

from __future__ import annotations

import os
import sys
import wave
from contextlib import closing
from ctypes.util import find_library
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from companion.narrator.mixer import OutputError
from companion.narrator.sound import SAMPLE_RATE, Clip, Track
from companion.narrator.sound_card import DOES_NOT_ANSWER, CardLostError, SoundCard
from tests.support import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_SECONDS = 30


def worker(program: str) -> tuple[str, ...]:
    """A process that does as a program says, which can print answers with `say`."""
    return (sys.executable, "-c", f"import sys, time\ndef say(text): print(text, flush=True)\n{program}")


def opened(program: str, **more: float) -> SoundCard:
    return SoundCard(command=worker(program), lead_in_seconds=0.0, **more)  # type: ignore[arg-type]


@pytest.fixture
def tone(tmp_path: Path) -> Clip:
    """A second of 500 Hz."""
    steps = np.arange(SAMPLE_RATE) / SAMPLE_RATE
    with wave.open(str(tmp_path / "tone.wav"), "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", "not compressed"))
        file.writeframes(np.rint(8000 * np.sin(2 * np.pi * 500 * steps)).astype("<i2").tobytes())
    return Clip(tmp_path / "tone.wav", 1.0)


def test_what_is_played_is_recorded_as_it_was_made(tone: Clip, tmp_path: Path) -> None:
    """Into a file in place of a card; the file is whole when the card is closed, and no process is left."""
    card = SoundCard(file=tmp_path / "heard.wav", lead_in_seconds=0.0)
    card.play(tone, Track.VOICE)
    part = tmp_path / "heard.wav.part"
    eventually(lambda: part.exists() and np.any(np.frombuffer(part.read_bytes()[-2000:], "u1")), PATIENCE_SECONDS)
    card.set_volume(Track.VOICE, 0.0, 0.2)
    assert card.trouble == ""
    process = card._child.process_id
    card.close()
    with wave.open(str(tmp_path / "heard.wav")) as file:
        heard = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    assert np.abs(heard).max() == 8000
    assert not Path(f"/proc/{process}").exists()


def test_a_file_that_cannot_be_played_is_a_sentence(tone: Clip, tmp_path: Path) -> None:
    """And the next one that can be takes it back."""
    with closing(SoundCard(file=tmp_path / "heard.wav", lead_in_seconds=0.0)) as card:
        card.play(Clip(tmp_path / "missing.wav", 1.0), Track.VOICE)
        assert "missing.wav" in card.trouble
        card.play(tone, Track.VOICE)
        assert card.trouble == ""
        assert not card.is_lost


def test_no_card_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the mixer's own, and nothing that opening it again would help."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "alsa")
    with pytest.raises(OutputError, match="the sound card plughw:CARD=Absent cannot be opened") as error:
        SoundCard("plughw:CARD=Absent")
    assert not isinstance(error.value, CardLostError)


def test_a_card_that_hangs_while_it_is_opened_is_given_up() -> None:
    """After its time the process is ended."""
    with pytest.raises(CardLostError) as error:
        opened("time.sleep(600)", open_seconds=0.3)
    assert str(error.value) == DOES_NOT_ANSWER


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("""say('{"ok": true}')\ntime.sleep(600)""", DOES_NOT_ANSWER),
        ("""say('{"ok": true}')\ninput()\nsys.exit("the driver broke")""", "ended with status 1: the driver broke"),
        ("""say('{"ok": true}')\ninput()\nsay("what?")\ntime.sleep(600)""", "something that is no answer"),
    ],
)
@pytest.mark.parametrize("ask", ["play", "stop", "set_volume"])
def test_a_card_that_is_lost_says_so(program: str, told: str, ask: str) -> None:
    """Hung, dead or mad: its process is ended, nothing more is asked of it, and the loudspeaker may open another."""
    card = opened(program, ask_seconds=0.3)
    asks: dict[str, Callable[[], None]] = {
        "play": lambda: card.play(Clip(Path("a.wav"), 1.0), Track.VOICE),
        "stop": lambda: card.stop(Track.VOICE),
        "set_volume": lambda: card.set_volume(Track.VOICE, 0.5),
    }
    asks[ask]()
    assert card.is_lost
    assert told in card.trouble
    for each in asks.values():
        each()
    card.close()
    card.close()


@pytest.mark.skipif(find_library("asound") is None, reason="there is no ALSA")
def test_a_card_that_alsa_itself_hangs_on_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that nobody reads, as ALSA's default: opening it never returns, and this process runs on meanwhile."""
    os.mkfifo(tmp_path / "pipe")
    config = f'pcm.!default {{ type file file "{tmp_path / "pipe"}" slave.pcm null }}\npcm.null {{ type null }}\n'
    (tmp_path / "alsa.conf").write_text(config, encoding="utf-8")
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(tmp_path / "alsa.conf"))
    monkeypatch.setenv("SDL_AUDIODRIVER", "alsa")
    with pytest.raises(CardLostError) as error:
        SoundCard(lead_in_seconds=0.0, open_seconds=3.0)
    assert str(error.value) == DOES_NOT_ANSWER
