"""A network of the box's own: made at every start where somebody has named it, else only where there is no other."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.commands.install.errors import InstallError
from companion.machine import wifi

if TYPE_CHECKING:
    from companion.commands.install.target import Target

PATH = wifi.KEYFILE
USUAL_NAME = "Secret Table"
"""Of a network that nobody has named. The neighbours read it, too."""
_MODE = 0o600
"""NetworkManager does not even read a file with a passphrase that others may read."""

_LONGEST_NAME_BYTES = 32
# Nothing that is taken for something else when it is read aloud or off a screen.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP_LETTERS = 3, 4

_KEYFILE = """\
[connection]
id=secret-hitler-companion
uuid={uuid}
type=wifi
autoconnect={always}
autoconnect-priority=100

[wifi]
mode=ap
band=bg
ssid={name}

[wifi-security]
key-mgmt=wpa-psk
proto=rsn;
pairwise=ccmp;
group=ccmp;
psk={passphrase}

[ipv4]
method=shared
address1=192.168.4.1/24

[ipv6]
method=disabled
"""


def checked_name(name: str) -> str:
    """Return a name that a network can have.

    Raises:
        ValueError: it cannot; the message says why.
    """
    if not name or len(name.encode()) > _LONGEST_NAME_BYTES:
        raise ValueError(f"a network's name has 1 to {_LONGEST_NAME_BYTES} bytes")
    if not name.isprintable() or name != name.strip() or set(name) & set(';\\"'):
        raise ValueError("a network's name has letters, digits and ordinary signs, and no space at its ends")
    return name


def new_passphrase() -> str:
    """Return a passphrase that can be typed: 59 bits in three groups."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP_LETTERS)) for _ in range(_GROUPS))


def passphrase_in(target: Target) -> str:
    """Return the passphrase of the network that was made; empty where there is none."""
    made = network_in(target)
    return made.passphrase if made else ""


def network_in(target: Target) -> wifi.Hotspot | None:
    """Return the network that was made; None where there is none."""
    return wifi.parse(target.read(PATH))


def is_made_always(target: Target) -> bool:
    """Whether the network that was made comes up at every start."""
    return "\nautoconnect=true\n" in target.read(PATH)


@dataclass(frozen=True)
class Hotspot:
    """The network. Its passphrase is made once, and stays when its name changes.

    Attributes:
        name: what it is called, and that it is made at every start; empty for one that is made where there is no other,
            and for what somebody has named already.
    """

    name: str = ""

    @property
    def what(self) -> str:
        """The network."""
        if self.name:
            return f"Wi-Fi network {self.name!r}, from the next start"
        return "Wi-Fi network of the box's own, for where it knows none"

    def is_done(self, target: Target) -> bool:
        """Whether NetworkManager knows it."""
        place, text = target.at(PATH), target.read(PATH)
        is_ours = f"\nssid={self.name}\n" in text and is_made_always(target) if self.name else bool(text)
        return is_ours and place.stat().st_mode & 0o777 == _MODE

    def do(self, target: Target) -> None:
        """Write it down. It is not started: somebody may be installing over the network that it replaces."""
        if not target.at("/usr/bin/nmcli").exists():
            raise InstallError("A hotspot needs NetworkManager, which this system does not have.")
        passphrase = passphrase_in(target) or new_passphrase()
        facts = {"name": self.name or USUAL_NAME, "always": "true" if self.name else "false"}
        target.write(PATH, _KEYFILE.format(uuid=uuid.uuid4(), passphrase=passphrase, **facts), _MODE)
        self._reload(target)

    def is_undone(self, target: Target) -> bool:
        """Whether there is none."""
        return not target.at(PATH).exists()

    def undo(self, target: Target) -> None:
        """Forget it."""
        target.remove(PATH)
        self._reload(target)

    def _reload(self, target: Target) -> None:
        if target.is_running:
            target.succeeds("nmcli", "connection", "reload")
