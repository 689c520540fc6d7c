"""Write every sound as a WAV file: `python -m sounds.make [FOLDER]`, into this folder if none is named.

How each is made stands in `sounds/making/`. Chance comes from `random.Random(seed).random()`, whose sequence Python
promises to keep, so a run repeats the last one, byte for byte. Another processor or NumPy may compute a sine
differently in its last bit and so round a sample the other way, by one step of 16 bits.
"""

from __future__ import annotations

import argparse
import wave
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sounds import FOLDER, Palette, Theme
from sounds.making import beds, bells, cabaret, music
from sounds.making.levels import levelled, loudness, true_peak
from sounds.making.tape import SAMPLE_RATE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from sounds.making.tape import Sound

THEMES = {Theme.BELLS: bells.RECIPES, Theme.CABARET: cabaret.RECIPES}

RECIPES: Mapping[Path, Callable[[], Sound]] = {
    **{Palette(theme).path(effect): recipe for theme, recipes in THEMES.items() for effect, recipe in recipes.items()},
    **{bed.path: recipe for bed, recipe in beds.RECIPES.items()},
    **{piece.path: recipe for piece, recipe in music.RECIPES.items()},
}
"""How each file of this folder is made."""


def samples(path: Path) -> NDArray[np.int16]:
    """Return a sound as it is written into its file."""
    return np.rint(levelled(RECIPES[path]()) * 32767).astype(np.int16)


def write(path: Path, folder: Path) -> Path:
    """Make the sound that lies at a path of this folder, write it at the same place of another; return where it is."""
    target = folder / path.relative_to(FOLDER)
    target.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(target), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(samples(path).astype("<i2").tobytes())
    return target


def main() -> None:
    """Write all sounds and say what came of each."""
    parser = argparse.ArgumentParser(prog="python -m sounds.make", description="Write the sounds.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder: Path = parser.parse_args().folder
    for path in RECIPES:
        target = write(path, folder)
        with wave.open(str(target), "rb") as file:
            sound = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
        print(
            f"{path.relative_to(FOLDER)!s:<26} {len(sound) / SAMPLE_RATE:5.2f} s {target.stat().st_size:9,} bytes"
            f"  {loudness(sound):6.2f} LUFS  {true_peak(sound):6.2f} dBTP"
        )


if __name__ == "__main__":
    main()
