"""eSpeak NG through the whole path: the real synthesiser, the real worker, the real cache."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.narrator.sound import Voice, VoiceError
from companion.narrator.speech import cache, library
from companion.narrator.speech.espeak import WORKER, EspeakSpeaker
from companion.narrator.speech.speech import Speech
from companion.narrator.speech.wav import size_of
from companion.narrator.speech.working import LONGEST_TEXT
from tests.support import eventually

ENGLISH = Voice("gmw/en", 140)
WITH_A_THREAD = (sys.executable, str(Path(__file__).with_name("espeak_with_a_thread.py")))
"""As pyttsx3 would start a library that has a thread of its own."""
VOICES = ("gmw/en", "zlw/pl", "roa/pt-br", "roa/it", "gmq/nb", "zle/ru")


@pytest.fixture
def speaker(tmp_path):
    speaker = EspeakSpeaker(tmp_path / "cache")
    yield speaker
    speaker.close()


def test_no_line_is_lost(speaker):
    """Two hundred lines in six languages, one after another: each is there, long enough, from the first worker.

    The library speaks while it is called, as the build of a 64-bit Raspberry Pi's wheel cannot do otherwise: no line
    ends with the event that pyttsx3 waits for.
    """
    workers = set()
    for number in range(200):
        clip = speaker.clip(f"{number}, 1 2 3", Voice(VOICES[number % len(VOICES)], 140))
        workers.add(speaker.worker_id)
        assert clip.seconds > 0.5
    assert len(workers) == 1


def test_a_line_sounds_the_same_whichever_way_its_end_is_known(tmp_path):
    """To the sample, also of several clauses and sentences."""
    text = "Fascists, open your eyes. All of you, but not Hitler: look around! Is that clear?"
    spoken = []
    for command in (WORKER, WITH_A_THREAD):
        speaker = EspeakSpeaker(tmp_path / str(len(spoken)), command=command)
        spoken.append(speaker.clip(text, ENGLISH).path.read_bytes())
        speaker.close()
    assert spoken[0] == spoken[1]


def test_a_refused_voice_costs_no_worker(speaker):
    """A voice that is not there is refused, and the next line spoken by the same process."""
    with pytest.raises(VoiceError, match="has no voice"):
        speaker.clip("hello", Voice("xx/yy", 140))
    first = speaker.worker_id
    assert speaker.clip("good", ENGLISH).seconds > 0.2
    assert speaker.worker_id == first


def test_a_voice_by_another_name_is_told_its_own(speaker):
    """Whoever writes `de` is told that it is `gmw/de` here, and of a slip the nearest."""
    with pytest.raises(VoiceError, match="did you mean 'gmw/de'"):
        speaker.clip("hallo", Voice("de", 140))
    with pytest.raises(VoiceError, match="did you mean 'roa/it'"):
        speaker.clip("ciao", Voice("roa/itt", 140))


def is_alive(process_id):
    return Path(f"/proc/{process_id}").exists()


@pytest.mark.parametrize("identifier", VOICES)
def test_every_language_has_a_voice_of_its_own(speaker, identifier):
    """The same digits take another time in each language, and the file is as long as the clip says."""
    clip = speaker.clip("1 2 3", Voice(identifier, 140))
    assert clip.seconds > 0.5
    assert clip.path.stat().st_size == size_of(clip.seconds)


def test_the_six_languages_are_six(speaker):
    """No language is spoken by another one's voice: six voices give six different recordings."""
    assert len({speaker.clip("Roma 123", Voice(voice, 140)).path.read_bytes() for voice in VOICES}) == len(VOICES)


@pytest.mark.parametrize(
    "voice",
    [
        Voice("xx/yy", 140),
        Voice("en-gb", 140),
        Voice("no", 140),
        Voice("", 140),
        Voice("gmw/en", 140, variant="z9"),
        Voice("gmw/en", 20),
        Voice("gmw/en", 140, pitch=300),
    ],
)
def test_a_voice_that_is_not_there_is_refused(speaker, voice):
    """An unknown voice, variant, rate or pitch is an error, even right after a line that went well."""
    speaker.clip("good", ENGLISH)
    with pytest.raises(VoiceError):
        speaker.clip("hello", voice)
    assert speaker.clip("good again", ENGLISH).seconds > 0.2


