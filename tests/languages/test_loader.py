"""What the loader refuses, and that it always names the file and the key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.languages import LanguageError, loader

if TYPE_CHECKING:
    from pathlib import Path


def copy(folder: Path, code: str = "pl") -> Path:
    path = folder / f"{code}.toml"
    path.write_text((loader.FOLDER / path.name).read_text(encoding="utf-8"), encoding="utf-8")
    return path


def complaint(path: Path) -> str:
    """Return what the loader says about a file, without the file's name, which it has to begin with."""
    with pytest.raises(LanguageError) as caught:
        loader.read(path)
    name, _, reason = str(caught.value).partition(": ")
    assert name == path.name
    # What else is wrong with it is counted behind the first fault.
    return re.sub(r"; \d+ more faults? (is|are) listed by .*", "", reason)


@pytest.fixture
def broken(tmp_path):
    """A function that breaks a copy of a file at the first place that reads `old`, and returns what the loader says."""

    def break_at(old: str, new: str, code: str = "pl", without: str = "") -> str:
        path = copy(tmp_path, code)
        text = path.read_text(encoding="utf-8").replace(without, "", 1)
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return complaint(path)

    return break_at


# The file


def test_an_unbroken_copy_is_read(tmp_path):
    """A file that nobody broke is a language, equal to the one that the box loads."""
    assert loader.read(copy(tmp_path)) == languages.load("pl")


def test_a_file_that_is_not_there(tmp_path):
    """A file that cannot be opened is refused with the system's own reason."""
    assert complaint(tmp_path / "pl.toml") == "cannot be read: No such file or directory"


def test_a_folder_in_place_of_a_file(tmp_path):
    """A folder where a file should be cannot be read."""
    (tmp_path / "pl.toml").mkdir()
    assert complaint(tmp_path / "pl.toml").startswith("cannot be read: ")


def test_a_file_that_is_not_toml(broken):
    """A slip in the TOML is told with its line."""
    assert "line" in broken('code = "pl"', "code = pl")


def test_a_file_that_is_not_utf8(tmp_path):
    """A file saved in an old code page is refused, not shown with wrong letters."""
    path = copy(tmp_path)
    path.write_bytes(path.read_text(encoding="utf-8").encode("utf-16"))
    assert "utf-8" in complaint(path)


def test_a_code_that_is_not_the_name_of_the_file(broken):
    """A copied file that keeps the code of its pattern is refused."""
    assert broken('code = "pl"', 'code = "en"') == "code: is 'en', not the name of the file"


def test_a_name_that_is_no_text(broken):
    """A language's name is a text."""
    assert broken('name = "Polski"', "name = 7") == "name: is not a text"


# Keys


def test_an_unknown_table(broken):
    """A table of another name is refused, with the one that was meant."""
    assert broken("[reports]", "[report]") == "report: unknown key; did you mean 'reports'?"


def test_a_value_in_place_of_a_table(broken):
    """A table cannot be a single value."""
    assert broken('name = "Polski"', 'name = "Polski"\nprinted_rules = 3', without="[printed_rules]\n") == (
        "printed_rules: is not a table"
    )


def test_an_unknown_key(broken):
    """A key that English has not is refused, with the one that was meant."""
    assert broken("\nwelcome = ", "\nwelcom = ") == "say.welcom: unknown key; did you mean 'welcome'?"


def test_an_unknown_key_like_no_other(broken):
    """A key that resembles none is refused without a guess."""
    assert broken("\nwelcome = ", '\nzzzzzz = "a"\nwelcome = ') == "say.zzzzzz: unknown key"


@pytest.mark.parametrize("table", ["terms", "say", "reports", "refused", "page"])
def test_a_missing_key(broken, table):
    """A text that English has is missed in every table."""
    lines = iter((loader.FOLDER / "pl.toml").read_text(encoding="utf-8").partition(f"[{table}]\n")[2].splitlines())
    line = next(line for line in lines if " = " in line)
    assert broken(f"\n{line}\n", "\n") == f"{table}.{line.partition(' = ')[0]}: is missing"


