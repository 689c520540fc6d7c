"""`companion voices`: which voice speaks each language here, how long a sample takes, and what it sounds like."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from companion import languages, voice
from companion.narrator.night import voice_of
from companion.narrator.sound import Track, VoiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.settings import Settings


def run(settings: Settings, codes: Sequence[str], *, aloud: bool) -> int:
    """Print a line for each language, say its sample when `aloud`; return 1 when one has no voice, else 0."""
    speaker = voice.open_speaker(settings)
    output = voice.open_loudspeaker(settings) if aloud else None
    if output is not None and output.trouble:
        print(output.trouble, file=sys.stderr)
    failed = False
    try:
        for code in codes:
            language = languages.load(code)
            settings_of_voice = voice_of(language)
            began = time.perf_counter()
            try:
                clip = speaker.clip(language.pronounce(language.say("sample")), settings_of_voice)
            except VoiceError as error:
                print(f"{code}  {language.name:<10} no voice: {error}")
                failed = True
                continue
            took = time.perf_counter() - began
            print(
                f"{code}  {language.name:<10} {speaker.describe(settings_of_voice)}"
                f" Sample: {clip.seconds:.1f} s of speech in {took:.2f} s.",
                flush=True,
            )
            if output is not None:
                output.play(clip, Track.VOICE)
                time.sleep(clip.seconds + 0.5)
    finally:
        speaker.close()
        if output is not None:
            output.close()
    return int(failed)
