"""The script beside the sounds makes the committed files again."""

import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

import sounds
from sounds import FOLDER, make
from sounds.making import instruments, levels, tape


def name(path):
    return f"{path.parent.name}-{path.stem}"


def read(path):
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder that the command has filled."""
    folder = tmp_path_factory.mktemp("sounds") / "new"
    subprocess.run(
        [sys.executable, "-m", "sounds.make", str(folder)],
        check=True,
        capture_output=True,
        cwd=Path(sounds.__file__).parents[1],
    )
    return folder


@pytest.mark.parametrize("path", make.RECIPES, ids=name)
def test_the_command_makes_the_committed_file(made, path):
    """The file made now has the committed length and header, and no sample is more than one step away.

    On the processor and NumPy that made the committed files it is the same byte for byte; elsewhere the last
    bit of a sine may tip a sample over the edge of rounding.
    """
    new, old = made / path.relative_to(FOLDER), path
    assert new.read_bytes()[:44] == old.read_bytes()[:44]
    difference = np.abs(read(new) - read(old))
    assert difference.max() <= 1
    assert np.count_nonzero(difference) <= len(difference) / 1000


@pytest.mark.parametrize("path", make.RECIPES, ids=name)
def test_two_runs_agree_byte_for_byte(made, path, tmp_path):
    """Nothing in a sound is left to chance, to the clock or to another process."""
    assert make.write(path, tmp_path).read_bytes() == (made / path.relative_to(FOLDER)).read_bytes()


def test_the_command_makes_the_sounds_and_nothing_else(made):
    """One file for each sound, and a recipe for each."""
    assert {file.relative_to(made) for file in made.rglob("*.wav")} == {
        file.relative_to(FOLDER) for file in FOLDER.rglob("*.wav")
    }


def test_a_sound_too_spiky_for_its_level_is_refused():
    """A sound whose peaks would be cut off at -18 LUFS raises an error that names the peak."""
    spike = np.zeros(tape.SAMPLE_RATE)
    spike[1000:1010] = 1.0
    with pytest.raises(ValueError, match=r"dBTP are above -1\.0"):
        levels.levelled(spike)


def test_a_note_is_named_as_in_a_score():
    """A4 is 440 Hz; sharps and flats meet."""
    assert instruments.frequency("A4") == 440.0
    assert instruments.frequency("C4") == pytest.approx(261.626, abs=0.001)
    assert instruments.frequency("F#5") == pytest.approx(instruments.frequency("Gb5"))
