"""What keeps others out: foreign pages, foreign names, floods of nonsense."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.game import commands
from companion.phones import security
from companion.phones.limits import Limit
from companion.phones.streams import STRANGER_PLACES, Streams
from tests.phones.fake_box import FakeBox
from tests.phones.table import ADDRESS, HOST, ORIGIN, Table, post

if TYPE_CHECKING:
    from collections.abc import Callable

GET_PATHS = (
    "/",
    "/table",
    "/panel",
    "/host",
    "/join.svg",
    "/wifi.svg",
    "/healthz",
    "/game.svg",
    "/rules",
    "/history",
    "/history/<int:number>",
    "/history/<int:number>.svg",
    "/api/me",
    "/api/table",
    "/api/panel",
)
POST_PATHS = (
    "/join",
    "/seat",
    "/panel",
    "/api/panel",
    "/api/me/role",
    "/api/me/membership",
    "/api/me/investigations",
    "/me/card",
    "/me/nominate",
    "/me/power",
    "/me/language",
    "/me/host",
    "/me/share",
    "/me/sign",
    "/me/spoken",
    "/me/leave",
    "/host/rename",
    "/host/remove",
    "/host/absent",
    "/host/move",
    "/host/share",
    "/host/shuffle",
    "/host/pace",
    "/host/teach",
    "/host/music",
    "/host/voice",
    "/host/press",
    "/history/forget",
    "/history/delete",
)


def all_rules(table: Table) -> set[tuple[str, str]]:
    """Return every address and method of the app, but for its static files and streams."""
    return {
        (rule.rule, method)
        for rule in table.app.url_map.iter_rules()
        for method in rule.methods or ()
        if method in ("GET", "POST") and rule.endpoint not in ("static", "events.events", "events.news")
    }


def test_the_lists_here_name_every_address(table: Table) -> None:
    """So that no new one escapes the tests below."""
    listed = {(path, "GET") for path in GET_PATHS} | {(path, "POST") for path in POST_PATHS}
    assert all_rules(table) == listed


@pytest.mark.parametrize(
    "host",
    [
        "192.168.4.1",
        "192.168.4.1:8080",
        "[fe80::1]:8080",
        "[::1]",
        "localhost:8080",
        "LOCALHOST",
        "companion.local",
        "Companion.Local.:80",
        socket.gethostname(),
    ],
)
def test_the_box_answers_to_its_names(table: Table, host: str) -> None:
    """Addresses, localhost, .local names and the machine's own name, in any case."""
    assert table.phone().get("/api/table", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "192.168.4.1.evil.example",
        "localhost.evil.example",
        "evil.local.example",
        "",
        "a b",
        "x@127.0.0.1",
        "127.0.0.1:99999999",
        "[::1",
        "local",
        "127.0.0.1/x",
        "evil.example:8080",
    ],
)
def test_a_foreign_name_that_points_here_gets_nothing(seated: Callable[[int], Table], host: str) -> None:
    """DNS rebinding: a page of elsewhere whose name leads to the box is turned away before anything is asked."""
    table = seated(5)
    table.deal()
    for path in GET_PATHS:
        answer = table.phones[0].get(path, headers={"Host": host})
        assert answer.status_code == 400
        assert len(answer.data) < 100
    answer = table.phones[0].post("/api/me/role", headers={"Host": host})
    assert answer.status_code == 400


def test_a_name_can_be_allowed_in_the_settings(box: FakeBox) -> None:
    """For a network with names of its own."""
    table = Table(box, allowed_hosts=["Box.Home.Example"])
    assert table.phone().get("/", headers={"Host": "box.home.example:8080"}).status_code == 200


@pytest.mark.parametrize("path", POST_PATHS)
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://192.168.4.1:8081", "http://192.168.4.1", "x"]
)
def test_a_page_of_elsewhere_cannot_post(seated: Callable[[int], Table], path: str, origin: str) -> None:
    """Whatever it sends, with the phone's cookie or without: 403 and nothing changes."""
    table = seated(5)
    before = table.box.evening
    for client in (table.phones[0], table.phone("127.0.0.1")):
        for sent in ({"json": {"button": "ja", "name": "x"}}, {"data": {"button": "ja", "name": "x"}}):
            assert client.post(path, headers={"Origin": origin}, **sent).status_code == 403
    assert table.box.evening is before
    assert table.box.presses == []


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Referer": "http://evil.example/"}])
def test_without_an_origin_other_signs_of_elsewhere_count(table: Table, headers: dict[str, str]) -> None:
    """An old browser's form betrays itself by its referrer."""
    assert table.phone().post("/join", data={"name": "Anna"}, headers=headers).status_code == 403
    assert table.phone().post("/join", data={"name": "Anna"}, headers={"Referer": f"{ORIGIN}/"}).status_code == 303


