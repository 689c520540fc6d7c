"""What each phone gets, and above all what it does not."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any, cast

import pytest

from companion import languages
from companion.game import commands
from companion.game.vocabulary import Phase, Policy, Role
from companion.phones import cards
from tests.phones.fake_box import FakeBox
from tests.phones.table import Table, post

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.phones.table import Phone
PUBLIC_PAGES = ("/", "/table", "/api/table", "/api/me", "/healthz", "/join.svg", "/game.svg")


def everything(client: Phone, paths: tuple[str, ...] = PUBLIC_PAGES) -> str:
    """Return every byte that a phone gets without asking for a card: bodies and headers."""
    answers = [client.get(path) for path in paths]
    return "\n".join(f"{answer.headers}\n{answer.get_data(as_text=True)}" for answer in answers)


def role_word(role: Role) -> re.Pattern[str]:
    """Match a role as a word of its own, as an answer or a page would name it; policies and goals may be spoken of.

    As a key of JSON it is the name of a button, the same for everybody.
    """
    return re.compile(rf'"role": ?"|"party": ?"|class="role"|>{role}<|"{role}"(?! ?:)', re.IGNORECASE)


@pytest.mark.parametrize("players", [5, 6, 7, 10])
def test_each_phone_gets_its_own_role_and_the_same_length(seated: Callable[[int], Table], players: int) -> None:
    """Role, party and knowledge are right for each, and no length tells them apart."""
    table = seated(players)
    table.deal()
    answers = [post(phone, "/api/me/role") for phone in table.phones]
    roles = [answer.json["role"] for answer in answers]  # type: ignore[index]
    assert roles == [str(role) for role in table.box.roles()]
    assert {len(answer.data) for answer in answers} == {cards.ANSWER_BYTES}
    assert len({str(sorted(answer.headers.items())) for answer in answers}) == 1
    for answer in answers:
        content = answer.json
        assert content is not None
        assert content["party"] == str(Role(content["role"]).party)
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("code", languages.codes())
@pytest.mark.parametrize("players", [5, 7])
@pytest.mark.parametrize("allies", [False, True])
def test_cards_are_of_one_length_in_every_language(code: str, players: int, allies: bool) -> None:
    """With names of allies too, and with the longest names."""
    box = FakeBox()
    table = Table(box, names_of_allies=allies)
    for seat in range(players):
        table.join("Ж" * 23 + chr(ord("а") + seat), code)
    table.play()
    for path in ("/api/me/role", "/api/me/membership", "/api/me/investigations"):
        assert {len(post(phone, path).data) for phone in table.phones} == {cards.ANSWER_BYTES}
    for kind in cards.KINDS:
        pages = [phone.post("/me/card", data={"card": kind}) for phone in table.phones]
        assert {(page.status_code, len(page.data)) for page in pages} == {(200, 8192)}


@pytest.mark.parametrize("players", [5, 7, 9])
def test_by_default_a_card_names_nobody(seated: Callable[[int], Table], players: int) -> None:
    """The night is played with closed eyes: a card says in words what its player knows, and why."""
    table = seated(players)
    table.deal()
    for phone in table.phones:
        text = post(phone, "/api/me/role").get_data(as_text=True)
        for player in table.box.evening.seating.players:
            assert player.name not in text


def test_with_a_night_on_the_phones_fascists_read_their_allies() -> None:
    """Fascists read all of theirs, Hitler among seven nobody, Liberals nobody."""
    box = FakeBox()
    table = Table(box, names_of_allies=True)
    table.sit(7)
    table.play()
    names = [player.name for player in box.evening.seating.players]
    roles = box.roles()
    fascists = {name for name, role in zip(names, roles, strict=True) if role is not Role.LIBERAL}
    for phone, name, role in zip(table.phones, names, roles, strict=True):
        knows = " ".join(post(phone, "/api/me/role").json["knows"])  # type: ignore[index]
        named = {each for each in names if each in knows}
        assert named == (fascists - {name} if role is Role.FASCIST else set())


def test_the_membership_card_cannot_tell_hitler_from_a_fascist(seated: Callable[[int], Table]) -> None:
    """Byte for byte the same."""
    table = seated(7)
    table.deal()
    answers = {
        role: post(phone, "/api/me/membership").data
        for phone, role in zip(table.phones, table.box.roles(), strict=True)
    }
    assert answers[Role.HITLER] == answers[Role.FASCIST]
    assert answers[Role.HITLER] != answers[Role.LIBERAL]
    assert b"itler" not in answers[Role.HITLER]


def test_nothing_but_the_card_itself_tells_a_role(
    seated: Callable[[int], Table], caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages, headers, states and the log at DEBUG are the same whoever got which role."""
    caplog.set_level(logging.DEBUG)

    def shown(roles: tuple[Role, ...]) -> list[str]:
        table = seated(7)
        table.box.do(commands.DealRoles(roles))
        heard = []
        for phone in table.phones:
            post(phone, "/api/me/role")
            post(phone, "/api/me/membership")
            heard.append(everything(phone))
        heard.append(everything(table.phone(), ("/", "/table", "/api/table")))
        # Secrets, stamps and dates are random or of the moment; everything else has to be equal.
        noise = re.compile(r"seat=[\w-]+|[0-9a-f]{8}-\d+|(ETag|Date): .*|Expires=[^;]*")
        return [noise.sub("", text) for text in heard]

    one = shown((Role.HITLER, Role.FASCIST, Role.FASCIST, *[Role.LIBERAL] * 4))
    other = shown((*[Role.LIBERAL] * 4, Role.FASCIST, Role.FASCIST, Role.HITLER))
    assert one == other
    written = caplog.text + "".join(capsys.readouterr())
    assert not re.search(r"hitler|role[^s_-]", written, re.IGNORECASE)


