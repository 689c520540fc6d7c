"""A night on the phones, for a table where somebody can't take part in one with closed eyes."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from companion import languages, settings
from companion.game.vocabulary import Role
from companion.narrator.ahead import lines_to_prepare
from companion.narrator.night import Pauses, perform_on_phones
from companion.settings import SettingsError
from tests.evening.boxes import DEAL, running
from tests.phones.fake_box import FakeBox
from tests.phones.table import NAMES, Table, post
from tests.support import FakeSpeaker

if TYPE_CHECKING:
    from pathlib import Path

    from tests.evening.boxes import Phone, RunningBox

L, F, H = Role.LIBERAL, Role.FASCIST, Role.HITLER
SEVEN = NAMES[:7]
OTHER_DEAL = (F, L, L, F, L, L, H)


@pytest.mark.parametrize("code", languages.codes())
def test_one_line_a_time_to_look_and_the_question(code: str) -> None:
    """The line is prepared before the evening, names no role, and is written in the words of its own language."""
    language = languages.load(code)
    speaker = FakeSpeaker()
    look, ask = perform_on_phones(language, speaker).steps
    assert (look.text, look.pause_seconds, look.at_seconds) == (language.lines["night_on_phones"], 20.0, 0.0)
    assert (ask.step, ask.text, ask.at_seconds) == ("ASK", language.few[-1].text, look.end_seconds)
    assert perform_on_phones(language, speaker, Pauses(45.0)).steps[0].pause_seconds == 45.0
    assert set(speaker.asked) <= set(lines_to_prepare(language))
    said = look.text.casefold()
    assert not any(language.terms[word].casefold() in said for word in ("liberal", "fascist", "hitler", "liberals"))
    if code != "en":
        assert look.text != languages.load("en").lines["night_on_phones"]


@pytest.mark.parametrize("code", ["en", "ru"])
def test_the_night_goes_by_itself_and_the_eyes_stay_open(code: str, tmp_path: Path) -> None:
    """Nothing of the script with closed eyes is said; after the time to look the box asks whether it went well."""
    with running(tmp_path, night_on="phones", language=code) as box:
        _to_the_night(box)
        box.reaches("ask")
        box.silence()
        language = box.companion.language("")
        said = box.output.said()
        assert said.count(language.pronounce(language.lines["night_on_phones"])) == 1
        assert not {language.pronounce(step.text) for step in language.night(7)[:-1] if step.text} & set(said)
        assert box.press("ja")["ok"]
        assert box.table()["phase"] == "election"


def test_the_night_takes_the_same_time_and_says_the_same_for_every_deal(tmp_path: Path) -> None:
    """Every sound and every caption comes at the same moment, whoever has which role."""
    nights = []
    for number, deal in enumerate((DEAL, OTHER_DEAL)):
        with running(tmp_path / str(number), deals=[deal], night_on="phones", night_long_pause_seconds=12.0) as box:
            _to_the_night(box)
            box.reaches("ask")
            box.silence()
            heard = [(each.at, each.what, each.track, each.name) for each in box.output.heard]
            begins = next(at for at, what, _, _ in heard if what == "loop")
            nights.append([(round(at - begins, 6), *rest) for at, *rest in heard if at >= begins])
    assert nights[0] == nights[1]


def test_in_the_night_every_phone_shows_the_same_page_and_its_own_card(tmp_path: Path) -> None:
    """Pages differ in the name and the seat alone; a Fascist's card names the others, a Liberal's nobody."""
    with running(tmp_path, standing=True, night_on="phones") as box:
        phones = _to_the_night(box)
        box.reaches("night")
        language = box.companion.language("")
        box.shows(language.say("night_on_phones"))
        pages = set()
        for seat, phone in enumerate(phones, 1):
            # Without the stamp of the moment, in which any number may stand.
            page = re.sub(r"[0-9a-f]{8}-v?\d+", "stamp", html.unescape(phone.get("/").text))
            assert language.page["night_phones_text"] in page
            assert 'data-card="role"' in page
            assert not any(name in page for name in SEVEN)
            pages.add(page.replace(f'"{seat}"', '"seat"').replace(f'-{seat}"', '-seat"'))
        assert len(pages) == 1
        answers = [phone.post("/api/me/role") for phone in phones]
        assert len({len(answer.body) for answer in answers}) == 1
        for seat, answer in enumerate(answers, 1):
            assert _named(answer.json["knows"]) == _allies(seat)


@pytest.mark.parametrize("night_on", ["voice", "phones"])
def test_allies_are_named_from_the_night_on_and_with_closed_eyes_never(night_on: str, tmp_path: Path) -> None:
    """Nobody reads a name at the deal; later a Fascist's own phone tells what the night told, also after a restart."""
    with running(tmp_path, night_on=night_on) as box:
        phones = box.phones(*SEVEN)
        box.press("ja")
        assert [_named(phone.post("/api/me/role").json["knows"]) for phone in phones] == [set()] * 7
        box.press("ja")
        box.reaches("ask")
        box.press("ja")
        expected = [_allies(seat) if night_on == "phones" else set() for seat in range(1, 8)]
        assert [_named(phone.post("/api/me/role").json["knows"]) for phone in phones] == expected
    with running(tmp_path, night_on=night_on) as box:
        for phone in phones:
            phone.port = box.port
        assert [_named(phone.post("/api/me/role").json["knows"]) for phone in phones] == expected


