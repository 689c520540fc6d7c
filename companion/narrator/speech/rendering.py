"""From a request to a levelled file.

This imports numpy, so only the workers import it.
"""

from __future__ import annotations

import wave
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from companion.narrator import levels
from companion.narrator.sound import SAMPLE_RATE, VoiceError
from companion.narrator.speech.protocol import Failure, Request, refusal
from companion.narrator.speech.wav import write_frames

if TYPE_CHECKING:
    from companion.narrator.levels import Samples
    from companion.narrator.sound import Voice

SHORTEST_SECONDS = 0.2
"""Anything shorter that the synthesiser gives is a line it lost."""


class UnknownVoiceError(VoiceError):
    """The synthesiser has no such voice: asking again is no use."""


class Synthesiser(Protocol):
    """What speaks a text into a WAV file, at whatever level and rate it comes."""

    def render(self, text: str, voice: Voice, path: Path) -> None:
        """Speak a text; raises `UnknownVoiceError` for a voice that is not there, `VoiceError` for no speech."""


class Renderer:
    """Renders requests one after another."""

    def __init__(self, workspace: Path, synthesiser: Synthesiser) -> None:
        """Make a renderer.

        Args:
            workspace: a folder for what is in the making.
            synthesiser: who speaks.
        """
        self._raw = workspace / "raw.wav"
        self._synthesiser = synthesiser

    def serve(self, line: str) -> dict[str, Any]:
        """Render what a line asks for and return the answer's facts."""
        try:
            request = Request.parse(line)
            spoken = levels.level(levels.trim(self._speak(request)), ceiling_dbtp=levels.LINE_CEILING_DBTP)
        except UnknownVoiceError as error:
            return refusal(Failure.VOICE, str(error))
        except (VoiceError, ValueError, OSError) as error:
            return refusal(Failure.ENGINE, str(error))
        try:
            write_frames(Path(request.path), levels.frames_of(spoken))
        except OSError as error:
            return refusal(Failure.STORAGE, f"a spoken line could not be kept: {error.strerror}")
        return {"ok": True, "seconds": len(spoken) / SAMPLE_RATE}

    def _speak(self, request: Request) -> Samples:
        """Return the samples that the synthesiser gives.

        Raises:
            VoiceError: there is no such voice, or they are no speech.
        """
        self._raw.unlink(missing_ok=True)
        self._synthesiser.render(request.text, request.spoken_by, self._raw)
        try:
            with wave.open(str(self._raw), "rb") as file:
                seconds = file.getnframes() / file.getframerate()
        except (OSError, EOFError, wave.Error) as error:
            raise VoiceError("the synthesiser gave no sound") from error
        if seconds <= SHORTEST_SECONDS:
            raise VoiceError(f"the synthesiser gave {seconds:.3f} seconds of sound, which is no speech")
        return levels.read_wav(self._raw)
