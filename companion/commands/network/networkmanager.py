"""The networks of this machine: NetworkManager by its `nmcli`, and the radio by `iw`."""

from __future__ import annotations

import os
import re
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from companion.errors import CompanionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROFILE = "secret-hitler-companion"
"""What NetworkManager calls the box's own network."""

_ANSWER_SECONDS = 60
"""To open a network takes some seconds; what takes longer than this hangs."""
_WIRED, _WIRELESS = "ethernet", "wifi"


class NetworkError(CompanionError):
    """A network cannot be asked or changed; the message is a sentence that says why."""


class Programs(Protocol):
    """Runs a program and returns what it printed; `run_program` is the real one."""

    def __call__(self, command: Sequence[str]) -> str:
        """Raise NetworkError where it is not there, fails, or hangs."""


def run_program(command: Sequence[str]) -> str:
    """Run a program and return what it printed.

    Raises:
        NetworkError: it is not there, failed, or hangs.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the words are ours
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_SECONDS,
            check=False,
            # What it prints is read: in one language, whatever this machine speaks.
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
    except FileNotFoundError:
        raise NetworkError(f"This machine has no {command[0]}.") from None
    except OSError as error:
        raise NetworkError(f"{command[0]} cannot be run: {error.strerror}.") from None
    except subprocess.TimeoutExpired:
        raise NetworkError(f"{command[0]} does not answer.") from None
    if done.returncode:
        said = [*done.stderr.splitlines(), *done.stdout.splitlines(), ""][0]
        raise NetworkError(f"{command[0]}: {said.removeprefix('Error: ') or 'it failed'}".rstrip(".") + ".")
    return done.stdout


@dataclass(frozen=True, slots=True)
class Device:
    """A way into a network.

    Attributes:
        name: such as `wlan0`.
        is_wireless: whether it is a radio; else it is a cable.
        is_usable: whether it could be used now: switched on, and a cable plugged in.
        profile: what it is connected by; empty while it is not.
    """

    name: str
    is_wireless: bool
    is_usable: bool
    profile: str


class NetworkManager:
    """What NetworkManager and the radio tell, and the box's own network opened and closed.

    Every call may take seconds, and raises NetworkError where it cannot be answered.
    """

    def __init__(self, run: Programs = run_program) -> None:
        """Ask nothing yet; `run` runs the programs."""
        self._run = run

    def devices(self) -> list[Device]:
        """Return the cables and radios that NetworkManager cares for."""
        found = []
        for line in self._nmcli("-f", "DEVICE,TYPE,STATE,CONNECTION", "device", "status"):
            name, kind, state, profile, *_ = [*_cells(line), "", "", "", ""]
            if kind in (_WIRED, _WIRELESS) and state != "unmanaged":
                is_connected = state.partition(" ")[0] == "connected"
                found.append(Device(name, kind == _WIRELESS, state != "unavailable", profile if is_connected else ""))
        return found

    def makes_own_always(self) -> bool:
        """Whether the box's own network comes up by itself at every start, as `install --hotspot` has it."""
        return self._nmcli("-g", "connection.autoconnect", "connection", "show", PROFILE) == ["yes"]

    def open_own(self) -> None:
        """Open the box's own network."""
        self._nmcli("connection", "up", PROFILE)

    def close_own(self) -> None:
        """Close it: NetworkManager then looks for those it knows."""
        self._nmcli("connection", "down", PROFILE)

    def known(self) -> set[str]:
        """Return the names of the Wi-Fi networks that the machine would join by itself."""
        names = set()
        for line in self._nmcli("-f", "UUID,TYPE,AUTOCONNECT", "connection", "show"):
            uuid, kind, joins, *_ = [*_cells(line), "", ""]
            if kind == "802-11-wireless" and joins == "yes":
                facts = self._nmcli("-g", "802-11-wireless.mode,802-11-wireless.ssid", "connection", "show", uuid)
                mode, name = [*(_unescaped(fact) for fact in facts), "", ""][:2]
                if mode != "ap" and name:
                    names.add(name)
        return names

    def in_sight(self, radio: str) -> set[str] | None:
        """Return the names of the networks that a radio sees while it makes one; None where it cannot look then."""
        try:
            # Told to look although it serves, most radios do. The phones notice nothing of it.
            seen = self._run(("iw", "dev", radio, "scan", "ap-force", "flush"))
        except NetworkError:
            return None
        return {_ssid(name) for name in re.findall(r"^\s*SSID: (.+)$", seen, re.MULTILINE)}

    def guests(self, radio: str) -> int | None:
        """Return how many phones are in the network that a radio makes; None where nobody can know it."""
        try:
            return len(re.findall(r"^Station ", self._run(("iw", "dev", radio, "station", "dump")), re.MULTILINE))
        except NetworkError:
            return None

    def _nmcli(self, *words: str) -> list[str]:
        return [line for line in self._run(("nmcli", "-t", *words)).splitlines() if line]


def _cells(line: str) -> Iterator[str]:
    """Yield what stands between the colons of a line, a colon of its own written with a backslash."""
    for cell in re.split(r"(?<!\\):", line):
        yield _unescaped(cell)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _ssid(printed: str) -> str:
    """Return a network's name from how `iw` prints it, whatever is not plain ASCII by its bytes."""
    with suppress(ValueError):
        raw = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), printed.encode())
        return raw.decode("utf-8", "replace")
    return printed
