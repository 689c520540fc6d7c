"""A plan: steps in order, each of which knows whether it is done, how it is done, and how it is taken back.

What is shown without doing it, what is done twice without harm, and what is taken back come from this one description.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from companion.commands.install.errors import DispensableError, HiddenError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from companion.commands.install.target import Target


class Step(Protocol):
    """One thing that is to be so."""

    @property
    def what(self) -> str:
        """The thing, in a few words that follow "would" or stand alone."""

    def is_done(self, target: Target) -> bool:
        """Whether it is so already. Changes nothing."""

    def do(self, target: Target) -> None:
        """Make it so. Raises InstallError, or DispensableError where the box does without it."""

    def is_undone(self, target: Target) -> bool:
        """Whether there is nothing to take back; what people own is nothing of the kind. Changes nothing."""

    def undo(self, target: Target) -> None:
        """Take it back, where it is not undone. Raises InstallError."""


class Mark(Enum):
    """What became of a step."""

    THERE = "is there"
    BEGINS = "begins"
    DONE = "done"
    MISSED = "done without"
    HIDDEN = "only for root"
    WOULD = "would be done"
    WOULD_GO = "would go"
    REMOVED = "removed"
    KEPT = "left as it is"


@dataclass(frozen=True)
class Plan:
    """Steps in order; taken back in the opposite one."""

    steps: Sequence[Step]

    def preview(self, target: Target, tell: Callable[[Mark, str], None]) -> None:
        """Tell of every step whether it is done, and do none."""
        for step in self.steps:
            try:
                is_done = step.is_done(target)
            except (PermissionError, HiddenError):
                tell(Mark.HIDDEN, step.what)
            else:
                tell(Mark.THERE if is_done else Mark.WOULD, step.what)

    def carry_out(self, target: Target, tell: Callable[[Mark, str], None]) -> None:
        """Do what is not done.

        Raises:
            InstallError: a step cannot be done. Those before it stay; the next time they are there.
        """
        for step in self.steps:
            if step.is_done(target):
                tell(Mark.THERE, step.what)
                continue
            tell(Mark.BEGINS, step.what)
            try:
                step.do(target)
            except DispensableError as error:
                tell(Mark.MISSED, f"{step.what}: {error}")
            else:
                target.changed = True
                tell(Mark.DONE, step.what)

    def preview_taking_back(self, target: Target, tell: Callable[[Mark, str], None]) -> None:
        """Tell of every step whether it would be taken back, and take none back."""
        for step in reversed(self.steps):
            try:
                is_undone = step.is_undone(target)
            except (PermissionError, HiddenError):
                tell(Mark.HIDDEN, step.what)
            else:
                tell(Mark.KEPT if is_undone else Mark.WOULD_GO, step.what)

    def take_back(self, target: Target, tell: Callable[[Mark, str], None]) -> None:
        """Take every step back, as far as it was done and is not people's own.

        Raises:
            InstallError: a step cannot be taken back.
        """
        for step in reversed(self.steps):
            if step.is_undone(target):
                tell(Mark.KEPT, step.what)
            else:
                step.undo(target)
                tell(Mark.REMOVED, step.what)
