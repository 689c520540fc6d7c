"""A voice for whatever is measured: it costs nothing, and is heard by whoever listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.narrator.night import sound_clip
from sounds import Effect, Palette

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.narrator.sound import Clip, Voice


class GongSpeaker:
    """Has the same sound ready for every text: what is measured then is the box, not eSpeak."""

    note = ""

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Return the same sound: it is always there."""
        return self.clip(text, voice)

    def prepare(self, texts: Sequence[str], voice: Voice) -> None:
        """Nothing has to be rendered."""

    def clip(self, text: str, voice: Voice, *, within_seconds: float | None = None) -> Clip:  # noqa: ARG002 - the seam's shape
        """Return the same sound."""
        return sound_clip(Palette().path(Effect.LIBERAL_POLICY))

    def rest(self) -> float | None:
        """It never tires."""

    def kill(self) -> None:
        """Nothing is being rendered."""

    def called(self, voice: Voice) -> str:  # noqa: ARG002 - the seam's shape
        """Say what this is."""
        return "Gong"

    def describe(self, voice: Voice) -> str:  # noqa: ARG002 - the seam's shape
        """Say what this is."""
        return "the same sound for every text"

    def close(self) -> None:
        """Hold nothing back."""
