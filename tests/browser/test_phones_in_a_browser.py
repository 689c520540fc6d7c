"""The pages in a real Chromium with phone profiles, on the insecure address that phones see."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pygame
import pytest

from companion import languages
from companion.game import commands
from companion.game.vocabulary import Phase, Policy, Role
from companion.machine.network import Whereabouts
from companion.machine.wifi import Hotspot
from companion.phones.app import create_app
from companion.phones.server import Server
from tests.browser.people import NAMES, Evening, Finger, photograph

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from companion.table.snapshot import Trouble

PHONES = ("iPhone SE", "Pixel 7", "iPad Mini")
SHOWN = "#shown dd"


def words_of_the_card(page: Page) -> str:
    """Return what stands where a card is shown, whether it is seen or not."""
    return str(page.evaluate("document.querySelector('#shown .shown').textContent"))


def wait_until_hidden(page: Page) -> None:
    """Wait until no card is shown, and make sure that nothing of it is left."""
    page.wait_for_selector("#shown", state="hidden")
    assert words_of_the_card(page) == ""
    assert page.get_attribute("#shown .medallion", "data-party") == ""


@pytest.fixture
def player(evening: Evening) -> Page:
    """Anna's phone at a table of seven whose roles are dealt; she is a Fascist."""
    page = evening.join(NAMES[0])
    evening.fill_up(7)
    evening.deal()
    page.wait_for_selector(".hold")
    return page


@pytest.mark.parametrize("device", PHONES)
def test_join_hold_release(evening: Evening, device: str) -> None:
    """The role is there while a finger holds it, and gone without a trace when it lifts."""
    page = evening.join(NAMES[0], device)
    evening.fill_up(5)
    evening.deal()
    page.wait_for_selector(".hold")
    finger = Finger(page)
    finger.down(".hold")
    page.wait_for_selector(SHOWN)
    role = evening.box.roles()[0]
    assert languages.load("en").terms[role] in words_of_the_card(page)
    finger.up()
    wait_until_hidden(page)
    assert evening.faults == []


