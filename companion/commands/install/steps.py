"""The kinds of steps of which a plan is made."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.commands.install.errors import DispensableError, InstallError
from companion.commands.install.program import step_back

if TYPE_CHECKING:
    from companion.commands.install.target import Target


@dataclass(frozen=True)
class Package:
    """A package of the distribution, known by a file that it brings; other packages may need it, so it stays.

    Attributes:
        name: what apt calls it.
        file: a pattern below the root; where it is found, the package or its like is there.
        otherwise: how the box does without it, as a clause; empty where it cannot.
    """

    name: str
    file: str
    otherwise: str = ""

    @property
    def what(self) -> str:
        """The package."""
        return f"package {self.name}"

    def is_done(self, target: Target) -> bool:
        """Whether what it brings is there."""
        return any(target.root.glob(self.file))

    def do(self, target: Target) -> None:
        """Install it. A fresh card knows no packages yet, so the lists are fetched where it is not found."""
        install = ("apt-get", "install", "-y", "--no-install-recommends", self.name)
        if target.succeeds(*install):
            return
        try:
            target.run("apt-get", "update")
            target.run(*install)
        except InstallError:
            if self.otherwise:
                raise DispensableError(self.otherwise) from None
            raise

    def is_undone(self, target: Target) -> bool:  # noqa: ARG002 - the seam's shape
        """It is left: others may need it by now."""
        return True

    def undo(self, target: Target) -> None:
        """Leave it."""


@dataclass(frozen=True)
class Group:
    """A group that owns devices. Raspberry Pi OS has it; where it is missing it is made, and stays."""

    name: str

    @property
    def what(self) -> str:
        """The group."""
        return f"group {self.name}"

    def is_done(self, target: Target) -> bool:
        """Whether there is such a group."""
        return any(line.startswith(f"{self.name}:") for line in target.read("/etc/group").splitlines())

    def do(self, target: Target) -> None:
        """Make it."""
        target.run("groupadd", "--system", self.name)

    def is_undone(self, target: Target) -> bool:  # noqa: ARG002 - the seam's shape
        """It is left: others may need it by now."""
        return True

    def undo(self, target: Target) -> None:
        """Leave it."""


@dataclass(frozen=True)
class User:
    """The user whom the service runs as: no password, no shell. Stays, since the games are this user's."""

    name: str
    home: str
    groups: tuple[str, ...]

    @property
    def what(self) -> str:
        """The user."""
        return f"user {self.name}, in the groups {', '.join(self.groups)}"

    def is_done(self, target: Target) -> bool:
        """Whether the user is there, and in every group."""
        members = {
            parts[0]: parts[3].split(",")
            for line in target.read("/etc/group").splitlines()
            if len(parts := line.split(":")) == 4  # noqa: PLR2004 - group(5)
        }
        return self._exists(target) and all(self.name in members.get(group, ()) for group in self.groups)

    def do(self, target: Target) -> None:
        """Make the user, or add to groups."""
        groups = ",".join(self.groups)
        if self._exists(target):
            target.run("usermod", "--append", "--groups", groups, self.name)
        else:
            more = ("--home-dir", self.home, "--no-create-home", "--shell", "/usr/sbin/nologin", "--groups", groups)
            target.run("useradd", "--system", "--user-group", *more, self.name)

    def is_undone(self, target: Target) -> bool:  # noqa: ARG002 - the seam's shape
        """The user is left: the games of this box are this user's."""
        return True

    def undo(self, target: Target) -> None:
        """Leave the user."""

    def _exists(self, target: Target) -> bool:
        return any(line.startswith(f"{self.name}:") for line in target.read("/etc/passwd").splitlines())


@dataclass(frozen=True)
class File:
    """A file of ours.

    Attributes:
        path: where.
        text: what it holds.
        mode: who may read it.
        is_theirs: people edit it: it is written once, and neither an upgrade nor an end touches it.
    """

    path: str
    text: str
    mode: int = 0o644
    is_theirs: bool = False

    @property
    def what(self) -> str:
        """The file."""
        return f"{self.path}{' (yours from now on)' if self.is_theirs else ''}"

    def is_done(self, target: Target) -> bool:
        """Whether it stands there, as it should."""
        place = target.at(self.path)
        if self.is_theirs:
            return place.exists()
        return place.is_file() and place.stat().st_mode & 0o777 == self.mode and target.read(self.path) == self.text

    def do(self, target: Target) -> None:
        """Write it."""
        target.write(self.path, self.text, self.mode)

    def is_undone(self, target: Target) -> bool:
        """Whether it is theirs, or not there."""
        return self.is_theirs or not target.at(self.path).exists()

    def undo(self, target: Target) -> None:
        """Remove it."""
        target.remove(self.path)


