"""What a new version has to do before it may play: start a whole box, serve its pages, and speak a line.

`python -m companion.commands.install.trial` runs it in the environment that was just made. It needs no pins and
no sound card, and leaves nothing behind.
"""

from __future__ import annotations

import sys
import tempfile
import urllib.request
from contextlib import closing
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path

from companion import languages
from companion.box.app import Companion
from companion.narrator.night import voice_of
from companion.narrator.sound import VoiceError
from companion.settings import Settings
from companion.voice import open_patient_speech

_PAGES = ("", "table", "healthz")
_PAGE_SECONDS = 60.0


def main() -> int:
    """Try this version; return 0, or 1 and print why it does not play."""
    with tempfile.TemporaryDirectory(prefix="companion-trial-") as folder:
        settings = Settings(
            host="127.0.0.1", port=0, panel="web", state_dir=Path(folder, "state"), cache_dir=Path(folder, "cache")
        )
        try:
            _serve(settings)
            _speak(settings)
        except (OSError, HTTPException, VoiceError) as error:
            print(f"This version does not play here: {error}", file=sys.stderr)
            return 1
    return 0


def _serve(settings: Settings) -> None:
    """Open a box and look at its pages.

    Raises:
        OSError: a page does not come.
        HTTPException: what comes is no page.
    """
    silent = replace(settings, voice="silent")
    with closing(Companion(silent)) as box:
        box.open()
        for page in _PAGES:
            with urllib.request.urlopen(box.local_address + page, timeout=_PAGE_SECONDS) as answer:  # noqa: S310 - ours
                answer.read()


def _speak(settings: Settings) -> None:
    """Speak a line in the first language.

    Raises:
        VoiceError: there is no voice.
    """
    language = languages.load(settings.language)
    with closing(open_patient_speech(settings)) as speaker:
        clip = speaker.clip(language.say("sample"), voice_of(language))
        print(f"It serves its pages and speaks: {speaker.describe(voice_of(language))}")
        if clip.seconds <= 0:
            raise VoiceError("the line is empty")


if __name__ == "__main__":
    sys.exit(main())