@pytest.mark.parametrize("what", ["visibilitychange", "pagehide", "blur", "touchcancel", "escape"])
def test_a_card_is_erased_when_the_page_is_left(player: Page, what: str) -> None:
    """Whatever takes the screen away takes the role with it."""
    finger = Finger(player)
    finger.down(".hold")
    player.wait_for_selector(SHOWN)
    if what == "touchcancel":
        finger.cancel()
    elif what == "escape":
        player.keyboard.press("Escape")
    elif what == "visibilitychange":
        player.evaluate(
            "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )
    else:
        player.evaluate(f"window.dispatchEvent(new Event('{what}'))")
    wait_until_hidden(player)


def test_an_answer_that_comes_late_is_never_shown(player: Page) -> None:
    """Let go before it came: it is dropped."""
    waiting: list[Route] = []

    def keep(route: Route) -> None:
        waiting.append(route)

    player.route("**/api/me/role", keep)
    finger = Finger(player)
    finger.down(".hold")
    player.wait_for_selector("#shown")
    player.wait_for_timeout(100)
    finger.up()
    assert len(waiting) == 1
    with player.expect_response("**/api/me/role"):
        waiting[0].continue_()
    player.wait_for_timeout(200)
    assert player.locator("#shown").is_hidden()
    assert words_of_the_card(player) == ""


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_a_key_holds_a_card_too(player: Page, key: str) -> None:
    """As long as it is down."""
    player.locator(".hold").first.focus()
    player.keyboard.down(key)
    player.wait_for_selector(SHOWN)
    player.keyboard.up(key)
    wait_until_hidden(player)


def test_a_tap_shows_a_card_for_five_seconds(player: Page) -> None:
    """The accessible way: it hides by itself, and the button has the focus again."""
    player.clock.install()
    player.locator(".tap").first.click()
    player.wait_for_selector(SHOWN)
    player.clock.fast_forward(4_000)
    assert player.locator(SHOWN).first.is_visible()
    player.clock.fast_forward(1_500)
    wait_until_hidden(player)
    assert player.evaluate("document.activeElement.className") == "tap"


def test_back_and_refresh_keep_the_seat(evening: Evening, player: Page) -> None:
    """And nothing of a seat is in the address, the title or the storage."""
    player.reload()
    assert player.locator("header .name").inner_text().endswith(NAMES[0])
    # To the form, or out of the box: a page that learnt of its own seat before the form was answered has one step less.
    player.go_back()
    player.goto(f"{evening.address}/")
    assert player.locator("header .name").inner_text().endswith(NAMES[0])
    assert player.evaluate("localStorage.length + sessionStorage.length") == 0
    assert player.title() == "Secret Hitler"
    assert player.evaluate("document.cookie") == ""


def test_two_tabs_of_one_phone_both_follow(evening: Evening, player: Page) -> None:
    """The newest has the stream, the other asks by itself."""
    second = player.context.new_page()
    second.goto(f"{evening.address}/")
    evening.box.push("ja", held=True)
    for page in (second, player):
        page.wait_for_selector(".dark", timeout=6000)


def test_ten_phones_at_once(evening: Evening) -> None:
    """Each sees its own role, and every page goes along with the game."""
    pages = [evening.join(name) for name in NAMES]
    evening.deal()
    terms = languages.load("en").terms
    for page, role in zip(pages, evening.box.roles(), strict=True):
        page.locator(".tap").first.click()
        page.wait_for_selector(SHOWN)
        assert page.locator("#shown .word").inner_text() == terms[role]
        page.keyboard.press("Escape")
    assert len(evening.box.evening.game.looked) == 10
    evening.box.push("ja", held=False)
    for page in pages:
        page.wait_for_selector(".dark")
    assert evening.faults == []


def test_the_page_catches_up_when_the_box_starts_again(evening: Evening, player: Page) -> None:
    """It says that the box does not answer, and goes on by itself when it does; the seat waits."""
    port = evening.server.port
    evening.server.close()
    player.wait_for_selector("#offline", timeout=10_000)
    evening.box.push("ja", held=True)
    evening.server = Server(create_app(evening.box), "127.0.0.1", port)
    evening.server.start()
    player.wait_for_selector(".dark", timeout=10_000)
    player.wait_for_selector("#offline", state="hidden")


def test_a_lost_phone_gets_its_seat_back_with_a_press(evening: Evening, player: Page) -> None:
    """The new phone turns into the player's page by itself; the old one is asked to join like a stranger."""
    new = evening.open("/")
    new.click("details summary")
    new.locator(".choice").first.click()
    new.locator("[action='/seat'] button").click()
    new.wait_for_selector(".notice")
    evening.box.grant()
    new.wait_for_selector(".own")
    assert new.locator("header .name").inner_text().endswith(NAMES[0])
    player.wait_for_selector(".join", timeout=6000)


def test_someone_late_watches(evening: Evening, player: Page) -> None:
    """No form, and the boards once the game runs."""
    late = evening.open("/")
    assert late.locator("#name").count() == 0
    for _ in range(3):
        evening.box.push("ja", held=True)
    late.wait_for_selector(".boards")
    assert player.locator(".boards").count() == 1


def test_without_scripts_a_form_shows_a_card_that_goes_away(evening: Evening, player: Page) -> None:
    """By itself, after five seconds."""
    plain = evening.context(java_script_enabled=False)
    plain.add_cookies([{**cookie} for cookie in player.context.cookies()])  # type: ignore[typeddict-item]
    page = plain.new_page()
    page.goto(f"{evening.address}/")
    assert page.locator(".hold:visible").count() == 0
    page.locator(".tap:visible").first.click()
    assert page.locator(".word").inner_text() == "Fascist"
    page.wait_for_url(f"{evening.address}/", timeout=9000)
    assert page.locator(".word:visible").count() == 0


def test_a_candidate_nominates_by_phone(evening: Evening) -> None:
    """Choose and confirm; what is half chosen survives news from the table."""
    page = evening.join(NAMES[0])
    evening.fill_up(7)
    evening.play()
    page.wait_for_selector(".turn")
    page.locator(".choice").nth(1).click()
    evening.box.feed.post_trouble("voice", "The voice failed.")
    page.wait_for_selector(".trouble")
    page.click(".turn button")
    page.wait_for_selector(".turn input[checked][value='3']", state="attached")
    assert evening.box.evening.game.chancellor == 3
    # Another thought, and then a word of the host's: the page shows whose name stands.
    page.locator(".choice").nth(3).click()
    page.click(".turn button")
    page.wait_for_selector(".turn input[checked][value='5']", state="attached")
    assert evening.box.evening.game.chancellor == 5
    evening.box.do(commands.Nominate(7))
    page.wait_for_selector(".turn input[checked][value='7']", state="attached")
    assert page.locator(".turn input[value='7']").is_checked()
    evening.box.do(commands.Vote(elected=True))
    page.wait_for_selector(".turn", state="detached")


def test_a_shared_phone_is_handed_over(evening: Evening) -> None:
    """Each look begins with the name of who may look, and ends there again."""
    page = evening.join(NAMES[0])
    evening.fill_up(4)
    evening.box.do(commands.AddSharedSeat("Kim", evening.box.evening.seating.players[0].id))
    evening.deal()
    page.wait_for_selector(".handover")
    assert page.locator(".tap:visible").count() == 0
    page.locator(".handover > summary").nth(2).click()
    page.locator(".handover .handover > summary").nth(1).click()
    page.locator(".tap:visible").first.click()
    page.wait_for_selector(SHOWN)
    assert page.locator("#shown .whose").inner_text() == "Kim"
    assert page.locator("#shown .word").inner_text() == languages.load("en").terms[evening.box.roles()[4]]
    photograph(page, "shared-card")
    page.keyboard.press("Escape")
    assert page.locator(".tap:visible").count() == 0


def test_the_panel_answers_at_once_and_tells_a_press_from_a_hold(evening: Evening) -> None:
    """A press by click, a hold by waiting or by the hold switch."""
    evening.fill_up(5)
    page = evening.open("/panel", "iPad Mini")
    page.locator(".key.repeat").click()
    page.wait_for_timeout(200)
    page.locator(".key.repeat").click(delay=1700)
    page.click(".toggle")
    page.locator(".key.ja").click()
    page.locator(".key.liberal").click()
    page.wait_for_timeout(300)
    assert evening.box.presses == [("repeat", False), ("repeat", True), ("ja", True), ("liberal", False)]
    assert evening.box.evening.game.phase is Phase.DEAL


def test_the_panel_page_turns_the_volume_by_two_keys_and_by_the_chord(evening: Evening) -> None:
    """A mouse has a key for each chord; beside repeat kept down a key is the chord alone."""
    page = evening.open("/panel", "iPad Mini")
    softer, louder, clock, redo = page.locator(".turner").all()
    for key in (softer, louder, clock, redo):
        key.click()
    page.locator(".key.repeat").focus()
    page.keyboard.down(" ")
    page.locator(".key.fascist").dispatch_event("pointerdown")
    page.locator(".key.fascist").dispatch_event("pointerup")
    # In a chord it acts the moment it goes down, and is no hold.
    page.locator(".key.undo").dispatch_event("pointerdown")
    page.locator(".key.undo").dispatch_event("pointerup")
    page.keyboard.up(" ")
    page.wait_for_timeout(300)
    assert evening.box.chords == [("repeat", name) for name in ("fascist", "liberal", "ja", "undo", "fascist", "undo")]
    assert evening.box.presses == []


def test_the_panel_page_has_the_keys_of_the_terminal(evening: Evening) -> None:
    """A letter presses and a capital holds; the same places on a Russian keyboard, whose letters are others."""
    evening.fill_up(5)
    page = evening.open("/panel", "iPad Mini")
    for letter in ("f", "l", "Shift+N"):
        page.keyboard.press(letter)
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'о', code: 'KeyJ'}))")
    for _ in range(100):
        if len(evening.box.presses) == 4:
            break
        page.wait_for_timeout(50)
    assert sorted(evening.box.presses) == [("fascist", False), ("ja", False), ("liberal", False), ("nein", True)]


