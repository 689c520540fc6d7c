"""A worker whose eSpeak NG speaks on a thread of its own, as pyttsx3 would have it where the library has one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from companion.narrator.speech import library, worker

if TYPE_CHECKING:
    from pathlib import Path

load = library.load


def load_with_a_thread(workspace: Path) -> library.Library:
    found = load(workspace)
    from companion.narrator.speech import synthesis  # noqa: PLC0415 - it looks for the library while it is imported

    synthesis.MODE = synthesis._espeak.AUDIO_OUTPUT_RETRIEVAL
    return found


if __name__ == "__main__":
    library.load = load_with_a_thread
    sys.exit(worker.main(sys.argv[1:]))
