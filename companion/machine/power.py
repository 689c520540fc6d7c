"""Switches the machine off, by way of systemd's logind. Whether this user may is a matter of polkit, never of sudo."""

from __future__ import annotations

import shutil
import subprocess

POLKIT = "/usr/lib/polkit-1"
"""Where polkit lies. NetworkManager brings it to Raspberry Pi OS; a Debian of the least packages has none.

Source: pi-gen, `stage2/02-net-tweaks/00-packages`, and what Debian's `network-manager` recommends.
"""

_PATIENCE_SECONDS = 10.0


def power_off() -> str:
    """Ask that the machine be switched off, and return why it will not be; empty when it will.

    Returns at once: the system ends its services, this one among them, and then the power.
    """
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return "there is no systemctl on this machine"
    try:
        asked = subprocess.run(  # noqa: S603 - no word of it comes from outside
            [systemctl, "--no-ask-password", "--no-block", "poweroff"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"systemctl cannot be asked ({type(error).__name__})"
    if asked.returncode == 0:
        return ""
    return " ".join(asked.stderr.split()) or f"systemctl says {asked.returncode}"