def test_a_refused_voice_leaves_nothing_in_the_cache(speaker, tmp_path):
    """A line that was not spoken as asked is not kept."""
    with pytest.raises(VoiceError):
        speaker.clip("hello", Voice("xx/yy", 140))
    assert not list((tmp_path / "cache").glob("*.wav"))


@pytest.mark.parametrize("other", [Voice("gmw/en", 150), Voice("gmw/en", 140, 60), Voice("gmw/en", 140, variant="f5")])
def test_rate_pitch_and_variant_are_heard(speaker, other):
    """Each property of a voice changes the sound, and each has its own place in the cache."""
    plain, changed = speaker.clip("Close your eyes", ENGLISH), speaker.clip("Close your eyes", other)
    assert plain.path != changed.path
    assert plain.path.read_bytes() != changed.path.read_bytes()


def test_a_warm_cache_starts_no_process(tmp_path):
    """A second box on the same cache speaks and describes its voice without a worker."""
    first = EspeakSpeaker(tmp_path)
    spoken = first.clip("Open your eyes", ENGLISH)
    first.close()
    second = EspeakSpeaker(tmp_path, command=("/no/such/program",))
    assert second.clip("Open your eyes", ENGLISH) == spoken
    assert "eSpeak NG 1." in second.describe(ENGLISH)
    assert second.worker_id is None
    second.close()


def test_a_known_line_costs_nothing(speaker):
    """A line that has been spoken is returned without its worker, which may be gone."""
    clip = speaker.clip("again", ENGLISH)
    os.kill(speaker.worker_id, signal.SIGKILL)
    for _ in range(1000):
        assert speaker.clip("again", ENGLISH) == clip


@pytest.mark.parametrize("damage", [b"", b"RIFF", bytes(30_000), b"words " * 5000])
def test_a_damaged_file_is_rendered_again(tmp_path, damage):
    """An empty, cut, zeroed or foreign file in the cache is noticed, by a running box and by the next one."""
    speaker = EspeakSpeaker(tmp_path)
    good = speaker.clip("Open your eyes", ENGLISH)
    good.path.write_bytes(damage)
    mended = speaker.clip("Open your eyes", ENGLISH)
    assert mended.path.stat().st_size == size_of(mended.seconds)
    speaker.close()
    good.path.write_bytes(damage)
    other = EspeakSpeaker(tmp_path)
    assert other.clip("Open your eyes", ENGLISH).seconds == pytest.approx(good.seconds, abs=0.05)
    other.close()


def test_a_cut_file_is_rendered_again(tmp_path):
    """A file whose header promises more than there is is noticed."""
    speaker = EspeakSpeaker(tmp_path)
    good = speaker.clip("Open your eyes", ENGLISH)
    good.path.write_bytes(good.path.read_bytes()[:-100])
    assert speaker.clip("Open your eyes", ENGLISH).path.stat().st_size >= size_of(0.5)
    speaker.close()


@pytest.mark.parametrize("text", ["", "   ", "🎉", "…", "!?", "\u200d", "\x00", "\ud800", "\u0301"])
def test_a_text_without_words_is_a_short_silence(speaker, text):
    """A name of emoji alone holds up no game: a quarter of a second of silence, without a worker."""
    clip = speaker.clip(text, ENGLISH)
    assert clip.seconds == 0.25
    assert not any(clip.path.read_bytes()[44:])
    assert speaker.worker_id is None


@pytest.mark.parametrize(
    "text",
    ["Ana\x00 Bruno", "Ana 🎉", "李雷", "محمد", "Żółć", "a\n\nb\tc", "Ana\ud800", "[[h@l'oU]]", "<speak>hi", "%s %n"],
)
def test_any_name_can_be_spoken(speaker, text):
    """Control signs, other scripts, lone surrogates and markup are text like any other."""
    assert speaker.clip(text, ENGLISH).seconds > 0.2


def test_a_text_of_any_length_has_an_answer(speaker):
    """The longest text is spoken, or refused in time; a longer one is refused at once."""
    with pytest.raises(VoiceError, match="too long"):
        speaker.clip("a" * (LONGEST_TEXT + 1), ENGLISH)


