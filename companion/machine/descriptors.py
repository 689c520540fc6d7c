"""When this process may open no more files and sockets: how that is told from every other fault of a file.

A file that cannot be opened for want of a descriptor may be whole, and a network that cannot be looked at may be there.
"""

from __future__ import annotations

import errno

_LACKING = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""By man 2 accept and man 2 open: the process has all that it may have, so has the machine, or the kernel has no memory
for another one."""


def are_lacking(error: OSError) -> bool:
    """Whether something failed only because there was no descriptor to be had for it."""
    return error.errno in _LACKING
