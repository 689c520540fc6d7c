"""A sound card that comes late, is pulled out and put back, is slow, or hangs; and how loud everything is."""

from __future__ import annotations

import itertools
import math
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from companion.narrator import loudspeaker as module
from companion.narrator.loudspeaker import Loudspeaker
from companion.narrator.mixer import OutputError
from companion.narrator.sound import Clip, Track
from companion.narrator.sound_card import DOES_NOT_ANSWER, CardLostError
from companion.narrator.volumes import STEPS, Volumes, gain
from tests.support import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RAIN = Clip(Path("rain.wav"), 60.0)
LINE = Clip(Path("line.wav"), 2.0)
OTHER = Clip(Path("other.wav"), 2.0)
AWAY = "Nothing can be heard: the sound card is unplugged."
PATIENCE_SECONDS = 10


class FakeCard:
    """A card that notes what is asked of it, and can hang at any of it."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.trouble = ""
        self.is_lost = False
        self.hangs_at = ""
        self.hangs = threading.Event()
        self.goes_on = threading.Event()

    def _note(self, *call: object) -> None:
        if call[0] == self.hangs_at:
            self.hangs.set()
            self.goes_on.wait()
        self.calls.append(call)

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        self._note("play", clip.path.name, track, loop)

    def stop(self, track: Track) -> None:
        self._note("stop", track)

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        self._note("volume", track, round(volume, 4), fade_seconds)

    def glide(self) -> float | None:
        return None

    def close(self) -> None:
        self._note("close")

    @property
    def volumes(self) -> list[tuple[object, ...]]:
        return [call[1:] for call in self.calls if call[0] == "volume"]


class Machine:
    """A machine with cards in it, and what was opened on it."""

    def __init__(self, *cards: str) -> None:
        self.cards = frozenset(cards)
        self.opened: list[FakeCard] = []
        self.tries = 0
        self.speakers: list[Loudspeaker] = []

    def open_card(self) -> FakeCard:
        self.tries += 1
        if not self.cards:
            raise OutputError(AWAY)
        self.opened.append(FakeCard())
        return self.opened[-1]

    def loudspeaker(self, volumes: Volumes | None = None, *, is_named: bool = False, step: int = STEPS) -> Loudspeaker:
        self.speakers.append(
            Loudspeaker(
                self.open_card, volumes, step=step, is_named=is_named, look=lambda: self.cards, look_seconds=0.01
            )
        )
        assert self.speakers[-1].wait_until_open(PATIENCE_SECONDS)
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
        for card in each.opened:
            card.goes_on.set()
        for speaker in each.speakers:
            speaker.close()


def done(speaker: Loudspeaker) -> None:
    """Wait until everything that was asked for is done."""
    heard = threading.Event()
    speaker._inbox.put(heard.set)
    assert heard.wait(PATIENCE_SECONDS)


def test_a_box_that_was_switched_on_without_a_card_speaks_when_there_is_one(machine: Callable[..., Machine]) -> None:
    """Nobody has to start it again, and there is no trouble any more."""
    here = machine()
    loudspeaker = here.loudspeaker()
    assert loudspeaker.trouble == AWAY
    here.cards = frozenset({"Box"})
    eventually(lambda: loudspeaker.trouble == "")
    loudspeaker.play(LINE, Track.VOICE)
    done(loudspeaker)
    assert here.opened[-1].calls == [("play", "line.wav", Track.VOICE, False)]


def test_a_card_that_is_away_is_taken_up_again(machine: Callable[..., Machine]) -> None:
    """Also one that only the system knows by name: then any card that goes may have been it."""
    here = machine("Box")
    loudspeaker = here.loudspeaker()
    here.cards = frozenset()
    eventually(lambda: loudspeaker.trouble == AWAY)
    assert here.opened[0].calls == [("close",)], "there is one mixer in a process"
    loudspeaker.play(LINE, Track.VOICE)
    here.cards = frozenset({"Box"})
    eventually(lambda: loudspeaker.trouble == "")
    assert here.tries == 3


def test_the_rain_falls_again_as_loud_as_it_was_and_a_line_that_was_cut_is_over(
    machine: Callable[..., Machine],
) -> None:
    """The bed has to cover what hands do in the night; of a line the caption stands."""
    here = machine("Box")
    loudspeaker = here.loudspeaker(Volumes(bed=80))
    loudspeaker.play(RAIN, Track.BED, loop=True)
    loudspeaker.set_volume(Track.BED, 0.5)
    loudspeaker.play(LINE, Track.VOICE)
    done(loudspeaker)
    here.cards = frozenset({"Box", "Another"})
    eventually(lambda: len(here.opened) == 2 and len(here.opened[1].calls) == 2)
    assert here.opened[1].calls == [
        ("volume", Track.BED, round(0.5 * gain(80), 4), 0.0),
        ("play", "rain.wav", Track.BED, True),
    ]


def test_a_card_that_the_settings_name_is_left_alone_when_others_come_and_go(machine: Callable[..., Machine]) -> None:
    """A screen that is switched on brings a card with it, and must not cut a line."""
    here = machine("Box")
    loudspeaker = here.loudspeaker(is_named=True)
    here.cards = frozenset({"Box", "Screen"})
    eventually(lambda: loudspeaker._cards == here.cards)
    loudspeaker.play(LINE, Track.VOICE)
    done(loudspeaker)
    assert here.tries == 1
    assert loudspeaker.trouble == ""


def test_a_named_card_that_is_unplugged_and_comes_back_is_heard_again(machine: Callable[..., Machine]) -> None:
    """What the mixer says of its card counts: it is opened anew when the cards change."""
    here = machine("Box")
    loudspeaker = here.loudspeaker(is_named=True)
    here.opened[0].trouble = AWAY
    here.cards = frozenset()
    eventually(lambda: here.tries == 2)
    here.cards = frozenset({"Box"})
    eventually(lambda: loudspeaker.trouble == "")
    loudspeaker.play(LINE, Track.VOICE)
    done(loudspeaker)
    assert here.opened[-1].calls == [("play", "line.wav", Track.VOICE, False)]


def test_a_card_that_fails_without_being_pulled_out_is_told_too(machine: Callable[..., Machine]) -> None:
    """What the mixer finds wrong by itself is the loudspeaker's trouble."""
    here = machine("Box")
    loudspeaker = here.loudspeaker(is_named=True)
    here.opened[0].trouble = "The sound line.wav could not be played."
    assert loudspeaker.trouble == "The sound line.wav could not be played."


