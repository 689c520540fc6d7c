"""The program, in a virtual environment of its own: one that lies in somebody's home, a service may not read."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import sys
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from companion.install.errors import InstallError

if TYPE_CHECKING:
    from companion.install.target import Target

NAME = "secret-hitler-companion"
HOME = f"/opt/{NAME}"
VENV = f"{HOME}/venv"
CACHE = f"/var/cache/{NAME}"
"""Where systemd lets the program keep the lines it has spoken; it can say them again."""
_MARKER = f"{HOME}/installed"

_PARTS = ("pyproject.toml", "README.md", "LICENSE", "companion", "hardware", "sounds")
_STEPS = "companion/install/"
_LEFTOVERS = ("__pycache__", "*.pyc", "*.egg-info")


def find_source(given: Path | None, wheels: Path | None) -> Path:
    """Return what is installed: what was given, our newest wheel among the wheels, or what this program came from.

    Raises:
        InstallError: there is no such thing any more, it is something else, or of a version that installs otherwise.
    """
    ours = sorted(wheels.glob("secret_hitler_companion-*.whl"), key=_version) if wheels is not None else []
    source = given or (ours[-1] if ours else _installed_from())
    if source is None:
        raise InstallError("Name what to install with --source: a copy of the repository, or a wheel.")
    is_wheel = source.is_file() and source.suffix == ".whl"
    if not is_wheel and not all((source / part).exists() for part in _PARTS):
        raise InstallError(f"{source} is neither a wheel nor a copy of the repository: name one with --source.")
    if _steps_in(source) != _steps_in(Path(__file__).parents[2]):
        # The unit and the other files would be this program's, and what they start the other's.
        raise InstallError(
            f"{source} is of another version than this program and may want other steps: let it install itself, with "
            f"`{sys.executable} -m pip install --force-reinstall --no-deps {source}` before this."
        )
    return source.absolute()


def _steps_in(source: Path) -> dict[str, bytes]:
    """Return what a program installs itself by: these very modules and files, by name."""
    if source.is_file():
        try:
            with zipfile.ZipFile(source) as wheel:
                return {name: wheel.read(name) for name in wheel.namelist() if name.startswith(_STEPS)}
        except (OSError, zipfile.BadZipFile):
            raise InstallError(f"{source} is no wheel, or was not copied whole.") from None
    return {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in (source / _STEPS).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def _version(wheel: Path) -> tuple[int, ...]:
    """Return the version in a wheel's name, as numbers: 0.10 is newer than 0.9."""
    return tuple(int(number) for number in re.findall(r"\d+", wheel.name.split("-")[1]))


def _installed_from() -> Path | None:
    """Return where pip took this program from, or the copy of the repository that it runs in; None for neither."""
    with suppress(importlib.metadata.PackageNotFoundError, ValueError, KeyError):
        told = importlib.metadata.distribution(NAME).read_text("direct_url.json")
        address = urlparse(json.loads(told or "{}")["url"])
        # What an installed box came from was brought for that moment only.
        if address.scheme == "file" and (source := Path(unquote(address.path))).exists():
            return source
    here = Path(__file__).parents[2]
    return here if (here / "pyproject.toml").exists() else None


@dataclass(frozen=True)
class Program:
    """The program and what it needs, below `/opt`.

    Attributes:
        source: a wheel, or a copy of the repository; None where it is only taken back.
        wheels: a folder with the wheels of all that it needs, for a machine without the internet.
    """

    source: Path | None = None
    wheels: Path | None = None

    @property
    def what(self) -> str:
        """The program."""
        return f"program in {VENV}"

    def is_done(self, target: Target) -> bool:
        """Whether it is this very program, for the Python that this machine has."""
        return target.read(_MARKER) == self._marker(target) and target.at(f"{VENV}/bin/companion").exists()

    def do(self, target: Target) -> None:
        """Install it. The marker comes last, so that what a power cut leaves is done anew."""
        if self.source is None:
            raise InstallError("There is nothing to install the program from.")
        marker = self._marker(target)
        target.remove(_MARKER)
        target.at(HOME).mkdir(parents=True, exist_ok=True)
        source, wheels = f"{HOME}/{self.source.name if self.source.is_file() else 'source'}", f"{HOME}/wheels"
        pip: tuple[str, ...] = (
            f"{VENV}/bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-input",
            "--disable-pip-version-check",
        )
        try:
            _bring(self.source, target.at(source))
            if self.wheels is not None:
                _bring(self.wheels, target.at(wheels))
                pip += ("--no-index", "--find-links", wheels)
            # Cleared: half an environment, or one of another Python, is no base to build on.
            target.run("/usr/bin/python3", "-m", "venv", "--clear", "--system-site-packages", VENV)
            target.run(*pip, source)
            target.run(f"{VENV}/bin/companion", "--version")
        finally:
            target.remove(source)
            target.remove(wheels)
        os.sync()
        target.write(_MARKER, marker, 0o644)

    def is_undone(self, target: Target) -> bool:
        """Whether nothing of it is there."""
        return not any(target.at(place).exists() for place in (HOME, CACHE))

    def undo(self, target: Target) -> None:
        """Remove it whole, and the lines it has spoken."""
        for place in (HOME, CACHE):
            target.remove(place)

    def _marker(self, target: Target) -> str:
        python = target.at("/usr/bin/python3")
        version = python.readlink() if python.is_symlink() else "python3"
        return f"{_fingerprint(self.source)} {version}\n" if self.source is not None else ""


def _bring(source: Path, place: Path) -> None:
    """Copy what is installed to where the target sees it. Building in somebody's own leaves files of root there."""
    if place.is_dir():
        shutil.rmtree(place)
    if source.is_file():
        shutil.copyfile(source, place)
    elif (source / "pyproject.toml").exists():
        place.mkdir()
        for part in _PARTS:
            if (source / part).is_dir():
                shutil.copytree(source / part, place / part, ignore=shutil.ignore_patterns(*_LEFTOVERS))
            else:
                shutil.copyfile(source / part, place / part)
    else:
        shutil.copytree(source, place)


def _fingerprint(source: Path) -> str:
    """Return what tells two programs apart: every file that is installed."""
    digest = hashlib.sha256()
    for path in [source] if source.is_file() else _files(source):
        digest.update(f"{path.relative_to(source.parent if path == source else source)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    ignore = shutil.ignore_patterns(*_LEFTOVERS)
    found = []
    for part in _PARTS:
        for path in sorted((folder / part).rglob("*")) if (folder / part).is_dir() else [folder / part]:
            names = path.relative_to(folder).parts
            if path.is_file() and not ignore(str(folder), list(names)):
                found.append(path)
    return found
