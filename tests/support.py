"""What the tests of the voice and of whole games share: fakes written by hand, and a box wired from them."""

from __future__ import annotations

import random
import socket
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from companion import languages
from companion.game import commands
from companion.game import evening as rulebook
from companion.game.seating import Seating
from companion.game.vocabulary import Party, Phase, Role
from companion.machine.dice import Dice
from companion.narrator.announcer import Announcer
from companion.narrator.line import InLanguage, Line
from companion.narrator.narrator import Narrator
from companion.narrator.night import Pauses
from companion.narrator.sound import Clip, Track, VoiceError
from companion.narrator.speech.silent import SilentSpeaker
from companion.panel.asking import Asking
from companion.panel.discussion import DiscussionClock
from companion.panel.lights import PanelLights
from companion.panel.music import MusicPlayer
from companion.panel.presses import BoxActions, Presses
from companion.table.snapshot import Feed
from companion.table.table import Table
from hardware.panel import DARK, Button, ButtonEvent, Gesture

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from companion.game.commands import Command
    from companion.game.evening import Entry, Evening
    from companion.narrator.sound import Voice
    from companion.panel.meanings import Pressed
    from companion.table.table import Memory
    from hardware.panel import Lights
    from sounds import Palette


def free_port() -> int:
    """Return a port of this machine that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def eventually(condition: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Return what a condition holds as soon as it holds; another thread brings it about."""
    end = time.monotonic() + seconds
    while not (held := condition()):
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.0005)
    return held


class FakeClock:
    """Seconds that pass in no time while somebody waits for them; or, standing, only when told to."""

    def __init__(self, *, standing: bool = False) -> None:
        self.standing = standing
        self._now = 64.0
        # Two threads that add at once must not set the clock back.
        self._adding = threading.Lock()
        self._waiting: set[threading.Condition] = set()

    def now(self) -> float:
        return self._now

    def __call__(self) -> float:
        return self._now

    def wait(self, wake: threading.Condition, seconds: float | None) -> None:
        if seconds is None or self.standing:
            self._waiting.add(wake)
            # Time may have been let go just before this wait began.
            wake.wait(None if seconds is None else 0.005)
        else:
            self._add(seconds)

    def _add(self, seconds: float) -> None:
        with self._adding:
            self._now += seconds

    def go(self, seconds: float) -> None:
        """Let seconds pass."""
        self._add(seconds)
        for wake in tuple(self._waiting):
            with wake:
                wake.notify_all()


@dataclass(frozen=True)
class Sounded:
    """Something that an output was asked for."""

    at: float
    what: str
    track: Track
    clip: Clip | None = None

    @property
    def name(self) -> str:
        """What the clip says, or the name of the effect."""
        return "" if self.clip is None else self.clip.path.stem


class FakeOutput:
    """A loudspeaker that notes what it is asked for, and when."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.heard: list[Sounded] = []
        self.volumes: list[tuple[float, Track, float]] = []
        """When a track was set to which volume."""
        self.trouble = ""
        self.closed = False

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        self.heard.append(Sounded(self._clock.now(), "loop" if loop else "play", track, clip))

    def stop(self, track: Track) -> None:
        self.heard.append(Sounded(self._clock.now(), "stop", track))

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:  # noqa: ARG002 - the seam
        self.volumes.append((self._clock.now(), track, volume))

    def turn_to(self, step: int) -> None:
        """Nor is the volume of the whole box."""

    def close(self) -> None:
        self.closed = True

    def said(self) -> list[str]:
        """What the voice began to say, in order."""
        return [each.name for each in self.heard if each.what == "play" and each.track is Track.VOICE]


class FakeSpeaker:
    """Says every text in a sixteenth of a second a letter. `broken` texts, or all with `*`, cannot be spoken."""

    def __init__(self, *broken: str) -> None:
        self.broken = set(broken)
        self.asked: list[str] = []
        self.may_speak = threading.Event()
        self.may_speak.set()

    note = ""

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Nothing is rendered before it is asked for."""

    def clip(self, text: str, voice: Voice, *, within_seconds: float | None = None) -> Clip:  # noqa: ARG002 - the seam's shape
        self.asked.append(text)
        assert self.may_speak.wait(10)
        if text in self.broken or "*" in self.broken:
            raise VoiceError("the voice is hoarse")
        return Clip(Path(f"{text}.wav"), len(text) / 16)

    def prepare(self, texts: Sequence[str], voice: Voice) -> None:
        for text in texts:
            self.clip(text, voice)

    def rest(self) -> float | None:
        """It never tires."""

    def kill(self) -> None:
        """Nothing hangs but what the test holds."""

    def called(self, voice: Voice) -> str:
        return f"Fake {voice.identifier}"

    def describe(self, voice: Voice) -> str:
        return f"a fake that says {voice.identifier}"

    def close(self) -> None:
        pass


