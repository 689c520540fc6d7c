"""How loud a sound is, and how to make every sound equally loud: ITU-R BS.1770-4 for one channel, in numpy.

Only the speech worker and the offline mix import this; the process that plays the game stays without numpy.
Samples are float64 in -1.0 to 1.0 at `SAMPLE_RATE`, unless said otherwise.
"""

from __future__ import annotations

import math
import wave
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.narrator.sound import SAMPLE_RATE

if TYPE_CHECKING:
    from pathlib import Path

Samples: TypeAlias = npt.NDArray[np.float64]

TARGET_LUFS = -18.0
"""The loudness of every line and every effect (BS.1770, mono)."""
CEILING_DBTP = -1.0
"""No true peak of anything audible lies above this (dB below full scale)."""
LINE_CEILING_DBTP = -2.5
"""The ceiling of a line by itself: with the bed under it, at its highest, the two together stay below the other."""

_LIMITER_MARGIN_DB = 0.4
"""Peaks between the points of our four-fold oversampling are higher by up to this in the sharpest of clicks."""
_LIMITER_RADIUS = round(0.005 * SAMPLE_RATE)
"""The limiter starts to turn down 5 ms ahead of a peak: short for the ear, long enough not to crackle."""
_BLOCK = round(0.4 * SAMPLE_RATE)
_HOP = _BLOCK // 4
_LOWEST_LUFS = -70.0
_RELATIVE_GATE_LU = -10.0
_OVERSAMPLING = 4
_TAPS = 24
_LEVELLING_ROUNDS = 5
_CLOSE_ENOUGH_LU = 0.1
_QUIET_DB = -48.0
_KEPT_SECONDS = 0.03
_EDGE_SECONDS = 0.005


def amplitude(decibels: float) -> float:
    """Return the factor for a change in dB."""
    return float(10.0 ** (decibels / 20.0))


def decibels(factor: float) -> float:
    """Return the dB of a factor; minus infinity for 0."""
    return 20.0 * math.log10(factor) if factor > 0 else -math.inf


def loudness(samples: Samples) -> float:
    """Return the gated loudness in LUFS, minus infinity for silence.

    A sound of less than 400 ms is one block by itself: BS.1770 has no word for those, and effects are that short.
    """
    power = np.concatenate(([0.0], np.cumsum(_k_weighted(samples) ** 2)))
    block = min(_BLOCK, len(samples))
    if not block:
        return -math.inf
    starts = np.arange(0, len(samples) - block + 1, _HOP)
    blocks = (power[starts + block] - power[starts]) / block
    heard = blocks[blocks > _power_of(_LOWEST_LUFS)]
    if not len(heard):
        return -math.inf
    gate = _power_of(_lufs_of(float(heard.mean())) + _RELATIVE_GATE_LU)
    return _lufs_of(float(heard[heard > gate].mean()))


def true_peak(samples: Samples) -> float:
    """Return the highest peak in dBTP, between the samples too; minus infinity for silence."""
    return decibels(float(_peaks(samples).max(initial=0.0)))


def limit(samples: Samples, ceiling_dbtp: float = CEILING_DBTP) -> Samples:
    """Return the sound with its peaks turned down to the ceiling, smoothly and only where they are too high.

    The gain is the lowest that any peak within 5 ms asks for, averaged over those 5 ms: an average of gains that are
    all low enough is low enough, and has no corners that could be heard.
    """
    ceiling = amplitude(ceiling_dbtp - _LIMITER_MARGIN_DB)
    peaks = _peaks(samples)
    if peaks.max(initial=0.0) <= ceiling:
        return samples
    gains = np.minimum(1.0, ceiling / np.maximum(peaks, ceiling))
    gains = _lowest_around(gains, _LIMITER_RADIUS)
    half = _LIMITER_RADIUS // 2
    return samples * average_around(average_around(gains, half), half)


