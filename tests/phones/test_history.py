"""The page of games that were played: for those at the table, with what the host may take out of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.game import commands
from companion.game.vocabulary import Role
from companion.history import History
from companion.journal import Journal
from tests.history.playing import NAMES, play_games
from tests.phones.fake_box import FakeBox
from tests.phones.table import Table

if TYPE_CHECKING:
    from pathlib import Path

ENGLISH = languages.load("en")


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Five people at a box on which sixty games were played before."""
    journal = Journal.open(tmp_path / "state")
    play_games(journal, 60, NAMES[:6])
    journal.close()
    history = History(tmp_path / "state", tmp_path / "cache")
    history.catch_up()
    table = Table(FakeBox(history=history))
    table.sit(5)
    return table


@pytest.mark.parametrize("path", ["/history", "/history/1", "/history/1.svg"])
def test_strangers_see_nothing_of_earlier_evenings(table: Table, path: str) -> None:
    """Who played here is for those who sit at the table, and for this machine itself."""
    assert table.phones[0].get(path).status_code == 200
    stranger = table.phone()
    assert stranger.get(path).status_code == 403
    assert b"Ada" not in stranger.get(path).data


def test_the_page_adds_up_and_lists_every_game(table: Table) -> None:
    """Sums, then fifty games a page, each leading to its story."""
    page = table.phones[0].get("/history").text
    for name in NAMES[:6]:
        assert name in page
    assert page.count('<li><a href="/history/') == 50
    assert 'href="/history/60"' in page
    older = table.phones[0].get("/history?page=1").text
    assert older.count('<li><a href="/history/') == 10
    for nonsense in ("-1", "x", "9" * 40):
        assert table.phones[0].get(f"/history?page={nonsense}").status_code == 200


def test_a_game_is_shown_in_the_language_of_the_phone(table: Table) -> None:
    """Its story, with names or without; a number that is none is not found."""
    phone = table.phones[0]
    phone.post("/me/language", data={"language": "pl"})
    drawn = phone.get("/history/3.svg").text
    assert any(languages.load("pl").page[f"winner_{team}"] in drawn for team in ("liberal", "fascist"))
    assert "Eva-Maria" in drawn
    assert "Eva-Maria" not in phone.get("/history/3.svg?names=0").text
    for nothing in ("/history/0", "/history/61", "/history/61.svg", "/history/x"):
        assert phone.get(nothing).status_code == 404


def test_a_game_is_told_again_step_by_step(table: Table) -> None:
    """In the language of the phone, with the boards as they stood; what a role told before its time is in no step."""
    phone = table.phones[0]
    phone.post("/me/language", data={"language": "pl"})
    steps = phone.get("/history/3").text.partition('<ol class="steps">')[2].partition("</ol>")[0]
    polish = languages.load("pl")
    assert steps.count("<li>") > 10
    assert polish.say("roles_dealt") in steps
    assert re.search(f"{polish.page['liberal_board']} [0-5], {polish.page['fascist_board']} [0-6]", steps)
    *early, _ = steps.split("<li>")
    assert any(name in steps for name in NAMES[:6])
    for role in (Role.HITLER, Role.FASCIST):
        assert f">{polish.terms[role]}<" not in "".join(early)


def test_many_games_are_drawn(table: Table) -> None:
    """How the wins went; and how long the games took, once they differ enough for more than one bar."""
    page = table.phones[0].get("/history").text
    assert ENGLISH.page["history_run"] in page
    assert '<svg class="run"' in page


def test_only_the_host_takes_things_out(table: Table) -> None:
    """Other phones get neither the button nor the right."""
    phone = table.phones[1]
    assert "/history/forget" not in phone.get("/history").text
    assert phone.post("/history/forget", data={"name": "Ada"}).status_code == 403
    assert phone.post("/history/delete", data={"game": "1"}).status_code == 403
    assert table.box.forgotten == table.box.deleted == []


def test_the_host_forgets_a_name_and_deletes_a_game(table: Table) -> None:
    """With a second tap each; not a name at the table, and not in the middle of a game."""
    host = table.phones[0]
    player = table.box.evening.seating.players[0]
    table.box.feed.post(host=player.id)
    assert "/history/forget" in host.get("/history").text
    assert "/history/delete" in host.get("/history/2").text
    assert host.post("/history/forget", data={"name": "Ada"}).status_code == 303
    assert host.post("/history/delete", data={"game": "2"}).status_code == 303
    assert (table.box.forgotten, table.box.deleted) == (["Ada"], [2])
    seated = host.post("/history/forget", data={"name": f" {player.name.upper()} "})
    assert seated.status_code == 409
    assert host.post("/history/forget", data={"name": "  "}).status_code == 400
    table.box.do(commands.DealRoles(table.box.roles()))
    assert host.post("/history/forget", data={"name": "Ada"}).status_code == 409
    assert host.post("/history/delete", data={"game": "2"}).status_code == 409
    assert (table.box.forgotten, table.box.deleted) == (["Ada"], [2])


def test_the_game_that_the_table_still_shows_is_not_deleted(table: Table) -> None:
    """Its end may still be taken back; there is no button for it, and it can go once the next one opens."""
    host = table.phones[0]
    table.box.feed.post(host=table.box.evening.seating.players[0].id)
    table.play()
    table.box.do(commands.BreakOff(confirmed=True))
    assert "/history/delete" not in host.get("/history/60").text
    assert "/history/delete" in host.get("/history/59").text
    assert host.post("/history/delete", data={"game": "60"}).status_code == 409
    table.box.do(commands.OpenLobby())
    assert host.post("/history/delete", data={"game": "60"}).status_code == 303
    assert table.box.deleted == [60]


def test_whoever_played_here_taps_a_name(table: Table) -> None:
    """The names of earlier evenings are offered to a phone that sits down, but not those at the table."""
    guest = table.phone()
    page = guest.get("/").text
    assert ENGLISH.page["join_known"] in page
    for name in NAMES[:6]:
        # One of them is at the table already.
        assert (f'name="known" value="{name}"' in page) is (name != "Даша")
    assert guest.post("/join", data={"name": "", "known": "Ada", "language": ""}).status_code == 303
    assert table.box.evening.seating.players[-1].name == "Ada"
    assert 'value="Ada"' not in table.phone().get("/").text


def test_a_new_box_offers_no_names(seated) -> None:  # type: ignore[no-untyped-def]
    """Where nobody played there is nothing to tap, and no page of games with anything on it."""
    table = seated(5)
    assert ENGLISH.page["join_known"] not in table.phone().get("/").text
    assert ENGLISH.page["history_none"] in table.phones[0].get("/history").text