def test_a_plain_form_does_not_reach_the_interface_for_programs(table: Table) -> None:
    """From a browser, /api wants JSON or our own header, which a foreign page cannot send unasked."""
    here = table.phone("127.0.0.1")
    sent = {"data": json.dumps({"button": "ja"}), "content_type": "text/plain"}
    assert here.post("/api/panel", headers={"Origin": ORIGIN}, **sent).status_code == 403
    assert post(here, "/api/panel", {"button": "ja"}).status_code == 200


@pytest.mark.parametrize("path", [*GET_PATHS, "/nowhere", "/static/page.js"])
def test_every_answer_says_what_a_browser_may_do_with_it(table: Table, path: str) -> None:
    """Nothing framed, sniffed, loaded from elsewhere, or, but for the static files, stored."""
    answer = table.phone("127.0.0.1").get(path)
    # A file that is sent stays open until its answer is closed.
    answer.close()
    headers = answer.headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == ("no-cache" if path in ("/static/page.js", "/join.svg") else "no-store")
    if path.startswith("/api"):
        assert answer.mimetype == "application/json"


def test_pages_load_nothing_from_elsewhere_and_run_nothing_inline(seated: Callable[[int], Table]) -> None:
    """Local files only, so that it works without the internet and under its own policy."""
    table = seated(5)
    table.make_host(table.phones[0])
    for path in ("/", "/table", "/host", "/panel"):
        html = table.phones[0].get(path).get_data(as_text=True)
        assert "style=" not in html
        assert " onclick" not in html
        assert html.count("<script") == html.count("<script src=")
        assert "https://" not in html
        assert all(f"http://{host}" in table.box.address for host in _hosts_in(html))  # type: ignore[operator]


def _hosts_in(html: str) -> list[str]:
    return [part.split("/")[0].split("<")[0].split('"')[0] for part in html.split("http://")[1:]]


def static_file(table: Table, name: str) -> str:
    """Return a file that every phone loads."""
    answer = table.phone().get(f"/static/{name}")
    try:
        return answer.get_data(as_text=True)
    finally:
        answer.close()


def test_a_whole_first_page_is_under_ninety_kilobytes(seated: Callable[[int], Table]) -> None:
    """The heaviest page of ten players as it goes over the air, with style, script and the fonts that it needs."""
    table = seated(10)
    table.make_host(table.phones[0])
    table.play()
    fonts = [f"fonts/{name}-latin.woff2" for name in ("display", "sans-500", "sans-700")]
    static = 0
    for name in ("style.css", "page.js", *fonts):
        answer = table.phone().get(f"/static/{name}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200
        static += len(answer.data)
        answer.close()
    heaviest = max(len(table.phones[0].get(path).data) for path in ("/", "/table", "/host", "/panel"))
    assert static + heaviest < 90_000


def test_the_static_files_hold_no_role_and_no_address(table: Table) -> None:
    """They are the same for everybody."""
    for name in ("style.css", "page.js"):
        text = static_file(table, name)
        assert "itler" not in text
        assert "http" not in text
        assert "localStorage" not in text
        assert "innerHTML =" not in text


# --- hostile input ---------------------------------------------------------------------------------------------------

HOSTILE = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"1e999",
    b"{",
    b"[" * 5000,
    b'{"a":' * 1500,
    b"\xff\xfe",
    b'{"name": {"a": 1}}',
    b'{"name": 5}',
    b'{"name": null, "button": [], "player": {}, "seat": "1", "chancellor": true}',
    b'{"seat": 1.5, "player": 1e400, "chancellor": NaN}',
    b'{"button": "\\ud800", "name": "\\ud800", "language": "\\u0000"}',
    b'{"player": ' + b"9" * 5000 + b"}",
    b'{"held": "yes", "button": "ja"}',
    b'{"button": "ja' + b"\\u0000" + b'", "held": 1}',
    b"x" * 9000,
]