class RecordingAudience:
    """Notes what the narrator tells."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.captions: list[tuple[float, str, bool]] = []
        self.asks = 0
        self.heard: list[str] = []
        self.troubles: list[str] = []

    def caption(self, text: str, speaking: bool, told: InLanguage | None = None) -> None:  # noqa: ARG002 - the seam's shape
        self.captions.append((self._clock.now(), text, speaking))

    def line_said(self, line: Line) -> None:
        self.heard.append(line.text)

    def night_reached_ask(self) -> None:
        self.asks += 1

    def voice_trouble(self, sentence: str) -> None:
        self.troubles.append(sentence)

    @property
    def speaking(self) -> bool:
        return bool(self.captions) and self.captions[-1][2]


class Rehearsal:
    """A narrator without a thread: the test lets time pass, and the narrator does what falls due."""

    def __init__(self, *broken: str, palette: Palette | None = None) -> None:
        self.clock = FakeClock(standing=True)
        self.output = FakeOutput(self.clock)
        self.speaker = FakeSpeaker(*broken)
        self.audience = RecordingAudience(self.clock)
        self.narrator = Narrator(self.speaker, FakeSpeaker(), self.output, self.clock, self.audience, palette)

    def go(self, seconds: float = 0.0) -> None:
        """Let the narrator work for some seconds."""
        end = self.clock.now() + seconds
        while (left := self.narrator.advance()) is not None and self.clock.now() + left <= end + 1e-9:
            self.clock.go(left)
        self.clock.go(max(0.0, end - self.clock.now()))
        self.narrator.advance()

    def finish(self) -> None:
        """Let the narrator work until there is nothing left to do."""
        while (left := self.narrator.advance()) is not None:
            self.clock.go(left)

    @property
    def said(self) -> list[str]:
        return self.output.said()


class FakePanel:
    """A panel in memory: the test presses, and sees which lights were shown in which order."""

    def __init__(self) -> None:
        self.shown: list[Lights] = []
        self.troubles: tuple[str, ...] = ()
        self._callback: Callable[[ButtonEvent], None] = lambda _event: None

    def listen(self, callback: Callable[[ButtonEvent], None]) -> None:
        self._callback = callback

    def show(self, lights: Lights) -> None:
        self.shown.append(lights)

    def do(self, event: ButtonEvent) -> None:
        """Somebody does something with a button."""
        self._callback(event)

    def close(self) -> None:
        self.shown.append(DARK)

    @property
    def lights(self) -> Lights:
        return self.shown[-1]


class Notebook:
    """A memory that keeps entries while the test runs."""

    def __init__(self, trouble: str = "") -> None:
        self.trouble = trouble
        self.entries: list[Entry] = []

    def append(self, entry: Entry) -> None:
        self.entries.append(entry)


NAMES = ("Anna", "Bogdan", "Chiara", "Dmitrij", "Eirik", "Fátima", "Grzegorz", "Hanne", "Иван", "João")


def evening_of(players: int = 5, *, language: str = "en", seated: bool = True, **rules: Any) -> Evening:
    """Return a lobby with so many people, seated by phone or only counted."""
    evening, _ = rulebook.opened(players, seating=Seating(language=language), **rules)
    if seated:
        for number in range(players):
            evening = after(evening, commands.TakeSeat(NAMES[number], f"claim {number}"))
    return evening


def after(evening: Evening, *asked: Command) -> Evening:
    """Return the evening after a report."""
    return rulebook.evolve(evening, rulebook.decide(evening, asked))


def begun(evening: Evening, *, first: int = 1, deal: Sequence[Role] | None = None) -> Evening:
    """Return a lobby's game at its first election; without a deal it is played with real role cards."""
    if deal is not None:
        evening = after(evening, commands.DealRoles(tuple(deal)))
    evening = after(evening, commands.BeginNight(regardless=True))
    evening = after(evening, commands.EndNight())
    return after(evening, commands.BeginGame(first))


def elected(evening: Evening) -> Evening:
    """Return the evening after a government was elected and, where the table was asked, was not Hitler's."""
    evening = after(evening, commands.Vote(elected=True))
    if evening.game.phase is Phase.HITLER_CHECK:
        evening = after(evening, commands.Answer(hitler=False))
    return evening


