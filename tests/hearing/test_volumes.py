"""Volumes: what the table chose reaches loudspeaker and file alike, and 0 is silence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion import languages
from companion.narrator import levels
from companion.narrator.night import perform, write
from companion.narrator.speech.silent import SilentSpeaker
from companion.narrator.volumes import Volumes, gain
from companion.settings import Settings, SettingsError, load
from companion.voice import volumes


def test_ten_points_are_three_decibels_and_nought_is_silence():
    """100 leaves the sound as it was made, each ten points below are 3 dB, 0 is nothing at all."""
    assert gain(100) == 1.0
    for volume in range(90, 0, -10):
        assert math.isclose(20 * math.log10(gain(volume + 10) / gain(volume)), 3.0, abs_tol=1e-9)
    assert gain(0) == 0.0


def test_volumes_are_settings_of_nought_to_a_hundred(tmp_path):
    """They come from the file or the environment; what is no volume is refused by its key."""
    file = tmp_path / "settings.toml"
    file.write_text("[sound]\nvoice_volume = 80\nbed_volume = 0\n")
    settings = load({}, {"COMPANION_SOUND_EFFECTS_VOLUME": "45"}, file)
    assert volumes(settings) == Volumes(voice=80, effects=45, bed=0)
    assert volumes(Settings()) == Volumes(100, 100, 100)
    file.write_text("[sound]\nvoice_volume = 101\n")
    with pytest.raises(SettingsError, match=r"sound\.voice_volume: 101 is not a whole number from 0 to 100"):
        load({}, {}, file)


def test_a_night_on_file_is_as_loud_as_the_table_has_it(tmp_path):
    """With everything at 0 the file is silent; with effects at 90 it is the same but 3 dB lower in the effects."""
    performance = perform(languages.load("en"), 5, SilentSpeaker("only effects are heard here"))

    def heard(volumes):
        write(performance, tmp_path / "night.wav", volumes)
        return levels.read_wav(tmp_path / "night.wav")

    assert not heard(Volumes(0, 0, 0)).any()
    full, lower = heard(Volumes(effects=100, bed=0)), heard(Volumes(effects=90, bed=0))
    assert full.any()
    assert math.isclose(levels.decibels(np.abs(full).max() / np.abs(lower).max()), 3.0, abs_tol=0.1)
    assert np.abs(heard(Volumes(effects=0, bed=100))).max() < np.abs(full).max()
