"""From a pin map to the bench: which wire goes where, through which resistor, and what to buy. Pure.

`plan` does the arithmetic and refuses what would harm a Raspberry Pi; `table`, `picture`, `front` and `parts` show a
plan as text, as two drawings and as a shopping list; `stripboard` lays it out hole by hole, `labels` are for a panel
without engraving; `dxf` and `case` are for machines that cut and print, and `kicad` is a circuit board.
"""

from hardware.wiring.cutting import case, dxf
from hardware.wiring.electrics import WiringError
from hardware.wiring.front import front
from hardware.wiring.kicad import kicad
from hardware.wiring.labels import labels
from hardware.wiring.parts import Part, parts
from hardware.wiring.picture import picture
from hardware.wiring.plan import Plan, Wire, plan
from hardware.wiring.stripboard import draw as stripboard
from hardware.wiring.table import facts, table

__all__ = [
    "Part",
    "Plan",
    "Wire",
    "WiringError",
    "case",
    "dxf",
    "facts",
    "front",
    "kicad",
    "labels",
    "parts",
    "picture",
    "plan",
    "stripboard",
    "table",
]
