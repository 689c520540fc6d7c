"""Chooses who speaks, and renders the lines of an evening before it begins."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from companion.narrator.announcer import lines_to_prepare
from companion.narrator.mixer import MutedOutput, OutputError, open_output
from companion.narrator.night import voice_of
from companion.narrator.recorder import Recorder
from companion.narrator.sound import VoiceError
from companion.narrator.speech.espeak import EspeakSpeaker
from companion.narrator.speech.silent import SilentSpeaker

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.languages import Language
    from companion.narrator.sound import Output, Speaker
    from companion.settings import Settings

_PATIENCE_SECONDS = 0.4
"""A bar that would be full before it is read is not shown."""


def open_speaker(settings: Settings) -> Speaker:
    """Return who speaks by the settings. Without any voice the captions keep their time in silence."""
    if settings.voice == "silent":
        return SilentSpeaker("the voice is switched off")
    try:
        return EspeakSpeaker(settings.cache_dir / "voice")
    except VoiceError as error:
        print(f"No voice: {error}. Captions are shown instead.", file=sys.stderr)
        return SilentSpeaker(str(error))


def open_loudspeaker(settings: Settings) -> Output:
    """Return the loudspeaker of the settings, a file in its place, or what stands in for one."""
    if settings.sound_file is not None:
        try:
            return Recorder(settings.sound_file)
        except OutputError as error:
            return MutedOutput(str(error))
    return open_output(settings.sound_device or None, silent=settings.voice == "silent")


def prepare(speaker: Speaker, language: Language) -> str:
    """Render every fixed line of a language, with a progress bar when that takes its time.

    Returns:
        Why it could not be done, in one sentence; empty when every line is there.
    """
    bar = _Bar(f"Learning to speak {language.name}")
    try:
        speaker.prepare(lines_to_prepare(language), voice_of(language), bar.progress)
    except VoiceError as error:
        return str(error)
    finally:
        bar.close()
    return ""


class _Bar:
    """A progress bar on the error output that comes only when there is something to wait for."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._began = time.monotonic()
        self._update: Callable[[int, int], None] | None = None
        self._close: Callable[[], None] = lambda: None

    def progress(self, done: int, total: int) -> None:
        """Show how far it is."""
        if self._update is None and time.monotonic() - self._began > _PATIENCE_SECONDS:
            self._open()
        if self._update is not None:
            self._update(done, total)

    def close(self) -> None:
        """Leave the bar as it is."""
        self._close()

    def _open(self) -> None:
        # Imported late: with a warm cache no bar is ever shown.
        from tqdm import tqdm  # noqa: PLC0415

        bar = tqdm(total=1, desc=self._label, unit="line", leave=False, disable=not sys.stderr.isatty())

        def update(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        self._update, self._close = update, bar.close
