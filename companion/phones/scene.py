"""What a page shows, worked out from the snapshot. Public facts only: a card never passes here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from companion.game import boards, events, rules
from companion.game.record import record
from companion.game.views import moment, public_view, revealed_roles
from companion.game.vocabulary import Party, Phase, PresidentialPower, Role
from companion.narrator import cues
from companion.panel.now import Now, now
from companion.phones import cards
from hardware.panel import Button

if TYPE_CHECKING:
    from companion.game.record import Government
    from companion.game.seating import Player
    from companion.languages import Language
    from companion.panel.questions import Question
    from companion.phones.seats import Phone
    from companion.table.snapshot import Countdown, Snapshot

_IN_THE_GAME = (Button.LIBERAL, Button.FASCIST, Button.JA, Button.NEIN)
_AFTER_THE_VOTE = frozenset(
    {Phase.HITLER_CHECK, Phase.LEGISLATIVE_SESSION, Phase.VETO, Phase.EXECUTIVE_ACTION, Phase.GAME_OVER}
)


def plain_now(present: Now) -> dict[str, object]:
    """Return what the table does now as programs read it."""
    return {
        "actors": list(present.actors),
        "text": present.text,
        "buttons": {str(button): words for button, words in present.buttons.items()},
        "held": {str(button): words for button, words in present.held.items()},
    }


def table_state(snapshot: Snapshot, stamp: str, language: Language) -> dict[str, object]:
    """Return what `GET /api/table` answers: what everybody on the network may know, in words of a language."""
    evening = snapshot.evening
    roles = revealed_roles(evening.game)
    return {
        **public_view(evening.game),
        "players": len(evening.names()),
        "alive": list(evening.seats_shown),
        "names": list(evening.names()),
        "signs": [player.sign for player in evening.seating.players[: len(evening.names())]],
        "roles": None if roles is None else [str(role) for role in roles],
        "joining": evening.joining,
        "caption": snapshot.caption_in(language),
        "now": plain_now(now(snapshot, language)),
        "choice": snapshot.choice,
        "clock": _plain_clock(snapshot.clock),
        "night_paused": snapshot.night_paused,
        "troubles": [sentence for _, sentence in snapshot.troubles],
        "stamp": stamp,
        "version": snapshot.version,
    }


def _plain_clock(clock: Countdown | None) -> dict[str, object] | None:
    if clock is None:
        return None
    return {"for": str(clock.phase), "seconds": clock.seconds, "seconds_left": round(clock.seconds_left, 3)}


@dataclass(frozen=True, slots=True)
class Row:
    """Somebody at the table, as everybody sees them.

    Attributes:
        seat: the seat, clockwise.
        player: who sits there; None where the box was not told.
        offices: words for what they are at this moment, and what the table knows of them.
        dead: whether they were executed.
        absent: whether they went home in the middle of the game.
        leads: whether it is their turn: they are the candidate, or the President in office.
        seconds: whether they are nominated as Chancellor, or the Chancellor in office.
        offered: whether the box is offering their name for a power.
        hitler: whether they were Hitler, once the game is over.
        role: their role, in the language of the page, once the game is over.
        yours: whether this phone is theirs.
    """

    seat: int
    player: Player | None
    offices: tuple[str, ...] = ()
    dead: bool = False
    absent: bool = False
    leads: bool = False
    seconds: bool = False
    offered: bool = False
    role: str = ""
    party: str = ""
    hitler: bool = False
    yours: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A row of the record, with the people in it."""

    row: Government
    president: Row
    chancellor: Row | None
    target: Row | None


@dataclass(frozen=True, slots=True)
class Turn:
    """What a phone may decide now.

    Attributes:
        action: where the choice is sent.
        field: the name of what is chosen.
        heading: what it is about.
        hint: a sentence under it.
        options: who can be chosen, as (seat, player or None).
        chosen: who has been chosen already, and can still be exchanged for another.
    """

    action: str
    field: str
    heading: str
    hint: str
    options: tuple[tuple[int, Player | None], ...]
    chosen: int | None = None