# Texts


def test_a_missing_placeholder(broken):
    """A line without a fact that English tells is refused."""
    assert broken("{name} siada do stołu. Liczba", "Liczba") == (
        "say.player_joined: the placeholders are not those of English: {count}, {name}"
    )


def test_a_placeholder_of_another_name(broken):
    """A placeholder that was translated is refused."""
    assert broken("Liczba graczy: {count}.", "Liczba graczy: {liczba}.") == (
        "say.player_joined: the placeholders are not those of English: {count}, {name}"
    )


def test_a_placeholder_where_english_has_none(broken):
    """A fact that English does not tell is refused: nobody would fill it in."""
    assert broken("Większość jest za: mamy nowy rząd.", "Mamy rząd, {name}.") == (
        "say.government_elected: the placeholders are not those of English: none"
    )


@pytest.mark.parametrize("placeholder", ["{count:d}", "{count!r}", "{count:{name}}"])
def test_a_placeholder_that_is_more_than_a_name(broken, placeholder):
    """A placeholder with a format is refused: it could fail in the middle of a game."""
    assert broken('players_set = "Liczba graczy: {count}."', f'players_set = "Liczba graczy: {placeholder}."') == (
        "say.players_set: has a placeholder that is more than a name in braces"
    )


def test_a_placeholder_that_reaches_into_a_fact(broken):
    """A placeholder is a name alone, not a part of a fact."""
    assert broken('players_set = "Liczba graczy: {count}."', 'players_set = "Liczba graczy: {count.real}."') == (
        "say.players_set: the placeholders are not those of English: {count}"
    )


@pytest.mark.parametrize("brace", ["{", "}"])
def test_a_brace_alone(broken, brace):
    """A brace that opens or closes nothing is refused."""
    assert broken("Większość jest za: mamy nowy rząd.", f"Mamy rząd{brace}.") == (
        "say.government_elected: has a brace that opens or closes no placeholder"
    )


@pytest.mark.parametrize(
    "text", ["", " ", " Większość jest za: mamy nowy rząd.", "Większość jest za: mamy nowy rząd. "]
)
def test_an_empty_text(broken, text):
    """A text is not empty and has no space at its ends."""
    assert (
        broken('"Większość jest za: mamy nowy rząd."', f'"{text}"')
        == "say.government_elected: is empty, or begins or ends with a space"
    )


def test_a_text_that_is_a_number(broken):
    """A text is a text."""
    assert broken('"Większość jest za: mamy nowy rząd."', "5") == "say.government_elected: is not a text"


def test_a_word_of_two_alphabets(broken):
    """A Latin letter that looks like a Russian one is found: it would be read as another letter."""
    latin_a = "Кaнцлер"
    assert broken('chancellor = "канцлер"', f'chancellor = "{latin_a}"', "ru") == (
        f"terms.chancellor: {latin_a!r} mixes Latin and Cyrillic letters"
    )


def test_two_alphabets_in_two_words():
    """A Latin word may stand in a Russian line."""
    assert "Ja" in languages.load("ru").lines["all_looked"]


# The voice


@pytest.mark.parametrize("rate", [79, 401, -1])
def test_a_rate_that_nobody_follows(broken, rate):
    """Words a minute are 80 to 400."""
    assert broken("rate_wpm = 150", f"rate_wpm = {rate}") == ("voice.rate_wpm: is not from 80 to 400 words a minute")


@pytest.mark.parametrize("pitch", [-1, 100])
def test_a_pitch_off_the_scale(broken, pitch):
    """Pitch is 0 to 99."""
    assert broken("pitch = 45", f"pitch = {pitch}") == "voice.pitch: is not from 0 to 99"


@pytest.mark.parametrize("value", ["true", "150.0", '"150"'])
def test_a_rate_that_is_no_whole_number(broken, value):
    """A rate is a whole number, and true is none."""
    assert broken("rate_wpm = 150", f"rate_wpm = {value}") == "voice.rate_wpm: is not a whole number"


