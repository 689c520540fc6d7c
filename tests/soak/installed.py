"""The process of a box that `companion install` has put on a machine, as far as its memory is concerned."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from importlib.resources import files

from companion.commands.install.box import SERVICE

_THREADS = 40
"""As many as the pages have."""
_SIZES = range(16, 1033, 16)
"""Of blocks that the C library keeps back for the thread that frees them."""
_BLOCKS = 7
"""Kept back of each size."""
_ACCOUNT = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


def surroundings() -> dict[str, str]:
    """Return the environment variables that systemd gives the box, by its unit."""
    unit = files("companion.commands.install").joinpath("files", SERVICE).read_text(encoding="utf-8")
    given = (line.removeprefix("Environment=") for line in unit.splitlines() if line.startswith("Environment="))
    return dict(variable.split("=", 1) for variable in given)


def become_installed() -> None:
    """Begin this program anew in the surroundings of the box, unless it has them: the C library reads them once."""
    if any(os.environ.get(name) != value for name, value in surroundings().items()):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | surroundings())  # noqa: S606


class _Account(ctypes.Structure):
    """What `mallinfo2` of glibc returns, in bytes (mallinfo(3))."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _ACCOUNT)


def kept_back() -> int:
    """Return how many bytes the C library holds for threads that have freed all and rest, as those of the pages do.

    Raises:
        AttributeError: this C library is not glibc, or is older than 2.33, and gives no account.
    """
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _Account
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    library.free.restype, library.free.argtypes = None, (ctypes.c_void_p,)
    met = threading.Barrier(_THREADS + 1)

    def work() -> None:
        met.wait()
        for size in _SIZES:
            for block in [library.malloc(size) for _ in range(_BLOCKS)]:
                library.free(block)
        met.wait()
        met.wait()

    threads = [threading.Thread(target=work) for _ in range(_THREADS)]
    for thread in threads:
        thread.start()
    before: int = library.mallinfo2().uordblks
    met.wait()
    met.wait()
    after: int = library.mallinfo2().uordblks
    met.wait()
    return after - before


if __name__ == "__main__":
    print(kept_back())
