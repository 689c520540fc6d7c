from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.phones.fake_box import FakeBox
from tests.phones.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def box() -> FakeBox:
    """A box in its lobby."""
    return FakeBox()


@pytest.fixture
def table(box: FakeBox) -> Table:
    """A table with nobody at it."""
    return Table(box)


@pytest.fixture
def seated() -> Callable[[int], Table]:
    """Tables with so many people that have sat down by phone."""

    def sit(players: int) -> Table:
        table = Table(FakeBox())
        table.sit(players)
        return table

    return sit