@pytest.mark.parametrize("code", languages.codes())
def test_no_role_shines_brighter_than_another(evening: Evening, code: str) -> None:
    """Mean luma of the shown card within 1 of 255, on the smallest screen, where text covers most; with a hint, too."""
    pygame = pytest.importorskip("pygame")
    pages = [evening.join(name, "iPhone SE", code) for name in NAMES[:3]]
    evening.fill_up(7)
    roles = (Role.LIBERAL, Role.FASCIST, Role.HITLER, Role.FASCIST, *[Role.LIBERAL] * 3)
    evening.box.do(commands.DealRoles(roles))
    for teaches in (False, True):
        evening.box.feed.post(teaches=teaches)
        lumas = []
        for page in pages:
            page.locator(".hold").first.focus()
            page.keyboard.down("Space")
            page.wait_for_selector(SHOWN)
            assert page.locator("#shown dd").count() == 3 + teaches
            # All of it is seen at once: one finger holds the card, and there is none left to scroll with.
            assert page.evaluate("document.getElementById('facts').getBoundingClientRect().bottom <= innerHeight")
            pixels = pygame.surfarray.array3d(pygame.image.load(io.BytesIO(page.screenshot()), "card.png"))
            lumas.append(float((pixels @ (0.299, 0.587, 0.114)).mean()))
            page.keyboard.up("Space")
            page.wait_for_selector(SHOWN, state="detached")
        assert max(lumas) - min(lumas) < 1, lumas


