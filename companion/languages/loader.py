"""Reads one language file, checks it whole against the English one, and gives a `Language`."""

from __future__ import annotations

import contextlib
import difflib
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

from companion.errors import CompanionError
from companion.languages.scripts import BEGINNING, readable, script_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FOLDER = Path(__file__).parent
REFERENCE = "en"

STEPS = ("CLOSE", "MEET", "THUMB", "NOTE", "PAUSE", "SHUT", "OPEN", "ASK")
"""The steps of a night. THUMB and NOTE belong to the script for seven to ten players."""

_MANY_ONLY = frozenset({"THUMB", "NOTE"})
_PLACES = {0: "CLOSE", -5: "NOTE", -4: "PAUSE", -3: "SHUT", -2: "OPEN", -1: "ASK"}
"""Where a step stands, from the front or the back. Only MEET and THUMB change places from edition to edition."""
_TEXT_TABLES = ("terms", "say", "now", "sounds", "reports", "refused", "page")
_TOP = ("code", "name", "voice", "pronunciation", "letters", "printed_rules", "night", *_TEXT_TABLES)
_VOICE = {"identifier": str, "rate_wpm": int, "pitch": int, "variant": str, "piper": str}
_STEP = ("step", "text")
_THE_SAME_EVERYWHERE = frozenset({"page.title"})
"""The name of the game."""
_RATES = range(80, 401)
_PITCHES = range(100)


class LanguageError(CompanionError, ValueError):
    """A language file is wrong. The message names the file, the key and the reason."""


