"""The sound card as it comes and goes: speech returns when a card does, whatever it is called.

A mixer lives as long as its card. Whenever the cards of this machine change, the mixer that cannot be heard, or that
plays wherever the system likes, is given up for a new one; the game goes on with captions meanwhile.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from companion import descriptors
from companion.narrator.sound import Track

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.narrator.sound import Clip, Output

_LOOK_SECONDS = 2.0
"""How often the cards are looked at, in a folder that the kernel keeps in memory."""
_CARDS = Path("/proc/asound")

logger = logging.getLogger(__name__)


def cards() -> frozenset[str]:
    """Return the names of the sound cards that ALSA has; none where there is no ALSA, so that nothing ever changes.

    Raises:
        OSError: nobody can look, since no more files can be opened.
    """
    try:
        # `cardN` is a folder, beside it the card's name leads there.
        return frozenset(entry.name for entry in _CARDS.iterdir() if entry.is_symlink())
    except OSError as error:
        if descriptors.are_lacking(error):
            raise
        return frozenset()


class Loudspeaker:
    """An output that is opened anew when a card comes or goes. Safe to call from several threads."""

    def __init__(
        self,
        open_output: Callable[[], Output],
        *,
        is_named: bool,
        on_trouble: Callable[[str], None] = lambda _: None,
        look: Callable[[], frozenset[str]] = cards,
        every_seconds: float = _LOOK_SECONDS,
    ) -> None:
        """Open the card that is there now, or what stands in for one.

        Args:
            open_output: opens the mixer, or what stands in where it cannot be opened.
            is_named: whether the settings name a card; if not, any change may be one of the card that is used.
            on_trouble: is given the sentence when what was heard is heard no more, and an empty one when it is again.
            look: which cards there are; an OSError where that cannot be said at the moment.
            every_seconds: how often that is looked at.
        """
        self._open_output = open_output
        self._is_named = is_named
        self._on_trouble = on_trouble
        self._look = look
        self._every_seconds = every_seconds
        # Held while a mixer is exchanged: there is one in a process, and the old one has to be closed first.
        self._lock = threading.RLock()
        self._volumes: dict[Track, float] = {}
        self._loops: dict[Track, Clip] = {}
        self._held: set[Track] = set()
        self._ended = threading.Event()
        self._cards = look()
        self._output = open_output()
        self._told = self._output.trouble
        self._watch = threading.Thread(target=self._mind_the_cards, name="sound-cards", daemon=True)
        self._watch.start()

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Start a clip on its track, in place of what sounded there."""
        with self._lock:
            self._forget(track)
            if loop:
                self._loops[track] = clip
            self._output.play(clip, track, loop=loop)

    def stop(self, track: Track) -> None:
        """End what sounds on a track, without a click."""
        with self._lock:
            self._forget(track)
            self._output.stop(track)

    def pause(self, track: Track) -> None:
        """Hold a track where it is."""
        with self._lock:
            self._held.add(track)
            self._output.pause(track)

    def resume(self, track: Track) -> None:
        """Go on with a held track."""
        with self._lock:
            self._held.discard(track)
            self._output.resume(track)

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Set a track's volume, 0.0 (silence) to 1.0, gliding there in `fade_seconds`."""
        with self._lock:
            self._volumes[track] = volume
            self._output.set_volume(track, volume, fade_seconds)

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well."""
        return self._output.trouble

    def close(self) -> None:
        """Stop everything and give the sound card back."""
        self._ended.set()
        with self._lock:
            self._output.close()

    def _forget(self, track: Track) -> None:
        self._loops.pop(track, None)
        self._held.discard(track)

    def _mind_the_cards(self) -> None:
        while not self._ended.wait(self._every_seconds):
            try:
                found = self._look()
            except OSError:
                # Where nobody can look the cards are what they were: a mixer that is open plays on.
                continue
            if found != self._cards:
                self._cards = found
                self._take_what_is_there()
            self._tell()

    def _take_what_is_there(self) -> None:
        """Open the sound anew, unless it is the card that the settings name, and it is well."""
        with self._lock:
            if self._ended.is_set() or (self._is_named and not self._output.trouble and self._told == ""):
                return
            self._output.close()
            self._output = self._open_output()
            for track, volume in self._volumes.items():
                self._output.set_volume(track, volume)
            # A line that was cut is over, but the rain has to fall again: it covers what hands do in the night.
            for track, clip in self._loops.items():
                self._output.play(clip, track, loop=True)
                if track in self._held:
                    self._output.pause(track)
        logger.info("the sound cards have changed; the sound was opened anew")

    def _tell(self) -> None:
        trouble = self._output.trouble
        if trouble != self._told:
            self._told = trouble
            self._on_trouble(trouble)
