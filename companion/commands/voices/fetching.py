"""Piper's voices from the internet: fetched by Piper's own downloader, and kept only when they came whole.

The downloader takes what it got for all there is, also where the connection broke off in the middle. So every file is
measured against the list that the voices' makers publish beside them, by its length and its MD5. That is against
accidents; against somebody in between there is TLS.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.request import urlopen

from companion import languages, voice
from companion.errors import CompanionError
from companion.narrator.speech.piper import version as piper_version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from companion.settings import Settings

DOWNLOADER = (sys.executable, "-m", "piper.download_voices")
_DOWNLOAD_SECONDS = 1800
"""A slow line takes a quarter of an hour for 60 MB."""
_LIST_SECONDS = 30
_LOOK_SECONDS = 0.5
_SPARE_BYTES = 200_000_000
"""What has to be left on the disk afterwards: games are kept there too."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a voice, as its makers list it."""

    bytes: int
    md5: str


Listing: TypeAlias = "Callable[[], Mapping[str, Any]]"
"""Gives the list of all voices, as the makers publish it. Raises OSError or ValueError."""


class _FetchError(CompanionError):
    """A voice cannot be fetched; the message is why, as a clause."""


def published() -> Mapping[str, Any]:
    """Return the list of all voices that Piper's makers publish.

    Raises:
        OSError: it cannot be reached.
        ValueError: what came is no list at all.
    """
    # The address is Piper's own; only who has Piper comes here, and to import it takes a while.
    from piper.download_voices import VOICES_JSON  # noqa: PLC0415

    with urlopen(VOICES_JSON, timeout=_LIST_SECONDS) as answer:  # noqa: S310 - Piper's constant, an https address
        listed: Mapping[str, Any] = json.load(answer)
    return listed


def install(settings: Settings, code: str, downloader: Sequence[str] = DOWNLOADER, listing: Listing = published) -> int:
    """Fetch a Piper voice for a language with Piper's own downloader; return 0, or 1 and say what to do by hand."""
    if not piper_version():
        print(f"{voice.PIPER_MISSING}.", file=sys.stderr)
        return 1
    folder = settings.voice_dir
    name = languages.load(code).voice.piper
    if not name:
        print(f"No Piper voice is known here for {code}; put one of your own into {folder}.", file=sys.stderr)
        return 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _fetch(code, name, folder, downloader, listing)
    except OSError as error:
        reason = f"{folder} cannot be written ({error.strerror})"
    except _FetchError as error:
        reason = str(error)
    else:
        print(f"{code}: {name} is in {folder}, and speaks from the next start on.")
        return 0
    print(
        f"The voice {name} could not be fetched: {reason}.\n"
        f"By hand: on a computer with internet and Piper run `python -m piper.download_voices {name}`, and copy"
        f" {name}.onnx and {name}.onnx.json into {folder}. Until then the box speaks as it does now.",
        file=sys.stderr,
    )
    return 1


def install_all(settings: Settings, downloader: Sequence[str] = DOWNLOADER, listing: Listing = published) -> int:
    """Fetch the Piper voice of every language that has one, the table's first; return 1 when one could not be had.

    What is there already is not fetched again, so that what broke off goes on with the same command.
    """
    codes = sorted(languages.codes(), key=lambda code: code != settings.language)
    failed = False
    for code in codes:
        name = languages.load(code).voice.piper
        if not name:
            continue
        if all((settings.voice_dir / f"{name}{end}").exists() for end in (".onnx", ".onnx.json")):
            print(f"{code}: {name} is there.")
            continue
        failed = bool(install(settings, code, downloader, listing)) or failed
    return int(failed)


def _fetch(code: str, name: str, folder: Path, downloader: Sequence[str], listing: Listing) -> None:
    """Put a voice into a folder.

    Raises:
        _FetchError: it could not be had.
        OSError: the folder cannot be written.
    """
    files = _files(name, listing)
    size = sum(file.bytes for file in files.values())
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE_BYTES:
        raise _FetchError(f"it takes {_megabytes(size)}, and {folder} has only {_megabytes(free)} left")
    print(f"{code}: fetching {name}, {_megabytes(size)}.", flush=True)
    # Apart from its place: what breaks off half-way is never taken for a voice.
    with tempfile.TemporaryDirectory(prefix=".fetched-", dir=folder) as fetched:
        _download(name, Path(fetched), size, downloader)
        for file, wanted in files.items():
            _check(Path(fetched) / file, wanted)
        # The description last: without it the model is no voice yet.
        for file in sorted(files, key=len):
            place = folder / file
            (Path(fetched) / file).replace(place)
            # The box may run as another user than whoever fetches.
            place.chmod(0o644)


def _files(name: str, listing: Listing) -> dict[str, _File]:
    """Return the model of a voice and its description, as they are listed."""
    try:
        listed = listing()
    except (OSError, ValueError):
        raise _FetchError("the list of voices cannot be had; is there internet?") from None
    try:
        files = {
            PurePosixPath(path).name: _File(int(told["size_bytes"]), str(told["md5_digest"]))
            for path, told in listed[name]["files"].items()
        }
        return {file: files[file] for file in (f"{name}.onnx", f"{name}.onnx.json")}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _FetchError("the list of voices does not know it") from None


def _download(name: str, folder: Path, size: int, downloader: Sequence[str]) -> None:
    """Have a voice fetched into a folder, and show how far it is."""
    command = [*downloader, "--download-dir", str(folder), name]
    with (
        tempfile.TemporaryFile("w+") as said,
        _bar(name, size) as bar,
        subprocess.Popen(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL) as program,  # noqa: S603 - Piper's own, and a name from our files
    ):
        until = time.monotonic() + _DOWNLOAD_SECONDS
        while not _has_ended(program):
            if time.monotonic() > until:
                program.kill()
                raise _FetchError(f"it was not there after {_DOWNLOAD_SECONDS // 60} minutes")
            bar.update(sum(file.stat().st_size for file in folder.iterdir()) - bar.n)
        said.seek(0)
        printed = [line.strip() for line in said if line.strip()]
    if program.returncode:
        offline = any("URLError" in line for line in printed)
        last = printed[-1] if printed else "Piper's downloader failed"
        raise _FetchError("the internet cannot be reached" if offline else last)


def _has_ended(program: subprocess.Popen[bytes]) -> bool:
    """Whether a program has ended, or does within a moment."""
    with suppress(subprocess.TimeoutExpired):
        program.wait(_LOOK_SECONDS)
    return program.returncode is not None


def _check(file: Path, wanted: _File) -> None:
    """Refuse a file that is not what its makers list."""
    try:
        size = file.stat().st_size
        with file.open("rb") as content:
            md5 = hashlib.file_digest(content, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    except FileNotFoundError:
        raise _FetchError(f"{file.name} did not come") from None
    if size != wanted.bytes:
        raise _FetchError(f"{file.name} broke off after {_megabytes(size)}; the same command tries again")
    if md5 != wanted.md5:
        raise _FetchError(f"{file.name} came damaged; the same command tries again")


def _bar(name: str, size: int) -> Any:
    # Imported late: most commands show no bar.
    from tqdm import tqdm  # noqa: PLC0415

    return tqdm(total=size, desc=name, unit="B", unit_scale=True, leave=False, disable=not sys.stderr.isatty())


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:.0f} MB" if count >= 1_000_000 else f"{count / 1000:.0f} KB"  # noqa: PLR2004 - a million
