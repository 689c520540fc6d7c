"""A game's public state in one line of text, as chess has FEN: for tests, reports of faults, and people.

    players=7 phase=election liberal=2/5 fascist=3/6 tracker=1/3 draw=8 discard=4 president=4 last_chancellor=2

Facts are `key=value`, parted by spaces, in any order; what is left out has its value at the start of a game. Seats are
numbers, lists of seats are parted by commas, and `investigated=4>2` says that President 4 saw the membership of 2. The
points of `Rules` appear under their own names where a rulebook departs from retail. Roles are never in it: a line reads
as a game with real role cards.
"""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import TYPE_CHECKING, NoReturn, TypeVar

from companion.game import boards, editions
from companion.game.state import Game
from companion.game.vocabulary import Phase, PresidentialPower, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from enum import StrEnum

K = TypeVar("K", bound="StrEnum")

_BEFORE_THE_GAME = (Phase.LOBBY, Phase.DEAL, Phase.NIGHT, Phase.ASK)
_RULES = tuple(point.name for point in fields(editions.Rules))


class NotationError(ValueError):
    """A line is no game. The message begins with the key that is wrong, and says why."""


def to_line(game: Game) -> str:
    """Return the public state of a game in one line; `from_line` gives the same game back, but for dealt roles."""
    rules = game.rules
    facts: dict[str, str | None] = {
        "players": str(game.players),
        "phase": game.phase,
        "liberal": f"{game.liberal_policies}/{boards.LIBERAL_SLOTS}",
        "fascist": f"{game.fascist_policies}/{boards.FASCIST_SLOTS}",
        "tracker": f"{game.election_tracker}/{boards.TRACKER_SLOTS}",
        "draw": str(game.draw_pile),
        "discard": str(game.discard_pile),
        "president": _seat(game.president),
        "turn": None if game.turn == game.president else _seat(game.turn),
        "chancellor": _seat(game.chancellor),
        "last_president": _seat(game.last_president),
        "last_chancellor": _seat(game.last_chancellor),
        "executed": _list(game.executed),
        "investigated": ",".join(f"{president}>{player}" for president, player in game.investigations),
        "not_hitler": _list(sorted(game.not_hitler)),
        "looked": _list(sorted(game.looked)),
        "power": game.pending_power,
        "veto": "refused" if game.veto_refused else None,
        "reason": game.reason,
    }
    for point in _RULES:
        value = getattr(rules, point)
        if value != getattr(editions.RETAIL, point):
            facts[point] = str(value).lower()
    return " ".join(f"{key}={value}" for key, value in facts.items() if value)


def _seat(seat: int | None) -> str | None:
    return None if seat is None else str(seat)


def _list(seats: Iterable[int]) -> str:
    return ",".join(map(str, seats))


def from_line(text: str) -> Game:
    """Return the game that a line describes, with real role cards.

    The piles may be left out: with neither, all cards that are not enacted are in the draw pile.

    Raises:
        NotationError: a fact is unknown, not readable, or does not fit the others.
    """
    given = _facts(text)
    players = _number(given, "players", boards.PLAYER_COUNTS, 5)
    draw, discard = _piles(given)
    game = Game(
        players=players,
        rules=_rules(given),
        phase=_word(given, "phase", Phase) or Phase.LOBBY,
        looked=frozenset(_seats(given, "looked", players)),
        liberal_policies=_slots(given, "liberal", boards.LIBERAL_SLOTS),
        fascist_policies=_slots(given, "fascist", boards.FASCIST_SLOTS),
        election_tracker=_slots(given, "tracker", boards.TRACKER_SLOTS),
        draw_pile=draw,
        discard_pile=discard,
        president=_one_seat(given, "president", players),
        turn=_one_seat(given, "turn" if "turn" in given else "president", players),
        chancellor=_one_seat(given, "chancellor", players),
        last_president=_one_seat(given, "last_president", players),
        last_chancellor=_one_seat(given, "last_chancellor", players),
        executed=_seats(given, "executed", players),
        investigations=_investigations(given, players),
        not_hitler=frozenset(_seats(given, "not_hitler", players)),
        pending_power=_word(given, "power", PresidentialPower),
        veto_refused=_choice(given, "veto", ("refused",)) is not None,
        reason=_word(given, "reason", Reason),
    )
    _check(game)
    return game


# --- reading one fact ------------------------------------------------------------------------------------------------

