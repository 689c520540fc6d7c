"""What was measured, and a table of it."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class Figures:
    """Some measurements of one thing, in milliseconds where `unit` says nothing else."""

    values: tuple[float, ...]
    note: str = ""
    unit: str = "ms"

    @property
    def p50(self) -> float:
        """The median."""
        return statistics.median(self.values)

    @property
    def p99(self) -> float:
        """What one in a hundred is above."""
        ordered = sorted(self.values)
        return ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]


@dataclass(frozen=True)
class Row:
    """One figure of the box beside its bare baseline.

    Attributes:
        group: what it belongs to.
        name: what was measured.
        figures: what came out.
        bare: the same of the bare part, in the same unit; None where there is nothing to compare with.
        target: what the 99th percentile must not be above; None where nothing is promised.
    """

    group: str
    name: str
    figures: Figures
    bare: Figures | None = None
    target: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the bare part it is, at the 99th percentile."""
        return self.figures.p99 / self.bare.p99 if self.bare is not None and self.bare.p99 else None

    @property
    def verdict(self) -> str:
        """Whether the promise held in this run."""
        if self.target is None:
            return ""
        return "within" if self.figures.p99 <= self.target else "ABOVE"

    def plain(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        figures, bare = self.figures, self.bare
        return {
            "group": self.group,
            "name": self.name,
            "unit": figures.unit,
            "p50": round(figures.p50, 4),
            "p99": round(figures.p99, 4),
            "samples": len(figures.values),
            "bare_p50": None if bare is None else round(bare.p50, 4),
            "bare_p99": None if bare is None else round(bare.p99, 4),
            "ratio_p99": None if self.ratio is None else round(self.ratio, 3),
            "target_p99": None if self.target is None else round(self.target, 4),
            "verdict": self.verdict or None,
            "note": figures.note,
            "bare_note": "" if bare is None else bare.note,
        }


_HEAD = ("", "p50", "p99", "bare p50", "bare p99", "ratio", "target", "verdict")


def table(rows: list[Row]) -> str:
    """Return the rows as a table for people, grouped, with what each is beside it in a line below."""
    cells = [(row, _cells(row)) for row in rows]
    widths = [max(len(head), *(len(each[place]) for _, each in cells)) for place, head in enumerate(_HEAD)]
    lines = [_line(_HEAD, widths)]
    for group, members in groupby(cells, key=lambda each: each[0].group):
        lines += ["", group]
        for row, each in members:
            lines.append(_line(each, widths))
            notes = [row.figures.note] if row.figures.note else []
            notes += [f"bare: {row.bare.note}"] if row.bare is not None and row.bare.note else []
            lines += [f"      {note}" for note in notes]
    return "\n".join(lines)


def _cells(row: Row) -> tuple[str, ...]:
    bare, unit = row.bare, row.figures.unit
    return (
        f"  {row.name}, {unit}",
        _number(row.figures.p50),
        _number(row.figures.p99),
        _number(bare.p50) if bare else "",
        _number(bare.p99) if bare else "",
        f"{row.ratio:.2f}" if row.ratio is not None else "",
        _number(row.target) if row.target is not None else "",
        row.verdict,
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells[1:-1], widths[1:-1], strict=True))
    return f"{cells[0]:<{widths[0]}}  {numbers}  {cells[-1]}".rstrip()
