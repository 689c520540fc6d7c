"""What a phone may decide, and that no other may."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest
from markupsafe import escape

from companion import languages
from companion.game import commands
from companion.game.views import moment
from companion.game.vocabulary import Phase, Policy
from companion.languages import load
from companion.phones.context import Phones
from tests.phones.fake_box import FakeBox
from tests.phones.table import NAMES, Table, post

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.commands import Command
    from companion.game.state import Game
    from tests.phones.table import Phone


def test_the_candidates_phone_nominates_and_offers_only_eligible_names(seated: Callable[[int], Table]) -> None:
    """Everybody else's page offers nothing."""
    table = seated(7)
    table.play()
    assert table.phones[0].get("/api/me").json["may"]["nominate"] == [2, 3, 4, 5, 6, 7]  # type: ignore[index]
    assert 'action="/me/nominate"' in table.phones[0].get("/").get_data(as_text=True)
    for phone in table.phones[1:]:
        assert phone.get("/api/me").json["may"]["nominate"] == []  # type: ignore[index]
        assert 'action="/me/nominate"' not in phone.get("/").get_data(as_text=True)
    assert table.phones[0].post("/me/nominate", data={"chancellor": "3"}).status_code == 303
    assert table.box.evening.game.chancellor == 3


def test_each_phone_tells_its_player_what_they_are_now(seated: Callable[[int], Table]) -> None:
    """In large type: the candidate, the nominated, who cannot be Chancellor, and the executed, who stay silent."""
    table = seated(7)
    table.play()
    words = load("en").page

    def told(seat: int) -> str:
        page = table.phones[seat - 1].get("/").get_data(as_text=True)
        found = re.search(r'<p class="me[^"]*">(.*?)</p>', page, re.DOTALL)
        return re.sub(r"\s*<[^>]*>\s*", "|", html.unescape(found[1])) if found else ""

    assert words["candidate_label"] in told(1)
    assert told(2) == ""
    table.box.do(commands.Nominate(3))
    assert words["nominated_label"] in told(3)
    table.box.do(commands.Vote(elected=True))
    assert words["president_label"] in told(1)
    assert words["chancellor_label"] in told(3)
    table.box.do(commands.EnactPolicy(Policy.FASCIST))
    assert words["term_limited_label"] in told(1)
    assert words["term_limited_label"] in told(3)
    for _ in range(3):
        table.box.do(commands.Vote(elected=True))
        if table.box.evening.game.phase is Phase.HITLER_CHECK:
            table.box.do(commands.Answer(hitler=False))
        table.box.do(commands.EnactPolicy(Policy.FASCIST))
        game = table.box.evening.game
        table.box.do(commands.UsePower(next(seat for seat in game.eligible_targets if not game.is_hitler(seat))))
    (executed,) = table.box.evening.game.executed
    assert words["dead_silent"] in told(executed)


def test_the_table_page_says_who_acts_and_which_buttons_count(seated: Callable[[int], Table]) -> None:
    """One sentence rules the screen, with the names marked, and under it the buttons that count with their meaning."""
    table = seated(5)
    table.play()

    def counts() -> list[str]:
        page = table.phone().get("/table").get_data(as_text=True)
        return re.findall(r'<li class="counts (\w+)">', page)

    page = table.phone().get("/table").get_data(as_text=True)
    assert f"<em><bdi>{NAMES[0]}</bdi></em>" in page
    assert counts() == ["ja", "nein"]
    table.box.do(commands.Vote(elected=True))
    assert counts() == ["liberal", "fascist"]
    table.box.do(commands.EnactPolicy(Policy.LIBERAL))
    assert counts() == ["ja", "nein"]


