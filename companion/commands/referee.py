"""A headless box: one JSON command a line in, one JSON answer a line out. The rules are those of `companion.game`.

Whatever a line holds, it gets an answer, and a refused line changes nothing.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from companion.errors import CompanionError
from companion.game import commands, events, rules, views
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Party
from companion.journal import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from companion.game.commands import GameCommand
    from companion.game.editions import Rules
    from companion.game.events import Event
    from companion.game.state import Game

LINE_BYTES = 4096
"""The longest line that is read, its end included. The longest command there is needs about forty."""

_ECHOED = 40
_POSITIONS = 64


class LineRefused(CompanionError):  # noqa: N818 - like `Refused`: it names what happened
    """A line that is no command.

    Attributes:
        code: for programs.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


# --- what a line says ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Key:
    """One key of a command: what its value must be, in words and as a check, and whether it may be left out."""

    wanted: str
    fits: Callable[[object], bool]
    optional: bool = False


def _is_seat(value: object) -> bool:
    # True is an int to Python and 4.0 equals 4, but neither is a seat.
    return type(value) is int


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_policy(value: object) -> bool:
    return isinstance(value, str) and value in tuple(Party)


_SEAT = _Key("a seat number", _is_seat)
# null is how the answers say "none", so it may say so in a command too.
_SEAT_OR_NONE = _Key("a seat number", lambda value: value is None or _is_seat(value), optional=True)
_YES_OR_NO = _Key("true or false", _is_bool)
_POLICY = _Key('"liberal" or "fascist"', _is_policy)

_KEYS: dict[str, dict[str, _Key]] = {
    "nominate": {"chancellor": _SEAT},
    "vote": {"elected": _YES_OR_NO},
    "answer": {"hitler": _YES_OR_NO},
    "enact": {"policy": _POLICY},
    "veto": {},
    "consent": {"agreed": _YES_OR_NO},
    "power": {"player": _SEAT_OR_NONE},
    "undo": {},
    "redo": {},
    "state": {},
}

_COMMANDS: dict[str, Callable[..., GameCommand]] = {
    "nominate": commands.Nominate,
    "vote": commands.Vote,
    "answer": commands.Answer,
    "enact": lambda policy: commands.EnactPolicy(Party(policy)),
    "veto": commands.ProposeVeto,
    "consent": commands.AnswerVeto,
    "power": commands.UsePower,
}


def read(line: str | bytes) -> tuple[str, dict[str, Any]]:
    """Return the command of a line: its word and the values that belong to it, of the right types.

    Raises:
        LineRefused: the line is no such command.
    """
    given = _json_object(line)
    if "do" not in given:
        raise LineRefused("missing_key", 'The command has no "do".')
    word = given.pop("do")
    if not isinstance(word, str):
        raise LineRefused("wrong_type", '"do" must be the name of a command, as a string.')
    if word not in _KEYS:
        raise LineRefused("unknown_command", f"There is no command {_echo(word)}{_end(word, _KEYS)}")
    _check_keys(word, given)
    return word, given


def _json_object(line: str | bytes) -> dict[str, Any]:
    if len(line) > LINE_BYTES:
        raise LineRefused("line_too_long", f"The line is longer than {LINE_BYTES} bytes.")
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
    except UnicodeDecodeError:
        raise LineRefused("not_json", "The line is not UTF-8 text.") from None
    try:
        given = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        # ValueError also stands for NaN and for numbers of thousands of digits.
        raise LineRefused("not_json", "The line is not JSON.") from None
    if not isinstance(given, dict):
        raise LineRefused("not_an_object", "A command is a JSON object.")
    return given


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    given = dict(pairs)
    if len(given) < len(pairs):
        # Which of the two was meant cannot be known.
        raise LineRefused("duplicate_key", "A key is given twice.")
    return given


def _check_keys(word: str, given: Mapping[str, object]) -> None:
    keys = _KEYS[word]
    for key in given:
        if key not in keys:
            raise LineRefused("unknown_key", f'"{word}" takes no {_echo(key)}{_end(key, keys)}')
    for key, wanted in keys.items():
        if key not in given and not wanted.optional:
            raise LineRefused("missing_key", f'"{word}" needs "{key}": {wanted.wanted}.')
        if key in given and not wanted.fits(given[key]):
            # A policy has the right type, a string, even where there is no such policy.
            code = "wrong_value" if wanted is _POLICY and isinstance(given[key], str) else "wrong_type"
            raise LineRefused(code, f'"{key}" must be {wanted.wanted}.')


