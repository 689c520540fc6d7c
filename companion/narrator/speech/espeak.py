"""The box's own voice: eSpeak NG through pyttsx3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.narrator.child import PYTHON
from companion.narrator.sound import VoiceError
from companion.narrator.speech import library
from companion.narrator.speech.speech import LINE_SECONDS
from companion.narrator.speech.working import (
    ATTEMPT_SECONDS,
    IDLE_SECONDS,
    PREPARE_SECONDS,
    START_SECONDS,
    WorkerSpeaker,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from companion.narrator.sound import Voice

WORKER = (*PYTHON, "companion.narrator.speech.worker")
_OWN_PITCH = 50


class EspeakSpeaker(WorkerSpeaker):
    """Speaks with eSpeak NG, the system's or the wheel's."""

    def __init__(
        self,
        cache_dir: Path,
        *,
        command: Sequence[str] = WORKER,
        attempt_seconds: float = ATTEMPT_SECONDS,
        prepare_seconds: float = PREPARE_SECONDS,
        line_seconds: float = LINE_SECONDS,
        start_seconds: float = START_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """Open the cache, as `WorkerSpeaker`; nothing is started.

        Raises:
            VoiceError: spoken lines can be kept nowhere at all.
        """
        super().__init__(
            cache_dir,
            command=command,
            fingerprint=library.fingerprint(),
            attempt_seconds=attempt_seconds,
            prepare_seconds=prepare_seconds,
            line_seconds=line_seconds,
            start_seconds=start_seconds,
            idle_seconds=idle_seconds,
        )

    def called(self, voice: Voice) -> str:  # noqa: ARG002 - the seam's shape
        """Return its name: one voice of it is like another."""
        return "eSpeak NG"

    def describe(self, voice: Voice) -> str:
        """Say in one sentence which synthesiser and which voice this is; never raises."""
        try:
            engine = self.engine()
        except VoiceError as error:
            return f"No voice: {error}."
        variant = f" variant {voice.variant}" if voice.variant else ""
        pitch = f", pitch {voice.pitch}" if voice.pitch != _OWN_PITCH else ""
        manner = f"voice {voice.identifier}{variant} at {voice.rate_wpm} words a minute{pitch}"
        return f"{engine}, licence GPL-3.0-or-later, {manner}."
