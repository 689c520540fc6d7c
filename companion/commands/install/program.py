"""The program below /opt: each version in a folder of its own, and a link to the one that plays.

A version is made and tried while the one before it plays on. Then a link is swapped and the service restarted. A
running box keeps to the folder it was started from, so an upgrade never takes a file away from it. Whenever the plug is
pulled, the link names a version that was complete and tried. A service may not read what lies in somebody's home.
"""

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

from companion.commands.install.errors import InstallError

if TYPE_CHECKING:
    from companion.commands.install.target import Target

NAME = "secret-hitler-companion"
HOME = f"/opt/{NAME}"
VERSIONS = f"{HOME}/versions"
CURRENT = f"{HOME}/current"
"""A link to the version that plays, from the next start of the service on."""
PREVIOUS = f"{HOME}/previous"
"""A link to the version that played before, until the current one has run."""
_OLD_VENV = f"{HOME}/venv"
"""Where the only version was, before there were folders for each."""
CACHE = f"/var/cache/{NAME}"
"""Where systemd lets the program keep the lines it has spoken; it can say them again."""
_MARKER = "installed"
"""A file that is written last of all into a version's folder."""

_PARTS = ("pyproject.toml", "README.md", "LICENSE", "companion", "hardware", "sounds")
_STEPS = "companion/commands/install/"
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
    if _steps_in(source) != _steps_in(Path(__file__).parents[3]):
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
    here = Path(__file__).parents[3]
    return here if (here / "pyproject.toml").exists() else None


@dataclass(frozen=True)
class Program:
    """A version of the program and what it needs, complete and tried; nothing starts it yet.

    Attributes:
        source: a wheel, or a copy of the repository; None where it is only taken back.
        wheels: a folder with the wheels of all that it needs, for a machine without the internet.
        piper: whether Piper comes with it, for better voices.
    """

    source: Path | None = None
    wheels: Path | None = None
    piper: bool = False

    @property
    def what(self) -> str:
        """The program."""
        return f"program{', with Piper,' if self.piper else ''} in {HOME}"

    def folder(self, target: Target) -> str:
        """Return where this version lies for the Python that the target has; another Python is another version.

        Raises:
            InstallError: there is nothing to install from.
        """
        if self.source is None:
            raise InstallError("There is nothing to install the program from.")
        python = target.at("/usr/bin/python3")
        version = python.readlink() if python.is_symlink() else "python3"
        facts = f"{_fingerprint(self.source)} {version}{' piper' if self.piper else ''}"
        return f"{VERSIONS}/{hashlib.sha256(facts.encode()).hexdigest()[:12]}"

    def is_done(self, target: Target) -> bool:
        """Whether this version is there, complete and tried."""
        return target.at(f"{self.folder(target)}/{_MARKER}").exists()

    def do(self, target: Target) -> None:
        """Make it and try it. The marker comes last, so that what a power cut leaves is made anew."""
        folder = self.folder(target)
        assert self.source is not None  # noqa: S101 - it has a folder
        target.remove(folder)
        target.at(VERSIONS).mkdir(parents=True, exist_ok=True)
        source, wheels = f"{HOME}/{self.source.name if self.source.is_file() else 'source'}", f"{HOME}/wheels"
        pip: tuple[str, ...] = (
            f"{folder}/bin/python",
            "-m",
            "pip",
            "install",
            "--no-input",
            "--progress-bar=off",
            "--disable-pip-version-check",
        )
        try:
            _bring(self.source, target.at(source))
            if self.wheels is not None:
                _bring(self.wheels, target.at(wheels))
                pip += ("--no-index", "--find-links", wheels)
            target.run("/usr/bin/python3", "-m", "venv", "--system-site-packages", folder)
            target.run(*pip, f"{source}[piper]" if self.piper else source, is_shown=True)
            target.run(f"{folder}/bin/python", "-P", "-m", "companion.commands.install.trial", is_shown=True)
        except InstallError:
            target.remove(folder)
            raise
        finally:
            target.remove(source)
            target.remove(wheels)
        # The files first, then the word that they are there.
        os.sync()
        target.write(f"{folder}/{_MARKER}", "", 0o644)
        os.sync()

    def is_undone(self, target: Target) -> bool:
        """Whether nothing of it is there."""
        return not any(target.at(place).exists() for place in (HOME, CACHE))

    def undo(self, target: Target) -> None:
        """Remove it whole, and the lines it has spoken."""
        for place in (HOME, CACHE):
            target.remove(place)


@dataclass(frozen=True)
class Current:
    """The version that the service starts is this one."""

    program: Program

    @property
    def what(self) -> str:
        """The link."""
        return f"{CURRENT} is this version"

    def is_done(self, target: Target) -> bool:
        """Whether the link points to it."""
        return _pointed_to(target, CURRENT) == self.program.folder(target)

    def do(self, target: Target) -> None:
        """Swap the link: at any moment it names the version before or this one."""
        before = _pointed_to(target, CURRENT) or (_OLD_VENV if target.at(_OLD_VENV).is_dir() else "")
        if before:
            target.link(PREVIOUS, before)
        target.link(CURRENT, self.program.folder(target))

    def is_undone(self, target: Target) -> bool:  # noqa: ARG002 - the seam's shape
        """It goes with the program."""
        return True

    def undo(self, target: Target) -> None:
        """Leave it to the program."""


@dataclass(frozen=True)
class Older:
    """What is left of other versions is gone: those before this one, and what a power cut left half made.

    On a card that is only mounted the version before stays, since this one has not run yet.
    """

    program: Program

    @property
    def what(self) -> str:
        """The leftovers."""
        return f"older versions in {HOME} are gone"

    def is_done(self, target: Target) -> bool:
        """Whether nothing is left."""
        return not self._leftovers(target)

    def do(self, target: Target) -> None:
        """Remove them."""
        for place in self._leftovers(target):
            target.remove(place)

    def is_undone(self, target: Target) -> bool:  # noqa: ARG002 - the seam's shape
        """There is nothing to take back."""
        return True

    def undo(self, target: Target) -> None:
        """Nothing to do."""

    def _leftovers(self, target: Target) -> list[str]:
        kept = {self.program.folder(target), VERSIONS, CURRENT}
        before = _pointed_to(target, PREVIOUS)
        if before and not target.is_running:
            kept |= {before, PREVIOUS}
        found = []
        for folder in (HOME, VERSIONS):
            with suppress(FileNotFoundError):
                found += sorted(f"{folder}/{path.name}" for path in target.at(folder).iterdir())
        return [place for place in found if place not in kept]


def step_back(target: Target) -> bool:
    """Let the version that played before be the current one again; return whether there is one."""
    before = _pointed_to(target, PREVIOUS)
    if not before or not target.at(before).is_dir() or before == _pointed_to(target, CURRENT):
        return False
    target.link(CURRENT, before)
    return True


def _pointed_to(target: Target, link: str) -> str:
    """Return where a link points; empty where there is none."""
    place = target.at(link)
    return str(place.readlink()) if place.is_symlink() else ""


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
