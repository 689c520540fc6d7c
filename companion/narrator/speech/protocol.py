"""What the box and the process that speaks say to each other: a line of JSON a message.

The first line comes from the worker unasked: `ok` and `engine`, a description of the synthesiser; or a refusal. A
request is a `Request`; its answer is `ok` and `seconds`, or a refusal: `ok` false, `error`, a sentence, and `kind`, a
`Failure`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from companion.narrator.sound import Voice
from companion.narrator.worker import message

if TYPE_CHECKING:
    from pathlib import Path


class Failure(StrEnum):
    """Why a line was not rendered."""

    ENGINE = "engine"
    """The synthesiser gave no speech; another process may."""
    VOICE = "voice"
    """There is no such voice; asking again is no use."""
    STORAGE = "storage"
    """The file could not be written; another folder may do."""


@dataclass(frozen=True, slots=True)
class Request:
    """A line to render.

    Attributes:
        text: what to say.
        voice: eSpeak NG's name of the voice, with its folder.
        rate_wpm: words a minute.
        pitch: 0 to 99.
        variant: a speaker variant, or empty.
        path: the absolute path of the WAV file to write.
    """

    text: str
    voice: str
    rate_wpm: int
    pitch: int
    variant: str
    path: str

    @classmethod
    def of(cls, text: str, voice: Voice, path: Path) -> Request:
        """Ask for a text in a voice."""
        return cls(text, voice.identifier, voice.rate_wpm, voice.pitch, voice.variant, str(path.absolute()))

    @classmethod
    def parse(cls, line: str) -> Request:
        """Read a request.

        Raises:
            ValueError: the line is no request.
        """
        facts = json.loads(line)
        try:
            return cls(**facts)
        except TypeError as error:
            raise ValueError(f"that is no request: {error}") from error

    @property
    def spoken_by(self) -> Voice:
        """The voice that is asked for."""
        return Voice(self.voice, self.rate_wpm, self.pitch, self.variant)

    def line(self) -> bytes:
        """Write the request."""
        return message(**asdict(self))


def refusal(kind: Failure, error: str) -> dict[str, Any]:
    """Return the facts of a refusal."""
    return {"ok": False, "error": error, "kind": kind}
