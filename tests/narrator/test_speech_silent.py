"""Without a voice the captions keep their time."""

from __future__ import annotations

import wave

import pytest

from companion.narrator.sound import SAMPLE_RATE, Voice
from companion.narrator.speech import wav
from companion.narrator.speech.silent import SilentSpeaker

LINE = "Everyone, close your eyes and hold one hand out in a fist in front of you."


def test_a_line_takes_as_long_as_it_would_be_spoken():
    """75 characters at 140 words a minute are about six seconds, and half as many words take twice as long."""
    speaker = SilentSpeaker("there is none")
    assert 5.0 < speaker.clip(LINE, Voice("gmw/en", 140)).seconds < 7.0
    assert 10.0 < speaker.clip(LINE, Voice("gmw/en", 70)).seconds < 14.0
    assert speaker.clip("", Voice("gmw/en", 140)).seconds == 0.5


def test_the_silence_can_be_played_and_is_shared():
    """Each clip is a valid file of zeros, exactly as long as it says; lines of one length share one."""
    speaker = SilentSpeaker("there is none")
    clip = speaker.clip(LINE, Voice("gmw/en", 140))
    with wave.open(str(clip.path), "rb") as file:
        assert file.getparams()[:3] == (1, 2, SAMPLE_RATE)
        assert not any(file.readframes(file.getnframes()))
    assert wav.seconds_of(clip.path) == clip.seconds
    assert speaker.clip(LINE[::-1], Voice("gmw/en", 140)) == clip


def test_the_reason_is_given():
    """It behaves as any speaker does, and says why it is silent."""
    speaker = SilentSpeaker("eSpeak NG is missing")
    speaker.prepare(["one", "two"], Voice("gmw/en", 140))
    assert speaker.describe(Voice("gmw/en", 140)) == "No voice, captions only: eSpeak NG is missing."
    speaker.close()


def test_no_room_for_a_file_is_no_reason_to_stop(tmp_path, monkeypatch):
    """Where nothing can be written the clip still has its length."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    assert SilentSpeaker("there is none").clip("one", Voice("gmw/en", 140)).seconds == 0.5


def test_a_whole_file_is_told_from_a_damaged_one(tmp_path):
    """Only a mono 16-bit file at our rate with exactly the promised size counts."""
    path = tmp_path / "a.wav"
    assert wav.seconds_of(path) is None
    wav.write_silence(path, 0.5)
    assert wav.seconds_of(path) == 0.5
    whole = path.read_bytes()
    for damaged in (whole[:-2], whole + b"\0\0", whole[:40], bytes(len(whole)), b""):
        path.write_bytes(damaged)
        assert wav.seconds_of(path) is None


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    """An error while writing leaves neither a half file nor a part."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_text("", "utf-8")
    with pytest.raises(OSError, match="missing"):
        wav.write_frames(tmp_path / "missing" / "a.wav", b"\0\0")
    with pytest.raises(OSError, match="taken"):
        wav.write_frames(tmp_path / "taken" / "inside" / "a.wav", b"\0\0")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inside", "taken"]
