"""Names from other scripts: spoken as words, never letter by letter, while captions keep the name as it is written."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from companion import languages
from companion.languages.scripts import readable
from companion.narrator import cues

LATIN = tuple(code for code in languages.codes() if languages.load(code).script == "LATIN")

PHONEMES = """
import ctypes, json, sys, tempfile
from pathlib import Path
from companion.narrator.speech import library
library.load(Path(sys.argv[1]))
espeak = ctypes.CDLL(library.SONAME)
espeak.espeak_Initialize(2, 0, None, 0)
espeak.espeak_TextToPhonemes.restype = ctypes.c_char_p
said = []
for voice, text in json.loads(sys.argv[2]):
    assert espeak.espeak_SetVoiceByName(voice.encode()) == 0
    raw = ctypes.create_string_buffer(text.encode())
    said.append(espeak.espeak_TextToPhonemes(ctypes.byref(ctypes.c_void_p(ctypes.addressof(raw))), 1, 2).decode())
print(json.dumps(said))
"""


def phonemes(workspace, texts):
    """Return what eSpeak NG makes of texts, each by the code of its language. In a process apart, as always."""
    asked = [(languages.load(code).voice.identifier, languages.load(code).pronounce(text)) for code, text in texts]
    command = [sys.executable, "-c", PHONEMES, str(workspace), json.dumps(asked)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    return json.loads(done.stdout)


def test_a_name_in_cyrillic_is_one_word_to_every_latin_voice(tmp_path):
    """By itself eSpeak NG says "Cyrillic A, Cyrillic L"; the box says one word that begins with the right sound."""
    names = {"Алёна": "aɑɐ", "Женя": "ʒdʃʝ", "Михаил": "m", "Екатерина": "jiʝ", "Щукин": "ʃs"}
    asked = [(code, name) for code in LATIN for name in names]
    for (code, name), said in zip(asked, phonemes(tmp_path, asked), strict=True):
        assert " " not in said, (code, name, said)
        assert "(" not in said, (code, name, said)
        assert said.strip("ˈˌ")[0] in names[name], (code, name, said)


@pytest.mark.parametrize("code", languages.codes())
def test_no_name_is_spelled_letter_by_letter(tmp_path, code):
    """Nor is a sign of Vietnam or India said by its number, in any language."""
    names = ["Nguyễn", "Thảo", "Phượng", "Đức", "राधा", "प्रिया", "கமலா", "সুমি", "ਗੁਰਪ੍ਰੀਤ", "ശ്രീജ"]
    for name, said in zip(names, phonemes(tmp_path, [(code, name) for name in names]), strict=True):
        # A word may be said as an English one, as some voices do; letters and numbers would be far longer.
        word = re.sub(r"\(\w+\)", "", said)
        assert " " not in word, (name, said)
        assert len(word) < 4 * len(name) + 4, (name, said)


def test_two_people_with_one_name_are_two(tmp_path):
    """An ampersand is the language's own word for and."""
    ands = {"en": "and", "pl": "i", "pt": "e", "it": "e", "nb": "og", "ru": "и", "de": "und", "es": "y"}
    asked = [(code, f"Tom{sign}Bo") for code in ands for sign in (" & ", "&", f" {ands[code]} ")]
    said = phonemes(tmp_path, asked)
    for at, code in enumerate(ands):
        spaced, close, written = said[3 * at : 3 * at + 3]
        assert spaced.split() == close.split() == written.split(), code


def test_a_latin_name_is_said_in_russian(tmp_path):
    """The Russian voice stays Russian: it neither spells Zoë nor turns English for Bjørn."""
    names = {"Zoë": "zˈoɛ", "Bjørn": "bjˈɵrn", "Łukasz": "ɭˈukʌʃ", "Maria": "marʲˈija", "John": "dʒˈon"}
    said = phonemes(tmp_path, [("ru", name) for name in names])
    assert dict(zip(names, said, strict=True)) == names


@pytest.mark.parametrize(
    ("code", "name", "read"),
    [
        ("en", "Алёна", "Alyona"),
        ("pl", "Алёна", "Alona"),
        ("pl", "Женя", "Żenia"),
        ("it", "Женя", "Genia"),
        ("nb", "Щукин", "Sjukin"),
        ("pt", "Серёжа", "Serioja"),
        ("en", "Γιώργος", "Giorgos"),
        ("ru", "Ελένη", "Элени"),
        ("en", "李雷", "Lilei"),
        ("en", "محمد", "Mahamad"),
        ("ru", "Michał", "Мичал"),
        ("en", "Zoe\u0308 и\u0306", "Zoë y"),
        ("en", "🎉 Женя 2", "🎉 Zhenya 2"),
        ("en", "Bjørn", "Bjørn"),
        ("en", "Nguyễn", "Nguyen"),
        ("nb", "Đặng Thị", "Đang Thi"),
        ("ru", "Phượng", "Фуонг"),
        ("en", "राधा", "Radha"),
        ("it", "कमला", "Kamala"),
        ("pl", "கமலா", "Kamala"),
        ("ru", "ज्योति", "Джёти"),
        ("ru", "Chris", "Крис"),
        ("ru", "Chloe", "Хлои"),
        ("ru", "James", "Джеймс"),
        ("en", "Bo 123456789", "Bo 6 7 8 9"),
        ("en", "Bo 2024", "Bo 2024"),
    ],
)
def test_each_voice_gets_the_spelling_that_it_reads_right(code, name, read):
    """The table of the language file first, any other script by way of Latin; what it reads anyway stays."""
    assert languages.load(code).pronounce(name) == read


def test_the_caption_keeps_the_name_and_the_sentence_keeps_its_shape():
    """Only the name changes on its way to the voice: stress marks, commas and the rest are as they were."""
    english = languages.load("en")
    line = cues.plain(english, "nominated", president="Алёна", chancellor="Zoë")
    assert line.text == "Алёна nominates Zoë. Everybody, vote."
    assert english.pronounce(line.text) == "Alyona nominates Zoë. Everybody, vote."
    assert readable("за́мок, Bob", "CYRILLIC", (("b", "б"), ("o", "о"))) == "за́мок, Боб"


@pytest.mark.parametrize("code", languages.codes())
def test_no_line_of_ours_goes_through_the_letters(code):
    """Fixed lines are in their own script after the pronunciation list, which says better what is no name."""
    language = languages.load(code)
    other = "[A-Za-z]" if language.script == "CYRILLIC" else "[Ѐ-ӿ]"
    for text in cues.fixed_texts(language):
        respelled = languages.load(code).pronounce(text)
        assert not re.search(other, respelled), respelled


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('"Ж" = "zh"', "letters.Ж: is not some letters in lower case"),
        ('"ж1" = "zh"', "letters.ж1: is not some letters in lower case"),
        ('"ж" = 3', "letters.ж: is not a text"),
    ],
)
def test_a_wrong_row_of_letters_is_named(tmp_path, row, reason):
    """The loader names the file and the row, as for everything else in a language file."""
    whole = (languages.loader.FOLDER / "en.toml").read_text(encoding="utf-8")
    kept, _, rest = whole.partition("[letters]\n")
    wrong = f"{kept}[letters]\n{row}\n[printed_rules]{rest.partition('[printed_rules]')[2]}"
    (tmp_path / "en.toml").write_text(wrong, encoding="utf-8")
    with pytest.raises(languages.LanguageError, match=re.escape(f"en.toml: {reason}")):
        languages.loader.read(tmp_path / "en.toml")
