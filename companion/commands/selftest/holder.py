"""Another box on this machine: who it is, and how it is stopped."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import CompanionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from companion.commands.selftest.machine import Machine

LOCK_NAME = "journal.lock"
"""The file that a running box holds locked in its state directory."""


_NEVER_STOPPED = ("ssh", "getty", "serial-getty", "cron", "user@", "lightdm", "gdm", "systemd-", "dbus")
"""Services that a box may have been started from, and that nobody should stop for it."""


class BoxRunsError(CompanionError):
    """Another box is running; the message says where, and how to stop it."""


@contextlib.contextmanager
def state_directory(machine: Machine, folder: Path) -> Iterator[None]:
    """Hold the state directory as a box does, so that none starts in the middle of a test. Makes no file.

    Raises:
        BoxRunsError: a box holds it.
    """
    path = folder / LOCK_NAME
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        # Never used, or not ours to write: then no box of ours runs on it.
        yield
        return
    try:
        if not _lock(descriptor):
            raise BoxRunsError(
                f"A box is running on the state directory {folder}, and has pins and voice: "
                f"{_how_to_stop(machine, _who_locks(machine, path))}."
            )
        yield
    finally:
        os.close(descriptor)


def pins_are_held(machine: Machine, troubles: tuple[str, ...]) -> BoxRunsError:
    """The refusal for pins that another program holds.

    Args:
        machine: this one.
        troubles: what the header said of each pin.
    """
    more = f" (and {len(troubles) - 1} more)" if len(troubles) > 1 else ""
    return BoxRunsError(
        f"Another program holds the pins: {troubles[0].rstrip('.')}{more}. If it is a box, "
        f"{_how_to_stop(machine, _who_has_pins(machine))}."
    )


def _lock(descriptor: int) -> bool:
    """Take the lock of an open file until it is closed; False when another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: nobody else could have one either.
        return True
    return True


def _who_locks(machine: Machine, path: Path) -> int | None:
    """The process that holds a file locked, by the kernel's list of locks."""
    try:
        inode = path.stat().st_ino
    except OSError:
        return None
    found = re.search(rf"FLOCK\s+\w+\s+WRITE\s+(\d+)\s+\w+:\w+:{inode}\s", machine.read("/proc/locks"))
    return int(found[1]) if found and found[1] != "0" else None


def _who_has_pins(machine: Machine) -> int | None:
    """A process that has the header open, or at least the name of a box. Of other users' only the name can be seen."""
    named = None
    for folder in machine.list("/proc", "[1-9]*"):
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            for link in (folder / "fd").iterdir():
                if link.readlink().name.startswith("gpiochip"):
                    return int(folder.name)
        words = [Path(word).name for word in machine.read(f"/proc/{folder.name}/cmdline").split("\0")[:4]]
        if "companion" in words and "selftest" not in words:
            named = int(folder.name)
    return named


def _how_to_stop(machine: Machine, process: int | None) -> str:
    if process is None:
        return "stop it first, with Ctrl-C where it runs or with `sudo systemctl stop` and the name of its service"
    service = re.search(r"/([^/\n]+\.service)\s*$", machine.read(f"/proc/{process}/cgroup"))
    # Started by systemd itself: a box that somebody started over ssh is no reason to stop ssh.
    is_its_own = re.search(r"^PPid:\s*1$", machine.read(f"/proc/{process}/status"), re.MULTILINE)
    if service and is_its_own and not service[1].startswith(_NEVER_STOPPED):
        return f"stop it first with `sudo systemctl stop {service[1]}`"
    return f"stop it first, with Ctrl-C where it runs or with `kill {process}`"
