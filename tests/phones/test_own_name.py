"""A sign of one's own, and how the box says a name: both from the player's own phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.game import commands
from companion.game.seating import SIGNS
from companion.history import History
from companion.journal import Journal
from companion.phones.signs import PICTURES
from tests.history.playing import NAMES, keep, play, sit_down
from tests.phones.fake_box import FakeBox
from tests.phones.table import Table, post

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_every_sign_has_a_picture_and_no_two_are_alike() -> None:
    """Twelve of them, each of its own shape: colour alone tells nobody anything."""
    assert set(PICTURES) == set(SIGNS)
    assert len(set(PICTURES.values())) == len(SIGNS)


def test_a_phone_chooses_a_sign_and_every_screen_shows_it(table: Table) -> None:
    """On the own page, on the table and for programs; what somebody has cannot be tapped."""
    anna, boris = table.join("Anna"), table.join("Boris")
    assert post(anna, "/me/sign", {"sign": "tree"}).status_code == 200
    assert 'class="sign of-tree"' in table.phone().get("/table").text
    assert table.phone().get("/api/table").json["signs"][0] == "tree"  # type: ignore[index]
    page = boris.get("/").text
    assert 'id="sign-tree" name="sign" value="tree" aria-label="tree" disabled' in page
    assert post(boris, "/me/sign", {"sign": "tree"}).status_code == 409
    assert post(boris, "/me/sign", {"sign": "eagle"}).status_code == 409
    assert post(table.phone(), "/me/sign", {"sign": "hat"}).status_code == 401


def test_a_name_is_heard_before_it_is_kept(table: Table) -> None:
    """Listening changes nothing; keeping says nothing."""
    anna = table.join("Anna")
    assert anna.post("/me/spoken", data={"spoken": "Anja", "do": "hear"}).status_code == 303
    assert table.box.names_heard == [(1, "Anja")]
    assert table.box.evening.seating.players[0].spoken == ""
    assert anna.post("/me/spoken", data={"spoken": "Anja", "do": "keep"}).status_code == 303
    assert table.box.evening.seating.players[0].spoken == "Anja"
    assert 'value="Anja"' in anna.get("/").text
    assert len(table.box.names_heard) == 1


def test_what_cannot_be_said_is_a_sentence(table: Table) -> None:
    """Nothing, or far too much; and nobody makes the box speak without a seat."""
    anna = table.join("Anna")
    for spoken in ("\u2800", "x" * 25):
        for do in ("hear", "keep"):
            assert post(anna, "/me/spoken", {"spoken": spoken, "do": do}).status_code == 400
    assert post(table.phone(), "/me/spoken", {"spoken": "Hi", "do": "hear"}).status_code == 401
    assert table.box.names_heard == []


def test_nobody_makes_the_box_speak_for_ever(table: Table) -> None:
    """After some tries a phone waits."""
    anna = table.join("Anna")
    codes = [post(anna, "/me/spoken", {"spoken": "Anja", "do": "hear"}).status_code for _ in range(15)]
    assert codes[0] == 200
    assert codes[-1] == 429


def test_in_a_game_no_name_is_spelled(seated: Callable[[int], Table]) -> None:
    """The box could be made to say something about somebody: neither heard nor kept, and no form for it."""
    table = seated(5)
    anna = table.phones[0]
    table.deal()
    assert post(anna, "/me/spoken", {"spoken": "Hitler", "do": "hear"}).status_code == 409
    assert post(anna, "/me/spoken", {"spoken": "Hitler", "do": "keep"}).status_code == 409
    assert table.box.names_heard == []
    assert "/me/spoken" not in anna.get("/").text


def test_whoever_played_before_has_sign_and_spelling_again(tmp_path: Path) -> None:
    """By the tapped name, in a table's own language; a stranger gets a sign that is free."""
    journal = Journal.open(tmp_path / "state")
    evening = sit_down(journal, NAMES[:5])
    ada, bela = (player.id for player in evening.seating.players[:2])
    evening = keep(journal, evening, commands.ChooseSign(ada, "tree"), commands.SpellName(ada, "Aida"))
    evening = keep(journal, evening, commands.ChooseSign(bela, "hat"))
    play(journal, evening)
    journal.close()
    history = History(tmp_path / "state", tmp_path / "cache")
    history.catch_up()
    for language, spoken in (("en", "Aida"), ("pl", "")):
        table = Table(FakeBox(history=history))
        table.box.do(commands.ChooseLanguage(language))
        stranger = table.join("Stranger")
        post(stranger, "/me/sign", {"sign": "hat"})
        for name in NAMES[:2]:
            guest = table.phone()
            guest.get("/")
            assert guest.post("/join", data={"name": "", "known": name}).status_code == 303
        seated = table.box.evening.seating.players[1:]
        assert [(player.sign, player.spoken) for player in seated[:1]] == [("tree", spoken)]
        assert seated[1].sign != "hat"


def test_the_host_sees_which_voice_speaks_and_lets_it_be_heard(table: Table) -> None:
    """Before a game; nobody else may, and in a game its words would be taken for a part of it."""
    anna, boris = table.join("Anna"), table.join("Boris")
    table.make_host(anna)
    assert "Fake voice" in anna.get("/host").text
    assert post(boris, "/host/voice", {}).status_code == 403
    assert table.box.samples_heard == 0
    assert post(anna, "/host/voice", {}).status_code == 200
    assert table.box.samples_heard == 1
    for name in ("Celina", "Dario", "Emil"):
        table.join(name)
    table.deal()
    assert post(anna, "/host/voice", {}).status_code == 409
    assert table.box.samples_heard == 1
    page = anna.get("/host").text
    assert "Fake voice" in page
    assert "/host/voice" not in page
