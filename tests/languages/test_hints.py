"""Hints on the role cards of those who play for the first time: none tells by its length what it is for."""

import pytest

from companion import languages
from companion.game.vocabulary import Role


@pytest.mark.parametrize("code", languages.codes())
def test_no_hint_is_longer_than_another(code: str) -> None:
    """Within two letters in each language, and short enough to be read while a finger holds the card."""
    page = languages.load(code).page
    lengths = [len(page[f"hint_{role}"]) for role in Role]
    assert max(lengths) - min(lengths) <= 2
    assert max(lengths) <= 85
