"""The room plays along: told by a real broker, never more than the table knows, and without a cost to the game."""

from __future__ import annotations

import json
import os
import queue
import shutil
import socket
import subprocess
import threading
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from companion.box.app import Companion
from companion.commands.demo.players import Company
from companion.game import boards, commands
from companion.game import evening as rulebook
from companion.game.vocabulary import Party, Phase, Role
from companion.machine.broker import BrokerAddress
from companion.room import broker
from companion.room.broker import Room, discovery
from companion.room.moments import Moment, moments, state
from companion.settings import Settings
from companion.table.snapshot import Feed, Snapshot
from hardware.panel import Button
from tests.support import FakeClock, FakeOutput, FakePanel, FakeSpeaker, after, begun, evening_of, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from companion.game.evening import Evening

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
TOPIC = "secret-hitler"


def free_port() -> int:
    """Return a port that is free at the moment."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Broker:
    """A real Mosquitto on a port of its own, and somebody who listens to everything."""

    def __init__(self, folder: Path, password: str = "") -> None:
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        lines = [f"listener {self.port} 127.0.0.1", "persistence false"]
        if password:
            passwords = folder / "passwords"
            passwords.touch(mode=0o600)
            subprocess.run(["mosquitto_passwd", "-b", str(passwords), "box", password], check=True, capture_output=True)
            lines.append(f"password_file {passwords}")
        self._config.write_text("\n".join([*lines, f"allow_anonymous {str(not password).lower()}", "user root", ""]))
        self.heard: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
        self._listener: Client | None = None
        self.start()

    def start(self) -> None:
        """Start the broker, and wait until it answers."""
        assert MOSQUITTO
        self._process = subprocess.Popen(
            [MOSQUITTO, "-c", str(self._config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

        def answers() -> bool:
            with suppress(OSError), closing(socket.create_connection(("127.0.0.1", self.port), 1)):
                return True
            return False

        eventually(answers)

    def listen(self) -> None:
        """Hear everything that is published from now on, and what was kept before."""
        client = Client(CallbackAPIVersion.VERSION2)
        client.on_message = lambda _client, _data, message: self.heard.put(
            (message.topic, message.payload, message.retain)
        )
        subscribed = threading.Event()
        client.on_subscribe = lambda *_: subscribed.set()
        # Anew with each connection: a broker that was started again knows nobody.
        client.on_connect = lambda listener, *_: listener.subscribe("#")
        client.connect("127.0.0.1", self.port)
        client.loop_start()
        assert subscribed.wait(10)
        self._listener = client

    def next(self, topic: str) -> str:
        """Return what is published next on a topic."""
        while True:
            heard, payload, _ = self.heard.get(timeout=20)
            if heard == f"{TOPIC}/{topic}":
                return payload.decode()

    def stop(self) -> None:
        """End the broker."""
        self._process.terminate()
        self._process.wait(10)

    def close(self) -> None:
        """End everything."""
        if self._listener is not None:
            self._listener.disconnect()
            self._listener.loop_stop()
        self.stop()


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Broker]:
    """A broker that somebody listens to."""
    if MOSQUITTO is None:
        pytest.skip("there is no mosquitto")
    with closing(Broker(tmp_path)) as started:
        started.listen()
        yield started


@contextmanager
def room_at(port: int, evening: Evening, user: str = "") -> Iterator[Feed]:
    """Let a room be told of an evening."""
    feed = Feed(evening)
    room = Room(feed, BrokerAddress.parse(f"mqtt://{user}127.0.0.1:{port}"), TOPIC)
    room.start()
    try:
        yield feed
    finally:
        room.close()
        feed.close()


def snapshot(evening: Evening, **more: bool) -> Snapshot:
    """Return what a table shows."""
    return Snapshot(evening, **more)  # type: ignore[arg-type]


def test_the_broker_is_told_what_the_table_sees(mosquitto: Broker) -> None:
    """State and moments, in order; online while the box is there, and offline when it has gone."""
    table = begun(evening_of(7))
    with room_at(mosquitto.port, table) as feed:
        assert mosquitto.next("availability") == "online"
        assert json.loads(mosquitto.next("state"))["fascist_policies"] == 0
        table = after(table, commands.Vote(elected=True))
        table = after(table, commands.EnactPolicy(Party.FASCIST))
        feed.post(evening=table)
        assert json.loads(mosquitto.next("event")) == {"event_type": "fascist_policy"}
        assert json.loads(mosquitto.next("state"))["fascist_policies"] == 1
    assert mosquitto.next("availability") == "offline"


def test_home_assistant_finds_the_box_by_itself(mosquitto: Broker) -> None:
    """Each thing is announced once, kept by the broker, with the topics that the box really uses."""
    with room_at(mosquitto.port, evening_of(5)):
        announced: dict[str, dict[str, object]] = {}
        while len(announced) < len(discovery(TOPIC, socket.gethostname())):
            topic, payload, _ = mosquitto.heard.get(timeout=20)
            if topic.startswith("homeassistant/"):
                announced[topic] = json.loads(payload)
    assert announced == discovery(TOPIC, socket.gethostname())
    assert len({content["unique_id"] for content in announced.values()}) == len(announced)
    for content in announced.values():
        assert content["state_topic"] in (f"{TOPIC}/state", f"{TOPIC}/event")
    (event,) = (content for topic, content in announced.items() if "/event/" in topic)
    assert event["event_types"] == [str(moment) for moment in Moment]


def test_a_broker_that_comes_late_or_back_is_told_again(mosquitto: Broker) -> None:
    """What stands is told when it is there again; what happened meanwhile is not told late."""
    table = begun(evening_of(5))
    with room_at(mosquitto.port, table) as feed:
        assert mosquitto.next("availability") == "online"
        mosquitto.stop()
        table = after(table, commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
        feed.post(evening=table)
        mosquitto.start()
        seen: list[tuple[str, bytes, bool]] = []

        def told() -> bool:
            with suppress(queue.Empty):
                seen.append(mosquitto.heard.get(timeout=0.2))
            return any(topic.endswith("/state") and b'"liberal_policies": 1' in text for topic, text, _ in seen)

        eventually(told, 60)
        assert not any(topic.endswith("/event") for topic, _, _ in seen)


def test_a_password_is_used_and_never_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The right one is let in; of a wrong one the log says that it was refused, and not what it was."""
    if MOSQUITTO is None:
        pytest.skip("there is no mosquitto")
    with closing(Broker(tmp_path, "open sesame")) as guarded:
        with room_at(guarded.port, evening_of(5), "box:open%20sesame@"):
            eventually(lambda: _kept(guarded.port) == "online")
        with room_at(guarded.port, evening_of(5), "box:knock-knock@"):
            eventually(lambda: "refuses" in caplog.text)
    assert "knock" not in caplog.text
    assert "sesame" not in caplog.text
    assert "knock" not in repr(BrokerAddress.parse("mqtt://box:knock-knock@host"))


