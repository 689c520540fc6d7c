"""`companion wiring`: the pin table of the configured panel, its wiring and its front as drawings to print."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from companion import languages, pinmaps
from hardware import wiring
from hardware.boards import load_board
from hardware.panel import PanelError

if TYPE_CHECKING:
    from pathlib import Path

    from companion.settings import Settings

EXIT_SETTINGS = 2


def run(
    settings: Settings,
    *,
    svg: Path | None = None,
    front: Path | None = None,
    case: Path | None = None,
    as_json: bool = False,
    milliamps: float | None = None,
) -> int:
    """Print the pin table and write the drawings that are wanted.

    Args:
        settings: which pin map, and the language that the front panel is labelled in.
        svg: where the wiring is drawn, A4 upright; None for nowhere.
        front: where the front panel is drawn, to scale: A4 lying, or for a laser cutter where it ends in `.dxf`; None
            for nowhere.
        case: where a case for a 3D printer is written; None for nowhere.
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
    except (PanelError, wiring.WiringError) as error:
        print(error, file=sys.stderr)
        return EXIT_SETTINGS
    page = languages.load(settings.language).page
    drawings = []
    if svg is not None:
        drawings.append((svg, wiring.picture(plan)))
    if front is not None:
        draw = wiring.dxf if front.suffix.lower() == ".dxf" else wiring.front
        drawings.append((front, draw(plan, page)))
    if case is not None:
        drawings.append((case, wiring.case(plan)))
    for path, drawing in drawings:
        path.write_text(drawing, encoding="utf-8", newline="\n")
    if as_json:
        print(json.dumps(wiring.facts(plan), ensure_ascii=False, indent=2))
        return 0
    print(wiring.table(plan), end="")
    for path, _ in drawings:
        print(f"\nDrawn: {path}{' (print at 100 %)' if path.suffix.lower() == '.svg' else ''}", end="")
    print(end="\n" if drawings else "")
    return 0
