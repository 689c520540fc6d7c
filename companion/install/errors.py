"""What an installation ends with when something cannot be done."""

from __future__ import annotations


class InstallError(Exception):
    """A step cannot be done; the message says why, in a sentence."""
