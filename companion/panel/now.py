"""What the table does now, and what each button means at this moment: one pure answer for every screen.

It is worked out from the snapshot alone, by the same table of meanings that a press is looked up in, and a report
counts only where the rules would take it. Nothing in it depends on who has which role.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion import languages
from companion.game import commands
from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.vocabulary import Phase
from companion.narrator import cues
from companion.panel.meanings import Allow, Chance, Narration, Offer, Pending, Report, SwitchOff, meaning
from hardware.panel import HOLD_SECONDS, Button

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from companion.game.evening import Evening
    from companion.languages import Language
    from companion.panel.meanings import Meaning
    from companion.table.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Now:
    """What anybody who glances at a screen wants to know.

    Attributes:
        actors: the seats that act.
        text: what the table does, in a sentence or two.
        buttons: what a press of each button means, in a few words; None where it changes nothing.
        held: the same for a hold; None where it means no more than a press.
    """

    actors: tuple[int, ...]
    text: str
    buttons: Mapping[Button, str | None]
    held: Mapping[Button, str | None]


def now(snapshot: Snapshot, language: Language) -> Now:
    """Return what the table does now, in a language."""
    evening = snapshot.evening
    pending = Pending(
        offer=snapshot.choice,
        is_asked=snapshot.question is not None,
        question_said=True,
        night_paused=snapshot.night_paused,
        cards=snapshot.cards,
        languages=languages.codes(),
        # Undo warns before it takes roles back; what it takes back is the same.
        taking_back_roles=True,
        breaking_off=True,
    )

    def means(button: Button, *, held: bool) -> str | None:
        meant = meaning(button, held, evening, pending)
        return _words(button, meant, snapshot, language) if _counts(meant, evening, pending) else None

    buttons = {button: means(button, held=False) for button in Button}
    held = {button: means(button, held=True) if button in HOLD_SECONDS else None for button in Button}
    only_held = {button: None if words == buttons[button] else words for button, words in held.items()}
    return Now(_actors(evening), _text(snapshot, language), buttons, only_held)


def _actors(evening: Evening) -> tuple[int, ...]:
    game = evening.game
    match game.phase:
        case Phase.DEAL:
            return tuple(seat for seat in game.seats if seat not in game.looked)
        case Phase.ELECTION if game.chancellor is not None:
            return tuple(game.alive)
        case Phase.HITLER_CHECK:
            return () if game.asked is None else (game.asked,)
        case Phase.LEGISLATIVE_SESSION:
            return tuple(seat for seat in (game.president, game.chancellor) if seat is not None)
        case Phase.ELECTION | Phase.VETO | Phase.EXECUTIVE_ACTION:
            return () if game.president is None else (game.president,)
    return ()


def _text(snapshot: Snapshot, language: Language) -> str:
    evening = snapshot.evening
    game = evening.game
    if game.phase is Phase.NIGHT and not snapshot.night_paused:
        return cues.waiting(evening, language, cards=snapshot.cards).text
    if game.phase is Phase.ELECTION and game.president is not None:
        president = cues.name_of(evening, game.president, language)
        if game.chancellor is None:
            return language.now["election"].format(name=president)
        chancellor = cues.name_of(evening, game.chancellor, language)
        return language.now["vote"].format(president=president, chancellor=chancellor)
    if game.phase is Phase.LEGISLATIVE_SESSION:
        return " ".join(line.text for line in cues.session(evening, language))
    interrupted = snapshot.night_interrupted
    lines = cues.reminder(evening, language, snapshot.choice, cards=snapshot.cards, interrupted=interrupted)
    # Which button does what stands beside it.
    return " ".join(line.text for line in lines if line.key != "choose_player")


def _counts(meant: Meaning, evening: Evening, pending: Pending) -> bool:
    """Whether a press that means this changes something."""
    match meant:
        case Report(asked):
            reported = [each for each in asked if not isinstance(each, Chance)]
            if len(reported) < len(asked):
                # What chance decides is offered only where it is legal.
                return True
            try:
                return bool(rulebook.decide(evening, reported))
            except Refused:
                return False
        case Narration.PAUSE_NIGHT:
            return not pending.night_paused
        case Allow() | Narration() | Offer() | SwitchOff():
            return True
    return False


def _words(button: Button, meant: Meaning, snapshot: Snapshot, language: Language) -> str | None:
    words = language.now
    match meant:
        case Report(asked):
            return _report(asked, snapshot.evening, language)
        case Offer():
            return words["next" if button is Button.LIBERAL else "previous"]
        case Allow():
            return words["allow"].format(number=snapshot.question.number if snapshot.question else "")
        case Narration.REPEAT:
            return words["repeat"]
        case Narration.STANDING:
            return words["standing"]
        case Narration.PAUSE_NIGHT:
            return words["pause"]
        case Narration.RESUME_NIGHT:
            return words["go_on"]
        case Narration.RESTART_NIGHT:
            return words["start_over"]
        case SwitchOff():
            return words["switch_off"]
    return None


def _report(asked: tuple[commands.Command | Chance, ...], evening: Evening, language: Language) -> str:
    first = asked[0]
    if isinstance(first, commands.Vote) and len(asked) > 1 and isinstance(asked[1], commands.EnactPolicy):
        return language.now[f"elected_{asked[1].policy}"]
    if isinstance(first, Chance):
        key = "begin_game" if first is Chance.BEGIN_GAME else "night_again" if _asks(evening) else "deal"
        return language.now[key]
    if isinstance(first, commands.OpenLobby) and len(asked) == 1:
        return language.now["open_table"]
    return _WORDS[type(first)](first, evening, language)


def _asks(evening: Evening) -> bool:
    return evening.game.phase is Phase.ASK


def _begin_night(command: commands.BeginNight, evening: Evening, language: Language) -> str:
    if _asks(evening):
        return language.now["night_again"]
    if command.regardless:
        return language.now["without_waiting"]
    with_phones = evening.game.phase is Phase.LOBBY and evening.seating.players
    return language.now["real_cards" if with_phones else "begin_night"]


def _use_power(command: commands.UsePower, evening: Evening, language: Language) -> str:
    if command.player is None:
        return language.now["done"]
    return language.now["choose"].format(name=cues.name_of(evening, command.player, language))


def _name_of_language(code: str) -> str:
    """Return a language's own name for itself; its code where its file cannot be read at the moment."""
    try:
        return languages.load(code).name
    except (languages.LanguageError, OSError):
        return code


