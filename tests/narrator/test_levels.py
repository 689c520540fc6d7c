"""Everything is equally loud and nothing clips, measured by a meter that shares nothing with the code it measures."""

from __future__ import annotations

import math
import wave
from typing import TYPE_CHECKING

import numpy as np
import pytest

from companion.narrator import levels
from companion.narrator.sound import SAMPLE_RATE, Voice
from companion.narrator.speech.espeak import EspeakSpeaker

if TYPE_CHECKING:
    from pathlib import Path

LINES = {
    "gmw/en": "Everyone, close your eyes and hold one hand out in a fist in front of you.",
    "zlw/pl": "Wszyscy zamykają oczy i wyciągają przed siebie zaciśniętą pięść.",
    "roa/pt-br": "Fechem todos os olhos e estendam a mão fechada à vossa frente.",
    "roa/it": "Chiudete tutti gli occhi e tendete un pugno davanti a voi.",
    "gmq/nb": "Alle lukker øynene og holder en knyttet hånd foran seg.",
    "zle/ru": "Закройте все глаза и вытяните перед собой сжатый кулак.",
}


def resampled(samples, ratio):
    """Return a sound at `ratio` times its rate, by its whole spectrum."""
    return np.fft.irfft(np.fft.rfft(samples), round(len(samples) * ratio)) * ratio


def biquad(samples, b, a):
    """Filter in the time domain, one sample after another."""
    first = second = 0.0
    filtered = []
    for x in samples:
        y = b[0] * x + first
        first, second = b[1] * x - a[0] * y + second, b[2] * x - a[1] * y
        filtered.append(y)
    return filtered


def lufs(samples):
    """Return the gated loudness with the very coefficients that BS.1770 prints, at the 48 kHz it prints them for."""
    shelved = biquad(
        resampled(samples, 48_000 / SAMPLE_RATE).tolist(),
        (1.53512485958697, -2.69169618940638, 1.19839281085285),
        (-1.69065929318241, 0.73248077421585),
    )
    weighed = np.array(biquad(shelved, (1.0, -2.0, 1.0), (-1.99004745483398, 0.99007225036621)))
    block = min(19_200, len(weighed))
    powers = np.array([np.mean(weighed[at : at + block] ** 2) for at in range(0, len(weighed) - block + 1, 4_800)])
    powers = powers[powers > 10 ** ((-70 + 0.691) / 10)]
    return -0.691 + 10 * math.log10(np.mean(powers[powers > np.mean(powers) / 10]))


def dbtp(samples):
    """Return the true peak, sixteen times oversampled."""
    return 20 * math.log10(np.abs(resampled(np.pad(samples, 1000), 16)).max())


def tone(hertz, seconds, height=1.0):
    return height * np.sin(2 * np.pi * hertz * np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE)