@dataclass(frozen=True)
class Link:
    """A link by which a program is found."""

    path: str
    to: str

    @property
    def what(self) -> str:
        """The link."""
        return f"{self.path} -> {self.to}"

    def is_done(self, target: Target) -> bool:
        """Whether it points there."""
        place = target.at(self.path)
        return place.is_symlink() and str(place.readlink()) == self.to

    def do(self, target: Target) -> None:
        """Make it, in the place of an older one but of nothing else."""
        place = target.at(self.path)
        if place.exists() and not place.is_symlink():
            raise InstallError(f"{self.path} is there already and is none of ours: move it away first.")
        with contextlib.suppress(FileNotFoundError):
            place.unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(self.to)

    def is_undone(self, target: Target) -> bool:
        """Whether it is not there, or none of ours."""
        return not self.is_done(target)

    def undo(self, target: Target) -> None:
        """Remove it."""
        target.remove(self.path)


@dataclass(frozen=True)
class Voices:
    """Piper's voices, one for each language. They stay: it takes long to fetch them, and people may add their own.

    Attributes:
        folder: where they lie.
        names: what they are called.
        fetch: the command that fetches those that are missing.
        service: what speaks with them, from its next start on.
    """

    folder: str
    names: tuple[str, ...]
    fetch: tuple[str, ...]
    service: str

    @property
    def what(self) -> str:
        """The voices."""
        return f"voices in {self.folder}"

    def is_done(self, target: Target) -> bool:
        """Whether all are there."""
        return not self._missing(target)

    def do(self, target: Target) -> None:
        """Fetch what is missing. The box plays meanwhile, and is started anew when there is something to speak with."""
        before = self._missing(target)
        try:
            target.run(*self.fetch, is_shown=True)
        except InstallError:
            missing = self._missing(target)
            if len(missing) < len(before):
                self._let_speak(target)
            raise DispensableError(
                f"{len(missing)} could not be had. The same command fetches those alone; or copy them into"
                f" {self.folder}, as is told above"
            ) from None
        self._let_speak(target)

    def is_undone(self, target: Target) -> bool:  # noqa: ARG002 - the seam's shape
        """They are left, with the games."""
        return True

    def undo(self, target: Target) -> None:
        """Leave them."""

    def _missing(self, target: Target) -> list[str]:
        ends = (".onnx", ".onnx.json")
        return [
            name for name in self.names if not all(target.at(f"{self.folder}/{name}{end}").exists() for end in ends)
        ]

    def _let_speak(self, target: Target) -> None:
        if target.is_running:
            target.succeeds("systemctl", "try-restart", self.service)


@dataclass(frozen=True)
class AtBoot:
    """The service starts when the machine does."""

    service: str

    @property
    def what(self) -> str:
        """The service at boot."""
        return f"{self.service} starts with the machine"

    def is_done(self, target: Target) -> bool:
        """Whether it is wanted at boot."""
        return target.at(f"/etc/systemd/system/multi-user.target.wants/{self.service}").is_symlink()

    def do(self, target: Target) -> None:
        """Have it started at boot."""
        target.run("systemctl", "enable", self.service)

    def is_undone(self, target: Target) -> bool:
        """Whether it is not wanted at boot."""
        return not self.is_done(target)

    def undo(self, target: Target) -> None:
        """Have it no longer started at boot, and end it."""
        target.run("systemctl", "disable", *(["--now"] if target.is_running else []), self.service)


@dataclass(frozen=True)
class Running:
    """The service runs, and as it is installed now. On a card that is only mounted it will, at the first boot.

    Attributes:
        service: what systemd calls it.
        port: of the pages, by which a box is known to have started; 0 where nobody can know it.
    """

    service: str
    port: int

    @property
    def what(self) -> str:
        """The running service."""
        return f"{self.service} runs"

    def is_done(self, target: Target) -> bool:
        """Whether it runs with everything as it is."""
        return not target.is_running or (not target.changed and self._runs(target))

    def do(self, target: Target) -> None:
        """Start it, or start it anew. It is up when this returns; where it is not, the version before plays again.

        Raises:
            InstallError: it does not start.
        """
        target.run("systemctl", "daemon-reload")
        if self._starts(target):
            return
        where = f"`sudo journalctl -u {self.service} -n 20` tells why."
        if step_back(target) and self._starts(target):
            raise InstallError(f"The new version does not start: {where} The version before it plays again.")
        raise InstallError(f"{self.service} does not start: {where}")

    def is_undone(self, target: Target) -> bool:
        """Whether it cannot run. One that does not may be about to be tried again."""
        return not (target.is_running and target.at(f"/etc/systemd/system/{self.service}").exists())

    def undo(self, target: Target) -> None:
        """Stop it: the lights go out."""
        target.succeeds("systemctl", "stop", self.service)

    def _starts(self, target: Target) -> bool:
        target.succeeds("systemctl", "reset-failed", self.service)
        started = target.succeeds("systemctl", "restart", self.service)
        return started and (not self.port or target.serves(self.port)) and self._runs(target)

    def _runs(self, target: Target) -> bool:
        return target.succeeds("systemctl", "is-active", "--quiet", self.service)
