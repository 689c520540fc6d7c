from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from companion.game import commands
from companion.languages import load
from companion.phones.limits import AWAY_SECONDS, TurnedAway
from companion.phones.seats import COOKIE, Twice, claim_of
from tests.phones.table import NAMES, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.phones.fake_box import FakeBox

REFUSED = load("en").refusals


def test_a_name_gives_a_seat_and_a_cookie_that_scripts_and_other_sites_cannot_use(table: Table) -> None:
    """The seat lives in an HttpOnly, SameSite cookie; the address after joining names nobody."""
    phone = table.phone()
    phone.get("/")
    answer = phone.post("/join", data={"name": "Anna"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert b"Anna" in phone.get("/").data
    assert phone.get("/api/me").json["seat"] == 1  # type: ignore[index]


def test_the_box_keeps_only_the_hash_of_a_phones_secret(table: Table) -> None:
    """What the journal holds proves a seat, and opens none."""
    phone = table.join("Anna")
    player = table.box.evening.seating.players[0]
    assert player.claim == claim_of(phone.secret)
    assert phone.secret not in repr(table.box.submitted) + player.claim


def test_joining_works_as_json_too(table: Table) -> None:
    """A program joins with the same name, and is redirected all the same."""
    phone = table.phone()
    assert phone.post("/join", json={"name": "Anna", "language": "pl"}).status_code == 303
    assert phone.get("/api/me").json["language"] == "pl"  # type: ignore[index]


@pytest.mark.parametrize(
    ("typed", "seated"),
    [
        ("  Anna  ", "Anna"),
        ("Тимофей", "Тимофей"),
        ("🦊🦊", "🦊🦊"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("محمد", "محمد"),
        ("\u202eannA\u202c", "annA"),
        ("<b>Bo</b>", "<b>Bo</b>"),
        ("{name}", "{name}"),
        ("a\x00b\x07", "ab"),
    ],
)
def test_names_of_every_script_are_taken_and_shown_as_text(table: Table, typed: str, seated: str) -> None:
    """Cyrillic, emoji and right-to-left names are names; markup is text; direction marks are gone."""
    phone = table.join(typed)
    assert phone.get("/api/table").json["names"] == [seated]  # type: ignore[index]
    html = phone.get("/").get_data(as_text=True)
    assert "<b>Bo" not in html
    assert f"<bdi>{seated.replace('<', '&lt;').replace('>', '&gt;')}</bdi>" in html


@pytest.mark.parametrize("typed", ["", "   ", "\u200d", "\u202e", "\t\n"])
def test_an_empty_name_is_asked_for_again(table: Table, typed: str) -> None:
    """Nothing visible is no name: 400 and a sentence."""
    phone = table.phone()
    answer = phone.post("/join", data={"name": typed})
    assert answer.status_code == 400
    assert REFUSED["name_empty"] in answer.get_data(as_text=True)
    assert table.box.evening.seating.players == ()


def test_a_name_of_200_letters_is_refused_with_a_sentence(table: Table) -> None:
    """Too long is said; nothing is cut off silently."""
    answer = table.phone().post("/join", data={"name": "x" * 200})
    assert answer.status_code == 400
    assert REFUSED["name_too_long"] in answer.get_data(as_text=True)


@pytest.mark.parametrize("typed", ["anna", " ANNA ", "Ａｎｎａ", "Anna\u200d"])
def test_equal_names_are_refused_after_folding(table: Table, typed: str) -> None:
    """Two people whom the box would call the same are not both seated: 409, a sentence, and the form again."""
    table.join("Anna")
    answer = table.phone().post("/join", data={"name": typed})
    assert answer.status_code == 409
    html = answer.get_data(as_text=True)
    assert REFUSED["name_taken"] in html
    assert 'action="/join"' in html


def test_a_refusal_is_said_in_the_language_chosen_with_the_name(table: Table) -> None:
    """Whoever chose Russian reads Russian."""
    table.join("Anna")
    answer = table.phone().post("/join", data={"name": "anna", "language": "ru"})
    assert load("ru").refusals["name_taken"] in answer.get_data(as_text=True)
    answer = table.phone().post("/join", json={"name": "anna", "language": "ru"})
    assert answer.json == {"ok": False, "code": "name_taken", "error": load("ru").refusals["name_taken"]}


def test_an_eleventh_is_told_that_the_table_is_full(seated: Callable[[int], Table]) -> None:
    """Ten play; the next one watches."""
    table = seated(10)
    late = table.phone()
    answer = late.post("/join", data={"name": "Eleven"})
    assert answer.status_code == 409
    assert late.post("/join", json={"name": "Eleven"}).json["code"] == "table_full"  # type: ignore[index]
    assert load("en").page["join_full"] in late.get("/").get_data(as_text=True)


def test_joining_closes_at_the_deal_and_opens_again_after_the_game(seated: Callable[[int], Table]) -> None:
    """Someone late watches the public state."""
    table = seated(5)
    table.deal()
    late = table.phone()
    assert late.post("/join", json={"name": "Late"}).json["code"] == "joining_closed"  # type: ignore[index]
    assert load("en").page["join_late"] in late.get("/").get_data(as_text=True)
    assert 'action="/join"' not in late.get("/").get_data(as_text=True)


def test_the_cookie_wins_over_the_form(table: Table) -> None:
    """A form sent twice, or with another name, leaves the seat as it is."""
    phone = table.join("Anna")
    assert phone.post("/join", data={"name": "Anna"}).status_code == 303
    assert phone.post("/join", data={"name": "Other"}).status_code == 303
    assert [player.name for player in table.box.evening.seating.players] == ["Anna"]


def test_an_impatient_double_tap_is_one_person(table: Table) -> None:
    """The phone has its secret before it sits down, so that the second of two forms finds the seat taken by itself."""
    phone = table.phone()
    phone.get("/")
    before = phone.secret
    first = phone.post("/join", data={"name": "Anna"})
    # The browser never saw the first answer.
    phone.secret = before
    second = phone.post("/join", data={"name": "Anna"})
    assert (first.status_code, second.status_code) == (303, 303)
    assert len(table.box.evening.seating.players) == 1


@pytest.mark.parametrize("garbage", ["", "x", "x" * 43, "ä" * 43, "../../etc", "x" * 4000, '";drop', "%00"])
def test_a_cookie_of_somebody_elses_making_opens_nothing(seated: Callable[[int], Table], garbage: str) -> None:
    """Garbage is a phone without a seat, whatever it is."""
    table = seated(5)
    table.deal()
    phone = table.phone()
    answer = phone.get("/api/me", headers={"Cookie": f"{COOKIE}={garbage}".encode().decode("latin-1")})
    assert answer.status_code == 401
    assert phone.post("/api/me/role", headers={"Cookie": f"{COOKIE}={'y' * 43}"}).status_code == 401


def test_the_hash_that_the_box_keeps_is_no_secret_to_come_in_with(seated: Callable[[int], Table]) -> None:
    """Whoever reads the journal cannot be somebody."""
    table = seated(5)
    phone = table.phone()
    phone.secret = table.box.evening.seating.players[0].claim
    assert phone.get("/api/me").status_code == 401


def test_a_phone_keeps_its_seat_when_the_box_starts_again(seated: Callable[[int], Table]) -> None:
    """The seat is in the cookie and in the journal, not in the server's memory."""
    table = seated(5)
    table.deal()
    again = Table(table.box)
    phone = again.phone()
    phone.secret = table.phones[2].secret
    assert phone.get("/api/me").json["name"] == NAMES[2]  # type: ignore[index]
    assert phone.post("/api/me/role").status_code == 200


def test_each_phone_may_speak_another_language(table: Table) -> None:
    """The page says so in its lang attribute; the table's own language stays."""
    phone = table.join("Anna", "pl")
    assert '<html lang="pl" ' in phone.get("/").get_data(as_text=True)
    assert phone.post("/me/language", data={"language": "it"}).status_code == 303
    assert '<html lang="it" ' in phone.get("/").get_data(as_text=True)
    assert '<html lang="en" ' in table.phone().get("/table").get_data(as_text=True)
    assert phone.post("/me/language", json={"language": "xx"}).status_code == 400


def test_too_many_tries_to_join_are_slowed_down(table: Table) -> None:
    """One address cannot fill the table with noise; another is not touched."""
    noisy = table.phone("192.168.4.66")
    statuses = [noisy.post("/join", data={"name": ""}).status_code for _ in range(70)]
    assert statuses[0] == 400
    assert statuses[-1] == 429
    assert table.phone("192.168.4.67").post("/join", data={"name": "Anna"}).status_code == 303


def test_a_lost_seat_comes_back_with_a_press_and_the_old_phone_is_out(seated: Callable[[int], Table]) -> None:
    """The old cookie dies with the handing over, and nothing happens before somebody presses ja."""
    table = seated(5)
    table.deal()
    old, new = table.phones[1], table.phone("192.168.4.99")
    new.get("/")
    player = table.box.evening.seating.players[1]
    assert new.post("/seat", data={"player": str(player.id)}).status_code == 303
    assert new.get("/api/me").status_code == 401
    assert load("en").page["host_waiting"].format(number=37) in new.get("/").get_data(as_text=True)
    assert ">37<" in new.get("/").get_data(as_text=True)
    assert ">37<" not in table.phones[0].get("/").get_data(as_text=True), "the number stands on the phone that asks"
    table.box.grant()
    assert new.get("/api/me").json["name"] == player.name  # type: ignore[index]
    assert new.post("/api/me/role").status_code == 200
    assert old.get("/api/me").status_code == 401
    assert old.post("/api/me/role").status_code == 401


def test_whoever_goes_home_leaves_by_their_own_phone_and_may_come_back(seated: Callable[[int], Table]) -> None:
    """In the lobby a phone gives up its seat; nobody has to wait who left by their own will."""
    table = seated(6)
    leaving = table.phones[2]
    assert 'action="/me/leave"' in leaving.get("/").get_data(as_text=True)
    assert leaving.post("/me/leave").status_code == 303
    assert [player.name for player in table.box.evening.seating.players] == [*NAMES[:2], *NAMES[3:6]]
    assert leaving.get("/api/me").status_code == 401
    assert leaving.post("/me/leave").status_code == 401
    assert leaving.post("/join", data={"name": NAMES[2]}).status_code == 303


def test_a_second_phone_that_leaves_does_not_free_an_address_that_was_turned_away(table: Table) -> None:
    """Two phones of one address: one is taken from the table, and the other going home changes nothing about it."""
    first, second = (table.join(name, remote="192.168.4.66") for name in NAMES[:2])
    away = table.box.turned_away
    away.note(table.box.evening.seating.players[0].claim)
    table.box.do(commands.RemovePlayer(table.box.evening.seating.players[0].id))
    assert second.post("/me/leave").status_code == 303
    assert away.is_away("192.168.4.66")
    assert first.post("/join", data={"name": "Again"}).status_code == 403


def test_a_phone_that_was_taken_from_the_table_is_told_why(seated: Callable[[int], Table]) -> None:
    """Its page has gone; the one to join says what happened, and to no other phone."""
    table = seated(6)
    removed, why = table.phones[5], load("en").page["join_away"]
    claim = table.box.evening.seating.players[5].claim
    table.box.do(commands.RemovePlayer(table.box.evening.seating.players[5].id))
    table.box.turned_away.note(claim)
    assert why in removed.get("/").get_data(as_text=True)
    assert why not in table.phone("192.168.4.99").get("/").get_data(as_text=True)
    assert why not in table.phones[0].get("/").get_data(as_text=True)


def test_nobody_leaves_in_the_middle_of_a_game(seated: Callable[[int], Table]) -> None:
    """Seats say who has which role until the next lobby."""
    table = seated(5)
    table.play()
    assert 'action="/me/leave"' not in table.phones[1].get("/").get_data(as_text=True)
    assert table.phones[1].post("/me/leave").status_code == 409
    assert len(table.box.evening.seating.players) == 5


def test_only_one_phone_at_a_time_asks_the_table(seated: Callable[[int], Table]) -> None:
    """A second request is told to wait."""
    table = seated(5)
    assert table.phones[0].post("/me/host").status_code == 303
    assert table.phones[1].post("/me/host").status_code == 409
    assert table.phone().post("/seat", json={"player": 1}).status_code == 409


def test_a_seated_phone_cannot_take_a_second_seat(seated: Callable[[int], Table]) -> None:
    """One phone, one seat; sharing is the host's to arrange."""
    table = seated(5)
    answer = table.phones[0].post("/seat", json={"player": 2})
    assert answer.json["code"] == "already_seated"  # type: ignore[index]
    assert table.box.feed.snapshot.question is None


def test_the_join_code_holds_the_address_of_the_network(box: FakeBox) -> None:
    """An SVG of our own making; none without a network, and the page says why."""
    table = Table(box)
    code = table.phone().get("/join.svg")
    assert code.mimetype == "image/svg+xml"
    assert b"<svg" in code.data
    box.address = None
    assert table.phone().get("/join.svg").status_code == 404
    assert load("en").page["no_address"] in table.phone().get("/table").get_data(as_text=True)


def test_after_a_game_newcomers_wait_for_the_next(seated: Callable[[int], Table]) -> None:
    """Somebody who sat down when the game was over has no card of it, and breaks no page."""
    table = seated(5)
    table.play()
    box = table.box
    while box.evening.game.reason is None:
        box.do(commands.Vote(elected=False)) if box.evening.game.phase == "election" else box.push(
            "liberal", held=False
        )
    late = table.join("Late")
    assert late.get("/").status_code == 200
    assert late.post("/api/me/role").status_code == 409
    assert "Late" in table.phones[0].get("/").get_data(as_text=True)


def test_whoever_was_turned_away_waits_a_while_and_no_longer() -> None:
    """By the phone and by its address; what is remembered of strangers stays bounded."""
    clock = [0.0]
    away = TurnedAway(lambda: clock[0])
    away.seated("claim", "192.168.4.9")
    assert not away.is_away("claim", "192.168.4.9")
    away.note("claim")
    assert away.is_away("claim")
    assert away.is_away("", "192.168.4.9")
    assert not away.is_away("another", "192.168.4.10")
    clock[0] += AWAY_SECONDS + 1
    assert not away.is_away("claim", "192.168.4.9")
    for number in range(5000):
        away.seated(f"claim {number}", f"address {number}")
        away.note(f"claim {number}")
    assert len(away._until) <= 512
    assert len(away._addresses) <= 512


def test_only_the_same_form_from_the_same_phone_gets_the_same_secret_again() -> None:
    """For a moment; another name, address or secret before is another phone."""
    clock = [0.0]
    twice = Twice(lambda: clock[0])
    twice.note("before", "192.168.4.9", "Zoe", "secret")
    assert twice.again("before", "192.168.4.9", "Zoe") == "secret"
    assert twice.again("before", "192.168.4.10", "Zoe") is None
    assert twice.again("another", "192.168.4.9", "Zoe") is None
    assert twice.again("before", "192.168.4.9", "Zoë") is None
    twice.note("", "192.168.4.9", "Ann", "nobody's")
    assert twice.again("", "192.168.4.9", "Ann") is None
    clock[0] += 60
    assert twice.again("before", "192.168.4.9", "Zoe") is None
