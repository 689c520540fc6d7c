"""What a translator is told who knows no Python: every fault at once, and what is still English."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from companion import cli, languages
from companion.languages import loader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of language files in which somebody has just begun a new one: a copy of the English."""
    for path in loader.FOLDER.glob("*.toml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    english = (tmp_path / "en.toml").read_text("utf-8")
    (tmp_path / "xx.toml").write_text(english.replace('code = "en"', 'code = "xx"'), "utf-8")
    monkeypatch.setattr(loader, "FOLDER", tmp_path)
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    loader.codes.cache_clear()
    yield tmp_path
    loader.codes.cache_clear()


def change(folder: Path, *changes: tuple[str, str]) -> None:
    """Edit the new file."""
    path = folder / "xx.toml"
    text = path.read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, "utf-8")


def test_every_fault_of_a_file_is_told_in_one_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the tables, the voice and the night: nobody mends one slip a run."""
    change(
        folder,
        ('welcome = "Welcome', 'welcom = "Welcome'),
        ('player_left = "{name}', 'player_left = "{nam}'),
        ("rate_wpm = 140", "rate_wpm = 1400"),
        ('{ step = "SHUT"', '{ step = "SHUTT"'),
    )
    assert cli.main(["voices", "--missing", "xx"]) == 1
    told = capsys.readouterr().out
    for fault in (
        "say.welcom: unknown key; did you mean 'welcome'?",
        "say.welcome: is missing",
        "say.player_left: the placeholders are not those of English",
        "voice.rate_wpm: is not from 80 to 400",
        "'SHUTT' is not one of",
    ):
        assert fault in told
    with pytest.raises(languages.LanguageError, match=r"more faults are listed by `companion voices --missing xx`"):
        languages.read(folder / "xx.toml")


def test_what_is_still_english_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fresh copy is all English, how its words are read included; what was translated leaves the list."""
    assert cli.main(["voices", "--missing", "xx"]) == 1
    told = capsys.readouterr().out
    assert "say.welcome" in told
    assert "night.many.MEET" in told
    # English spellings in the mouth of another voice spoil every second word.
    assert "pronunciation.close" in told
    change(folder, ('welcome = "Welcome to Secret Hitler.', 'welcome = "Bienvenue.'))
    assert cli.main(["voices", "--missing", "xx"]) == 1
    assert "say.welcome" not in capsys.readouterr().out


@pytest.mark.parametrize("code", languages.codes())
def test_the_languages_of_the_box_are_whole(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is wrong with them, and nothing of them is still English."""
    assert cli.main(["voices", "--missing", code]) == 0
    assert "is whole" in capsys.readouterr().out


def test_a_language_that_has_no_file_has_nothing_to_list(capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, with those that there are."""
    assert cli.main(["voices", "--missing", "pk"]) == 2
    assert "no language 'pk'" in capsys.readouterr().err
