"""When the box opens a network of its own, and when it goes back: at a cottage, at home, and in between."""

from __future__ import annotations

from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from companion.commands.network.keeper import (
    BLIND_LOOKS,
    LOOK_SECONDS,
    PATIENCE_SECONDS,
    RETURN_SECONDS,
    is_at_rest,
    keep,
)
from companion.commands.network.networkmanager import PROFILE, Device, NetworkError
from companion.settings import Settings
from tests.support import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOME = "Home"
RADIO = Device("wlan0", is_wireless=True, is_usable=True, profile="")
CABLE = Device("eth0", is_wireless=False, is_usable=False, profile="")


class House:
    """A radio, the networks around it, and the time; what happens later is written down by when it does."""

    def __init__(self) -> None:
        self.now = 0.0
        self.radio, self.cable = RADIO, CABLE
        self.around: set[str] = set()
        self.phones: int | None = 0
        self.plays = False
        self.always = False
        self.looks_around = True
        self.breaks: set[str] = set()
        self.did: list[tuple[float, str]] = []
        self.told: list[str] = []
        self.later: list[tuple[float, Callable[[], object]]] = []
        self.ends_at = 20_000.0

    def devices(self) -> list[Device]:
        if "devices" in self.breaks:
            raise NetworkError("nmcli does not answer.")
        if not self.radio.profile and self.radio.is_usable and HOME in self.around:
            self.radio = replace(self.radio, profile=HOME)
        return [self.cable, self.radio]

    def makes_own_always(self) -> bool:
        return self.always

    def open_own(self) -> None:
        if "open" in self.breaks:
            raise NetworkError("nmcli: it failed.")
        self.did.append((self.now, "open"))
        self.radio = replace(self.radio, profile=PROFILE)

    def close_own(self) -> None:
        self.did.append((self.now, "close"))
        self.radio = replace(self.radio, profile="")

    def known(self) -> set[str]:
        return {HOME}

    def in_sight(self, radio: str) -> set[str] | None:
        assert radio == "wlan0"
        return set(self.around) if self.looks_around else None

    def guests(self, radio: str) -> int | None:
        assert radio == "wlan0"
        return self.phones

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        while self.later and self.later[0][0] <= self.now:
            self.later.pop(0)[1]()
        if self.now > self.ends_at:
            raise EveningEnds

    def keep(self) -> int | None:
        """Let the keeper work; its exit code, or None when it still did at the end of the evening."""
        try:
            return keep(self, lambda: not self.plays, tell=self.told.append, clock=lambda: self.now, sleep=self.sleep)
        except EveningEnds:
            return None

    def then(self, at: float, act: Callable[[], object]) -> None:
        self.later.append((at, act))

    @property
    def acts(self) -> list[str]:
        return [what for _, what in self.did]


class EveningEnds(Exception):  # noqa: N818 - no error
    """It is late."""


@pytest.fixture
def house() -> House:
    return House()


def test_at_home_it_stays_a_guest(house: House) -> None:
    """A network that comes within the minute, after a router that starts slowly, is waited for."""
    house.then(PATIENCE_SECONDS - 10, lambda: house.around.add(HOME))
    assert house.keep() == 0
    assert house.did == []


def test_a_cable_is_a_network(house: House) -> None:
    """Phones come through the router that it leads to."""
    house.cable = replace(CABLE, is_usable=True, profile="Wired")
    assert house.keep() == 0
    assert house.did == []


def test_at_the_cottage_it_opens_its_own_after_a_minute(house: House) -> None:
    """And keeps it, whatever else there is to be seen."""
    house.around = {"Neighbour"}
    assert house.keep() is None
    assert house.acts == ["open"]
    assert PATIENCE_SECONDS <= house.did[0][0] < PATIENCE_SECONDS + 5


def test_without_a_radio_it_leaves_it_at_that(house: House) -> None:
    """A Raspberry Pi without Wi-Fi, or with the radio switched off, has nothing to open."""
    house.radio = replace(RADIO, is_usable=False)
    assert house.keep() == 0
    assert house.did == []
    assert "no Wi-Fi" in house.told[-1]


def test_it_goes_back_when_the_router_is_up(house: House) -> None:
    """After a power cut the router may take longer than the box."""
    house.then(PATIENCE_SECONDS + 100, lambda: house.around.add(HOME))
    assert house.keep() == 0
    assert house.acts == ["open", "close"]
    assert house.now < PATIENCE_SECONDS + 100 + 2 * LOOK_SECONDS