@dataclass(frozen=True, slots=True)
class VoiceSettings:
    """How a language sounds.

    Attributes:
        identifier: eSpeak NG's voice.
        rate_wpm: how fast it speaks, in words a minute.
        pitch: 0 to 99; 50 is the voice's own.
        variant: a speaker variant, or empty.
        piper: the Piper voice that is fetched for it; empty for none. Any other can be put into the folder by hand.
    """

    identifier: str
    rate_wpm: int
    pitch: int
    variant: str
    piper: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the night: its name, and the line (empty for PAUSE)."""

    step: str
    text: str


@dataclass(frozen=True, slots=True)
class Language:
    """Everything that the box says and shows in one language.

    Attributes:
        code: such as `nb`.
        name: the language's own name for itself.
        voice: how it sounds.
        pronunciation: words as the synthesiser has to read them.
        letters: letters of another script as this language's voice reads their sound.
        printed_rules: where its rulebook departs from the retail rules, as `companion.game.editions.printed` reads it.
        few: the night for five or six players.
        many: the night for seven to ten.
        terms: the words on cards and boards.
        lines: what is spoken, by key.
        now: what the table does and what a button means, by key.
        sounds: what a sound is called where it is shown, by its name.
        reports: what a report is called when it is taken back.
        refusals: why something is refused, by code.
        page: what phones show.
    """

    code: str
    name: str
    voice: VoiceSettings
    pronunciation: Mapping[str, str]
    letters: Mapping[str, str]
    printed_rules: Mapping[str, object]
    few: tuple[Step, ...]
    many: tuple[Step, ...]
    terms: Mapping[str, str]
    lines: Mapping[str, str]
    now: Mapping[str, str]
    sounds: Mapping[str, str]
    reports: Mapping[str, str]
    refusals: Mapping[str, str]
    page: Mapping[str, str]

    def night(self, players: int) -> tuple[Step, ...]:
        """Return the eyes-closed script for a number of players, 5 to 10."""
        return self.few if players <= 6 else self.many  # noqa: PLR2004 - the rulebook's own figure

    def say(self, key: str, **facts: object) -> str:
        """Return a spoken line with its facts filled in.

        Raises:
            KeyError: no such line, or a fact is missing: a fault of ours, never of a language file.
        """
        return self.lines[key].format(**facts)

    def show_sound(self, name: str) -> str:
        """Return what is shown while a sound is heard, such as `[chime]`.

        Raises:
            KeyError: there is no such sound: a fault of ours.
        """
        return f"[{self.sounds[name]}]"

    def pronounce(self, text: str) -> str:
        """Return a text as the synthesiser has to read it."""
        # In this order: an entry may be about a word of another script, such as Ja in Russian.
        return readable(_respell(text, tuple(self.pronunciation.items())), self.script, tuple(self.letters.items()))

    @property
    def script(self) -> str:
        """The script that this language is written in, such as `LATIN`."""
        return script_of(self.name[0])


@cache
def _words(entries: tuple[tuple[str, str], ...]) -> re.Pattern[str] | None:
    if not entries:
        return None
    words = sorted((word for word, _ in entries), key=len, reverse=True)
    return re.compile("|".join(map(_as_word, words)), re.IGNORECASE)


def _as_word(word: str) -> str:
    """Match a word as a whole; a sign such as & also between letters."""
    return rf"(?<!\w){re.escape(word)}(?!\w)" if _is_word(word) else re.escape(word)


def _is_word(text: str) -> bool:
    return text[0].isalnum()


def _respell(text: str, entries: tuple[tuple[str, str], ...]) -> str:
    pattern = _words(entries)
    if pattern is None:
        return text
    spelled = {word.casefold(): respelled if _is_word(word) else f" {respelled} " for word, respelled in entries}
    return pattern.sub(lambda found: _capital_like(found.group(), spelled[found.group().casefold()]), text)


def _capital_like(word: str, spoken: str) -> str:
    """Begin with a capital where the word does: eSpeak NG hears no end of a sentence before a small letter."""
    return spoken[0].upper() + spoken[1:] if word[0].isupper() else spoken


@cache
def codes() -> tuple[str, ...]:
    """Return the codes of all languages that have a file, English first.

    Looked up once: every page offers them, also when no folder can be opened.
    """
    found = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return (REFERENCE, *(code for code in found if code != REFERENCE))


def known(code: str) -> str:
    """Return a code that has a file.

    Raises:
        LanguageError: there is none; the message suggests the nearest.
    """
    if code in codes():
        return code
    near = difflib.get_close_matches(code, codes(), 1, 0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise LanguageError(f"no language {code!r}: there are {', '.join(codes())}{hint}")


@cache
def load(code: str) -> Language:
    """Return a language of this box, checked whole.

    Raises:
        LanguageError: there is no such language, or its file is wrong.
    """
    return read(FOLDER / f"{known(code)}.toml", _english(FOLDER))


@cache
def _english(folder: Path) -> Mapping[str, Any]:
    """Return the file that all others are checked against: parsed once, as each language is."""
    return _parse(folder / f"{REFERENCE}.toml")


def read(path: Path, reference: Mapping[str, Any] | None = None) -> Language:
    """Read and check one language file against the English one.

    Raises:
        LanguageError: it cannot be read, or something in it is wrong.
    """
    data = _parse(path)
    if reference is None:
        reference = data if path.stem == REFERENCE else _parse(FOLDER / f"{REFERENCE}.toml")
    _check(path, data, reference)
    night = {size: tuple(Step(**step) for step in data["night"][size]["steps"]) for size in ("few", "many")}
    return Language(
        code=data["code"],
        name=data["name"],
        voice=VoiceSettings(**data["voice"]),
        pronunciation=data["pronunciation"],
        letters=data["letters"],
        printed_rules=data["printed_rules"],
        few=night["few"],
        many=night["many"],
        terms=data["terms"],
        lines=data["say"],
        now=data["now"],
        sounds=data["sounds"],
        reports=data["reports"],
        refusals=data["refused"],
        page=data["page"],
    )


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LanguageError(f"{path.name}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LanguageError(f"{path.name}: {error}") from None


def faults(path: Path) -> list[str]:
    """Return every fault of a language file, each with its key, as far as one does not hide another.

    Raises:
        LanguageError: it cannot be read at all.
    """
    data = _parse(path)
    reference = data if path.stem == REFERENCE else _parse(FOLDER / f"{REFERENCE}.toml")
    return [f"{key}: {reason}" for key, reason in _faults(path.stem, data, reference)]


def untranslated(path: Path) -> list[str]:
    """Return the keys of what a language file still has in English: its texts, its night, and how words are read.

    Raises:
        LanguageError: it cannot be read.
    """
    english = dict(_texts(_parse(FOLDER / f"{REFERENCE}.toml")))
    return [key for key, text in _texts(_parse(path)) if _is_worth_translating(key, text, english.get(key))]


def _texts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every text of a file that somebody reads or hears, by its key."""
    for table in (*_TEXT_TABLES, "pronunciation"):
        for key, text in _items(data.get(table)):
            yield f"{table}.{key}", text
    for size, night in _items(data.get("night")):
        steps = night.get("steps") if isinstance(night, dict) else None
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict) and step.get("text"):
                yield f"night.{size}.{step.get('step')}", step["text"]


