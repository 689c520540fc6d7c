"""The committed files are what the box plays: format, level, length and loop, measured without sounds.make."""

import subprocess
import sys
import wave
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sounds
from sounds import FOLDER, Bed, Effect, Music, Palette, Theme

RATE = 22_050
EFFECTS = [Palette(theme).path(effect) for theme in Theme for effect in Effect]
BEDS = [bed.path for bed in Bed]
MUSIC = [piece.path for piece in Music]
SOUNDS = [*EFFECTS, *BEDS, *MUSIC]


def name(path):
    return f"{path.parent.name}-{path.stem}"


def read(path):
    """Return a sound's samples, full scale being 1.0."""
    with wave.open(str(path), "rb") as file:
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


@pytest.mark.parametrize("path", SOUNDS, ids=name)
def test_every_sound_has_a_file_at_an_absolute_path(path):
    """Its path names a file that is there, wherever the box was started."""
    assert path.is_absolute()
    assert path.is_file()


def test_every_file_is_a_sound():
    """No file lies there that nothing can play."""
    assert set(FOLDER.rglob("*.wav")) == set(SOUNDS)


@pytest.mark.parametrize("path", SOUNDS, ids=name)
def test_the_format_is_the_boxs_own(path):
    """22,050 Hz, mono, 16 bit: nothing is ever resampled."""
    with wave.open(str(path), "rb") as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        assert file.getnframes() / RATE == pytest.approx(sounds.seconds(path))


@pytest.mark.parametrize("path", EFFECTS, ids=name)
def test_an_effect_is_short(path):
    """An effect takes 0.3 to 2 seconds, a win up to 4; the table is not kept waiting."""
    assert 0.3 <= sounds.seconds(path) <= (4.0 if path.stem.startswith("win") else 2.0)


@pytest.mark.parametrize("path", SOUNDS, ids=name)
def test_a_sound_is_looked_up_once(path, monkeypatch):
    """How long it is is asked for with every sound, and told without a look at the card."""
    known = sounds.seconds(path)
    monkeypatch.setattr(Path, "stat", None)
    monkeypatch.setattr(wave, "open", None)
    assert sounds.seconds(path) == known


def test_where_a_sound_lies_is_worked_out_once():
    """The same object each time: a path that is made anew leaves strings behind for ever."""
    assert Palette().path(Effect.CHAOS) is Palette().path(Effect.CHAOS)
    assert Bed.FIRE.path is Bed.FIRE.path
    assert Music.END.path is Music.END.path


def test_a_card_has_room_for_them():
    """A theme weighs less than 1,000,000 bytes, and everything together less than 5,000,000."""
    for theme in Theme:
        assert sum(Palette(theme).path(effect).stat().st_size for effect in Effect) < 1_000_000
    assert sum(path.stat().st_size for path in SOUNDS) < 5_000_000


@pytest.mark.parametrize("effect", Effect)
def test_a_sound_means_the_same_in_every_theme(effect):
    """It is as long, so that a night takes its time whatever plays, and has one caption."""
    lengths = {round(sounds.seconds(Palette(theme).path(effect)), 2) for theme in Theme}
    assert len(lengths) == 1


@pytest.mark.parametrize("path", SOUNDS, ids=name)
def test_the_level_is_the_voices_level(path):
    """Every file is at -18 LUFS within 1.0, its true peak at or below -1 dBTP."""
    signal = read(path)
    assert lufs(signal) == pytest.approx(-18.0, abs=1.0)
    assert dbtp(signal) <= -1.0


def test_the_meter_reads_a_full_scale_sine_as_the_standard_says():
    """A sine of 997 Hz at full scale reads -3.01 LKFS on one channel, and 0 dBTP."""
    sine = np.sin(2 * np.pi * 997 * np.arange(RATE) / RATE)
    assert lufs(sine) == pytest.approx(-3.01, abs=0.1)
    assert dbtp(sine) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("path", EFFECTS, ids=name)
