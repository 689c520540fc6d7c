"""Takes a name or a game out of what a box keeps, while it is not running."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from companion.history import History
from companion.journal import FILE_NAME, Journal

if TYPE_CHECKING:
    from pathlib import Path

    from companion.settings import Settings


def forget(settings: Settings, name: str) -> int:
    """Take a name out of all that this box keeps, while it is not running.

    Raises:
        JournalBusy: it is running.
    """
    from companion import voice  # noqa: PLC0415 - nothing else here needs a synthesiser

    if (code := _not_ours(settings.state_dir)) is not None:
        return code
    journal = Journal.open(settings.state_dir)
    try:
        done = History(settings.state_dir, settings.cache_dir).forget(journal, name)
    finally:
        journal.close()
    speaker = voice.open_speaker(settings)
    try:
        voice.forget_names(settings, speaker)
    finally:
        speaker.close()
    if not done:
        return _failed(journal.trouble or "The name could not be taken out of everything; try again.")
    print("Forgotten: neither games nor spoken lines hold that name any more.")
    return 0


def delete(settings: Settings, number: int) -> int:
    """Delete a game that is over, while the box is not running.

    Raises:
        JournalBusy: it is running.
    """
    if (code := _not_ours(settings.state_dir)) is not None:
        return code
    journal = Journal.open(settings.state_dir)
    try:
        done = History(settings.state_dir, settings.cache_dir).delete(journal, number)
    finally:
        journal.close()
    if not done:
        return _failed(f"Game {number} is not there, or it is the one on which the box goes on.")
    print(f"Game {number} is deleted; those after it have moved up.")
    return 0


def _not_ours(state_dir: Path) -> int | None:
    """Say so where the games are another user's: files that root makes among them would lock the service out."""
    try:
        owner = (state_dir / FILE_NAME).stat().st_uid
    except FileNotFoundError:
        return None
    except PermissionError:
        owner = -1
    if owner == os.geteuid():
        return None
    return _failed(f"The games in {state_dir} are another user's: the host of that box can do it on the page /history.")


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1