def _items(table: object) -> Iterator[tuple[str, Any]]:
    if isinstance(table, dict):
        yield from table.items()


def _is_worth_translating(key: str, text: object, english: object) -> bool:
    if text != english or not isinstance(text, str) or key in _THE_SAME_EVERYWHERE:
        return False
    # A single word may be the same in both, as a name is; so may what holds nothing but a fact.
    words = re.findall(r"[^\W\d_]+", re.sub(r"\{\w*\}", "", text))
    return len(words) > 1 or key.startswith("pronunciation.")


def _check(path: Path, data: Mapping[str, Any], reference: Mapping[str, Any]) -> None:
    """Raise `LanguageError` for the first fault of a file."""
    found = _faults(path.stem, data, reference)
    if not found:
        return
    (key, reason), others = found[0], len(found) - 1
    counted = f"{others} more fault{' is' if others == 1 else 's are'}"
    more = f"; {counted} listed by `companion voices --missing {path.stem}`" if others else ""
    raise LanguageError(f"{path.name}: {key}: {reason}{more}")


def _faults(stem: str, data: Mapping[str, Any], reference: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the faults of a file. What cannot be looked at since something is missing has been told by that."""
    found: list[tuple[str, str]] = []
    for look in _LOOKS:
        # What was found before the place where a look breaks off counts.
        with contextlib.suppress(KeyError, TypeError, AttributeError, IndexError):
            found.extend(look(data, reference))
    if data.get("code") != stem and "code" in data:
        found.append(("code", f"is {data['code']!r}, not the name of the file"))
    return list(dict.fromkeys(found))


def _top_faults(data: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _same_keys("", data, dict.fromkeys(_TOP))
    for key in ("code", "name"):
        yield from _text(key, data[key])
    for table in _TOP[2:]:
        if not isinstance(data[table], dict):
            yield table, "is not a table"


def _spoken_faults(data: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for word, spoken in data["pronunciation"].items():
        yield from _text(f"pronunciation.{word}", spoken)


def _both_nights_faults(data: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _same_keys("night.", data["night"], {"few": 0, "many": 0})
    for size in ("few", "many"):
        yield from _night_faults(f"night.{size}", data["night"][size])


def _table_faults(table: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[tuple[str, str]]]:
    def look(data: Mapping[str, Any], reference: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        yield from _same_keys(f"{table}.", data[table], reference[table])
        for key, text in data[table].items():
            wrong = list(_text(f"{table}.{key}", text))
            yield from wrong
            if not wrong and key in reference[table]:
                yield from _same_placeholders(f"{table}.{key}", text, reference[table][key])

    return look


def _same_keys(prefix: str, data: Mapping[str, Any], reference: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in data:
        if key not in reference:
            near = difflib.get_close_matches(key, reference, 1)
            yield prefix + key, "unknown key" + (f"; did you mean {near[0]!r}?" if near else "")
    for key in reference:
        if key not in data:
            yield prefix + key, "is missing"


def _voice_faults(voice: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _same_keys("voice.", voice, _VOICE)
    for key, kind in _VOICE.items():
        if type(voice[key]) is not kind:
            yield f"voice.{key}", f"is not a {'text' if kind is str else 'whole number'}"
    if not voice["identifier"]:
        yield "voice.identifier", "is empty"
    if voice["rate_wpm"] not in _RATES:
        yield "voice.rate_wpm", f"is not from {_RATES[0]} to {_RATES[-1]} words a minute"
    if voice["pitch"] not in _PITCHES:
        yield "voice.pitch", f"is not from {_PITCHES[0]} to {_PITCHES[-1]}"


def _letters_faults(letters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for group, spoken in letters.items():
        if not isinstance(spoken, str):
            yield f"letters.{group}", "is not a text"
        elif group != group.lower() or not group.removeprefix(BEGINNING).isalpha():
            yield f"letters.{group}", "is not some letters in lower case, with ^ before them or without"


def _night_faults(where: str, night: object) -> Iterator[tuple[str, str]]:
    if not isinstance(night, dict):
        yield where, "is not a table"
        return
    yield from _same_keys(f"{where}.", night, {"steps": 0})
    steps = night["steps"]
    if not isinstance(steps, list) or not steps:
        yield f"{where}.steps", "is not a list of steps"
        return
    for number, step in enumerate(steps, 1):
        yield from _step_faults(f"{where}.steps[{number}]", step)
    names = [step["step"] for step in steps]
    for step in STEPS:
        expected = 0 if where.endswith("few") and step in _MANY_ONLY else 1
        if names.count(step) != expected:
            yield f"{where}.steps", f"{step} stands {names.count(step)} times, not {expected}"
    for place, step in _PLACES.items():
        if step in names and names[place] != step:
            yield f"{where}.steps", f"{step} is not at its place"


def _step_faults(where: str, step: object) -> Iterator[tuple[str, str]]:
    if not isinstance(step, dict):
        yield where, "is not a table"
        return
    yield from _same_keys(f"{where}.", step, dict.fromkeys(_STEP))
    if step["step"] not in STEPS:
        yield f"{where}.step", f"{step['step']!r} is not one of {', '.join(STEPS)}"
    if step["step"] == "PAUSE":
        if step["text"] != "":
            yield f"{where}.text", "a PAUSE is silent"
        return
    yield from _text(f"{where}.text", step["text"])
    if _placeholders(step["text"]):
        yield f"{where}.text", "the night names nobody: no placeholders"


def _text(where: str, text: object) -> Iterator[tuple[str, str]]:
    if not isinstance(text, str):
        yield where, "is not a text"
        return
    if not text.strip() or text != text.strip():
        yield where, "is empty, or begins or ends with a space"
    try:
        plain = all(not spec and not conversion for _, _, spec, conversion in Formatter().parse(text))
    except ValueError:
        yield where, "has a brace that opens or closes no placeholder"
        return
    if not plain:
        yield where, "has a placeholder that is more than a name in braces"
    for word in re.findall(r"\w+", text):
        if not word.isascii() and {"LATIN", "CYRILLIC"} <= set(map(_script, word)):
            yield where, f"{word!r} mixes Latin and Cyrillic letters"


@cache
def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def _placeholders(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def _same_placeholders(where: str, text: str, reference: str) -> Iterator[tuple[str, str]]:
    if _placeholders(text) != _placeholders(reference):
        expected = ", ".join(f"{{{name}}}" for name in _placeholders(reference)) or "none"
        yield where, f"the placeholders are not those of English: {expected}"


_LOOKS: tuple[Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[tuple[str, str]]], ...] = (
    _top_faults,
    lambda data, _: _voice_faults(data["voice"]),
    _spoken_faults,
    lambda data, _: _letters_faults(data["letters"]),
    _both_nights_faults,
    *map(_table_faults, _TEXT_TABLES),
)
