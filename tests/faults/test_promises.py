from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import companion

PAGE = Path(companion.__file__).parent / "PROMISES.md"
ROOT = Path(__file__).parents[2]


def test_every_test_that_a_promise_names_is_there() -> None:
    """Each promise stands beside at least one file of tests or a command, and each of those exists."""
    text = PAGE.read_text("utf-8")
    promises = re.findall(r"^\| (.+) \| (.*`(?:tests/|python -m ).+) \|$", text, re.MULTILINE)
    assert len(promises) >= 12
    for promise, tested in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)`", tested)
        modules = re.findall(r"`python -m ([\w.]+)[^`]*`", tested)
        assert named or modules, promise
        for file in named:
            assert "def test_" in (ROOT / file).read_text("utf-8"), file
    for module in re.findall(r"`python -m ([\w.]+)", text):
        assert importlib.util.find_spec(module), module


def test_every_row_of_promises_names_its_tests() -> None:
    """No promise is made without saying how it is tested."""
    sections = PAGE.read_text("utf-8").split("\n## ")
    for section in sections:
        if section.startswith("Your "):
            rows = [row for row in section.splitlines() if row.startswith("| ")][1:]
            assert rows
            assert all("`tests/" in row.split(" | ")[1] for row in rows)


def test_options_of_commands_on_the_page_are_real() -> None:
    """What the page tells people to type is taken by the program."""
    from companion import cli  # noqa: PLC0415 - the parser is all that is wanted

    words = set(re.findall(r"`companion (\w+) (--\w+)", PAGE.read_text("utf-8")))
    assert words == {("selftest", "--report"), ("history", "--export")}
    parser = cli._parser()
    for command, option in words:
        assert parser.parse_args([command, option, "file"]).command == command
