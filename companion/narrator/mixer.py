"""One mixer, opened once and kept open, with a channel for each track."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import CompanionError
from companion.narrator import alsa
from companion.narrator.sound import SAMPLE_RATE, Clip, Track

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygame.mixer import Channel, Sound

BUFFER_FRAMES = 512
"""23 ms: a press is heard 15 to 22 ms later, and a small computer keeps up."""
LEAD_IN_SECONDS = 1.0
"""HDMI and some USB cards swallow the first second after they are opened."""
CACHE_BYTES = 8 * 1024 * 1024

_STOP_MILLISECONDS = {Track.MUSIC: 1500}
"""Music goes, everything else stops."""
_OTHER_STOP_MILLISECONDS = 120
"""SDL turns down once in a buffer: it takes five of them for the steps to be too small to click."""
_GLIDE_STEP_SECONDS = 0.02

_log = logging.getLogger(__name__)


class OutputError(CompanionError):
    """No sound card could be opened; the message is one sentence for the log and the page."""


@dataclass(frozen=True, slots=True)
class _Glide:
    """A volume on its way."""

    start: float
    end: float
    began: float
    seconds: float

    def at(self, now: float) -> float:
        part = min(1.0, (now - self.began) / self.seconds)
        return self.start + (self.end - self.start) * part

    def is_over(self, now: float) -> bool:
        return now - self.began >= self.seconds


class PygameMixer:
    """A `Card` through pygame's mixer, in this process. For one thread.

    The box has it in a process of its own (`sound_card`): pygame keeps Python's lock while a card is opened.

    SDL takes SIGTERM and SIGINT for itself where nobody handles them yet, and a service then takes a minute to stop; it
    is told not to, so the order in which handlers are set does not matter.
    """

    def __init__(
        self,
        device: str | None = None,
        *,
        lead_in_seconds: float = LEAD_IN_SECONDS,
        cache_bytes: int = CACHE_BYTES,
        channels: int = 1,
    ) -> None:
        """Open the sound card and wait until it is awake.

        Args:
            device: an ALSA name such as `plughw:CARD=Device`, or None for what the system takes for its default. Names
                stay when cards are plugged in another order, numbers do not.
            lead_in_seconds: how much silence the card gets before this returns.
            cache_bytes: how much sound is kept in memory.
            channels: 1, which the card gives to every loudspeaker; 2 to try the sides apart.

        Raises:
            OutputError: there is no such card, or it is in use.
        """
        self._device = device
        self._cache_bytes = cache_bytes
        self._width = channels
        self._channels: dict[Track, Channel] = {}
        self._sounds: OrderedDict[tuple[Path, Track], Sound] = OrderedDict()
        self._playing: dict[Track, Sound] = {}
        self._volumes = dict.fromkeys(Track, 1.0)
        self._glides: dict[Track, _Glide] = {}
        self._trouble = ""
        self._closed = False
        self.is_lost = False
        """Never: what hangs here hangs for ever."""
        self._open(lead_in_seconds)

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Start a clip on its track, in place of what sounded there."""
        if self._closed or alsa.missing_card(self._device):
            return
        with self._careful(f"The sound {clip.path.name} could not be played"):
            sound = self._sound(clip.path, track)
            # The sound's own volume: the channel's is set back to full by play(), for a moment that could be heard.
            sound.set_volume(self._volumes[track])
            self._channels[track].play(sound, loops=-1 if loop else 0)
            self._playing[track] = sound
            self._trouble = ""

    def stop(self, track: Track) -> None:
        """End what sounds on a track, without a click."""
        with self._careful(f"The {track} could not be stopped"):
            if self._playing.pop(track, None) is not None:
                self._channels[track].fadeout(_STOP_MILLISECONDS.get(track, _OTHER_STOP_MILLISECONDS))

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Set a track's volume, 0.0 (silence) to 1.0 (as it was made), gliding there in `fade_seconds` by `glide`.

        The volume is a factor of the amplitude; it stays for whatever is played on the track later.
        """
        volume = min(1.0, max(0.0, volume))
        self._glides.pop(track, None)
        if fade_seconds > 0.0:
            self._glides[track] = _Glide(self._volumes[track], volume, time.monotonic(), fade_seconds)
        else:
            self._apply(track, volume)

    def glide(self) -> float | None:
        """Move the volumes that are on their way; return in how many seconds again, None when all have arrived."""
        now = time.monotonic()
        for track, glide in list(self._glides.items()):
            if glide.is_over(now):
                del self._glides[track]
            self._apply(track, glide.at(now))
        return _GLIDE_STEP_SECONDS if self._glides else None

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well.

        A card that is unplugged is noticed where ALSA names it; a sound server keeps such things to itself.
        """
        return alsa.missing_card(self._device) or self._trouble

    def close(self) -> None:
        """Stop everything and give the sound card back."""
        import pygame.mixer  # noqa: PLC0415 - see _open

        if self._closed:
            return
        with self._careful("The sound card could not be given back"):
            self._closed = True
            self._sounds.clear()
            self._playing.clear()
            pygame.mixer.quit()

    def _open(self, lead_in_seconds: float) -> None:
        os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
        os.environ["SDL_NO_SIGNAL_HANDLERS"] = "1"
        _name_device(self._device)
        try:
            # Not earlier: pygame prints its greeting while it is imported, and a box without sound need not have it.
            import pygame.mixer  # noqa: PLC0415

            _quiet_alsa()
            # No changes allowed: whatever the card likes, the mixer works at the rate of the clips.
            pygame.mixer.init(SAMPLE_RATE, -16, self._width, BUFFER_FRAMES, allowedchanges=0)
        except ImportError as error:
            raise OutputError("Nothing can be heard: pygame is not installed.") from error
        except pygame.error as error:
            raise OutputError(f"Nothing can be heard: {self._named()} cannot be opened ({error}).") from error
        pygame.mixer.set_num_channels(len(Track))
        self._channels = {track: pygame.mixer.Channel(number) for number, track in enumerate(Track)}
        self._trouble = (
            "Nothing can be heard: SDL plays into its dummy." if pygame.mixer.get_driver() == "dummy" else ""
        )
        # The open mixer sends silence by itself.
        time.sleep(lead_in_seconds)

    def _named(self) -> str:
        return f"the sound card {self._device}" if self._device else "the default sound card"

    def _sound(self, path: Path, track: Track) -> Sound:
        """Return a loaded clip; one for each track, since a sound has its volume for itself."""
        import pygame.mixer  # noqa: PLC0415 - see _open

        key = (path, track)
        sound = self._sounds.pop(key, None)
        if sound is None:
            sound = pygame.mixer.Sound(str(path))
        self._sounds[key] = sound
        # The oldest go first; a channel holds on to what it plays.
        while len(self._sounds) > 1 and self._bytes_kept() > self._cache_bytes:
            self._sounds.popitem(last=False)
        return sound

    def _bytes_kept(self) -> int:
        return sum(2 * self._width * round(sound.get_length() * SAMPLE_RATE) for sound in self._sounds.values())

    def _apply(self, track: Track, volume: float) -> None:
        self._volumes[track] = volume
        sound = self._playing.get(track)
        if sound is not None:
            with self._careful(f"The volume of {track} could not be set"):
                sound.set_volume(volume)

    @contextlib.contextmanager
    def _careful(self, trouble: str) -> Iterator[None]:
        """Turn whatever goes wrong into `trouble`: a game never stops for want of a sound."""
        try:
            yield
        except (RuntimeError, OSError, ValueError, MemoryError) as error:
            # pygame's own error is a RuntimeError.
            self._trouble = f"{trouble} ({error})."


