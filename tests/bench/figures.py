"""What was measured, and a table of it."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """Some durations of one thing, in milliseconds."""

    durations_ms: tuple[float, ...]
    note: str = ""

    @property
    def p50_ms(self) -> float:
        """The median."""
        return statistics.median(self.durations_ms)

    @property
    def p99_ms(self) -> float:
        """What one in a hundred is above."""
        ordered = sorted(self.durations_ms)
        return ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]

    def plain(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        return {
            "p50_ms": round(self.p50_ms, 4),
            "p99_ms": round(self.p99_ms, 4),
            "samples": len(self.durations_ms),
            "note": self.note,
        }


def table(figures: dict[str, Figures]) -> str:
    """Return the figures as a table for people."""
    rows = [("", "p50 ms", "p99 ms", "samples", "")]
    rows += [
        (name, f"{each.p50_ms:.3f}", f"{each.p99_ms:.3f}", str(len(each.durations_ms)), each.note)
        for name, each in figures.items()
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}  {row[4]}".rstrip()
        for row in rows
    )