def _echo(text: str) -> str:
    return json.dumps(text if len(text) <= _ECHOED else text[:_ECHOED] + "...")


def _end(text: str, known: Iterable[str]) -> str:
    """End a sentence about an unknown word, with the known one that it may have been meant for."""
    near = difflib.get_close_matches(text[:_ECHOED].casefold(), known, 1)
    return f"; did you mean {_echo(near[0])}?" if near else "."


# --- what it does ----------------------------------------------------------------------------------------------------


class _Referee:
    """One game, and every position that it came through."""

    def __init__(self, game: Game, sentences: Mapping[str, str]) -> None:
        self._game = game
        self._sentences = sentences
        self._past: list[Game] = []
        self._taken_back: list[Game] = []
        self._positions: dict[Game, Game] = {}

    def answer(self, line: str | bytes) -> dict[str, object]:
        """Return the answer to a line. Never raises for what a line holds."""
        try:
            happened = self._obey(*read(line))
        except LineRefused as refused:
            return self._refused(refused.code, str(refused))
        except Refused as refused:
            return self._refused(refused.refusal, self._sentences.get(refused.refusal, str(refused)))
        return {"ok": True, "events": [codec.to_plain(event) for event in happened], "state": self._state()}

    def _obey(self, word: str, values: Mapping[str, Any]) -> tuple[Event, ...]:
        if word == "state":
            return ()
        if word == "undo":
            if not self._past:
                raise Refused(Refusal.NOTHING_TO_TAKE_BACK)
            self._taken_back.append(self._game)
            self._game = self._past.pop()
            return (events.ReportTakenBack(),)
        if word == "redo":
            if not self._taken_back:
                raise Refused(Refusal.NOTHING_TO_REDO)
            self._past.append(self._game)
            self._game = self._taken_back.pop()
            return (events.ReportRedone(),)
        happened = rules.decide(self._game, _COMMANDS[word](**values))
        self._taken_back.clear()
        self._past.append(self._game)
        self._game = self._once(rules.replay(self._game, happened))
        return happened

    def _once(self, game: Game) -> Game:
        """Return the position of that value which is kept already.

        A game has few positions, but a candidate may change the nomination without end; so it costs a pointer, not a
        position.
        """
        if len(self._positions) >= _POSITIONS:
            self._positions.clear()
        return self._positions.setdefault(game, game)

    def _refused(self, code: str, sentence: str) -> dict[str, object]:
        return {"ok": False, "code": str(code), "error": sentence, "state": self._state()}

    def _state(self) -> dict[str, object]:
        return views.public_view(self._game)


def serve(
    lines: Iterable[str | bytes],
    write: Callable[[str], None],
    players: int,
    first: int,
    rulebook: Rules,
    sentences: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Answer every line until there are no more.

    Args:
        lines: JSON commands, with or without their line ends; bytes are UTF-8.
        write: takes one whole answer with its line end, plain ASCII.
        players: 5 to 10.
        first: the seat of the first presidential candidate.
        rulebook: the rules that are played.
        sentences: why the rules refuse something, by its code, in the language of the table; in plain English where one
            is missing. What is wrong with a line itself is told to its programmer, in English.

    Raises:
        Refused: there is no such number of players or no such seat.
    """
    referee = _Referee(rules.begun(players, first, rulebook), sentences)
    for line in lines:
        write(json.dumps(referee.answer(line)) + "\n")


# --- as a process ----------------------------------------------------------------------------------------------------


def bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream; of a line that is too long only so much that it is seen to be, never the whole."""
    limit = LINE_BYTES + 1
    while line := stream.readline(limit):
        rest = line
        while len(rest) == limit and not rest.endswith(b"\n"):
            rest = stream.readline(limit)
        yield line


def run(players: int, first: int, rulebook: Rules, sentences: Mapping[str, str]) -> int:
    """Referee one game between standard input and output, and return the exit code; the arguments are those of `serve`.

    Raises:
        Refused: there is no such number of players or no such seat.
    """

    def write(answer: str) -> None:
        sys.stdout.write(answer)
        sys.stdout.flush()

    try:
        serve(bounded_lines(sys.stdin.buffer), write, players, first, rulebook, sentences)
    except BrokenPipeError:
        # Whoever asked has gone. Python would complain of the same once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
