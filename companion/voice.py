"""Chooses who speaks, and renders the lines of an evening before it begins."""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from companion import languages
from companion.narrator.ahead import lines_to_prepare
from companion.narrator.alsa import card_names
from companion.narrator.loudspeaker import Loudspeaker
from companion.narrator.mixer import LEAD_IN_SECONDS, OutputError
from companion.narrator.night import voice_of
from companion.narrator.sides import CHANNELS
from companion.narrator.sound import VoiceError
from companion.narrator.sound_card import SoundCard
from companion.narrator.speech.espeak import EspeakSpeaker
from companion.narrator.speech.piper import PiperSpeaker, find_models
from companion.narrator.speech.piper import version as piper_version
from companion.narrator.speech.recorded import RecordedSpeaker
from companion.narrator.speech.silent import SilentSpeaker
from companion.narrator.speech.speech import Speech
from companion.narrator.speech.working import START_SECONDS
from companion.narrator.volumes import STEPS, Volumes
from companion.settings import default_cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from tqdm import tqdm

    from companion.languages import Language
    from companion.narrator.sound import Card, Speaker
    from companion.settings import Settings

PIPER_MISSING = "Piper is not installed; pip install 'secret-hitler-companion[piper]' brings it"

_PATIENT_START_SECONDS = 300.0
"""How long a command waits for a worker: a small computer that does other things besides may take a minute or two."""
_LONGEST_OPENING_SECONDS = 15.0
"""How long a command waits for a sound card to be opened; a slow one takes eight seconds."""
_LOOK_UP_SECONDS = 0.05
_PATIENCE_SECONDS = 0.4
"""A bar that would be full before it is read is not shown."""
_BAR_SIZE = {"ncols": 78, "nrows": 24}
"""Told rather than asked for: a serial console says that it has no rows, and gets no bar then."""


_OWN_LINES, _PIPER_LINES = "voice", "piper"
"""Folders of the cache in which lines are kept that were spoken for a table."""


def open_speaker(settings: Settings, *, start_seconds: float = START_SECONDS) -> Speaker:
    """Return who speaks by the settings. Without any voice the captions keep their time in silence.

    Args:
        settings: of the box.
        start_seconds: how long a worker of the box's own voice may take to be ready.
    """
    if settings.voice == "silent":
        return SilentSpeaker("the voice is switched off", silence_folder(settings))
    try:
        speaker = _with_piper(settings, EspeakSpeaker(settings.cache_dir / _OWN_LINES, start_seconds=start_seconds))
        if settings.recordings is None:
            return speaker
        spoken = [languages.load(code) for code in languages.codes()]
        return RecordedSpeaker(settings.recordings, spoken, settings.cache_dir / "recorded", speaker)
    except VoiceError as error:
        print(f"No voice: {error}. Captions are shown instead.", file=sys.stderr)
        return SilentSpeaker(str(error), silence_folder(settings))


def silence_folder(settings: Settings) -> Path:
    """Return where silences are kept that stand in for lines."""
    return settings.cache_dir / "silence"


def open_patient_speech(settings: Settings) -> Speech:
    """Return who speaks by the settings, for a command that nobody at a table waits for.

    It waits minutes for a worker to start, and for a line however long that takes: waking its voice alone may take a
    small computer nine seconds. Where the cache is somebody else's, as an installed box's is for all but its service,
    it keeps its lines in the user's own.
    """
    own = replace(settings, cache_dir=_own_cache(settings.cache_dir))
    return Speech(open_speaker(own, start_seconds=_PATIENT_START_SECONDS), is_patient=True)


def _own_cache(folder: Path) -> Path:
    """Return a cache folder, or the user's own in place of one that is there and that this user may not write."""
    if not folder.exists() or os.access(folder, os.W_OK | os.X_OK):
        return folder
    own = default_cache()
    print(f"The lines in {folder} are not this user's; lines are kept in {own}.", file=sys.stderr)
    return own


def _with_piper(settings: Settings, own: EspeakSpeaker) -> Speaker:
    """Let Piper speak the languages for which there is a voice, with the box's own voice behind it."""
    models, troubles = find_models(settings.voice_dir)
    if models and not piper_version():
        troubles.append(f"The voices in {settings.voice_dir} are not used: {PIPER_MISSING}.")
        models = {}
    if not models and not troubles:
        return own
    return PiperSpeaker(models, settings.cache_dir / _PIPER_LINES, own, troubles=troubles)


def open_loudspeaker(settings: Settings, *, step: int = STEPS, lead_in_seconds: float = LEAD_IN_SECONDS) -> Loudspeaker:
    """Return the loudspeaker of the settings, or the file in its place, while it is still being opened.

    It finds a card that comes late, or back, by itself. Where no sound is wanted it stays silent.

    Args:
        settings: of the box.
        step: how loud the whole box is.
        lead_in_seconds: how much silence a card gets first.
    """
    is_card = settings.voice != "silent" and settings.sound_file is None
    return Loudspeaker(
        lambda: _open_card(settings, lead_in_seconds),
        volumes(settings),
        step=step,
        is_named=bool(settings.sound_device),
        look=card_names if is_card else None,
    )