def _kept(port: int) -> str:
    """Return what the broker keeps of whether the box is there."""
    found: queue.Queue[str] = queue.Queue()
    client = Client(CallbackAPIVersion.VERSION2)
    client.username_pw_set("box", "open sesame")
    client.on_message = lambda _client, _data, message: found.put(message.payload.decode())
    client.connect("127.0.0.1", port)
    client.subscribe(f"{TOPIC}/availability")
    client.loop_start()
    try:
        return found.get(timeout=5)
    except queue.Empty:
        return ""
    finally:
        client.disconnect()
        client.loop_stop()


def games(players: int, seed: int) -> list[tuple[Evening, Evening]]:
    """Return a game of made-up people, report by report, as evenings before and after."""
    from random import Random  # noqa: PLC0415

    chance = Random(seed)  # noqa: S311 - no secret
    roles = list(boards.roles(players))
    chance.shuffle(roles)
    table = after(evening_of(players), commands.DealRoles(tuple(roles)))
    company, pairs = Company(chance), []
    reports = [commands.BeginNight(regardless=True), commands.EndNight(), commands.BeginGame(1)]
    while table.game.phase is not Phase.GAME_OVER:
        command = reports.pop(0) if reports else company.next(table.game)
        before, table = table, rulebook.evolve(table, rulebook.decide(table, [command]))
        pairs.append((before, table))
    return pairs


@pytest.mark.parametrize("players", boards.PLAYER_COUNTS)
def test_every_moment_of_a_game_is_told_once(players: int) -> None:
    """Both boards, executions and the end add up; nothing is told of a report that changes none of it."""
    for seed in range(20):
        pairs = games(players, seed)
        told = [moment for before, later in pairs for moment in moments(snapshot(before), snapshot(later))]
        end = pairs[-1][1].game
        assert told.count(Moment.LIBERAL_POLICY) == end.liberal_policies
        assert told.count(Moment.FASCIST_POLICY) == end.fascist_policies
        assert told.count(Moment.EXECUTION) == len(end.executed)
        assert told[:3] == [Moment.EYES_CLOSE, Moment.EYES_OPEN, Moment.GAME_BEGINS]
        won = Moment.LIBERALS_WIN if end.winner is Party.LIBERAL else Moment.FASCISTS_WIN
        assert told.count(won) == 1


