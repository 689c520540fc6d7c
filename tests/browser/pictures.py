"""Draws the pictures of the README from the pages as they are: `python -m tests.browser.pictures [FOLDER]`.

A game of made-up people on a box in memory, and forty games behind it; no name but those here is in them.
"""

from __future__ import annotations

import random
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pygame
from playwright.sync_api import sync_playwright

from companion.commands.demo.players import Company
from companion.game import commands
from companion.game.vocabulary import Party, Phase, PresidentialPower, Role
from companion.history import History
from companion.journal import Journal
from companion.phones.app import create_app
from companion.phones.server import Server
from tests.browser.chromium import ARGUMENTS, executable
from tests.browser.people import Evening
from tests.history.playing import play, sit_down
from tests.phones.fake_box import FakeBox

if TYPE_CHECKING:
    from playwright.sync_api import Page

PEOPLE = ("Anna", "Bjørn", "Chloé", "Дмитрий", "Łukasz", "Mehmet", "Zoë")
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1}
SCREEN = {"viewport": {"width": 1366, "height": 768}, "device_scale_factor": 1}
GAP = 24


def main() -> None:
    """Draw all of them."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2] / "companion/phones/pictures"
    with ExitStack() as stack:
        state = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _earlier_games(state)
        history = History(state, state / "cache")
        history.catch_up()
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        stack.callback(browser.close)
        box = FakeBox(history=history)
        server = Server(create_app(box), "127.0.0.1", 0)
        evening = Evening(box, server, browser, {"phone": PHONE, "screen": SCREEN}, stack)
        server.start()
        stack.callback(server.close)
        box.address = "http://192.168.1.20/"
        _draw(evening, folder)


def _draw(evening: Evening, folder: Path) -> None:
    joining = _shot(evening.open("/", "phone"))
    pages = [evening.join(name, "phone") for name in PEOPLE]
    lobby = _shot(pages[2])
    sums = _shot(evening.open("/history", "phone"))
    past = evening.open("/history/39", "phone")
    past.locator("#steps summary").click()
    story = _shot(past)
    rules = _shot(evening.open("/rules", "phone"))
    _side_by_side([joining, sums, story, rules], folder / "history.png")

    box = evening.box
    roles = (Role.LIBERAL, Role.FASCIST, Role.LIBERAL, Role.HITLER, Role.LIBERAL, Role.FASCIST, Role.LIBERAL)
    box.do(commands.DealRoles(roles))
    for seat in range(1, 8):
        box.do(commands.LookAtRole(seat))
    for command in (commands.BeginNight(), commands.EndNight(), commands.BeginGame(5)):
        box.do(command)
    pages[1].wait_for_selector(".hold")
    pages[1].locator(".hold").first.focus()
    pages[1].keyboard.down("Space")
    pages[1].wait_for_selector("#shown dd")
    role = _shot(pages[1])
    pages[1].keyboard.up("Space")
    _side_by_side([lobby, *_a_choice(evening, pages), role], folder / "phones.png")
    screen = evening.open("/table", "screen")
    box.feed.post(caption="Bjørn?", choice=2)
    screen.wait_for_timeout(1500)
    screen.screenshot(path=folder / "table.png")
    company = Company(random.Random(5))  # noqa: S311 - no secret
    while box.evening.game.phase is not Phase.GAME_OVER:
        box.do(company.next(box.evening.game))
    box.feed.post(caption="", choice=None)
    screen.wait_for_selector(".cast")
    screen.wait_for_timeout(4000)
    screen.screenshot(path=folder / "end.png")


def _a_choice(evening: Evening, pages: list[Page]) -> list[pygame.Surface]:
    """Play until a President has to choose; return a phone that waits with its cards, and the President's."""
    box = evening.box
    governments = ((6, Party.FASCIST), (7, Party.LIBERAL), (3, Party.LIBERAL), (4, Party.FASCIST))
    for chancellor, policy in governments:
        box.do(commands.Nominate(chancellor))
        box.do(commands.Vote(elected=True))
        if box.evening.game.phase is Phase.HITLER_CHECK:
            box.do(commands.Answer(hitler=False))
        box.do(commands.EnactPolicy(policy))
    assert box.evening.game.pending_power is PresidentialPower.INVESTIGATE_LOYALTY
    president = box.evening.game.president
    assert president is not None
    other = next(seat for seat in range(1, 8) if seat not in (president, 2))
    for seat in (other, president):
        pages[seat - 1].reload()
    return [_shot(pages[other - 1]), _shot(pages[president - 1])]


def _earlier_games(folder: Path) -> None:
    chance = random.Random(8)  # noqa: S311 - no secret
    now = datetime(2026, 1, 3, 19, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal now
        now += timedelta(seconds=chance.uniform(5, 95))
        return now

    journal = Journal.open(folder, now=clock)
    evening = sit_down(journal, PEOPLE)
    for deal in range(40):
        now += timedelta(hours=20) if deal % 4 == 0 else timedelta(minutes=5)
        evening = play(journal, evening, deal)
    journal.close()


def _shot(page: Page) -> pygame.Surface:
    page.wait_for_timeout(500)
    page.evaluate("document.activeElement.blur()")
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        page.screenshot(path=file.name)
        return pygame.image.load(file.name)


def _side_by_side(shots: list[pygame.Surface], path: Path) -> None:
    width, height = PHONE["viewport"]["width"], PHONE["viewport"]["height"]
    whole = pygame.Surface((len(shots) * width + (len(shots) - 1) * GAP, height))
    whole.fill((26, 18, 10))
    for place, shot in enumerate(shots):
        whole.blit(shot, (place * (width + GAP), 0))
    pygame.image.save(whole, str(path))


if __name__ == "__main__":
    main()
