"""A whole game of ten phones on a real box: every byte that anybody got is searched for what it must not hold.

Role words stand in rules and captions too, so here every word that only a card may say is one that stands nowhere else.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import socket
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from companion import languages
from companion.game.vocabulary import Role
from companion.phones.limits import Limit
from tests.evening.boxes import running
from tests.phones.table import NAMES
from tests.support import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from companion.languages import Language
    from tests.evening.boxes import Answer, Phone, RunningBox

L, F, H = Role.LIBERAL, Role.FASCIST, Role.HITLER
TEN = (L, F, H, L, F, L, L, F, L, L)
HITLER = 3
CARDS = ("role", "membership", "investigations")
PAGES = ("/", "/api/me", "/api/table", "/table", "/panel", "/api/panel", "/host", "/healthz", "/static/page.js")
ROLE_WORDS = frozenset(map(str, Role))


def _marked(language: Language) -> Language:
    """Return a language whose cards speak in words that are found nowhere else."""
    terms = {**language.terms, **{str(role): f"term-{role}-mark" for role in Role}}
    only_cards = re.compile(r"(goal|knows)_(liberal|fascist|hitler)")
    page = {key: f"{key}-mark" if only_cards.match(key) else text for key, text in language.page.items()}
    return replace(language, terms=terms, page=page)


@pytest.mark.parametrize("night_on", ["voice", "phones"])
def test_a_whole_game_tells_nobody_what_is_not_theirs(
    night_on: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Ten clients and a screen on the table, the log at its finest, standard output, and every text that is spoken."""
    caplog.set_level(logging.DEBUG)
    load = languages.load
    monkeypatch.setattr(languages, "load", lambda code: _marked(load(code)))
    with running(tmp_path, deals=[TEN], first=1, night_on=night_on) as box, ExitStack() as lines:
        phones = box.phones(*NAMES)
        screen = box.phone()
        # The whole evening takes seconds here: nobody is to be asked to wait for having looked so often.
        extensions = box.companion._server._app.extensions
        extensions["phones"] = replace(extensions["phones"], looks=Limit(10_000, 1))
        streams = [lines.enter_context(_stream(phone)) for phone in (*phones, screen)]
        _look_around(box, phones, screen)
        box.press("ja")
        _look_around(box, phones, screen)
        box.press("ja")
        box.reaches("ask")
        _look_around(box, phones, screen)
        box.press("ja")
        _play(box, phones, screen)
        before = [len(phone.answers) for phone in (*phones, screen)]
        spoken, logged, printed = list(box.speaker.asked), _logged(caplog), capfd.readouterr()
        _look_around(box, phones, screen, over=True)
        heard = [_heard(stream) for stream in streams]
        _search_answers(phones, screen, before, night_on)
        fascists_cards = [answer for asked, answer in phones[4].answers[: before[4]] if asked == "POST /api/me/role"]
        assert any(NAMES[1] in answer.text for answer in fascists_cards) is (night_on == "phones")

        # The search finds what is there: now that the game is over, the table sees every role.
        assert screen.get("/api/table").json["roles"] == [str(role) for role in TEN]
        assert "term-hitler-mark" in screen.get("/table").text

    secrets = [phone.cookie.partition("=")[2] for phone in phones]
    claims = [hashlib.sha256(secret.encode()).hexdigest() for secret in secrets]
    for text in (*map(str, spoken), *logged, printed.out, printed.err):
        assert "-mark" not in text
        assert not any(secret in text for secret in (*secrets, *claims))
    assert any("Fascist policies" in str(text) for text in spoken)
    for told in heard:
        assert told.count(b"data: ") > 10
        assert re.fullmatch(rb"(: here|data: \d+|[0-9A-F]+|\s)*", told.partition(b"\r\n\r\n")[2]), told[-200:]


def _play(box: RunningBox, phones: list[Phone], screen: Phone) -> None:
    """Play until Hitler is shot: Fascist policies only, every choice on the phone of whoever has it."""
    powers = []
    while (state := box.table())["phase"] != "game_over":
        president = phones[state["president"] - 1]
        if state["phase"] == "election":
            # Hitler is never named, so that nothing but a bullet ends this game.
            chancellor = next(seat for seat in state["eligible_chancellors"] if seat != HITLER)
            assert president.post("/me/nominate", chancellor=chancellor).status == 200
            assert box.press("ja")["ok"]
        elif state["phase"] == "legislative_session":
            assert box.press("fascist")["ok"]
        else:
            assert state["phase"] == "executive_action", state
            powers.append(state["pending_power"])
            target = HITLER if powers.count("execution") == 2 else state["eligible_targets"][-1]
            assert president.post("/me/power", player=target).status == 200
        # What the box tells out of the roles is said before it is shown.
        box.silence()
        eventually(lambda: not box.companion._table.withholds)
        if box.table()["phase"] != "game_over":
            _look_around(box, phones, screen)
    assert powers == ["investigate_loyalty"] * 2 + ["call_special_election"] + ["execution"] * 2


