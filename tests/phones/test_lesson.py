"""The rules in a minute as pictures on the table, while the box tells them before the night."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.game import commands
from companion.narrator.teacher import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.phones.table import Table


@pytest.mark.parametrize("code", ["en", "ru", "tr"])
def test_each_rule_has_its_picture_and_the_told_one_is_lit(seated: Callable[[int], Table], code: str) -> None:
    """Six pictures in the table's language, in the place of the empty boards."""
    table = seated(5)
    table.box.do(commands.ChooseLanguage(code))
    table.deal()
    lines = languages.load(code).lines
    table.box.feed.post(teaches=True, caption=lines[RULES[2]])
    page = table.phone().get("/table").text
    assert page.count("data-says=") == len(RULES)
    lit = page.partition('class="said"')[2]
    assert page.count('class="said"') == 1
    assert lines[RULES[2]] in lit.partition("</li>")[0].replace("&#39;", "'")


def test_a_table_that_knows_the_rules_sees_its_boards(seated: Callable[[int], Table]) -> None:
    """Without lessons, before the deal and after the night there are no such pictures."""
    table = seated(5)
    assert "data-says=" not in table.phone().get("/table").text
    table.deal()
    assert "data-says=" not in table.phone().get("/table").text
    table.box.feed.post(teaches=True)
    assert "data-says=" in table.phone().get("/table").text
    for _ in range(3):
        assert table.box.push("ja", held=True).result().ok
    assert "data-says=" not in table.phone().get("/table").text