def test_a_nomination_can_be_changed_until_the_vote(seated: Callable[[int], Table]) -> None:
    """The candidate's own phone offers it again, with the name that stands; after the vote nobody's does."""
    table = seated(7)
    table.play()
    phone = table.phones[0]
    first = _moment(phone)
    assert phone.post("/me/nominate", data={"chancellor": "3", "moment": first}).status_code == 303
    page = phone.get("/").get_data(as_text=True)
    assert 'value="3" required checked' in page
    assert page.count(" checked") == 1
    assert phone.get("/api/me").json["may"]["nominate"] == [2, 3, 4, 5, 6, 7]  # type: ignore[index]
    # An impatient thumb sends the same form twice, and changes its mind on a page that has not been renewed.
    assert phone.post("/me/nominate", data={"chancellor": "3", "moment": first}).status_code == 303
    assert phone.post("/me/nominate", data={"chancellor": "5", "moment": first}).status_code == 303
    assert table.box.evening.game.chancellor == 5
    assert 'value="5" required checked' in phone.get("/").get_data(as_text=True)
    for other in table.phones[1:]:
        assert 'action="/me/nominate"' not in other.get("/").get_data(as_text=True)
    table.box.do(commands.Vote(elected=True))
    assert 'action="/me/nominate"' not in phone.get("/").get_data(as_text=True)
    assert phone.post("/me/nominate", data={"chancellor": "6", "moment": first}).status_code == 409
    assert table.box.evening.game.chancellor == 5


def test_a_second_phone_cannot_act_for_a_seat(seated: Callable[[int], Table]) -> None:
    """Not with the seat's number, not with a player's id, not as a stranger: 403 or 401, and nothing changes."""
    table = seated(7)
    table.play()
    before = table.box.evening
    assert post(table.phones[1], "/me/nominate", {"chancellor": 3, "seat": 1, "player": 1}).status_code == 403
    assert post(table.phone(), "/me/nominate", {"chancellor": 3}).status_code == 401
    assert post(table.phones[1], "/me/power", {"player": 3}).status_code == 403
    assert table.box.evening is before


def test_a_refused_nomination_says_why_in_the_phones_language(seated: Callable[[int], Table]) -> None:
    """409 with the code of the refusal."""
    table = seated(7)
    table.play()
    post(table.phones[0], "/me/language", {"language": "ru"})
    answer = post(table.phones[0], "/me/nominate", {"chancellor": 1})
    assert answer.status_code == 409
    assert answer.json == {"ok": False, "code": "own_chancellor", "error": load("ru").refusals["own_chancellor"]}
    page = table.phones[0].post("/me/nominate", data={"chancellor": "1"})
    assert load("ru").refusals["own_chancellor"] in page.get_data(as_text=True)


def test_the_presidents_phone_chooses_the_target_of_a_power(seated: Callable[[int], Table]) -> None:
    """Only eligible players are offered; the power is used once."""
    table = seated(7)
    table.play()
    for _ in range(2):
        table.box.do(commands.Vote(elected=True), commands.EnactPolicy(Policy.FASCIST))
    assert table.box.evening.game.phase is Phase.EXECUTIVE_ACTION
    assert table.phones[1].get("/api/me").json["may"]["power"] == [3, 4, 5, 6, 7, 1]  # type: ignore[index]
    assert table.phones[1].post("/me/power", data={"player": "4"}).status_code == 303
    assert table.box.evening.game.investigations == ((2, 4),)
    assert table.phones[1].post("/me/power", data={"player": "5"}).status_code in (403, 409)


def test_policy_peek_needs_no_player(seated: Callable[[int], Table]) -> None:
    """The President's phone confirms it."""
    table = seated(5)
    table.play()
    for _ in range(3):
        table.box.do(commands.Vote(elected=True), commands.EnactPolicy(Policy.FASCIST))
    assert table.box.evening.game.pending_power == "policy_peek"
    assert 'action="/me/power"' in table.phones[2].get("/").get_data(as_text=True)
    assert table.phones[2].post("/me/power", data={}).status_code == 303
    assert table.box.evening.game.phase is Phase.ELECTION


