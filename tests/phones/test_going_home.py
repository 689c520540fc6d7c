"""On the pages: who went home, a friend's phone in place of one that died, a game that was broken off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion import languages
from companion.game.commands import BreakOff, OpenLobby
from tests.phones.table import Table, post

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_host_notes_who_went_home(seated: Callable[[int], Table]) -> None:
    """One tap and its confirmation; the seat is marked for everybody, and comes back with another tap."""
    table = seated(7)
    table.play()
    host, other = table.phones[0], table.phones[3]
    table.make_host(host)
    gone = table.box.evening.game.president
    player = table.box.evening.seating.player_at(gone)
    assert player is not None
    assert post(other, "/host/absent", {"player": player.id}).status_code == 403
    assert post(host, "/host/absent", {"player": player.id}).status_code == 200
    state = other.get("/api/table").get_json()
    assert state["absent"] == [gone]
    assert state["president"] != gone
    assert gone not in state["alive"]
    page = table.phones[gone - 1].get("/").get_data(as_text=True)
    assert "gone home" in page
    assert "Is back" in host.get("/host").get_data(as_text=True)
    assert post(host, "/host/absent", {"player": player.id, "back": True}).status_code == 200
    assert other.get("/api/table").get_json()["absent"] == []


def test_too_few_to_play_on_is_said(seated: Callable[[int], Table]) -> None:
    """The third of five who leaves is refused with what the table can do instead, and is not offered."""
    table = seated(5)
    table.play()
    host = table.phones[0]
    table.make_host(host)
    players = table.box.evening.seating.players
    for player in players[3:]:
        assert post(host, "/host/absent", {"player": player.id}).status_code == 200
    answer = post(host, "/host/absent", {"player": players[2].id})
    assert (answer.status_code, answer.get_json()["code"]) == (409, "too_few_left")
    assert "Has gone home" not in host.get("/host").get_data(as_text=True)


def test_a_friends_phone_shows_the_cards_of_one_that_died(seated: Callable[[int], Table]) -> None:
    """Asked for, allowed at the box: that phone serves both behind a hand-over, and the dead one nobody."""
    table = seated(6)
    table.play()
    friend, dead = table.phones[2], table.phones[4]
    player = table.box.evening.seating.player_at(5)
    assert player is not None
    assert post(friend, "/api/me/role", {"seat": 5}).status_code == 403
    answer = post(friend, "/me/share", {"player": player.id})
    assert answer.get_json()["number"] == 37
    said = languages.load("en").page["host_waiting"].format(number=37)
    assert said in friend.get("/").get_data(as_text=True)
    assert said not in table.phones[0].get("/").get_data(as_text=True)
    table.box.grant()
    assert friend.get("/api/me").get_json()["seats"] == [3, 5]
    card = post(friend, "/api/me/role", {"seat": 5})
    assert card.get_json()["role"] == table.box.evening.game.roles[4]
    assert len(card.data) == len(post(friend, "/api/me/role", {"seat": 3}).data)
    assert post(dead, "/api/me/role").status_code == 401
    assert "Give the phone to this player" in friend.get("/").get_data(as_text=True)


def test_only_who_sits_here_serves_others(seated: Callable[[int], Table]) -> None:
    """A stranger's phone asks for nobody's cards, and nobody asks for their own or for nobody's."""
    table = seated(5)
    stranger, friend = table.phone(), table.phones[0]
    assert post(stranger, "/me/share", {"player": 2}).status_code == 401
    for player in (1, 99):
        assert post(friend, "/me/share", {"player": player}).status_code == 400


def test_a_broken_off_game_shows_every_role_and_no_winner(seated: Callable[[int], Table]) -> None:
    """On the table page and on phones."""
    table = seated(5)
    table.play()
    table.box.do(BreakOff(confirmed=True))
    for page in ("/table", "/"):
        html = table.phones[1].get(page).get_data(as_text=True)
        assert "Nobody wins" in html
        assert "The game was broken off." in html
        assert html.count('class="role"') == 5
    state = table.phone().get("/api/table").get_json()
    assert (state["phase"], state["winner"], state["reason"]) == ("game_over", None, None)
    assert len(state["roles"]) == 5


def test_the_name_of_whoever_left_waits_in_their_form(seated: Callable[[int], Table]) -> None:
    """Somebody sits a game out and comes back with one tap; on nobody else's phone."""
    table = seated(6)
    left = table.phones[2]
    assert post(left, "/me/leave").status_code == 200
    assert 'value="Chlo' in left.get("/").get_data(as_text=True)
    assert 'value="Chlo' not in table.phone().get("/").get_data(as_text=True)
    assert left.post("/join", data={"name": "Chlo\u00e9"}).status_code == 303
    assert left.get("/api/me").get_json()["seat"] == 6


def test_after_a_game_the_host_notes_who_goes_home(seated: Callable[[int], Table]) -> None:
    """The executed too: the next game is dealt without them."""
    table = seated(6)
    table.play()
    host = table.phones[0]
    table.make_host(host)
    table.box.do(BreakOff(confirmed=True))
    assert "Has gone home" in host.get("/host").get_data(as_text=True)
    assert post(host, "/host/absent", {"player": 2}).status_code == 200
    table.box.do(OpenLobby())
    assert [player.id for player in table.box.evening.seating.players] == [1, 3, 4, 5, 6]
