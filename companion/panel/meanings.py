"""What a press means: a pure table from button, hold and the standing of the game to what the box shall do.

The table is that of the front panel's contract. A press that stands nowhere in it means `Waiting`: nothing changes and
the box says what it waits for. No press can skip a rule, since every report still passes the referee.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from companion.game import boards, commands
from companion.game.vocabulary import Phase, Policy, PresidentialPower
from hardware.panel import Button

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.commands import Command
    from companion.game.evening import Evening


class Chance(Enum):
    """A command whose content chance decides, outside this table."""

    DEAL_ROLES = "deal_roles"
    BEGIN_GAME = "begin_game"


@dataclass(frozen=True, slots=True)
class Report:
    """Commands that make one report, decided together and taken back together."""

    commands: tuple[Command | Chance, ...]

    def contradicts(self, other: Report) -> bool:
        """Whether both tell the result of a vote, or both which policy was enacted, so that one hand meant only one."""
        return any(
            any(isinstance(command, kind) for command in self.commands)
            and any(isinstance(command, kind) for command in other.commands)
            for kind in (commands.Vote, commands.EnactPolicy)
        )


@dataclass(frozen=True, slots=True)
class Offer:
    """Speak this seat's name as the one that ja would choose.

    Attributes:
        seat: whose name.
        too_early: whether ja was pressed before the name was said. It chooses nobody, and the name is said first.
    """

    seat: int
    too_early: bool = False


@dataclass(frozen=True, slots=True)
class Allow:
    """Allow what a phone asks the table.

    Attributes:
        too_early: whether the hold began before the number of the question was said. Then it is said again, and nothing
            is allowed: the hold may have been meant for something else.
    """

    too_early: bool = False


@dataclass(frozen=True, slots=True)
class Volume:
    """Turn the volume of the whole box by so many steps; above 0 is louder."""

    steps: int


class Narration(Enum):
    """Something for the narrator alone."""

    REPEAT = "repeat"
    STANDING = "standing"
    PAUSE_NIGHT = "pause_night"
    RESUME_NIGHT = "resume_night"
    RESTART_NIGHT = "restart_night"


class SwitchClock(Enum):
    """Switch the clock of the discussion on or off."""

    NOW = "now"


class SwitchOff(Enum):
    """Shut the box down."""

    NOW = "now"


class Waiting(Enum):
    """The press means nothing here: say what the box waits for."""

    ALOUD = "aloud"
    SILENTLY = "silently"
    """At night nothing is said that is not the script."""


Meaning = Report | Offer | Allow | Volume | Narration | SwitchClock | SwitchOff | Waiting


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a press on the panel came to: whether it did something, and what the box said to it."""

    ok: bool
    caption: str


@dataclass(frozen=True, slots=True)
class Pending:
    """What the box is in the middle of, beside the game. Forgotten when it is switched off.

    Attributes:
        offer: the seat on offer while a power's player is chosen; None before the first.
        unsaid: whether the name on offer has still to be said. Nobody is chosen whose name the table has not heard.
        taking_back_roles: whether undo was pressed once already where roles would be lost.
        breaking_off: whether the table has just heard what breaking the game off means.
        is_asked: whether a phone asks the table something, and whoever presses stands at the panel.
        question_said: whether its number had been said in full when this hold began.
        night_paused: whether the night stands still.
        cards: whether roles are dealt with real cards instead of phones.
        languages: the codes to step through in the lobby.
        next_language: the language that the next lobby brings; empty for the one that the table speaks.
    """

    offer: int | None = None
    unsaid: bool = False
    taking_back_roles: bool = False
    breaking_off: bool = False
    is_asked: bool = False
    question_said: bool = False
    night_paused: bool = False
    cards: bool = False
    languages: tuple[str, ...] = ("en",)
    next_language: str = ""


def meaning(button: Button, held: bool, evening: Evening, pending: Pending, beside: Button | None = None) -> Meaning:
    """Return what a press or a hold of a button means now; `beside` is the button that was kept down meanwhile."""
    if (button, beside) in _CHORDS:
        return _CHORDS[button, beside]
    phase = evening.game.phase
    # A hold of its own, which means nothing else while a question stands. A short press never answers a phone.
    if pending.is_asked and phase is not Phase.NIGHT and button is Button.JA and held:
        return Allow(too_early=not pending.question_said)
    for key in ((phase, button, held), (phase, button, None), (None, button, held)):  # the most particular first
        if key in _TABLE:
            return _TABLE[key](evening, pending)
    return Waiting.SILENTLY if phase is Phase.NIGHT and not pending.night_paused else Waiting.ALOUD


