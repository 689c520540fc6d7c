"""When the box opens a network of its own: where it knows none, a minute after the power came.

It goes back when a network that it knows is in sight again, nobody plays, and no phone is in its own. A table that
plays in it is never sent away.
"""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Protocol

from companion.commands.network.networkmanager import PROFILE, NetworkError
from companion.machine.network import local_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.commands.network.networkmanager import Device
    from companion.settings import Settings

PATIENCE_SECONDS = 60.0
"""How long the box waits for a network that it knows. A router that was switched on together with it may take longer:
the box goes back to it then."""
LOOK_SECONDS = 60.0
"""How often it looks whether it may go back."""
RETURN_SECONDS = 45.0
"""How long it then waits to be in the other network, before it opens its own again."""
BLIND_LOOKS = 10
"""A radio that cannot look around while it makes a network has to close it for that: done every so many looks."""
_STEP_SECONDS = 2.0
_ANSWER_SECONDS = 10.0


class Networks(Protocol):
    """What the keeper needs of `NetworkManager`. Every call may raise NetworkError."""

    def devices(self) -> list[Device]:
        """Return the cables and radios that are cared for."""

    def makes_own_always(self) -> bool:
        """Whether the box's own network comes up by itself at every start."""

    def open_own(self) -> None:
        """Open the box's own network."""

    def close_own(self) -> None:
        """Close it."""

    def known(self) -> set[str]:
        """Return the names of the networks that the machine would join by itself."""

    def in_sight(self, radio: str) -> set[str] | None:
        """Return the names of the networks that a radio sees; None where it cannot look."""

    def guests(self, radio: str) -> int | None:
        """Return how many phones are in the network that a radio makes; None where nobody knows."""


def is_at_rest(settings: Settings) -> bool:
    """Whether nobody plays: the box is in its lobby, or a game is over. One that does not answer may be playing."""
    address = f"{local_url(settings.host, settings.port)}api/table"
    try:
        with urllib.request.urlopen(address, timeout=_ANSWER_SECONDS) as answer:  # noqa: S310 - this machine's own
            told = json.load(answer)
    except (OSError, HTTPException, ValueError):
        return False
    return isinstance(told, dict) and told.get("phase") in ("lobby", "game_over")


def keep(
    networks: Networks,
    is_at_rest: Callable[[], bool],
    *,
    is_wanted: bool = True,
    tell: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Wait for a network, open the box's own where none comes, and go back when that may be.

    Args:
        networks: of this machine.
        is_at_rest: whether nobody plays.
        is_wanted: whether the box may have a network of its own, by its settings.
        tell: what is noted in the log; never a passphrase.
        clock: seconds that never go back.
        sleep: waits.

    Returns:
        The exit code: 0 when the box is in a network that somebody else makes, or has no radio to make its own.

    Raises:
        NetworkError: the box's own network cannot be opened.
    """
    if not is_wanted:
        tell("The settings want no network of the box's own.")
        return 0
    keeper = _Keeper(networks, is_at_rest, tell, clock, sleep)
    if not keeper.serves():
        if keeper.comes_in(PATIENCE_SECONDS):
            return 0
        if not keeper.radios():
            tell("There is no network, and no Wi-Fi to make one with.")
            return 0
    if networks.makes_own_always():
        tell("The box makes its own network at every start: there is nothing to keep.")
        return 0
    if not keeper.serves():
        networks.open_own()
        tell("No known network: the box has opened its own.")
    keeper.serve()
    return 0


class _Keeper:
    def __init__(
        self,
        networks: Networks,
        is_at_rest: Callable[[], bool],
        tell: Callable[[str], None],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._networks = networks
        self._is_at_rest = is_at_rest
        self._tell = tell
        self._clock = clock
        self._sleep = sleep

    def radios(self) -> list[Device]:
        """The radios that could make a network."""
        return [device for device in self._networks.devices() if device.is_wireless and device.is_usable]

    def serves(self) -> bool:
        """Whether the box's own network is open. NetworkManager may be starting still: then it is not."""
        with suppress(NetworkError):
            return self._radio() is not None
        return False

    def comes_in(self, seconds: float) -> bool:
        """Wait for a network that somebody else makes; whether the box is in one."""
        until = self._clock() + seconds
        while True:
            # NetworkManager may be starting still.
            with suppress(NetworkError):
                for device in self._networks.devices():
                    if device.profile and device.profile != PROFILE:
                        self._tell(f"The box is in a network, by {device.name}.")
                        return True
            if self._clock() >= until:
                return False
            self._sleep(_STEP_SECONDS)

    def serve(self) -> None:
        """Stay until the box is in another network, or somebody has closed its own."""
        looks = 0
        while True:
            self._sleep(LOOK_SECONDS)
            radio = self._radio()
            if radio is None:
                self._tell("The box's own network was closed.")
                return
            looks += 1
            if self._may_go_back(radio, looks):
                self._tell("A known network may be there again: the box looks for it.")
                self._networks.close_own()
                if self.comes_in(RETURN_SECONDS):
                    return
                self._networks.open_own()
                self._tell("It is not: the box has opened its own again.")

    def _radio(self) -> str | None:
        """The radio that makes the box's own network; None where it is closed."""
        return next((device.name for device in self._networks.devices() if device.profile == PROFILE), None)

    def _may_go_back(self, radio: str, looks: int) -> bool:
        # Nobody is sent away: neither a game nor a phone that only waits for one.
        if self._networks.guests(radio) != 0 or not self._is_at_rest():
            return False
        seen = self._networks.in_sight(radio)
        if seen is None:
            return looks % BLIND_LOOKS == 0
        return bool(seen & self._networks.known())