_KEYS = (
    "players", "phase", "liberal", "fascist", "tracker", "draw", "discard", "president", "turn", "chancellor",
    "last_president", "last_chancellor", "executed", "investigated", "not_hitler", "looked", "power", "veto", "reason",
    *_RULES,
)  # fmt: skip


def _wrong(key: str, why: str) -> NoReturn:
    raise NotationError(f"{key}: {why}")


def _facts(text: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for fact in text.split():
        key, equals, value = fact.partition("=")
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, 1)
            _wrong(_short(key), "no such fact" + (f"; did you mean {near[0]}?" if near else ""))
        if not equals or not value:
            _wrong(key, "has no value")
        if key in given:
            _wrong(key, "is given twice")
        given[key] = value
    return given


def _short(text: str) -> str:
    return ascii(text if len(text) <= 20 else text[:20] + "…")[1:-1]


def _is_number(text: str) -> bool:
    # Not `isdigit` alone: a superscript is a digit to it.
    return text.isascii() and text.isdigit() and len(text) <= 2


def _number(given: dict[str, str], key: str, allowed: range, otherwise: int) -> int:
    text = given.get(key)
    if text is None:
        return otherwise
    if not _is_number(text) or int(text) not in allowed:
        _wrong(key, f"{_short(text)} is not a number from {allowed[0]} to {allowed[-1]}")
    return int(text)


def _slots(given: dict[str, str], key: str, slots: int) -> int:
    """Read `2/5`, or `2` for short."""
    enacted, of, total = given.get(key, "0").partition("/")
    if of and total != str(slots):
        _wrong(key, f"the board has {slots} slots, not {_short(total)}")
    return _number({key: enacted}, key, range(slots + 1), 0)


def _one_seat(given: dict[str, str], key: str, players: int) -> int | None:
    return _number(given, key, range(1, players + 1), 0) or None


def _seats(given: dict[str, str], key: str, players: int) -> tuple[int, ...]:
    if key not in given:
        return ()
    seats = tuple(_number({key: text}, key, range(1, players + 1), 0) for text in given[key].split(","))
    if len(set(seats)) < len(seats):
        _wrong(key, "names a seat twice")
    return seats


def _investigations(given: dict[str, str], players: int) -> tuple[tuple[int, int], ...]:
    key = "investigated"
    found: list[tuple[int, int]] = []
    for pair in given[key].split(",") if key in given else ():
        president, to, player = pair.partition(">")
        if not to:
            _wrong(key, f"{_short(pair)} does not say who saw whom, as 4>2 does")
        seats = range(1, players + 1)
        found.append((_number({key: president}, key, seats, 0), _number({key: player}, key, seats, 0)))
    if len({player for _, player in found}) < len(found):
        _wrong(key, "no player is investigated twice in a game")
    if any(president == player for president, player in found):
        _wrong(key, "no President investigates themself")
    return tuple(found)


def _choice(given: dict[str, str], key: str, words: Iterable[str]) -> str | None:
    text = given.get(key)
    if text is not None and text not in words:
        _wrong(key, f"{_short(text)} is not one of {', '.join(words)}")
    return text


def _word(given: dict[str, str], key: str, kind: type[K]) -> K | None:
    text = _choice(given, key, [str(word) for word in kind])
    return None if text is None else kind(text)


def _piles(given: dict[str, str]) -> tuple[int, int]:
    cards = range(boards.POLICY_CARDS + 1)
    left = boards.POLICY_CARDS - sum(
        _slots(given, key, slots)
        for key, slots in (("liberal", boards.LIBERAL_SLOTS), ("fascist", boards.FASCIST_SLOTS))
    )
    if "draw" in given:
        draw = _number(given, "draw", cards, 0)
        discard = _number(given, "discard", cards, max(left - draw, 0))
    else:
        discard = _number(given, "discard", cards, 0)
        draw = max(left - discard, 0)
    if draw + discard != left:
        _wrong("draw", f"{draw} to draw and {discard} discarded are not the {left} cards that are not enacted")
    return draw, discard


def _rules(given: dict[str, str]) -> editions.Rules:
    table = {point: _plain(given[point]) for point in _RULES if point in given}
    try:
        return editions.printed(table)
    except ValueError as error:
        raise NotationError(str(error)) from None


def _plain(text: str) -> object:
    if _is_number(text):
        return int(text)
    return {"true": True, "false": False}.get(text, text)


# --- whether the facts fit together ----------------------------------------------------------------------------------