def _report(*reported: Command | Chance) -> Callable[[Evening, Pending], Meaning]:
    return lambda _evening, _pending: Report(reported)


def _always(meant: Meaning) -> Callable[[Evening, Pending], Meaning]:
    return lambda _evening, _pending: meant


def _count(by: int) -> Callable[[Evening, Pending], Meaning]:
    """Step through the numbers of players; past the last comes the first."""

    def step(evening: Evening, pending: Pending) -> Meaning:
        counts = boards.PLAYER_COUNTS
        players = counts[(evening.game.players - counts[0] + by) % len(counts)]
        # With real role cards no phone that has joined keeps the table from playing with another number.
        return Report((commands.SetPlayers(players, whoever_sits=pending.cards),))

    return step


def _next_language(evening: Evening, pending: Pending) -> Meaning:
    place = pending.languages.index(evening.seating.language) if evening.seating.language in pending.languages else -1
    return Report((commands.ChooseLanguage(pending.languages[(place + 1) % len(pending.languages)]),))


def _start(evening: Evening, pending: Pending) -> Meaning:
    """Deal to those who have joined; with nobody joined the table plays with real role cards."""
    if pending.cards or not evening.seating.players:
        return Report((commands.BeginNight(),))
    if len(evening.seating.players) not in boards.PLAYER_COUNTS:
        return Waiting.ALOUD
    return Report((Chance.DEAL_ROLES,))


def _standing_at_night(_: Evening, pending: Pending) -> Meaning:
    # Nobody speaks into a night that goes on, and with closed eyes a press easily becomes a hold.
    return Narration.STANDING if pending.night_paused else Narration.RESTART_NIGHT


def _go_on_at_night(_: Evening, pending: Pending) -> Meaning:
    return Narration.RESUME_NIGHT if pending.night_paused else Waiting.SILENTLY


def _hold_the_night_again(evening: Evening, _: Pending) -> Meaning:
    return Report((commands.BeginNight() if evening.game.roles is None else Chance.DEAL_ROLES,))


def _elected_and_enacted(policy: Policy) -> Callable[[Evening, Pending], Meaning]:
    def shorthand(evening: Evening, _: Pending) -> Meaning:
        # In the danger zone the Hitler question stands between the vote and the policy.
        if evening.game.danger_zone:
            return Waiting.ALOUD
        return Report((commands.Vote(elected=True), commands.EnactPolicy(policy)))

    return shorthand


def _offer(by: int) -> Callable[[Evening, Pending], Meaning]:
    def step(evening: Evening, pending: Pending) -> Meaning:
        targets = evening.game.eligible_targets
        if not targets:
            return Waiting.ALOUD
        if pending.offer not in targets:
            return Offer(targets[0])
        return Offer(targets[(targets.index(pending.offer) + by) % len(targets)])

    return step


def _use_power(evening: Evening, pending: Pending) -> Meaning:
    game = evening.game
    if game.pending_power is PresidentialPower.POLICY_PEEK:
        return Report((commands.UsePower(),))
    if pending.offer not in game.eligible_targets:
        return Offer(game.eligible_targets[0], too_early=True)
    if pending.unsaid:
        return Offer(pending.offer, too_early=True)
    return Report((commands.UsePower(pending.offer),))


def _new_game(evening: Evening, pending: Pending) -> Meaning:
    seated, stays = len(evening.seating.players), len(evening.staying.players)
    enough = stays in boards.PLAYER_COUNTS
    dealt = evening.game.roles is not None or not pending.cards
    if stays < seated and not enough:
        # Some went home, and too few are left to be dealt to: the table opens for others.
        return Report((commands.OpenLobby(),))
    begins = Chance.DEAL_ROLES if enough and dealt else commands.BeginNight()
    # In the same report: nothing of the new game is said in the language of the old one.
    chosen = (commands.ChooseLanguage(pending.next_language),) if pending.next_language else ()
    return Report((commands.OpenLobby(), *chosen, begins))


def _break_off(_: Evening, pending: Pending) -> Meaning:
    return Report((commands.BreakOff(confirmed=pending.breaking_off),))


def _take_back(evening: Evening, pending: Pending) -> Meaning:
    seated = evening.seating.players
    if evening.game.phase is Phase.LOBBY and seated:
        # Whoever sat down last, again and again: also ten seats that a prank has taken are cleared at the box.
        return Report((commands.RemovePlayer(max(player.id for player in seated)),))
    return Report((commands.TakeBack(confirmed=pending.taking_back_roles),))


