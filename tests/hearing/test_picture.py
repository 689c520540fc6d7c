"""The picture of a night: a PNG in which a tone stands where it sounds."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from companion.narrator.sound import SAMPLE_RATE
from tests.hearing.picture import WIDTH, draw, main


def pixels(png):
    """Read a PNG of 8-bit grey without filters."""
    width, height = struct.unpack(">II", png[16:24])
    length = struct.unpack(">I", png[33:37])[0]
    rows = np.frombuffer(zlib.decompress(png[41 : 41 + length]), np.uint8).reshape(height, width + 1)
    return rows[:, 1:]


def test_a_tone_is_dark_where_it_sounds():
    """The second half holds 2,000 Hz: the wave there is tall, and the spectrum darkest a quarter of the way up."""
    times = np.arange(10 * SAMPLE_RATE) / SAMPLE_RATE
    picture = pixels(draw(np.where(times < 5, 0.0, 0.5 * np.sin(2 * np.pi * 2000 * times))))
    assert picture.shape[1] == WIDTH
    wave, spectrum = picture[:120], picture[128:]
    assert (wave[:, 10] < 128).sum() <= 2
    assert 50 <= (wave[:, 700] < 128).sum() <= 70
    height = 1 - int(np.argmin(spectrum[:, 600])) / len(spectrum)
    assert abs(height - 2000 / 8000) < 0.01
    assert spectrum[:, 100].min() == 255


def test_what_is_no_sound_is_told(tmp_path, capsys):
    """A sentence and 1; two names are needed."""
    (tmp_path / "no.wav").write_bytes(b"no")
    assert main([str(tmp_path / "no.wav"), str(tmp_path / "no.png")]) == 1
    assert "no.wav is no sound file that can be read" in capsys.readouterr().err
    assert main([]) == 2
