"""The machine that is installed on: files below one root, and the programs that change it.

A root other than `/` is a card that is mounted or a system being made: programs run inside it, and nothing is started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import urllib.request
from collections import deque
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from companion.commands.install.errors import HiddenError, InstallError

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUIET = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "PIP_ROOT_USER_ACTION": "ignore"}
_LAST_LINES = 12
_PAGES_SECONDS = 120.0
"""A slow card has read all libraries by then."""


class Runner(Protocol):
    """Runs a program to its end; `run_program` is the real one."""

    def __call__(self, command: Sequence[str], *, is_shown: bool = False) -> None:
        """Raise InstallError where it fails."""


def run_program(command: Sequence[str], *, is_shown: bool = False) -> None:
    """Run a program to its end.

    Args:
        command: the program and its arguments.
        is_shown: whether what it says is printed as it comes, since it takes minutes.

    Raises:
        InstallError: it is not there, or failed; with what it said last.
    """
    said: deque[str] = deque(maxlen=_LAST_LINES)
    try:
        # A umask of somebody's own must not make files that the service cannot read.
        with subprocess.Popen(  # noqa: S603 - the words are ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | _QUIET,
            umask=0o022,
        ) as program:
            assert program.stdout is not None  # noqa: S101 - a pipe was asked for
            for line in program.stdout:
                said.append(f"  {line.rstrip()}")
                if is_shown:
                    print(said[-1], flush=True)
    except OSError as error:
        raise InstallError(f"{command[0]} cannot be run: {error.strerror or error}.") from None
    if program.returncode != 0:
        last = "" if is_shown else ":\n" + "\n".join(said)
        raise InstallError(f"`{' '.join(command)}` failed with {program.returncode}{last}")


@dataclass
class Target:
    """Where the box is installed.

    Attributes:
        root: below it lies the machine's file system.
        program: runs a program and raises InstallError where it fails.
        changed: whether any step had to be done until now.
    """

    root: Path = Path("/")
    program: Runner = run_program
    changed: bool = field(default=False, init=False)

    @property
    def is_running(self) -> bool:
        """Whether it is this very system."""
        return self.root == Path("/")

    def at(self, path: str) -> Path:
        """A path of the machine, such as `/etc/passwd`."""
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str:
        """What a file holds; empty where there is none."""
        try:
            return self.at(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except PermissionError:
            raise HiddenError(f"Only root may read {path}.") from None
        except OSError as error:
            raise InstallError(f"{path} cannot be read: {error.strerror}.") from None

    def run(self, *command: str, is_shown: bool = False) -> None:
        """Run a program of the machine.

        Args:
            command: the program and its arguments.
            is_shown: whether what it says is printed as it comes.

        Raises:
            InstallError: it failed.
        """
        self.program(command if self.is_running else ("chroot", str(self.root), *command), is_shown=is_shown)

    def succeeds(self, *command: str) -> bool:
        """Whether a program of the machine ends well."""
        try:
            self.run(*command)
        except InstallError:
            return False
        return True

    def write(self, path: str, text: str, mode: int) -> None:
        """Write a file whole: after a power cut there is the old one or the new one.

        Raises:
            InstallError: it cannot be written.
        """
        place = self.at(path)
        draft = place.with_name(f".{place.name}.new")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            draft.unlink(missing_ok=True)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                os.fchmod(file.fileno(), mode)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(place)
        except OSError as error:
            raise InstallError(f"{path} cannot be written: {error.strerror}.") from None

    def link(self, path: str, to: str) -> None:
        """Let a link point somewhere: after a power cut it points where it did before, or there.

        Raises:
            InstallError: it cannot be written.
        """
        place = self.at(path)
        draft = place.with_name(f".{place.name}.new")
        try:
            draft.unlink(missing_ok=True)
            draft.symlink_to(to)
            draft.replace(place)
        except OSError as error:
            raise InstallError(f"{path} cannot be written: {error.strerror}.") from None
        os.sync()

    def serves(self, port: int) -> bool:
        """Whether the pages on a port of this machine answer, or do within two minutes."""
        until = time.monotonic() + _PAGES_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10):
                    return True
            except (OSError, HTTPException):
                if time.monotonic() > until:
                    return False
                time.sleep(1.0)

    def remove(self, path: str) -> None:
        """Remove a file, a link or a whole folder, where there is one."""
        place = self.at(path)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
