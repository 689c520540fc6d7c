"""`companion wiring`: the pin table of the configured panel, and drawings to build it from."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from companion import languages, pinmaps
from hardware import wiring
from hardware.boards import load_board
from hardware.panel import PanelError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from companion.settings import Settings
    from hardware.wiring import Plan

EXIT_SETTINGS = 2


def run(
    settings: Settings,
    wanted: Mapping[str, Path | None],
    *,
    kicad: Path | None = None,
    as_json: bool = False,
    milliamps: float | None = None,
) -> int:
    """Print the pin table and write the drawings that are wanted.

    Args:
        settings: which pin map, and the language that panel and labels are written in.
        wanted: where each drawing is written, by its name below; None for nowhere.
        kicad: the folder of a circuit board's project; None for nowhere.
        as_json: whether the table is for a program.
        milliamps: the current wanted through each light, in mA; None for what suits the pin map.

    Returns:
        The exit code: 0, or 2 for a pin map that is wrong or must not be soldered.

    Raises:
        OSError: a drawing cannot be written.
    """
    try:
        plan = wiring.plan(load_board(settings.board), milliamps)
        if note := pinmaps.remedy(settings.board):
            print(note, file=sys.stderr)
        project = {} if kicad is None else {kicad / name: text for name, text in wiring.kicad(plan).items()}
    except (PanelError, wiring.WiringError) as error:
        print(error, file=sys.stderr)
        return EXIT_SETTINGS
    words = languages.load(settings.language).page
    written = {path: DRAWINGS[name](plan, words, path) for name, path in wanted.items() if path is not None}
    for path, drawing in (written | project).items():
        if path in project:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawing, encoding="utf-8", newline="\n")
    if as_json:
        print(json.dumps(wiring.facts(plan), ensure_ascii=False, indent=2))
        return 0
    print(wiring.table(plan), end="")
    for path in written:
        print(f"\nDrawn: {path}{' (print at 100 %)' if path.suffix.lower() == '.svg' else ''}", end="")
    if project:
        print(f"\nDrawn: {kicad} (open its .kicad_pro with KiCad)", end="")
    print(end="\n" if written or project else "")
    return 0


def _front(plan: Plan, words: Mapping[str, str], path: Path) -> str:
    """The front panel: to drill by, or for a laser cutter where the file ends in `.dxf`."""
    return (wiring.dxf if path.suffix.lower() == ".dxf" else wiring.front)(plan, words)


DRAWINGS: dict[str, Callable[[Plan, Mapping[str, str], Path], str]] = {
    "svg": lambda plan, _words, _path: wiring.picture(plan),
    "front": _front,
    "labels": lambda plan, words, _path: wiring.labels(plan, words),
    "case": lambda plan, words, _path: wiring.case(plan, words),
    "stripboard": lambda plan, _words, _path: wiring.stripboard(plan),
}
"""Every drawing by the option that asks for it."""