def test_host_rights_come_with_a_press_on_the_box(seated: Callable[[int], Table]) -> None:
    """Asking alone gives none; afterwards this phone may do what the panel can."""
    table = seated(5)
    phone = table.phones[3]
    assert phone.get("/host").status_code == 403
    phone.post("/me/host")
    assert phone.get("/host").status_code == 403
    assert NAMES[3] in table.phones[0].get("/").get_data(as_text=True)
    table.box.grant()
    assert phone.get("/host").status_code == 200
    assert phone.get("/api/me").json["host"] is True  # type: ignore[index]
    assert table.phones[0].get("/host").status_code == 403
    assert post(phone, "/host/press", {"button": "ja"}).json["ok"] is True  # type: ignore[index]
    assert table.box.evening.game.phase is Phase.DEAL


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("rename", {"player": 1, "name": "Zed"}),
        ("remove", {"player": 2}),
        ("move", {"player": 1, "seat": 3}),
        ("share", {"name": "Kim", "with_player": 1}),
        ("press", {"button": "ja"}),
    ],
)
def test_only_the_host_arranges_the_table(seated: Callable[[int], Table], path: str, sent: dict[str, object]) -> None:
    """Everybody else is turned away and nothing changes; the host's phone does it."""
    table = seated(6)
    before = table.box.evening
    assert post(table.phones[1], f"/host/{path}", sent).status_code == 403
    assert post(table.phone(), f"/host/{path}", sent).status_code == 401
    assert table.box.evening is before
    table.make_host(table.phones[0])
    answer = post(table.phones[0], f"/host/{path}", sent)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert table.box.evening is not before


def test_the_host_may_nominate_for_the_candidate(seated: Callable[[int], Table]) -> None:
    """All that the panel can."""
    table = seated(5)
    table.make_host(table.phones[4])
    table.play()
    assert post(table.phones[4], "/me/nominate", {"chancellor": 2}).status_code == 200


def test_a_removed_player_is_a_stranger_again(seated: Callable[[int], Table]) -> None:
    """The cookie opens nothing any more, and may sit down anew."""
    table = seated(6)
    table.make_host(table.phones[0])
    post(table.phones[0], "/host/remove", {"player": table.box.evening.seating.players[1].id})
    assert table.phones[1].get("/api/me").status_code == 401
    assert table.phones[1].post("/join", data={"name": "Again"}).status_code == 303


def test_the_panel_answers_this_machine_and_the_hosts_phone_only(seated: Callable[[int], Table]) -> None:
    """Pages, lights and presses alike; this machine may call the box by the address that it prints, too."""
    table = seated(5)
    here, by_its_address = table.phone("127.0.0.1"), table.phone("192.168.4.1")
    for client, status in ((here, 200), (by_its_address, 200), (table.phones[0], 403), (table.phone(), 403)):
        assert client.get("/panel").status_code == status
        assert client.get("/api/panel").status_code == status
        assert post(client, "/api/panel", {"button": "repeat"}).status_code == status
    table.make_host(table.phones[0])
    assert table.phones[0].get("/api/panel").status_code == 200


def test_the_panel_shows_its_lights_and_says_what_a_press_came_to(seated: Callable[[int], Table]) -> None:
    """The answer comes when the press has been decided."""
    table = seated(5)
    here = table.phone("127.0.0.1")
    picture = here.get("/api/panel").json
    assert picture is not None
    assert [len(picture[row]) for row in ("liberal", "fascist", "tracker")] == [5, 6, 3]
    assert isinstance(picture["status"], str)
    pressed = post(here, "/api/panel", {"button": "ja", "held": False}).json
    assert pressed is not None
    assert pressed["ok"] is True
    assert pressed["version"] == table.box.feed.snapshot.version
    assert table.box.presses[-1] == ("ja", False)
    assert post(here, "/api/panel", {"button": "liberal"}).json["ok"] is False  # type: ignore[index]
    assert table.box.chords == []
    assert post(here, "/api/panel", {"button": "liberal", "with": "repeat"}).json["ok"] is True  # type: ignore[index]
    assert here.post("/panel", data={"button": "fascist", "with": "repeat"}).status_code == 303
    assert table.box.chords == [("repeat", "liberal"), ("repeat", "fascist")]
    for nonsense in ("nobody", 7, None, ["repeat"]):
        assert post(here, "/api/panel", {"button": "liberal", "with": nonsense}).status_code == 400
    assert here.post("/panel", data={"button": "nein", "held": "true"}).status_code == 303
    assert table.box.presses[-1] == ("nein", True)


