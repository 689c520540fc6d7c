"""`companion narrate`: one night and nothing else, aloud, into a file, or as a timed script."""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING

from companion import languages, voice
from companion.machine.clock import SystemClock
from companion.narrator.narrator import Narrator
from companion.narrator.night import Pauses, Performance, perform, timed_script, write
from companion.narrator.sound import VoiceError
from companion.narrator.speech.silent import SilentSpeaker

if TYPE_CHECKING:
    from pathlib import Path

    from companion.narrator.line import InLanguage, Line
    from companion.narrator.sound import Speaks
    from companion.settings import Settings


def run(settings: Settings, players: int, output: Path | None, script_format: str | None) -> int:
    """Speak or write the night for a number of players, 5 to 10, and return the exit code."""
    speaker = voice.open_patient_speech(settings)
    try:
        performance = _perform(settings, players, speaker, must_speak=output is not None and settings.voice != "silent")
        if performance is None:
            return 1
        if script_format is not None:
            _print(performance, script_format)
        if output is not None:
            return _write(performance, output, settings)
        if script_format is None:
            _speak(settings, performance)
    finally:
        speaker.close()
    return 0


def _perform(settings: Settings, players: int, speaker: Speaks, *, must_speak: bool) -> Performance | None:
    language = languages.load(settings.language)
    pauses = Pauses(settings.night_long_pause_seconds, settings.night_gesture_pause_seconds, settings.night_pace)
    try:
        return perform(language, players, speaker, pauses, settings.palette)
    except VoiceError as error:
        if must_speak:
            print(f"The night could not be spoken: {error}", file=sys.stderr)
            return None
        print(f"No voice: {error}. The times are estimated from the texts.", file=sys.stderr)
        silent = SilentSpeaker(str(error), voice.silence_folder(settings))
        return perform(language, players, silent, pauses, settings.palette)


def _print(performance: Performance, script_format: str) -> None:
    script = timed_script(performance)
    if script_format == "json":
        print(json.dumps(script, ensure_ascii=False, indent=1))
        return
    for step in performance.steps:
        pause = f"   ({step.pause_seconds:g} s)"
        print(f"{_minutes(step.at_seconds)}  {step.step:<6} {step.text}{pause}")
    print(f"{_minutes(performance.end_seconds)}  end")


def _minutes(seconds: float) -> str:
    return f"{int(seconds // 60)}:{seconds % 60:04.1f}"


def _write(performance: Performance, output: Path, settings: Settings) -> int:
    try:
        write(performance, output, voice.volumes(settings), settings.palette)
    except OSError as error:
        print(f"{output}: cannot be written: {error.strerror or error}", file=sys.stderr)
        return 1
    print(f"{output}: {_minutes(performance.end_seconds)}", file=sys.stderr)
    return 0


def _speak(settings: Settings, performance: Performance) -> None:
    output = voice.open_loudspeaker_and_wait(settings)
    if output.trouble:
        print(output.trouble, file=sys.stderr)
    audience = _Reader()
    silent = SilentSpeaker("the night is rendered already", voice.silence_folder(settings))
    narrator = Narrator(silent, silent, output, SystemClock(), audience, settings.palette)
    try:
        narrator.hold_night(lambda: performance)
        narrator.start()
        while narrator.holds_night or not audience.finished.is_set():
            audience.finished.wait(0.1)
    except KeyboardInterrupt:
        print()
    finally:
        narrator.close()
        output.close()


class _Reader:
    """Prints each line as it is said."""

    def __init__(self) -> None:
        self.finished = threading.Event()

    def caption(self, text: str, speaking: bool, told: InLanguage | None = None) -> None:  # noqa: ARG002 - who reads along here reads one language
        """Print a line or a sound that begins."""
        if text:
            print(text, flush=True)
        if not speaking:
            self.finished.set()

    def line_said(self, line: Line) -> None:
        """Nothing waits for it here."""

    def night_reached_ask(self) -> None:
        """Nothing waits for it here."""

    def voice_trouble(self, sentence: str) -> None:
        """Say why nothing is heard."""
        print(sentence, file=sys.stderr)