@dataclass(frozen=True)  # no slots: what is asked for again and again is kept
class Scene:
    """The moment, ready for a template."""

    snapshot: Snapshot
    language: Language
    phone: Phone
    names_of_allies: bool

    @property
    def phase(self) -> Phase:
        """Where the table stands."""
        return self.snapshot.evening.game.phase

    @cached_property
    def now(self) -> Now:
        """What the table does now, and what each button means."""
        return now(self.snapshot, self.language)

    @property
    def setting_up(self) -> bool:
        """Whether there is no game yet to show boards of."""
        return self.phase in {Phase.LOBBY, Phase.DEAL}

    @property
    def teaches_rules(self) -> bool:
        """Whether the box is telling the rules before the night, or has just told them."""
        return self.snapshot.teaches and self.phase is Phase.DEAL

    @property
    def signs_taken(self) -> frozenset[str]:
        """The signs that somebody has."""
        return frozenset(player.sign for player in self.snapshot.evening.seating.players)

    @property
    def caption(self) -> str:
        """What is being said, or was said last, in the language of the page."""
        return self.snapshot.caption_in(self.language)

    @property
    def redo(self) -> str:
        """What the report is called that can be put back; empty where there is none."""
        return cues.redo_of(self.snapshot.evening, self.language)

    @property
    def clock(self) -> tuple[str, float, float] | None:
        """The clock of the discussion, as (what it is for, seconds left, seconds in all); None where none runs."""
        clock = self.snapshot.clock
        if clock is None:
            return None
        return self.language.page[f"clock_{clock.phase}"], clock.seconds_left, clock.seconds

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, won or not."""
        return self.phase is Phase.GAME_OVER

    @property
    def dark(self) -> bool:
        """Whether it is night with closed eyes: every screen is black."""
        return self.phase is Phase.NIGHT

    @property
    def on_phones(self) -> bool:
        """Whether the night is played on the phones: the table wants it so, and the box has dealt."""
        return self.names_of_allies and self.snapshot.evening.game.roles is not None

    @property
    def moment(self) -> str:
        """What names the moment that the page shows."""
        return moment(self.snapshot.evening.game)

    @property
    def heading(self) -> str:
        """The phase in words."""
        return self.language.page[f"phase_{self.phase}"]

    @property
    def waiting(self) -> str:
        """What the box is waiting for, in a sentence."""
        page, lines = self.language.page, self.language.lines
        evening = self.snapshot.evening
        if self.phase is Phase.LOBBY:
            missing = boards.PLAYER_COUNTS[0] - len(evening.seating.players)
            return page["waiting_more"].format(count=missing) if missing > 0 else page["waiting_start"]
        if self.phase is Phase.NIGHT:
            if self.snapshot.night_paused:
                return lines[cues.paused_night(self.snapshot.night_interrupted)]
            return page["night_phones_text" if self.on_phones else "night_text"]
        if self.phase is Phase.EXECUTIVE_ACTION and evening.game.pending_power is PresidentialPower.POLICY_PEEK:
            return lines["waiting_policy_peek"]
        if self.phase is Phase.DEAL and self.phone.seats and evening.game.looked.issuperset(self.phone.seats):
            return page["looked"]
        return lines[f"waiting_{self.phase}"]

    @property
    def power(self) -> str:
        """The power that is to be used now, in words; empty when there is none."""
        power = self.snapshot.evening.game.pending_power
        return "" if power is None or self.phase is not Phase.EXECUTIVE_ACTION else self.language.terms[power]

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Everybody at the table, clockwise from seat 1; after a game also those who sat down for the next."""
        evening = self.snapshot.evening
        seated = len(evening.seating.players) if evening.joining else 0
        count = max(len(evening.names()), seated)
        return tuple(self.row(seat) for seat in range(1, count + 1))

    def row(self, seat: int) -> Row:
        """Who sits at a seat, and what they are at this moment."""
        evening = self.snapshot.evening
        game, page, terms = evening.game, self.language.page, self.language.terms
        player = evening.seating.player_at(seat)
        yours = self.phone.serves(seat)
        if self.phase is Phase.LOBBY or seat not in game.seats:
            return Row(seat, player, yours=yours)
        offices = []
        # Until they are elected, an office is a question.
        sign = "" if self.phase in _AFTER_THE_VOTE else "?"
        # Of a game that was broken off nobody knows whether its last candidate would have been President.
        in_office = game.reason is not None or not self.is_over
        if seat == game.president and in_office:
            offices.append(page["president_label"] + sign)
        if seat == game.chancellor and in_office:
            offices.append(page["chancellor_label"] + sign)
        if self.phase is Phase.ELECTION and seat in game.term_limited and seat in game.alive and seat != game.president:
            offices.append(page["term_limited_label"])
        if seat in game.investigated and not self.is_over:
            offices.append(page["investigated"])
        roles = revealed_roles(game)
        if seat in game.not_hitler and roles is None:
            offices.append(page["not_hitler"])
        return Row(
            seat,
            player,
            tuple(offices),
            seat in game.executed,
            seat in game.absent,
            seat == game.president and not self.is_over,
            seat == game.chancellor and not self.is_over,
            seat == self.snapshot.choice,
            "" if roles is None else terms[roles[seat - 1]],
            "" if roles is None else str(roles[seat - 1].party),
            roles is not None and roles[seat - 1] is Role.HITLER,
            yours,
        )

    @property
    def by_team(self) -> tuple[Row, ...]:
        """Everybody who played, once the game is over: Hitler, the other Fascists, the Liberals."""
        played = self.rows[: self.snapshot.evening.game.players]
        return tuple(sorted(played, key=lambda row: (not row.hitler, row.party != str(Party.FASCIST), row.seat)))

    @property
    def governments(self) -> tuple[Told, ...]:
        """The record of the game so far."""
        rows = self.rows
        return tuple(
            Told(
                each,
                rows[each.president - 1],
                None if each.chancellor is None else rows[each.chancellor - 1],
                None if each.target is None else rows[each.target - 1],
            )
            for each in record(self.snapshot.evening.step)
        )

    def can_leave(self, seat: int) -> bool:
        """Whether the game can go on without somebody, should they go home now."""
        game = self.snapshot.evening.game
        return seat not in game.absent and rules.can_leave(game, seat)

    @property
    def own_row(self) -> Row | None:
        """What the player of this phone is at this moment; None where there is no game, or the phone serves several."""
        if self.setting_up or self.dark or len(self.phone.seats) != 1:
            return None
        row = self.row(self.phone.seats[0])
        if self.phase is Phase.ELECTION and (row.leads or row.seconds):
            # To somebody alone there is room to say it in full.
            label = self.language.page["candidate_label" if row.leads else "nominated_label"]
            row = replace(row, offices=(label, *row.offices[1:]))
        return row

    @property
    def others(self) -> tuple[Player, ...]:
        """Those whose cards this phone does not show, and could if theirs has died; nobody at night."""
        players = enumerate(self.snapshot.evening.seating.players, 1)
        return () if self.dark else tuple(player for seat, player in players if not self.phone.serves(seat))

    @property
    def now_in_parts(self) -> tuple[tuple[str, bool], ...]:
        """What the table does now, cut into (words, whether they are somebody's name)."""
        evening = self.snapshot.evening
        names = {cues.name_of(evening, seat, self.language) for seat in evening.game.seats}
        anyone = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        parts = re.split(rf"(?<!\w)({anyone})(?!\w)", self.now.text)
        return tuple((part, place % 2 == 1) for place, part in enumerate(parts) if part)

    @property
    def buttons_now(self) -> tuple[tuple[str, bool, str], ...]:
        """What counts now, as (button, whether it is held, what it means).

        Not what every moment has, nor what is only quicker: the short cut at the vote, holds in the lobby.
        """
        present = self.now
        shown = (Button.JA, Button.NEIN) if self.phase is Phase.ELECTION else _IN_THE_GAME
        pressed = [(button, False, present.buttons[button]) for button in shown]
        # A held nein breaks a game off, but in the session it is the veto.
        holds = shown if self.phase is Phase.LEGISLATIVE_SESSION else (Button.JA,)
        held = [] if self.setting_up else [(button, True, present.held[button]) for button in holds]
        return tuple((str(button), is_held, words) for button, is_held, words in (*pressed, *held) if words)

    @property
    def doing(self) -> str:
        """What the table does now: for a phone in its own words where there is no game yet, or no light."""
        return self.waiting if self.setting_up or self.dark or self.winner else self.now.text

    @property
    def turn(self) -> Turn | None:
        """What this phone may decide now; None when it is not its turn. The host may decide for everybody."""
        game, page = self.snapshot.evening.game, self.language.page
        if not (self.phone.host or self.phone.serves(game.president)):
            return None
        if self.phase is Phase.ELECTION:
            options, chosen = self._options(game.eligible_chancellors), game.chancellor
            return Turn(
                "/me/nominate", "chancellor", page["nominate_heading"], page["nominate_optional"], options, chosen
            )
        if self.phase is Phase.EXECUTIVE_ACTION and game.pending_power is not None:
            needs_player = game.pending_power.needs_player
            hint = page["target_heading"] if needs_player else self.language.lines["waiting_policy_peek"]
            return Turn("/me/power", "player", self.power, hint, self._options(game.eligible_targets))
        return None

    def _options(self, seats: tuple[int, ...]) -> tuple[tuple[int, Player | None], ...]:
        seating = self.snapshot.evening.seating
        return tuple((seat, seating.player_at(seat)) for seat in seats)

    @property
    def hands(self) -> tuple[Row, ...]:
        """Whose cards this phone can show."""
        evening = self.snapshot.evening
        return tuple(
            Row(seat, evening.seating.player_at(seat), yours=True)
            for seat in self.phone.seats
            if cards.has_cards(evening, seat)
        )

    def kinds(self, seat: int) -> tuple[str, ...]:
        """Which cards a player has."""
        return cards.KINDS if cards.has_investigated(self.snapshot.evening, seat) else cards.KINDS[:2]

    @property
    def fascist_slots(self) -> tuple[str, ...]:
        """What is printed on each slot of the Fascist board: a power, or nothing."""
        players = self.snapshot.evening.game.players
        powers = (boards.power(players, slot) for slot in range(1, boards.FASCIST_SLOTS + 1))
        return tuple("" if power is None else str(power) for power in powers)

    @property
    def newest(self) -> str:
        """The party whose policy the last report put on its board; empty when it was about something else."""
        enacted = (events.PolicyEnacted, events.ChaosPolicyEnacted)
        policies = [str(event.policy) for event in self.snapshot.evening.step.report if isinstance(event, enacted)]
        return policies[0] if policies else ""

    @property
    def winner(self) -> str:
        """Who has won, in words, nobody included; empty while the game is played."""
        if not self.is_over:
            return ""
        winner = self.snapshot.evening.game.winner
        return self.language.page["winner_nobody" if winner is None else f"winner_{winner}"]

    @property
    def reason(self) -> str:
        """How, in words."""
        if not self.is_over:
            return ""
        reason = self.snapshot.evening.game.reason
        return self.language.page["reason_broken_off" if reason is None else f"reason_{reason}"]

    @property
    def troubles(self) -> tuple[tuple[str, str], ...]:
        """What does not work: for the table in its own language, and in the log's words for whoever mends it."""
        return tuple((self.language.page[f"trouble_{kind}"], fact) for kind, fact in self.snapshot.troubles)

    @property
    def question(self) -> Question | None:
        """What this very phone asks the table; its number stands here and nowhere else."""
        question = self.snapshot.question
        return question if question is not None and self.phone.claim and question.claim == self.phone.claim else None

    @property
    def full(self) -> bool:
        """Whether every chair is taken."""
        return len(self.snapshot.evening.seating.players) >= boards.PLAYER_COUNTS[-1]