def test_an_effect_begins_and_ends_in_silence(path):
    """The first and last samples are next to nothing, and so are the steps to them: no click."""
    signal = read(path)
    assert abs(signal[0]) <= 1 / 32768
    assert np.abs(signal[:5]).max() < 0.02
    assert np.abs(signal[-20:]).max() < 0.001


@pytest.mark.parametrize("path", SOUNDS, ids=name)
def test_nothing_relies_on_what_a_small_loudspeaker_cannot_give(path):
    """Less than 1 % of the energy lies below 200 Hz, and a fifth or more above 400 Hz."""
    signal = read(path)
    assert share(signal, 0, 200) < 0.01
    assert share(signal, 400, RATE) > 0.2
    assert abs(np.mean(signal)) < 1e-4


@pytest.mark.parametrize("path", BEDS, ids=name)
def test_the_bed_lies_where_hands_and_sleeves_rustle(path):
    """Nine tenths of the bed's energy lie between 500 Hz and 6 kHz, some in every octave of them."""
    bed = read(path)
    assert share(bed, 500, 6000) > 0.9
    assert min(share(bed, low, 2 * low) for low in (500, 1000, 2000, 3000)) > 0.15


@pytest.mark.parametrize("path", BEDS, ids=name)
def test_the_bed_covers_at_every_moment(path):
    """The bed's level over 0.4 s, taken all round the loop, moves by less than 3 dB."""
    bed = read(path)
    levels = [10 * np.log10(np.mean(np.roll(bed, -at)[:8820] ** 2)) for at in range(0, len(bed), 2205)]
    assert max(levels) - min(levels) < 3.0


@pytest.mark.parametrize("path", [*BEDS, *MUSIC], ids=name)
def test_a_loop_starts_without_a_click(path):
    """The loop's first sample is silence, so it can be started at any volume."""
    assert abs(read(path)[0]) <= 1 / 32768


@pytest.mark.parametrize("path", BEDS, ids=name)
def test_the_beds_seam_is_no_larger_a_step_than_those_inside(path):
    """From the last sample to the first, value and slope change by an ordinary amount."""
    bed = read(path)
    steps = np.abs(np.diff(bed))
    bends = np.abs(np.diff(bed, n=2))
    across = np.concatenate([bed[-2:], bed[:2]])
    assert np.abs(np.diff(across)).max() <= np.quantile(steps, 0.99)
    assert np.abs(np.diff(across, n=2)).max() <= np.quantile(bends, 0.99)


@pytest.mark.parametrize("path", BEDS, ids=name)
def test_no_click_can_be_heard_at_the_beds_seam(path):
    """Above the rain's own band, the windows across the seam hold no more than the others do."""
    at_seam, elsewhere = clicks(read(path))
    assert at_seam <= elsewhere


@pytest.mark.parametrize("path", BEDS, ids=name)
def test_a_loop_cut_anywhere_else_would_click(path):
    """The measure of the seam hears a seam where there is one: a bed cut short by a fifth of a second."""
    at_seam, elsewhere = clicks(read(path)[:-4480])
    assert at_seam > 10 * elsewhere


@pytest.mark.parametrize("path", BEDS, ids=name)
def test_the_spectrum_across_the_beds_seam_is_that_of_the_rest(path):
    """In every half octave, the half second across the seam is as loud as some half second elsewhere."""
    bed = read(path)
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


@pytest.mark.parametrize("path", MUSIC, ids=name)
def test_the_music_has_no_seam(path):
    """From the last sample to the first, value and slope change by an ordinary amount."""
    piece = read(path)
    across = np.concatenate([piece[-2:], piece[:2]])
    assert np.abs(np.diff(across)).max() <= np.quantile(np.abs(np.diff(piece)), 0.99)
    assert np.abs(np.diff(across, n=2)).max() <= np.quantile(np.abs(np.diff(piece, n=2)), 0.99)


@pytest.mark.parametrize("path", MUSIC, ids=name)
def test_the_music_is_long_enough_not_to_tire(path):
    """Twenty seconds and more before anything comes again."""
    assert sounds.seconds(path) > 20.0


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