def check(page: Page, name: str, axe: str, *, essential: str = "") -> None:
    """Check a state of a page for accessibility and size, with everything on it unfolded; all rules but one."""
    page.wait_for_timeout(250)
    page.evaluate(f"{axe};0")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    levels = "['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa']"
    found = page.evaluate(f"axe.run({{runOnly: {levels}}}).then(result => result.violations)")
    assert [
        (each["id"], [node["html"] for node in each["nodes"]]) for each in found if each["id"] != essential
    ] == [], name
    photograph(page, name)


def test_every_state_is_accessible_and_fits_a_small_phone(evening: Evening, axe: str) -> None:
    """WCAG 2.2 AA by axe-core, and no sideways scrolling from 320 pixels on; pictures where they are wanted."""
    box = evening.box
    stranger, screen = evening.open("/"), evening.open("/table", "iPad Mini")
    check(stranger, "01-join", axe)
    page = evening.join(NAMES[0])
    evening.fill_up(9)
    stranger.fill("#name", "anna")
    stranger.click("form.paper button")
    check(stranger, "02-name-taken", axe)
    check(page, "03-lobby", axe)
    check(screen, "04-table-lobby", axe)
    box.ask_for_host(1, box.evening.seating.by_id(1).claim)
    check(page, "05-asking", axe)
    box.grant()
    host = page.context.new_page()
    for path in ("host", "panel"):
        host.goto(f"{evening.address}/{path}")
        check(host, f"06-{path}", axe)
    host.close()
    box.feed.post(caption=languages.load("en").lines["roles_dealt"])
    evening.deal()
    check(page, "07-deal", axe)
    page.locator(".tap").first.click()
    page.wait_for_selector(SHOWN)
    photograph(page, "08-shown")
    page.keyboard.press("Escape")
    stranger.goto(f"{evening.address}/")
    check(stranger, "09-late", axe)
    for name in ("10-night", "11-ask", "12-election"):
        box.push("ja", held=True)
        check(page, name, axe)
        check(screen, f"{name}-table", axe)
    box.do(commands.Vote(elected=True), commands.EnactPolicy(Policy.FASCIST))
    box.feed.post(choice=box.evening.game.eligible_targets[0])
    check(page, "13-power", axe)
    check(screen, "14-power-table", axe)
    box.do(commands.UsePower(box.evening.game.eligible_targets[0]))
    box.feed.post_trouble("voice", "The voice failed; captions are shown instead.")
    check(page, "15-investigated", axe)
    while box.evening.game.phase is not Phase.GAME_OVER:
        if box.evening.game.phase is Phase.CHAOS:
            box.do(commands.EnactPolicy(Policy.LIBERAL))
        else:
            box.do(commands.Vote(elected=False))
    check(page, "16-over", axe)
    check(screen, "17-over-table", axe)
    assert evening.faults == []


