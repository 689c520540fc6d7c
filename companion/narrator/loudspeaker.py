"""The loudspeaker: one thread owns the sound card, its volumes and its reopening. Nobody waits for it.

A card may take seconds to open, come late, be pulled out, or hang: the game goes on with captions meanwhile. When the
cards of this machine change, a card that cannot be heard, or that is whichever the system likes, is opened anew; one
that hangs is given up after a while and tried again. What is asked for meanwhile is not played afterwards, when its
time is over.
"""

from __future__ import annotations

import logging
import time
from threading import Event
from typing import TYPE_CHECKING

from companion.machine.inbox import Inbox
from companion.narrator.mixer import OutputError
from companion.narrator.sound import Track
from companion.narrator.sound_card import DOES_NOT_ANSWER, CardLostError
from companion.narrator.volumes import STEPS, Volumes, gain_of_step, nearest_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.narrator.sound import Card, Clip

LOOK_SECONDS = 2.0
"""How often the cards are looked at, in a folder that the kernel keeps in memory."""
HANGS_SECONDS = 2.0
"""After how long a card that does not come back from what it was asked for counts as one that hangs."""
RETRY_SECONDS = 60.0
"""After how long a card that was lost is tried once more, when it was lost again at once."""

_TURN_SECONDS = 0.1
"""Long enough not to click, short enough to be heard under the finger."""
_CLOSE_SECONDS = 0.5

logger = logging.getLogger(__name__)