def played(evening: Evening, policies: str) -> Evening:
    """Return the evening after governments enacted `policies`, such as `f f l`; powers fall on the first they may."""
    for letter in policies.split():
        evening = after(elected(evening), commands.EnactPolicy(Party.FASCIST if letter == "f" else Party.LIBERAL))
        if evening.game.phase is Phase.EXECUTIVE_ACTION:
            targets = evening.game.eligible_targets
            evening = after(evening, commands.UsePower(targets[0] if targets else None))
        if evening.game.phase is Phase.HITLER_CHECK:
            evening = after(evening, commands.Answer(hitler=False))
    return evening


@dataclass
class Box:
    """Table, presses, narrator and lights as the app wires them, on fakes; presses come from `panel`."""

    evening: Evening
    memory: Memory = field(default_factory=Notebook)
    panel: Any = field(default_factory=FakePanel)
    clock: FakeClock = field(default_factory=FakeClock)
    speaker: FakeSpeaker = field(default_factory=FakeSpeaker)
    output: Any = None
    cards: bool = False
    seed: int = 0
    host_claim: str = ""
    discussion_minutes: float = 3
    music: bool = False

    def __post_init__(self) -> None:
        self.output = self.output or FakeOutput(self.clock)
        self.feed = Feed(self.evening, cards=self.cards)
        self.table = Table(self.evening, self.memory, self.feed)
        self.lights = PanelLights(self.panel, self.feed, self.table.trouble)
        self.announcer = Announcer(
            self.speaker,
            FakeSpeaker(),
            self.output,
            self.clock,
            self.table,
            self.feed,
            Pauses(),
            cards=self.cards,
            is_silent=isinstance(self.speaker, SilentSpeaker),
        )
        self.narrator = self.announcer.narrator
        self.switched_off = threading.Event()
        self.hosts: list[str] = []
        self.turned_away: list[str] = []
        self.clock_kept: list[bool] = []
        self.dice = Dice(random.Random(self.seed))  # noqa: S311 - a test, not a secret
        self.asking = Asking(self.table, self.narrator, self.feed, self.dice, self.clock)
        self.discussion = DiscussionClock(
            self.table, self.narrator, self.feed, self.discussion_minutes, remember=self.clock_kept.append
        )
        self.music_player = MusicPlayer(self.table, self.narrator, self.feed, is_on=self.music)
        self.presses = Presses(
            self.table,
            self.announcer,
            self.feed,
            self.dice,
            self.asking,
            BoxActions(
                switch_off=self.switched_off.set,
                turn_volume=self._turn,
                switch_clock=self.discussion.switch,
                turn_away=self.turned_away.append,
                remember_host=self.hosts.append,
            ),
            cards=self.cards,
            host_claim=self.host_claim,
        )
        self.answers: list[Future[Pressed]] = []
        self.volume = 10

    def start(self) -> Self:
        self.narrator.start()
        self.table.start((self.presses, self.asking, self.announcer, self.discussion, self.music_player))
        self.panel.listen(self._on_button)
        return self

    def close(self) -> None:
        self.narrator.close()
        self.table.close()
        self.lights.close()
        self.panel.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, *asked: Command) -> Future[Any]:
        return self.table.call(lambda: self.presses.submit(asked))

    def _turn(self, steps: int) -> int:
        self.volume += steps
        return self.volume

    def _on_button(self, event: ButtonEvent) -> None:
        self.answers.append(self.table.call(lambda: self.presses.take(event)))

    def press(self, button: Button, *, held: bool = False) -> Pressed:
        """Press a button of the fake panel, and return what came of it."""
        return self.take(ButtonEvent(button, Gesture.HOLD if held else Gesture.PRESS))

    def take(self, event: ButtonEvent) -> Pressed:
        """Let any gesture be taken, and the lights show what came of it."""
        pressed = self.table.call(lambda: self.presses.take(event)).result(5)
        self.lit()
        return pressed

    def lit(self) -> None:
        """Wait until the lights show what the box knows now."""
        version = self.feed.snapshot.version
        eventually(lambda: self.lights.shown_version >= version)

    @property
    def game(self) -> Any:
        return self.table.evening.game

    @property
    def caption(self) -> str:
        return self.feed.snapshot.caption

    def hearing(self) -> None:
        """Wait until the narrator has heard of everything that happened."""
        assert self.table.answers(10)
        heard = threading.Event()
        self.narrator._inbox.put(heard.set)
        assert heard.wait(5)

    def silence(self) -> None:
        """Wait until everything that happened has been said."""
        assert self.table.answers(10)
        silent = threading.Event()
        self.narrator.when_silent(silent.set)
        assert silent.wait(5)


def line(text: str, *, question: bool = False, language: Any = None, effect: Any = None, **more: Any) -> Line:
    """Return a line to say, whatever it is about."""
    made = Line(text, text, language or languages.load("en"), effect, question)
    return replace(made, **more) if more else made