def _look_around(box: RunningBox, phones: list[Phone], screen: Phone, *, over: bool = False) -> None:
    """Everybody opens everything, looks at their own cards, and asks for their neighbour's."""
    box.silence()
    dealt = box.table()["phase"] != "lobby"
    for seat, phone in enumerate((*phones, screen), 1):
        for path in PAGES:
            phone.get(path)
        own = phone is not screen
        for card in CARDS if dealt and not over else ():
            assert phone.post(f"/api/me/{card}").status == (200 if own else 401)
        assert phone.post("/api/me/role", seat=seat % 10 + 1).status == (403 if own else 401)


def _search_answers(phones: list[Phone], screen: Phone, before: list[int], night_on: str) -> None:
    """Search what everybody got up to the end of the game."""
    secrets = [phone.cookie.partition("=")[2].encode() for phone in phones]
    claims = [hashlib.sha256(secret).hexdigest().encode() for secret in secrets]
    own_cards = 0
    for seat, (phone, count) in enumerate(zip((*phones, screen), before, strict=True), 1):
        for asked, answer in phone.answers[:count]:
            everything = answer.body + "\n".join(map("%s: %s".__mod__, answer.headers.items())).encode()
            others = [secret for number, secret in enumerate(secrets, 1) if number != seat]
            assert not any(each in everything for each in (*others, *claims)), asked
            assert secrets[seat - 1 : seat] == [] or secrets[seat - 1] not in answer.body, asked
            if answer.status == 200 and asked.removeprefix("POST /api/me/") in CARDS:
                own_cards += 1
                _search_card(seat, asked.removeprefix("POST /api/me/"), answer, night_on)
                continue
            assert b"-mark" not in everything, asked
            # A row of the table has a party's colour only once the game is over.
            assert not re.search(
                rb'<li class="(gone |yours |leads |seconds |offered )*(liberal|fascist)', answer.body
            ), asked
            if answer.headers.get("content-type", "").startswith("application/json"):
                assert not ROLE_WORDS.intersection(map(str, _values(answer.json))), asked
    assert own_cards > 10 * len(CARDS) * 10


def _search_card(seat: int, kind: str, answer: Answer, night_on: str) -> None:
    """A card says the own role, the own party, or the party of somebody whom this player has investigated."""
    role = TEN[seat - 1]
    marks = set(re.findall(rb"[a-z_-]+-mark", answer.body))
    content = json.loads(answer.body)
    party = f"term-{role.party}-mark".encode()
    assert len(answer.body) == 4096
    if kind == "membership":
        assert marks == {party}
    elif kind == "investigations":
        seen = {(each["seat"], each["party"]) for each in content["seen"]}
        assert seen <= {(other, str(TEN[other - 1].party)) for other in range(1, 11) if other != seat}
        assert marks == {f"term-{each}-mark".encode() for _, each in seen}
    else:
        knows = "fascist_many" if role is F else "hitler_many" if role is H else "liberal"
        own = {f"term-{role}-mark".encode(), party, f"goal_{role}-mark".encode(), f"knows_{knows}-mark".encode()}
        named = {name for name in NAMES if name in answer.text}
        allies = {name for name, other in zip(NAMES, TEN, strict=True) if other is not L} - {NAMES[seat - 1]}
        if role is F and night_on == "phones" and named:
            assert (named, marks - own) == (allies, {b"term-hitler-mark"})
        else:
            assert (named, marks) == (set(), own)


def _values(content: Any) -> list[Any]:
    """Return every value in a JSON answer, whatever it is in."""
    if isinstance(content, dict):
        return [value for each in content.values() for value in _values(each)]
    if isinstance(content, list):
        return [value for each in content for value in _values(each)]
    return [content]


def _logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [f"{record.name} {record.getMessage()} {record.exc_text or ''}" for record in caplog.records]


def _stream(phone: Phone) -> closing[socket.socket]:
    line = socket.create_connection(("127.0.0.1", phone.port), 10)
    cookie = f"Cookie: {phone.cookie}\r\n" if phone.cookie else ""
    line.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n{cookie}\r\n".encode())
    return closing(line)


def _heard(line: socket.socket) -> bytes:
    """Return all that has come so far."""
    told = b""
    line.settimeout(0.2)
    while True:
        try:
            more = line.recv(1 << 16)
        except TimeoutError:
            return told
        if not more:
            return told
        told += more