def test_a_variant_that_is_no_text(broken):
    """A variant is a text."""
    assert broken('variant = "m3"', "variant = 3") == "voice.variant: is not a text"


def test_a_voice_without_identifier(broken):
    """A voice has a name."""
    assert broken('"zlw/pl"', '""') == "voice.identifier: is empty"


def test_an_unknown_key_of_the_voice(broken):
    """A misspelt property of the voice is refused, with the one that was meant."""
    assert broken("pitch = 45", "pich = 45") == "voice.pich: unknown key; did you mean 'pitch'?"


def test_an_empty_pronunciation(broken):
    """A word is respelled as something."""
    assert broken('nein = "najn"', 'nein = ""') == ("pronunciation.nein: is empty, or begins or ends with a space")


# The night

CLOSE = '{ step = "CLOSE", text = "Zamknijcie wszyscy oczy." }'
MEET = '{ step = "MEET", text = "Faszysta i Hitler: otwórzcie oczy i spójrzcie na siebie." }'
PAUSE = '{ step = "PAUSE", text = "" }'
FEW = "night.few.steps"
MANY = "night.many.steps"


def few() -> str:
    """Return the whole table of the night for few, as it stands in the file."""
    text = (loader.FOLDER / "pl.toml").read_text(encoding="utf-8")
    return text[text.index("[night.few]") : text.index("[night.many]")]


def test_a_script_that_is_no_list(broken):
    """A script is a list of steps, and not an empty one."""
    for script in ('"CLOSE"', "[]"):
        assert broken("[night.many]", f"[night.few]\nsteps = {script}\n[night.many]", without=few()) == (
            f"{FEW}: is not a list of steps"
        )


def test_a_script_that_is_no_table(broken):
    """A size has a table of its own."""
    assert broken("[night.many]", "[night]\nfew = 3\n[night.many]", without=few()) == "night.few: is not a table"


def test_an_unknown_key_of_a_script(broken):
    """A misspelt key of a script is refused, with the one that was meant."""
    assert broken("[night.few]\nsteps = [", "[night.few]\nstep = [") == (
        "night.few.step: unknown key; did you mean 'steps'?"
    )


def test_a_script_of_another_size(broken):
    """There is one script for few and one for many, and no third."""
    assert broken("[night.few]", "[night.fewer]") == "night.fewer: unknown key; did you mean 'few'?"


def test_an_unknown_step(broken):
    """A step has one of the eight names."""
    assert broken('"MEET"', '"GREET"') == (
        f"{FEW}[2].step: 'GREET' is not one of CLOSE, MEET, THUMB, NOTE, PAUSE, SHUT, OPEN, ASK"
    )


def test_an_unknown_key_of_a_step(broken):
    """A misspelt key of a step is refused, with the one that was meant."""
    assert broken('step = "CLOSE"', 'stepp = "CLOSE"') == f"{FEW}[1].stepp: unknown key; did you mean 'step'?"


def test_a_step_that_is_no_table(broken):
    """A step is a table."""
    assert broken(CLOSE, '"CLOSE"') == f"{FEW}[1]: is not a table"


@pytest.mark.parametrize("step", [CLOSE, MEET, PAUSE])
def test_a_missing_step(broken, step):
    """A night without one of its steps is refused."""
    name = step.split('"')[1]
    assert broken(f"{step},", "") == f"{FEW}: {name} stands 0 times, not 1"


def test_a_step_twice(broken):
    """Each step comes once."""
    assert broken(CLOSE, f"{CLOSE}, {CLOSE}") == f"{FEW}: CLOSE stands 2 times, not 1"


@pytest.mark.parametrize("name", ["THUMB", "NOTE"])
def test_the_thumb_among_few(broken, name):
    """Five or six players have no thumb to show: the Fascist and Hitler see each other."""
    assert broken(MEET, f"{MEET}, {MEET.replace('MEET', name)}") == f"{FEW}: {name} stands 1 times, not 0"