_Condition = tuple[bool, str, str]
"""Whether something holds that holds in every game that can be played, the key to blame, and why."""


def _check(game: Game) -> None:
    for holds, key, why in _conditions(game):
        if not holds:
            _wrong(key, why)


def _conditions(game: Game) -> Iterator[_Condition]:
    if game.phase in _BEFORE_THE_GAME:
        fresh = Game(players=game.players, rules=game.rules, phase=game.phase, looked=game.looked)
        yield game == fresh, "phase", f"in the {game.phase} phase nothing of the game has happened yet"
        return
    yield from _offices(game)
    yield from _counts(game)
    yield from _powers(game)
    yield from _session(game)
    yield from _end(game)


def _asked_of_the_dead(game: Game) -> bool:
    return game.phase is Phase.HITLER_CHECK and game.pending_power is PresidentialPower.EXECUTION


def _offices(game: Game) -> Iterator[_Condition]:
    yield game.president is not None, "president", "a game that has begun has a President or a candidate"
    yield game.president not in game.executed, "president", "is executed"
    yield game.chancellor is None or game.chancellor != game.president, "chancellor", "is the President"
    # Until the executed player has answered, and at the end, the last government is still named.
    killed_now = _asked_of_the_dead(game) or game.phase is Phase.GAME_OVER
    yield game.chancellor not in game.executed or killed_now, "chancellor", "is executed"


def _counts(game: Game) -> Iterator[_Condition]:
    """No power was used more often than the board has given it."""
    slots = [boards.power(game.players, slot) for slot in range(1, game.fascist_policies + 1)]
    for key, used, power in (
        ("executed", len(game.executed), PresidentialPower.EXECUTION),
        ("investigated", len(game.investigations), PresidentialPower.INVESTIGATE_LOYALTY),
        ("turn", int(game.turn != game.president), PresidentialPower.CALL_SPECIAL_ELECTION),
    ):
        given = slots.count(power)
        yield used <= given, key, f"the board has given {power} {given} times so far"


def _powers(game: Game) -> Iterator[_Condition]:
    phase, power = game.phase, game.pending_power
    acting, of_the_dead = phase is Phase.EXECUTIVE_ACTION, _asked_of_the_dead(game)
    last = boards.power(game.players, game.fascist_policies) if game.fascist_policies else None
    yield power is None or acting or of_the_dead, "power", f"none is pending in the {phase} phase"
    yield power is not None or not acting, "power", "an executive action needs one"
    yield power is None or power is last, "power", f"the last slot covered has {last or 'none'}"
    yield bool(game.executed) or not of_the_dead, "executed", "nobody is, but an execution awaits its answer"
    asked = phase is Phase.HITLER_CHECK and not of_the_dead
    yield game.danger_zone or not asked, "phase", "no Chancellor is asked before the third Fascist policy"


def _session(game: Game) -> Iterator[_Condition]:
    phase = game.phase
    chaos = game.election_tracker == boards.TRACKER_SLOTS
    yield chaos is (phase is Phase.CHAOS), "tracker", "three failed elections are chaos, and nothing else is"
    # A session that leaves fewer is followed by a reshuffle at once, whatever the edition.
    enough = game.draw_pile >= boards.SESSION_CARDS
    yield enough or phase is Phase.GAME_OVER, "draw", "with fewer than three cards the piles are reshuffled"
    yield game.veto_unlocked or phase is not Phase.VETO, "phase", "the fifth Fascist policy unlocks the veto"
    refusable = phase is Phase.LEGISLATIVE_SESSION and game.veto_unlocked
    yield refusable or not game.veto_refused, "veto", "can be refused only in a session with five Fascist policies"


def _end(game: Game) -> Iterator[_Condition]:
    reason = game.reason
    yield (game.phase is Phase.GAME_OVER) is (reason is not None), "reason", "a game has one when it is over"
    for full, is_full in (
        (Reason.LIBERAL_POLICIES, game.liberal_policies == boards.LIBERAL_SLOTS),
        (Reason.FASCIST_POLICIES, game.fascist_policies == boards.FASCIST_SLOTS),
    ):
        yield is_full is (reason is full), "reason", f"a full board ends the game by {full}, and nothing else does"
    yield bool(game.executed) or reason is not Reason.HITLER_EXECUTED, "reason", "nobody is executed"
    yield game.danger_zone or reason is not Reason.HITLER_CHANCELLOR, "reason", "fewer than three Fascist policies"
