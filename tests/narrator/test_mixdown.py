"""A performance on file: exact to the sample, one voice at a time, a bed that hides rustling and no word."""

from __future__ import annotations

import math
import wave
from pathlib import Path

import numpy as np
import pytest

from companion.narrator.mixdown import Cover, Part, mixdown
from companion.narrator.sound import SAMPLE_RATE, Clip, Track


def keep(path: Path, samples) -> Clip:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", "not compressed"))
        file.writeframes(np.rint(samples * 32767).astype("<i2").tobytes())
    return Clip(path, len(samples) / SAMPLE_RATE)


def read(path: Path):
    with wave.open(str(path), "rb") as file:
        assert file.getparams()[:3] == (1, 2, SAMPLE_RATE)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767


def tone(hertz, seconds, height):
    return height * np.sin(2 * np.pi * hertz * np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE)


def height_of(samples, hertz, start, end):
    """Return how high a tone stands between two times, in dB, whatever else sounds there."""
    piece = samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)]
    steps = np.arange(len(piece)) / SAMPLE_RATE
    window = np.hanning(len(piece))
    return 20 * math.log10(2 * abs(np.sum(piece * window * np.exp(-2j * np.pi * hertz * steps))) / np.sum(window))


@pytest.fixture
def line(tmp_path):
    """Two seconds of a tone of 1,000 Hz that stands for a line."""
    return keep(tmp_path / "line.wav", tone(1000, 2, 0.25))


@pytest.fixture
def bed(tmp_path):
    """A loop of 0.8 seconds, whole turns of 500 Hz, as high as the line."""
    return keep(tmp_path / "bed.wav", tone(500, 0.8, 0.25))


def test_the_file_is_exactly_as_long_as_asked(tmp_path, line, bed):
    """The number of samples is the seconds times the rate, rounded, with or without a bed."""
    for seconds in (5.0, 7.3333, 61.01):
        for loop in (None, bed):
            mixdown([Part(line, 1.0, Track.VOICE)], seconds, tmp_path / "mix.wav", bed=loop)
            assert len(read(tmp_path / "mix.wav")) == round(seconds * SAMPLE_RATE)


@pytest.mark.parametrize("at", [0.0, 1.0, 1.23456, 3.0])
def test_a_part_begins_at_its_very_sample(tmp_path, line, at):
    """Before its time and after its end there is silence, in between its own samples, unchanged."""
    mixdown([Part(line, at, Track.VOICE)], 5.0, tmp_path / "mix.wav")
    mix, start = read(tmp_path / "mix.wav"), round(at * SAMPLE_RATE)
    assert not mix[:start].any()
    assert np.abs(mix[start : start + 2 * SAMPLE_RATE] - read(line.path)).max() < 1e-4
    assert not mix[start + 2 * SAMPLE_RATE :].any()


def test_two_lines_never_sound_at_once(tmp_path, line):
    """An overlap of the voice is refused; one line right after another is not; effects may sound over lines."""
    with pytest.raises(ValueError, match=r"begins at 2\.900 seconds"):
        mixdown([Part(line, 2.9, Track.VOICE), Part(line, 1.0, Track.VOICE)], 9.0, tmp_path / "mix.wav")
    assert not (tmp_path / "mix.wav").exists()
    mixdown([Part(line, 3.0, Track.VOICE), Part(line, 1.0, Track.VOICE)], 9.0, tmp_path / "mix.wav")
    mixdown([Part(line, 2.0, Track.EFFECT), Part(line, 1.0, Track.VOICE)], 9.0, tmp_path / "mix.wav")


@pytest.mark.parametrize("at", [-0.1, 3.5])
def test_a_part_outside_the_performance_is_refused(tmp_path, line, at):
    """Nothing is cut off silently."""
    with pytest.raises(ValueError, match="does not fit"):
        mixdown([Part(line, at, Track.VOICE)], 5.0, tmp_path / "mix.wav")


def test_the_bed_lies_under_the_voice_and_rises_where_people_move(tmp_path, line, bed):
    """10 to 15 LU under the voice between and under lines, lower under them, and well up in the cover, with no jump."""
    parts = [Part(line, 4.0, Track.VOICE), Part(line, 12.0, Track.VOICE)]
    mixdown(parts, 16.0, tmp_path / "mix.wav", bed=bed, covers=[Cover(7.0, 11.0)])
    mix = read(tmp_path / "mix.wav")
    voice = height_of(mix, 1000, 4.0, 6.0)
    resting, speaking, covering = (
        voice - height_of(mix, 500, *times) for times in ((1.5, 3.0), (4.0, 6.0), (7.6, 10.4))
    )
    assert 10 <= resting <= 15
    assert resting < speaking <= 15
    assert 10 <= covering < resting - 2
    heights = [height_of(mix, 500, start, start + 0.1) for start in np.arange(1.2, 14.5, 0.1)]
    assert np.abs(np.diff(heights)).max() < 2.5


