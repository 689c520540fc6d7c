"""Volumes: what the table chose reaches loudspeaker and file alike, and 0 is silence."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from companion import languages
from companion.narrator import levels
from companion.narrator.faders import STEPS, Faders, Volumes, gain
from companion.narrator.night import perform, write
from companion.narrator.sound import Clip, Track
from companion.narrator.speech.silent import SilentSpeaker
from companion.settings import Settings, SettingsError, load
from companion.voice import volumes


class Desk:
    """A loudspeaker that notes how its tracks are turned."""

    trouble = "no cone"

    def __init__(self):
        self.turned = []
        self.did = []

    def set_volume(self, track, volume, fade_seconds=0.0):
        self.turned.append((track, round(volume, 4), fade_seconds))

    def play(self, clip, track, *, loop=False):  # noqa: ARG002 - the seam's shape
        self.did.append(("play", track, loop))

    def stop(self, track):
        self.did.append(("stop", track))

    def pause(self, track):
        self.did.append(("pause", track))

    def resume(self, track):
        self.did.append(("resume", track))

    def close(self):
        self.did.append(("close",))


def test_ten_points_are_three_decibels_and_nought_is_silence():
    """100 leaves the sound as it was made, each ten points below are 3 dB, 0 is nothing at all."""
    assert gain(100) == 1.0
    for volume in range(90, 0, -10):
        assert math.isclose(20 * math.log10(gain(volume + 10) / gain(volume)), 3.0, abs_tol=1e-9)
    assert gain(0) == 0.0


def test_what_the_narrator_asks_for_is_turned_down_by_what_the_table_chose():
    """A track at 50 is 15 dB under what is asked of it; one at 0 stays silent whatever is asked."""
    desk = Desk()
    faders = Faders(desk, Volumes(voice=50, effects=100, bed=0))
    assert desk.turned == [(Track.VOICE, 0.1778, 0.0), (Track.BED, 0.0, 0.0)]
    desk.turned.clear()
    faders.set_volume(Track.BED, 0.3, 0.4)
    faders.set_volume(Track.VOICE, 0.5)
    faders.set_volume(Track.EFFECT, 0.5)
    assert desk.turned == [(Track.BED, 0.0, 0.4), (Track.VOICE, 0.0889, 0.0), (Track.EFFECT, 0.5, 0.0)]


def test_all_else_passes_through_the_faders(tmp_path):
    """Playing, stopping, holding and closing reach the loudspeaker, and its trouble is told."""
    desk = Desk()
    faders = Faders(desk, Volumes())
    faders.play(Clip(tmp_path / "a.wav", 1.0), Track.BED, loop=True)
    faders.pause(Track.BED)
    faders.resume(Track.BED)
    faders.stop(Track.BED)
    faders.close()
    assert [did[0] for did in desk.did] == ["play", "pause", "resume", "stop", "close"]
    assert desk.did[0] == ("play", Track.BED, True)
    assert not desk.turned
    assert faders.trouble == "no cone"


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


def test_one_knob_turns_all_three_tracks_and_keeps_what_is_between_them():
    """A step is 3 dB on voice, effects and bed alike; one is still heard, nought is silence, ten is all."""
    desk = Desk()
    faders = Faders(desk, Volumes(bed=50))
    faders.set_volume(Track.BED, 0.5)
    heard = []
    for _ in range(STEPS):
        desk.turned.clear()
        faders.turn(-1)
        heard.append({track: volume for track, volume, _ in desk.turned})
    for before, after in itertools.pairwise(heard[:-1]):
        for track in Track:
            assert math.isclose(20 * math.log10(before[track] / after[track]), 3.0, abs_tol=0.2)
    assert set(heard[-2]) == set(Track)
    assert all(volume > 0 for volume in heard[-2].values())
    assert set(heard[-1].values()) == {0.0}
    assert faders.turn(-1) == 0
    assert [faders.turn(+4), faders.turn(+4), faders.turn(+4)] == [4, 8, 10]
    assert desk.turned[-1] == (Track.BED, round(0.5 * gain(50), 4), 0.1)


def test_what_is_asked_for_later_is_as_loud_as_the_knob_has_it():
    """The night moves the bed as it always does, and the knob stays where it is."""
    desk = Desk()
    faders = Faders(desk, Volumes(), step=9)
    assert desk.turned == [(track, 0.7079, 0.0) for track in Track]
    faders.set_volume(Track.BED, 0.5, 0.4)
    assert desk.turned[-1] == (Track.BED, 0.354, 0.4)
    assert faders.step == 9