def test_without_a_panel_on_the_screen_there_is_no_such_page() -> None:
    """404 for everybody; the host's phone still has the buttons."""
    table = Table(FakeBox(web_panel=False))
    table.sit(5)
    table.make_host(table.phones[0])
    for client in (table.phone("127.0.0.1"), table.phones[0]):
        assert client.get("/panel").status_code == 404
        assert post(client, "/api/panel", {"button": "ja"}).status_code == 404
    assert post(table.phones[0], "/host/press", {"button": "ja"}).status_code == 200


def test_the_state_has_everything_that_the_contract_names(seated: Callable[[int], Table]) -> None:
    """Public state as the referee prints it, with names, caption, choice and a version that grows."""
    table = seated(6)
    state = table.phone().get("/api/table").json
    assert state is not None
    assert state["phase"] == "lobby"
    assert state["alive"] == [1, 2, 3, 4, 5, 6]
    assert state["names"] == list(NAMES[:6])
    table.box.feed.post(caption="Hear, hear", choice=3)
    after = table.phone().get("/api/table").json
    assert after is not None
    assert (after["caption"], after["choice"]) == ("Hear, hear", 3)
    assert after["version"] > state["version"]


def test_a_state_that_is_known_is_not_sent_again(seated: Callable[[int], Table]) -> None:
    """By its ETag; a box that started anew does not take an old one for its own."""
    table = seated(5)
    for client, path in ((table.phone(), "/api/table"), (table.phones[0], "/api/me")):
        etag = client.get(path).headers["ETag"]
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
        assert Table(table.box).phone().get("/api/table", headers={"If-None-Match": etag}).status_code == 200
        table.box.feed.post(caption=path)
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 200


def test_a_caption_alone_makes_no_page_anew(seated: Callable[[int], Table]) -> None:
    """Its stamp stays, so ten phones do not fetch ten pages for each spoken line."""
    table = seated(5)
    phones: Phones = table.app.extensions["phones"]
    stamp = phones.stamps.of(table.box.feed.snapshot)
    table.box.feed.post(caption="A line")
    assert phones.stamps.of(table.box.feed.snapshot) == stamp
    table.deal()
    assert phones.stamps.of(table.box.feed.snapshot) != stamp


def test_at_night_every_screen_is_black_and_shows_words_only(seated: Callable[[int], Table]) -> None:
    """Phones and the screen on the table; no card can be held while eyes are closed."""
    table = seated(5)
    table.deal()
    table.box.push("ja", held=True)
    assert table.box.evening.game.phase is Phase.NIGHT
    for client, path in ((table.phones[0], "/"), (table.phone(), "/table"), (table.phone(), "/")):
        html = client.get(path).get_data(as_text=True)
        assert 'class="dark' in html.replace('class="own dark', 'class="dark').replace(
            'class="table dark', 'class="dark'
        ).replace('class="join dark', 'class="dark')
        assert load("en").page["night_text"] in html
        assert NAMES[1] not in html
        assert "data-card" not in html


def test_the_monitor_hears_whether_the_box_answers(table: Table) -> None:
    """200 and a version."""
    answer = table.phone().get("/healthz")
    assert (answer.status_code, answer.json["version"]) == (200, table.box.feed.snapshot.version)  # type: ignore[index]


def next_report(game: Game, *, chaos_seen: bool) -> Command | None:
    """Return what leads through every phase, chaos and a refused veto included; None where ja goes on."""
    if game.can_propose_veto:
        return commands.ProposeVeto()
    policy = Policy.FASCIST if game.fascist_policies < 5 else Policy.LIBERAL
    reports: dict[Phase, Command] = {
        Phase.EXECUTIVE_ACTION: commands.UsePower(game.eligible_targets[0] if game.eligible_targets else None),
        Phase.VETO: commands.AnswerVeto(agreed=False),
        Phase.LEGISLATIVE_SESSION: commands.EnactPolicy(policy),
        Phase.CHAOS: commands.EnactPolicy(Policy.LIBERAL),
        Phase.ELECTION: commands.Vote(elected=chaos_seen),
        Phase.HITLER_CHECK: commands.Answer(hitler=False),
    }
    return reports.get(game.phase)


