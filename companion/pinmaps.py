"""Pin maps of one's own: where the service of an installed box can read them."""

from __future__ import annotations

from pathlib import Path

from companion.settings import BOX_FILE

FOLDER = BOX_FILE.parent / "boards"
"""Where the pin maps of an installed box belong; systemd keeps people's homes from its service."""

_HOMES = ("/home", "/root", "/run/user")


def remedy(board: str) -> str:
    """Return what to do about a pin map that a service may not read, as a sentence; empty for any other.

    Args:
        board: the setting: the name of a pin map that comes with the box, or a path.
    """
    if not board.endswith(".toml") or not any(Path(board).absolute().is_relative_to(home) for home in _HOMES):
        return ""
    name = Path(board).name
    return (
        f"The service of a box may not read what lies in somebody's home: put the pin map into {FOLDER}, and set "
        f'board = "{FOLDER / name}".'
    )
