"""The box's own Wi-Fi network, as `companion install` has NetworkManager keep it, and its code for phones.

The passphrase is for everybody who sees the table, and for nobody else: it stands on the pages and on a terminal that
somebody looks at, never in a log, a report or a `repr`.
"""

from __future__ import annotations

import configparser
import hashlib
import ipaddress
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

KEYFILE = "/etc/NetworkManager/system-connections/secret-hitler-companion.nmconnection"
"""Where NetworkManager keeps it, for root alone."""

_LARGEST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A network that phones can join.

    Attributes:
        name: its SSID.
        passphrase: of WPA2.
        address: the box's own in it, by which one can tell whether it is up; empty where the file has none.
    """

    name: str
    passphrase: str = field(repr=False)
    address: str = ""

    @property
    def code(self) -> str:
        """What a QR code holds that lets a phone join: the format that Android and iOS read, signs of its own escaped.

        Source: the wiki of ZXing, "Barcode Contents", which Android's reader comes from.
        """
        name, passphrase = (re.sub(r'([\\;,:"])', r"\\\1", text) for text in (self.name, self.passphrase))
        return f"WIFI:T:WPA;S:{name};P:{passphrase};;"

    @property
    def fingerprint(self) -> str:
        """What differs between two codes, and tells nothing of what is in them to speak of."""
        return hashlib.sha256(self.code.encode()).hexdigest()[:8]


def read(path: Path | None) -> Hotspot | None:
    """Return the hotspot of a NetworkManager keyfile; None where the file holds none, or cannot be read."""
    if path is None:
        return None
    try:
        with path.open(encoding="utf-8") as file:
            return parse(file.read(_LARGEST_BYTES))
    except (OSError, UnicodeDecodeError):
        return None


def parse(text: str) -> Hotspot | None:
    """Return the hotspot that a keyfile describes; None where it describes something else."""
    # A passphrase may hold what other formats take for a comment or a variable.
    keyfile = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#",), strict=False)
    try:
        keyfile.read_string(text)
    except configparser.Error:
        return None
    name = _name(keyfile.get("wifi", "ssid", fallback=""))
    passphrase = keyfile.get("wifi-security", "psk", fallback="")
    if keyfile.get("wifi", "mode", fallback="") != "ap" or not name or not passphrase:
        return None
    address = keyfile.get("ipv4", "address1", fallback="").partition("/")[0].strip()
    with suppress(ValueError):
        return Hotspot(name, passphrase, str(ipaddress.IPv4Address(address)))
    return Hotspot(name, passphrase)


def _name(written: str) -> str:
    """Return a network's name; NetworkManager writes one with letters beyond ASCII as numbers of bytes."""
    if re.fullmatch(r"(\d{1,3};)+", written):
        with suppress(ValueError):
            return bytes(int(number) for number in written.split(";") if number).decode("utf-8", "replace")
    return written