def test_a_card_whose_opening_hangs_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything can be asked for meanwhile; that the card does not answer is told, and over when it does."""
    monkeypatch.setattr(module, "HANGS_SECONDS", 0.01)
    goes_on, card = threading.Event(), FakeCard()

    def open_card() -> FakeCard:
        goes_on.wait()
        return card

    loudspeaker = Loudspeaker(open_card)
    loudspeaker.play(RAIN, Track.BED, loop=True)
    loudspeaker.set_volume(Track.BED, 0.5)
    loudspeaker.turn_to(9)
    loudspeaker.stop(Track.VOICE)
    eventually(lambda: loudspeaker.trouble == DOES_NOT_ANSWER)
    assert not loudspeaker.is_open
    goes_on.set()
    eventually(lambda: loudspeaker.trouble == "")
    done(loudspeaker)
    assert ("play", "rain.wav", Track.BED, True) in card.calls
    loudspeaker.close()


@pytest.mark.parametrize("at", ["play", "stop", "volume"])
def test_a_card_that_hangs_later_keeps_nobody_waiting(
    machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """When it comes back it plays what was asked for last, and nothing whose time is over."""
    monkeypatch.setattr(module, "HANGS_SECONDS", 0.01)
    loudspeaker = (here := machine("Box")).loudspeaker()
    card = here.opened[0]
    loudspeaker.play(Clip(Path("bell.wav"), 2.0), Track.EFFECT)
    done(loudspeaker)
    card.hangs_at = at
    loudspeaker.set_volume(Track.EFFECT, 0.5)
    loudspeaker.stop(Track.EFFECT)
    loudspeaker.play(RAIN, Track.BED, loop=True)
    assert card.hangs.wait(PATIENCE_SECONDS)
    eventually(lambda: loudspeaker.trouble == DOES_NOT_ANSWER)
    for _ in range(50):
        loudspeaker.play(OTHER, Track.VOICE)
    loudspeaker.play(Clip(Path("short.wav"), 0.0), Track.EFFECT)
    loudspeaker.play(LINE, Track.VOICE)
    card.goes_on.set()
    done(loudspeaker)
    assert [call[1] for call in card.calls if call[0] == "play"] == ["bell.wav", "rain.wav", "line.wav"]
    assert loudspeaker.trouble == ""


def test_a_press_asks_the_card_once(machine: Callable[..., Machine]) -> None:
    """What is to sound takes the place of what does; a track that is silent is not stopped."""
    loudspeaker = (here := machine("Box")).loudspeaker()
    loudspeaker.play(LINE, Track.VOICE)
    done(loudspeaker)
    card = here.opened[0]
    card.calls.clear()
    card.hangs_at = "volume"
    loudspeaker.set_volume(Track.BED, 0.5)
    assert card.hangs.wait(PATIENCE_SECONDS)
    loudspeaker.stop(Track.VOICE)
    loudspeaker.stop(Track.EFFECT)
    loudspeaker.play(OTHER, Track.VOICE)
    card.goes_on.set()
    done(loudspeaker)
    assert [call for call in card.calls if call[0] != "volume"] == [("play", "other.wav", Track.VOICE, False)]


def test_a_line_stops_also_where_the_time_of_the_next_is_over(machine: Callable[..., Machine]) -> None:
    loudspeaker = (here := machine("Box")).loudspeaker()
    loudspeaker.play(LINE, Track.VOICE)
    done(loudspeaker)
    card = here.opened[0]
    card.hangs_at = "volume"
    loudspeaker.set_volume(Track.BED, 0.5)
    assert card.hangs.wait(PATIENCE_SECONDS)
    loudspeaker.stop(Track.VOICE)
    loudspeaker.play(Clip(Path("short.wav"), 0.0), Track.VOICE)
    card.goes_on.set()
    done(loudspeaker)
    assert ("stop", Track.VOICE) in card.calls


def test_a_card_that_was_lost_is_opened_anew(machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    """Once at once, and if that is lost too, after a while: what hangs for ever is not tried without end."""
    loudspeaker = (here := machine("Box")).loudspeaker(is_named=True)
    loudspeaker.play(RAIN, Track.BED, loop=True)
    done(loudspeaker)
    here.opened[0].is_lost = True
    eventually(lambda: here.tries == 2)
    done(loudspeaker)
    assert here.opened[1].calls == [("play", "rain.wav", Track.BED, True)]

    def lost() -> FakeCard:
        here.tries += 1
        raise CardLostError(DOES_NOT_ANSWER)

    monkeypatch.setattr(loudspeaker, "_open_card", lost)
    here.opened[1].is_lost = True
    looked = loudspeaker._look_at
    eventually(lambda: loudspeaker._look_at > looked + 0.1)
    assert here.tries == 2
    loudspeaker._retry_at = 0.0
    eventually(lambda: here.tries == 3)
    assert loudspeaker.trouble == DOES_NOT_ANSWER


def test_an_idle_loudspeaker_sleeps() -> None:
    """While nothing glides and no card can come or go, its thread waits without a limit."""
    card = FakeCard()
    loudspeaker = Loudspeaker(lambda: card)
    done(loudspeaker)
    assert loudspeaker._do_what_is_due() is None
    card.glide = lambda: 0.02  # type: ignore[method-assign]
    assert loudspeaker._do_what_is_due() == 0.02
    card.glide = lambda: None  # type: ignore[method-assign]
    loudspeaker.close()


def test_a_loudspeaker_that_hangs_does_not_keep_the_box_from_ending(machine: Callable[..., Machine]) -> None:
    """Closing gives up on it."""
    loudspeaker = (here := machine("Box")).loudspeaker()
    here.opened[0].hangs_at = "play"
    loudspeaker.play(LINE, Track.VOICE)
    assert here.opened[0].hangs.wait(PATIENCE_SECONDS)
    ends = threading.Thread(target=loudspeaker.close)
    ends.start()
    ends.join(PATIENCE_SECONDS)
    assert not ends.is_alive()
    loudspeaker.play(LINE, Track.VOICE)


def test_what_the_narrator_asks_for_is_turned_down_by_what_the_table_chose(machine: Callable[..., Machine]) -> None:
    """A track at 50 is 15 dB under what is asked of it; one at 0 stays silent whatever is asked."""
    loudspeaker = (here := machine("Box")).loudspeaker(Volumes(voice=50, effects=100, bed=0))
    card = here.opened[0]
    assert card.volumes == [(Track.VOICE, 0.1778, 0.0), (Track.BED, 0.0, 0.0)]
    card.calls.clear()
    loudspeaker.set_volume(Track.BED, 0.3, 0.4)
    loudspeaker.set_volume(Track.VOICE, 0.5)
    loudspeaker.set_volume(Track.EFFECT, 0.5)
    done(loudspeaker)
    assert card.volumes == [(Track.BED, 0.0, 0.4), (Track.VOICE, 0.0889, 0.0), (Track.EFFECT, 0.5, 0.0)]


def test_one_knob_turns_all_tracks_and_keeps_what_is_between_them(machine: Callable[..., Machine]) -> None:
    """A step is 3 dB on all of them alike; one is still heard, nought is silence, ten is all."""
    loudspeaker = (here := machine("Box")).loudspeaker(Volumes(bed=50))
    card = here.opened[0]
    loudspeaker.set_volume(Track.BED, 0.5)
    heard = []
    for step in range(STEPS - 1, -1, -1):
        done(loudspeaker)
        card.calls.clear()
        loudspeaker.turn_to(step)
        done(loudspeaker)
        heard.append({track: volume for track, volume, _ in card.volumes})
    for before, after in itertools.pairwise(heard[:-1]):
        for track in Track:
            assert math.isclose(20 * math.log10(before[track] / after[track]), 3.0, abs_tol=0.2)
    assert set(heard[-2]) == set(Track)
    assert all(volume > 0 for volume in heard[-2].values())
    assert set(heard[-1].values()) == {0.0}
    loudspeaker.turn_to(99)
    done(loudspeaker)
    assert (Track.BED, round(0.5 * gain(50), 4), 0.1) in card.volumes[-len(Track) :]


def test_what_is_asked_for_later_is_as_loud_as_the_knob_has_it(machine: Callable[..., Machine]) -> None:
    """The night moves the bed as it always does, and the knob stays where it is."""
    loudspeaker = (here := machine("Box")).loudspeaker(step=9)
    assert here.opened[0].volumes == [(track, 0.7079, 0.0) for track in Track]
    loudspeaker.set_volume(Track.BED, 0.5, 0.4)
    done(loudspeaker)
    assert here.opened[0].volumes[-1] == (Track.BED, 0.354, 0.4)
