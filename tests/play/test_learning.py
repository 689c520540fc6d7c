"""A box that is switched on for the first time: the table plays on while its voice still learns the lines."""

import threading
from contextlib import contextmanager

import pytest

from companion import languages
from companion.box.app import Companion
from companion.game.vocabulary import Phase
from companion.history import past_games
from companion.journal import FILE_NAME, reading
from companion.languages import loader
from companion.narrator import cues
from companion.narrator.sound import VoiceError
from companion.panel import presses
from companion.settings import Settings
from hardware.keyboard import KeyboardPanel
from hardware.panel import Button, ButtonEvent, Gesture
from tests.support import FakeClock, FakeOutput, FakePanel, FakeSpeaker, eventually

ENGLISH = languages.load("en")
PATIENCE_SECONDS = 20


class Learner(FakeSpeaker):
    """Prepares so many lines at once and the others slowly, until it may go on."""

    def __init__(self, knows: int, fails: str = "") -> None:
        super().__init__()
        self._knows = knows
        self._fails = fails
        self._prepared = 0
        self.learns = threading.Event()
        self.goes_on = threading.Event()

    def prepare(self, _texts, _voice):
        self.learns.set()
        self._prepared += 1
        if self._prepared > self._knows:
            # Without its first line there is no voice; after that each line takes a slow computer its time.
            self.goes_on.wait(0.05 if self._knows else PATIENCE_SECONDS)
            if self._fails and self.goes_on.is_set():
                raise VoiceError(self._fails)


def games_in(state_dir):
    """The phases that the games in a journal have come to."""
    with reading(state_dir / FILE_NAME) as connection:
        return [game.evening.game.phase for game in past_games(connection)]


class Screen(KeyboardPanel):
    """A panel in a terminal that keeps what it is to show, without a terminal."""

    def __init__(self):
        self.shown = []

    def caption(self, text):
        self.shown.append(text)


class Learning:
    """A box that is being started, on a thread as its owner would have it."""

    def __init__(self, box, panel, output, speaker):
        self.box, self.panel, self.output, self.speaker = box, panel, output, speaker
        box.open()
        self.start = threading.Thread(target=box.learn, daemon=True)
        self.start.start()
        assert speaker.learns.wait(PATIENCE_SECONDS)

    @property
    def game(self):
        return self.box.feed.snapshot.evening.game

    def press(self, *buttons):
        for button in buttons:
            self.panel.do(ButtonEvent(button, Gesture.PRESS))

    def has_started(self):
        self.start.join(PATIENCE_SECONDS)
        return not self.start.is_alive()

    def says(self, key):
        eventually(lambda: ENGLISH.pronounce(ENGLISH.say(key)) in self.output.said())


@pytest.fixture
def learning(tmp_path):
    @contextmanager
    def made(speaker):
        clock, panel = FakeClock(), FakePanel()
        output = FakeOutput(clock)
        settings = Settings(
            state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", host="127.0.0.1", port=0, roles="cards"
        )
        box = Companion(settings, clock=clock, speaker=speaker, output=output, panel=panel)
        try:
            yield Learning(box, panel, output, speaker)
        finally:
            speaker.goes_on.set()
            box.close()

    return made


def test_a_press_counts_before_the_voice_has_its_first_line(learning, tmp_path):
    """Buttons, lights, memory and pages do not wait for the voice: the game goes on, and is in the journal."""
    with learning(Learner(0)) as on:
        on.press(Button.JA)
        eventually(lambda: on.game.phase is Phase.NIGHT)
        assert games_in(tmp_path / "state") == [Phase.NIGHT]
        assert on.start.is_alive()
        assert on.output.said() == []


def test_a_night_that_begins_before_the_voice_is_there_is_held_when_it_is(learning):
    """Whoever closes their eyes waits for the first word: nothing of the night is lost, and nothing is said twice."""
    with learning(Learner(0)) as on:
        on.press(Button.JA)
        eventually(lambda: on.game.phase is Phase.NIGHT)
        on.speaker.goes_on.set()
        eventually(lambda: on.game.phase is Phase.ASK)
        night = [ENGLISH.pronounce(step.text) for step in ENGLISH.few if step.text]
        assert on.output.said()[: len(night)] == night
        assert on.has_started()