def test_no_thumb_among_many(broken):
    """Seven to ten players need the thumb: Hitler does not look."""
    thumb = next(step for step in languages.load("pl").many if step.step == "THUMB")
    line = f'{{ step = "THUMB", text = "{thumb.text}" }},'
    assert broken(line, "") == f"{MANY}: THUMB stands 0 times, not 1"


def test_a_night_that_begins_with_open_eyes(broken):
    """All eyes are closed before anybody opens theirs."""
    assert broken(f"{CLOSE},\n  {MEET}", f"{MEET},\n  {CLOSE}") == f"{FEW}: CLOSE is not at its place"


def test_a_pause_before_anybody_looks(broken):
    """The long pause is for those who look at each other, so it comes right before the eyes close again."""
    assert broken(f"{MEET},\n  {PAUSE}", f"{PAUSE},\n  {MEET}") == f"{FEW}: PAUSE is not at its place"


@pytest.mark.parametrize(("one", "other", "named"), [("SHUT", "OPEN", "SHUT"), ("OPEN", "ASK", "OPEN")])
def test_a_night_that_ends_in_another_order(broken, one, other, named):
    """The Fascists close their eyes, then everybody opens theirs, then the box asks whether all is well."""
    text = (loader.FOLDER / "pl.toml").read_text(encoding="utf-8")
    first, second = (next(row for row in text.splitlines() if f'step = "{step}"' in row) for step in (one, other))
    assert broken(f"{first}\n{second}", f"{second}\n{first}") == f"{FEW}: {named} is not at its place"


def test_a_note_before_the_thumb(broken):
    """Nobody can take note of a thumb that is not up yet."""
    text = (loader.FOLDER / "pl.toml").read_text(encoding="utf-8")
    thumb, note = (next(row for row in text.splitlines() if f'step = "{step}"' in row) for step in ("THUMB", "NOTE"))
    assert broken(f"{thumb}\n{note}", f"{note}\n{thumb}") == f"{MANY}: NOTE is not at its place"


def test_a_pause_that_speaks(broken):
    """A PAUSE is silent."""
    assert broken(PAUSE, PAUSE.replace('""', '"Cisza."')) == f"{FEW}[3].text: a PAUSE is silent"


def test_a_step_without_a_line(broken):
    """Every step but PAUSE has a line."""
    assert broken('"Zamknijcie wszyscy oczy."', '""') == (f"{FEW}[1].text: is empty, or begins or ends with a space")


def test_a_night_that_names_somebody(broken):
    """No line of the night has a placeholder, whatever English has."""
    assert broken('"Zamknijcie wszyscy oczy."', '"{name}, zamknij oczy."') == (
        f"{FEW}[1].text: the night names nobody: no placeholders"
    )


# Codes


def test_a_language_that_is_not_there():
    """A language without a file is refused with those that have one, and the nearest."""
    with pytest.raises(LanguageError, match=r"no language 'pll': there are en, .*; did you mean 'pl'\?"):
        languages.load("pll")


def test_a_code_like_no_other():
    """A code that resembles none is refused without a guess."""
    with pytest.raises(LanguageError, match=r"no language '\?\?': there are [a-z, ]+$"):
        languages.known("??")


# Speech


def spoken(text: str, **words: str) -> str:
    return loader._respell(text, tuple(words.items()))


def test_a_word_is_respelled_whole():
    """A respelling is for a whole word, however it is written."""
    assert spoken("ja Ja jaja, ja!", ja="yah") == "yah Yah jaja, yah!"


def test_a_respelled_sentence_still_begins():
    """A respelling takes the word's capital: without it the synthesiser runs two sentences together."""
    assert spoken("Noc. Nein ją zatrzyma.", nein="najn") == "Noc. Najn ją zatrzyma."


def test_the_longer_respelling_wins():
    """Where two respellings begin alike the longer one is taken."""
    assert loader._respell("3 z 5 i z 55", (("z", "ze"), ("z 5", "z pięciu"))) == "3 z pięciu i ze 55"


def test_nothing_to_respell():
    """A language without respellings is read as it stands."""
    assert loader._respell("Ja.", ()) == "Ja."
