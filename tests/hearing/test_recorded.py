"""A recorded voice: files named by line replace lines one by one, as level as all; a broken one costs nothing."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pygame
import pytest

from companion import languages, voice
from companion.cli import main
from companion.narrator import cues, levels
from companion.narrator.night import voice_of
from companion.narrator.speech.espeak import EspeakSpeaker
from companion.narrator.speech.recorded import RecordedSpeaker, script
from companion.settings import Settings

ENGLISH = languages.load("en")
VOICE = voice_of(ENGLISH)
WELCOME = ENGLISH.pronounce(ENGLISH.say("welcome"))


def murmur(seconds, rate, height=0.1):
    """Return something that is no tone and no noise, as loud as asked."""
    times = np.arange(round(seconds * rate)) / rate
    return height * np.sin(2 * np.pi * 220 * times) * (0.6 + 0.4 * np.sin(2 * np.pi * 3 * times))


def keep(path, samples, rate=44_100, channels=2):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", "not compressed"))
        file.writeframes(np.repeat(np.rint(samples * 32767), channels).astype("<i2").tobytes())


def crc(data, width, polynomial):
    value = 0
    for byte in data:
        value ^= byte << (width - 8)
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value >> (width - 1) else 0)) & ((1 << width) - 1)
    return value.to_bytes(width // 8, "big")


def keep_flac(path, samples):
    """Write FLAC in its plainest form: 22,050 Hz, mono, 16 bit, every block verbatim."""
    block, rate = 4096, 22_050
    pcm = np.rint(samples * 32767).astype(">i2")
    pcm = pcm[: len(pcm) // block * block]
    facts = (rate << 44) | (0 << 41) | (15 << 36) | len(pcm)
    info = block.to_bytes(2, "big") * 2 + bytes(6) + facts.to_bytes(8, "big") + bytes(16)
    data = b"fLaC" + bytes([0x80, 0, 0, len(info)]) + info
    for number in range(len(pcm) // block):
        head = bytes([0xFF, 0xF8, 0xC0, 0x08, number])
        frame = head + crc(head, 8, 0x07) + bytes([0x02]) + pcm[number * block : (number + 1) * block].tobytes()
        data += frame + crc(frame, 16, 0x8005)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@pytest.fixture
def own(tmp_path):
    speaker = EspeakSpeaker(tmp_path / "own")
    yield speaker
    speaker.close()


@pytest.fixture
def box(tmp_path, own):
    """A function that opens a speaker over the folder of recordings as it is now."""
    opened = []

    def at(**more):
        spoken = [languages.load(code) for code in languages.codes()]
        opened.append(RecordedSpeaker(tmp_path / "takes", spoken, tmp_path / "cache", own, **more))
        return opened[-1]

    yield at
    for speaker in opened:
        speaker.close()


@pytest.mark.parametrize("kind", ["wav", "flac", "ogg"])
def test_a_recording_is_heard_as_level_as_a_line(tmp_path, box, own, kind):
    """Of any format, rate and loudness: at -18 LUFS, below the ceiling, without the silence around it."""
    take = tmp_path / "takes" / "en" / f"say.welcome.{kind}"
    quiet = np.concatenate([np.zeros(22_050), murmur(2.0, 22_050, 0.02), np.zeros(44_100)])
    if kind == "wav":
        keep(take, np.concatenate([np.zeros(44_100), murmur(2.0, 44_100, 0.02), np.zeros(88_200)]))
    elif kind == "flac":
        keep_flac(take, quiet)
    else:
        take.parent.mkdir(parents=True)
        take.write_bytes((Path(pygame.__file__).parent / "examples" / "data" / "house_lo.ogg").read_bytes())
    speaker = box()
    clip = speaker.clip(WELCOME, VOICE)
    assert speaker.note == ""
    assert clip != own.clip(WELCOME, VOICE)
    samples = levels.read_wav(clip.path)
    assert levels.loudness(samples) == pytest.approx(-18, abs=0.5)
    assert levels.true_peak(samples) <= -1.0
    if kind != "ogg":
        assert clip.seconds == pytest.approx(2.0, abs=0.15)
    assert "recorded lines from" in speaker.describe(VOICE)


def test_what_is_not_recorded_is_spoken(tmp_path, box, own):
    """Line by line, language by language; a text with a name in it is never a recording."""
    keep(tmp_path / "takes" / "en" / "say.welcome.wav", murmur(1.0, 44_100))
    speaker = box()
    russian = languages.load("ru")
    text = russian.pronounce(russian.say("welcome"))
    for each in (speaker, own):
        # Prepared, since a table would not wait for a small computer that wakes its voice.
        each.prepare(["Anna?"], VOICE)
        each.prepare([text], voice_of(russian))
    assert speaker.clip("Anna?", VOICE) == own.clip("Anna?", VOICE)
    assert speaker.clip(text, voice_of(russian)) == own.clip(text, voice_of(russian))
    assert speaker.describe(voice_of(russian)) == own.describe(voice_of(russian))


def test_a_recording_is_read_once_and_anew_when_it_changes(tmp_path, box):
    """Warm, no process is started; a new take under the same name is heard."""
    take = tmp_path / "takes" / "en" / "night.many.close.wav"
    keep(take, murmur(1.0, 44_100))
    text = ENGLISH.pronounce(ENGLISH.many[0].text)
    first = box()
    first.prepare([text], VOICE)
    again = box(command=("/no/such/program",)).clip(text, VOICE)
    assert again == first.clip(text, VOICE)
    keep(take, murmur(1.5, 44_100))
    assert box().clip(text, VOICE).seconds == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda take: take.write_bytes(b"no sound"), "it is no sound that can be read"),
        (lambda take: keep(take, murmur(0.1, 44_100)), "it lasts 0.1 seconds, and a line 0.2 to 30"),
        (lambda take: keep(take, murmur(31, 44_100)), "it lasts 31.0 seconds, and a line 0.2 to 30"),
        (lambda take: keep(take, np.zeros(44_100)), "nothing can be heard in it"),
    ],
)
def test_a_broken_recording_is_named_and_the_voice_speaks(tmp_path, box, own, spoil, reason):
    """Once, with its name and why; the line is said all the same."""
    take = tmp_path / "takes" / "en" / "say.welcome.wav"
    take.parent.mkdir(parents=True)
    spoil(take)
    speaker = box()
    for _ in range(2):
        assert speaker.clip(WELCOME, VOICE) == own.clip(WELCOME, VOICE)
    assert speaker.note == f"The recording en/say.welcome.wav cannot be used: {reason}."


def test_a_recording_of_no_line_is_told(tmp_path, box):
    """A slip in a name would otherwise never be heard; other files in the folder are nobody's business."""
    keep(tmp_path / "takes" / "en" / "say.welcom.wav", murmur(1.0, 44_100))
    (tmp_path / "takes" / "en" / "notes.txt").write_text("take two")
    assert box().note == "The recording en/say.welcom.wav belongs to no line; did you mean say.welcome?"