class Loudspeaker:
    """An `Output` on whatever card there is. Asking for something returns at once."""

    def __init__(
        self,
        open_card: Callable[[], Card],
        volumes: Volumes | None = None,
        *,
        step: int = STEPS,
        is_named: bool = False,
        look: Callable[[], frozenset[str]] | None = None,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        """Begin to open the card.

        Args:
            open_card: opens it; raises OutputError where nothing can be heard.
            volumes: how loud each track is beside the others.
            step: how loud all of them are together, from 0 to `STEPS`.
            is_named: whether the settings name a card; if not, any change may be one of the card that is used.
            look: says which cards there are, an OSError where that cannot be said at the moment; None where the card
                is the same for ever.
            look_seconds: how often that is looked at.
        """
        self._open_card = open_card
        self._gains = (volumes or Volumes()).gains()
        self._step = nearest_step(step)
        self._is_named = is_named
        self._look = look
        self._look_seconds = look_seconds
        self._look_at = 0.0
        self._cards: frozenset[str] = frozenset()
        self._card: Card | None = None
        self._no_card = ""
        """Why there is no card."""
        self._lost = False
        """Whether opening it once more may help."""
        self._retry_at = 0.0
        self._asked = dict.fromkeys(Track, 1.0)
        self._loops: dict[Track, Clip] = {}
        self._newest: dict[Track, object] = {}
        """What each track was asked for last: anything older that still waits is not played."""
        self._played: set[Track] = set()
        """The tracks on which something may sound: only these have to be stopped."""
        self._opened = Event()
        self._inbox = Inbox("loudspeaker", self._do_what_is_due)
        self._inbox.put(self._open_at_first)
        self._inbox.start()

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Start a clip on its track, in place of what sounded there."""
        self._newest[track] = request = object()
        too_late = None if loop else time.monotonic() + clip.seconds
        self._inbox.put(lambda: self._play(request, clip, track, too_late))

    def stop(self, track: Track) -> None:
        """End what sounds on a track, without a click."""
        self._newest[track] = request = object()
        self._inbox.put(lambda: self._stop(request, track))

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Set a track's volume, 0.0 (silence) to 1.0 (as loud as the table has it), gliding there in `fade_seconds`."""
        self._inbox.put(lambda: self._set_volume(track, volume, fade_seconds))

    def turn_to(self, step: int) -> None:
        """Turn everything together to a step from 0 (silence) to `STEPS` (as it was made)."""
        self._inbox.put(lambda: self._turn_to(step))

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well, or not known yet."""
        if self._inbox.waits_seconds > HANGS_SECONDS:
            return DOES_NOT_ANSWER
        card = self._card
        return self._no_card if card is None else card.trouble

    def wait_until_open(self, seconds: float) -> bool:
        """Wait until the card has been opened, or cannot be; whether that is known in time. For commands alone."""
        return self._opened.wait(seconds)

    @property
    def is_open(self) -> bool:
        """Whether the card has been opened, or cannot be."""
        return self._opened.is_set()

    def close(self) -> None:
        """Stop everything and give the sound card back; one that hangs is left alone."""
        self._inbox.put(self._close)
        self._inbox.close()
        self._inbox.join(_CLOSE_SECONDS)

    # --- the loudspeaker's own thread --------------------------------------------------------------------------------

    def _open_at_first(self) -> None:
        if self._look is not None:
            try:
                self._cards = self._look()
            except OSError:
                logger.warning("Nobody can look which sound cards there are.")
        self._open()

    def _open(self) -> None:
        try:
            card = self._open_card()
        except OutputError as error:
            self._card, self._no_card = None, str(error)
            self._lost = isinstance(error, CardLostError)
        else:
            for track in Track:
                if self._volume(track) < 1.0:
                    card.set_volume(track, self._volume(track))
            # A line that was cut is over, but the rain has to fall again: it covers what hands do in the night.
            for track, clip in self._loops.items():
                card.play(clip, track, loop=True)
            self._card, self._no_card, self._lost = card, "", False
        finally:
            self._opened.set()

    def _play(self, request: object, clip: Clip, track: Track, too_late: float | None) -> None:
        if request is not self._newest.get(track):
            return
        if too_late is not None and time.monotonic() > too_late:
            self._stop(request, track)
            return
        if too_late is None:
            self._loops[track] = clip
        else:
            self._loops.pop(track, None)
        if self._card is not None:
            self._card.play(clip, track, loop=too_late is None)
            self._played.add(track)

    def _stop(self, request: object, track: Track) -> None:
        self._loops.pop(track, None)
        # What is to sound there next takes the place of what does: the card is not asked twice on the way to a sound.
        if request is self._newest.get(track) and track in self._played and self._card is not None:
            self._card.stop(track)
            self._played.discard(track)

    def _set_volume(self, track: Track, volume: float, fade_seconds: float) -> None:
        self._asked[track] = volume
        if self._card is not None:
            self._card.set_volume(track, self._volume(track), fade_seconds)

    def _turn_to(self, step: int) -> None:
        self._step = nearest_step(step)
        for track, asked in self._asked.items():
            self._set_volume(track, asked, _TURN_SECONDS)

    def _volume(self, track: Track) -> float:
        return self._asked[track] * self._gains[track] * gain_of_step(self._step)

    def _close(self) -> None:
        if self._card is not None:
            self._card.close()

    def _do_what_is_due(self) -> float | None:
        """Let volumes glide, and look at the cards now and then."""
        seconds = None if self._card is None else self._card.glide()
        if self._look is None:
            return seconds
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + self._look_seconds
            self._look_at_the_cards(self._look)
            if now >= self._retry_at and (self._lost or (self._card is not None and self._card.is_lost)):
                self._retry_at = now + RETRY_SECONDS
                self._open_anew()
        left = max(0.0, self._look_at - now)
        return left if seconds is None else min(seconds, left)

    def _look_at_the_cards(self, look: Callable[[], frozenset[str]]) -> None:
        try:
            found = look()
        except OSError:
            # Where nobody can look the cards are what they were: a card that is open plays on.
            return
        if found == self._cards:
            return
        self._cards = found
        is_well = self._card is not None and not self._card.trouble
        if self._is_named and is_well:
            return
        self._open_anew()
        logger.info("the sound cards have changed; the sound was opened anew")

    def _open_anew(self) -> None:
        # The old one has to be given back before.
        self._close()
        self._card = None
        self._open()
