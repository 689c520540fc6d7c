from __future__ import annotations

from typing import TYPE_CHECKING

from companion.bulletin import Bulletin
from companion.game import evening
from companion.lookout import Lookout
from companion.network import Whereabouts
from tests.support import eventually

if TYPE_CHECKING:
    import pytest

HOME, HOTSPOT = Whereabouts("http://192.168.1.5/"), Whereabouts("http://192.168.4.1/")


class Network:
    """A network that gives the box an address, and another one when the test says so."""

    def __init__(self) -> None:
        self.where = HOME
        self.broken = False
        self.looks = 0

    def look(self) -> Whereabouts:
        self.looks += 1
        if self.broken:
            raise OSError("no such device")
        return self.where


def box() -> tuple[Network, Bulletin, Lookout, list[str | None]]:
    """A lookout, what it looks at, what it writes on, and the addresses that it told."""
    network, bulletin = Network(), Bulletin(evening.opened()[0])
    lookout = Lookout(network.look, bulletin, every_seconds=0.01)
    told: list[str | None] = []
    lookout.tell(lambda where: told.append(where.address), HOME.address)
    return network, bulletin, lookout, told


def test_what_was_known_is_no_news() -> None:
    """The first look is shown to everybody, and told to nobody who knows its address."""
    _, bulletin, lookout, told = box()
    assert bulletin.snapshot.where == Whereabouts()
    assert lookout.look() == HOME
    assert bulletin.snapshot.where == HOME
    assert told == []


def test_a_network_that_comes_late_is_told() -> None:
    """At power-on the box is there before its Wi-Fi: whoever was told of none is told when there is one."""
    network, _, lookout, told = box()
    lookout.tell(lambda where: told.append(where.address), None)
    network.where = Whereabouts()
    lookout.look()
    assert told == []
    network.where = HOME
    lookout.look()
    lookout.look()
    assert told == [HOME.address]


def test_a_new_address_is_shown_and_told_once() -> None:
    """Pages learn it by a new version; the terminal is told once, and not again when a network comes back as it was."""
    network, bulletin, lookout, told = box()
    lookout.look()
    before = bulletin.snapshot.version
    lookout.look()
    assert bulletin.snapshot.version == before
    network.where = HOTSPOT
    lookout.look()
    assert bulletin.snapshot.where == HOTSPOT
    assert bulletin.snapshot.version == before + 1
    for where in (HOTSPOT, Whereabouts(), HOTSPOT, HOTSPOT):
        network.where = where
        lookout.look()
        assert bulletin.snapshot.where == where
    assert told == [HOTSPOT.address]
    network.where = HOME
    lookout.look()
    assert told == [HOTSPOT.address, HOME.address]


def test_it_looks_by_itself_until_it_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    """A look that fails is logged and is not the last one."""
    network, bulletin, lookout, told = box()
    lookout.start()
    network.broken = True
    eventually(lambda: "looking for the network failed" in caplog.text)
    network.where, network.broken = HOTSPOT, False
    eventually(lambda: bulletin.snapshot.where == HOTSPOT)
    eventually(lambda: told == [HOTSPOT.address])
    lookout.close()
    looks = network.looks
    assert not lookout._thread.is_alive()
    assert network.looks == looks
