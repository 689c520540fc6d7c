"""The script beside the sounds makes the committed files again."""

import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

import sounds
from sounds import Effect, make


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


@pytest.mark.parametrize("effect", Effect)
def test_the_command_makes_the_committed_file(made, effect):
    """The file made now has the committed length and header, and no sample is more than one step away.

    On the processor and NumPy that made the committed files it is the same byte for byte; elsewhere the last
    bit of a sine may tip a sample over the edge of rounding.
    """
    new, old = made / f"{effect.value}.wav", sounds.path(effect)
    assert new.read_bytes()[:44] == old.read_bytes()[:44]
    difference = np.abs(read(new) - read(old))
    assert difference.max() <= 1
    assert np.count_nonzero(difference) <= len(difference) / 1000


@pytest.mark.parametrize("effect", Effect)
def test_two_runs_agree_byte_for_byte(made, effect, tmp_path):
    """Nothing in a sound is left to chance, to the clock or to another process."""
    assert make.write(effect, tmp_path).read_bytes() == (made / f"{effect.value}.wav").read_bytes()


def test_the_command_makes_the_effects_and_nothing_else(made):
    """One file for each effect, and a recipe for each."""
    assert {file.name for file in made.iterdir()} == {f"{effect.value}.wav" for effect in Effect}
    assert set(make.RECIPES) == set(Effect)


def test_a_sound_too_spiky_for_its_level_is_refused():
    """A sound whose peaks would be cut off at -18 LUFS raises an error that names the peak."""
    spike = np.zeros(make.SAMPLE_RATE)
    spike[1000:1010] = 1.0
    with pytest.raises(ValueError, match=r"dBTP are above -1\.0"):
        make.levelled(spike)


def test_a_note_is_named_as_in_a_score():
    """A4 is 440 Hz; sharps and flats meet."""
    assert make.frequency("A4") == 440.0
    assert make.frequency("C4") == pytest.approx(261.626, abs=0.001)
    assert make.frequency("F#5") == pytest.approx(make.frequency("Gb5"))
