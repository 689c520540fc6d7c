"""A real box on a real server, with a clock, a voice and a loudspeaker of the test's, and phones that call it."""

from __future__ import annotations

import http.client
import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from companion.box.app import Companion
from companion.game.vocabulary import Role
from companion.machine.dice import Dice
from companion.settings import Settings
from tests.support import FakeClock, FakeOutput, FakeSpeaker, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

L, F, H = Role.LIBERAL, Role.FASCIST, Role.HITLER
DEAL = (L, F, H, L, F, L, L)


class LoadedDice(Dice):
    """Dice that fall as the test wants."""

    def __init__(self, deals: list[tuple[Role, ...]], first: int) -> None:
        super().__init__()
        self._deals = deals
        self._first = first

    def roles(self, players: int) -> tuple[Role, ...]:
        deal = self._deals.pop(0) if len(self._deals) > 1 else self._deals[0]
        assert len(deal) == players
        return deal

    def first(self, players: int) -> int:
        assert self._first <= players
        return self._first


@dataclass(frozen=True)
class Answer:
    """What the server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Phone:
    """A browser with a cookie jar for one cookie. Keeps everything that it was ever answered."""

    port: int
    name: str = ""
    cookie: str = ""
    source: str = "127.0.0.1"
    answers: list[tuple[str, Answer]] = field(default_factory=list)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20, source_address=(self.source, 0))
        try:
            sent = {key.replace("_", "-"): value for key, value in headers.items()}
            if self.cookie:
                sent["Cookie"] = self.cookie
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            answer = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()
        given = answer.headers.get("set-cookie")
        if given:
            self.cookie = given.partition(";")[0]
        self.answers.append((f"{method} {path}", answer))
        return answer

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def post(self, path: str, **content: object) -> Answer:
        return self.ask("POST", path, json.dumps(content).encode(), Content_Type="application/json")

    def join(self, name: str) -> Answer:
        """Open the page, type a name, send the form: as a browser does."""
        self.name = name
        self.get("/")
        form = urlencode({"name": name}).encode()
        return self.ask("POST", "/join", form, Content_Type="application/x-www-form-urlencoded")


@dataclass
class RunningBox:
    """A box that runs, and everything by which it is watched."""

    companion: Companion
    clock: FakeClock
    speaker: FakeSpeaker
    output: FakeOutput

    @property
    def port(self) -> int:
        return self.companion.port

    def phone(self) -> Phone:
        return Phone(self.port)

    def phones(self, *names: str) -> list[Phone]:
        """Let people join one after the other."""
        phones = [self.phone() for _ in names]
        for phone, name in zip(phones, names, strict=True):
            assert phone.join(name).status == 303
            if not self.clock.standing:
                self.silence()
        return phones

    def table(self) -> Any:
        return self.phone().get("/api/table").json

    def press(self, button: str, *, held: bool = False) -> Any:
        """Press a button on the panel's page."""
        answer = self.phone().post("/api/panel", button=button, held=held)
        assert answer.status == 200
        return answer.json

    def reaches_any(self, *phases: str) -> str:
        """Wait until the table is in one of several phases, and return which."""
        return eventually(lambda: (state := self.table())["phase"] in phases and state["phase"], 20)

    def reaches(self, phase: str) -> Any:
        """Wait until the table is in a phase, and return its state."""
        return eventually(lambda: (state := self.table())["phase"] == phase and state, 20)

    def shows(self, caption: str) -> None:
        """Wait until the table page shows a caption."""
        assert eventually(lambda: self.table()["caption"] == caption, 20), caption

    def silence(self) -> None:
        """Wait until nothing is left to be said."""
        silent = threading.Event()
        assert self.companion._table.answers(20)
        self.companion._announcer.narrator.when_silent(silent.set)
        assert silent.wait(20)

    def sentence(self, key: str, **facts: object) -> str:
        return self.companion.language("").say(key, **facts)


@contextmanager
def running(
    state_dir: Path,
    *,
    deals: list[tuple[Role, ...]] | None = None,
    first: int = 1,
    standing: bool = False,
    **settings: Any,
) -> Iterator[RunningBox]:
    """Run a box on a free port of this machine."""
    clock, speaker = FakeClock(standing=standing), FakeSpeaker()
    output = FakeOutput(clock)
    chosen = Settings(
        host="127.0.0.1", port=0, panel="web", state_dir=state_dir, cache_dir=state_dir / "cache", **settings
    )
    companion = Companion(
        chosen, clock=clock, dice=LoadedDice(list(deals or [DEAL]), first), speaker=speaker, output=output
    )
    try:
        companion.open()
        companion.learn()
        yield RunningBox(companion, clock, speaker, output)
    finally:
        companion.close()


STAMP = re.compile(rb"[0-9a-f]{8}-v?\d+")
VERSION = re.compile(rb'"version":\s*\d+')


def comparable(answer: Answer) -> tuple[int, bytes, dict[str, str]]:
    """Return what of an answer may not depend on the deal: all but the moment, the stamps and the cookie."""
    body = VERSION.sub(b'"version":0', STAMP.sub(b"stamp", answer.body))
    headers = {key: value for key, value in answer.headers.items() if key not in {"date", "set-cookie", "etag"}}
    # The version grows by a digit now and then.
    headers.pop("content-length", None)
    return answer.status, body, headers
