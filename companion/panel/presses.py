"""Takes every press on the owner thread, looks up what it means, and sees to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from companion import languages
from companion.game import commands, events
from companion.game.refusals import Refusal, Refused
from companion.game.views import answers_from_roles
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.panel.meanings import (
    Allow,
    Chance,
    Meaning,
    Narration,
    Offer,
    Pending,
    Pressed,
    Report,
    SwitchClock,
    SwitchOff,
    Volume,
    Waiting,
    meaning,
)
from companion.table.listener import Change, GameListener
from companion.table.table import Decision
from hardware.panel import ButtonEvent, Gesture
from sounds import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from companion.game.commands import Command
    from companion.game.evening import Evening
    from companion.game.seating import Player
    from companion.languages import Language
    from companion.machine.dice import Dice
    from companion.narrator.announcer import Announcer
    from companion.narrator.line import Line
    from companion.panel.asking import Asking
    from companion.panel.questions import Question
    from companion.table.snapshot import Feed
    from companion.table.table import Table, Timer

ONE_ACT_SECONDS = 0.12
"""What is reported twice in this time is one act of a hand: no table votes or enacts twice in a tenth of a second."""
REVEAL_SECONDS = 15.0
"""After how long an answer out of the roles is shown and can be taken back though nobody has said it: no voice that
hangs keeps the end of a game from the table."""
GOODBYE_SECONDS = 10.0
"""How long the box may take to say goodbye: it is switched off also when its voice hangs, or is still to be learnt."""
BREAK_OFF_SECONDS = 20.0
"""How long after the warning nein may be held once more to break the game off."""
REFUSAL_SECONDS = 1.0
"""How long the status light shows that a press meant nothing."""


@dataclass(frozen=True, slots=True)
class BoxActions:
    """What a press may do to the box itself, beside the game.

    Attributes:
        switch_off: ends the box.
        turn_volume: turns the volume by so many steps, and returns where it is then.
        switch_clock: switches the clock of the discussion on or off, and returns what is said to that.
        turn_away: keeps a phone, by its claim, from sitting down again for a while.
        remember_host: keeps the claim of the host's phone; empty for none.
        remember_language: keeps that a lobby has brought a language of the settings.
    """

    switch_off: Callable[[], None]
    turn_volume: Callable[[int], int]
    switch_clock: Callable[[], Line]
    turn_away: Callable[[str], None]
    remember_host: Callable[[str], None]
    remember_language: Callable[[str], None] = lambda _code: None


class Presses(GameListener):
    """Owns what the box is in the middle of. `press` and the others run on the table's owner thread only."""

    def __init__(
        self,
        table: Table,
        announcer: Announcer,
        feed: Feed,
        dice: Dice,
        asking: Asking,
        actions: BoxActions,
        *,
        cards: bool,
        host_claim: str = "",
        next_language: str = "",
    ) -> None:
        """Take a place at the table.

        Args:
            table: decides what is reported.
            announcer: says it.
            feed: shows it.
            dice: draws what chance decides.
            asking: what phones ask the table.
            actions: what a press may do to the box.
            cards: whether roles are dealt with real cards.
            host_claim: what `remember_host` kept when the box was last on. Rights go with a phone and not with a seat.
            next_language: the language that the next lobby brings; empty for the one that the table speaks.
        """
        self._table = table
        self._announcer = announcer
        self._feed = feed
        self._dice = dice
        self._asking = asking
        self._actions = actions
        self._pending = Pending(cards=cards, languages=languages.codes(), next_language=next_language)
        holder = table.evening.seating.claimed_by(host_claim)
        self._host_claim = host_claim if holder is not None else ""
        self._feed.post(host=None if holder is None else holder.id)
        self._warned_at: float | None = None
        self._answer_is_unsaid = False
        self._answer_timer: Timer | None = None
        self._refusal_timer: Timer | None = None
        self._last_report: tuple[ButtonEvent, Report] | None = None
        self._has_left = False
        self._follow(table.evening)

    def take(self, event: ButtonEvent, *, at_panel: bool = True) -> Pressed:
        """Take whatever somebody did with a button.

        Args:
            event: what.
            at_panel: whether it was done at the table, and not on the page of a phone.
        """
        if not at_panel and self._table.withholds:
            # Also what the box waits for now would tell a page what the table has not heard yet.
            return Pressed(False, self._feed.snapshot.caption)
        if event.gesture is Gesture.HOLDING:
            return self._say_at_once(self._plain("shutdown_countdown", seconds=event.seconds_left))
        if event.gesture is Gesture.HOLD_CANCELLED:
            return self._stay("shutdown_cancelled")
        return self.press(event, at_panel=at_panel)

    def press(self, event: ButtonEvent, *, at_panel: bool) -> Pressed:
        """Do what a press or a completed hold means, and return what the box says to it."""
        pending = replace(
            self._pending,
            is_asked=self._feed.snapshot.question is not None and at_panel,
            question_said=self._asking.was_said_before(event),
            night_paused=self._feed.snapshot.night_paused,
            unsaid=self._pending.offer is not None and not self._announcer.name_said,
            breaking_off=self._is_warned(event),
        )
        meant = meaning(event.button, event.gesture is Gesture.HOLD, self._table.evening, pending, event.beside)
        if isinstance(meant, Report) and (same := self._same_act(event, meant)):
            return same
        if isinstance(meant, Report) and (refused := self._refused_while_it_is_told(meant, at_panel=at_panel)):
            return refused
        # Only the press right after the warning confirms it.
        self._pending = replace(self._pending, taking_back_roles=False)
        self._warned_at = None
        return self._see_to(meant)

    def _same_act(self, event: ButtonEvent, report: Report) -> Pressed | None:
        """Answer a press that belongs to the act of the report before it, since both came at once; None for any other.

        The same button twice is a contact or a finger that trembles, and counts once. Two results of a vote, or two
        policies, are two buttons under one hand: the second is refused, and the table hears so.
        """
        before, self._last_report = self._last_report, (event, report)
        if before is None or event.at_seconds is None or before[0].at_seconds is None:
            return None
        if not 0.0 <= event.at_seconds - before[0].at_seconds < ONE_ACT_SECONDS:
            return None
        if event.button is before[0].button:
            return Pressed(False, self._feed.snapshot.caption)
        if report.contradicts(before[1]):
            return self._refuse(self._plain("two_at_once"))
        return None

    def _refused_while_it_is_told(self, report: Report, *, at_panel: bool) -> Pressed | None:
        """Answer a report that would pass over what the box tells out of the roles; None for any other.

        Whoever takes such an answer back before the table has heard it, or from a page, could ask for all roles so.
        """
        if self._table.withholds:
            return Pressed(False, self._feed.snapshot.caption)
        if not any(isinstance(command, commands.TakeBack) for command in report.commands):
            return None
        step = self._table.evening.step
        if step.before is None or not answers_from_roles(step.before.game, step.report):
            return None
        if not at_panel:
            sentence = self._language.refusals[Refusal.ONLY_AT_THE_BOX]
            return Pressed(False, sentence)
        return Pressed(False, self._feed.snapshot.caption) if self._answer_is_unsaid else None

    def cannot_switch_off(self) -> Pressed:
        """Tell the table that undo was held for nothing, since this machine lets nobody switch it off."""
        return self._stay("shutdown_refused")

    def changed(self, change: Change) -> None:
        """Keep up with the game, whoever reported what happened."""
        if change.is_withheld:
            self._wait_for_the_answer()
        self._note_removed(change)
        # Whatever happens after the warning, the table plays on.
        self._warned_at = None
        self._follow(change.after)

    def said(self, key: str, text: str, at_seconds: float) -> None:  # noqa: ARG002 - named as the listener names them
        """Let an answer out of the roles be taken back, or a game be broken off, now that the table has heard it."""
        if key == Refusal.CONFIRM_BREAKING_OFF:
            self._warned_at = at_seconds
        if key in cues.REVEALING:
            self._answer_is_unsaid = False
            if not self._table.withholds:
                self._stop_waiting()

    # --- meanings ----------------------------------------------------------------------------------------------------

    def _see_to(self, meant: Meaning) -> Pressed:
        match meant:
            case Report():
                return self._report(meant)
            case Offer(seat, too_early):
                return self._offer(seat, too_early=too_early)
            case Allow():
                return self._allow(meant)
            case Narration():
                return self._narrate(meant)
            case SwitchOff():
                pressed = self._say_at_once(self._plain("goodbye"))
                self._leave_when_silent()
                return pressed
            case Volume(steps):
                return self._turn(steps)
            case SwitchClock():
                return self._remark(self._actions.switch_clock())
            case Waiting():
                return self._wait(meant)

    def _report(self, report: Report) -> Pressed:
        evening = self._table.evening
        decision = self._table.decide(self._with_chance(report.commands))
        if decision.refused is not None:
            if decision.refused.refusal is Refusal.CONFIRM_TAKING_BACK_ROLES:
                self._pending = replace(self._pending, taking_back_roles=True)
            return self._refuse(cues.refusal(decision.refused, evening, self._language))
        lines = cues.announce(
            Change(evening, decision.entry, decision.evening), self._language, cards=self._pending.cards
        )
        return Pressed(True, lines[0].text if lines else self._caption_of(decision))

    def _caption_of(self, decision: Decision) -> str:
        """Return what is heard next of a report that has no line of its own: the night speaks for itself."""
        if any(isinstance(event, events.NightBegan) for event in decision.entry):
            return self._announcer.first_words(decision.evening)
        return self._feed.snapshot.caption

    def submit(self, asked: Iterable[Command]) -> Decision:
        """Decide a report that came from a phone; none while the box is telling an answer out of the roles."""
        before = self._table.evening
        if self._table.withholds:
            return Decision(before, refused=Refused(Refusal.NOT_NOW))
        return self._table.decide(asked)

    def _wait_for_the_answer(self) -> None:
        """See to it that what is withheld is shown at last, also where no voice tells it."""
        self._stop_waiting()
        self._answer_is_unsaid = True
        self._answer_timer = self._table.later(REVEAL_SECONDS, self._give_up_waiting)

    def _is_warned(self, event: ButtonEvent) -> bool:
        """Whether the table had heard what breaking the game off means, a moment ago, when a hold began."""
        if self._warned_at is None:
            return False
        return 0.0 <= self._asking.began_at(event) - self._warned_at < BREAK_OFF_SECONDS

    def _stop_waiting(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None

    def _give_up_waiting(self) -> None:
        self._answer_timer = None
        self._table.reveal()
        self._answer_is_unsaid = False

    def _note_removed(self, change: Change) -> None:
        """Keep whoever was taken from the table from sitting down again at once; not who went home and came back."""
        if not any(isinstance(event, events.PlayerRemoved) for event in change.entry):
            return
        staying = {player.id for player in change.after.seating.players}
        for player in change.before.seating.players:
            if player.id not in staying and player.claim:
                self._actions.turn_away(player.claim)

    def _follow(self, evening: Evening) -> None:
        """Keep what belongs to the moment as it was, as far as the game still asks for it."""
        self._check_host(evening)
        targets = evening.game.eligible_targets
        offer = self._pending.offer if self._pending.offer in targets else targets[0] if targets else None
        if offer != self._pending.offer:
            self._put_on_offer(offer)
        wanted = self._pending.next_language
        if wanted and (evening.game.phase is Phase.LOBBY or evening.seating.language == wanted):
            self._bring_language(wanted)
        if evening.game.phase is not Phase.NIGHT:
            self._feed.post(night_paused=False, night_interrupted=False)

    def _bring_language(self, code: str) -> None:
        """Speak the language of the settings from this lobby on, unless the report that led here brought it already."""
        self._pending = replace(self._pending, next_language="")
        self._actions.remember_language(code)
        if self._table.evening.seating.language != code:
            self._table.decide([commands.ChooseLanguage(code)])

    def _with_chance(self, asked: Iterable[Command | Chance]) -> list[Command]:
        evening = self._table.evening
        drawn: list[Command] = []
        for each in asked:
            if each is Chance.DEAL_ROLES:
                drawn.append(commands.DealRoles(self._dice.roles(len(evening.staying.players))))
            elif each is Chance.BEGIN_GAME:
                drawn.append(commands.BeginGame(self._dice.first(evening.game.players)))
            else:
                drawn.append(each)
        return drawn

    def _put_on_offer(self, seat: int | None) -> None:
        self._pending = replace(self._pending, offer=seat)
        if seat is not None:
            self._announcer.await_name(cues.offer(self._table.evening, seat, self._language).text)
        self._feed.post(choice=seat)

    def _offer(self, seat: int, *, too_early: bool) -> Pressed:
        # Awaited anew even if it is on offer already: the host may have given it another spelling since.
        self._put_on_offer(seat)
        line = cues.offer(self._table.evening, seat, self._language)
        return self._refuse(line) if too_early else self._say_over(line)

    def _narrate(self, narration: Narration) -> Pressed:
        narrator = self._announcer.narrator
        match narration:
            case Narration.REPEAT:
                now = self._reminder()
                # Before the game nobody is asked for anything that the last announcement has not said.
                narrator.repeat(now if any(line.question for line in now) else ())
            case Narration.STANDING:
                return self._say_over(*self._standing())
            case Narration.PAUSE_NIGHT:
                if not self._feed.snapshot.night_paused:
                    self._pause_night()
                    return self._say_over(self._plain("night_paused"))
            case Narration.RESUME_NIGHT:
                self._feed.post(night_paused=False, night_interrupted=False)
                narrator.resume_night()
                return Pressed(True, self._language.say("night_resumed"))
            case Narration.RESTART_NIGHT:
                self._announcer.restart_night()
        return Pressed(True, self._feed.snapshot.caption)

    def _wait(self, waiting: Waiting) -> Pressed:
        line = cues.waiting(self._table.evening, self._language, cards=self._pending.cards)
        if waiting is Waiting.SILENTLY:
            return Pressed(False, line.text)
        if self._table.evening.game.phase is Phase.NIGHT:
            line = self._plain(cues.paused_night(self._feed.snapshot.night_interrupted))
        lines = [replace(line, effect=Effect.REFUSED)]
        if self._pending.offer is not None:
            lines.append(cues.offer(self._table.evening, self._pending.offer, self._language))
        return self._refuse(*lines)

    # --- phones that ask the table ---------------------------------------------------------------------------------

    def _allow(self, allow: Allow) -> Pressed:
        """Give a phone what it asked for, or say the question again to a hold that began before it was said."""
        if allow.too_early:
            self._show_refusal()
            self._asking.ask_again()
            return Pressed(False, self._feed.snapshot.caption)
        question = self._asking.allow()
        seating = self._table.evening.seating
        if question is None or seating.seat_of(question.player) is None:
            return self._wait(Waiting.ALOUD)
        if question.kind == "host":
            return self._give_host(seating.by_id(question.player), question)
        if question.kind == "share":
            friend = seating.claimed_by(question.claim)
            if friend is None:
                return self._wait(Waiting.ALOUD)
            decision = self.submit([commands.ShareSeat(question.player, friend.id)])
        else:
            decision = self.submit([commands.HandOverSeat(question.player, question.claim)])
        if decision.refused is not None:
            return self._refuse(cues.refusal(decision.refused, decision.evening, self._language))
        return Pressed(True, self._language.say("request_granted"))

    def _give_host(self, player: Player, question: Question) -> Pressed:
        if player.claim != question.claim:
            # The seat has gone to another phone since it asked.
            return self._wait(Waiting.ALOUD)
        self._host_claim = player.claim
        self._actions.remember_host(player.claim)
        self._feed.post(host=player.id)
        name = cues.said_name(self._table.evening.seating, player, self._language)
        return self._say_over(self._plain("host_now", name=name))

    def _check_host(self, evening: Evening) -> None:
        """Take the host's rights back from a seat that has gone to another phone, or from the table."""
        host = self._feed.snapshot.host
        if host is None:
            return
        holder = evening.seating.claimed_by(self._host_claim)
        if holder is None or holder.id != host:
            self._host_claim = ""
            self._feed.post(host=None)
            self._actions.remember_host("")

    def _turn(self, steps: int) -> Pressed:
        """Turn the volume and say how loud it is now, after what is being said; a night that goes on is left alone."""
        return self._remark(self._plain("volume", level=self._actions.turn_volume(steps)))

    def _remark(self, line: Line) -> Pressed:
        if self._table.evening.game.phase is not Phase.NIGHT or self._feed.snapshot.night_paused:
            self._announcer.narrator.remark(line)
        return Pressed(True, line.text)

    def _reminder(self) -> list[Line]:
        return self._about_now(cues.reminder)

    def _standing(self) -> list[Line]:
        return self._about_now(cues.standing)

    def _about_now(self, tell: Callable[..., list[Line]]) -> list[Line]:
        return tell(
            self._table.evening,
            self._language,
            self._pending.offer,
            cards=self._pending.cards,
            interrupted=self._feed.snapshot.night_interrupted,
        )

    # --- saying ------------------------------------------------------------------------------------------------------

    @property
    def _language(self) -> Language:
        return languages.load(self._table.evening.seating.language)

    def _plain(self, key: str, **facts: object) -> Line:
        return cues.plain(self._language, key, **facts)

    def _say_over(self, *lines: Line) -> Pressed:
        self._announcer.narrator.cut()
        self._announcer.narrator.say(lines)
        return Pressed(True, lines[0].text)

    def _say_at_once(self, *lines: Line) -> Pressed:
        """Say something about the box itself, whatever is being said; a night stands still for it."""
        narrator = self._announcer.narrator
        self._pause_night()
        narrator.interrupt()
        narrator.say(lines)
        return Pressed(True, lines[0].text)

    def _pause_night(self) -> None:
        """Let the night stand still, if there is one; also the last words of one that is over."""
        self._announcer.narrator.pause_night()
        if self._table.evening.game.phase is Phase.NIGHT:
            self._feed.post(night_paused=True)

    def _leave_when_silent(self) -> None:
        """Have the box switched off when the goodbye is said, or would have been."""
        self._has_left = False
        self._announcer.narrator.when_silent(lambda: self._table.call(self._leave))
        self._table.later(GOODBYE_SECONDS, self._leave)

    def _leave(self) -> None:
        if not self._has_left:
            self._has_left = True
            self._actions.switch_off()

    def _stay(self, key: str) -> Pressed:
        """Say that the box stays on, and again what it waits for: the countdown may have interrupted a question."""
        return self._say_at_once(self._plain(key), *self._reminder())

    def _refuse(self, *lines: Line) -> Pressed:
        self._show_refusal()
        self._say_over(*lines)
        return Pressed(False, lines[0].text)

    def _show_refusal(self) -> None:
        """Blink for a moment: the press was seen, and meant nothing."""
        if self._refusal_timer is not None:
            self._refusal_timer.cancel()
        self._feed.post(refusing=True)
        self._refusal_timer = self._table.later(REFUSAL_SECONDS, lambda: self._feed.post(refusing=False))
