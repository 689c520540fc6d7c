"""The command itself: refuses while a box runs, performs the checks, prints the table."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from companion.commands.selftest import bug_report, holder
from companion.commands.selftest.exercise import SETTLE_SECONDS, Exercise, Outputs
from companion.commands.selftest.holder import BoxRunsError
from companion.commands.selftest.machine import Machine
from companion.commands.selftest.preflight import Preflight
from companion.commands.selftest.report import (
    Check,
    Result,
    Status,
    because_of,
    facts,
    line,
    passed,
    perform,
    skipped,
    summary,
)
from companion.machine import terminal
from hardware.gpio import Probe
from hardware.panel import PanelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from companion.commands.selftest.exercise import Console
    from companion.settings import Settings

EXIT_FAILED = 1
EXIT_USAGE = 2

_NAME_WIDTH = 16


class Terminal:
    """The person at this terminal."""

    def say(self, words: str) -> None:
        """Tell them something."""
        print(words, flush=True)

    def ask(self, question: str) -> str:
        """Ask them something; at the end of the input nobody answers, and that is a no."""
        try:
            return input(question)
        except EOFError:
            return "n"


def run(
    settings: Settings,
    *,
    exercise: bool = False,
    as_json: bool = False,
    report: Path | None = None,
    machine: Machine | None = None,
    console: Console | None = None,
    settle_seconds: float = SETTLE_SECONDS,
) -> int:
    """Test this box.

    Args:
        settings: of the box.
        exercise: whether a person presses buttons and watches lights.
        as_json: whether the findings are for a program.
        report: a file to write what a bug report needs into; None for none. It is written beside a running box too,
            without the checks, which would disturb it.
        machine: what is looked at; None for this one.
        console: who is asked; None for whoever sits at the terminal.
        settle_seconds: how long a contact must be quiet before its press is over.

    Returns:
        The exit code: 0 when nothing failed, 1 when something did or a box is running, 2 for wrong usage.
    """
    machine = machine or Machine()
    if exercise and (as_json or not machine.is_attended()):
        print(
            "--exercise is for a person at a terminal: leave out --format json, and redirect nothing.", file=sys.stderr
        )
        return EXIT_USAGE
    preflight = Preflight(settings, machine)
    tell: Callable[[Result], None] = (lambda _: None) if as_json else _tell
    try:
        with holder.state_directory(machine, settings.state_dir):
            _refuse_held_pins(settings, machine, preflight)
            results = perform(preflight.checks(), tell)
            if exercise:
                results += _exercise(settings, machine, preflight, results, console or Terminal(), settle_seconds, tell)
            else:
                results += perform([_left_out("buttons"), _left_out("lights")], tell)
    except BoxRunsError as error:
        print(error, file=sys.stderr)
        if report is not None:
            bug_report.write(report, settings, machine, (), "a box is running")
            print(_attach(report), file=sys.stderr)
        return EXIT_FAILED
    finally:
        preflight.close()
    if report is not None:
        bug_report.write(report, settings, machine, results)
        print(_attach(report), file=sys.stderr)
    print(json.dumps(facts(results), ensure_ascii=False, indent=2) if as_json else summary(results))
    return 0 if passed(results) else EXIT_FAILED


def _attach(report: Path) -> str:
    return f"Attach {report} to your bug report: it holds no name and no role. Please read it first."


def _tell(result: Result) -> None:
    print(terminal.fitted(line(result, _NAME_WIDTH), 9 + _NAME_WIDTH + 2), flush=True)


def _left_out(name: str) -> Check:
    return Check(name, lambda: skipped("companion selftest --exercise presses and lights each, at a terminal"))


def _refuse_held_pins(settings: Settings, machine: Machine, preflight: Preflight) -> None:
    """Leave a running box alone, though it has a state directory of its own.

    Raises:
        BoxRunsError: a program holds pins; a bus that holds them is a finding of the table.
    """
    if not machine.uses_pins(settings):
        return
    try:
        claimed = preflight.claimed_pins()
        busy = tuple(
            trouble
            for trouble in preflight.pin_troubles()
            if "busy" in trouble.casefold() and not _pins_in(trouble) <= claimed
        )
    except PanelError:
        return  # No pins, no box on them; the table says why.
    if busy:
        raise holder.pins_are_held(machine, busy)


def _pins_in(trouble: str) -> set[int]:
    return {int(pin) for pin in re.findall(r"GPIO (\d+)", trouble)}


def _exercise(
    settings: Settings,
    machine: Machine,
    preflight: Preflight,
    before: tuple[Result, ...],
    console: Console,
    settle_seconds: float,
    tell: Callable[[Result], None],
) -> tuple[Result, ...]:
    """Have a person press and watch, if the pins are to be had at all."""
    needed = ("pin map", "currents", "panel", "group gpio", "pins")
    lacking = next((each for each in before if each.check in needed and each.status is not Status.OK), None)
    # A button that is stuck is what the exercise is for; everything else would only be blamed on the wires.
    if lacking and (lacking.check != "pins" or lacking.status is Status.SKIPPED):
        reason = because_of(lacking)
        return perform([Check(name, lambda: skipped(reason)) for name in ("buttons", "lights")], tell)
    try:
        probe = Probe(preflight.board, machine.open_pins(), machine.clock)
    except PanelError as error:
        reason = str(error)
        return perform([Check(name, lambda: skipped(reason)) for name in ("buttons", "lights")], tell)
    try:
        outputs = Outputs(preflight.output, lambda: machine.open_sides(settings))
        parts = (preflight.board, probe, console, preflight.speaker, outputs, machine.clock)
        return perform(Exercise(settings, *parts, settle_seconds=settle_seconds).checks(), tell)
    finally:
        probe.close()
