"""A card that makes its Raspberry Pi a box at the first start: what is put on its boot partition after flashing.

Raspberry Pi OS runs cloud-init, which reads `user-data` there. What the Imager has written stays in force: where it has
written a `user-data` of its own, ours goes beside it as `vendor-data`, which cloud-init reads as well.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.install.errors import InstallError
from companion.commands.install.target import run_program

if TYPE_CHECKING:
    from companion.commands.install.target import Runner

FOLDER = "secret-hitler-companion"
BOOT = "/boot/firmware"
"""Where Raspberry Pi OS has that partition once it runs."""
_SCRIPTS = ("first-boot", "first-boot.service")
_BOOT_FILES = ("config.txt", "cmdline.txt")
"""What stands on the boot partition of every Raspberry Pi OS."""
_HEAD = "#cloud-config\n# Written by `companion install --make-card`."

PYTHON = "3.13"
"""Of Raspberry Pi OS Trixie."""
_GLIBCS = (17, 24, 26, 27, 28, 31, 34, 35, 36)

_IS_WHOLE = f"All that it needs is on the card, for 64-bit Raspberry Pi OS with Python {PYTHON}: it needs no internet."
_NEEDS_INTERNET = (
    "The wheels of what it needs could not be fetched here: the Raspberry Pi needs the internet at its first start."
)

CLOUD_CONFIG = f"""{_HEAD} It makes this Raspberry Pi a Secret Hitler Companion.
bootcmd:
  - [sh, {BOOT}/{FOLDER}/first-boot, prepare]
"""


def make_card(boot: Path, source: Path, wheels: Path | None, program: Runner = run_program) -> list[str]:
    """Put the program, all that it needs, and what installs it on a card's boot partition.

    Args:
        boot: where the boot partition of the flashed card is mounted.
        source: a wheel of the program, or a copy of the repository.
        wheels: a folder with the wheels that it needs, for a Raspberry Pi; None to fetch them, where that can be done.
        program: runs pip.

    Returns:
        What to know about the card, a sentence each.

    Raises:
        InstallError: this is no such partition, or it cannot be written.
    """
    if not all((boot / name).is_file() for name in _BOOT_FILES):
        raise InstallError(
            f"{boot} is not the boot partition of a card with Raspberry Pi OS: flash the card first, and name the"
            f" folder in which {' and '.join(_BOOT_FILES)} lie."
        )
    folder = boot / FOLDER
    try:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
        for name in _SCRIPTS:
            text = files("companion.commands.install").joinpath("files", name).read_text(encoding="utf-8")
            (folder / name).write_text(text, encoding="utf-8")
        _bring_program(folder, source, program)
        notes = _bring_wheels(folder, wheels, program)
        told = _tell_cloud_init(boot)
    except OSError as error:
        raise InstallError(f"The card in {boot} cannot be written: {error.strerror}.") from None
    return [f"cloud-init reads {told}.", *notes]


def _bring_program(folder: Path, source: Path, program: Runner) -> None:
    if source.is_file():
        shutil.copyfile(source, folder / source.name)
        return
    with tempfile.TemporaryDirectory() as built:
        program((sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", built, str(source)), is_shown=True)
        for wheel in Path(built).glob("*.whl"):
            shutil.copyfile(wheel, folder / wheel.name)


def _bring_wheels(folder: Path, wheels: Path | None, program: Runner) -> list[str]:
    """Put the wheels of all that the program needs beside it; without them the Raspberry Pi fetches them itself."""
    with tempfile.TemporaryDirectory() as fetched:
        found = wheels
        if found is None:
            (ours,) = folder.glob("*.whl")
            platforms = [word for glibc in _GLIBCS for word in ("--platform", f"manylinux_2_{glibc}_aarch64")]
            wanted = (
                "--only-binary=:all:",
                "--python-version",
                PYTHON,
                "--platform",
                "manylinux2014_aarch64",
                *platforms,
            )
            try:
                program((sys.executable, "-m", "pip", "download", "-q", *wanted, "-d", fetched, str(ours)))
            except InstallError:
                return [_NEEDS_INTERNET]
            found = Path(fetched)
        (folder / "wheels").mkdir()
        for wheel in found.glob("*.whl"):
            shutil.copyfile(wheel, folder / "wheels" / wheel.name)
    return [
        f"All that it needs is on the card, for Raspberry Pi OS with Python {PYTHON} of 64 bits: it needs no internet."
    ]


def _tell_cloud_init(boot: Path) -> str:
    """Tell cloud-init what to run, beside what the Imager has told it; return the name of the file."""
    theirs = boot / "user-data"
    has_theirs = theirs.exists() and _HEAD not in theirs.read_text(encoding="utf-8", errors="replace")
    is_empty = has_theirs and not _has_content(theirs)
    name = "vendor-data" if has_theirs and not is_empty else "user-data"
    (boot / name).write_text(CLOUD_CONFIG, encoding="utf-8")
    if not (boot / "meta-data").exists():
        (boot / "meta-data").write_text("instance-id: secret-hitler-companion\n", encoding="utf-8")
    return name


def _has_content(file: Path) -> bool:
    """Whether anything but comments stands in a file, as in the one that Raspberry Pi OS brings."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return any(line.strip() and not line.lstrip().startswith("#") for line in lines)
