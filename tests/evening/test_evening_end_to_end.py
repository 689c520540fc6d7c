from __future__ import annotations

import logging
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest

from companion import languages
from companion.game.vocabulary import Phase, Role
from companion.narrator.sound import Track
from companion.panel import presses
from tests.evening.boxes import DEAL, Answer, Phone, RunningBox, comparable, running
from tests.support import eventually

if TYPE_CHECKING:
    from pathlib import Path

SEVEN = ("Anna", "Łukasz", "Fátima", "Дмитрий", "Eirik", "محمد", "João")
L, F, H = Role.LIBERAL, Role.FASCIST, Role.HITLER
OTHER_DEAL = (F, L, L, F, L, L, H)
CARDS = ("/api/me/role", "/api/me/membership", "/api/me/investigations", "/me/card")


def script(box: RunningBox, players: int) -> list[tuple[str, str]]:
    """Return the night of a table: steps and texts."""
    return [(step.step, step.text) for step in box.companion.language("").night(players)]


def look(phone: Phone) -> Any:
    """Look at the own role."""
    answer = phone.post("/api/me/role")
    assert answer.status == 200
    return answer.json


def to_the_night(box: RunningBox) -> list[Phone]:
    """Seat seven, deal, let everybody look, and begin the night."""
    phones = box.phones(*SEVEN)
    assert box.press("ja")["ok"]
    for phone in phones:
        look(phone)
    assert box.press("ja")["ok"]
    return phones


# --- joining ---------------------------------------------------------------------------------------------------------


