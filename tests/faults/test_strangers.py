"""Strangers on the Wi-Fi, each from an address of their own: what they may ask, and what it gets them."""

from __future__ import annotations

import itertools
import threading
import time
from typing import TYPE_CHECKING

import pytest

from companion.game.vocabulary import Phase, Role
from companion.panel.questions import Question
from tests.evening.boxes import DEAL, Phone, comparable, running
from tests.support import NAMES, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.evening.boxes import RunningBox

HITLER = DEAL.index(Role.HITLER) + 1
_ADDRESSES = itertools.count(2)


def stranger(box: RunningBox, source: str = "") -> Phone:
    """A phone that nobody knows, from an address that nobody else has."""
    return Phone(box.port, source=source or f"127.0.1.{next(_ADDRESSES) % 250 + 2}")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[RunningBox]:
    """A box with an empty table."""
    with running(tmp_path) as box:
        yield box


@pytest.fixture
def seated(box: RunningBox) -> list[Phone]:
    """Seven people, each with a phone."""
    return box.phones(*NAMES[:7])


@pytest.fixture
def playing(box: RunningBox, seated: list[Phone]) -> list[Phone]:
    """The same at their first election."""
    box.press("ja")
    for phone in seated:
        assert phone.post("/api/me/role").status == 200
    box.press("ja")
    box.reaches("ask")
    box.press("ja")
    box.reaches("election")
    return seated


def question_of(box: RunningBox) -> Question | None:
    return box.companion.feed.snapshot.question


def test_nobody_gets_a_seat_by_a_vote(box: RunningBox, playing: list[Phone]) -> None:
    """A stranger asks for each seat right before the table votes: every vote counts, and no role is given away."""
    votes = 0
    for player in range(1, 8):
        thief = stranger(box)
        thief.post("/seat", player=player)
        before = box.table()
        pressed = box.press("ja" if before["phase"] == "election" else "liberal")
        votes += pressed["ok"]
        assert thief.get("/api/me").status == 401
        assert thief.post("/api/me/role").status == 401
        if box.table()["phase"] == "game_over":
            break
    assert votes >= 5
    for phone in playing:
        assert phone.get("/api/me").status == 200, "everybody still has their seat"


@pytest.mark.parametrize("addresses", [1, 40])
def test_a_flood_of_questions_takes_no_press(box: RunningBox, playing: list[Phone], addresses: int) -> None:
    """Whether one address asks again and again or forty do: thirty of thirty presses are counted meanwhile."""
    stop = threading.Event()

    def ask(number: int) -> None:
        phone = stranger(box, f"127.0.2.{number + 2}")
        while not stop.is_set():
            for path in ("/seat", "/me/host"):
                phone.post(path, player=1 + number % 7)
            stop.wait(0.05)

    floods = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(addresses)]
    for flood in floods:
        flood.start()
    eventually(lambda: question_of(box))
    try:
        counted = 0
        for _ in range(15):
            before = box.table()["election_tracker"]
            counted += box.press("nein")["ok"] and box.table()["election_tracker"] == before + 1
            counted += box.press("undo")["ok"] and box.table()["election_tracker"] == before
        assert counted == 30
    finally:
        stop.set()
        for flood in floods:
            flood.join(10)
    assert len(playing) == len(box.table()["names"])


def test_the_number_stands_on_the_phone_that_asks_and_is_said(box: RunningBox, playing: list[Phone]) -> None:
    """The answer and the page of that phone have it, no other page has; held green after it gives the seat."""
    lost = stranger(box)
    answer = lost.post("/seat", player=2)
    number = answer.json["number"]
    assert f">{number}<" in lost.get("/").text
    assert f">{number}<" not in playing[0].get("/").text
    said = box.sentence("seat_request", name=NAMES[1], number=number)
    eventually(lambda: box.companion.feed.snapshot.caption == said)
    box.silence()
    box.clock.go(2)
    assert box.press("ja", held=True)["ok"]
    assert lost.get("/api/me").json["name"] == NAMES[1]
    assert playing[1].get("/api/me").status == 401


def test_a_phone_that_asks_gets_a_secret_of_its_own(box: RunningBox, seated: list[Phone]) -> None:
    """A secret that was put onto a phone before it sat down, or asked, opens nothing afterwards."""
    planted = stranger(box)
    planted.get("/")
    joining, asking = stranger(box), stranger(box)
    joining.cookie = asking.cookie = planted.cookie
    assert joining.join("Zoe").status == 303
    assert joining.cookie != planted.cookie
    asking.post("/seat", player=1)
    assert asking.cookie != planted.cookie
    box.silence()
    box.clock.go(2)
    assert box.press("ja", held=True)["ok"]
    assert asking.get("/api/me").json["name"] == NAMES[0]
    assert planted.get("/api/me").status == 401
    assert seated[0].get("/api/me").status == 401