_CHORDS: dict[tuple[Button, Button | None], Meaning] = {
    # In every phase: the volume belongs to the box and not to the game.
    (Button.LIBERAL, Button.REPEAT): Volume(+1),
    (Button.FASCIST, Button.REPEAT): Volume(-1),
    (Button.UNDO, Button.REPEAT): Report((commands.Redo(),)),
    (Button.JA, Button.REPEAT): SwitchClock.NOW,
}

_TABLE: dict[tuple[Phase | None, Button, bool | None], Callable[[Evening, Pending], Meaning]] = {
    # (phase or any, button, held; None: pressed or held)
    (None, Button.REPEAT, False): _always(Narration.REPEAT),
    (None, Button.REPEAT, True): _always(Narration.STANDING),
    (None, Button.UNDO, False): _take_back,
    (None, Button.UNDO, True): _always(SwitchOff.NOW),
    (Phase.LOBBY, Button.LIBERAL, None): _count(+1),
    (Phase.LOBBY, Button.FASCIST, None): _count(-1),
    (Phase.LOBBY, Button.NEIN, True): _next_language,
    (Phase.LOBBY, Button.JA, False): _start,
    (Phase.LOBBY, Button.JA, True): _report(commands.BeginNight()),
    (Phase.DEAL, Button.JA, False): _report(commands.BeginNight()),
    (Phase.DEAL, Button.JA, True): _report(commands.BeginNight(regardless=True)),
    # Where a held nein means nothing else: every other phase is one press away from one of these.
    (Phase.DEAL, Button.NEIN, True): _break_off,
    (Phase.ELECTION, Button.NEIN, True): _break_off,
    (Phase.CHAOS, Button.NEIN, True): _break_off,
    (Phase.EXECUTIVE_ACTION, Button.NEIN, True): _break_off,
    (Phase.NIGHT, Button.NEIN, None): _always(Narration.PAUSE_NIGHT),
    (Phase.NIGHT, Button.JA, None): _go_on_at_night,
    (Phase.NIGHT, Button.REPEAT, False): _always(Narration.RESTART_NIGHT),
    (Phase.NIGHT, Button.REPEAT, True): _standing_at_night,
    (Phase.ASK, Button.JA, None): _report(Chance.BEGIN_GAME),
    (Phase.ASK, Button.NEIN, None): _hold_the_night_again,
    (Phase.ELECTION, Button.JA, None): _report(commands.Vote(elected=True)),
    # Held nein is the veto, or breaks off: at an election it must not count as a failed vote.
    (Phase.ELECTION, Button.NEIN, False): _report(commands.Vote(elected=False)),
    (Phase.ELECTION, Button.LIBERAL, None): _elected_and_enacted(Policy.LIBERAL),
    (Phase.ELECTION, Button.FASCIST, None): _elected_and_enacted(Policy.FASCIST),
    (Phase.HITLER_CHECK, Button.JA, None): _report(commands.Answer(hitler=True)),
    (Phase.HITLER_CHECK, Button.NEIN, None): _report(commands.Answer(hitler=False)),
    (Phase.LEGISLATIVE_SESSION, Button.LIBERAL, None): _report(commands.EnactPolicy(Policy.LIBERAL)),
    (Phase.LEGISLATIVE_SESSION, Button.FASCIST, None): _report(commands.EnactPolicy(Policy.FASCIST)),
    (Phase.LEGISLATIVE_SESSION, Button.NEIN, True): _report(commands.ProposeVeto()),
    (Phase.VETO, Button.JA, None): _report(commands.AnswerVeto(agreed=True)),
    (Phase.VETO, Button.NEIN, None): _report(commands.AnswerVeto(agreed=False)),
    (Phase.CHAOS, Button.LIBERAL, None): _report(commands.EnactPolicy(Policy.LIBERAL)),
    (Phase.CHAOS, Button.FASCIST, None): _report(commands.EnactPolicy(Policy.FASCIST)),
    (Phase.EXECUTIVE_ACTION, Button.LIBERAL, None): _offer(+1),
    (Phase.EXECUTIVE_ACTION, Button.FASCIST, None): _offer(-1),
    (Phase.EXECUTIVE_ACTION, Button.JA, None): _use_power,
    (Phase.GAME_OVER, Button.JA, None): _new_game,
    (Phase.GAME_OVER, Button.NEIN, None): _report(commands.OpenLobby()),
}