def test_the_bed_is_down_before_the_first_word(tmp_path, line, bed):
    """A cover that runs into a line has given way by the time the line begins."""
    mixdown([Part(line, 4.0, Track.VOICE)], 8.0, tmp_path / "mix.wav", bed=bed, covers=[Cover(1.0, 8.0)])
    mix = read(tmp_path / "mix.wav")
    spoken = height_of(mix, 500, 4.2, 5.8)
    assert height_of(mix, 500, 3.95, 4.05) == pytest.approx(spoken, abs=0.5)
    assert height_of(mix, 500, 5.95, 6.0) == pytest.approx(spoken, abs=1.0)


def test_the_bed_has_no_seam_and_no_hard_ends(tmp_path, bed):
    """The loop goes on from its last sample to its first, and it comes and goes softly."""
    mixdown([], 5.0, tmp_path / "mix.wav", bed=bed)
    mix = read(tmp_path / "mix.wav")
    middle = mix[SAMPLE_RATE * 3 // 2 : SAMPLE_RATE * 7 // 2]
    steps = np.arange(SAMPLE_RATE * 3 // 2, SAMPLE_RATE * 7 // 2) / SAMPLE_RATE
    expected = 0.25 * 10 ** (-13 / 20) * np.sin(2 * np.pi * 500 * steps)
    assert np.abs(middle - expected).max() < 1e-3
    assert np.abs(mix[:10]).max() < 0.001
    assert np.abs(mix[-10:]).max() < 0.001


@pytest.mark.parametrize("track", [track for track in Track if track is not Track.MUSIC])
def test_zero_is_silence(tmp_path, line, bed, track):
    """Each track's volume at 0 takes it out wholly, and at a half it is 6 dB down."""
    parts = [Part(line, 2.0, Track.VOICE)] if track is not Track.EFFECT else [Part(line, 2.0, Track.EFFECT)]
    hertz = 500 if track is Track.BED else 1000
    heights = []
    for volume in (1.0, 0.5):
        mixdown(parts, 6.0, tmp_path / "mix.wav", bed=bed, volumes={track: volume})
        heights.append(height_of(read(tmp_path / "mix.wav"), hertz, 2.2, 3.8))
    assert heights[0] - heights[1] == pytest.approx(6.02, abs=0.1)
    silent = dict.fromkeys(Track, 1.0) | {track: 0.0}
    mixdown(parts, 6.0, tmp_path / "mix.wav", bed=None if track is not Track.BED else bed, volumes=silent)
    mix = read(tmp_path / "mix.wav")
    assert (np.abs(mix).max() == 0) == (track is not Track.BED)
    if track is Track.BED:
        assert not mix[: 2 * SAMPLE_RATE].any()


def test_nothing_clips(tmp_path):
    """A line and an effect that together would pass full scale stay below -1 dBTP."""
    loud = keep(tmp_path / "loud.wav", tone(997, 2, 0.89))
    other = keep(tmp_path / "other.wav", tone(1493, 2, 0.89))
    mixdown([Part(loud, 1.0, Track.VOICE), Part(other, 1.0, Track.EFFECT)], 4.0, tmp_path / "mix.wav")
    spectrum = np.fft.rfft(read(tmp_path / "mix.wav"))
    fine = np.fft.irfft(spectrum, 16 * 4 * SAMPLE_RATE) * 16
    assert 20 * math.log10(np.abs(fine).max()) <= -1.0


def test_gain_is_in_decibels(tmp_path, line):
    """A part at -6 dB has half the height."""
    mixdown([Part(line, 0.0, Track.EFFECT, gain_db=-6.02)], 3.0, tmp_path / "mix.wav")
    assert np.abs(read(tmp_path / "mix.wav")).max() == pytest.approx(0.125, abs=0.001)


def test_the_same_performance_is_the_same_file(tmp_path, line, bed):
    """Byte for byte, whatever the order of the parts: a mix tells nothing but its parts."""
    parts = [Part(line, 4.0, Track.VOICE), Part(line, 1.0, Track.VOICE), Part(line, 1.5, Track.EFFECT)]
    for name, order in (("a.wav", parts), ("b.wav", parts[::-1])):
        mixdown(order, 8.0, tmp_path / name, bed=bed, covers=[Cover(6.5, 8.0)])
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()


def test_a_place_that_cannot_be_written_is_an_error(tmp_path, line):
    """A folder that is not there is an OSError, for one clear sentence."""
    with pytest.raises(OSError, match="missing"):
        mixdown([Part(line, 0.0, Track.VOICE)], 3.0, tmp_path / "missing" / "mix.wav")


def test_a_device_is_written_and_not_replaced(line):
    """`--output /dev/null` leaves /dev/null a device."""
    mixdown([Part(line, 0.0, Track.VOICE)], 3.0, Path("/dev/null"))
    assert Path("/dev/null").is_char_device()
