"""What a journal holds, as text that notices a flipped bit: rows, their checksums, and the head that names the last."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from companion.game import events
from companion.journal import codec

if TYPE_CHECKING:
    from companion.game.evening import Entry


@dataclass(frozen=True, slots=True)
class Row:
    """One entry with its wall time (UTC, ISO 8601), which is for history and decides nothing."""

    at: str
    entry: Entry = field(repr=False)

    @property
    def opens_game(self) -> bool:
        """Whether a game begins with this row."""
        return isinstance(self.entry[0], events.GameOpened)


@dataclass(frozen=True, slots=True)
class Head:
    """The last row of a file; the checksum is that of its whole game."""

    game: int = 0
    sequence: int = 0
    checksum: int = 0


def checksum_of(game: int, sequence: int, at: str, text: str, before: int) -> int:
    """Return the checksum of a row: a CRC-32 that goes on from the row before it, 0 before the first."""
    return zlib.crc32(f"{game} {sequence} {at} {text}".encode(), before)


def setting_checksum(key: str, value: str) -> int:
    """Return the checksum of a small setting."""
    return zlib.crc32(f"{key}={value}".encode())


def text_of(entry: Entry) -> str:
    """Return an entry as the file keeps it: JSON, without spaces."""
    return json.dumps([codec.to_plain(event) for event in entry], separators=(",", ":"))


def entry_from(text: str) -> Entry:
    """Return the entry that a text holds.

    Raises:
        ValueError: it holds none.
    """
    plain = json.loads(text)
    if not isinstance(plain, list) or not plain:
        raise ValueError("not an entry")
    return tuple(codec.from_plain(each) for each in plain)
