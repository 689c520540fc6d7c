"""`companion selftest`: looks at everything else before it blames the wires.

Pre-flight first (`preflight`, `claims`), then with a person at the panel (`exercise`). `machine` is what all of it sees
of the machine, `holder` knows whether a box is running, `report` performs checks and tells.
"""

from companion.commands.selftest.command import run

__all__ = ["run"]
