"""A box without a panel, a voice or a disk: the real rules behind the seam that the pages see."""

from __future__ import annotations

import random
import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from companion import languages
from companion.game import boards, commands, evening
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Phase, Policy, Role
from companion.history import History
from companion.machine.network import Whereabouts
from companion.panel.meanings import Pressed
from companion.panel.questions import Kind, Question
from companion.phones.limits import TurnedAway
from companion.table.snapshot import Feed
from companion.table.table import Decision
from hardware.gestures import whole_gesture
from hardware.panel import Button, ButtonEvent, Gesture, Light, Lights
from hardware.web import WebPanel

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.commands import Command
    from companion.languages import Language
    from companion.phones.box import Choice, Guard

T = TypeVar("T")


def done(value: T) -> Future[T]:
    """Return a future that has its value."""
    future: Future[T] = Future()
    future.set_result(value)
    return future


class FakeBox:
    """The real evening, decided at once on the thread that asks."""

    def __init__(
        self,
        *,
        web_panel: bool = True,
        address: str | None = "http://192.168.4.1:8080/",
        history: History | None = None,
    ) -> None:
        self.evening, _ = evening.opened()
        self.feed = Feed(self.evening)
        self.where = Whereabouts(address)
        self.panel = WebPanel() if web_panel else None
        self.at_panel: list[bool] = []
        self.former_claims: list[str] = []
        self.presses: list[tuple[str, bool]] = []
        self.chords: list[tuple[str, str]] = []
        self.submitted: list[Command] = []
        self.turned_away = TurnedAway()
        self.history = history or History(Path("/nowhere"), Path("/nowhere"))
        self.forgotten: list[str] = []
        self.deleted: list[int] = []
        self.names_heard: list[tuple[int, str]] = []
        self.samples_heard = 0
        self.meanwhile: list[Callable[[], object]] = []
        """What others do between the moment in which a page asks and the one in which it is decided, once."""
        self._lock = threading.RLock()

    def between(self) -> None:
        """Let the others go first."""
        while self.meanwhile:
            self.meanwhile.pop(0)()

    def submit(self, *report: Command, only_if: Guard | None = None) -> Future[Decision]:
        """Decide a report."""
        self.between()
        with self._lock:
            if only_if is not None and not only_if(self.feed.snapshot):
                return done(Decision(self.evening, refused=Refused(Refusal.NOT_NOW)))
            self.submitted.extend(report)
            try:
                entry = evening.decide(self.evening, report)
            except Refused as refused:
                return done(Decision(self.evening, refused=refused))
            if entry:
                self.evening = evening.evolve(self.evening, entry)
                self.feed.post(evening=self.evening)
                self._light_up()
            return done(Decision(self.evening, entry))

    def do(self, *report: Command) -> None:
        """Decide a report that has to be allowed."""
        refused = self.submit(*report).result().refused
        if refused is not None:
            raise refused

    def push(self, button: str, *, held: bool = False) -> Future[Pressed]:
        """Press or hold a button by its name."""
        return self.press(whole_gesture(Button(button), held))

    def press(self, event: ButtonEvent, only_if: Guard | None = None, *, at_panel: bool = True) -> Future[Pressed]:
        """Press a button, which plays the game on by the simplest table."""
        self.between()
        button, held = str(event.button), event.gesture is Gesture.HOLD
        with self._lock:
            if only_if is not None and not only_if(self.feed.snapshot):
                return done(Pressed(False, self.language("").refusals[Refusal.NOT_NOW]))
            if event.beside is not None:
                self.chords.append((str(event.beside), button))
                return done(Pressed(True, self.language("").say("volume", level=len(self.chords))))
            self.presses.append((button, held))
            self.at_panel.append(at_panel)
            report = self._meaning(button, held)
            decision = self.submit(*report).result() if report else None
            ok = decision is not None and decision.refused is None
            caption = self.say("standing", liberal=0, fascist=0, tracker=0) if ok else self._waiting()
            if decision is not None and decision.refused is not None:
                caption = self.language("").refusals[decision.refused.refusal]
            self.feed.post(caption=caption)
            return done(Pressed(ok, caption))

    def _meaning(self, button: str, held: bool) -> tuple[Command, ...]:
        phase = self.evening.game.phase
        yes = {"ja": True, "nein": False}.get(button)
        if button == "undo":
            return (commands.TakeBack(confirmed=True),)
        if button in ("liberal", "fascist"):
            policies = {Phase.LEGISLATIVE_SESSION, Phase.CHAOS}
            return (commands.EnactPolicy(Policy(button)),) if phase in policies else ()
        if yes and phase in (Phase.LOBBY, Phase.ASK, Phase.DEAL, Phase.NIGHT, Phase.GAME_OVER):
            return self._onwards(phase, held)
        if yes is not None and phase is Phase.ELECTION:
            return (commands.Vote(yes),)
        if yes is not None and phase is Phase.VETO:
            return (commands.AnswerVeto(yes),)
        return ()

    def _onwards(self, phase: Phase, held: bool) -> tuple[Command, ...]:
        reports: dict[Phase, Command] = {
            Phase.LOBBY: commands.DealRoles(self.roles()),
            Phase.DEAL: commands.BeginNight(regardless=held),
            Phase.NIGHT: commands.EndNight(),
            Phase.ASK: commands.BeginGame(1),
            Phase.GAME_OVER: commands.OpenLobby(),
        }
        return (reports[phase],)

    def roles(self) -> tuple[Role, ...]:
        """Return the same shuffled roles each time, so that a test knows them."""
        roles = list(boards.roles(self.evening.game.players))
        random.Random(7).shuffle(roles)  # noqa: S311 - a test wants the same deal each time
        return tuple(roles)

    def _light_up(self) -> None:
        if self.panel is None:
            return
        game = self.evening.game

        def row(lit: int, count: int) -> tuple[Light, ...]:
            return tuple(Light.ON if place < lit else Light.OFF for place in range(count))

        self.panel.show(
            Lights(
                row(game.liberal_policies, 5), row(game.fascist_policies, 6), row(game.election_tracker, 3), Light.SLOW
            )
        )

    def panel_picture(self) -> dict[str, object] | None:
        """Return the lights."""
        return None if self.panel is None else cast("dict[str, object]", self.panel.picture())

    def ask_for_host(self, player: int, claim: str) -> Future[int | None]:
        """Wait to be allowed."""
        return self._ask("host", player, claim)

    def ask_for_seat(self, player: int, claim: str, former_claim: str) -> Future[int | None]:
        """Wait to be allowed."""
        self.former_claims.append(former_claim)
        return self._ask("seat", player, claim)

    def ask_to_share(self, player: int, claim: str) -> Future[int | None]:
        """Wait to be allowed."""
        return self._ask("share", player, claim)

    def _ask(self, kind: Kind, player: int, claim: str) -> Future[int | None]:
        with self._lock:
            if self.feed.snapshot.question is not None:
                return done(None)
            self.feed.post(question=Question(kind, player, 37, claim))
            return done(37)

    def grant(self) -> None:
        """Allow what a phone asks."""
        with self._lock:
            question = self.feed.snapshot.question
            if question is None:
                raise AssertionError("nobody asked")
            self.feed.post(question=None)
            if question.kind == "host":
                self.feed.post(host=question.player)
            elif question.kind == "share":
                friend = self.evening.seating.claimed_by(question.claim)
                assert friend is not None
                self.do(commands.ShareSeat(question.player, friend.id))
            else:
                self.do(commands.HandOverSeat(question.player, question.claim))

    @property
    def where(self) -> Whereabouts:
        """Where phones find the box."""
        return self.feed.snapshot.where

    @where.setter
    def where(self, where: Whereabouts) -> None:
        self.feed.post(where=where)

    @property
    def address(self) -> str | None:
        """The address that phones open."""
        return self.where.address

    @address.setter
    def address(self, address: str | None) -> None:
        self.where = replace(self.where, address=address)

    def shuffle_seats(self, only_if: Guard) -> Future[Decision]:
        """Let everybody sit in the opposite order."""
        players = reversed(self.evening.seating.players)
        return self.submit(
            *(commands.MovePlayer(each.id, seat) for seat, each in enumerate(players, 1)), only_if=only_if
        )

    def choose(self, what: Choice, value: str, only_if: Guard) -> Future[bool]:
        """Show what was chosen."""
        allowed = only_if(self.feed.snapshot)
        if allowed:
            shown = {"pace": "pace", "teach": "teaches", "music": "music"}[what]
            self.feed.post(**{shown: value if what == "pace" else value == "on"})
        return done(allowed)

    def say_name(self, player: int, spoken: str, only_if: Guard) -> Future[bool]:
        """Note what is to be said."""
        allowed = only_if(self.feed.snapshot)
        if allowed:
            self.names_heard.append((player, spoken))
        return done(allowed)

    def say_sample(self, only_if: Guard) -> Future[bool]:
        """Count how often the voice is heard."""
        allowed = only_if(self.feed.snapshot)
        self.samples_heard += allowed
        return done(allowed)

    @property
    def voice_name(self) -> str:
        """The name of no voice."""
        return "Fake voice"

    def forget_name(self, name: str) -> bool:
        """Note that a name is to be forgotten."""
        self.forgotten.append(name)
        return True

    def delete_game(self, number: int) -> bool:
        """Note that a game is to be deleted."""
        self.deleted.append(number)
        return True

    def language(self, code: str) -> Language:
        """Return a language."""
        return languages.load(code or self.evening.seating.language)

    def say(self, key: str, **facts: object) -> str:
        """Return a line of the table's language."""
        return self.language("").say(key, **facts)

    def _waiting(self) -> str:
        phase = self.evening.game.phase
        return self.say("waiting_lobby", count=0) if phase is Phase.LOBBY else self.say(f"waiting_{phase}")


def main() -> None:
    """Serve a fake box, to look at the pages by hand."""
    from companion.phones.app import create_app  # noqa: PLC0415
    from companion.phones.server import Server  # noqa: PLC0415

    box = FakeBox()
    server = Server(create_app(box), "127.0.0.1", 0)
    box.address = f"http://127.0.0.1:{server.port}/"
    server.start()
    print(box.address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
