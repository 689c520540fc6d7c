"""What this machine is."""

from __future__ import annotations

from pathlib import Path

MODEL_FILE = Path("/proc/device-tree/model")
"""Where the kernel names the board, with a zero byte at the end."""


def on_raspberry_pi(model_file: Path = MODEL_FILE) -> bool:
    """Whether this machine is a Raspberry Pi.

    Args:
        model_file: the file that names the model of the board; where there is none, it is no Raspberry Pi.
    """
    try:
        return model_file.read_bytes().startswith(b"Raspberry Pi")
    except OSError:
        return False