@pytest.mark.parametrize("path", POST_PATHS)
def test_hostile_json_is_answered_with_a_sentence(path: str) -> None:
    """Never 500, and nothing changes that the phone may not change."""
    table = Table(FakeBox())
    table.sit(5)
    table.make_host(table.phones[0])
    table.deal()
    for client in (table.phones[0], table.phones[1], table.phone("127.0.0.1")):
        for body in HOSTILE:
            answer = client.post(path, data=body, content_type="application/json", headers={"Origin": ORIGIN})
            assert answer.status_code in (200, 303, 400, 401, 403, 409, 413, 429), (path, body[:40])
            assert answer.status_code != 200 or path in _HARMLESS, (path, body[:40])


_HARMLESS = {"/api/me/role", "/api/me/membership", "/api/me/investigations", "/me/host"}
"""These need no content."""

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_KEYS = ("name", "language", "player", "seat", "chancellor", "button", "held", "card", "with_player")
_PLAUSIBLE = st.sampled_from(["ja", "nein", "role", "pl", 1, 2, 3, "1", True])
_CONTENTS = st.dictionaries(st.sampled_from(_KEYS), _VALUES | _PLAUSIBLE, max_size=5)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_is_sent_wherever_there_is_no_500_and_no_change_without_a_right(data: st.DataObject) -> None:
    """Strangers change nothing but by sitting down; other phones nothing of the game."""
    table = Table(FakeBox())
    table.sit(6)
    table.make_host(table.phones[0])
    table.play()
    for _ in range(6):
        who = data.draw(st.sampled_from([table.phones[0], table.phones[3], table.phone()]))
        path = data.draw(st.sampled_from(POST_PATHS))
        content: Any = data.draw(_CONTENTS)
        before = table.box.evening.game
        if data.draw(st.booleans()):
            answer = who.post(path, json=content, headers={"Origin": ORIGIN})
        else:
            answer = who.post(path, data={key: str(value) for key, value in content.items()})
        assert answer.status_code < 500, (path, content)
        if who is not table.phones[0]:
            assert table.box.evening.game == before


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=60, deadline=None)
@given(path=_TEXT, query=_TEXT, method=st.sampled_from(["GET", "HEAD", "OPTIONS", "PUT"]))
def test_any_address_is_answered(path: str, query: str, method: str) -> None:
    """404 or 405 and a sentence, in the language of the table."""
    table = Table(FakeBox())
    address = f"/{quote(path.lstrip('/'))}?language={quote(query)}&{quote(query)}={quote(path)}"
    answer = table.phone().open(address, method=method)
    answer.close()
    assert answer.status_code < 500


