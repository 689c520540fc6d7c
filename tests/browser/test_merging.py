"""What is on an open page while it is brought up to date: what people typed, chose and opened stays theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.game import commands
from companion.game.vocabulary import Party, Phase

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.people import Evening


FILM = "document.querySelector('video')"


def shows(page: Page, script: str, argument: object = None) -> None:
    """Wait until the page says so."""
    page.wait_for_function(script, arg=argument)


def test_a_choice_stays_with_the_player_and_not_with_the_place(evening: Evening) -> None:
    """Somebody before the chosen one is struck from the list while the President still thinks about it."""
    president = evening.join("Anna")
    evening.fill_up(7)
    evening.play()
    first = evening.box.evening.game.president
    assert first is not None
    if first != 1:
        evening.make_host(president)
    page = president
    page.wait_for_selector("form.turn", state="attached")
    page.evaluate("document.querySelectorAll('details').forEach(function (each) { each.open = true; })")
    seats = page.eval_on_selector_all("form.turn input[type=radio]", "all => all.map(each => each.value)")
    struck, chosen = seats[0], seats[-1]
    page.check(f"#chancellor-{chosen}", force=True)
    gone = evening.box.evening.seating.player_at(int(struck))
    assert gone is not None
    evening.box.do(commands.MarkAbsent(gone.id))
    shows(page, "seat => !document.getElementById('chancellor-' + seat)", struck)
    assert page.is_checked(f"#chancellor-{chosen}")
    # What the table knows counts.
    evening.box.do(commands.Nominate(int(seats[1])))
    shows(page, "seat => document.getElementById('chancellor-' + seat).checked", seats[1])


def test_what_is_typed_and_opened_stays_while_others_come(evening: Evening) -> None:
    """The host renames somebody while two people sit down and one moves; the focus stays where it is."""
    host = evening.join("Anna")
    evening.fill_up(4)
    evening.make_host(host)
    host.goto(evening.address + "/host")
    player = evening.box.evening.seating.player_at(3)
    assert player is not None
    host.click(f"#change-{player.id} > summary")
    host.fill(f"#name-{player.id}", "Somebody els")
    evening.fill_up(6)
    evening.box.do(commands.MovePlayer(player.id, 1))
    shows(host, "id => document.querySelector('.seats li').id === id", f"player-{player.id}")
    host.keyboard.type("e")
    assert host.input_value(f"#name-{player.id}") == "Somebody else"
    assert host.evaluate("document.querySelectorAll('.seats details[open]').length") == 1
    host.keyboard.press("Enter")
    shows(host, "() => document.querySelector('.seats li .name bdi').textContent === 'Somebody else'")


def test_an_arrow_keeps_the_focus_when_its_seat_moves(evening: Evening) -> None:
    """So that a keyboard moves somebody three places with three presses."""
    host = evening.join("Anna")
    evening.fill_up(5)
    evening.make_host(host)
    host.goto(evening.address + "/host")
    host.focus("#down-1")
    for place in (2, 3):
        host.keyboard.press("Enter")
        shows(host, "place => document.querySelectorAll('.seats li')[place - 1].id === 'player-1'", place)
        shows(host, "() => document.activeElement.id === 'down-1'")


def test_a_policy_lands_once(evening: Evening) -> None:
    """What changes nothing on the boards begins no animation anew: the slots of before stay the same elements."""
    evening.fill_up(7)
    evening.play()
    page = evening.open("/table")
    evening.box.do(commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    page.wait_for_selector(".liberal .full")
    page.evaluate("document.querySelector('.liberal .full').marked = true")
    evening.box.do(commands.Vote(elected=False))
    page.wait_for_selector(".tracker .full")
    assert page.evaluate("document.querySelector('.liberal .full').marked") is True


def test_a_browser_without_the_library_is_kept_up_to_date(evening: Evening) -> None:
    """One that is too old for it gets its parts whole."""
    evening.fill_up(5)
    context = evening.context()
    context.route("**/static/idiomorph.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(evening.address + "/table")
    evening.play()
    page.wait_for_selector(".boards")
    assert evening.box.evening.game.phase is Phase.ELECTION


def test_the_table_page_stays_awake_without_a_secure_page(evening: Evening) -> None:
    """Where no wake lock is to be had a film plays that is large enough to count; touched, it has a sound track."""
    context = evening.context(viewport={"width": 1280, "height": 800})
    context.add_init_script("delete Navigator.prototype.wakeLock")
    page = context.new_page()
    page.goto(evening.address + "/table")
    shows(
        page,
        "(function (film) { return film && !film.paused && film.currentTime > 0; })(document.querySelector('video'))",
    )
    box = page.locator("video").bounding_box()
    assert box is not None
    assert box["width"] * box["height"] >= 0.9 * 1280 * 800
    assert page.is_hidden("#sleeps")
    page.mouse.click(5, 5)
    shows(
        page, "(function (film) { return !film.paused && !film.muted && !film.loop; })(document.querySelector('video'))"
    )


def test_a_screen_that_cannot_be_kept_awake_is_told_how(evening: Evening) -> None:
    """No wake lock and no film: once, in the language of the page."""
    context = evening.context()
    context.add_init_script("delete Navigator.prototype.wakeLock")
    context.route(
        "**/static/awake.*", lambda route: route.continue_() if route.request.url.endswith("js") else route.abort()
    )
    page = context.new_page()
    page.goto(evening.address + "/table")
    page.wait_for_selector("#sleeps:not([hidden])")
    assert "sleep" in page.inner_text("#sleeps")
