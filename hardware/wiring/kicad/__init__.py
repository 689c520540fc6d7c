"""A circuit board that sits on the header, as a project for KiCad 8 or newer. Pure.

forms.py       how KiCad writes: forms in parentheses, and identities that stay the same
channels.py    the wires of a plan as they lie on the board, each with its resistor and its plug
symbols.py     header, resistor and plug as they are drawn in a schematic
footprints.py  the same as holes and metal
schematic.py   what is joined to what
board.py       where it lies, and the tracks
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardware.wiring.electrics import WiringError
from hardware.wiring.kicad import board, footprints, schematic, symbols
from hardware.wiring.kicad.channels import channels_of
from hardware.wiring.kicad.forms import Identities, form, quoted

if TYPE_CHECKING:
    from hardware.wiring.plan import Plan

__all__ = ["kicad"]


def kicad(plan: Plan) -> dict[str, str]:
    """Return the files of the project by their names in its folder.

    Raises:
        WiringError: the pin map has a driver, for which there is no board, or more wires on a side than there is room.
    """
    if plan.chips:
        raise WiringError(f"There is no circuit board for drivers yet, and the pin map {plan.board.name} has some.")
    name = f"companion-{plan.board.name}"
    title = f"Secret Hitler Companion, {plan.board.name}"
    channels = channels_of(plan)
    identities = Identities(plan.board.name)
    return {
        f"{name}.kicad_pro": json.dumps({"meta": {"filename": f"{name}.kicad_pro", "version": 1}}, indent=2) + "\n",
        f"{name}.kicad_sch": schematic.Schematic(name, title, channels, identities).text(),
        f"{name}.kicad_pcb": board.CircuitBoard(title, channels, identities).text(),
        "sym-lib-table": _table("sym_lib_table", f"{symbols.LIBRARY}.kicad_sym"),
        "fp-lib-table": _table("fp_lib_table", f"{symbols.LIBRARY}.pretty"),
        f"{symbols.LIBRARY}.kicad_sym": symbols.library(),
        **{f"{symbols.LIBRARY}.pretty/{kind}.kicad_mod": footprints.file(kind) for kind in footprints.KINDS},
    }


def _table(kind: str, place: str) -> str:
    """A table with the one library that lies beside the project."""
    facts = {"name": symbols.LIBRARY, "type": "KiCad", "uri": f"${{KIPRJMOD}}/{place}", "options": "", "descr": ""}
    library = form("lib", *(form(key, quoted(value)) for key, value in facts.items()))
    return form(kind, form("version", "7"), library) + "\n"