@pytest.mark.parametrize("reason", ["a game", "a phone", "phones that cannot be counted"])
def test_nobody_is_sent_away(house: House, reason: str) -> None:
    """While a game runs, or a phone is in the box's network, it stays; afterwards it goes back."""
    house.around.add(HOME)
    house.radio = replace(RADIO, profile=PROFILE)
    house.plays = reason == "a game"
    house.phones = {"a phone": 1, "phones that cannot be counted": None}.get(reason, 0)

    def end() -> None:
        house.plays, house.phones = False, 0

    house.then(7000, end)
    assert house.keep() == 0
    assert [when for when, what in house.did if what == "close"][0] >= 7000  # noqa: RUF015 - the first of several


def test_a_radio_that_cannot_look_around_closes_its_network_now_and_then(house: House) -> None:
    """And opens it again when the other one is not there."""
    house.looks_around = False
    house.ends_at = PATIENCE_SECONDS + (2 * BLIND_LOOKS + 2) * LOOK_SECONDS + 2 * RETURN_SECONDS
    assert house.keep() is None
    assert house.acts == ["open", "close", "open", "close", "open"]
    house.around.add(HOME)
    house.ends_at += 2 * BLIND_LOOKS * LOOK_SECONDS
    assert house.keep() == 0


def test_started_anew_it_keeps_a_network_that_is_open(house: House) -> None:
    """After an upgrade, say: nobody has to wait a minute again, and nobody is thrown out."""
    house.radio, house.phones = replace(RADIO, profile=PROFILE), 5
    assert house.keep() is None
    assert house.did == []


@pytest.mark.parametrize("is_up", [True, False])
def test_a_network_that_is_made_at_every_start_is_left_alone(house: House, is_up: bool) -> None:
    """Somebody wanted it so: it is neither opened twice, which would throw phones out, nor closed for another."""
    house.always = True
    house.radio = replace(RADIO, profile=PROFILE if is_up else "")
    assert house.keep() == 0
    house.around.add(HOME)
    assert house.did == []


def test_a_network_that_came_up_meanwhile_is_not_opened_again(house: House) -> None:
    """Somebody has opened it by hand while the box waited: phones may be in it already."""
    house.then(PATIENCE_SECONDS - 5, lambda: setattr(house, "radio", replace(RADIO, profile=PROFILE)))
    house.phones = 3
    assert house.keep() is None
    assert house.did == []


def test_who_does_not_want_it_does_not_get_it(house: House) -> None:
    """A setting, also of a box that was installed with it."""
    told: list[str] = []
    assert keep(house, lambda: True, is_wanted=False, tell=told.append, clock=lambda: house.now, sleep=house.sleep) == 0
    assert house.did == []
    assert house.now == 0


def test_whoever_closes_it_by_hand_has_it_closed(house: House) -> None:
    """It is not opened against somebody's will."""
    house.then(500, lambda: setattr(house, "radio", RADIO))
    assert house.keep() == 0
    assert house.acts == ["open"]
    assert house.told[-1] == "The box's own network was closed."


def test_a_network_manager_that_comes_late_is_waited_for(house: House) -> None:
    """It starts at the same time as this does."""
    house.breaks.add("devices")
    house.then(20, house.breaks.clear)
    house.then(30, lambda: house.around.add(HOME))
    assert house.keep() == 0
    assert house.did == []


def test_what_cannot_be_opened_is_told(house: House) -> None:
    """The system tries again later."""
    house.breaks.add("open")
    with pytest.raises(NetworkError):
        house.keep()


def test_no_passphrase_is_told(house: House) -> None:
    """What is told goes into a log."""
    house.then(PATIENCE_SECONDS + 100, lambda: house.around.add(HOME))
    house.keep()
    assert not any(HOME in line or "passphrase" in line for line in house.told)


# --- whether somebody plays ------------------------------------------------------------------------------------------


@pytest.fixture
def box() -> Iterator[tuple[Settings, dict[str, bytes]]]:
    """A box that answers what it is told to."""
    answers = {"/api/table": b""}

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answers[self.path])

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Settings(port=server.server_port), answers
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("answer", "rests"),
    [
        (b'{"phase": "lobby"}', True),
        (b'{"phase": "game_over"}', True),
        (b'{"phase": "night"}', False),
        (b'{"phase": "election"}', False),
        (b"{}", False),
        (b"[]", False),
        (b"no json", False),
    ],
)
def test_whether_somebody_plays_is_asked_of_the_box(
    box: tuple[Settings, dict[str, bytes]], answer: bytes, rests: bool
) -> None:
    """By what everybody on the network may know; in doubt somebody does."""
    settings, answers = box
    answers["/api/table"] = answer
    assert is_at_rest(settings) is rests


def test_a_box_that_does_not_answer_may_be_playing() -> None:
    """It may be starting again in the middle of a game."""
    assert is_at_rest(Settings(port=free_port())) is False