@pytest.mark.parametrize("code", languages.codes())
def test_every_page_can_be_made_in_every_language_in_every_phase(code: str) -> None:
    """No text is missing, whatever happens at the table."""
    table = Table(FakeBox())
    for name in NAMES[:9]:
        table.join(name, code)
    table.make_host(table.phones[0])
    table.box.do(commands.ChooseLanguage(code))
    clients = (table.phones[0], table.phones[1], table.phone("127.0.0.1"))
    seen = set()
    for _ in range(200):
        game = table.box.evening.game
        if game.phase not in seen:
            seen.add(game.phase)
            for client in clients:
                for path in ("/", "/table", "/host", "/panel"):
                    assert client.get(path).status_code in (200, 401, 403), (path, game.phase)
        if game.phase is Phase.GAME_OVER:
            break
        report = next_report(game, chaos_seen=Phase.CHAOS in seen)
        if report is None:
            table.box.push("ja", held=True)
        else:
            table.box.do(report)
    assert seen == set(Phase)


# --- what comes in between -------------------------------------------------------------------------------------------


def test_a_nomination_that_comes_too_late_is_not_the_next_candidates(seated: Callable[[int], Table]) -> None:
    """Between the tap and its decision somebody reports a failed vote: the tap was meant for a turn that is over."""
    table = seated(7)
    table.play()
    table.box.meanwhile.append(lambda: table.box.do(commands.Vote(elected=False)))
    answer = post(table.phones[0], "/me/nominate", {"chancellor": 4})
    assert (answer.status_code, answer.json["code"]) == (409, "not_now")  # type: ignore[index]
    assert table.box.evening.game.president == 2
    assert table.box.evening.game.chancellor is None


@pytest.mark.parametrize("late", ["before", "meanwhile"])
def test_what_the_host_saw_decides_what_a_tap_means(seated: Callable[[int], Table], late: str) -> None:
    """The host may nominate for everybody, so only the moment that the page showed tells whose turn was meant."""
    table = seated(7)
    table.make_host(table.phones[5])
    table.play()
    seen = _moment(table.phones[5])
    if late == "before":
        table.box.do(commands.Vote(elected=False))
    else:
        table.box.meanwhile.append(lambda: table.box.do(commands.Vote(elected=False)))
    assert post(table.phones[5], "/me/nominate", {"chancellor": 4, "moment": seen}).status_code == 409
    assert table.box.evening.game.chancellor is None
    seen = _moment(table.phones[5])
    assert post(table.phones[5], "/me/nominate", {"chancellor": 4, "moment": seen}).status_code == 200
    assert table.box.evening.game.chancellor == 4


def test_a_power_is_not_used_for_a_power_that_came_later(seated: Callable[[int], Table]) -> None:
    """The investigation is over and a special election pending: who was to be investigated is not made candidate."""
    table = seated(7)
    table.make_host(table.phones[6])
    table.play()
    for _ in range(2):
        table.box.do(commands.Vote(elected=True), commands.EnactPolicy(Policy.FASCIST))
    seen = _moment(table.phones[6])

    def play_on() -> None:
        table.box.do(commands.UsePower(6))
        table.box.do(commands.Vote(elected=True), commands.EnactPolicy(Policy.FASCIST))

    table.box.meanwhile.append(play_on)
    assert post(table.phones[6], "/me/power", {"player": 4, "moment": seen}).status_code == 409
    assert table.box.evening.game.pending_power == "call_special_election"