def test_no_page_or_state_names_a_role_before_the_end(seated: Callable[[int], Table]) -> None:
    """Not the own page either: a card is asked for only while it is held."""
    table = seated(7)
    for step in range(5):
        for phone in (*table.phones, table.phone()):
            text = everything(phone)
            for role in Role:
                assert not role_word(role).search(text), (step, role)
            assert '"roles":null' in text
        table.box.push("ja", held=True)


def test_at_game_over_everybody_sees_all_roles(seated: Callable[[int], Table]) -> None:
    """Right, on phones and table alike."""
    table = seated(5)
    table.play()
    while table.box.evening.game.phase is not Phase.GAME_OVER:
        if table.box.evening.game.phase is Phase.ELECTION:
            table.box.do(commands.Vote(elected=False))
        else:
            table.box.do(commands.EnactPolicy(Policy.LIBERAL))
    state = table.phone().get("/api/table").json
    assert state is not None
    assert state["roles"] == [str(role) for role in table.box.roles()]
    assert state["winner"] == "liberal"
    for page in ("/", "/table"):
        html = table.phones[0].get(page).get_data(as_text=True)
        assert html.count('class="role"') == 5
        assert languages.load("en").page["winner_liberal"] in html


@pytest.mark.parametrize("sent", [{"seat": 2}, {"seat": 99}, {"seat": -1}, {"seat": 0}])
def test_no_phone_gets_the_card_of_another_seat(seated: Callable[[int], Table], sent: dict[str, int]) -> None:
    """The cookie decides, not the number that a phone sends."""
    table = seated(5)
    table.deal()
    for path in ("/api/me/role", "/api/me/membership", "/api/me/investigations"):
        answer = post(table.phones[0], path, sent)
        assert answer.status_code == 403
        assert "role" not in (answer.json or {})


def test_looking_at_the_role_is_noted_once_in_the_deal(seated: Callable[[int], Table]) -> None:
    """The membership card alone is no look at the role; a second look changes nothing."""
    table = seated(5)
    table.deal()
    post(table.phones[1], "/api/me/membership")
    assert table.box.evening.game.looked == frozenset()
    post(table.phones[1], "/api/me/role")
    version = table.box.feed.snapshot.version
    post(table.phones[1], "/api/me/role")
    assert table.box.evening.game.looked == {2}
    assert table.box.feed.snapshot.version == version


def test_cards_can_be_looked_at_when_dead_and_at_any_time(seated: Callable[[int], Table]) -> None:
    """Hitler who forgot to be Hitler looks again."""
    table = seated(5)
    table.deal()
    for _ in range(4):
        assert all(post(phone, "/api/me/role").status_code == 200 for phone in table.phones)
        table.box.push("ja", held=True)


