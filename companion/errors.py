"""The one root of what goes wrong by name: whatever the box itself raises is a `CompanionError`."""

from __future__ import annotations


class CompanionError(Exception):
    """Something that was foreseen has gone wrong.

    The message is a sentence for whoever is at the box: what is wrong and, where it can be mended there, how. It never
    holds a role or a card.
    """
