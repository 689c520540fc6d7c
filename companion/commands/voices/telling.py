"""Which voice speaks each language here, how long a sample takes, and what a language file still lacks."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from companion import languages, voice
from companion.machine import terminal
from companion.narrator.night import voice_of
from companion.narrator.sound import Track, VoiceError
from companion.narrator.speech.recorded import write_script

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from companion.settings import Settings


def run(settings: Settings, codes: Sequence[str], *, aloud: bool) -> int:
    """Print a line for each language, say its sample when `aloud`; return 1 when one has no voice, else 0.

    The language that the table speaks is marked.
    """
    speaker = voice.open_patient_speech(settings)
    told = ""
    output = voice.open_loudspeaker_and_wait(settings) if aloud else None
    if output is not None and output.trouble:
        print(output.trouble, file=sys.stderr)
    failed = False
    width = max(len(languages.load(code).name) for code in codes)
    try:
        for code in codes:
            language = languages.load(code)
            settings_of_voice = voice_of(language)
            mark = "*" if code == settings.language else " "
            began = time.perf_counter()
            try:
                clip = speaker.clip(language.pronounce(language.say("sample")), settings_of_voice)
            except VoiceError as error:
                print(f"{mark} {code}  {language.name:<{width}} no voice: {error}")
                failed = True
                continue
            took = time.perf_counter() - began
            described = (
                f"{mark} {code}  {language.name:<{width}} {speaker.describe(settings_of_voice)}"
                f" Sample: {clip.seconds:.1f} s of speech in {took:.2f} s."
            )
            print(terminal.fitted(described, width + 7), flush=True)
            note = speaker.note
            if note != told:
                told = note
                print(note, file=sys.stderr)
            if output is not None:
                output.play(clip, Track.VOICE)
                time.sleep(clip.seconds + 0.5)
    finally:
        speaker.close()
        if output is not None:
            output.close()
    if len(codes) > 1:
        print("* the table speaks this language")
    return int(failed)


def write_lines(file: Path, codes: Sequence[str]) -> int:
    """Write the lines that a recorded voice reads aloud, with the names of their files; return 0."""
    file.write_text(write_script([languages.load(code) for code in codes]), encoding="utf-8")
    return 0


def missing(code: str) -> int:
    """List what is wrong with a language file, and what of it is still English; return 0 when it is whole.

    Raises:
        LanguageError: there is no such file, or it cannot be read at all.
    """
    file = languages.FOLDER / f"{languages.known(code)}.toml"
    wrong = languages.faults(file)
    english = [] if file.stem == languages.codes()[0] else languages.untranslated(file)
    for title, found in (("Wrong", wrong), ("Still English", english)):
        if found:
            print(f"{title}: {len(found)}")
            for line in found:
                print(f"  {line}")
    if not wrong and not english:
        print(f"{file.name} is whole.")
    return int(bool(wrong or english))
