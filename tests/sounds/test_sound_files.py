"""The committed files are what the box plays: format, level, length and loop, measured without sounds.make."""

import subprocess
import sys
import wave
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sounds
from sounds import Effect

RATE = 22_050
EFFECTS = [effect for effect in Effect if effect is not Effect.BED]
WINS = (Effect.WIN_LIBERAL, Effect.WIN_FASCIST)


def read(effect):
    """Return an effect's samples, full scale being 1.0."""
    with wave.open(str(sounds.path(effect)), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768


def at_another_rate(polynomial, ratio):
    """Carry a quadratic in 1/z to a sampling rate `ratio` times as high, by way of the analogue plane."""
    numerator, denominator = np.array([1 - ratio, 1 + ratio]), np.array([1 + ratio, 1 - ratio])
    first, second, third = polynomial
    return (
        first * np.convolve(denominator, denominator)
        + second * np.convolve(numerator, denominator)
        + third * np.convolve(numerator, numerator)
    )


def biquad(signal, b, a):
    """Run a second-order filter sample by sample."""
    (b0, b1, b2), (a1, a2) = b / a[0], a[1:] / a[0]
    first = second = 0.0
    out = []
    for x in signal:
        y = b0 * x + first
        first, second = b1 * x - a1 * y + second, b2 * x - a2 * y
        out.append(y)
    return out


def lufs(signal):
    """Return the gated loudness, from the coefficients that BS.1770 prints for 48 kHz."""
    ratio = RATE / 48_000
    for b, a in (
        (
            (1.53512485958697, -2.69169618940638, 1.19839281085285),
            (1.0, -1.69065929318241, 0.73248077421585),
        ),
        ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621)),
    ):
        signal = biquad(signal, at_another_rate(b, ratio), at_another_rate(a, ratio))
    signal = np.pad(signal, (0, max(0, 8820 - len(signal))))
    powers = np.array([np.mean(signal[at : at + 8820] ** 2) for at in range(0, len(signal) - 8819, 2205)])
    powers = powers[powers > 10 ** ((-70 + 0.691) / 10)]
    powers = powers[powers > np.mean(powers) / 10]
    return -0.691 + 10 * np.log10(np.mean(powers))


def dbtp(signal):
    """Return the true peak between the samples, eight times oversampled by a windowed sinc."""
    reach = np.arange(-32, 33)
    peaks = []
    for part in np.arange(8) / 8:
        kernel = np.sinc(reach + part) * np.cos(np.pi * (reach + part) / 66) ** 2
        peaks.append(np.max(np.abs(np.convolve(signal, kernel))))
    return 20 * np.log10(max(peaks))


def share(signal, low, high):
    """Return how much of a sound's energy lies between two frequencies."""
    power = np.abs(np.fft.rfft(signal)) ** 2
    hertz = np.fft.rfftfreq(len(signal), 1 / RATE)
    return power[(hertz >= low) & (hertz < high)].sum() / power.sum()