def test_a_night_on_the_phones_can_stand_still_and_begin_again(tmp_path: Path) -> None:
    """As the other one: nein pauses, ja goes on."""
    with running(tmp_path, standing=True, night_on="phones") as box:
        _to_the_night(box)
        box.shows(box.sentence("night_on_phones"))
        assert box.press("nein")["ok"]
        assert box.table()["night_paused"] is True
        assert box.press("ja")["ok"]
        assert box.table()["night_paused"] is False
        assert box.press("repeat")["ok"]


def test_where_no_phone_has_a_role_the_night_is_spoken(tmp_path: Path) -> None:
    """Nobody joined: the table plays with real cards, so its eyes are closed as ever."""
    with running(tmp_path, night_on="phones") as box:
        assert box.press("ja")["ok"]
        box.reaches("ask")
        box.silence()
        language = box.companion.language("")
        said = box.output.said()
        assert language.pronounce(language.night(5)[0].text) in said
        assert language.pronounce(language.lines["night_on_phones"]) not in said


def test_with_closed_eyes_no_card_can_be_looked_at_in_the_night() -> None:
    """The default: the page is black, whatever the phone's player is."""
    table = Table(FakeBox())
    table.sit(5)
    table.deal()
    table.box.push("ja", held=True)
    page = table.phones[0].get("/").get_data(as_text=True)
    assert "data-card" not in page
    for phone in table.phones:
        text = post(phone, "/api/me/role").get_data(as_text=True)
        assert not any(name in text for name in NAMES)


def test_real_role_cards_and_a_night_on_the_phones_exclude_each_other(tmp_path: Path) -> None:
    """Refused at the start, with where each of the two is set."""
    file = tmp_path / "box.toml"
    file.write_text('[night]\non = "phones"\n', encoding="utf-8")
    assert settings.load({}, {}, file).night_on == "phones"
    assert settings.load({}, {"COMPANION_NIGHT_ON": "phones"}, None).night_on == "phones"
    with pytest.raises(SettingsError) as caught:
        settings.load({"roles": "cards"}, {}, file)
    assert str(caught.value).startswith(f"{file}: night.on: ")
    assert "--roles" in str(caught.value)
    with pytest.raises(SettingsError, match="did you mean 'phones'"):
        settings.load({}, {"COMPANION_NIGHT_ON": "phone"}, None)


def _to_the_night(box: RunningBox) -> list[Phone]:
    phones = box.phones(*SEVEN)
    assert box.press("ja")["ok"]
    for phone in phones:
        assert phone.post("/api/me/role").status == 200
    assert box.press("ja")["ok"]
    return phones


def _named(knows: list[str]) -> set[str]:
    return {name for name in SEVEN if any(name in line for line in knows)}


def _allies(seat: int) -> set[str]:
    """Return whom a player of `DEAL` reads of: among seven the Fascists all of theirs, the others nobody."""
    if DEAL[seat - 1] is not F:
        return set()
    fascists = {name for name, role in zip(SEVEN, DEAL, strict=True) if role is not L}
    return fascists - {SEVEN[seat - 1]}