def test_seven_phones_join_at_once(tmp_path: Path) -> None:
    """Seven forms sent at the same moment become seven seats, each with its own name, page and cookie."""
    with running(tmp_path) as box:
        phones = [box.phone() for _ in SEVEN]
        gate = threading.Barrier(len(SEVEN))
        answers: dict[str, Answer] = {}

        def join(phone: Phone, name: str) -> None:
            gate.wait(10)
            answers[name] = phone.join(name)

        threads = [threading.Thread(target=join, args=pair) for pair in zip(phones, SEVEN, strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert {name: answer.status for name, answer in answers.items()} == dict.fromkeys(SEVEN, 303)
        assert sorted(box.table()["names"]) == sorted(SEVEN)
        assert len({phone.cookie for phone in phones}) == 7
        for phone in phones:
            me = phone.get("/api/me").json
            assert me["name"] == phone.name
            assert box.table()["names"][me["seat"] - 1] == phone.name


@pytest.mark.parametrize("again", ["Anna", "ANNA", "  anna ", "Ａｎｎａ", "An\u200bna"])
def test_a_name_is_at_the_table_once(again: str, tmp_path: Path) -> None:
    """A name that people would take for one that is there is refused with a sentence, and takes no seat."""
    with running(tmp_path) as box:
        box.phones("Anna")
        answer = box.phone().join(again)
        assert answer.status == 409
        assert "Somebody here has that name already." in answer.text
        assert box.table()["names"][:2] in (["Anna"], ["Anna", None])


def test_of_two_equal_names_at_the_same_moment_one_is_taken(tmp_path: Path) -> None:
    """When seven people send one name at once, one gets the seat and six are asked for another name."""
    with running(tmp_path) as box:
        gate = threading.Barrier(7)
        statuses: list[int] = []

        def join(name: str) -> None:
            phone = box.phone()
            gate.wait(10)
            statuses.append(phone.join(name).status)

        names = ("Anna", "anna", "ANNA", " Anna", "aNNA", "AnnA", "Anna ")
        threads = [threading.Thread(target=join, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert sorted(statuses) == [303, *[409] * 6]


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        ("", 400, "Please type a name."),
        (" \t\u200b ", 400, "Please type a name."),
        ("\u200d\ufe0f", 400, "Please type a name."),
        ("x" * 200, 400, "That name is too long."),
        ("x" * 25, 400, "That name is too long."),
    ],
)
def test_what_is_no_name_gets_a_sentence(name: str, status: int, sentence: str, tmp_path: Path) -> None:
    """Empty, invisible and endless names are answered with a sentence, and take no seat."""
    with running(tmp_path) as box:
        phone = box.phone()
        answer = phone.join(name)
        assert answer.status == status
        assert sentence in answer.text
        assert not any(box.table()["names"])
        assert phone.join("Anna").status == 303


def test_names_in_every_script_are_kept_as_they_are(tmp_path: Path) -> None:
    """Cyrillic, right-to-left, emoji, accents and signs of markup are shown as typed, and trimmed like any other."""
    typed = [" Дмитрий ", "محمد", "👩‍👩‍👧‍👦", "Zoë", "<b>&amp;'\"", "x" * 24, "שרה  כהן"]
    shown = ["Дмитрий", "محمد", "👩‍👩‍👧‍👦", "Zoë", "<b>&amp;'\"", "x" * 24, "שרה כהן"]
    with running(tmp_path) as box:
        phones = box.phones(*typed)
        assert box.table()["names"][:7] == shown
        assert [phone.get("/api/me").json["name"] for phone in phones] == shown
        page = phones[0].get("/").text
        assert "Дмитрий" in page
        assert "<b>&amp;'" not in page.replace("&lt;b&gt;&amp;amp;", "")
        assert "&lt;b&gt;&amp;amp;" in page


def test_a_refresh_keeps_the_seat(tmp_path: Path) -> None:
    """Opening the page again, or sending the form again, is the same player; without the cookie it is somebody else."""
    with running(tmp_path) as box:
        (phone,) = box.phones("Anna")
        for _ in range(3):
            assert "Anna" in phone.get("/").text
            assert phone.join("Berta").status == 303
            assert phone.get("/api/me").json["name"] == "Anna"
        assert [name for name in box.table()["names"] if name] == ["Anna"]
        assert box.phone().get("/api/me").status == 401


# --- the deal, the night, the question -------------------------------------------------------------------------------


def test_nobody_begins_the_night_before_all_have_looked(tmp_path: Path) -> None:
    """`ja` with roles unseen is refused with the names of those who have not looked, and not a word about roles."""
    with running(tmp_path) as box:
        phones = box.phones(*SEVEN)
        assert box.press("ja")["ok"]
        assert box.table()["phase"] == "deal"
        for phone in phones[:5]:
            look(phone)
        refused = box.press("ja")
        assert (refused["ok"], refused["caption"]) == (
            False,
            "Still to look: محمد, João. Hold ja to go on without them.",
        )
        assert box.table()["phase"] == "deal"
        look(phones[5])
        assert box.press("ja")["caption"] == "Still to look: João. Hold ja to go on without them."
        look(phones[6])
        assert box.press("ja")["ok"]
        box.reaches("ask")


def test_a_held_ja_goes_on_without_those_who_do_not_look(tmp_path: Path) -> None:
    """Somebody whose phone is dead does not keep the table waiting."""
    with running(tmp_path) as box:
        box.phones(*SEVEN)
        box.press("ja")
        assert box.press("ja", held=True)["ok"]
        box.reaches("ask")


def test_too_few_phones_deal_nothing(tmp_path: Path) -> None:
    """With three phones `ja` deals no roles and says how many have joined."""
    with running(tmp_path) as box:
        box.phones("Anna", "Berta", "Carl")
        answer = box.press("ja")
        assert answer["ok"] is False
        assert "3" in answer["caption"]
        assert box.table()["phase"] == "lobby"


@pytest.mark.parametrize("language", languages.codes())
def test_the_night_is_spoken_from_close_to_ask_in_order(language: str, tmp_path: Path) -> None:
    """Hands-free, every line of the edition's script is spoken in its order, nothing in between, and the box asks."""
    with running(tmp_path, language=language) as box:
        to_the_night(box)
        box.reaches("ask")
        box.silence()
        speak = box.companion.language("").pronounce
        spoken = [speak(text) for _, text in script(box, 7) if text]
        said = box.output.said()
        begins = said.index(spoken[0])
        assert said[begins : begins + len(spoken)] == spoken
        assert [name for name, _ in script(box, 7)][0::7] == ["CLOSE", "ASK"]


def test_the_captions_follow_the_night_second_by_second(tmp_path: Path) -> None:
    """Each line stands on the table page while it is spoken, at the time that the script says."""
    with running(tmp_path, standing=True) as box:
        phones = box.phones(*SEVEN)
        box.press("ja")
        for phone in phones:
            look(phone)
        box.press("ja")
        narrator = box.companion._announcer.narrator
        night = eventually(lambda: narrator._night and narrator._night.performance, 10)
        box.shows(night.steps[0].text)
        begins = box.clock.now()
        seen: list[tuple[str, float]] = []
        while not seen or seen[-1][0] != night.steps[-1].text:
            caption = phones[3].get("/api/me").json["caption"]
            # In brackets stands what is heard besides words.
            if not caption.startswith("[") and (not seen or caption != seen[-1][0]):
                assert box.table()["caption"] == caption
                seen.append((caption, box.clock.now() - begins))
            box.clock.go(0.2)
            eventually(lambda: narrator._beat is None or narrator._ends_at > box.clock.now())
        spoken = [step for step in night.steps if step.text]
        assert [text for text, _ in seen] == [step.text for step in spoken]
        assert [text for text, _ in seen] == [text for _, text in script(box, 7) if text]
        assert [at for _, at in seen] == pytest.approx([step.at_seconds for step in spoken], abs=0.5)
        box.reaches("ask")


def test_all_well_draws_the_first_candidate_and_says_who(tmp_path: Path) -> None:
    """`ja` after the night draws the first presidential candidate, announces them, and the first election begins."""
    with running(tmp_path, first=4) as box:
        to_the_night(box)
        box.reaches("ask")
        assert box.press("ja")["ok"]
        state = box.reaches("election")
        assert state["president"] == 4
        box.silence()
        assert (
            box.companion.language("").pronounce(box.sentence("first_candidate", name="Дмитрий")) in box.output.said()
        )


def test_something_wrong_deals_anew(tmp_path: Path) -> None:
    """`nein` after the night deals other roles, which everybody has to look at again before another night."""
    with running(tmp_path, deals=[DEAL, OTHER_DEAL]) as box:
        phones = to_the_night(box)
        before = [look(phone)["role"] for phone in phones]
        box.reaches("ask")
        assert box.press("nein")["ok"]
        box.reaches("deal")
        assert not box.press("ja")["ok"]
        after = [look(phone)["role"] for phone in phones]
        assert before == [str(role) for role in DEAL]
        assert after == [str(role) for role in OTHER_DEAL]
        assert box.press("ja")["ok"]
        box.reaches("ask")


def test_the_night_stands_still_and_goes_on(tmp_path: Path) -> None:
    """`nein` in the night lets it wait, the table page says so, and `ja` goes on where it stood."""
    with running(tmp_path, standing=True) as box:
        to_the_night(box)
        close = script(box, 7)[0][1]
        box.shows(close)
        assert box.press("nein")["ok"]
        assert box.table()["night_paused"] is True
        assert box.press("ja")["ok"]
        assert box.table()["night_paused"] is False
        assert box.table()["phase"] == "night"


# --- nobody learns anything ------------------------------------------------------------------------------------------


@pytest.fixture
def short_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the status light show a refusal for a moment only: nothing else here takes its time."""
    monkeypatch.setattr(presses, "REFUSAL_SECONDS", 0.001)


def whole_evening(tmp_path: Path, deal: tuple[Role, ...]) -> tuple[RunningBox, list[Phone], Phone]:
    """Play from the lobby to the first vote, with everybody looking at everything at every moment."""
    with running(tmp_path, deals=[deal], first=2) as box:
        # The welcome has been said before anybody looks.
        box.silence()
        phones = box.phones(*SEVEN)
        stranger = box.phone()

        def everybody_looks_around() -> None:
            box.silence()
            eventually(lambda: not box.companion.feed.snapshot.refusing)
            for phone in (*phones, stranger):
                for path in (
                    "/",
                    "/api/me",
                    "/api/table",
                    "/table",
                    "/panel",
                    "/api/panel",
                    "/host",
                    "/healthz",
                    "/join.svg",
                ):
                    phone.get(path)
                # The left neighbour's cards are asked for too.
                for path in CARDS[:3]:
                    neighbour = 1 if phone is stranger else (phones.index(phone) + 1) % 7 + 1
                    assert phone.post(path, seat=neighbour).status == (401 if phone is stranger else 403)

        everybody_looks_around()
        stranger.post("/api/panel", button="ja", held=False)
        everybody_looks_around()
        for phone in phones:
            stranger.post("/api/panel", button="ja", held=False)
            for path in CARDS[:2]:
                assert phone.post(path).status == 200
            everybody_looks_around()
        stranger.post("/api/panel", button="ja", held=False)
        box.reaches("ask")
        everybody_looks_around()
        stranger.post("/api/panel", button="ja", held=False)
        everybody_looks_around()
        stranger.post("/api/panel", button="ja", held=False)
        everybody_looks_around()
        assert box.table()["phase"] == "legislative_session"
    return box, phones, stranger


@pytest.mark.usefixtures("short_refusals")
def test_nothing_that_anybody_gets_depends_on_anothers_role(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two evenings that differ in the deal alone differ in the own cards alone.

    Every answer to everybody, every text that is spoken, every log record at the finest level and everything printed
    is the same, byte for byte.
    """
    caplog.set_level(logging.DEBUG)
    seen = []
    for number, deal in enumerate((DEAL, OTHER_DEAL)):
        caplog.clear()
        box, phones, stranger = whole_evening(tmp_path / str(number), deal)
        printed = capfd.readouterr()
        seen.append((box, phones, stranger, [(r.levelname, r.name, r.getMessage()) for r in caplog.records], printed))
    (box, phones, stranger, log, printed), (box_2, phones_2, stranger_2, log_2, printed_2) = seen

    for one, other in zip((*phones, stranger), (*phones_2, stranger_2), strict=True):
        assert len(one.answers) == len(other.answers)
        for (asked, answer), (asked_2, answer_2) in zip(one.answers, other.answers, strict=True):
            assert asked == asked_2
            if asked.removeprefix("POST ") in CARDS and answer.status == 200:
                assert (answer.headers["cache-control"], len(answer.body)) == ("no-store", 4096)
                assert len(answer_2.body) == len(answer.body)
            else:
                assert comparable(answer) == comparable(answer_2), asked
    assert box.output.said() == box_2.output.said()
    assert box.output.said() == box_2.output.said()
    assert log == log_2
    assert printed == printed_2


@pytest.mark.usefixtures("short_refusals")
def test_an_own_card_depends_on_the_own_role_alone(tmp_path: Path) -> None:
    """Among seven, everybody with one role gets one card, byte for byte: nobody's ally is on it."""
    cards: dict[tuple[str, Role], set[bytes]] = {}
    for number, deal in enumerate((DEAL, OTHER_DEAL)):
        _, phones, _ = whole_evening(tmp_path / str(number), deal)
        for phone, role in zip(phones, deal, strict=True):
            for asked, answer in phone.answers:
                if asked.removeprefix("POST ") in CARDS[:2] and answer.status == 200:
                    cards.setdefault((asked, role), set()).add(answer.body)
    assert {key: len(bodies) for key, bodies in cards.items()} == dict.fromkeys(cards, 1)
    role, membership = (f"POST {path}" for path in CARDS[:2])
    assert len({next(iter(cards[role, each])) for each in Role}) == 3
    # A membership card cannot tell Hitler from a Fascist.
    assert cards[membership, F] == cards[membership, H] != cards[membership, L]


# --- power cuts ------------------------------------------------------------------------------------------------------


def test_a_restart_in_the_middle_of_a_game_keeps_everything(tmp_path: Path) -> None:
    """After the plug was pulled the same cookies have the same seats and roles, and the game stands where it stood."""
    with running(tmp_path / "box", first=3) as box:
        phones = to_the_night(box)
        box.reaches("ask")
        box.press("ja")
        box.press("ja")
        before = box.table()
        cards = [look(phone) for phone in phones]
        # The disk as it is at this moment, with the box still running.
        shutil.copytree(tmp_path / "box", tmp_path / "again")
    with running(tmp_path / "again") as box:
        after = box.table()
        assert {key: after[key] for key in before if key not in ("caption", "stamp", "version", "troubles")} == {
            key: before[key] for key in before if key not in ("caption", "stamp", "version", "troubles")
        }
        for phone in phones:
            phone.port = box.port
        assert [look(phone) for phone in phones] == cards
        assert [phone.get("/api/me").json["seat"] for phone in phones] == list(range(1, 8))
        assert box.press("liberal")["ok"]
        assert box.table()["liberal_policies"] == 1


def test_a_night_that_the_power_cut_short_waits_to_be_begun_again(tmp_path: Path) -> None:
    """After a power cut in the night the box says so and waits; `ja` begins the night from its first line."""
    with running(tmp_path / "box", standing=True) as box:
        to_the_night(box)
        box.shows(script(box, 7)[0][1])
        shutil.copytree(tmp_path / "box", tmp_path / "again")
    with running(tmp_path / "again") as box:
        box.shows(box.sentence("night_interrupted"))
        box.silence()
        assert (box.table()["phase"], box.table()["night_paused"]) == ("night", True)
        close = box.companion.language("").pronounce(script(box, 7)[0][1])
        assert close not in box.output.said()
        assert box.press("ja")["ok"]
        box.reaches("ask")
        box.silence()
        assert box.output.said().count(close) == 1


# --- real role cards -------------------------------------------------------------------------------------------------


def test_with_real_role_cards_nothing_is_dealt(tmp_path: Path) -> None:
    """`--roles cards`: the panel sets the number, `ja` starts that table's night at once, and no phone has a role."""
    with running(tmp_path, roles="cards", first=2) as box:
        assert box.table()["players"] == 5
        box.press("liberal")
        box.press("liberal")
        assert box.table()["players"] == 7
        assert box.press("fascist")["ok"]
        assert box.table()["players"] == 6
        assert box.press("ja")["ok"]
        assert box.reaches("ask")["roles"] is None
        assert box.phone().post("/api/me/role").status == 401
        box.silence()
        speak = box.companion.language("").pronounce
        spoken = [speak(text) for _, text in script(box, 6) if text]
        assert [text for text in box.output.said() if text in spoken] == spoken
        # Something went wrong: the night begins again, with the cards that people hold.
        assert box.press("nein")["ok"]
        box.reaches("ask")
        box.silence()
        assert [text for text in box.output.said() if text in spoken] == spoken * 2
        assert box.press("ja")["ok"]
        assert box.reaches("election")["president"] == 2


def test_the_sounds_of_the_night_are_played(tmp_path: Path) -> None:
    """The masking bed sounds through the night, and is over when it is."""
    with running(tmp_path) as box:
        to_the_night(box)
        box.reaches(Phase.ASK)
        box.silence()
        bed = [each.what for each in box.output.heard if each.track is Track.BED]
        assert bed[0] == "loop"
        assert bed[-1] == "stop"
