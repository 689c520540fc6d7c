"""`companion selftest --report FILE`: what a person attaches to a bug report.

It is chosen, not filtered: versions, settings, what the self-test found, how large the journal is, and of the last
game the kinds of its events, in order and bare of every field. So no name, no role and no seat can stand in it, and of
a game that is not over not even the kinds from which a role could be told. `companion history --export` says more,
where somebody wants to.
"""

from __future__ import annotations

import json
import platform
import re
import sqlite3
import sys
from dataclasses import fields
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import __version__, history
from companion.commands.selftest.report import facts
from companion.game import events, views
from companion.journal import FILE_NAME, Damaged, reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.commands.selftest.machine import Machine
    from companion.commands.selftest.report import Result
    from companion.game.evening import Evening
    from companion.history import PastGame
    from companion.settings import Settings

REPORT_VERSION = 1
"""The form of a report; it grows when a reader of the form before would go wrong."""

_PACKAGES = (
    *("flask", "waitress", "gpiozero", "lgpio", "pygame-ce", "pyttsx3", "espeakng-loader", "piper-tts", "numpy"),
    *("qrcode", "anyascii", "platformdirs", "tqdm"),
)

_TELL_A_ROLE = (events.NotHitlerConfirmed, events.GameWon)
"""Kinds that the box may have drawn from the roles; one that was taken back stands in a running game too."""


def write(file: Path, settings: Settings, machine: Machine, results: Sequence[Result], left_out: str = "") -> None:
    """Write a report, as JSON; a file that is there already is replaced.

    Args:
        file: where to.
        settings: of the box.
        machine: that it runs on.
        results: what the self-test found.
        left_out: why there are none; empty where it was performed.

    Raises:
        OSError: the file cannot be written.
    """
    report = {
        "version": REPORT_VERSION,
        "versions": _versions(),
        "machine": machine.model or platform.machine(),
        "settings": _settings(settings),
        "selftest": {"left_out": left_out} if left_out else facts(results),
        "journal": _journal(settings.state_dir.absolute()),
    }
    text = json.dumps(report, ensure_ascii=False, indent=2)
    file.write_text(_anonymous(text, machine.who) + "\n", encoding="utf-8")


def _anonymous(text: str, user: str) -> str:
    """Leave out whose machine it is: the name is often a player's."""
    home = json.dumps(str(Path.home()))[1:-1]
    if len(home) > 1:
        text = text.replace(home, "~")
    return re.sub(rf"\b{re.escape(user)}\b", "USER", text) if user not in ("", "root", "pi") else text


def _versions() -> dict[str, str]:
    found = {"companion": __version__, "python": sys.version.split()[0], "sqlite": sqlite3.sqlite_version}
    found["system"] = platform.platform()
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _settings(settings: Settings) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        plain[field.name] = dict(value) if field.name == "sources" else str(value) if isinstance(value, Path) else value
    # A password may be in it.
    plain["room_broker"] = "set" if settings.room_broker else ""
    return plain


# --- the journal -----------------------------------------------------------------------------------------------------


def _journal(state_dir: Path) -> dict[str, Any]:
    told: dict[str, Any] = {"put_aside": sorted(file.name for file in state_dir.glob("journal.*-*.sqlite3"))}
    file = state_dir / FILE_NAME
    try:
        with reading(file) as connection:
            games, reports = connection.execute("SELECT count(DISTINCT game), count(*) FROM entry").fetchone()
            told |= {"bytes": file.stat().st_size, "games": games, "reports": reports}
            newest = history.newest_game(connection)
    except FileNotFoundError:
        return told | {"games": 0}
    except Damaged as damaged:
        return told | {"trouble": damaged.finding}
    except (sqlite3.Error, OSError) as error:
        return told | {"trouble": f"it cannot be read ({type(error).__name__})"}
    return told | ({} if newest is None else {"last_game": _shape(newest)})


def _shape(game: PastGame) -> dict[str, Any]:
    """Return what a game looked like, bare of who did what and to whom."""
    untold = () if game.finished else _TELL_A_ROLE
    reports = ([type(event).__name__ for event in row.entry if not isinstance(event, untold)] for row in game.rows)
    return {
        "finished": game.finished,
        "reports": [kinds for kinds in reports if kinds],
        **({"damaged": True} if game.evening is None else _standing(game.evening)),
    }


def _standing(evening: Evening) -> dict[str, Any]:
    """Return where the boards stand, which lie open on the table."""
    state = views.public_view(evening.game)
    shown = ("phase", "liberal_policies", "fascist_policies", "election_tracker", "draw_pile", "discard_pile")
    return {
        "players": evening.game.players,
        "phones": len({player.claim for player in evening.seating.players if player.claim}),
        "language": evening.seating.language,
        **{key: state[key] for key in shown},
    }
