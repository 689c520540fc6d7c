"""What the tests of the rules share: reading a game file, and playing at random or all at once."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.game import boards, commands, rules, views
from companion.game.editions import RETAIL, Rules
from companion.game.vocabulary import Party, Role
from tests import notation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from companion.game.commands import GameCommand
    from companion.game.state import Game

GAMES = Path(__file__).parent / "games"

PRINTED = {
    "retail": RETAIL,
    "pt": notation.from_line(
        "term_limited=last_enacted few_players=started election_resets_tracker=true silence=from_draw"
    ).rules,
    "it": notation.from_line("reshuffle_below=4").rules,
    "nb": notation.from_line("enacting_office=president").rules,
}
"""The rulebooks that are printed differently, written out here whatever the language files say."""


@dataclass(frozen=True)
class Step:
    """One line of a game file: a command, the facts that hold after it, and the whole position where it is given."""

    number: int
    words: tuple[str, ...]
    facts: dict[str, str]
    line: str | None = None


@dataclass(frozen=True)
class Script:
    """A game file. `players` is None where it starts from a position."""

    comment: str
    start: Game
    steps: tuple[Step, ...]
    rulebook: Rules
    players: int | None
    first: int | None
    deal: tuple[Role, ...] | None


def read_script(path: Path) -> Script:
    """Read a game file; tests/games/README.md tells its format."""
    comments: list[str] = []
    head: dict[str, str] = {}
    steps: list[Step] = []
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = raw.strip()
        if line.startswith("#"):
            comments.append(line[1:].strip())
        elif line.startswith("="):
            last = steps[-1]
            steps[-1] = Step(last.number, last.words, last.facts, line[1:].strip())
        elif "|" in line:
            command, _, facts = line.partition("|")
            given = dict(fact.split("=", 1) for fact in facts.split())
            assert given, f"{path.name}:{number}: a step without a fact"
            steps.append(Step(number, tuple(command.split()), given))
        elif line:
            key, colon, value = line.partition(":")
            assert colon, f"{path.name}:{number}: neither a step nor a key"
            head[key.strip()] = value.strip()
    unknown = head.keys() - {"players", "first", "from", "rules", "deal"}
    assert not unknown, f"{path.name}: {unknown}"
    rulebook = notation.from_line(head.get("rules", "")).rules
    deal = tuple(map(Role, head["deal"].split())) if "deal" in head else None
    if "from" in head:
        start = notation.from_line(f"{head['from']} {head.get('rules', '')}")
        return Script(" ".join(comments), start, tuple(steps), rulebook, None, None, None)
    players, first = int(head["players"]), int(head["first"])
    start = dealt(deal, first, rulebook) if deal else rules.begun(players, first, rulebook)
    return Script(" ".join(comments), start, tuple(steps), rulebook, players, first, deal)


def dealt(deal: tuple[Role, ...], first: int = 1, rulebook: Rules = RETAIL) -> Game:
    """Return a game at its first election with these roles dealt."""
    game = rules.opened(len(deal), rulebook)
    for command in (
        commands.DealRoles(deal),
        commands.BeginNight(regardless=True),
        commands.EndNight(),
        commands.BeginGame(first),
    ):
        game = rules.replay(game, rules.decide(game, command))
    return game


_YES = {"ja": True, "nein": False}


def command_of(words: tuple[str, ...]) -> GameCommand:
    """Return the command that a step of a game file names."""
    word, *rest = words
    match word:
        case "nominate":
            return commands.Nominate(int(rest[0]))
        case "vote":
            return commands.Vote(_YES[rest[0]])
        case "answer":
            return commands.Answer(_YES[rest[0]])
        case "enact":
            return commands.EnactPolicy(Party(rest[0]))
        case "veto":
            return commands.ProposeVeto()
        case "consent":
            return commands.AnswerVeto(_YES[rest[0]])
        case "power":
            return commands.UsePower(int(rest[0]) if rest else None)
    raise AssertionError(f"no command {word}")


def plain_of(command: GameCommand) -> dict[str, Any]:
    """Return a command as the referee reads it."""
    match command:
        case commands.Nominate(chancellor):
            return {"do": "nominate", "chancellor": chancellor}
        case commands.Vote(elected):
            return {"do": "vote", "elected": elected}
        case commands.Answer(hitler):
            return {"do": "answer", "hitler": hitler}
        case commands.EnactPolicy(policy):
            return {"do": "enact", "policy": str(policy)}
        case commands.ProposeVeto():
            return {"do": "veto"}
        case commands.AnswerVeto(agreed):
            return {"do": "consent", "agreed": agreed}
        case commands.UsePower(None):
            return {"do": "power"}
        case commands.UsePower(player):
            return {"do": "power", "player": player}
    raise AssertionError(f"not the referee's: {command}")


_SHORT = {
    "liberal": "liberal_policies",
    "fascist": "fascist_policies",
    "tracker": "election_tracker",
    "draw": "draw_pile",
    "discard": "discard_pile",
    "power": "pending_power",
    "eligible": "eligible_chancellors",
    "targets": "eligible_targets",
}


def facts_of(game: Game) -> dict[str, str]:
    """Return every fact of a position that a game file may name, as it would write it."""
    state = views.public_view(game)
    facts = {key: _written(value) for key, value in state.items()}
    facts |= {short: facts[key] for short, key in _SHORT.items()}
    facts["turn"] = _written(game.turn)
    return facts


def _written(value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def conceivable(players: int) -> Iterator[GameCommand]:
    """Yield every command with parameters from a range somewhat larger than a table, but for deals, which are many."""
    seats = range(-1, players + 3)
    yield from map(commands.SetPlayers, range(3, 13))
    yield from map(commands.LookAtRole, seats)
    yield from map(commands.BeginNight, (False, True))
    yield commands.EndNight()
    yield from map(commands.BeginGame, seats)
    yield from map(commands.Nominate, seats)
    yield from map(commands.Vote, (False, True))
    yield from map(commands.Answer, (False, True))
    yield from map(commands.EnactPolicy, Party)
    yield commands.ProposeVeto()
    yield from map(commands.AnswerVeto, (False, True))
    yield from map(commands.UsePower, (None, *seats))


def conceivable_deals(players: int) -> Iterator[GameCommand]:
    """Yield deals: every order of the right roles, and some of the wrong ones."""
    hand = boards.roles(players)
    for order in set(itertools.permutations(hand)) if players <= 6 else {hand, hand[::-1]}:
        yield commands.DealRoles(order)
    yield commands.DealRoles(())
    yield commands.DealRoles(hand[1:])
    yield commands.DealRoles((*hand, Role.LIBERAL))
    yield commands.DealRoles((Role.HITLER, *hand[1:]))
