"""The sound cards of this machine, as ALSA lists them."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path("/proc/asound")

_CARD = re.compile(r"^\s*(\d+) \[(\S+)\s*\]: .*? - (.+)$", re.MULTILINE)
_PLAYS = re.compile(r"^(\d+)-\d+:.*: playback", re.MULTILINE)


def device_of(card: str) -> str:
    """Return the name by which a card is opened, which stays when cards are plugged in another order."""
    return f"plughw:CARD={card}"


def playing_cards(cards: str, devices: str) -> dict[str, str]:
    """Return the cards that can play, by their name, and what they are called at length.

    Args:
        cards: what stands in `/proc/asound/cards`.
        devices: what stands in `/proc/asound/pcm`.
    """
    playing = set(_PLAYS.findall(devices))
    return {name: title.strip() for number, name, title in _CARD.findall(cards) if number.zfill(2) in playing}


def cards_here() -> dict[str, str]:
    """Return the cards of this machine that can play; none where there is no ALSA."""
    try:
        return playing_cards(*(FOLDER.joinpath(name).read_text("utf-8", "replace") for name in ("cards", "pcm")))
    except OSError:
        return {}
