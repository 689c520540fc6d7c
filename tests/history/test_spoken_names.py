"""A name that is forgotten is forgotten as a sound as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion import languages, voice
from companion.narrator.ahead import lines_to_prepare
from companion.narrator.night import voice_of
from companion.narrator.sound import Clip
from companion.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from companion.narrator.sound import Voice


class Spoken:
    """A speaker whose fixed lines lie in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.paths: dict[tuple[str, str], Path] = {}
        for code in ("en", "pl"):
            language = languages.load(code)
            for text in lines_to_prepare(language):
                self.say(text, voice_of(language))

    def say(self, text: str, voice: Voice) -> Path:
        """Keep a line."""
        path = self.folder / f"{len(self.paths)}.wav"
        path.write_bytes(b"sound")
        self.paths[text, voice.identifier] = path
        return path

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Return a line that was kept."""
        path = self.paths.get((text, voice.identifier))
        return None if path is None or not path.exists() else Clip(path, 1.0)


def test_only_lines_without_any_fact_stay(tmp_path: Path) -> None:
    """Whatever may say a name goes, by whichever voice; the lines of every evening need not be rendered anew."""
    speaker = Spoken(tmp_path / "voice")
    english = languages.load("en")
    fixed = set(speaker.paths.values())
    named = [speaker.say(text, voice_of(english)) for text in ("Ada?", "Ada nominates Bo. Everybody, vote.")]
    (tmp_path / "piper").mkdir()
    other = tmp_path / "piper" / "x.wav"
    other.write_bytes(b"Ada, as Piper says it")
    silence = tmp_path / "voice" / "silence-500.wav"
    silence.write_bytes(b"")
    voice.forget_names(Settings(cache_dir=tmp_path), speaker)  # type: ignore[arg-type]
    assert not any(path.exists() for path in (*named, other))
    assert all(path.exists() for path in (*fixed, silence))
