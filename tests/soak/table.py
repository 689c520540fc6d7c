"""A table that plays for days: fingers on mock pins, phones over real sockets, and a clock that waits for nobody."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import socket
from typing import TYPE_CHECKING, Any

from gpiozero.pins.mock import MockFactory

from companion import languages
from companion.box.app import Companion
from companion.game import commands
from companion.game.vocabulary import Phase, PresidentialPower
from companion.machine.dice import Dice
from companion.settings import Settings
from hardware.boards import load_board
from hardware.gpio import GpioPanel
from hardware.panel import HOLD_SECONDS, Button
from tests.support import FakeClock, eventually
from tests.support_sound import GongSpeaker

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from companion.narrator.sound import Clip, Track
    from hardware.panel import ButtonEvent, Lights

SEATS = 10
PRESS_SECONDS = 30.0
"""Between two presses at a table that talks, thinks and votes in between."""

_PATIENCE_SECONDS = 30.0
_LIBERAL, _FASCIST, _JA, _NEIN, _REPEAT, _UNDO = Button
_TURNED_AWAY = http.client.TOO_MANY_REQUESTS


class Silence:
    """A loudspeaker that remembers nothing: what grows has to be the box."""

    trouble = ""

    def play(self, clip: Clip, track: Track, *, loop: bool = False) -> None:
        """Be heard by nobody."""

    def stop(self, track: Track) -> None:
        """Be silent."""

    def set_volume(self, track: Track, volume: float, fade_seconds: float = 0.0) -> None:
        """Silence has no volume."""

    def turn_to(self, step: int) -> None:
        """Nor has the box."""

    def close(self) -> None:
        """Hold nothing back."""


class CountedPanel:
    """The real panel on mock pins, which counts what has arrived."""

    def __init__(self, panel: GpioPanel) -> None:
        self._panel = panel
        self.arrived = 0

    def listen(self, callback: Callable[[ButtonEvent], None]) -> None:
        """Report to `callback`, and count."""

        def heard(event: ButtonEvent) -> None:
            callback(event)
            self.arrived += 1

        self._panel.listen(heard)

    @property
    def down(self) -> tuple[Button, ...]:
        """The buttons that the panel takes to be down."""
        return self._panel._recogniser.down

    def show(self, lights: Lights) -> None:
        """Make the lights so."""
        self._panel.show(lights)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._panel, name)


class SoakPhone:
    """A phone with one connection for pages and one for its stream, from an address of its own."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port
        self._source = (f"127.{1 + number // 60_000}.{number // 250 % 240}.{1 + number % 250}", 0)
        self._pages = self._opened()
        self._stream: socket.socket | None = None
        self.cookie = ""

    def _opened(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(
            "127.0.0.1", self._port, timeout=_PATIENCE_SECONDS, source_address=self._source
        )

    def ask(self, method: str, path: str, **content: object) -> int:
        """Send a request and return the status of the answer."""
        for attempt in range(2):
            try:
                body = json.dumps(content) if method == "POST" else None
                self._pages.request(method, path, body, {"Content-Type": "application/json", "Cookie": self.cookie})
                answer = self._pages.getresponse()
                answer.read()
                break
            except (OSError, http.client.HTTPException):
                # A connection that rested for long has been closed by the box, as a browser knows.
                self._pages.close()
                if attempt:
                    raise
        if given := (answer.headers["Set-Cookie"] or "").partition(";")[0]:
            self.cookie = given
        return answer.status

    def listen(self) -> None:
        """Open the stream anew, as after a sleep."""
        self.sleep()
        self._stream = socket.create_connection(
            ("127.0.0.1", self._port), _PATIENCE_SECONDS, source_address=(self._source[0], 0)
        )
        self._stream.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.cookie}\r\n\r\n".encode())
        heard = b""
        while b": here" not in heard and (more := self._stream.recv(4096)):
            heard += more
        self._stream.setblocking(False)

    def read(self) -> None:
        """Take what has come by the stream; open it again where the box has ended it."""
        if self._stream is not None:
            with contextlib.suppress(BlockingIOError):
                while self._stream.recv(65_536):
                    pass
                self.listen()

    def sleep(self) -> None:
        """Let go of the stream without a word."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        """Leave the room."""
        self.sleep()
        self._pages.close()


class SoakTable:
    """A box with ten people around it, who play until they are told to stop."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._chance = chance
        self._factory, self._touch = MockFactory(), FakeClock()
        self._board = load_board("default")
        self.panel = CountedPanel(GpioPanel(self._board, self._factory, self._touch))
        settings = Settings(state_dir=folder / "state", cache_dir=folder / "cache", host="127.0.0.1", port=0)
        self.box = Companion(
            settings,
            clock=FakeClock(),
            dice=Dice(chance),
            speaker=GongSpeaker(),
            output=Silence(),
            panel=self.panel,
        )
        self.box.open()
        self.box.learn()
        self._numbers = itertools.count()
        self._phones: list[SoakPhone] = []
        self.seconds = 0.0
        self.games = self.presses = self.requests = self.arrivals = 0
        while len(self._phones) < SEATS:
            self._arrive()

    def close(self) -> None:
        """Send everybody home."""
        for phone in self._phones:
            phone.close()
        self.box.close()
        self._factory.close()

    @property
    def game(self) -> Any:
        """The game as it stands."""
        return self.box.feed.snapshot.evening.game

    def settle(self) -> None:
        """Let every phone be awake and connected, so that two moments can be compared."""
        self.box.submit().result(_PATIENCE_SECONDS)
        for phone in self._phones:
            assert phone.ask("GET", "/") == http.client.OK
            phone.listen()
        # A mock pin keeps every state that it ever had, which no real one does.
        for pin in self._factory.pins.values():
            pin.clear_states()

    def step(self) -> None:
        """Let half a minute pass: phones do what phones do, and somebody presses a button."""
        self.seconds += PRESS_SECONDS
        self._phones_stir()
        match self.game.phase:
            case Phase.LOBBY:
                self._press(_JA)
            case Phase.DEAL:
                for phone in self._phones:
                    self._ask(phone, "POST", "/api/me/role")
                self._press(_JA, held=True)
            case Phase.NIGHT:
                self._through_the_night()
            case Phase.GAME_OVER:
                self.games += 1
                self._people_change()
                self._press(_JA)
            case Phase.EXECUTIVE_ACTION if self.game.pending_power is not PresidentialPower.POLICY_PEEK:
                for _ in range(self._chance.randrange(1, 4)):
                    self._press(self._chance.choice((_LIBERAL, _FASCIST)))
                self._hear_out()
                self._press(_JA)
            case phase:
                self._press_something(phase)

    def _press_something(self, phase: Phase) -> None:
        if self._chance.random() < 0.08 and phase is not Phase.ASK:
            self._press(_UNDO)
        elif self._chance.random() < 0.05:
            self._press(_REPEAT, held=self._chance.random() < 0.5)
        elif phase is Phase.LEGISLATIVE_SESSION and self.game.veto_unlocked and self._chance.random() < 0.3:
            self._press(_NEIN, held=True)
        else:
            answers = {
                Phase.ELECTION: (_JA, _NEIN, _LIBERAL, _FASCIST),
                Phase.HITLER_CHECK: (_NEIN,) * 9 + (_JA,),
                Phase.LEGISLATIVE_SESSION: (_LIBERAL, _FASCIST),
                Phase.CHAOS: (_LIBERAL, _FASCIST),
                Phase.VETO: (_JA, _NEIN),
            }
            self._press(self._chance.choice(answers.get(phase, (_JA,))))

    def _through_the_night(self) -> None:
        if self._chance.random() < 0.3:
            self._press(_NEIN)
            self._press(_JA)
        eventually(lambda: self.game.phase is not Phase.NIGHT, _PATIENCE_SECONDS)

    def _hear_out(self) -> None:
        """Wait until the name on offer has been said: nobody is chosen unheard."""
        eventually(lambda: self.box._announcer.name_said, _PATIENCE_SECONDS)

    def _people_change(self) -> None:
        """Between two games somebody goes home, somebody comes, and the table may want another language."""
        self.box.submit(commands.OpenLobby()).result(_PATIENCE_SECONDS)
        leaving = self._chance.randrange(4)
        for _ in range(leaving):
            seat = self._chance.randrange(len(self._phones))
            player = self.box.feed.snapshot.evening.seating.players[seat]
            decided = self.box.submit(commands.RemovePlayer(player.id)).result(_PATIENCE_SECONDS)
            assert decided.refused is None
            self._phones.pop(seat).close()
        while len(self._phones) < SEATS:
            self._arrive()
        if self._chance.random() < 0.5:
            code = self._chance.choice(languages.codes())
            self.box.submit(commands.ChooseLanguage(code)).result(_PATIENCE_SECONDS)

    def _arrive(self) -> None:
        number = next(self._numbers)
        phone = SoakPhone(self.box.port, number)
        assert phone.ask("GET", "/") == http.client.OK
        assert phone.ask("POST", "/join", name=f"Guest {number}") == http.client.SEE_OTHER
        phone.listen()
        self._phones.append(phone)
        self.arrivals += 1

    def _phones_stir(self) -> None:
        for phone in self._phones:
            phone.read()
        for phone in self._chance.sample(self._phones, 2):
            self._ask(phone, "GET", self._chance.choice(("/", "/api/me", "/api/table", "/table", "/healthz")))
        sleeper = self._chance.choice(self._phones)
        sleeper.sleep()
        if self._chance.random() < 0.8:
            sleeper.listen()

    def _ask(self, phone: SoakPhone, method: str, path: str) -> None:
        status = phone.ask(method, path)
        # A table that plays a day in minutes asks faster than any phone may.
        assert status in (http.client.OK, _TURNED_AWAY), f"{method} {path}: {status}"
        self.requests += 1

    def _press(self, button: Button, *, held: bool = False) -> None:
        """Put a finger on a pin, and wait until the box has decided what it means."""
        pin, before = self._factory.pin(self._board.buttons[button]), self.panel.arrived
        self._touch.go(0.1)
        pin.drive_low()
        if held:
            self._touch.go(HOLD_SECONDS[button] + 0.01)
            eventually(lambda: self.panel.arrived > before, _PATIENCE_SECONDS)
        else:
            self._touch.go(0.08)
        pin.drive_high()
        # Here time passes faster than threads run: a press that was seen late looks like a bounce, which only more time
        # tells from one.
        eventually(lambda: self._touch.go(0.01) or self.panel.arrived > before, _PATIENCE_SECONDS)
        eventually(lambda: button not in self.panel.down, _PATIENCE_SECONDS)
        self._touch.go(0.1)
        self.box.submit().result(_PATIENCE_SECONDS)
        self.presses += 1
