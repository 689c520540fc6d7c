"""What stands where the sound card would be, and notes when it hears something."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from companion.narrator import sound_worker
from companion.narrator.mixer import BUFFER_FRAMES
from companion.narrator.sound import SAMPLE_RATE, Track
from companion.narrator.sound_card import SoundCard

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.narrator.sound import Clip, Output

perf = time.perf_counter

REST_SECONDS = 0.06
"""A contact counts again after 50 ms of stable release."""

SILENCE_SECONDS = 0.05
"""What counts as a silence: two buffers and a bit."""


class Sink:
    """Where the sound card would be: a pipe, and a process that tells when something is heard in it."""

    def __init__(self, folder: Path) -> None:
        """Make the pipe in a folder, which should not lie on the disk of the journal.

        Each write changes the time of the pipe, and a file system that is at a commit lets that wait for it.
        """
        self.path = folder / "loudspeaker"
        os.mkfifo(self.path)
        self.heard = threading.Event()
        self.heard_at = 0.0
        self._thread = threading.Thread(target=self._listen, name="sink", daemon=True)

    def __enter__(self) -> Self:
        # A process of its own: in that of the box it would hear late whenever the box is at work.
        words = (sys.executable, "-P", __file__, "listen", str(self.path))
        self._listener = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.terminate()
        self._listener.wait(2)
        self._thread.join(2)

    def open_card(self) -> SoundCard:
        """Open the sink as a box opens its card, in a process of its own."""
        return SoundCard(lead_in_seconds=0.0, command=(sys.executable, "-P", __file__))

    def _listen(self) -> None:
        assert self._listener.stdout is not None
        for line in self._listener.stdout:
            if not self.heard.is_set():
                self.heard_at = float(line)
                self.heard.set()


def listen(path: Path) -> None:
    """Be the process that listens: print the time, of the clock that all processes share, when a silence ends."""
    silent_since = 0.0
    with path.open("rb", buffering=0) as pipe:
        while samples := pipe.read(4096):
            now = perf()
            if not samples.strip(b"\0"):
                silent_since = silent_since or now
                continue
            if silent_since and now - silent_since > SILENCE_SECONDS:
                print(now, flush=True)
            silent_since = 0.0


class WatchedOutput:
    """Passes everything on to the loudspeaker, and notes when the voice is asked for."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.played = threading.Event()
        self.played_at = 0.0

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        if track is Track.VOICE and not self.played.is_set():
            self.played_at = perf()
            self.played.set()
        self._output.play(clip, track, loop=loop)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)


def first_sample_ms(sink: Sink, begin: Callable[[], object], output: Output) -> float:
    """Return how long it takes from `begin` to the first sample at the sink, in milliseconds, out of silence."""
    # The sound before goes on for a moment, as it does while a button is let go: SDL fades it out otherwise when it has
    # hardly begun, and begins the next one a buffer earlier.
    time.sleep(REST_SECONDS)
    output.stop(Track.VOICE)
    # Not in step with the card's buffers, which the last call has ended at: a press comes at any moment of one.
    time.sleep(0.3 + random.uniform(0.0, BUFFER_FRAMES / SAMPLE_RATE))  # noqa: S311 - no secret
    sink.heard.clear()
    began = perf()
    begin()
    assert sink.heard.wait(2)
    return (sink.heard_at - began) * 1000


def main(arguments: list[str]) -> int:
    """Be the process that listens, or the one that owns the card, with every buffer written out by itself.

    SDL writes through the C library, which collects 4,096 bytes for a pipe. In the box's own format that is 93 ms of
    sound, and would be what is measured; with frames of eight bytes each buffer of 512 goes out at once.
    """
    if arguments[0] == "listen":
        listen(Path(arguments[1]))
        return 0
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    import pygame.mixer  # noqa: PLC0415 - in the process of the card alone

    init = pygame.mixer.init
    pygame.mixer.init = lambda rate, _size, _channels, frames, **more: init(rate, 32, 2, frames, **more)
    return sound_worker.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
