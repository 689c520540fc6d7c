"""A sound card that is pulled out and put back, or comes late."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from companion.narrator.faders import Faders, Volumes
from companion.narrator.loudspeaker import Loudspeaker
from companion.narrator.mixer import MutedOutput
from companion.narrator.sound import Clip, Track
from tests.support import FakeClock, FakeOutput, eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RAIN = Clip(Path("rain.wav"), 60.0)
LINE = Clip(Path("line.wav"), 2.0)
AWAY = "Nothing can be heard: the sound card is unplugged."


class Card(FakeOutput):
    """A mixer on a card, which can be pulled out."""

    def __init__(self) -> None:
        super().__init__(FakeClock())
        self.calls: list[tuple[object, ...]] = []
        self.trouble = ""

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        self.calls.append(("play", clip.path.name, track, loop))

    def pause(self, track: Track) -> None:
        self.calls.append(("pause", track))

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:  # noqa: ARG002
        self.calls.append(("volume", track, round(volume, 2)))

    def close(self) -> None:
        self.calls.append(("close",))


class Machine:
    """A machine with cards in it, and what was opened on it."""

    def __init__(self, *cards: str) -> None:
        self.cards = frozenset(cards)
        self.opened: list[Card | MutedOutput] = []
        self.told: list[str] = []
        self.speakers: list[Loudspeaker] = []

    def open_output(self) -> Card | MutedOutput:
        self.opened.append(Card() if self.cards else MutedOutput(AWAY))
        return self.opened[-1]

    def loudspeaker(self, *, is_named: bool = False) -> Loudspeaker:
        self.speakers.append(
            Loudspeaker(
                self.open_output,
                is_named=is_named,
                on_trouble=self.told.append,
                look=lambda: self.cards,
                every_seconds=0.01,
            )
        )
        return self.speakers[-1]


@pytest.fixture
def machine() -> Iterator[Callable[..., Machine]]:
    """Makes machines, and closes what was opened on them."""
    made: list[Machine] = []

    def make(*cards: str) -> Machine:
        made.append(Machine(*cards))
        return made[-1]

    yield make
    for each in made:
        for speaker in each.speakers:
            speaker.close()


def test_a_box_that_was_switched_on_without_a_card_speaks_when_there_is_one(machine: Callable[..., Machine]) -> None:
    """Nobody has to start it again, and the trouble that was told is taken back."""
    here = machine()
    loudspeaker = here.loudspeaker()
    assert loudspeaker.trouble == AWAY
    here.cards = frozenset({"Box"})
    assert eventually(lambda: here.told == [""])
    assert loudspeaker.trouble == ""
    loudspeaker.play(LINE, Track.VOICE)
    assert here.opened[-1].calls == [("play", "line.wav", Track.VOICE, False)]


def test_a_card_that_is_away_is_told_once_and_taken_up_again(machine: Callable[..., Machine]) -> None:
    """Also one that only the system knows by name: then any card that goes may have been it."""
    here = machine("Box")
    loudspeaker = here.loudspeaker()
    here.cards = frozenset()
    assert eventually(lambda: here.told == [AWAY])
    assert here.opened[0].calls == [("close",)], "there is one mixer in a process"
    loudspeaker.play(LINE, Track.VOICE)
    here.cards = frozenset({"Box"})
    assert eventually(lambda: here.told == [AWAY, ""])
    assert len(here.opened) == 3


def test_the_rain_falls_again_as_loud_as_it_was_and_a_line_that_was_cut_is_over(
    machine: Callable[..., Machine],
) -> None:
    """The bed has to cover what hands do in the night; of a line the caption stands."""
    here = machine("Box")
    faders = Faders(here.loudspeaker(), Volumes(bed=80))
    faders.play(RAIN, Track.BED, loop=True)
    faders.set_volume(Track.BED, 0.5)
    faders.pause(Track.BED)
    faders.play(LINE, Track.VOICE)
    here.cards = frozenset({"Box", "Another"})
    assert eventually(lambda: len(here.opened) == 2 and len(here.opened[1].calls) == 3)
    assert here.opened[1].calls == [
        ("volume", Track.BED, 0.25),
        ("play", "rain.wav", Track.BED, True),
        ("pause", Track.BED),
    ]


def test_a_card_that_the_settings_name_is_left_alone_when_others_come_and_go(machine: Callable[..., Machine]) -> None:
    """A screen that is switched on brings a card with it, and must not cut a line."""
    here = machine("Box")
    here.loudspeaker(is_named=True)
    here.cards = frozenset({"Box", "Screen"})
    assert eventually(lambda: here.speakers[0]._cards == here.cards)
    here.speakers[0].play(LINE, Track.VOICE)
    assert [type(each) for each in here.opened] == [Card]
    assert here.told == []


def test_a_card_that_fails_without_being_pulled_out_is_told_too(machine: Callable[..., Machine]) -> None:
    """What the mixer finds wrong by itself is seen on the page within moments."""
    here = machine("Box")
    here.loudspeaker(is_named=True)
    card = here.opened[0]
    assert isinstance(card, Card)
    card.trouble = "The sound line.wav could not be played."
    assert eventually(lambda: here.told == ["The sound line.wav could not be played."])
    card.trouble = ""
    assert eventually(lambda: here.told[-1] == "")
