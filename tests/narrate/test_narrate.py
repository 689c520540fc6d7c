from __future__ import annotations

import json
import subprocess
import sys
import wave
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from companion.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

EN_FEW = "CLOSE MEET PAUSE SHUT OPEN ASK"
EN_MANY = "CLOSE MEET THUMB NOTE PAUSE SHUT OPEN ASK"
NIGHTS = {
    ("en", 6): EN_FEW,
    ("pl", 6): EN_FEW,
    ("pt", 6): EN_FEW,
    ("it", 6): EN_FEW,
    ("nb", 6): EN_FEW,
    # No PAUSE is printed in the Russian book; one is played all the same.
    ("ru", 6): EN_FEW,
    ("en", 7): EN_MANY,
    ("pl", 7): EN_MANY,
    ("pt", 7): "CLOSE THUMB MEET NOTE PAUSE SHUT OPEN ASK",
    ("it", 7): EN_MANY,
    ("nb", 7): EN_MANY,
    ("ru", 7): EN_MANY,
}
RATE = 22_050

Script = list[dict[str, Any]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for spoken lines, shared so that each is rendered once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path) -> None:
    """Keep everything that the program writes inside the tests."""
    monkeypatch.setenv("COMPANION_CACHE_DIR", str(cache))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str]) -> Callable[..., Script]:
    """Return what gives the timed script of a night."""

    def narrate(language: str, players: int, *more: str) -> Script:
        given = ["narrate", "--players", str(players), "--language", language, "--format", "json", *more]
        assert main(given) == 0
        found: Script = json.loads(capsys.readouterr().out)
        return found

    return narrate


def samples_of(path: Path) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the sound of a file, which has to be what the box plays."""
    with wave.open(str(path), "rb") as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        frames = file.readframes(file.getnframes())
        assert len(frames) == 2 * file.getnframes()
    return np.frombuffer(frames, dtype="<i2") / 32768.0


def loudness(samples: np.ndarray[Any, np.dtype[np.float64]], start: float, end: float) -> float:
    """Return the level of a stretch in dB below full scale."""
    piece = samples[round(start * RATE) : round(end * RATE)]
    return float(10 * np.log10(np.mean(piece**2) + 1e-12))


@pytest.mark.parametrize(("language", "players"), NIGHTS)
def test_the_night_has_the_steps_of_its_edition_in_order(
    language: str, players: int, script: Callable[..., Script]
) -> None:
    """Each language speaks its own rulebook's night; no step begins before the one before it has ended."""
    night = script(language, players)
    assert " ".join(step["step"] for step in night) == NIGHTS[language, players]
    for earlier, later in pairwise(night):
        assert later["at_seconds"] == earlier["end_seconds"]
        assert (
            later["at_seconds"] >= earlier["at_seconds"] + earlier["speech_seconds"] + earlier["pause_seconds"] - 0.002
        )
    assert night[0]["at_seconds"] == 0
    assert all(step["text"] or step["step"] == "PAUSE" for step in night)
    assert all(step["pause_seconds"] >= 0 for step in night)


@pytest.mark.parametrize("language", sorted({language for language, _ in NIGHTS}))
def test_the_script_depends_on_the_table_and_on_nothing_else(language: str, script: Callable[..., Script]) -> None:
    """Six hear the night of five, eight that of seven and ten that of nine, who hear the same words in more time."""
    for players in (5, 7, 9):
        assert script(language, players) == script(language, players + 1)
    lines = [[step["text"] for step in script(language, players)] for players in (7, 9)]
    assert lines[0] == lines[1]