def test_no_two_turns_have_the_same_name(seated: Callable[[int], Table]) -> None:
    """Whatever happens in between; only taking back leads to the same turn again."""
    table = seated(7)
    table.play()
    seen = [moment(table.box.evening.game)]
    reports: list[tuple[Command, ...]] = [
        (commands.Vote(elected=False),),
        (commands.Vote(elected=False),),
        (commands.Vote(elected=False),),
        (commands.EnactPolicy(Policy.LIBERAL),),
        (commands.Vote(elected=True),),
        (commands.EnactPolicy(Policy.FASCIST),),
        (commands.Vote(elected=True),),
        (commands.EnactPolicy(Policy.FASCIST),),
        (commands.UsePower(2),),
        (commands.Vote(elected=True),),
        (commands.EnactPolicy(Policy.FASCIST),),
        (commands.UsePower(7),),
    ]
    for report in reports:
        table.box.do(*report)
        seen.append(moment(table.box.evening.game))
    assert len(set(seen)) == len(seen)
    table.box.do(commands.TakeBack())
    assert moment(table.box.evening.game) == seen[-2]


def test_a_press_on_the_hosts_phone_does_not_answer_the_next_question(seated: Callable[[int], Table]) -> None:
    """Somebody presses ja on the box: the host's ja for the same vote must not start a new thing."""
    table = seated(7)
    table.make_host(table.phones[0])
    table.play()
    for _ in range(2):
        table.box.do(commands.Vote(elected=True), commands.EnactPolicy(Policy.LIBERAL))
    seen = _moment(table.phones[0], "/host")
    table.box.meanwhile.append(lambda: table.box.do(commands.Vote(elected=True)))
    before = table.box.evening.game
    answer = post(table.phones[0], "/host/press", {"button": "nein", "moment": seen})
    assert answer.json["ok"] is False  # type: ignore[index]
    assert answer.json["caption"] == load("en").refusals["not_now"]  # type: ignore[index]
    assert table.box.evening.game.phase is Phase.LEGISLATIVE_SESSION
    assert table.box.evening.game.election_tracker == before.election_tracker
    assert table.box.presses[-1] != ("nein", False)
    # The answer says where the table stands now, so the next press means that.
    then = answer.json["moment"]  # type: ignore[index]
    assert post(table.phones[0], "/host/press", {"button": "liberal", "moment": then}).json["ok"] is True  # type: ignore[index]


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/host/rename", {"player": 2, "name": "Zed"}),
        ("/host/remove", {"player": 2}),
        ("/host/press", {"button": "ja"}),
        ("/panel", {"button": "ja"}),
    ],
)
def test_a_right_that_is_lost_in_between_is_lost(
    seated: Callable[[int], Table], path: str, sent: dict[str, object]
) -> None:
    """The host's seat moves to another phone while the old one still asks for something."""
    table = seated(6)
    table.make_host(table.phones[0])
    table.box.meanwhile.append(lambda: table.box.feed.post(host=3))
    before = table.box.evening
    answer = post(table.phones[0], path, sent)
    assert answer.status_code == 409 or answer.json["ok"] is False  # type: ignore[index]
    assert table.box.evening is before


def test_a_seat_that_moved_in_between_nominates_by_its_new_phone_alone(seated: Callable[[int], Table]) -> None:
    """The old phone of the candidate was about to."""
    table = seated(5)
    table.play()
    table.box.meanwhile.append(lambda: table.box.do(commands.HandOverSeat(1, "claim of the new phone")))
    assert post(table.phones[0], "/me/nominate", {"chancellor": 3}).status_code == 409
    assert table.box.evening.game.chancellor is None


def _moment(phone: Phone, path: str = "/") -> str:
    """Return the moment that a page shows, as its form sends it."""
    page = phone.get(path).get_data(as_text=True)
    return page.partition('name="moment" value="')[2].partition('"')[0]