def clicks(loop):
    """Return how much above 9.5 kHz, where the rain is silent, each 23 ms of a running loop holds.

    The loop is turned by half, which brings the seam to the middle; the windows across it are given first.
    """
    turned = np.roll(loop, len(loop) // 2)
    windows = np.lib.stride_tricks.sliding_window_view(turned, 512)[::128] * np.hanning(512)
    spectra = np.abs(np.fft.rfft(windows)) ** 2
    levels = spectra[:, int(9500 * 512 / RATE) :].sum(axis=1)
    seam = len(loop) // 2 / 128
    at_seam = np.abs(np.arange(len(levels)) + 2 - seam) <= 3
    return levels[at_seam].max(), levels[~at_seam].max()


@pytest.mark.parametrize("effect", Effect)
def test_every_effect_has_a_file_at_an_absolute_path(effect):
    """`path` names a file that is there, wherever the box was started."""
    assert sounds.path(effect).is_absolute()
    assert sounds.path(effect).is_file()


def test_every_file_is_an_effect():
    """No file lies there that nothing can play."""
    folder = Path(sounds.__file__).parent
    assert {file.stem for file in folder.glob("*.wav")} == {effect.value for effect in Effect}


@pytest.mark.parametrize("effect", Effect)
def test_the_format_is_the_boxs_own(effect):
    """22,050 Hz, mono, 16 bit: nothing is ever resampled."""
    with wave.open(str(sounds.path(effect)), "rb") as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        assert file.getnframes() / RATE == pytest.approx(sounds.seconds(effect))


@pytest.mark.parametrize("effect", EFFECTS)
def test_an_effect_is_short(effect):
    """An effect takes 0.3 to 2 seconds, a win up to 4; the table is not kept waiting."""
    assert 0.3 <= sounds.seconds(effect) <= (4.0 if effect in WINS else 2.0)


@pytest.mark.parametrize("effect", Effect)
def test_a_sound_is_looked_up_once(effect, monkeypatch):
    """Where it lies and how long it is are asked for with every sound, and told without a look at the card."""
    known = sounds.path(effect), sounds.seconds(effect)
    monkeypatch.setattr(Path, "resolve", None)
    monkeypatch.setattr(wave, "open", None)
    assert (sounds.path(effect), sounds.seconds(effect)) == known


def test_all_files_together_are_under_one_megabyte():
    """The effects weigh less than 1,000,000 bytes."""
    assert sum(sounds.path(effect).stat().st_size for effect in Effect) < 1_000_000


@pytest.mark.parametrize("effect", Effect)
def test_the_level_is_the_voices_level(effect):
    """Every file is at -18 LUFS within 1.0, its true peak at or below -1 dBTP."""
    signal = read(effect)
    assert lufs(signal) == pytest.approx(-18.0, abs=1.0)
    assert dbtp(signal) <= -1.0


def test_the_meter_reads_a_full_scale_sine_as_the_standard_says():
    """A sine of 997 Hz at full scale reads -3.01 LKFS on one channel, and 0 dBTP."""
    sine = np.sin(2 * np.pi * 997 * np.arange(RATE) / RATE)
    assert lufs(sine) == pytest.approx(-3.01, abs=0.1)
    assert dbtp(sine) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("effect", EFFECTS)
def test_an_effect_begins_and_ends_in_silence(effect):
    """The first and last samples are next to nothing, and so are the steps to them: no click."""
    signal = read(effect)
    assert abs(signal[0]) <= 1 / 32768
    assert np.abs(signal[:5]).max() < 0.02
    assert np.abs(signal[-20:]).max() < 0.001


@pytest.mark.parametrize("effect", Effect)
def test_nothing_relies_on_what_a_small_loudspeaker_cannot_give(effect):
    """Less than 1 % of the energy lies below 200 Hz, and a fifth or more above 400 Hz."""
    signal = read(effect)
    assert share(signal, 0, 200) < 0.01
    assert share(signal, 400, RATE) > 0.2
    assert abs(np.mean(signal)) < 1e-4


def test_the_bed_lies_where_hands_and_sleeves_rustle():
    """Nine tenths of the bed's energy lie between 500 Hz and 6 kHz, some in every octave of them."""
    bed = read(Effect.BED)
    assert share(bed, 500, 6000) > 0.9
    assert min(share(bed, low, 2 * low) for low in (500, 1000, 2000, 3000)) > 0.15


def test_the_bed_covers_at_every_moment():
    """The bed's level over 0.4 s, taken all round the loop, moves by less than 3 dB."""
    bed = read(Effect.BED)
    levels = [10 * np.log10(np.mean(np.roll(bed, -at)[:8820] ** 2)) for at in range(0, len(bed), 2205)]
    assert max(levels) - min(levels) < 3.0


def test_the_bed_starts_without_a_click():
    """The loop's first sample is silence, so it can be started at any volume."""
    assert abs(read(Effect.BED)[0]) <= 1 / 32768


def test_the_beds_seam_is_no_larger_a_step_than_those_inside():
    """From the last sample to the first, value and slope change by an ordinary amount."""
    bed = read(Effect.BED)
    steps = np.abs(np.diff(bed))
    bends = np.abs(np.diff(bed, n=2))
    across = np.concatenate([bed[-2:], bed[:2]])
    assert np.abs(np.diff(across)).max() <= np.quantile(steps, 0.99)
    assert np.abs(np.diff(across, n=2)).max() <= np.quantile(bends, 0.99)


def test_no_click_can_be_heard_at_the_beds_seam():
    """Above the rain's own band, the windows across the seam hold no more than the others do."""
    at_seam, elsewhere = clicks(read(Effect.BED))
    assert at_seam <= elsewhere


def test_a_loop_cut_anywhere_else_would_click():
    """The measure of the seam hears a seam where there is one: a bed cut short by a fifth of a second."""
    at_seam, elsewhere = clicks(read(Effect.BED)[:-4480])
    assert at_seam > 10 * elsewhere


def test_the_spectrum_across_the_beds_seam_is_that_of_the_rest():
    """In every half octave, the half second across the seam is as loud as some half second elsewhere."""
    bed = read(Effect.BED)
    length = RATE // 2
    edges = 500 * 2 ** (np.arange(8) / 2)
    hertz = np.fft.rfftfreq(length, 1 / RATE)

    def bands(start):
        power = np.abs(np.fft.rfft(np.roll(bed, -start)[:length] * np.hanning(length))) ** 2
        return [10 * np.log10(power[(hertz >= low) & (hertz < high)].sum()) for low, high in pairwise(edges)]

    others = np.array([bands(start) for start in range(0, len(bed) - length, length // 2)])
    seam = np.array(bands(len(bed) - length // 2))
    assert (seam >= others.min(axis=0) - 0.5).all()
    assert (seam <= others.max(axis=0) + 0.5).all()


def test_importing_the_sounds_loads_neither_numpy_nor_the_companion():
    """Whoever only wants a path does not wait for NumPy."""
    code = "import sys, sounds; print(sorted({'numpy', 'companion', 'sounds.make'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(sounds.__file__).parents[1],
    )
    assert done.stdout.strip() == "[]"
