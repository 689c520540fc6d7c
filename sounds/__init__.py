"""The sounds of the box, as data: each by name, where its file lies and how long it sounds.

The files are written by `python -m sounds.make`; README.md beside this file tells how. Importing this package
reads nothing and needs nothing but Python.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

__all__ = ["FOLDER", "Bed", "Effect", "Music", "Palette", "Theme", "seconds"]

FOLDER = Path(__file__).resolve().parent

_HEADER_BYTES = 44
_BYTES_PER_SECOND = 2 * 22_050


class Effect(StrEnum):
    """What the box can sound besides its voice; the value is the name of the file without `.wav`."""

    EYES_CLOSE = "eyes_close"
    """Everyone is about to be told to close their eyes."""

    EYES_OPEN = "eyes_open"
    """The night is over."""

    ATTENTION = "attention"
    """The box is about to speak, or waits for somebody."""

    REFUSED = "refused"
    """A button was pressed that does nothing now."""

    LIBERAL_POLICY = "liberal_policy"
    FASCIST_POLICY = "fascist_policy"

    CHAOS = "chaos"
    """The election tracker is full: the top policy is enacted without a vote."""

    WIN_LIBERAL = "win_liberal"
    WIN_FASCIST = "win_fascist"


class Theme(StrEnum):
    """The instruments that play the effects; the value is the name of their folder."""

    BELLS = "bells"
    """Bells, strings and a drum."""

    CABARET = "cabaret"
    """A piano, an accordion and a brush on a drum."""


class Bed(StrEnum):
    """What covers the small noises of hands and sleeves at night: a quiet loop, without fades of its own."""

    RAIN = "rain"
    FIRE = "fire"
    BROOK = "brook"

    @property
    def path(self) -> Path:
        """The absolute path of its WAV file."""
        return _path("beds", self.value)


class Music(StrEnum):
    """What plays while people gather and when a game is over: a loop, without fades of its own."""

    LOBBY = "lobby"
    END = "end"

    @property
    def path(self) -> Path:
        """The absolute path of its WAV file."""
        return _path("music", self.value)


@dataclass(frozen=True, slots=True)
class Palette:
    """The sounds that a table has chosen.

    Attributes:
        theme: which instruments play the effects.
        bed: what covers the noises of the night.
    """

    theme: Theme = Theme.BELLS
    bed: Bed = Bed.RAIN

    def path(self, effect: Effect) -> Path:
        """Return the absolute path of an effect's WAV file (22,050 Hz, mono, 16 bit)."""
        return _path(self.theme.value, effect.value)


# Both are asked for with every sound, for days, and the files do not change meanwhile. To look anew each time is more
# than slow: `pathlib` gives each part of a path that it reads to Python's table of strings, and a table through which
# new strings pass for ever is made twice as large one day, though no more are in it.


@cache
def _path(folder: str, name: str) -> Path:
    return FOLDER / folder / f"{name}.wav"


@cache
def seconds(path: Path) -> float:
    """Return how long one of these sounds lasts, once through.

    Told by the length of its file, which is known without opening it: a night begins also when nothing can be opened.
    """
    return (path.stat().st_size - _HEADER_BYTES) / _BYTES_PER_SECOND
