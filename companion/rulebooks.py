"""Which rules are played: the retail game, or the language's own rulebook as it is printed."""

from __future__ import annotations

from companion import languages
from companion.game.editions import RETAIL, Rules, printed


def rules_of(rules: str, language: str) -> Rules:
    """Return the rules of a setting (`retail` or `printed`) in a language.

    Raises:
        LanguageError: the language's file names a point that no rulebook has.
    """
    if rules == "retail":
        return RETAIL
    try:
        return printed(languages.load(language).printed_rules)
    except ValueError as error:
        raise languages.LanguageError(f"{language}.toml: printed_rules.{error}") from None
