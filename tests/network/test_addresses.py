from __future__ import annotations

from typing import TYPE_CHECKING

from companion.game import evening
from companion.machine.addresses import AddressWatcher
from companion.machine.network import Whereabouts
from companion.machine.wifi import Hotspot
from companion.table.snapshot import Feed
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


def box() -> tuple[Network, Feed, AddressWatcher, list[str | None]]:
    """A watcher, what it looks at, what it writes on, and the addresses that it told."""
    network, feed = Network(), Feed(evening.opened()[0])
    watcher = AddressWatcher(network.look, feed, every_seconds=0.01)
    told: list[str | None] = []
    watcher.tell(lambda where: told.append(where.address), HOME.address)
    return network, feed, watcher, told


def test_what_was_known_is_no_news() -> None:
    """The first look is shown to everybody, and told to nobody who knows its address."""
    _, feed, watcher, told = box()
    assert feed.snapshot.where == Whereabouts()
    assert watcher.look() == HOME
    assert feed.snapshot.where == HOME
    assert told == []


def test_a_network_that_comes_late_is_told() -> None:
    """At power-on the box is there before its Wi-Fi: whoever was told of none is told when there is one."""
    network, _, watcher, told = box()
    watcher.tell(lambda where: told.append(where.address), None)
    network.where = Whereabouts()
    watcher.look()
    assert told == []
    network.where = HOME
    watcher.look()
    watcher.look()
    assert told == [HOME.address]


def test_a_new_address_is_shown_and_told_once() -> None:
    """Pages learn it by a new version; the terminal is told once, and not again when a network comes back as it was."""
    network, feed, watcher, told = box()
    watcher.look()
    before = feed.snapshot.version
    watcher.look()
    assert feed.snapshot.version == before
    network.where = HOTSPOT
    watcher.look()
    assert feed.snapshot.where == HOTSPOT
    assert feed.snapshot.version == before + 1
    for where in (HOTSPOT, Whereabouts(), HOTSPOT, HOTSPOT):
        network.where = where
        watcher.look()
        assert feed.snapshot.where == where
    assert told == [HOTSPOT.address]
    network.where = HOME
    watcher.look()
    assert told == [HOTSPOT.address, HOME.address]


def test_it_looks_by_itself_until_it_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    """A look that fails is logged and is not the last one."""
    network, feed, watcher, told = box()
    watcher.start()
    network.broken = True
    eventually(lambda: "looking for the network failed" in caplog.text)
    network.where, network.broken = HOTSPOT, False
    eventually(lambda: feed.snapshot.where == HOTSPOT)
    eventually(lambda: told == [HOTSPOT.address])
    watcher.close()
    looks = network.looks
    assert not watcher._thread.is_alive()
    assert network.looks == looks


def test_a_network_of_the_box_s_own_is_told_each_time_it_comes_up() -> None:
    """Not at every look, and again after it was closed: its code is what phones need first."""
    network, _, watcher, _ = box()
    opened: list[str] = []
    watcher.on_own_network = lambda: opened.append("own")
    own = Whereabouts("http://192.168.4.1/", hotspot=Hotspot("Secret Table", "abcd-efgh-jkmn", "192.168.4.1"))
    for where in (HOME, own, own, HOME, own):
        network.where = where
        watcher.look()
    assert opened == ["own", "own"]
