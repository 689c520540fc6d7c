"""Names from other scripts as this language's voice can read them: spoken, where it would spell them letter by letter.

A language file knows the letters of the script that its table is likely to bring (`[letters]`); every other script goes
through `anyascii` to Latin first. Only what is spoken passes here: captions keep the name.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from anyascii import anyascii

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGINNING = "^"
"""Stands before letters that are read so at the beginning of a word alone."""

_HOMES = ("LATIN", "CYRILLIC")

_KNOWN_LATIN = "\u024f"
"""The last Latin letter that eSpeak NG's voices read; of those after it, as in Nguyễn, they say the number."""

_LONG_NUMBER = re.compile(r"\d{5,}")
"""Nobody waits while the box reads quintillions aloud: of a long number the last digits are said, one by one."""

_DIGITS_SAID = 4
_VOWELS = frozenset("aeiouy")
_INDIAN = frozenset(
    (
        "DEVANAGARI",
        "BENGALI",
        "GURMUKHI",
        "GUJARATI",
        "ORIYA",
        "TAMIL",
        "TELUGU",
        "KANNADA",
        "MALAYALAM",
        "SINHALA",
    )
)


def script_of(sign: str) -> str:
    """Return which script a letter belongs to, such as `LATIN`; empty for what is no letter."""
    return unicodedata.name(sign, "").partition(" ")[0] if sign.isalpha() else ""


def readable(text: str, home: str, letters: tuple[tuple[str, str], ...]) -> str:
    """Return a text with every word of another script in the letters of `home`.

    Args:
        text: what will be spoken.
        home: the script that the voice reads, `LATIN` or `CYRILLIC`.
        letters: from letters of the other script to what sounds like them at home, in lower case.
    """
    text = _LONG_NUMBER.sub(lambda found: " ".join(found.group()[-_DIGITS_SAID:]), unicodedata.normalize("NFC", text))
    text = "".join(anyascii(sign) if sign > _KNOWN_LATIN and script_of(sign) == "LATIN" else sign for sign in text)
    if all(script_of(sign) in ("", home) for sign in text):
        return text
    read = ""
    for foreign, signs in groupby(zip(text, _foreign(text, home), strict=True), key=itemgetter(1)):
        piece = "".join(sign for sign, _ in signs)
        read += _read(piece, home, letters) if foreign else piece
    return read


def _foreign(text: str, home: str) -> Iterator[bool]:
    """Tell of each sign whether it belongs to a word of another script; a mark belongs where its letter does."""
    foreign = False
    for sign in text:
        if not unicodedata.category(sign).startswith("M"):
            foreign = script_of(sign) not in ("", home)
        yield foreign


def _read(word: str, home: str, letters: tuple[tuple[str, str], ...]) -> str:
    known = dict(letters)
    lower = word.lower()
    if home not in _HOMES or not any(sign in known for sign in lower):
        # Neither at home nor in the table: by way of Latin, which every script has a way to.
        lower = _voiced(anyascii(_with_inherent_vowels(lower)).lower())
    spoken = _by_table(lower, letters) if not _is_at_home(lower, home) else lower
    spoken = "".join(sign if script_of(sign) in ("", home) else anyascii(sign) for sign in spoken)
    if home != "LATIN" and not _is_at_home(spoken, home):
        spoken = _by_table(spoken, letters)
    return spoken[:1].upper() + spoken[1:] if word[0].isupper() or not word[0].islower() else spoken


def _with_inherent_vowels(word: str) -> str:
    """Return a word of an Indian script with the short a that its consonants have before another one.

    At the end of a name it is as good as silent in most of these languages.
    """
    return "".join(
        f"{sign}a" if _is_indian_consonant(sign) and unicodedata.category(after) == "Lo" else sign
        for sign, after in zip(word, f"{word[1:]} ", strict=True)
    )


def _is_indian_consonant(sign: str) -> bool:
    script, _, name = unicodedata.name(sign, "").partition(" LETTER ")
    return script in _INDIAN and not name.startswith(tuple("AEIOU"))


def _voiced(word: str) -> str:
    """Return a Latin word with vowels where it has none: Arabic and Hebrew leave them to the reader."""
    return word if any(sign in _VOWELS for sign in word) or len(word) == 1 else "a".join(word)


def _is_at_home(word: str, home: str) -> bool:
    return all(script_of(sign) in ("", home) for sign in word)


def _by_table(word: str, letters: tuple[tuple[str, str], ...]) -> str:
    pattern, known = _table(letters)
    if pattern is None:
        return word

    def one(found: re.Match[str]) -> str:
        at_beginning = BEGINNING + found.group()
        return known[at_beginning] if found.start() == 0 and at_beginning in known else known[found.group()]

    return pattern.sub(one, word)


@cache
def _table(letters: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str] | None, dict[str, str]]:
    known = dict(letters)
    for group, spoken in letters:
        # What is read so at the beginning alone still has to be found there.
        known.setdefault(group.removeprefix(BEGINNING), spoken)
    groups = sorted({group.removeprefix(BEGINNING) for group in known}, key=len, reverse=True)
    return (re.compile("|".join(map(re.escape, groups))) if groups else None), known