def test_a_wrong_method_says_which_are_right(table: Table) -> None:
    """405 with Allow, and our own headers all the same."""
    answer = table.phone().get("/join")
    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_fault_of_ours_tells_nobody_anything(
    seated: Callable[[int], Table], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence for the phone, the kind of the fault for the log; what was sent is in neither."""
    table = seated(5)
    table.deal()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("hitler anna")

    monkeypatch.setattr("companion.phones.cards.card", broken)
    answer = post(table.phones[0], "/api/me/role")
    assert answer.status_code == 500
    assert "hitler" not in answer.get_data(as_text=True).lower() + caplog.text.lower()
    assert "RuntimeError" in caplog.text


def test_a_box_that_does_not_answer_is_told_apart_from_a_fault(
    seated: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """503, so that a monitor notices and a page tries again."""
    table = seated(5)
    monkeypatch.setattr("companion.phones.context._ANSWER_SECONDS", 0.01)
    from concurrent.futures import Future  # noqa: PLC0415

    monkeypatch.setattr(table.box, "submit", lambda *_: Future())
    assert table.phone().get("/healthz").status_code == 503


# --- parts -----------------------------------------------------------------------------------------------------------


def test_no_stream_for_strangers_beyond_a_few_places() -> None:
    """Seats keep theirs, and a seat's newest stream ends its older one."""
    streams = Streams(places=6, stranger_places=2)
    assert streams.enter(None)
    assert streams.enter(None)
    assert streams.enter(None) is None
    first, second = streams.enter("anna"), streams.enter("anna")
    assert first is not None
    assert second is not None
    assert first.over.is_set()
    assert not second.over.is_set()
    assert len(streams) == 3
    streams.leave(second)
    assert len(streams) == 2
    streams.close()
    assert streams.enter("anna") is None


def test_the_stream_says_the_version_and_nothing_else(seated: Callable[[int], Table]) -> None:
    """A comment at once, then numbers; its place is free again when it closes."""
    table = seated(5)
    answer = table.phones[0].get("/api/events", buffered=False)
    assert answer.mimetype == "text/event-stream"
    chunks = iter(answer.response)
    assert next(chunks) == f": here\n\ndata: {table.box.feed.snapshot.version}\n\n".encode()
    newer = table.box.feed.post(caption="Hitler, thumb up").version
    assert next(chunks) == f"data: {newer}\n\n".encode()
    assert len(table.app.extensions["phones"].streams) == 1
    answer.close()
    assert len(table.app.extensions["phones"].streams) == 0


def news_of(chunk: bytes) -> dict[str, object]:
    """Return what an event of our own pages' stream says."""
    content = json.loads(chunk.rpartition(b"data: ")[2])
    assert isinstance(content, dict)
    return content


def test_the_news_of_a_page_is_what_its_phone_may_ask_for(seated: Callable[[int], Table]) -> None:
    """In the words of `/api/me`, in the phone's language, also when another one is chosen meanwhile; never more."""
    table = seated(5)
    phone = table.phones[0]
    answer = phone.get("/news", buffered=False)
    chunks = iter(answer.response)
    for change in (
        lambda: table.box.feed.post(caption="Hitler, thumb up"),
        lambda: table.box.do(commands.ChooseLanguage("pl", 1)),
        table.deal,
    ):
        state = phone.get("/api/me").get_json()
        assert news_of(next(chunks)) == {key: state[key] for key in ("caption", "now", "stamp", "version")}
        change()
    answer.close()


def test_a_phone_that_loses_its_seat_hears_no_more_news(seated: Callable[[int], Table]) -> None:
    """It is told to ask, and then it is told that it has no seat."""
    table = seated(6)
    answer = table.phones[5].get("/news", buffered=False)
    chunks = iter(answer.response)
    assert news_of(next(chunks))["stamp"]
    table.box.do(commands.RemovePlayer(6))
    assert news_of(next(chunks)) == {}
    table.box.feed.post(caption="Hitler, thumb up")
    assert news_of(next(chunks)) == {}
    answer.close()


@pytest.mark.parametrize("path", ["/api/events", "/news"])
def test_strangers_streams_are_refused_with_503(table: Table, path: str) -> None:
    """Whoever gets none polls."""
    opened = [table.phone().get(path, buffered=False) for _ in range(STRANGER_PLACES + 1)]
    assert [answer.status_code for answer in opened] == [200] * STRANGER_PLACES + [503]
    for answer in opened:
        answer.close()


def test_tries_come_back_with_time() -> None:
    """And each address has its own."""
    now = 0.0
    limit = Limit(2, 0.5, lambda: now)
    assert [limit.allows("a") for _ in range(3)] == [True, True, False]
    assert limit.allows("b")
    now = 2.0
    assert [limit.allows("a") for _ in range(2)] == [True, False]


def test_the_memory_of_addresses_is_bounded() -> None:
    """A flood of addresses costs no more than a few hundred entries."""
    limit = Limit(1, 1)
    for address in range(5000):
        limit.allows(str(address))
    assert len(limit._left) <= 512


@pytest.mark.parametrize(
    ("remote", "local"),
    [("127.0.0.1", True), ("::1", True), ("::ffff:127.0.0.1", True), (ADDRESS, False), ("", False), (None, False)],
)
def test_this_machine_is_known_by_its_address(remote: str | None, local: bool) -> None:
    """Nothing that a client sends can pretend to it."""
    assert security.is_loopback(remote) is local


def test_a_forwarded_address_is_not_believed(table: Table) -> None:
    """A phone that says it is this machine is still a phone."""
    claimed = {"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1", "X-Real-IP": "127.0.0.1"}
    assert table.phone().get("/panel", headers=claimed).status_code == 403
    assert HOST.startswith(ADDRESS)