def test_the_box_speaks_as_soon_as_it_knows_a_line(learning):
    """What the table waits for is said while the rest is still being learnt."""
    with learning(Learner(1)) as on:
        eventually(on.output.said)
        on.press(Button.JA)
        eventually(lambda: on.game.phase is Phase.ASK)
        assert on.start.is_alive()
        on.speaker.goes_on.set()
        assert on.has_started()


def test_what_was_left_behind_while_the_voice_was_learnt_is_not_said(learning):
    """The first word is about the table as it stands, not about what it went through in silence."""
    with learning(Learner(0)) as on:
        welcome = cues.resume(on.box.feed.snapshot.evening, ENGLISH)
        on.press(Button.JA)
        eventually(lambda: on.game.phase is Phase.NIGHT)
        on.speaker.goes_on.set()
        eventually(lambda: on.game.phase is Phase.ASK)
        assert not {ENGLISH.pronounce(line.text) for line in welcome} & {*on.output.said()}


def test_a_voice_that_fails_in_the_middle_is_told_and_taken_back_when_a_line_succeeds(learning, caplog):
    """The table reads why nothing is heard, as long as it is so and no longer."""
    with learning(Learner(1, fails="the voice is hoarse")) as on:
        eventually(on.output.said)
        on.speaker.goes_on.set()
        assert on.has_started()
        eventually(lambda: ("voice", "the voice is hoarse") in on.box.feed.snapshot.troubles)
        assert "No voice: the voice is hoarse. Captions are shown instead." in caplog.messages
        on.press(Button.REPEAT)
        eventually(lambda: "voice" not in dict(on.box.feed.snapshot.troubles))


def test_undo_held_ends_a_box_whose_voice_hangs(learning, monkeypatch):
    """The goodbye that cannot be said is waited for, but not for ever; then the box ends."""
    monkeypatch.setattr(presses, "GOODBYE_SECONDS", 0.1)
    with learning(Learner(0)) as on:
        on.press(Button.REPEAT)
        on.panel.do(ButtonEvent(Button.UNDO, Gesture.HOLD))
        assert on.box._ended.wait(PATIENCE_SECONDS)
        assert on.has_started()


def test_a_box_that_is_ended_while_it_learns_complains_of_nothing(learning, caplog):
    """The voice that goes with the box has not failed, also not in the middle of a line: the log stays empty."""
    speaker = Learner(1)
    speaker.may_speak.clear()
    with learning(speaker) as on:
        eventually(lambda: speaker.asked)
        speaker.broken.add("*")
        closing = threading.Thread(target=on.box.close)
        closing.start()
        eventually(lambda: on.box._announcer.narrator._closing)
        speaker.may_speak.set()
        closing.join(PATIENCE_SECONDS)
    assert caplog.messages == []


def test_the_terminal_shows_how_far_the_voice_is_but_not_over_what_it_says(learning):
    """On a keyboard panel the progress stands where captions do, and gives way to one that is being spoken."""
    with learning(Learner(0)) as on:
        on.box._panel = screen = Screen()
        show = on.box._progress
        show("3 of 80")
        on.box.feed.post(caption="Close your eyes.", speaking=True)
        show("4 of 80")
        on.box.feed.post(speaking=False)
        show("5 of 80")
        assert screen.shown == ["3 of 80", "Close your eyes.", "5 of 80"]


def test_whoever_sits_down_first_does_not_wait_for_ten_languages(learning, monkeypatch):
    """The page of the first phone names every language; their files were read while nobody waited."""
    languages.load.cache_clear()
    with learning(Learner(knows=1)) as box:
        box.speaker.goes_on.set()
        box.start.join(PATIENCE_SECONDS)

        def unread(*_):
            raise AssertionError("a file is read while somebody waits")

        monkeypatch.setattr(loader, "read", unread)
        for code in languages.codes():
            assert languages.load(code).code == code
