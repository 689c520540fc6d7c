"""One thing to say, which can be read in every language: a phone shows it in its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from companion.languages import Language
    from sounds import Effect

InLanguage: TypeAlias = "Callable[[Language], str]"
"""Words that differ from language to language, such as what somebody is called who has no name."""

_REFUSAL = "refused."


class Called(str):
    """What somebody is called: a text as it is written, which the voice may read another way."""

    __slots__ = ("spoken",)

    spoken: str

    def __new__(cls, written: str, spoken: str = "") -> Self:
        """Make one; without `spoken` it is read as it is written."""
        called = super().__new__(cls, written)
        called.spoken = spoken or written
        return called


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to say.

    Attributes:
        key: which line of the language file it is, so that a recorded voice can stand in for it.
        text: what is said, with names and numbers.
        language: in which language.
        effect: the sound before it, or None.
        question: whether the table has to answer it. Nothing cuts a question short.
        lasting: whether it is said however the game goes on: it is about the box, and said once.
        joined: the ids of those whose coming it tells, so that those who come meanwhile can be told of with them.
        facts: its names and numbers, from which it can be told in another language.
        spoken: what the voice reads where that differs from the text, since somebody has spelled their name for it.
    """

    key: str
    text: str
    language: Language = field(repr=False)
    effect: Effect | None = None
    question: bool = False
    lasting: bool = False
    joined: tuple[int, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    spoken: str = field(default="", compare=False, repr=False)

    @property
    def for_the_voice(self) -> str:
        """What the synthesiser reads, in the spelling that it reads right."""
        return self.language.pronounce(self.spoken or self.text)

    def told_in(self, language: Language) -> str:
        """Return its words in another language."""
        return _words(self.key, self.facts, language)


def line(
    language: Language,
    key: str,
    facts: Mapping[str, object],
    effect: Effect | None = None,
    *,
    question: bool = False,
) -> Line:
    """Return a line of a language file.

    Args:
        language: in which it is said.
        key: which line: a key of `[say]`, or `refused.CODE`.
        facts: what stands in its placeholders; an `InLanguage` where that differs from language to language.
        effect: the sound before it.
        question: whether the table has to answer it.

    Raises:
        KeyError: no such line, or a fact is missing: a fault of ours, never of a language file.
    """
    text, spoken = _words(key, facts, language), _words(key, facts, language, is_spoken=True)
    return Line(key, text, language, effect, question, facts=facts, spoken="" if spoken == text else spoken)


def _words(key: str, facts: Mapping[str, object], language: Language, *, is_spoken: bool = False) -> str:
    if key.startswith(_REFUSAL):
        return language.refusals[key.removeprefix(_REFUSAL)]
    told = {name: fact(language) if callable(fact) else fact for name, fact in facts.items()}
    if is_spoken:
        told = {name: fact.spoken if isinstance(fact, Called) else fact for name, fact in told.items()}
    return language.say(key, **told)
