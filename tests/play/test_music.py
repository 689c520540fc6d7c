"""Music before and after a game: where a table wants it, when the words are over, and not for ever."""

import pytest

from companion.game import commands
from companion.game.vocabulary import Phase
from companion.narrator.sound import Track
from companion.panel.music import SILENCE_SECONDS, MusicPlayer
from companion.table.listener import Change
from hardware.panel import Button
from sounds import Music
from tests.play.later import Later
from tests.support import Box, begun, evening_of, eventually, played

OVER = "l l l l l"


class Room(Later):
    """A table, its narrator and its feed: what is played, and who waits for silence."""

    def __init__(self, evening):
        super().__init__(evening)
        self.played, self.shown, self._waiting = [], {}, []

    def play_music(self, piece):
        self.played.append(piece)

    def when_silent(self, callback):
        self._waiting.append(callback)

    def call(self, work):
        work()

    def post(self, **changes):
        self.shown |= changes

    def falls_silent(self):
        waiting, self._waiting = self._waiting, []
        for callback in waiting:
            callback()


def at(evening, *, is_on=True):
    room = Room(evening)
    return room, MusicPlayer(room, room, room, is_on=is_on)


def report(room, player, evening):
    before, room.evening = room.evening, evening
    player.changed(Change(before, (), evening))


def test_it_plays_when_the_first_has_sat_down_and_the_box_is_silent():
    """Not into the welcome, and not to an empty room."""
    room, player = at(evening_of(0))
    report(room, player, evening_of(0))
    room.falls_silent()
    assert room.played == []
    report(room, player, evening_of(1))
    assert room.played == []
    room.falls_silent()
    assert room.played == [Music.LOBBY]
    report(room, player, evening_of(2))
    room.falls_silent()
    assert room.played == [Music.LOBBY]


def test_it_ends_when_the_roles_are_dealt():
    """And nothing plays during a game."""
    room, player = at(evening_of(5))
    report(room, player, evening_of(5))
    room.falls_silent()
    report(room, player, begun(evening_of(5)))
    assert room.played == [Music.LOBBY, None]
    room.falls_silent()
    assert room.played == [Music.LOBBY, None]


def test_the_end_is_not_told_by_the_music():
    """A game that is over has its music only after the words: before them nobody may know."""
    room, player = at(begun(evening_of(5)))
    report(room, player, played(begun(evening_of(5)), OVER))
    assert room.played == []
    room.falls_silent()
    assert room.played == [Music.END]


def test_what_was_taken_back_meanwhile_is_not_played():
    """An end that was reported by mistake and taken back before the words were over."""
    room, player = at(begun(evening_of(5)))
    report(room, player, played(begun(evening_of(5)), OVER))
    report(room, player, begun(evening_of(5)))
    room.falls_silent()
    assert room.played == []


def test_a_box_that_was_left_on_falls_silent():
    """And plays again when somebody comes back."""
    room, player = at(evening_of(5))
    report(room, player, evening_of(5))
    room.falls_silent()
    room.go(SILENCE_SECONDS)
    assert room.played == [Music.LOBBY, None]
    report(room, player, evening_of(6))
    room.falls_silent()
    assert room.played == [Music.LOBBY, None, Music.LOBBY]


@pytest.mark.parametrize("evening", [evening_of(5), played(begun(evening_of(5)), OVER)], ids=["lobby", "end"])
def test_a_table_that_wants_none_has_none(evening):
    """Switched off, and on again in the middle of it."""
    room, player = at(evening, is_on=False)
    report(room, player, evening)
    room.falls_silent()
    assert (room.played, room.shown) == ([], {"music": False})
    player.switch(is_on=True)
    room.falls_silent()
    player.switch(is_on=False)
    room.falls_silent()
    assert len(room.played) == 2
    assert room.played[1] is None
    assert room.shown == {"music": False}


def test_a_table_hears_it_on_a_whole_box():
    """Somebody sits down: a welcome, and then music; dealt, and it is gone."""
    with Box(evening_of(5), music=True) as box:
        box.table.submit(commands.TakeSeat("Ada", "a claim"))
        eventually(lambda: Music.LOBBY.path in [each.clip.path for each in box.output.heard if each.clip])
        assert box.feed.snapshot.music
        box.press(Button.JA)
        eventually(lambda: box.feed.snapshot.evening.game.phase is Phase.DEAL)
        eventually(lambda: [each.what for each in box.output.heard if each.track is Track.MUSIC] == ["loop", "stop"])
