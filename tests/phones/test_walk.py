"""A game of seven in each language on every screen: who acts, what the table does, what each button means."""

from __future__ import annotations

import html
import random
import re
from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.game import commands, rules
from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.vocabulary import Phase
from companion.panel.meanings import Chance, Pending, Report, meaning
from hardware.panel import HOLD_SECONDS, Button
from tests.phones.fake_box import FakeBox
from tests.phones.table import Table

if TYPE_CHECKING:
    from companion.game.evening import Evening
    from companion.languages import Language


SEEN = {Phase.ELECTION, Phase.LEGISLATIVE_SESSION, Phase.CHAOS, Phase.EXECUTIVE_ACTION, Phase.GAME_OVER}


def words_of(page: str) -> str:
    """What somebody reads on a page, without its tags."""
    text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", text)))


def keys_of(page: str) -> dict[str, str]:
    """The keys of the panel page, each with the words that stand on it."""
    return {
        name: words_of(key) for name, key in re.findall(r'value="(\w+)" class="key.*?>(.*?)</button>', page, re.DOTALL)
    }


def is_taken(evening: Evening, button: Button, choice: int | None, *, held: bool) -> bool:
    """Whether the referee takes what a button reports at this moment, should it report something."""
    pending = Pending(offer=choice, taking_back_roles=True, breaking_off=True, languages=languages.codes())
    meant = meaning(button, held, evening, pending)
    if not isinstance(meant, Report) or any(isinstance(each, Chance) for each in meant.commands):
        return True
    try:
        return bool(rulebook.decide(evening, [each for each in meant.commands if not isinstance(each, Chance)]))
    except Refused:
        return False


def check_every_screen(table: Table, language: Language) -> None:
    """Table, panel and phones at this moment."""
    evening = table.box.evening
    game = evening.game
    state = table.phones[0].get("/api/table").get_json()
    now = state["now"]
    screens = {path: table.phones[0].get(path).get_data(as_text=True) for path in ("/table", "/panel")}
    own = [phone.get("/").get_data(as_text=True) for phone in table.phones]
    # What the table does stands on every screen.
    for page in (screens["/panel"], *own):
        if game.phase not in (Phase.LOBBY, Phase.DEAL, Phase.NIGHT, Phase.GAME_OVER):
            assert words_of(now["text"]) in words_of(page), game.phase
    if game.phase not in (Phase.LOBBY, Phase.DEAL, Phase.NIGHT, Phase.GAME_OVER):
        assert words_of(now["text"]) in words_of(screens["/table"])
    # Whoever acts alone is named, and their own phone says that it is them.
    if game.phase in (Phase.ELECTION, Phase.EXECUTIVE_ACTION):
        president = evening.seating.player_at(game.president or 0)
        assert president is not None
        assert president.name in words_of(screens["/table"])
        assert game.president in now["actors"]
        assert f"{language.page['you']}: " in words_of(own[(game.president or 1) - 1])
    # Under each key stands what it means, and what it means the referee takes.
    keys = keys_of(screens["/panel"])
    for button in Button:
        pressed, held = now["buttons"][button], now["held"][button]
        assert (pressed or "") in keys[button]
        assert (held or "") in keys[button]
        if pressed:
            assert is_taken(evening, button, state["choice"], held=False), (game.phase, button)
        if held and button in HOLD_SECONDS:
            assert is_taken(evening, button, state["choice"], held=True), (game.phase, button)
        dimmed = re.search(rf'class="key {button}( idle)?"', screens["/panel"])
        assert dimmed is not None
        assert (dimmed[1] is not None) == (not pressed and not held)
    # The table page shows the buttons that count now and no other.
    shown = re.findall(r'<li class="counts (\w+)">.*?</li>', screens["/table"], re.DOTALL)
    assert all(now["buttons"][button] or now["held"][button] for button in shown)
    if game.phase not in (Phase.NIGHT, Phase.DEAL):
        assert shown, game.phase


def next_report(table: Table, chance: random.Random) -> commands.Command:
    """Something that may be reported, with nominations now and then."""
    able = rules.legal(table.box.evening.game)
    nominations = [each for each in able if isinstance(each, commands.Nominate)]
    others = [each for each in able if not isinstance(each, commands.Nominate)]
    if nominations and table.box.evening.game.chancellor is None and chance.random() < 0.6:
        return chance.choice(nominations)
    return chance.choice(others)


@pytest.mark.parametrize("code", languages.codes())
def test_every_screen_of_a_whole_game_says_what_to_do(code: str) -> None:
    """From the lobby to the end and the next lobby, in games of seven until every phase was seen."""
    language = languages.load(code)
    phases: set[Phase] = set()
    for seed in range(8):
        chance = random.Random(seed)  # noqa: S311 - a test, not a secret
        table = Table(FakeBox())
        table.box.do(commands.ChooseLanguage(code))
        table.sit(7)
        table.make_host(table.phones[0])
        check_every_screen(table, language)
        table.deal()
        check_every_screen(table, language)
        for _ in range(3):
            table.box.push("ja", held=True)
            check_every_screen(table, language)
        while table.box.evening.game.phase is not Phase.GAME_OVER:
            phases.add(table.box.evening.game.phase)
            choice = table.box.evening.game.eligible_targets[:1]
            table.box.feed.post(choice=choice[0] if choice else None)
            check_every_screen(table, language)
            table.box.do(next_report(table, chance))
        check_every_screen(table, language)
        phases.add(Phase.GAME_OVER)
        if phases >= SEEN:
            break
    assert phases >= SEEN
