"""A sound card in a process of its own, as the loudspeaker holds it: opened, asked, and given up when it hangs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from companion.narrator import alsa
from companion.narrator.child import PYTHON, Child, ChildLostError, ChildSlowError
from companion.narrator.mixer import LEAD_IN_SECONDS, OutputError
from companion.narrator.sound import VoiceError
from companion.narrator.worker import message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from companion.narrator.sound import Clip, Track

WORKER = (*PYTHON, "companion.narrator.sound_worker")
OPEN_SECONDS = 30.0
"""How long a card may take to be opened, its process and pygame with it; a slow one takes eight on a laptop."""
ASK_SECONDS = 20.0
"""How long it may take for anything else before it is given up."""
DOES_NOT_ANSWER = "Nothing can be heard: the sound card does not answer."

_CLOSE_SECONDS = 0.3


class CardLostError(OutputError):
    """The card hung, or what plays on it died: opening it again may help."""


class SoundCard:
    """A `Card` that is opened, and played on, in another process. Used from one thread."""

    def __init__(
        self,
        device: str | None = None,
        *,
        lead_in_seconds: float = LEAD_IN_SECONDS,
        channels: int = 1,
        file: Path | None = None,
        command: Sequence[str] = WORKER,
        open_seconds: float = OPEN_SECONDS,
        ask_seconds: float = ASK_SECONDS,
    ) -> None:
        """Open the card, or a file in its place, and wait until it is awake.

        Args:
            device: an ALSA name such as `plughw:CARD=Device`, or None for what the system takes for its default.
            lead_in_seconds: how much silence the card gets first.
            channels: 1, or 2 to try the sides apart.
            file: a WAV file to record into; None for the card.
            command: how the process is started.
            open_seconds: how long that may take.
            ask_seconds: how long anything else may take.

        Raises:
            OutputError: nothing can be heard.
        """
        self._device = device
        self._ask_seconds = ask_seconds
        self._trouble = ""
        self.is_lost = False
        """Whether it will not play any more, and another has to be opened."""
        options = {
            "device": device,
            "lead_in_seconds": lead_in_seconds,
            "channels": channels,
            "file": str(file.absolute()) if file else "",
        }
        try:
            self._child = Child((*command, json.dumps(options)), "the sound card")
        except ChildLostError as error:
            raise CardLostError(f"Nothing can be heard: {error}.") from error
        try:
            self._child.greet(open_seconds + lead_in_seconds)
        except ChildSlowError as error:
            self._child.end()
            raise CardLostError(DOES_NOT_ANSWER) from error
        except ChildLostError as error:
            self._child.end()
            raise CardLostError(f"Nothing can be heard: {error}.") from error
        except VoiceError as error:
            self._child.end()
            raise OutputError(str(error)) from error

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Start a clip on its track, in place of what sounded there."""
        self._ask(message(do="play", path=str(clip.path), seconds=clip.seconds, track=track, loop=loop))

    def stop(self, track: Track) -> None:
        """End what sounds on a track, without a click."""
        self._ask(message(do="stop", track=track))

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Set a track's volume, 0.0 (silence) to 1.0, gliding there in `fade_seconds`."""
        self._ask(message(do="set_volume", track=track, volume=volume, fade_seconds=fade_seconds))

    def glide(self) -> None:
        """Do nothing: the other process moves its volumes by itself."""

    @property
    def trouble(self) -> str:
        """Why nothing can be heard, in one sentence; empty while all is well."""
        missing = alsa.missing_card(self._device)
        return missing or self._trouble

    def close(self) -> None:
        """Stop everything and give the card back; one that hangs is given up."""
        if not self.is_lost:
            self._ask(message(do="close"), _CLOSE_SECONDS)
        self.is_lost = True
        self._child.end()

    def _ask(self, request: bytes, seconds: float | None = None) -> None:
        if self.is_lost:
            return
        try:
            answer = self._child.ask(request, self._ask_seconds if seconds is None else seconds)
        except ChildLostError as error:
            slow = isinstance(error, ChildSlowError)
            self._trouble = DOES_NOT_ANSWER if slow else f"Nothing can be heard: {error}."
            self.is_lost = True
            self._child.end()
        else:
            self._trouble = str(answer.get("trouble", ""))
