"""Clips that sound from one side alone, to hear whether a loudspeaker is where it should be.

The box itself plays one channel, which every card gives to both sides: one loudspeaker is enough for a game.
"""

from __future__ import annotations

import array
import wave
from enum import StrEnum
from typing import TYPE_CHECKING

from companion.narrator.sound import SAMPLE_RATE, Clip

if TYPE_CHECKING:
    from pathlib import Path

CHANNELS = 2
"""What a mixer has to be opened with for the two to differ."""


class Side(StrEnum):
    """Where a sound comes from."""

    LEFT = "left"
    RIGHT = "right"


def one_sided(clip: Clip, side: Side, folder: Path) -> Clip:
    """Return a clip that sounds as another does, on one side, with silence on the other.

    Args:
        clip: the sound, one channel of 16 bits.
        side: where it shall be heard.
        folder: where the file is made; the caller removes it.

    Raises:
        OSError: the sound cannot be read, or the file cannot be written.
        wave.Error: the sound is no WAV file.
    """
    with wave.open(str(clip.path), "rb") as file:
        frames = array.array("h", file.readframes(file.getnframes()))
    both = array.array("h", bytes(CHANNELS * frames.itemsize * len(frames)))
    # Samples alternate, the left one first; copied as they are, they keep the order of their bytes.
    both[list(Side).index(side) :: CHANNELS] = frames
    path = folder / f"{side}.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((CHANNELS, frames.itemsize, SAMPLE_RATE, 0, "NONE", "not compressed"))
        file.writeframes(both.tobytes())
    return Clip(path, clip.seconds)
