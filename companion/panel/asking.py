"""What phones ask the table, from the question to what becomes of it. Runs on the table's owner thread only.

The box says a question with the two digits that stand on the phone that asks. It takes no press from the game: only a
hold of ja that began when the number had been said in full, at the panel itself, allows it. Whatever is not allowed
lapses, and after it nobody may ask for a while, longer each time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from companion import languages
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.panel.questions import NUMBERS, Pauses, Question
from companion.table.listener import Change, GameListener
from hardware.panel import HOLD_SECONDS

if TYPE_CHECKING:
    from companion.languages import Language
    from companion.machine.clock import Clock
    from companion.machine.dice import Dice
    from companion.narrator.line import Line
    from companion.narrator.narrator import Narrator
    from companion.panel.questions import Kind
    from companion.table.snapshot import Feed
    from companion.table.table import Table, Timer
    from hardware.panel import ButtonEvent

QUESTION_SECONDS = 30.0
"""How long a question stands, from the moment in which its number has been said."""
UNSAID_SECONDS = 60.0
"""How long it waits to be said, behind whatever the box says before it."""


class Asking(GameListener):
    """The one question that stands, if any, and the pauses between questions."""

    def __init__(self, table: Table, narrator: Narrator, feed: Feed, dice: Dice, clock: Clock) -> None:
        """Begin without a question.

        Args:
            table: on whose owner thread this runs, and whose seats are asked for.
            narrator: says the questions.
            feed: shows the number to the phone that asks.
            dice: draws the numbers.
            clock: the narrator's and the panel's, by which a hold begins before a number was said or after.
        """
        self._table = table
        self._narrator = narrator
        self._feed = feed
        self._dice = dice
        self._clock = clock
        self._pauses = Pauses(clock.now)
        self._said_at: float | None = None
        self._timer: Timer | None = None
        self._owners: dict[str, int] = {}
        """Claims of phones that once had the seat they ask for, and the id of its player."""

    def for_host(self, player: int, claim: str) -> int | None:
        """Ask whether a player's phone, whose claim this is, may be the host.

        Returns:
            The number that the question is told by; None where nothing can be asked now.
        """
        return self._ask("host", player, claim, is_owner=False)

    def for_seat(self, player: int, claim: str, former_claim: str) -> int | None:
        """Ask whether another phone may have a player's seat.

        Args:
            player: whose seat.
            claim: of the phone that asks.
            former_claim: what that phone had before; one that had this seat once waits behind no stranger.

        Returns:
            As `for_host`.
        """
        former = self._table.evening.seating.by_id(player).former_claims
        is_owner = former_claim in former or self._owners.get(former_claim) == player
        if is_owner:
            self._owners[claim] = player
        return self._ask("seat", player, claim, is_owner=is_owner)

    def for_sharing(self, player: int, claim: str) -> int | None:
        """Ask whether a seated phone, whose claim this is, may show the cards of another player too.

        Returns:
            As `for_host`.
        """
        return self._ask("share", player, claim, is_owner=False)

    def ask_again(self) -> None:
        """Say the question once more; only a hold that begins after that allows it."""
        self._narrator.cut()
        self._say()

    def said(self, key: str, text: str, at_seconds: float) -> None:
        """Note that the number was said to its end, and when."""
        question = self._question
        if question is None:
            return
        line = self._line(question)
        if (key, text) == (line.key, line.text):
            self._said_at = at_seconds
            self._lapse_in(QUESTION_SECONDS)

    def was_said_before(self, event: ButtonEvent) -> bool:
        """Whether the number had been said in full when a hold began."""
        return self._said_at is not None and self.began_at(event) >= self._said_at

    def began_at(self, event: ButtonEvent) -> float:
        """Return when a hold began, in seconds on the clock by which lines are said."""
        ended = self._clock.now() if event.at_seconds is None else event.at_seconds
        return ended - HOLD_SECONDS.get(event.button, 0.0)

    def allow(self) -> Question | None:
        """End the question, since the table wants it so, and return it."""
        self._pauses.allowed()
        return self.end()

    def changed(self, change: Change) -> None:
        """End a question that the table has left behind: at night nobody is asked, nor for somebody who has left."""
        question, evening = self._question, change.after
        if question is None:
            return
        if evening.game.phase is Phase.NIGHT or evening.seating.seat_of(question.player) is None:
            self.end()
        elif question.kind == "share" and evening.seating.claimed_by(question.claim) is None:
            # The phone that asked has lost its own seat.
            self.end()

    def end(self) -> Question | None:
        """End the question, if one stands, and return it."""
        question = self._question
        if question is not None:
            self._stop_timer()
            self._said_at = None
            self._feed.post(question=None)
            self._narrator.withdraw(("host_request", "seat_request", "share_request"))
        return question

    @property
    def _question(self) -> Question | None:
        return self._feed.snapshot.question

    @property
    def _language(self) -> Language:
        return languages.load(self._table.evening.seating.language)

    def _ask(self, kind: Kind, player: int, claim: str, *, is_owner: bool) -> int | None:
        question = self._question
        if self._table.evening.game.phase is Phase.NIGHT:
            return None
        if question is not None and (question.kind, question.player, question.claim) == (kind, player, claim):
            # An impatient thumb asks the same once more.
            return question.number
        if is_owner:
            if question is not None and self._owners.get(question.claim) == question.player:
                return None
            # A stranger's question gives way: its number allows nothing any more.
            self.end()
        elif question is not None or self._pauses.seconds_left > 0:
            return None
        number = self._dice.number(NUMBERS)
        self._feed.post(question=Question(kind, player, number, claim))
        self._lapse_in(UNSAID_SECONDS)
        self._say()
        return number

    def _say(self) -> None:
        self._said_at = None
        question = self._question
        if question is not None:
            self._narrator.say([self._line(question)])

    def _line(self, question: Question) -> Line:
        seating = self._table.evening.seating
        # A phone shows it in its own language, in which a seat without a name is called otherwise too.
        facts = {"name": partial(cues.said_name, seating, seating.by_id(question.player))}
        friend = seating.claimed_by(question.claim)
        if question.kind == "share" and friend is not None:
            facts["friend"] = partial(cues.said_name, seating, friend)
        line = cues.plain(self._language, f"{question.kind}_request", number=question.number, **facts)
        return replace(line, question=True, lasting=True)

    def _lapse_in(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self._table.later(seconds, self._lapse)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _lapse(self) -> None:
        if self.end() is not None:
            self._pauses.lapsed()
            self._narrator.remark(cues.plain(self._language, "request_expired"))
