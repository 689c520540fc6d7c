"""Checks and what they found: performed in order, those that rest on one that failed left out, told as a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look found.

    Attributes:
        status: how it came out.
        words: what was found, or why nobody looked.
        remedy: what to do; empty where nothing has to be done.
    """

    status: Status
    words: str
    remedy: str = ""


def ok(words: str) -> Finding:
    """Nothing has to be done."""
    return Finding(Status.OK, words)


def failed(words: str, remedy: str) -> Finding:
    """Something has to be done."""
    return Finding(Status.FAILED, words, remedy)


def skipped(words: str) -> Finding:
    """Nobody looked, and why."""
    return Finding(Status.SKIPPED, words)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at.

    Attributes:
        name: what it is called in the table.
        look: looks.
        needs: the checks before it that must be ok for it to mean anything.
    """

    name: str
    look: Callable[[], Finding]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A line of the table; see `Check` and `Finding`."""

    check: str
    status: Status
    words: str
    remedy: str


def perform(checks: Iterable[Check], tell: Callable[[Result], None] = lambda _: None) -> tuple[Result, ...]:
    """Look at everything that can be looked at.

    Args:
        checks: in the order in which one rests on another.
        tell: called with each result as it comes.
    """
    done: dict[str, Result] = {}
    for check in checks:
        finding = _find(check, done)
        done[check.name] = Result(check.name, finding.status, finding.words, finding.remedy)
        tell(done[check.name])
    return tuple(done.values())


def _find(check: Check, done: dict[str, Result]) -> Finding:
    for need in check.needs:
        if done[need].status is not Status.OK:
            return skipped(because_of(done[need]))
    try:
        return check.look()
    except Exception as error:  # noqa: BLE001 - what one check stumbles over must not hide what the others find
        return failed(f"the check itself went wrong: {str(error) or type(error).__name__}", "Please report this.")


def because_of(result: Result) -> str:
    """Why whatever rests on a check that is not ok is left out: its failure, or the reason that it was left out for."""
    return f"needs {result.check}, which failed" if result.status is Status.FAILED else result.words


def passed(results: Sequence[Result]) -> bool:
    """Whether nothing failed."""
    return all(result.status is not Status.FAILED for result in results)


def line(result: Result, width: int) -> str:
    """A result for the table, its remedy on a line of its own.

    Args:
        result: what was found.
        width: how wide the column of names is, in letters.
    """
    told = f"{result.status.value:<7}  {result.check:<{width}}  {result.words}"
    indent = " " * (9 + width + 2)
    return told + (f"\n{indent}-> {result.remedy}" if result.remedy else "")


def summary(results: Sequence[Result]) -> str:
    """The last line: how many of each."""
    counts = [(sum(result.status is status for result in results), status.value) for status in Status]
    return ", ".join(f"{count} {word}" for count, word in counts if count) + "."


def facts(results: Sequence[Result]) -> dict[str, Any]:
    """The results for programs, ready for JSON."""
    return {"ok": passed(results), "checks": [asdict(result) for result in results]}
