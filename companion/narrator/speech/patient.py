"""A voice for a command of its own: nobody plays meanwhile, so a line may take as long as one that is prepared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from companion.narrator.sound import Clip, Speaker, Voice


class PatientSpeaker:
    """Has each line prepared before it asks for it.

    At a table a line that is late is shown instead. Who checks the voices of a small computer, or writes a night, wants
    to hear it: waking its voice alone may take such a computer nine seconds.
    """

    def __init__(self, speaker: Speaker) -> None:
        """Speak with somebody else's voice; closed with this one."""
        self._speaker = speaker

    @property
    def note(self) -> str:
        """What people should know about the voice, in a few sentences; empty while all is well."""
        return str(getattr(self._speaker, "note", ""))

    def prepare(self, texts: Sequence[str], voice: Voice, progress: Callable[[int, int], None] | None = None) -> None:
        """Render and check every text. Raises VoiceError."""
        self._speaker.prepare(texts, voice, progress)

    def clip(self, text: str, voice: Voice) -> Clip:
        """Return the levelled speech of one text, however slowly it comes. Raises VoiceError."""
        self._speaker.prepare([text], voice)
        return self._speaker.clip(text, voice)

    def describe(self, voice: Voice) -> str:
        """Say in one sentence which synthesiser and which voice this is."""
        return self._speaker.describe(voice)

    def close(self) -> None:
        """End the synthesiser and give back what it holds."""
        self._speaker.close()