def level(samples: Samples, target_lufs: float = TARGET_LUFS, ceiling_dbtp: float = CEILING_DBTP) -> Samples:
    """Return the sound at the target loudness, below the ceiling.

    Turning peaks down costs loudness, so gain and limiter take turns until both are right.

    Raises:
        ValueError: there is nothing to hear.
    """
    gain_db = target_lufs - loudness(samples)
    if not math.isfinite(gain_db):
        raise ValueError("the sound is silent")
    levelled = samples
    for _ in range(_LEVELLING_ROUNDS):
        levelled = limit(samples * amplitude(gain_db), ceiling_dbtp)
        miss_db = target_lufs - loudness(levelled)
        if abs(miss_db) < _CLOSE_ENOUGH_LU:
            break
        gain_db += miss_db
    return levelled


def trim(samples: Samples) -> Samples:
    """Return the sound without the silence around it, 30 ms kept on each side and the cut edges faded.

    Silence is what lies 48 dB under the loudest peak: the breath of an s is kept, the synthesiser's rest is not.
    """
    loud = np.abs(samples)
    heard = np.flatnonzero(loud > loud.max(initial=0.0) * amplitude(_QUIET_DB))
    if not len(heard):
        return samples[:0]
    kept = round(_KEPT_SECONDS * SAMPLE_RATE)
    trimmed = samples[max(0, heard[0] - kept) : heard[-1] + 1 + kept].copy()
    edge = min(round(_EDGE_SECONDS * SAMPLE_RATE), len(trimmed))
    ramp = np.linspace(0.0, 1.0, edge)
    trimmed[:edge] *= ramp
    trimmed[len(trimmed) - edge :] *= ramp[::-1]
    return trimmed


