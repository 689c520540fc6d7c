from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from companion.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state directory that is not there yet."""
    return tmp_path / "state"


@pytest.fixture
def opened(state: Path) -> Iterator[Callable[..., Journal]]:
    """Opens journals of the state directory, which are closed at the end."""
    journals: list[Journal] = []

    def open_journal(directory: Path = state, **options: object) -> Journal:
        journals.append(Journal.open(directory, **options))  # type: ignore[arg-type]
        return journals[-1]

    yield open_journal
    for journal in journals:
        journal.close()