@pytest.mark.parametrize("trouble", ["sound", "part"])
def test_what_does_not_work_lights_up_no_night(trouble: Trouble, evening: Evening) -> None:
    """A screen and a phone stay as good as black, and still say dimly what it is, also at length."""
    page = evening.join(NAMES[0])
    evening.fill_up(5)
    screen = evening.open("/table", "iPad Mini")
    evening.box.feed.post_trouble(trouble, "The sound card is unplugged.")
    evening.deal()
    evening.box.push("ja", held=True)
    for each in (page, screen):
        each.wait_for_selector(".dark .trouble")
        assert each.locator(".trouble").inner_text() == languages.load("en").page[f"trouble_{trouble}"]
        grey = pygame.transform.grayscale(pygame.image.load(io.BytesIO(each.screenshot())))
        light = pygame.image.tobytes(grey, "RGB")[::3]
        assert max(light) < 160
        assert sum(point > 16 for point in light) < 0.05 * len(light)


def test_cards_are_accessible_however_they_are_shown(evening: Evening, axe: str) -> None:
    """Held, as a page of its own without scripts, and behind the hand-over of a shared phone."""
    page = evening.join(NAMES[0])
    evening.box.do(commands.AddSharedSeat(NAMES[1], with_player=1))
    for seat in range(2, 5):
        evening.box.do(commands.TakeSeat(NAMES[seat], f"elsewhere {seat}"))
    evening.deal()
    page.wait_for_selector(".handover")
    check(page, "18-handover", axe)
    finger = Finger(page)
    finger.down(".hold")
    page.wait_for_selector(SHOWN)
    check(page, "19-held", axe)
    finger.up()
    wait_until_hidden(page)
    # As a browser without scripts sends it.
    page.evaluate("document.querySelector('form.envelope').submit()")
    page.wait_for_selector(".word")
    # That the card goes away by itself is its secrecy, which WCAG 2.2.1 exempts as essential.
    check(page, "20-card-without-scripts", axe, essential="meta-refresh")
    assert evening.faults == []


# --- the host's table ------------------------------------------------------------------------------------------------


@pytest.fixture
def host(evening: Evening) -> Page:
    """Anna's phone with the host's page open, at a table of five."""
    page = evening.join(NAMES[0])
    evening.fill_up(5)
    evening.box.ask_for_host(1, evening.box.evening.seating.by_id(1).claim)
    evening.box.grant()
    page.goto(f"{evening.address}/host")
    page.wait_for_selector(".grip")
    # Nothing moves any more when a finger comes.
    page.evaluate("document.fonts.ready.then(() => true)")
    # A finger near the edge would scroll the page.
    page.evaluate("document.querySelector('.seats').scrollIntoView({block: 'center'})")
    return page


def _seated(evening: Evening) -> list[str]:
    return [player.name for player in evening.box.evening.seating.players]


def _grip(seat: int) -> str:
    return f".seats > li:nth-child({seat}) .grip"


def _wait_for_names(page: Page, names: list[str]) -> None:
    page.wait_for_function(
        "names => JSON.stringify([...document.querySelectorAll('.seats .name bdi')].map(e => e.textContent))"
        " === JSON.stringify(names)",
        arg=names,
    )


def test_one_form_stays_open_when_the_page_is_renewed(evening: Evening, host: Page) -> None:
    """All players' forms read alike; nobody is removed without a second tap."""
    host.click(".seats > li:nth-child(2) > details > summary")
    evening.box.do(commands.RenamePlayer(evening.box.evening.seating.players[4].id, "Woken"))
    host.wait_for_selector("text=Woken")
    opened = host.locator(".seats details[open]")
    assert opened.count() == 1
    assert not host.locator(".danger").nth(1).is_visible()
    names = _seated(evening)
    host.click(".seats > li:nth-child(2) details details summary")
    host.click(".seats > li:nth-child(2) .danger")
    _wait_for_names(host, [name for name in names if name != names[1]])