def test_a_form_that_is_sent_twice_is_one_seat(box: RunningBox) -> None:
    """An impatient thumb sends the form twice before the first answer is there: one seat, and the phone has it."""
    phone = stranger(box)
    phone.get("/")
    cookie = phone.cookie
    assert phone.join("Zoe").status == 303
    phone.cookie = cookie
    answer = phone.ask("POST", "/join", b"name=Zoe", Content_Type="application/x-www-form-urlencoded")
    assert answer.status == 303
    assert phone.get("/api/me").json["name"] == "Zoe"
    elsewhere = stranger(box)
    elsewhere.cookie = cookie
    elsewhere.ask("POST", "/join", b"name=Zoe", Content_Type="application/x-www-form-urlencoded")
    assert elsewhere.get("/api/me").status == 401, "the same form from another address is another phone"
    assert len(box.companion.feed.snapshot.evening.seating.players) == 1


def test_one_address_does_not_take_all_chairs(box: RunningBox) -> None:
    """One phone that joins again and again with new cookies gets a few chairs, at the pace of people."""
    began = time.monotonic()
    statuses = [stranger(box, "127.0.3.9").join(f"Prank {number}").status for number in range(10)]
    taken = statuses.count(303)
    assert taken <= 4 + (time.monotonic() - began) / 8 + 1
    assert taken < 10
    assert set(statuses) == {303, 429}


def test_prank_seats_are_cleared_at_the_box(box: RunningBox) -> None:
    """Undo takes seat after seat, says each name, and whoever was taken away may not sit down again at once."""
    pranks = [stranger(box) for _ in range(5)]
    for number, prank in enumerate(pranks):
        assert prank.join(f"Prank {number}").status == 303
    for number in range(4, -1, -1):
        pressed = box.press("undo")
        assert pressed["caption"] == box.sentence("player_left", name=f"Prank {number}", count=number)
    assert box.companion.feed.snapshot.evening.seating.players == ()
    again = pranks[0].join("Me again")
    assert again.status == 403
    assert box.companion.language("").page["join_away"] in again.text
    fresh = stranger(box, pranks[1].source)
    assert fresh.join("New cookie").status == 403
    assert stranger(box).join("Somebody else").status == 303


def test_a_phone_that_reports_without_end_is_slowed_down(seated: list[Phone]) -> None:
    """A page that changes its language in a loop fills no journal: the box says that it is too much."""
    statuses = [seated[0].post("/me/language", language="pl" if number % 2 else "it").status for number in range(60)]
    assert statuses.count(429) > 20


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_what_a_proxy_hands_on_is_never_this_machine(box: RunningBox, header: str) -> None:
    """Behind a proxy on the box everybody comes from 127.0.0.1: none of them may press."""
    foreign = box.phone()
    value = {"Forwarded": "for=10.0.0.9", "Via": "1.1 proxy"}.get(header, "10.0.0.9")
    body = b'{"button": "ja"}'
    answer = foreign.ask("POST", "/api/panel", body, Content_Type="application/json", **{header: value})
    assert answer.status == 403
    assert foreign.ask("GET", "/panel", **{header: value}).status == 403
    assert foreign.get("/panel").status == 200


# --- what the box tells out of the roles ------------------------------------------------------------------------------


def _in_the_danger_zone(box: RunningBox) -> list[Phone]:
    """Let seven people play to their first election with three Fascist policies; the third phone is the host's."""
    phones = box.phones(*NAMES[:7])
    assert 10 <= phones[2].post("/me/host").json["number"] <= 99
    box.silence()
    box.clock.go(2)
    assert box.press("ja", held=True)["ok"]
    box.press("ja")
    box.press("ja", held=True)
    box.reaches("ask")
    box.press("ja")
    for _ in range(3):
        box.press("fascist")
        while box.reaches_any("executive_action", "election") == "executive_action":
            box.silence()
            box.press("ja")
    assert box.table()["danger_zone"]
    return phones


@pytest.fixture
def dangerous(tmp_path: Path) -> Iterator[tuple[RunningBox, list[Phone], Phone]]:
    """Seven people with dealt roles in the danger zone, and the host's phone."""
    with running(tmp_path, deals=[DEAL], first=4) as box:
        phones = _in_the_danger_zone(box)
        yield box, phones, phones[2]


