"""The loudspeaker as it is heard: a box apart plays into SDL's disk driver, and the tests listen to the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import wave
from ctypes.util import find_library
from pathlib import Path

import numpy as np
import pytest

from companion.narrator.sound import SAMPLE_RATE, Clip, Track
from companion.settings import Settings
from companion.voice import open_loudspeaker

PROLOGUE = """
import json, os, pathlib, signal, sys, time
from companion.narrator.mixer import *
from companion.narrator.sound import Clip, Track
from companion.narrator import alsa
folder = pathlib.Path(sys.argv[1])
low, high = Clip(folder / "low.wav", 1.0), Clip(folder / "high.wav", 1.0)
def tell(**facts):
    print(json.dumps(facts), flush=True)
def glide(m, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(m.glide() or 0.02)
"""


TRY_ABSENT = """
try:
    open_mixer("plughw:CARD=Absent").close()
except OutputError as error:
    tell(trouble=str(error))
"""


@pytest.fixture
def box(tmp_path):
    """Return a function that runs a program with a mixer and returns what it told and what was heard."""
    steps = np.arange(SAMPLE_RATE) / SAMPLE_RATE
    for name, hertz in (("low", 500), ("high", 2000)):
        with wave.open(str(tmp_path / f"{name}.wav"), "wb") as file:
            file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", "not compressed"))
            file.writeframes(np.rint(0.25 * np.sin(2 * np.pi * hertz * steps) * 32767).astype("<i2").tobytes())

    def run(program, driver="disk", **extra):
        heard = tmp_path / "heard.raw"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SDL_", "AUDIODEV"))},
            "SDL_AUDIODRIVER": driver,
            "SDL_DISKAUDIOFILE": str(heard),
            **extra,
        }
        done = subprocess.run(
            [sys.executable, "-c", PROLOGUE + program, str(tmp_path)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        samples = np.frombuffer(heard.read_bytes(), "<i2") / 32767 if heard.exists() else np.zeros(0)
        return [json.loads(line) for line in done.stdout.splitlines()], samples

    return run


def heights(samples, hertz, seconds=0.05):
    """Return how high a tone stands in each piece of `seconds`, 0 to 1."""
    length = round(seconds * SAMPLE_RATE)
    pieces = samples[: len(samples) // length * length].reshape(-1, length)
    turns = np.exp(-2j * np.pi * hertz * np.arange(length) / SAMPLE_RATE)
    return np.abs(pieces @ turns) * 2 / length


def seconds_heard(samples, hertz):
    return np.count_nonzero(heights(samples, hertz) > 0.02) * 0.05


def test_what_is_played_is_heard_as_it_was_made(box):
    """A clip reaches the card sample for sample: no resampling, no change of level, and once."""
    _, heard = box("m = PygameMixer(lead_in_seconds=0)\nm.play(low, Track.VOICE)\ntime.sleep(1.5)\nm.close()")
    start = np.flatnonzero(heard)[0]
    steps = np.arange(1, SAMPLE_RATE) / SAMPLE_RATE
    expected = np.rint(0.25 * np.sin(2 * np.pi * 500 * steps) * 32767) / 32767
    assert np.abs(heard[start : start + len(expected)] - expected).max() < 2 / 32767
    assert not heard[start + len(expected) + 1 :].any()


def test_silence_comes_first(box):
    """A card that swallows the beginning gets silence to swallow: here half a second of it."""
    _, heard = box("m = PygameMixer(lead_in_seconds=0.5)\nm.play(low, Track.VOICE)\ntime.sleep(0.5)\nm.close()")
    assert np.flatnonzero(heard)[0] > 0.3 * SAMPLE_RATE


def test_tracks_do_not_disturb_each_other(box):
    """An effect over the voice leaves the voice whole; a new line takes the place of the old."""
    _, heard = box(
        "m = PygameMixer(lead_in_seconds=0)\nm.play(low, Track.VOICE)\ntime.sleep(0.2)\nm.play(high, Track.EFFECT)\n"
        "time.sleep(1.5)\nm.play(low, Track.VOICE)\ntime.sleep(0.3)\nm.play(high, Track.VOICE)\n"
        "time.sleep(1.5)\nm.close()"
    )
    assert seconds_heard(heard, 500) == pytest.approx(1.3, abs=0.15)
    assert seconds_heard(heard, 2000) == pytest.approx(2.0, abs=0.15)


def test_with_two_channels_each_side_is_heard_alone(box):
    """What is made for one side sounds there and nowhere else; with one channel, as in a game, both sides have all."""
    told, samples = box(
        """
from companion.narrator.sides import CHANNELS, Side, one_sided
mixer = PygameMixer(lead_in_seconds=0.1, channels=CHANNELS)
for side in Side:
    mixer.play(one_sided(low if side is Side.LEFT else high, side, folder), Track.VOICE)
    time.sleep(0.5)
tell(trouble=mixer.trouble)
mixer.close()
"""
    )
    assert told == [{"trouble": ""}]
    left, right = samples[::2], samples[1::2]
    assert seconds_heard(left, 500) > 0.3
    assert seconds_heard(right, 2000) > 0.3
    assert seconds_heard(left, 2000) == 0
    assert seconds_heard(right, 500) == 0


def test_a_loop_goes_on_until_it_is_stopped(box):
    """A looped clip of one second sounds for two and a half, and ends within 200 ms of stop, without a click."""
    _, heard = box(
        "m = PygameMixer(lead_in_seconds=0)\nm.play(low, Track.BED, loop=True)\ntime.sleep(2.5)\nm.stop(Track.BED)\n"
        "time.sleep(0.5)\nm.close()"
    )
    assert seconds_heard(heard, 500) == pytest.approx(2.55, abs=0.15)
    assert np.abs(np.diff(heard)).max() < 0.08


def test_a_volume_is_set_glides_and_stays(box):
    """A half is 6 dB down from the first sample, a glide is a slope, 0 is silence, and the next clip keeps it."""
    _, heard = box(
        "m = PygameMixer(lead_in_seconds=0)\nm.set_volume(Track.BED, 0.5)\nm.play(low, Track.BED, loop=True)\n"
        "time.sleep(0.5)\nm.set_volume(Track.BED, 0.0, 1.0)\nglide(m, 1.5)\nm.play(high, Track.BED)\n"
        "time.sleep(0.5)\nm.set_volume(Track.BED, 9.0)\ntime.sleep(0.3)\nm.close()"
    )
    first = np.flatnonzero(heard)[0]
    slope = heights(heard[first:], 500)
    assert np.abs(heard[first : first + 2000]).max() == pytest.approx(0.125, abs=0.005)
    assert slope[:9] == pytest.approx(0.125, abs=0.005)
    assert all(np.diff(slope[10:32]) < 0.004)
    assert not heard[first + round(1.7 * SAMPLE_RATE) : first + round(1.95 * SAMPLE_RATE)].any()
    assert heights(heard, 2000).max() == pytest.approx(0.25, abs=0.01)


def test_signals_stay_with_the_box(box):
    """SDL takes neither SIGTERM nor SIGINT: the handlers are what they were, whether set before or not at all."""
    told, _ = box(
        "caught = lambda: int(open('/proc/self/status').read().split('SigCgt:')[1].split()[0], 16) >> 14 & 1\n"
        "before = caught()\nm = PygameMixer(lead_in_seconds=0)\n"
        "tell(before=before, after=caught(), default=signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)\n"
        "signal.signal(signal.SIGTERM, lambda *_: tell(ours=True))\nm.close()\nm = PygameMixer(lead_in_seconds=0)\n"
        "os.kill(os.getpid(), signal.SIGTERM)\nm.close()"
    )
    assert told == [{"before": 0, "after": 0, "default": True}, {"ours": True}]


def test_nothing_that_goes_wrong_reaches_the_game(box):
    """A missing file and a file that is no sound are a sentence; the next good clip is heard, and clears it."""
    told, heard = box(
        "m = PygameMixer(lead_in_seconds=0)\n(folder / 'bad.wav').write_text('no sound')\n"
        "m.play(Clip(folder / 'missing.wav', 1.0), Track.VOICE)\ntell(trouble=m.trouble)\n"
        "m.play(Clip(folder / 'bad.wav', 1.0), Track.VOICE)\ntell(trouble=m.trouble)\n"
        "m.play(low, Track.VOICE)\ntell(trouble=m.trouble)\ntime.sleep(0.3)\nm.close()\nm.play(low, Track.VOICE)\n"
        "m.stop(Track.VOICE)\nm.set_volume(Track.VOICE, 0.5, 1.0)\nm.glide()\n"
        "m.close()"
    )
    assert "missing.wav" in told[0]["trouble"]
    assert "bad.wav" in told[1]["trouble"]
    assert told[2]["trouble"] == ""
    assert seconds_heard(heard, 500) > 0.2


def test_an_unplugged_card_is_noticed(box):
    """Unplugged: a sentence, no error, and nothing is played."""
    told, heard = box(
        "alsa.FOLDER = folder / 'cards'\n(folder / 'cards' / 'Box').mkdir(parents=True)\n"
        "m = PygameMixer(lead_in_seconds=0)\nm._device = 'plughw:CARD=Box,DEV=0'\ntell(trouble=m.trouble)\n"
        "(folder / 'cards' / 'Box').rmdir()\ntell(trouble=m.trouble)\nm.play(low, Track.VOICE)\n"
        "time.sleep(0.5)\nm.close()"
    )
    assert [fact["trouble"] for fact in told] == ["", "Nothing can be heard: the sound card Box is unplugged."]
    assert seconds_heard(heard, 500) == 0


def test_memory_is_bounded(box):
    """However many sounds are played, those kept stay below the limit."""
    told, _ = box(
        "import shutil\nm = PygameMixer(lead_in_seconds=0, cache_bytes=200_000)\nfor number in range(20):\n"
        "    shutil.copy(low.path, folder / f'{number}.wav')\n"
        "    m.play(Clip(folder / f'{number}.wav', 1.0), Track.EFFECT)\ntell(kept=m._bytes_kept())\nm.close()"
    )
    assert 0 < told[0]["kept"] <= 200_000


def test_a_dummy_driver_is_called_one(box):
    """Who sets SDL's dummy driver is told that nothing can be heard."""
    told, _ = box("m = PygameMixer(lead_in_seconds=0)\ntell(trouble=m.trouble)\nm.close()", driver="dummy")
    assert "dummy" in told[0]["trouble"]


def test_no_greeting_and_no_noise(box):
    """Neither pygame's greeting nor ALSA's list of complaints is printed."""
    told, _ = box(TRY_ABSENT, driver="")
    assert len(told) == 1


def test_no_card_is_a_sentence(box):
    """Without the named card the error says which one is missing."""
    told, _ = box(TRY_ABSENT)
    assert told[0]["trouble"].startswith("Nothing can be heard: the sound card plughw:CARD=Absent cannot be opened")
    assert told[0]["trouble"].endswith(".")


def test_silent_means_silent(tmp_path):
    """A box that is to be silent opens no card, takes every call, and says why nothing is heard."""
    output = open_loudspeaker(Settings(voice="silent", sound_device="plughw:CARD=Absent", cache_dir=tmp_path))
    clip = Clip(Path("/missing.wav"), 1.0)
    for track in Track:
        output.play(clip, track, loop=True)
        output.set_volume(track, 0.5, 1.0)
        output.stop(track)
    assert output.wait_until_open(10)
    assert output.trouble == "Nothing can be heard: the sound is switched off."
    output.close()


@pytest.mark.parametrize(
    ("device", "folder", "card"),
    [
        ("plughw:CARD=Box,DEV=0", "Box", "Box"),
        ("sysdefault:CARD=Box", "Box", "Box"),
        ("hw:Box", "Box", "Box"),
        ("plughw:Box,0", "Box", "Box"),
        ("hw:1", "card1", "1"),
        ("plughw:1,0", "card1", "1"),
    ],
)
def test_every_name_of_a_card_tells_when_it_is_unplugged(box, device, folder, card):
    """By its name or by its place, long or short: the card that goes is missed, and no longer when it is back."""
    told, _ = box(
        "alsa.FOLDER = folder / 'asound'\n"
        f"card = alsa.FOLDER / {folder!r}\ncard.mkdir(parents=True)\n"
        f"m = PygameMixer(lead_in_seconds=0)\nm._device = {device!r}\ntell(trouble=m.trouble)\n"
        "card.rmdir()\ntell(trouble=m.trouble)\ncard.mkdir()\ntell(trouble=m.trouble)\nm.close()\n"
    )
    gone = f"Nothing can be heard: the sound card {card} is unplugged."
    assert [fact["trouble"] for fact in told] == ["", gone, ""]


@pytest.mark.parametrize("device", ["default", "pulse", "dmix:other"])
def test_a_name_that_names_no_card_is_taken_as_it_is(box, device):
    """What a sound server or a setting of ALSA stands behind is not looked for among the cards."""
    told, _ = box(
        "alsa.FOLDER = folder\n"
        f"m = PygameMixer(lead_in_seconds=0)\nm._device = {device!r}\ntell(trouble=m.trouble)\nm.close()\n"
    )
    assert told == [{"trouble": ""}]


ONLY_NAMED = """
pcm.!default { type hw card 0 }
ctl.!default { type hw card 0 }
pcm.plughw {
  @args [ CARD ]
  @args.CARD { type string default "none" }
  type file
  file "/dev/null"
  slave.pcm { type null }
}
"""
"""ALSA's own configuration of a machine on which no card sits in the first place."""
CARD_LINES = {
    "cards": " {place} [{name:<15}]: USB-Audio - {name} by name\n                      at usb-{place}, full speed\n",
    "pcm": "{place:02}-00: USB Audio : USB Audio : playback 1\n",
}


@pytest.fixture
def without_first_card(box, tmp_path):
    """Opens the default card through real ALSA where there are only these cards, none of them the first."""
    if find_library("asound") is None:
        pytest.skip("there is no ALSA")

    def opened(*names):
        config, folder = tmp_path / "alsa.conf", tmp_path / "asound"
        config.write_text(ONLY_NAMED, encoding="utf-8")
        folder.mkdir()
        for name in names:
            (folder / name).mkdir()
        for file, line in CARD_LINES.items():
            lines = [line.format(place=place, name=name) for place, name in enumerate(names, 1)]
            folder.joinpath(file).write_text("".join(lines), encoding="utf-8")
        program = f"""
from companion.narrator import alsa
alsa.FOLDER = pathlib.Path({str(folder)!r})
try:
    card = open_mixer(lead_in_seconds=0.0)
    tell(device=os.environ.get("AUDIODEV"), trouble=card.trouble)
    card.close()
except OutputError as error:
    tell(device=os.environ.get("AUDIODEV"), trouble=str(error))
"""
        (told,), _ = box(program, "alsa", ALSA_CONFIG_PATH=str(config))
        return told

    return opened


def test_the_only_card_is_taken_wherever_it_sits(without_first_card):
    """A Raspberry Pi with nothing but a USB card, which is not the first, is heard without a setting."""
    assert without_first_card("Device") == {"device": "plughw:CARD=Device", "trouble": ""}


def test_of_several_cards_none_is_guessed_and_each_is_named(without_first_card):
    """The sentence says which setting names the card, and how each is called."""
    told = without_first_card("Device", "vc4hdmi")
    assert told["device"] is None
    assert told["trouble"].endswith(
        "Name the card in the settings as sound.device: plughw:CARD=Device, plughw:CARD=vc4hdmi."
    )


def test_without_any_card_the_sentence_is_short(without_first_card):
    """Nothing is advised that cannot be done."""
    told = without_first_card()
    assert told["trouble"].startswith("Nothing can be heard: the default sound card cannot be opened")
    assert "sound.device" not in told["trouble"]