def _leaves(command: commands.RemovePlayer, evening: Evening, language: Language) -> str:
    player = evening.seating.by_id(command.player)
    return language.now["leaves"].format(name=cues.said_name(evening.seating, player, language))


_WORDS: dict[type, Callable[[Any, Evening, Language], str]] = {
    commands.SetPlayers: lambda command, _, language: language.now["players"].format(count=command.players),
    commands.ChooseLanguage: lambda command, _evening, _language: _name_of_language(command.language),
    commands.RemovePlayer: _leaves,
    commands.BeginNight: _begin_night,
    commands.OpenLobby: lambda _command, _evening, language: language.now["new_game"],
    commands.BreakOff: lambda _command, _evening, language: language.now["break_off"],
    commands.Vote: lambda command, _, language: language.now["elected" if command.elected else "failed"],
    commands.Answer: lambda command, _, language: language.now["yes_hitler" if command.hitler else "no_hitler"],
    commands.EnactPolicy: lambda command, _, language: language.now[command.policy],
    commands.ProposeVeto: lambda _command, _evening, language: language.now["propose_veto"],
    commands.AnswerVeto: lambda command, _, language: language.now["agree" if command.agreed else "refuse"],
    commands.UsePower: _use_power,
    commands.Redo: lambda _, evening, language: language.now["redo"].format(report=cues.redo_of(evening, language)),
    commands.TakeBack: lambda _, evening, language: language.now["take_back"].format(
        report=cues.report_of(evening, language)
    ),
}
"""The words for a report, by its first command."""
