"""For those who play for the first time: the rules in a minute, and a sentence more the first time each thing happens.

Nothing in it depends on who has which role.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.narrator import cues

if TYPE_CHECKING:
    from collections.abc import Iterable

    from companion.narrator.line import Line

RULES = ("rules_teams", "rules_goals", "rules_round", "rules_pile", "rules_powers", "rules_talk")
"""The rules in a minute, a line each, in the order in which they are told."""

LESSONS: dict[str, tuple[str, ...]] = {
    # While everybody looks at their role.
    "roles_dealt": RULES,
    "first_candidate": ("teach_election",),
    "silence_government": ("teach_session",),
    "silence_from_draw": ("teach_session",),
    "election_failed": ("teach_election_failed",),
    "power_investigate_loyalty": ("teach_investigate_loyalty",),
    "power_call_special_election": ("teach_call_special_election",),
    "power_policy_peek": ("teach_policy_peek",),
    "power_execution": ("teach_execution",),
    "danger_zone": ("teach_danger_zone",),
    "veto_unlocked": ("teach_veto",),
}
"""What is said more, by the line that it follows."""


class Teacher:
    """Remembers what it has explained; used from the owner thread alone."""

    def __init__(self, *, is_on: bool = False) -> None:
        self._is_on = is_on
        self._taught: set[str] = set()

    def switch(self, *, is_on: bool) -> None:
        """Begin to explain, everything anew, or stop."""
        self._is_on = is_on
        self._taught.clear()

    def explained(self, lines: Iterable[Line]) -> list[Line]:
        """Return what is said, with a lesson after each line that comes for the first time."""
        told: list[Line] = []
        for line in lines:
            told.append(line)
            if self._is_on and line.key in LESSONS and line.key not in self._taught:
                self._taught.add(line.key)
                told.extend(cues.plain(line.language, key) for key in LESSONS[line.key])
        return told