def test_the_long_pause_is_long_enough_unless_the_table_wants_another(
    script: Callable[..., Script], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The PAUSE takes 8, 10 or 12 seconds; settings change it, and the time after the gestures."""

    def pauses(players: int) -> dict[str, float]:
        return {step["step"]: step["pause_seconds"] for step in script("en", players)}

    assert [pauses(players)["PAUSE"] for players in (6, 7, 10)] == [8, 10, 12]
    untouched = {step: pauses(7)[step] for step in ("CLOSE", "SHUT", "OPEN", "ASK")}
    assert min(pauses(7)[step] for step in ("MEET", "THUMB", "NOTE")) > 0
    monkeypatch.setenv("COMPANION_NIGHT_LONG_PAUSE_SECONDS", "20")
    monkeypatch.setenv("COMPANION_NIGHT_GESTURE_PAUSE_SECONDS", "1.5")
    chosen = pauses(7)
    assert (chosen["PAUSE"], chosen["MEET"], chosen["THUMB"], chosen["NOTE"]) == (20, 1.5, 1.5, 1.5)
    assert {step: chosen[step] for step in untouched} == untouched


def test_the_text_format_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """Text has one line a step, with its time and its pause, and the end."""
    assert main(["narrate", "--players", "5", "--format", "text"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == [*EN_FEW.split(), "end"]
    assert lines[0].startswith("0:00.0  CLOSE  ")
    assert lines[2].endswith("(8 s)")


def test_a_silent_night_keeps_its_time(script: Callable[..., Script], tmp_path: Path) -> None:
    """Without a voice the script has estimated times, and its file is as long as they say."""
    path = tmp_path / "n.wav"
    night = script("en", 5, "--voice", "silent", "--output", str(path))
    assert " ".join(step["step"] for step in night) == EN_FEW
    assert len(samples_of(path)) / RATE == pytest.approx(night[-1]["end_seconds"], rel=0.02)


@pytest.fixture(scope="module")
def ru(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Script, Path]:
    """Return the Russian night of seven, as a script and as a file, from the program itself.

    The working directory cannot be written to, not even by root: it is gone.
    """
    folder = tmp_path_factory.mktemp("ru")
    gone = folder / "gone"
    gone.mkdir()
    program = [sys.executable, "-m", "companion", "narrate", "--players", "7", "--language", "ru"]
    command = f'rmdir "{gone}" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *program, "--format", "json", "--output", str(folder / "n.wav")],
        cwd=gone,
        env={"COMPANION_CACHE_DIR": str(cache), "HOME": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), folder / "n.wav"


def test_the_file_is_the_whole_performance(ru: tuple[Script, Path]) -> None:
    """The file is a WAV of 22,050 Hz, mono, 16 bit, as long as the script says, and not clipped."""
    night, path = ru
    samples = samples_of(path)
    assert len(samples) / RATE == pytest.approx(night[-1]["end_seconds"], rel=0.02)
    assert np.abs(samples).max() < 10 ** (-1 / 20) + 0.001


def test_every_step_is_heard_at_its_time(ru: tuple[Script, Path]) -> None:
    """In the 400 ms after its time each step is at least 6 dB louder than the bed in the silence before the next."""
    night, path = ru
    samples = samples_of(path)
    for step in night:
        if not step["text"]:
            continue
        begins, ends = step["at_seconds"], step["at_seconds"] + step["speech_seconds"]
        # The end of the pause: sounds that belong to a step follow its speech at once.
        bed = loudness(samples, step["end_seconds"] - 0.35, step["end_seconds"] - 0.05)
        assert loudness(samples, begins, begins + 0.4) > bed + 6, step["step"]
        assert loudness(samples, begins, ends) > -24, step["step"]


def test_nothing_but_the_bed_is_heard_in_the_pauses(ru: tuple[Script, Path]) -> None:
    """Between the lines there is silence or the masking bed, well under the voice, and the long pause is all bed."""
    night, path = ru
    samples = samples_of(path)
    for step in night:
        if step["step"] in ("CLOSE", "OPEN", "ASK"):
            continue  # A sound of their own, or the fading end.
        begins = step["at_seconds"] + step["speech_seconds"] + 0.05
        assert loudness(samples, begins, step["end_seconds"] - 0.05) < -26, step["step"]


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    """The same night gives the same file, byte for byte."""
    for name in ("a.wav", "b.wav"):
        assert main(["narrate", "--players", "5", "--output", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()


def test_the_file_may_be_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name without a folder is in the working directory, and an old file of that name is replaced."""
    monkeypatch.chdir(tmp_path)
    Path("n.wav").write_bytes(b"old")
    assert main(["narrate", "--players", "5", "--output", "n.wav"]) == 0
    assert len(samples_of(tmp_path / "n.wav")) > RATE
    assert [each.name for each in tmp_path.glob("*.wav")] == ["n.wav"]


def refused(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return why a file cannot be written; that ends with 1 and one sentence that names it."""
    assert main(["narrate", "--players", "5", "--output", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    (sentence,) = told.err.splitlines()
    assert sentence.startswith(f"{path}: cannot be written: ")
    return sentence.removeprefix(f"{path}: cannot be written: ")


def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is missing, is a file, or has the file's own name ends with 1 and a sentence; nothing is left."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    assert refused(tmp_path / "none" / "n.wav", capsys) == "No such file or directory"
    assert refused(tmp_path / "file" / "n.wav", capsys) == "Not a directory"
    assert refused(tmp_path / "folder", capsys) == "Is a directory"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's full device")
def test_a_full_disk_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the disk is full, nothing is left and a sentence says so."""
    assert refused(Path("/dev/full"), capsys) == "No space left on device"


def test_a_night_that_cannot_be_spoken_is_no_silent_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a synthesiser a file is refused rather than written without a word; the script still has its times."""
    (tmp_path / "pyttsx3.py").write_text("raise ImportError('no pyttsx3 here')\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("COMPANION_CACHE_DIR", str(tmp_path / "cold"))
    assert main(["narrate", "--players", "5", "--output", str(tmp_path / "n.wav")]) == 1
    assert capsys.readouterr().err == "The night could not be spoken: no pyttsx3 here\n"
    assert not (tmp_path / "n.wav").exists()
    assert main(["narrate", "--players", "5", "--format", "json"]) == 0
    told = capsys.readouterr()
    assert " ".join(step["step"] for step in json.loads(told.out)) == EN_FEW
    assert told.err == "No voice: no pyttsx3 here. The times are estimated from the texts.\n"
