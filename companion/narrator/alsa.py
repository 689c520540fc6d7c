"""The sound cards of this machine, as ALSA lists them."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path("/proc/asound")

_CARD = re.compile(r"^\s*(\d+) \[(\S+)\s*\]: .*? - (.+)$", re.MULTILINE)
_NAMED = re.compile(r".*?\bCARD=(?P<name>[^,]+)|(?:plug)?hw:(?P<place>[^,=]+)(?:,|$)")
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


def card_names() -> frozenset[str]:
    """Return the names of all sound cards; none where there is no ALSA, so that nothing ever changes.

    Raises:
        OSError: nobody can look at the moment.
    """
    if not FOLDER.is_dir():
        return frozenset()
    # `cardN` is a folder, beside it the card's name leads there.
    return frozenset(entry.name for entry in FOLDER.iterdir() if entry.is_symlink())


def missing_card(device: str | None) -> str:
    """Return a sentence where a device names a card that is not there; empty where it is, or where nobody can say.

    ALSA names a card by its name or by its place: `hw:CARD=Device`, `plughw:Device,0`, `hw:1`.
    """
    named = _NAMED.match(device or "")
    card = named and (named["name"] or named["place"])
    if not card or not FOLDER.is_dir():
        return ""
    folder = FOLDER / (f"card{card}" if card.isdecimal() else card)
    return "" if folder.exists() else f"Nothing can be heard: the sound card {card} is unplugged."