def test_the_hosts_keys_say_what_they_mean_now(evening: Evening, host: Page) -> None:
    """In the phone's own language, and anew with each moment."""
    host.wait_for_selector(".key.ja .means >> text=deal")
    evening.play()
    host.wait_for_selector(".key.ja .means >> text=elected")
    assert "idle" not in (host.locator(".key.ja").get_attribute("class") or "")


@pytest.mark.parametrize(("seat", "to"), [(1, 3), (5, 1), (2, 5), (4, 3)])
def test_a_seat_is_dragged_with_a_finger_to_another_place(evening: Evening, host: Page, seat: int, to: int) -> None:
    """The others make room while it moves; the box is told once, when the finger lifts."""
    names = _seated(evening)
    expected = names.copy()
    expected.insert(to - 1, expected.pop(seat - 1))
    finger = Finger(host)
    evening.box.submitted.clear()
    finger.down(_grip(seat))
    finger.slide(_grip(to))
    _wait_for_names(host, expected)
    assert evening.box.submitted == []
    with host.expect_response("**/host/move"):
        finger.up()
    assert evening.box.submitted == [commands.MovePlayer(seat, to)]
    assert _seated(evening) == expected
    _wait_for_names(host, expected)
    host.wait_for_selector(".dragged", state="detached")
    assert evening.faults == []


@pytest.mark.parametrize("what", ["touchcancel", "escape"])
def test_a_drag_that_is_broken_off_moves_nobody(evening: Evening, host: Page, what: str) -> None:
    """A call that comes in, or the Escape key: everybody sits where they sat."""
    names = _seated(evening)
    evening.box.submitted.clear()
    finger = Finger(host)
    finger.down(_grip(1))
    finger.slide(_grip(4))
    host.wait_for_selector(".dragged")
    if what == "touchcancel":
        finger.cancel()
    else:
        host.keyboard.press("Escape")
    host.wait_for_selector(".dragged", state="detached")
    _wait_for_names(host, names)
    assert evening.box.submitted == []
    assert _seated(evening) == names


def test_nothing_is_renewed_under_a_finger_that_drags(evening: Evening, host: Page) -> None:
    """Somebody sits down meanwhile: the drag ends where the finger ends, and then everybody is there."""
    finger = Finger(host)
    finger.down(_grip(1))
    finger.slide(_grip(3))
    evening.fill_up(6)
    host.wait_for_timeout(500)
    assert host.locator(".dragged").count() == 1
    assert host.locator(".seats > li").count() == 5
    with host.expect_response("**/host/move"):
        finger.up()
    _wait_for_names(host, _seated(evening))
    assert len(_seated(evening)) == 6
    assert _seated(evening)[2] == NAMES[0]


def test_seats_move_without_dragging_too(evening: Evening, host: Page) -> None:
    """By the arrows, with a mouse or the keyboard alone; the grip is for hands and says nothing to a screen reader."""
    names = _seated(evening)
    button = host.locator(".arrows button:not([disabled])").first
    button.focus()
    with host.expect_response("**/host/move"):
        host.keyboard.press("Enter")
    _wait_for_names(host, [names[1], names[0], *names[2:]])
    assert host.locator(".grip:not([aria-hidden=true])").count() == 0


def test_a_new_address_reaches_a_screen_that_is_open(evening: Evening) -> None:
    """The table page draws the new code and writes the new address without being loaded again."""
    screen = evening.open("/table", "iPad Mini")
    screen.evaluate("window.untouched = true")
    before = screen.locator(".code img")
    before.evaluate("image => image.decode()")
    evening.box.where = Whereabouts("http://10.0.0.7/", "http://box.local/", Hotspot("Table", "k7mp-wq3x-n9ra"))
    screen.get_by_text("http://10.0.0.7/").wait_for()
    codes = screen.locator(".code img")
    assert codes.count() == 2
    drawn = [str(codes.nth(place).evaluate("image => image.decode().then(() => image.src)")) for place in range(2)]
    assert [source.partition("?")[0].rpartition("/")[2] for source in drawn] == ["wifi.svg", "join.svg"]
    assert drawn[1].endswith("?http%3A//10.0.0.7/")
    assert screen.get_by_text("http://box.local/").is_visible()
    assert screen.evaluate("window.untouched")
    photograph(screen, "table-hotspot")
