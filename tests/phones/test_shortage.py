from __future__ import annotations

from companion.phones.shortage import CALM_SECONDS, REST_SECONDS, SENTENCE, Shortage
from tests.support import FakeClock


class Machine:
    """A machine that has descriptors left or has none, and a clock that the test turns."""

    def __init__(self) -> None:
        self.has_some = True
        self.told: list[str] = []
        self.clock = FakeClock()
        self.tries = 0
        self.shortage = Shortage(self.told.append, self._try, self.clock.now)

    def _try(self) -> bool:
        self.tries += 1
        return self.has_some

    def lacks(self) -> None:
        """A caller comes, and cannot be let in."""
        self.has_some = False
        self.shortage.met()


def test_a_machine_with_plenty_is_never_tried() -> None:
    """As long as everybody could be let in the door is watched, and nothing is opened to find that out."""
    machine = Machine()
    for _ in range(1000):
        assert machine.shortage.watches_the_door()
        machine.clock.go(0.01)
    assert (machine.tries, machine.told) == (0, [])


def test_nobody_looks_at_the_door_until_a_descriptor_can_be_had() -> None:
    """In a shortage it is tried once in each rest, however often the loop turns, and watched again when that works."""
    machine = Machine()
    machine.lacks()
    for _ in range(100):
        assert not machine.shortage.watches_the_door()
        machine.clock.go(REST_SECONDS / 10)
    assert machine.tries in (9, 10)
    machine.has_some = True
    machine.clock.go(REST_SECONDS)
    assert machine.shortage.watches_the_door()


def test_a_shortage_that_comes_and_goes_is_told_once() -> None:
    """Only when connections could be had for long is it over; until then one that begins again is the same one."""
    machine = Machine()
    for _ in range(10):
        machine.lacks()
        machine.clock.go(REST_SECONDS)
        machine.has_some = True
        assert machine.shortage.watches_the_door()
        machine.clock.go(CALM_SECONDS * 0.9)
        assert machine.shortage.watches_the_door()
    assert machine.told == [SENTENCE]
    machine.clock.go(CALM_SECONDS * 0.2)
    assert machine.shortage.watches_the_door()
    assert machine.told == [SENTENCE, ""]
    machine.lacks()
    assert machine.told == [SENTENCE, "", SENTENCE]
