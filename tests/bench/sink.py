"""What stands where the sound card would be, and notes when it hears something."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from companion.narrator import sound_worker
from companion.narrator.sound import Track
from companion.narrator.sound_card import SoundCard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from companion.narrator.sound import Clip, Output

perf = time.perf_counter


class Sink:
    """Where the sound card would be: a pipe that notes when something is heard in it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "loudspeaker"
        os.mkfifo(self.path)
        self.heard = threading.Event()
        self.heard_at = 0.0
        self._thread = threading.Thread(target=self._listen, name="sink", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(2)

    def open_card(self) -> SoundCard:
        """Open the sink as a box opens its card, in a process of its own."""
        return SoundCard(lead_in_seconds=0.0, command=(sys.executable, "-P", __file__))

    def _listen(self) -> None:
        with self.path.open("rb", buffering=0) as pipe:
            while samples := pipe.read(4096):
                if not self.heard.is_set() and samples.strip(b"\0"):
                    self.heard_at = perf()
                    self.heard.set()


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
    output.stop(Track.VOICE)
    time.sleep(0.3)
    sink.heard.clear()
    began = perf()
    begin()
    assert sink.heard.wait(2)
    return (sink.heard_at - began) * 1000


def main(arguments: list[str]) -> int:
    """Be the process that owns the card, with every buffer written out by itself.

    SDL writes through the C library, which collects 4,096 bytes for a pipe. In the box's own format that is 93 ms of
    sound, and would be what is measured; with frames of eight bytes each buffer of 512 goes out at once.
    """
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    import pygame.mixer  # noqa: PLC0415 - in the process of the card alone

    init = pygame.mixer.init
    pygame.mixer.init = lambda rate, _size, _channels, frames, **more: init(rate, 32, 2, frames, **more)
    return sound_worker.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