def test_the_host_s_page_is_no_oracle(dangerous: tuple[RunningBox, list[Phone], Phone]) -> None:
    """Nominate, ja, look, undo: the page learns nothing before the table hears it, and takes no answer back."""
    box, _, host = dangerous
    box.clock.standing = True
    for chancellor in (each for each in box.table()["eligible_chancellors"] if each != HITLER):
        assert host.post("/me/nominate", chancellor=chancellor).status == 200
        before = box.table()
        assert host.post("/host/press", button="ja").json["ok"]
        withheld = box.table()
        for key in ("phase", "winner", "roles", "not_hitler", "chancellor", "president"):
            assert withheld[key] == before[key], key
        assert not host.post("/host/press", button="undo").json["ok"]
        assert not box.press("undo")["ok"], "not before it was said, not even at the panel"
        break
    box.clock.standing = False
    box.clock.go(0)
    box.silence()
    eventually(lambda: box.table()["phase"] == "legislative_session")
    refused = host.post("/host/press", button="undo").json
    assert (refused["ok"], refused["caption"]) == (False, box.companion.language("").refusals["only_at_the_box"])
    assert box.press("undo")["ok"]
    eventually(lambda: box.table()["phase"] == "election")


def test_what_a_page_is_answered_is_the_same_whoever_is_hitler(tmp_path: Path) -> None:
    """In the moments before the table hears it, every button, page and report answers alike for Hitler and for another.

    Two evenings that differ in the deal alone, to the byte.
    """
    told = []
    for number, deal in enumerate((DEAL, (DEAL[0], DEAL[2], DEAL[1], *DEAL[3:]))):
        with running(tmp_path / str(number), deals=[deal], first=4) as box:
            host = _in_the_danger_zone(box)[2]
            box.silence()
            box.clock.standing = True
            host.post("/me/nominate", chancellor=HITLER)
            answers = [host.post("/host/press", button="ja")]
            # The narrator comes to it on a thread of its own; the clock stands until more is asked.
            eventually(lambda box=box: box.companion.feed.snapshot.caption == box.sentence("government_elected"))
            presses = [
                (button, held) for button in ("ja", "nein", "liberal", "fascist", "repeat") for held in (False, True)
            ]
            for button, held in (*presses, ("undo", False)):
                answers += [host.post("/host/press", button=button, held=held)]
            answers += [host.post("/me/nominate", chancellor=5), host.post("/me/power", player=5)]
            answers += [host.get(path) for path in ("/api/table", "/api/me", "/table", "/", "/host", "/api/panel")]
            told.append([comparable(answer)[:2] for answer in answers])
            box.clock.standing = False
            box.clock.go(0)
            box.silence()
            assert box.reaches_any("game_over", "legislative_session") == ("game_over", "legislative_session")[number]
    assert told[0] == told[1]


def test_the_end_is_shown_with_its_words(dangerous: tuple[RunningBox, list[Phone], Phone]) -> None:
    """Hitler is elected: neither page nor lights show the end before the voice begins to tell it; then all do."""
    box, phones, host = dangerous
    assert HITLER in box.table()["eligible_chancellors"]
    host.post("/me/nominate", chancellor=HITLER)
    box.silence()
    lights = box.phone().get("/api/panel").json
    box.clock.standing = True
    assert box.press("ja")["ok"]
    ends = box.sentence("win_hitler_chancellor")
    for _ in range(100):
        if box.companion.feed.snapshot.caption == ends:
            break
        state = box.table()
        assert (state["phase"], state["winner"], state["roles"]) == ("election", None, None)
        assert all(phone.get("/api/me").status == 200 for phone in phones[:1])
        assert {**box.phone().get("/api/panel").json, "status": ""} == {**lights, "status": ""}
        box.clock.go(0.3)
        time.sleep(0.01)
    assert box.companion.feed.snapshot.caption == ends
    state = box.reaches("game_over")
    assert state["roles"] is not None
    assert box.companion.feed.snapshot.evening.game.phase is Phase.GAME_OVER


def test_a_voice_that_hangs_does_not_keep_the_end_for_ever(
    dangerous: tuple[RunningBox, list[Phone], Phone], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while the end is shown though nobody says it."""
    box, _, host = dangerous
    monkeypatch.setattr("companion.panel.presses.REVEAL_SECONDS", 0.3)
    host.post("/me/nominate", chancellor=HITLER)
    box.silence()
    box.clock.standing = True
    assert box.press("ja")["ok"]
    assert box.reaches("game_over")["winner"] == "fascist"
