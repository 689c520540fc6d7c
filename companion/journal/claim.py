"""One box a state directory: a lock that ends with its process, however that ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
from typing import IO, TYPE_CHECKING

from companion.errors import CompanionError

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)

_LOCK_NAME = "journal.lock"


class JournalBusy(CompanionError):  # noqa: N818 - it names what is the case
    """Another box is running on this state directory; the message is a sentence for whoever started this one."""


class Claim:
    """This process's claim on a state directory."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / _LOCK_NAME
        self._lock: IO[bytes] | None = None

    def take(self) -> None:
        """Claim the directory for this process until it ends; again where the directory was made anew meanwhile.

        Raises:
            JournalBusy: another process has it.
        """
        if self._lock is not None:
            with contextlib.suppress(OSError):
                if self._path.stat().st_ino == os.fstat(self._lock.fileno()).st_ino:
                    return
            self.release()
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError:
            # Where nothing can be written two boxes do each other no harm.
            return
        lock = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            if error.errno in {errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}:
                raise JournalBusy(
                    f"Another box is already running on the state directory {self._path.parent}; stop it, or give this "
                    "one a directory of its own."
                ) from None
            logger.warning("the state directory cannot be locked (%s)", type(error).__name__)
            return
        self._lock = lock

    def release(self) -> None:
        """Let go of the directory."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
