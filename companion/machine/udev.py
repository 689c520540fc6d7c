"""Who may read a USB device: a rule for udev that names one device and gives it to one group.

The group `input` would do as well, but whoever is in it may read every keyboard of the machine.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RULES = "/etc/udev/rules.d/70-secret-hitler-companion.rules"
"""Ours. Before the numbers from 73 on, by which udev tells logins of devices."""

_ANSWER_SECONDS = 30
_RULE = """\
# The USB buttons of the box belong to its service. Made by `companion gamepad`.
SUBSYSTEM=="input", KERNEL=="event*", ATTRS{{name}}=="{name}", GROUP="{group}", MODE="0660"
"""


def rule(device: str, group: str) -> str:
    """Return the rule that gives the devices of one name to a group.

    In a pattern of udev some signs mean others, and a device may call itself anything: whatever is neither a letter nor
    a digit is written as "any one sign". Source: udev(7).
    """
    return _RULE.format(name=re.sub(r"[^A-Za-z0-9 ._-]", "?", device), group=group)


def give(device: str, group: str, file: Path) -> str:
    """Write the rule and have udev use it now; return why that could not be done, as a clause, or nothing.

    Args:
        device: what it calls itself.
        group: whose it becomes.
        file: where rules are kept.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(rule(device, group), encoding="utf-8")
        file.chmod(0o644)
        for words in (("control", "--reload"), ("trigger", "--subsystem-match=input", "--action=change", "--settle")):
            subprocess.run(["udevadm", *words], check=True, capture_output=True, timeout=_ANSWER_SECONDS)  # noqa: S603, S607 - udev's own program
    except OSError as error:
        return f"{error.filename or file}: {error.strerror}"
    except subprocess.SubprocessError as error:
        return f"udev did not take it ({error})"
    return ""
