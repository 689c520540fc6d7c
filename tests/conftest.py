"""Options that the long tests take."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=200, help="how many times the kill test kills a playing box")
    parser.addoption("--monkeys", type=int, default=5_000, help="how many random presses the monkeys make")
