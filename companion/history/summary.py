"""What finished games come to: one in a few public facts, and many of them in sums."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, Any

from companion.game.views import revealed_roles
from companion.game.vocabulary import Party, Reason, Role
from companion.journal import FORGOTTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from companion.history.games import PastGame


@dataclass(frozen=True, slots=True)
class Summary:
    """A game that is over, in facts that everybody at its table has seen.

    Attributes:
        number: 1 for the first game that was played on this box.
        began_at: when (UTC, ISO 8601).
        minutes: how long it took.
        players: how many played.
        language: which language the table spoke.
        reason: how it was won; None where it was broken off.
        roles: who was what, seat 1 first; empty where real role cards were used.
        names: who sat there, seat 1 first; empty where the box was not told.
        signs: by which sign each of them was known.
        spoken: how each of them spelled their name for the voice; empty for whoever did not.
    """

    number: int
    began_at: str
    minutes: float
    players: int
    language: str
    reason: Reason | None
    roles: tuple[Role, ...] = field(repr=False)
    names: tuple[str, ...]
    signs: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()

    @property
    def winner(self) -> Party | None:
        """Which team won; None where nobody did."""
        return None if self.reason is None else self.reason.winner


def summary_of(game: PastGame) -> Summary | None:
    """Return the summary of a game; None of one that is not over, or damaged."""
    ended = game.ended_at
    if ended is None or game.evening is None:
        return None
    began = game.began_at
    state = game.evening.game
    people = game.evening.seating.players[: state.players]
    return Summary(
        game.number,
        began,
        (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds() / 60,
        state.players,
        game.evening.seating.language,
        state.reason,
        revealed_roles(state) or (),
        tuple(name or "" for name in game.evening.names()),
        tuple(player.sign for player in people),
        tuple(player.spoken for player in people),
    )


@dataclass(frozen=True, slots=True)
class Score:
    """How often somebody won.

    Attributes:
        games: how many games counted.
        liberal: how many of them the Liberals won.
        fascist: how many the Fascists won.
    """

    games: int = 0
    liberal: int = 0
    fascist: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """How somebody did, or whoever sat at a seat.

    Attributes:
        games: how many they played to the end.
        won: how many their team won.
        liberal: how often they were a Liberal.
        fascist: how often a Fascist who was not Hitler.
        hitler: how often Hitler.
    """

    games: int = 0
    won: int = 0
    liberal: int = 0
    fascist: int = 0
    hitler: int = 0


@dataclass(frozen=True, slots=True)
class Sums:
    """Many games.

    Attributes:
        all: every game that was won.
        by_players: the same, by the number of players.
        by_language: the same, by the language of the table.
        endings: how often games ended in which way; None for those that were broken off.
        median_minutes: how long half of the games took at most; None without games.
        by_seat: how whoever sat at a seat did.
        by_name: how everybody did whose name the box knows, most games first.
    """

    all: Score
    by_players: dict[int, Score]
    by_language: dict[str, Score]
    endings: dict[Reason | None, int]
    median_minutes: float | None
    by_seat: dict[int, Record]
    by_name: dict[str, Record]


def sums(games: Sequence[Summary]) -> Sums:
    """Return what games come to. Those that were broken off count as endings alone."""
    won = [game for game in games if game.reason is not None]
    seats: dict[int, list[tuple[Role, bool]]] = {}
    names: dict[str, list[tuple[Role, bool]]] = {}
    for game in won:
        for seat, role in enumerate(game.roles, 1):
            told = (role, role.party is game.winner)
            seats.setdefault(seat, []).append(told)
            name = game.names[seat - 1] if seat <= len(game.names) else ""
            if name and name != FORGOTTEN:
                names.setdefault(name, []).append(told)
    return Sums(
        _score(won),
        {players: _score(of) for players, of in sorted(_grouped(won, "players").items())},
        {language: _score(of) for language, of in sorted(_grouped(won, "language").items())},
        dict(Counter(game.reason for game in games).most_common()),
        median(game.minutes for game in won) if won else None,
        {seat: _record(of) for seat, of in sorted(seats.items())},
        dict(sorted(((name, _record(of)) for name, of in names.items()), key=lambda row: (-row[1].games, row[0]))),
    )


def _grouped(games: Iterable[Summary], by: str) -> dict[Any, list[Summary]]:
    found: dict[Any, list[Summary]] = {}
    for game in games:
        found.setdefault(getattr(game, by), []).append(game)
    return found


def _score(games: Sequence[Summary]) -> Score:
    winners = Counter(game.winner for game in games)
    return Score(len(games), winners[Party.LIBERAL], winners[Party.FASCIST])


def _record(played: Sequence[tuple[Role, bool]]) -> Record:
    roles = Counter(role for role, _ in played)
    won = sum(has_won for _, has_won in played)
    return Record(len(played), won, roles[Role.LIBERAL], roles[Role.FASCIST], roles[Role.HITLER])
