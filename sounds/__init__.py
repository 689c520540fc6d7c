"""The sounds of the box, as data: every effect by name, where its file lies and how long it sounds.

The files are written by `python -m sounds.make`; README.md beside this file tells how. Importing this package
reads nothing and needs nothing but Python.
"""

from enum import StrEnum
from functools import cache
from pathlib import Path

__all__ = ["Effect", "path", "seconds"]

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

    BED = "bed"
    """Quiet rain that covers the small noises of hands and sleeves: a loop, without fades of its own."""


# Both are asked for with every effect that sounds, for days, and the files do not change meanwhile. To look anew each
# time is more than slow: `pathlib` gives each part of a path that it reads to Python's table of strings, and a table
# through which new strings pass for ever is made twice as large one day, though no more are in it.


@cache
def path(effect: Effect) -> Path:
    """Return the absolute path of an effect's WAV file (22,050 Hz, mono, 16 bit)."""
    return Path(__file__).resolve().parent / f"{effect.value}.wav"


@cache
def seconds(effect: Effect) -> float:
    """Return how long an effect sounds, once through.

    Told by the length of its file, which is known without opening it: a night begins also when nothing can be opened.
    """
    return (path(effect).stat().st_size - _HEADER_BYTES) / _BYTES_PER_SECOND
