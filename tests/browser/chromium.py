"""A real browser on the phones' side: Debian's Chromium, on the insecure LAN address that phones see."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ADDRESS = "192.168.4.1"
"""What the box's own hotspot gives it. The browser is told that it is here."""

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {ADDRESS} 127.0.0.1",
]

SIZES = ((320, 568), (412, 915), (768, 1024))


def executable() -> str | None:
    """Return where Chromium is, or None."""
    return os.environ.get("COMPANION_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def screenshot_folder() -> Path | None:
    """Return where pictures of every state are wanted; None when nobody wants any."""
    given = os.environ.get("COMPANION_SCREENSHOTS")
    return Path(given) if given else None
