"""What the pages need of the box: to read the bulletin, report, press buttons, and ask for a press at the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from companion.bulletin import Bulletin, Snapshot
    from companion.game.commands import Command
    from companion.languages import Language
    from companion.table import Decision
    from hardware.panel import ButtonEvent


Guard: TypeAlias = "Callable[[Snapshot], bool]"
"""Whether something that a phone asks for may still be done. Asked on the owner thread right before it is decided, so
that nothing can come in between: neither a press at the table, nor the loss of a right."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a press on the panel came to: whether it did something, and what the box said to it."""

    ok: bool
    caption: str


class Box(Protocol):
    """The box behind the pages. Every call may come from any thread; futures are done within moments."""

    @property
    def bulletin(self) -> Bulletin:
        """What is shown now. Its snapshot knows the evening, the caption, the host, what waits for a press, where."""

    def submit(self, *commands: Command, only_if: Guard | None = None) -> Future[Decision]:
        """Ask for one report: all of its commands or none. Refused as `not_now` when the guard says no."""

    def press(self, event: ButtonEvent, only_if: Guard | None = None) -> Future[Pressed]:
        """Do with a button of the panel what somebody did on a page. Nothing happens when the guard says no."""

    def panel_picture(self) -> dict[str, object] | None:
        """Return what the lights of the panel on a screen do; None when the panel is not on a screen."""

    def ask_for_host(self, player: int) -> Future[bool]:
        """Let a player's phone become the host once somebody presses ja within 30 seconds.

        The future says whether the question is being asked now: one at a time.
        """

    def ask_for_seat(self, player: int, claim: str) -> Future[bool]:
        """Let another phone, whose claim this is, have a player's seat once somebody presses ja within 30 seconds."""

    def language(self, code: str) -> Language:
        """Return a language by its code; empty means the table's."""
