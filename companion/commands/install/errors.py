"""What an installation ends with when something cannot be done."""

from __future__ import annotations

from companion.errors import CompanionError


class InstallError(CompanionError):
    """A step cannot be done; the message says why, in a sentence."""


class HiddenError(InstallError):
    """Only root may look at a step's place."""


class DispensableError(InstallError):
    """A step cannot be done, and the box plays without it; the message says how, in a clause."""
