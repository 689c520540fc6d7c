"""A worker whose eSpeak NG speaks while it is called, as one that was built without its asynchronous part does.

The real library is told to work synchronously. It gives the callbacks that the aarch64 wheel of espeakng-loader 0.2.4
gives: the samples, then an empty list of events without samples, and no `MSG_TERMINATED`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from companion.narrator.speech import library, worker

if TYPE_CHECKING:
    from pathlib import Path

load = library.load


def load_in_one_thread(workspace: Path) -> library.Library:
    found = load(workspace)
    from pyttsx3.drivers import _espeak  # noqa: PLC0415 - it looks for the library while it is imported

    _espeak.AUDIO_OUTPUT_RETRIEVAL = _espeak.AUDIO_OUTPUT_SYNCHRONOUS
    return found


if __name__ == "__main__":
    library.load = load_in_one_thread
    sys.exit(worker.main(sys.argv[1:]))