def test_what_was_prepared_needs_no_worker(speaker):
    """Each line is kept; a closed speaker still gives it, and no other."""
    speaker.prepare(["one", "two", "three"], ENGLISH)
    speaker.close()
    assert all(speaker.clip(text, ENGLISH).seconds > 0.2 for text in ("one", "two", "three"))
    with pytest.raises(VoiceError, match="closed"):
        speaker.clip("four", ENGLISH)


def test_a_worker_without_work_is_ended_and_started_again(tmp_path):
    """After its idle time the worker's memory is given back; the next new line starts another."""
    speaker = EspeakSpeaker(tmp_path, idle_seconds=0.2)
    speech = Speech(speaker)
    speech.clip("one", ENGLISH)
    first = speaker.worker_id
    eventually(lambda: not is_alive(first), 20)
    assert speech.clip("two", ENGLISH).seconds > 0.2
    speech.close()


def test_close_ends_the_worker(speaker):
    """No process is left behind, and closing twice is fine."""
    speaker.clip("one", ENGLISH)
    worker = speaker.worker_id
    speaker.close()
    speaker.close()
    assert not is_alive(worker)


@pytest.mark.parametrize("kind", ["a file", "below a file"])
def test_a_cache_that_cannot_be_written_is_replaced(tmp_path, kind):
    """The box speaks all the same, out of a temporary folder, and a sentence says so."""
    (tmp_path / "taken").write_text("", "utf-8")
    place = tmp_path / "taken" if kind == "a file" else tmp_path / "taken" / "deeper"
    speaker = EspeakSpeaker(place)
    assert speaker.clip("one", ENGLISH).seconds > 0.2
    assert str(place) in speaker.note
    assert speaker.note.endswith(".")
    speaker.close()


def test_a_cache_that_is_taken_away_is_replaced(tmp_path):
    """A folder that vanishes, as with a card pulled out, costs one attempt and no line."""
    speaker = EspeakSpeaker(tmp_path / "cache")
    speaker.clip("one", ENGLISH)
    for path in (tmp_path / "cache").iterdir():
        path.unlink()
    (tmp_path / "cache").rmdir()
    assert speaker.clip("two", ENGLISH).seconds > 0.2
    assert speaker.note
    assert speaker.clip("one", ENGLISH).seconds > 0.2
    speaker.close()


def test_spoken_names_are_nobody_elses_business(speaker, tmp_path):
    """The folder and the files belong to the box's user alone."""
    clip = speaker.clip("one", ENGLISH)
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0
    assert clip.path.stat().st_mode & 0o077 == 0


def test_the_cache_stays_small(tmp_path):
    """Above its limit the cache loses the clips longest unused."""
    clips = cache.ClipCache(tmp_path)
    for number in range(4):
        clips.silence(1.0 + number)
    (tmp_path / "silence-1000.wav").touch()
    time_of = {path: path.stat().st_mtime for path in tmp_path.glob("*.wav")}
    clips.prune(largest_bytes=300_000)
    left = set(tmp_path.glob("*.wav"))
    assert 0 < sum(path.stat().st_size for path in left) <= 300_000
    assert min(time_of[path] for path in left) >= max(time_of[path] for path in set(time_of) - left)


def test_the_box_loads_neither_numpy_nor_pyttsx3(tmp_path):
    """The process that plays the game speaks without the synthesiser's memory and its faults."""
    program = (
        "import sys, pathlib\n"
        "from companion.narrator.sound import Voice\n"
        "from companion.narrator.speech.espeak import EspeakSpeaker\n"
        "from companion.narrator.mixdown import Part\n"
        "from companion.narrator import mixer\n"
        "speaker = EspeakSpeaker(pathlib.Path(sys.argv[1]))\n"
        "speaker.clip('one', Voice('gmw/en', 140)); speaker.close()\n"
        "print(sorted({'numpy', 'pyttsx3', 'pygame'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


def test_the_fingerprint_needs_no_synthesiser_and_does_not_change():
    """The same files always give the same key, which is what makes a warm cache warm."""
    assert library.fingerprint() == library.fingerprint()
    assert len(library.fingerprint()) == 16


def test_the_description_names_everything(speaker):
    """One sentence: the synthesiser, its version and origin, the voice, its variant and its rate."""
    sentence = speaker.describe(Voice("roa/it", 135, 42, "f5"))
    assert sentence.startswith("eSpeak NG 1.")
    assert sentence.endswith("voice roa/it variant f5 at 135 words a minute, pitch 42.")