def clicks(seconds):
    """Return something that speech is not: noise with peaks far above its mean, always the same."""
    chance = np.random.default_rng(6)
    samples = chance.normal(0, 0.03, round(seconds * SAMPLE_RATE))
    samples[:: SAMPLE_RATE // 7] = 0.9
    return samples


def read(path: Path):
    with wave.open(str(path), "rb") as file:
        assert file.getparams()[:3] == (1, 2, SAMPLE_RATE)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768


def test_the_meter_of_the_tests_knows_the_reference_tone():
    """BS.1770: 997 Hz at full scale in one channel is -3.01 LUFS."""
    assert lufs(tone(997, 2)) == pytest.approx(-3.01, abs=0.05)


@pytest.mark.parametrize("hertz", [60, 250, 997, 3000, 8000])
def test_loudness_agrees_with_the_standard_at_every_pitch(hertz):
    """Our weighting at 22,050 Hz differs from the printed one at 48 kHz by less than 0.3 LU up to 8 kHz."""
    assert levels.loudness(tone(hertz, 2, 0.3)) == pytest.approx(lufs(tone(hertz, 2, 0.3)), abs=0.3)


def test_pauses_do_not_count():
    """A line with a long pause in it is as loud as the line without: silence is gated."""
    line = tone(440, 1.2, 0.2)
    paused = np.concatenate([line, np.zeros(3 * SAMPLE_RATE), line])
    assert levels.loudness(paused) == pytest.approx(levels.loudness(line), abs=0.7)


def test_silence_has_no_loudness_and_cannot_be_levelled():
    """Silence is minus infinity, and levelling it is an error, never a division by zero."""
    silence = np.zeros(SAMPLE_RATE)
    assert levels.loudness(silence) == -math.inf
    assert levels.loudness(silence[:0]) == -math.inf
    assert levels.true_peak(silence) == -math.inf
    with pytest.raises(ValueError, match="silent"):
        levels.level(silence)


def test_a_peak_between_two_samples_is_seen():
    """A tone at a quarter of the rate, sampled beside its crests, reads 3 dB low by its samples only."""
    samples = np.sin(np.pi / 2 * np.arange(2000) + np.pi / 4)
    assert np.abs(samples).max() == pytest.approx(0.707, abs=0.001)
    assert levels.true_peak(samples[500:1500] * np.hanning(1000)) == pytest.approx(0.0, abs=0.1)


def test_the_limiter_leaves_alone_what_is_low_enough():
    """Below the ceiling not one sample is changed."""
    quiet = tone(440, 1, 0.5)
    assert np.array_equal(levels.limit(quiet), quiet)


def test_the_limiter_holds_every_peak_below_the_ceiling():
    """Clicks 15 dB too high come out below -1 dBTP, and what lies far from them is untouched."""
    loud = clicks(2) * 6
    limited = levels.limit(loud)
    assert dbtp(limited) <= -1.0
    between = slice(SAMPLE_RATE // 14, SAMPLE_RATE // 14 + 200)
    assert np.allclose(limited[between], loud[between])


@pytest.mark.parametrize("gain", [0.01, 0.3, 3.0])
def test_whatever_comes_in_the_same_level_goes_out(gain):
    """Noise with high peaks, 50 dB apart, comes out at -18 LUFS within 1 LU and below -1 dBTP."""
    levelled = levels.level(clicks(2) * gain)
    assert lufs(levelled) == pytest.approx(levels.TARGET_LUFS, abs=1.0)
    assert dbtp(levelled) <= levels.CEILING_DBTP


def test_trimming_keeps_thirty_milliseconds_on_each_side():
    """A second of silence around half a second of tone becomes 30 ms, and the edges begin and end at zero."""
    silence = np.zeros(SAMPLE_RATE)
    trimmed = levels.trim(np.concatenate([silence, tone(440, 0.5), silence]))
    assert len(trimmed) / SAMPLE_RATE == pytest.approx(0.56, abs=0.002)
    assert trimmed[0] == trimmed[-1] == 0.0
    assert len(levels.trim(silence)) == 0


@pytest.mark.parametrize(("rate", "width", "channels"), [(44_100, 2, 2), (16_000, 2, 1), (8_000, 1, 1), (48_000, 3, 2)])
def test_any_plain_recording_can_be_read(tmp_path, rate, width, channels):
    """Other rates, widths and two channels become one channel at 22,050 Hz: same length, same tone, same height."""
    steps = np.arange(rate) / rate
    height = 2 ** (8 * width - 1) - 1
    values = np.rint(np.sin(2 * np.pi * 500 * steps) * 0.5 * height).astype(np.int64) + (128 if width == 1 else 0)
    raw = b"".join(int(value).to_bytes(width, "little", signed=width > 1) * channels for value in values)
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((channels, width, rate, len(values), "NONE", "not compressed"))
        file.writeframes(raw)
    samples = levels.read_wav(tmp_path / "a.wav")
    assert len(samples) == SAMPLE_RATE
    assert np.abs(samples - tone(500, 1, 0.5))[500:-500].max() < 0.01


def test_what_is_no_recording_is_refused_by_name(tmp_path):
    """A text file called .wav is a ValueError that names it."""
    (tmp_path / "words.wav").write_text("these are words", "utf-8")
    with pytest.raises(ValueError, match=r"words\.wav"):
        levels.read_wav(tmp_path / "words.wav")


@pytest.mark.parametrize("identifier", LINES)
def test_every_language_speaks_at_one_level(tmp_path, identifier):
    """Each language's own voice gives real speech, -18 LUFS within 1.5 LU and below -1 dBTP, at 130 and 160 words."""
    speaker = EspeakSpeaker(tmp_path)
    try:
        clips = []
        for rate in (130, 160):
            # Prepared, since a table would not wait for a small computer that wakes its voice.
            speaker.prepare([LINES[identifier]], Voice(identifier, rate))
            clips.append(speaker.clip(LINES[identifier], Voice(identifier, rate)))
    finally:
        speaker.close()
    for clip in clips:
        samples = read(clip.path)
        assert len(samples) == round(clip.seconds * SAMPLE_RATE)
        assert lufs(samples) == pytest.approx(-18.0, abs=1.5)
        assert dbtp(samples) <= -1.0
    assert clips[0].seconds > clips[1].seconds > 1.5