def test_a_missing_folder_is_told(box):
    """The setting names a folder, and there is none."""
    assert box().note.startswith("There is no folder of recordings ")


@pytest.mark.parametrize("code", languages.codes())
def test_the_script_holds_every_fixed_line_by_its_key(code):
    """What is rendered before the evening is what can be recorded, no more and no less."""
    language = languages.load(code)
    lines = script(language)
    assert {line.text for line in lines} == set(cues.fixed_texts(language))
    assert len({line.key for line in lines}) == len(lines)


def test_the_command_writes_the_lines_to_read_aloud(tmp_path):
    """A file with the name of each recording and what is read for it, of all languages or of one."""
    assert main(["voices", "--script", str(tmp_path / "all.txt")]) == 0
    written = (tmp_path / "all.txt").read_text(encoding="utf-8")
    assert f"\nen/say.welcome.wav\t{ENGLISH.say('welcome')}\n" in written
    assert "\nru/night.many.close.wav\t" in written
    assert main(["voices", "--script", str(tmp_path / "one.txt"), "--language", "pl"]) == 0
    assert "en/" not in (tmp_path / "one.txt").read_text(encoding="utf-8")


def test_the_box_takes_recordings_from_its_settings(tmp_path):
    """`recordings` names the folder; nothing else is to be done."""
    keep(tmp_path / "takes" / "en" / "say.welcome.wav", murmur(1.0, 44_100))
    settings = Settings(recordings=tmp_path / "takes", cache_dir=tmp_path / "cache", voice_dir=tmp_path / "none")
    speaker = voice.open_speaker(settings)
    assert speaker.clip(WELCOME, VOICE).seconds == pytest.approx(1.0, abs=0.1)
    speaker.close()
