"""What the pages need of the box: to read the feed, report, press buttons, and ask for a press at the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from companion.game.commands import Command
    from companion.history import History
    from companion.languages import Language
    from companion.panel.meanings import Pressed
    from companion.phones.limits import TurnedAway
    from companion.table.snapshot import Feed, Snapshot
    from companion.table.table import Decision
    from hardware.panel import ButtonEvent


Guard: TypeAlias = "Callable[[Snapshot], bool]"
"""Whether something that a phone asks for may still be done. Asked on the owner thread right before it is decided, so
that nothing can come in between: neither a press at the table, nor the loss of a right."""


Choice: TypeAlias = Literal["pace", "teach", "music"]
"""What a table may have its own way: how long the silences of the night are, lessons in the rules, and music."""


class Box(Protocol):
    """The box behind the pages. Every call may come from any thread; futures are done within moments."""

    @property
    def feed(self) -> Feed:
        """What is shown now. Its snapshot knows the evening, the caption, the host, what waits for a press, where."""

    @property
    def turned_away(self) -> TurnedAway:
        """Which phones were taken from the table and may not sit down again yet."""

    @property
    def history(self) -> History:
        """The games that were played on this box. Reading them may wait for the disk."""

    def forget_name(self, name: str) -> bool:
        """Take a name out of all that this box keeps, and return whether it is gone. Waits for the disk."""

    def delete_game(self, number: int) -> bool:
        """Delete a game that is over, and return whether it is gone. Waits for the disk."""

    def submit(self, *commands: Command, only_if: Guard | None = None) -> Future[Decision]:
        """Ask for one report: all of its commands or none. Refused as `not_now` when the guard says no."""

    def press(self, event: ButtonEvent, only_if: Guard | None = None, *, at_panel: bool = True) -> Future[Pressed]:
        """Do with a button of the panel what somebody did on a page. Nothing happens when the guard says no.

        `at_panel` is false for the page of a phone: what a phone asks, and what the box has told out of the roles, are
        for those who stand at the table.
        """

    def shuffle_seats(self, only_if: Guard) -> Future[Decision]:
        """Let chance decide who sits where. Refused as `not_now` when the guard says no."""

    def choose(self, what: Choice, value: str, only_if: Guard) -> Future[bool]:
        """Let the table have something its own way; whether it is done. Nothing happens when the guard says no.

        `value` is a key of `companion.narrator.night.PACES` for the pace, and `on` or `off` for all else.
        """

    def say_name(self, player: int, spoken: str, only_if: Guard) -> Future[bool]:
        """Let a player hear their name as they have spelled it, before it is kept; whether that may be now."""

    def say_sample(self, only_if: Guard) -> Future[bool]:
        """Let the table hear the voice; whether that may be now."""

    @property
    def voice_name(self) -> str:
        """What the voice of the table's language is called; empty where there is none."""

    def panel_picture(self) -> dict[str, object] | None:
        """Return what the lights of the panel on a screen do; None when the panel is not on a screen."""

    def ask_for_host(self, player: int, claim: str) -> Future[int | None]:
        """Let a player's phone, whose claim this is, become the host once somebody at the panel allows it.

        The future gives the number that the question is told by, or None where it cannot be asked now.
        """

    def ask_for_seat(self, player: int, claim: str, former_claim: str) -> Future[int | None]:
        """Let another phone, whose claim this is, have a player's seat once somebody at the panel allows it.

        `former_claim` is what the phone had before: one that had this seat once waits behind no stranger.
        """

    def ask_to_share(self, player: int, claim: str) -> Future[int | None]:
        """Let a seated phone, whose claim this is, show the cards of another player too, whose phone has died.

        Somebody at the panel has to allow it, as for the others.
        """

    def language(self, code: str) -> Language:
        """Return a language by its code; empty means the table's."""