@pytest.mark.parametrize("kind", ["journal", "journal_note", "panel", "sound", "voice"])
@pytest.mark.parametrize("code", languages.codes())
def test_trouble_is_told_in_the_language_of_the_page(code: str, kind: str) -> None:
    """What does not work stands there in words for the table; why, in the words of the log, is for who mends it."""
    table = Table(FakeBox())
    table.join("Anna", code)
    host = table.join("Bo", code)
    table.make_host(host)
    table.box.feed.post_trouble(kind, "GPIO 17 does not work: it is busy.")
    html = table.phones[0].get("/").text
    assert str(escape(table.box.language(code).page[f"trouble_{kind}"])) in html
    assert "GPIO" not in html
    for path in ("/", "/host"):
        fact = '<p class="fact" lang="en" dir="ltr">GPIO 17 does not work: it is busy.</p>'
        assert fact in host.get(path).text
    table.box.feed.post_trouble(kind, "")
    assert "GPIO" not in host.get("/").text


def test_the_row_of_whoever_leads_stands_out(seated: Callable[[int], Table]) -> None:
    """The candidate, later the President, is marked in the list of every page; once the game is over nobody is."""
    table = seated(7)
    table.play()
    for path in ("/", "/table"):
        html = table.phones[3].get(path).text
        assert re.findall(r'<li class="[^"]*leads[^"]*"[^>]*>\s*<span class="number">(\d+)', html) == ["1"]
    table.box.do(commands.Vote(elected=False))
    assert re.findall(r'leads[^"]*"[^>]*>\s*<span class="number">(\d+)', table.phones[3].get("/table").text) == ["2"]


def test_the_host_reads_what_the_table_is_at(seated: Callable[[int], Table]) -> None:
    """Beside the buttons the host reads the phase and what is awaited, but for the night, when screens are black."""
    table = seated(7)
    table.make_host(table.phones[0])
    table.play()
    english = load("en")
    html = table.phones[0].get("/host").text
    sentence = english.now["election"].format(name=NAMES[0])
    assert f"<b>{english.page['phase_election']}</b><br>{escape(sentence)}" in html


def test_a_seat_without_a_name_is_called_as_the_voice_calls_it() -> None:
    """With nobody's name known the page says of a seat what the box says aloud, so that nobody takes it for another."""
    table = Table(FakeBox())
    table.box.do(commands.BeginNight())
    table.box.do(commands.EndNight())
    table.box.do(commands.BeginGame(3))
    html = table.phone().get("/table").text
    for seat in table.box.evening.game.seats:
        assert f'<span class="name">{load("en").say("player", seat=seat)}</span>' in html


def test_the_host_shuffles_seats_and_chooses_how_the_table_plays(seated: Callable[[int], Table]) -> None:
    """Each by one button, shown on the page; no other phone may."""
    table = seated(5)
    host, other = table.phones[0], table.phones[1]
    table.make_host(host)
    before = [player.name for player in table.box.evening.seating.players]
    on = {"on": "true"}
    for path, sent in (("shuffle", {}), ("pace", {"pace": "slow"}), ("teach", on), ("music", on)):
        assert other.post(f"/host/{path}", data=sent).status_code == 403
        assert host.post(f"/host/{path}", data=sent).status_code == 303
    assert [player.name for player in table.box.evening.seating.players] == before[::-1]
    shown = table.box.feed.snapshot
    assert (shown.pace, shown.teaches, shown.music) == ("slow", True, True)
    page = host.get("/host").text
    assert 'value="slow" aria-current="true"' in page
    assert 'name="on" value="false" aria-pressed="true"' in page
    assert host.post("/host/pace", data={"pace": "hasty"}).status_code == 400


def test_seats_are_not_shuffled_in_a_game(seated: Callable[[int], Table]) -> None:
    """Roles are dealt to people at their seats."""
    table = seated(5)
    table.make_host(table.phones[0])
    table.deal()
    assert table.phones[0].post("/host/shuffle").status_code == 409
    assert "/host/shuffle" not in table.phones[0].get("/host").text


def test_the_rules_are_told_to_anybody_in_their_language(table: Table) -> None:
    """A page of words and the powers of this table's board; nothing on it is secret."""
    english, polish = languages.load("en"), languages.load("pl")
    assert english.lines["rules_goals"] in table.phone().get("/rules").text
    page = table.phone().get("/rules?language=pl").text
    assert polish.lines["rules_goals"] in page
    assert polish.lines["teach_policy_peek"] in page
    assert 'href="/?language=pl"' in page