def test_what_is_taken_back_is_no_moment() -> None:
    """A board that loses a policy again flashes nothing; a night that is paused opens eyes."""
    table = begun(evening_of(5))
    enacted = after(table, commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    back = after(enacted, commands.TakeBack())
    assert list(moments(snapshot(enacted), snapshot(back))) == []
    night = after(evening_of(5), commands.BeginNight())
    assert list(moments(snapshot(night), snapshot(night, night_paused=True))) == [Moment.EYES_OPEN]


def test_two_deals_of_one_game_are_told_in_the_same_bytes() -> None:
    """Until the end of the game nothing that is sent depends on who is who: neither state nor moments."""
    hands = [boards.roles(7), tuple(reversed(boards.roles(7)))]
    sent = []
    for hand in hands:
        table = after(evening_of(7), commands.DealRoles(hand))
        table = after(table, commands.BeginNight(regardless=True))
        table = after(table, commands.EndNight())
        table = after(table, commands.BeginGame(1))
        shown, lines = snapshot(table), []
        for report in (
            [commands.Nominate(2), commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST)],
            [commands.Vote(elected=False)],
            [commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL)],
        ):
            table = after(table, *report)
            newer = snapshot(table)
            lines += [json.dumps(state(newer)), *map(str, moments(shown, newer))]
            shown = newer
        sent.append(lines)
    assert sent[0] == sent[1]
    words = " ".join(sent[0])
    assert not any(f'"{role}"' in words for role in (Role.HITLER,))
    assert "Anna" not in words


@pytest.mark.parametrize("kind", ["gone", "hangs", "talks rubbish"])
def test_a_broker_that_does_not_work_costs_the_game_nothing(kind: str, tmp_path: Path) -> None:
    """A whole box: presses are answered, and it closes within its two seconds."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        if kind != "gone":
            door.listen(5)
        over = threading.Event()

        def answer() -> None:
            door.settimeout(0.2)
            while not over.is_set():
                with suppress(OSError):
                    guest, _ = door.accept()
                    if kind == "talks rubbish":
                        guest.sendall(os.urandom(64))
                    over.wait(5)
                    guest.close()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        clock = FakeClock()
        settings = Settings(
            state_dir=tmp_path / "state",
            cache_dir=tmp_path / "cache",
            host="127.0.0.1",
            port=0,
            room_broker=f"mqtt://127.0.0.1:{door.getsockname()[1]}",
        )
        box = Companion(settings, clock=clock, speaker=FakeSpeaker(), output=FakeOutput(clock), panel=FakePanel())
        try:
            box.open()
            for _ in range(3):
                box.press(_press(Button.LIBERAL)).result(5)
            assert box.feed.snapshot.evening.game.players == 8
        finally:
            box.close()
            over.set()
            thread.join(10)


def _press(button: Button) -> object:
    from hardware.gestures import whole_gesture  # noqa: PLC0415

    return whole_gesture(button, held=False)


def test_a_box_without_the_library_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And plays on without a word to the room."""

    def missing(*_: object) -> None:
        raise ImportError

    monkeypatch.setattr("companion.box.app.Room", missing)
    clock = FakeClock()
    settings = Settings(
        state_dir=tmp_path / "state", cache_dir=tmp_path / "c", host="127.0.0.1", port=0, room_broker="mqtt://nowhere"
    )
    box = Companion(settings, clock=clock, speaker=FakeSpeaker(), output=FakeOutput(clock), panel=FakePanel())
    box.close()
    assert broker.MISSING in caplog.text


@pytest.mark.parametrize(
    "text", ["broker.local", "http://broker.local", "mqtt://", "mqtt://host/path", "mqtt://host:99999", "mqtt://:1883"]
)
def test_what_is_no_address_is_refused_without_being_told(text: str) -> None:
    """The reason holds nothing of it: there may be a password in it."""
    with pytest.raises(ValueError, match="broker") as refused:
        BrokerAddress.parse(text)
    assert "broker.local/" not in str(refused.value)


def test_an_address_in_full() -> None:
    """With a name, a word with signs in it, and the port of encrypted ones."""
    plain, safe = BrokerAddress.parse("mqtt://a:b%40c@host:1"), BrokerAddress.parse("mqtts://host")
    assert (plain.user, plain.password, plain.host, plain.port, plain.encrypted) == ("a", "b@c", "host", 1, False)
    assert (safe.port, safe.encrypted) == (8883, True)
