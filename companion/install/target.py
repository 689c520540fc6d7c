"""The machine that is installed on: files below one root, and the programs that change it.

A root other than `/` is a card that is mounted or a system being made: programs run inside it, and nothing is started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from companion.install.errors import InstallError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_QUIET = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "PIP_ROOT_USER_ACTION": "ignore"}
_LAST_LINES = 12


def run_program(command: Sequence[str]) -> None:
    """Run a program to its end.

    Raises:
        InstallError: it is not there, or failed; with what it said last.
    """
    try:
        # A umask of somebody's own must not make files that the service cannot read.
        ended = subprocess.run(  # noqa: S603 - the words are ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            env=os.environ | _QUIET,
            umask=0o022,
        )
    except OSError as error:
        raise InstallError(f"{command[0]} cannot be run: {error.strerror or error}.") from None
    if ended.returncode != 0:
        said = "\n".join(f"  {line}" for line in ended.stdout.splitlines()[-_LAST_LINES:])
        raise InstallError(f"`{' '.join(command)}` failed with {ended.returncode}:\n{said}")


@dataclass
class Target:
    """Where the box is installed.

    Attributes:
        root: below it lies the machine's file system.
        program: runs a program and raises InstallError where it fails.
        changed: whether any step had to be done until now.
    """

    root: Path = Path("/")
    program: Callable[[Sequence[str]], None] = run_program
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
        except OSError as error:
            raise InstallError(f"{path} cannot be read: {error.strerror}.") from None

    def run(self, *command: str) -> None:
        """Run a program of the machine.

        Raises:
            InstallError: it failed.
        """
        self.program(command if self.is_running else ("chroot", str(self.root), *command))

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

    def remove(self, path: str) -> None:
        """Remove a file, a link or a whole folder, where there is one."""
        place = self.at(path)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