def test_what_a_president_saw_is_theirs_alone_and_stays(seated: Callable[[int], Table]) -> None:
    """It survives a reload and a new phone; the investigated player and the others get nothing of it."""
    table = seated(9)
    table.play()
    table.box.push("ja", held=False)
    table.box.push("fascist", held=False)
    president, target = 1, table.box.evening.game.eligible_targets[0]
    assert post(table.phones[0], "/me/power", {"player": target}).json["ok"]  # type: ignore[index]
    party = str(table.box.roles()[target - 1].party)
    for _ in range(2):
        card = cast("dict[str, Any]", post(table.phones[0], "/api/me/investigations").json)
        assert card["seen"] == [{"seat": target, "party": party}]
        assert card["title"].endswith(f": {languages.load('en').terms[party]}"), "what was looked for is the headline"
    for seat, phone in enumerate(table.phones, 1):
        if seat != president:
            assert post(phone, "/api/me/investigations").json["seen"] == []  # type: ignore[index]
            assert 'data-card="investigations"' not in phone.get("/").get_data(as_text=True)
    assert 'data-card="investigations"' in table.phones[0].get("/").get_data(as_text=True)


def test_without_dealt_roles_there_is_no_card(seated: Callable[[int], Table]) -> None:
    """In the lobby, and with real role cards: a sentence, and no button to press."""
    table = seated(5)
    assert post(table.phones[0], "/api/me/role").json["code"] == "not_now"  # type: ignore[index]
    table.box.do(commands.BeginNight())
    answer = post(table.phones[0], "/api/me/role")
    assert (answer.status_code, answer.json["code"]) == (409, "no_roles")  # type: ignore[index]
    table.box.push("ja", held=False)
    assert "data-card" not in table.phones[0].get("/").get_data(as_text=True)


def test_a_card_is_the_same_work_for_every_role() -> None:
    """What is sent differs in content alone: same keys in the same order, and facts of the same number."""
    shapes = set()
    table = Table(FakeBox())
    table.sit(7)
    table.deal()
    for phone in table.phones:
        content = json.loads(post(phone, "/api/me/role").data)
        shapes.add((tuple(content), tuple(label for label, _ in content["facts"]), len(content["knows"])))
    assert len(shapes) == 1


def test_a_card_does_not_show_itself_in_a_repr(seated: Callable[[int], Table]) -> None:
    """So that no log line or traceback ever holds one."""
    table = seated(5)
    table.deal()
    for seat in range(1, 6):
        found = cards.card(table.box.evening, seat, "role", languages.load("en"), names_of_allies=True)
        assert repr(found) == "Card()"


def test_the_page_without_scripts_shows_a_card_and_goes_away(seated: Callable[[int], Table]) -> None:
    """It refreshes itself away after five seconds, is never stored, and its address names nothing."""
    table = seated(5)
    table.deal()
    page = table.phones[0].post("/me/card", data={"card": "role", "seat": "1"})
    html = page.get_data(as_text=True)
    assert '<meta http-equiv="refresh" content="5;url=/">' in html
    assert page.headers["Cache-Control"] == "no-store"
    assert table.phones[0].post("/me/card", data={"card": "role", "seat": "2"}).status_code == 403
    assert table.phones[0].post("/me/card", data={"card": "everything"}).status_code == 400


def test_a_shared_phone_shows_each_of_its_players_their_own(seated: Callable[[int], Table]) -> None:
    """Each look begins with a hand-over that names who may look."""
    table = seated(5)
    table.make_host(table.phones[0])
    owner = table.box.evening.seating.players[2]
    assert table.phones[0].post("/host/share", data={"name": "Kim", "with_player": str(owner.id)}).status_code == 303
    table.deal()
    phone = table.phones[2]
    assert phone.get("/api/me").json["seats"] == [3, 6]  # type: ignore[index]
    roles = [post(phone, "/api/me/role", {"seat": seat}).json["role"] for seat in (3, 6)]  # type: ignore[index]
    assert roles == [str(table.box.roles()[seat - 1]) for seat in (3, 6)]
    html = phone.get("/").get_data(as_text=True)
    assert html.count("handover ready") == 2
    assert post(table.phones[0], "/api/me/role", {"seat": 6}).status_code == 403