def open_mixer(
    device: str | None = None, *, lead_in_seconds: float = LEAD_IN_SECONDS, channels: int = 1
) -> PygameMixer:
    """Open the sound card; where none is named and the default cannot be opened, the only one there is.

    Args:
        device: as `PygameMixer`.
        lead_in_seconds: as `PygameMixer`.
        channels: as `PygameMixer`.

    Raises:
        OutputError: nothing can be heard; the sentence says what would help.
    """
    try:
        return PygameMixer(device, lead_in_seconds=lead_in_seconds, channels=channels)
    except OutputError as error:
        # Without a sound server the default is the first place, and on many a Raspberry Pi no card sits there.
        cards = () if device is not None else tuple(alsa.cards_here())
        if not cards:
            raise
        if len(cards) > 1:
            named = ", ".join(alsa.device_of(card) for card in cards)
            raise OutputError(f"{error} Name the card in the settings as sound.device: {named}.") from error
        _log.info("%s The only card is taken: %s.", error, cards[0])
    return PygameMixer(alsa.device_of(cards[0]), lead_in_seconds=lead_in_seconds, channels=channels)


def _name_device(device: str | None) -> None:
    """Tell SDL which device it opens next, where one is named."""
    if device:
        os.environ.update({"SDL_AUDIODRIVER": "alsa", "AUDIODEV": device})


def _quiet_alsa() -> None:
    """Keep ALSA's ten lines about a missing card off the terminal; the exception says it in one.

    The handler is a C function that does nothing to speak of. One in Python would hang the box: pygame holds Python's
    lock while it waits for SDL's thread, and that thread would wait in the handler for Python's lock.
    """
    with contextlib.suppress(OSError, AttributeError):
        nothing = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p)
        ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(nothing)