def resample(samples: Samples, rate_hz: int) -> Samples:
    """Return a sound recorded at `rate_hz` at `SAMPLE_RATE`, free of aliases."""
    if rate_hz == SAMPLE_RATE or not len(samples):
        return samples
    length = round(len(samples) * SAMPLE_RATE / rate_hz)
    # Silence behind the sound, so that its end does not wrap round into its beginning, up to a length that is a whole
    # number of samples at both rates.
    step = rate_hz // math.gcd(rate_hz, SAMPLE_RATE)
    padded = step * _fast_length(math.ceil((len(samples) + rate_hz // 10) / step))
    target = padded * SAMPLE_RATE // rate_hz
    resampled = np.fft.irfft(np.fft.rfft(samples, padded), target) * (target / padded)
    return resampled[:length]


def read_wav(path: Path) -> Samples:
    """Read any PCM WAV file as mono at `SAMPLE_RATE`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no PCM WAV file.
    """
    try:
        with wave.open(str(path), "rb") as file:
            channels, width, rate, frames = file.getparams()[:4]
            raw = file.readframes(frames)
    except (wave.Error, EOFError) as error:
        raise ValueError(f"{path.name} is no sound file that can be read: {error}") from error
    raw = raw[: len(raw) - len(raw) % (channels * width)]
    if width == 1:
        samples = (np.frombuffer(raw, np.uint8).astype(np.float64) - 128.0) / 128.0
    else:
        # Widened to 32 bit with zeros below: 16, 24 and 32 bit are then one case.
        wide = np.zeros((len(raw) // width, 4), np.uint8)
        wide[:, 4 - width :] = np.frombuffer(raw, np.uint8).reshape(-1, width)
        samples = wide.view("<i4").ravel().astype(np.float64) / 2.0**31
    return resample(samples.reshape(-1, channels).mean(axis=1), rate)


def frames_of(samples: Samples) -> bytes:
    """Return samples as little-endian 16 bit, what a WAV file of ours holds."""
    return np.clip(np.rint(samples * 32767.0), -32768, 32767).astype("<i2").tobytes()


def average_around(values: Samples, radius: int) -> Samples:
    """Return the mean of each value and its neighbours up to `radius` away; the ends count on beyond the edge."""
    sums = np.cumsum(np.pad(values, (radius + 1, radius), mode="edge"))
    width = 2 * radius + 1
    return (sums[width:] - sums[:-width]) / width


def _lowest_around(values: Samples, radius: int) -> Samples:
    """Return the least of each value and its neighbours up to `radius` away, in log2(radius) passes."""
    lowest = np.pad(values, radius, constant_values=1.0)
    width = 2 * radius + 1
    reach = 1
    while reach < width:
        step = min(reach, width - reach)
        lowest = np.minimum(lowest[:-step], lowest[step:])
        reach += step
    return lowest


def _peaks(samples: Samples) -> Samples:
    """Return for each sample the highest magnitude from halfway before it to halfway after it."""
    peaks = np.abs(samples)
    if len(samples) < _TAPS:
        return peaks
    for phase in range(1, _OVERSAMPLING):
        between = np.abs(np.convolve(samples, _interpolator(phase / _OVERSAMPLING))[_TAPS // 2 :][: len(samples)])
        # A point between two samples counts for both: the limiter has to hold them both down.
        peaks = np.maximum(peaks, between)
        peaks[1:] = np.maximum(peaks[1:], between[:-1])
    return peaks


def _interpolator(fraction: float) -> Samples:
    """Return the taps that read a signal `fraction` of a sample later: a sinc under a Kaiser window."""
    distance = np.arange(_TAPS) - _TAPS // 2 + fraction
    window = np.i0(6.0 * np.sqrt(np.maximum(0.0, 1.0 - (distance / (_TAPS / 2)) ** 2))) / np.i0(6.0)
    return np.asarray(np.sinc(distance) * window, dtype=np.float64)


def _k_weighted(samples: Samples) -> Samples:
    """Return the sound as the ear weighs it: the gains of BS.1770's head shelf and high-pass, applied by spectrum.

    Their phases are left out: they move nothing by more than a few milliseconds, and a block is 400.
    """
    length = _fast_length(len(samples) + SAMPLE_RATE // 2)
    turn = np.cos(2.0 * np.pi * np.arange(length // 2 + 1) / length)
    gains = np.sqrt(_power_response(turn, *_shelf()) * _power_response(turn, *_high_pass()))
    return np.fft.irfft(np.fft.rfft(samples, length) * gains, length)[: len(samples)]


def _power_response(turn: Samples, b: tuple[float, float, float], a: tuple[float, float, float]) -> Samples:
    """Return the squared gains of a biquad where the cosine of the frequency is `turn`."""
    return _squared(turn, *b) / _squared(turn, *a)


def _squared(turn: Samples, first: float, second: float, third: float) -> Samples:
    """Return |first + second z + third z^2|^2 on the unit circle, by the cosine of the angle of z.

    Grouped so that what a high-pass takes out near the cosine of 1 is not lost in rounding.
    """
    return (
        (first + second + third) ** 2
        - 2.0 * (first * second + second * third + 4.0 * first * third) * (1.0 - turn)
        + 4.0 * first * third * (1.0 - turn) ** 2
    )


# BS.1770 prints its two filters for 48 kHz only. These are the analogue filters behind them, as libebur128 and
# pyloudnorm derive them, so that the weighting is right at our rate.


def _shelf() -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    k = math.tan(math.pi * 1681.974450955533 / SAMPLE_RATE)
    q = 0.7071752369554196
    high = 10.0 ** (3.999843853973347 / 20.0)
    middle = high**0.4996667741545416
    numerator = (high + middle * k / q + k * k, 2.0 * (k * k - high), high - middle * k / q + k * k)
    return numerator, (1.0 + k / q + k * k, 2.0 * (k * k - 1.0), 1.0 - k / q + k * k)


def _high_pass() -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    k = math.tan(math.pi * 38.13547087602444 / SAMPLE_RATE)
    q = 0.5003270373238773
    unit = 1.0 + k / q + k * k
    # The numerator is not divided by `unit` in the standard, so it is multiplied here.
    return (unit, -2.0 * unit, unit), (unit, 2.0 * (k * k - 1.0), 1.0 - k / q + k * k)


def _lufs_of(power: float) -> float:
    return -0.691 + 10.0 * math.log10(power)


def _power_of(lufs: float) -> float:
    return float(10.0 ** ((lufs + 0.691) / 10.0))


def _fast_length(length: int) -> int:
    """Return a length of 2, 3 and 5 only, not below `length`, for which the Fourier transform is quick."""
    return min(factor << max(0, math.ceil(math.log2(length / factor))) for factor in (1, 3, 5, 9, 15))