def open_loudspeaker_and_wait(settings: Settings) -> Loudspeaker:
    """Return the loudspeaker of the settings when it can be heard, or cannot be: for a command that nobody plays by."""
    loudspeaker = open_loudspeaker(settings)
    loudspeaker.wait_until_open(_LONGEST_OPENING_SECONDS)
    return loudspeaker


def open_sides(settings: Settings) -> Loudspeaker:
    """Return the loudspeaker of the settings, opened so that left and right can be tried apart.

    The loudspeaker that was open until now has to be closed before.
    """
    loudspeaker = Loudspeaker(lambda: SoundCard(settings.sound_device or None, channels=CHANNELS), volumes(settings))
    loudspeaker.wait_until_open(_LONGEST_OPENING_SECONDS)
    return loudspeaker


def volumes(settings: Settings) -> Volumes:
    """Return how loud the settings have each track."""
    return Volumes(
        settings.sound_voice_volume,
        settings.sound_effects_volume,
        settings.sound_bed_volume,
        settings.sound_music_volume,
    )


def _open_card(settings: Settings, lead_in_seconds: float) -> Card:
    """Open the card or the file of the settings. Raises OutputError where nothing can be heard."""
    if settings.voice == "silent":
        raise OutputError("Nothing can be heard: the sound is switched off.")
    return SoundCard(settings.sound_device or None, lead_in_seconds=lead_in_seconds, file=settings.sound_file)


def learn(
    speech: Speech,
    language: Language,
    *,
    still_wanted: Callable[[], bool] = lambda: True,
    on_line: Callable[[], None] = lambda: None,
    show: Callable[[str], None] | None = None,
) -> str:
    """Render every fixed line of a language, and show how far it is when that takes its time.

    Args:
        speech: who speaks.
        language: what.
        still_wanted: asked again and again; the rest is left when somebody has ended the box meanwhile.
        on_line: called after every line.
        show: shows a line of text on a terminal that belongs to the panel; None for a bar on a terminal that is free.

    Returns:
        Why it could not be done, as a clause; empty when every line is there, or no longer wanted.
    """
    bar = _Bar(f"Learning to speak {language.name}", show)

    def progress(done: int, total: int) -> None:
        bar.progress(done, total)
        on_line()

    learnt = speech.learn(lines_to_prepare(language), voice_of(language), progress)
    try:
        while still_wanted():
            # A synthesiser that hangs must not keep anybody from ending the box.
            with suppress(TimeoutError):
                learnt.result(_LOOK_UP_SECONDS)
                break
    except VoiceError as error:
        return str(error)
    except CancelledError:
        return ""
    finally:
        bar.close()
    return ""


def forget_names(settings: Settings, speaker: Speaker) -> None:
    """Remove every spoken line from the cache that may hold a name: all but those that hold no fact at all."""
    kept = {
        clip.path
        for language in map(languages.load, languages.codes())
        for text in lines_to_prepare(language)
        if (clip := speaker.find(text, voice_of(language))) is not None
    }
    for folder in (_OWN_LINES, _PIPER_LINES):
        for path in (settings.cache_dir / folder).absolute().glob("*.wav"):
            if path not in kept and not path.name.startswith("silence-"):
                path.unlink(missing_ok=True)


class _Bar:
    """A progress bar on the error output that comes only when there is something to wait for."""

    def __init__(self, label: str, show: Callable[[str], None] | None) -> None:
        self._label = label
        self._show = show
        self._began = time.monotonic()
        self._bar: tqdm[NoReturn] | None = None

    def progress(self, done: int, total: int) -> None:
        """Show how far it is."""
        if time.monotonic() - self._began < _PATIENCE_SECONDS:
            return
        if self._show is not None:
            self._show(f"{self._label}: {done} of {total}")
        elif sys.stderr.isatty():
            if self._bar is None:
                self._bar = self._open(total)
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def _open(self, total: int) -> tqdm[NoReturn]:
        # Imported late: with a warm cache no bar is ever shown.
        from tqdm import tqdm  # noqa: PLC0415

        shape = "{desc} {bar} {n_fmt} of {total_fmt} lines, {remaining} left"
        # Every line counts: tqdm would wait for as many as came at once before.
        return tqdm(
            total=total, desc=self._label, bar_format=shape, leave=False, ascii=_strokes(), miniters=1, **_BAR_SIZE
        )


def _strokes() -> str:
    """Return what a bar is drawn with: a line where the terminal has it."""
    try:
        "\u2501".encode(sys.stderr.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return " #"
    return " \u2501"
