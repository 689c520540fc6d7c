"""Which eSpeak NG speaks: the system's where there is one, else the one that came as a wheel."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from companion.narrator.sound import VoiceError

SONAME = "libespeak-ng.so.1"
WHEEL = "espeakng-loader"

_LIBRARY_FOLDERS = ("/usr/local/lib", "/usr/lib", "/lib")
_DATA_FOLDERS = (
    "/usr/local/share/espeak-ng-data",
    "/usr/local/lib/espeak-ng-data",
    "/usr/share/espeak-ng-data",
    "/usr/lib/espeak-ng-data",
)
_LONGEST_DATA_PATH = 120
"""eSpeak NG has 160 characters for this path and its own additions, and ends the process where they do not suffice."""


@dataclass(frozen=True, slots=True)
class Library:
    """A loaded eSpeak NG.

    Attributes:
        origin: where it came from, for people: `from the system` or the wheel's name and version.
    """

    origin: str


def fingerprint() -> str:
    """Return a short text that changes whenever the synthesiser may sound different.

    It is drawn from the files alone, so that a warm cache is used without starting the synthesiser.
    """
    facts = [f"{name} {_version(name)}" for name in ("pyttsx3", WHEEL)]
    for path in (*_system_libraries(), *_system_voices()):
        status = path.stat()
        facts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def load(workspace: Path) -> Library:
    """Load eSpeak NG into this process, so that pyttsx3 finds it under its usual name.

    Args:
        workspace: a folder of the caller's, for a short way to the voices where their own path is too long.

    Raises:
        VoiceError: there is none, or it lacks its voices.
    """
    if not _is_data(Path(os.environ.get("ESPEAK_DATA_PATH", ""))):
        # A wrong path makes eSpeak NG end the process.
        os.environ.pop("ESPEAK_DATA_PATH", None)
    if _system_voices() and _try_to_load(SONAME):
        return Library("from the system")
    try:
        import espeakng_loader  # noqa: PLC0415 - absent where the system brings its own
    except ImportError as error:
        raise VoiceError("eSpeak NG is missing: install the packages libespeak-ng1 and espeak-ng-data") from error
    data = Path(espeakng_loader.get_data_path())
    if not _is_data(data):
        raise VoiceError(f"the wheel {WHEEL} holds no voices in {data}")
    os.environ["ESPEAK_DATA_PATH"] = str(_short(data, workspace))
    # The name with .1 is the one whose soname pyttsx3 asks for.
    if not _try_to_load(f"{espeakng_loader.get_library_path()}.1"):
        raise VoiceError(f"the library in the wheel {WHEEL} does not fit this machine")
    return Library(f"from the wheel {WHEEL} {_version(WHEEL)}")


def _try_to_load(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _short(data: Path, workspace: Path) -> Path:
    """Return a path to the voices that eSpeak NG has room for: the voices' own, or one in the workspace.

    Raises:
        VoiceError: both are too long.
    """
    if len(str(data)) <= _LONGEST_DATA_PATH:
        return data
    link = workspace / "voices"
    if len(str(link)) > _LONGEST_DATA_PATH:
        raise VoiceError(f"eSpeak NG cannot reach its voices: the path {data} is too long, and so is that of {link}")
    try:
        link.symlink_to(data)
    except OSError:
        shutil.copytree(data, link)
    return link


def _system_libraries() -> list[Path]:
    return _each_architecture(SONAME)


def _system_voices() -> list[Path]:
    folders = [Path(name) for name in _DATA_FOLDERS] + _each_architecture("espeak-ng-data")
    return [folder / "phontab" for folder in dict.fromkeys(folders) if _is_data(folder)]


def _each_architecture(name: str) -> list[Path]:
    """Return where Debian and others keep `name`: in a library folder, or in one for each architecture below it."""
    folders = [Path(folder) for folder in _LIBRARY_FOLDERS]
    found = [folder / name for folder in folders] + [path for folder in folders for path in folder.glob(f"*/{name}")]
    return [path for path in found if path.exists()]


def _is_data(folder: Path) -> bool:
    try:
        return folder.is_absolute() and (folder / "phontab").is_file()
    except OSError:
        # Not even a path: longer than any can be.
        return False


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"
