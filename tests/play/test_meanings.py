import itertools
import random
from dataclasses import replace

import pytest

from companion.game import boards, commands, rules
from companion.game.evening import Evening, Step
from companion.game.refusals import Refused
from companion.game.state import Game
from companion.game.vocabulary import Party, Phase, PresidentialPower, Reason
from companion.panel.meanings import (
    Allow,
    Chance,
    Narration,
    Offer,
    Pending,
    Report,
    SwitchOff,
    Volume,
    Waiting,
    meaning,
)
from hardware.panel import Button
from tests.play.pressing import CODES, as_chance, by_buttons
from tests.support import after, begun, evening_of

LIBERAL, FASCIST, JA, NEIN, REPEAT, UNDO = Button
HELD, PRESSED = True, False
PENDING = Pending(languages=CODES)


def at(phase, *, seated=7, cards=False, **facts):
    """An evening at a phase, with so many phones joined."""
    evening = evening_of(max(seated, 5), seated=seated >= 5)
    for number in range(seated if seated < 5 else 0):
        evening = after(evening, commands.TakeSeat(f"Guest {number}", f"claim {number}"))
    facts.setdefault("players", max(seated, 5))
    if not cards and phase != Phase.LOBBY and seated >= 5:
        facts.setdefault("roles", boards.roles(facts["players"]))
    game = Game(phase=Phase(phase), president=1, turn=1, **facts)
    return Evening(evening.seating, Step(game, (), evening.step))


def vote(elected):
    return Report((commands.Vote(elected),))


def enact(policy):
    return Report((commands.EnactPolicy(policy),))


def shorthand(policy):
    return Report((commands.Vote(elected=True), commands.EnactPolicy(policy)))


POWER = {"fascist_policies": 4, "pending_power": PresidentialPower.EXECUTION}
PEEK = {"fascist_policies": 3, "pending_power": PresidentialPower.POLICY_PEEK}
SET = {count: Report((commands.SetPlayers(count),)) for count in boards.PLAYER_COUNTS}
NIGHT = Report((commands.BeginNight(),))
DEAL = Report((Chance.DEAL_ROLES,))

TABLE = [
    # the table of the front panel's contract: where, the pending, button, held, what it means
    (at("lobby", seated=0), PENDING, LIBERAL, PRESSED, SET[6]),
    (at("lobby", seated=0), PENDING, FASCIST, PRESSED, SET[10]),
    (at("lobby", seated=0, players=10), PENDING, LIBERAL, PRESSED, SET[5]),
    (at("lobby", seated=0), PENDING, NEIN, HELD, Report((commands.ChooseLanguage(CODES[1]),))),
    (at("lobby", seated=0), PENDING, NEIN, PRESSED, Waiting.ALOUD),
    (at("lobby", seated=0), PENDING, JA, PRESSED, NIGHT),
    (at("lobby", seated=0), PENDING, JA, HELD, NIGHT),
    (at("lobby", seated=3), PENDING, JA, PRESSED, Waiting.ALOUD),
    (at("lobby", seated=3), PENDING, JA, HELD, NIGHT),
    (at("lobby", seated=7), PENDING, JA, PRESSED, DEAL),
    (at("lobby", seated=7), Pending(cards=True), JA, PRESSED, NIGHT),
    (at("deal"), PENDING, JA, PRESSED, NIGHT),
    (at("deal"), PENDING, JA, HELD, Report((commands.BeginNight(regardless=True),))),
    (at("deal"), PENDING, NEIN, PRESSED, Waiting.ALOUD),
    (at("night"), PENDING, NEIN, PRESSED, Narration.PAUSE_NIGHT),
    (at("night"), PENDING, NEIN, HELD, Narration.PAUSE_NIGHT),
    (at("night"), PENDING, JA, PRESSED, Waiting.SILENTLY),
    (at("night"), Pending(night_paused=True), JA, PRESSED, Narration.RESUME_NIGHT),
    (at("night"), PENDING, REPEAT, PRESSED, Narration.RESTART_NIGHT),
    (at("night"), PENDING, REPEAT, HELD, Narration.RESTART_NIGHT),
    (at("night"), Pending(night_paused=True), REPEAT, PRESSED, Narration.RESTART_NIGHT),
    (at("night"), Pending(night_paused=True), REPEAT, HELD, Narration.STANDING),
    (at("night"), PENDING, LIBERAL, PRESSED, Waiting.SILENTLY),
    (at("night"), Pending(night_paused=True), LIBERAL, PRESSED, Waiting.ALOUD),
    (at("night"), Pending(is_asked=True), JA, PRESSED, Waiting.SILENTLY),
    (at("ask"), PENDING, JA, PRESSED, Report((Chance.BEGIN_GAME,))),
    (at("ask"), PENDING, NEIN, PRESSED, DEAL),
    (at("ask", cards=True), PENDING, NEIN, PRESSED, NIGHT),
    (at("election"), PENDING, JA, PRESSED, vote(True)),
    (at("election"), PENDING, NEIN, PRESSED, vote(False)),
    (at("election"), PENDING, NEIN, HELD, Report((commands.BreakOff(),))),
    (at("election"), Pending(breaking_off=True), NEIN, HELD, Report((commands.BreakOff(confirmed=True),))),
    (at("deal"), PENDING, NEIN, HELD, Report((commands.BreakOff(),))),
    (at("deal"), PENDING, NEIN, PRESSED, Waiting.ALOUD),
    (at("chaos"), PENDING, NEIN, HELD, Report((commands.BreakOff(),))),
    (at("executive_action", **POWER), PENDING, NEIN, HELD, Report((commands.BreakOff(),))),
    (at("election"), PENDING, LIBERAL, PRESSED, shorthand(Party.LIBERAL)),
    (at("election"), PENDING, FASCIST, PRESSED, shorthand(Party.FASCIST)),
    (at("election", fascist_policies=2), PENDING, FASCIST, PRESSED, shorthand(Party.FASCIST)),
    (at("election", fascist_policies=3), PENDING, LIBERAL, PRESSED, Waiting.ALOUD),
    (at("election", fascist_policies=3), PENDING, FASCIST, PRESSED, Waiting.ALOUD),
    (at("hitler_check"), PENDING, JA, PRESSED, Report((commands.Answer(hitler=True),))),
    (at("hitler_check"), PENDING, NEIN, PRESSED, Report((commands.Answer(hitler=False),))),
    (at("hitler_check"), PENDING, LIBERAL, PRESSED, Waiting.ALOUD),
    (at("hitler_check"), PENDING, FASCIST, PRESSED, Waiting.ALOUD),
    (at("legislative_session"), PENDING, LIBERAL, PRESSED, enact(Party.LIBERAL)),
    (at("legislative_session"), PENDING, FASCIST, PRESSED, enact(Party.FASCIST)),
    (at("legislative_session"), PENDING, NEIN, HELD, Report((commands.ProposeVeto(),))),
    (at("legislative_session"), PENDING, NEIN, PRESSED, Waiting.ALOUD),
    (at("legislative_session"), PENDING, JA, PRESSED, Waiting.ALOUD),
    (at("veto"), PENDING, JA, PRESSED, Report((commands.AnswerVeto(agreed=True),))),
    (at("veto"), PENDING, NEIN, PRESSED, Report((commands.AnswerVeto(agreed=False),))),
    (at("chaos"), PENDING, LIBERAL, PRESSED, enact(Party.LIBERAL)),
    (at("chaos"), PENDING, FASCIST, PRESSED, enact(Party.FASCIST)),
    (at("chaos"), PENDING, JA, PRESSED, Waiting.ALOUD),
    (at("executive_action", **POWER), PENDING, LIBERAL, PRESSED, Offer(2)),
    (at("executive_action", **POWER), PENDING, JA, PRESSED, Offer(2, too_early=True)),
    (at("executive_action", **POWER), Pending(offer=2), LIBERAL, PRESSED, Offer(3)),
    (at("executive_action", **POWER), Pending(offer=2), FASCIST, PRESSED, Offer(7)),
    (at("executive_action", **POWER), Pending(offer=7), LIBERAL, PRESSED, Offer(2)),
    (at("executive_action", **POWER), Pending(offer=5), JA, PRESSED, Report((commands.UsePower(5),))),
    (at("executive_action", **POWER), Pending(offer=5, unsaid=True), JA, PRESSED, Offer(5, too_early=True)),
    (at("executive_action", **POWER), Pending(offer=2, unsaid=True), LIBERAL, PRESSED, Offer(3)),
    (at("executive_action", **POWER), Pending(offer=5), NEIN, PRESSED, Waiting.ALOUD),
    (at("executive_action", **PEEK), PENDING, JA, PRESSED, Report((commands.UsePower(),))),
    (at("executive_action", **PEEK), PENDING, LIBERAL, PRESSED, Waiting.ALOUD),
    (
        at("game_over", reason=Reason.LIBERAL_POLICIES),
        PENDING,
        JA,
        PRESSED,
        Report((commands.OpenLobby(), Chance.DEAL_ROLES)),
    ),
    (
        at("game_over", seated=0, reason=Reason.LIBERAL_POLICIES),
        PENDING,
        JA,
        PRESSED,
        Report((commands.OpenLobby(), commands.BeginNight())),
    ),
    (at("game_over", reason=Reason.LIBERAL_POLICIES), PENDING, LIBERAL, PRESSED, Waiting.ALOUD),
]


@pytest.mark.parametrize(("evening", "pending", "button", "held", "meant"), TABLE)
def test_the_table_of_the_front_panel(evening, pending, button, held, meant):
    """Each row of the panel's contract means what it says there."""
    assert meaning(button, held, evening, pending) == meant


FACTS = {Phase.GAME_OVER: {"reason": Reason.LIBERAL_POLICIES}, Phase.EXECUTIVE_ACTION: POWER}
EVERYWHERE = [at(phase, **FACTS.get(phase, {})) for phase in Phase]


@pytest.mark.parametrize("evening", EVERYWHERE, ids=lambda evening: str(evening.game.phase))
def test_the_yellow_and_the_black_button_mean_the_same_everywhere(evening):
    """Repeat, standing, taking back and switching off work in every phase; only the night repeats in its own way."""
    night = evening.game.phase is Phase.NIGHT
    assert meaning(REPEAT, PRESSED, evening, PENDING) is (Narration.RESTART_NIGHT if night else Narration.REPEAT)
    assert meaning(REPEAT, HELD, evening, PENDING) is (Narration.RESTART_NIGHT if night else Narration.STANDING)
    if evening.game.phase is not Phase.LOBBY:
        assert meaning(UNDO, PRESSED, evening, PENDING) == Report((commands.TakeBack(),))
    assert meaning(UNDO, HELD, evening, PENDING) is SwitchOff.NOW


@pytest.mark.parametrize("evening", EVERYWHERE, ids=lambda evening: str(evening.game.phase))
@pytest.mark.parametrize(
    "pending", [PENDING, Pending(is_asked=True), Pending(night_paused=True), Pending(cards=True), Pending(offer=3)]
)
def test_every_button_means_something_everywhere(evening, pending):
    """In every phase, whatever the box is in the middle of, pressed or held: each button has a meaning."""
    for button, held in itertools.product(Button, (PRESSED, HELD)):
        meant = meaning(button, held, evening, pending)
        assert isinstance(meant, Report | Offer | Allow | Narration | SwitchOff | Waiting)


@pytest.mark.parametrize("evening", EVERYWHERE, ids=lambda evening: str(evening.game.phase))
@pytest.mark.parametrize("said", [True, False])
def test_a_phone_is_answered_by_held_green_alone(evening, said):
    """In every phase but the night held ja answers a phone, too early until the number was said; nothing else does."""
    asked = replace(PENDING, is_asked=True, question_said=said)
    for button, held in itertools.product(Button, (PRESSED, HELD)):
        meant = meaning(button, held, evening, asked)
        if (button, held) == (JA, HELD) and evening.game.phase is not Phase.NIGHT:
            assert meant == Allow(too_early=not said)
        else:
            assert meant == meaning(button, held, evening, PENDING)


def test_undo_in_the_lobby_takes_the_newest_seat():
    """Whoever sat down last leaves first, wherever they have moved to; with an empty table undo takes back a report."""
    evening = after(at("lobby", seated=3), commands.MovePlayer(3, 1))
    assert meaning(UNDO, PRESSED, evening, PENDING) == Report((commands.RemovePlayer(3),))
    assert meaning(UNDO, PRESSED, at("lobby", seated=0), PENDING) == Report((commands.TakeBack(),))


def test_with_real_role_cards_seats_never_stop_blue_and_red():
    """Phones that have joined decide how many play only where the box deals."""
    evening = at("lobby", seated=7)
    cards = meaning(LIBERAL, PRESSED, evening, Pending(cards=True))
    assert after(evening, *cards.commands).game.players == 8
    phones = meaning(LIBERAL, PRESSED, evening, PENDING)
    with pytest.raises(Refused, match="seats that are taken"):
        after(evening, *phones.commands)


def test_the_languages_go_round():
    """Held nein in the lobby steps through all languages and comes back to the first."""
    evening, spoken = evening_of(5), []
    for _ in CODES:
        report = meaning(NEIN, HELD, evening, PENDING)
        evening = after(evening, *report.commands)
        spoken.append(evening.seating.language)
    assert sorted(spoken) == sorted(CODES)
    assert spoken[-1] == "en"


def test_a_language_that_is_gone_is_stepped_out_of():
    """A table whose language has no file any more steps to the first that has one."""
    evening = evening_of(5, language="tlh")
    assert meaning(NEIN, HELD, evening, PENDING) == Report((commands.ChooseLanguage("en"),))


def test_taking_back_roles_is_confirmed_by_a_second_press():
    """Undo asks for the roles back only when it was pressed once already."""
    evening = after(evening_of(5), commands.DealRoles(boards.roles(5)))
    assert meaning(UNDO, PRESSED, evening, PENDING) == Report((commands.TakeBack(),))
    pending = Pending(taking_back_roles=True)
    assert meaning(UNDO, PRESSED, evening, pending) == Report((commands.TakeBack(confirmed=True),))


FROM_ELSEWHERE = (commands.Nominate, commands.LookAtRole, commands.EndNight, commands.SetPlayers)
"""Optional, a phone's, the narrator's, and reached step by step."""


@pytest.mark.parametrize("seated", [True, False])
def test_everything_that_is_legal_can_be_pressed(seated):
    """Through random games, every legal answer to every question can be given with the six buttons alone."""
    chance = random.Random(seated)  # noqa: S311 - a test, not a secret
    phases = set()
    for number in range(60):
        evening = evening_of(5 + number % 6, seated=seated)
        for _ in range(90):
            game = evening.game
            phases.add(game.phase)
            if game.phase is Phase.GAME_OVER:
                assert by_buttons(evening) - {(commands.TakeBack(),)}
                break
            refused = commands.SetPlayers if seated else commands.DealRoles
            able = [each for each in rules.legal(game) if not isinstance(each, refused)]
            pressed = by_buttons(evening)
            for command in able:
                regardless = isinstance(command, commands.BeginNight) and command.regardless
                if not isinstance(command, FROM_ELSEWHERE) and not regardless:
                    # Phones that have joined are dealt to; without, real cards are played.
                    assert (as_chance(command),) in pressed or isinstance(command, commands.BeginNight)
            choice = [each for each in able if each != commands.Answer(hitler=True)]
            evening = after(evening, chance.choice(choice))
    assert phases >= set(Phase) - {Phase.DEAL}


def test_no_press_skips_the_hitler_question():
    """In the danger zone no press or hold enacts a policy before the question about Hitler is answered."""
    for phase in (Phase.ELECTION, Phase.HITLER_CHECK):
        for fascist, offer in itertools.product((3, 4, 5), (None, 2)):
            evening = at(phase, cards=True, fascist_policies=fascist)
            for button, held in itertools.product(Button, (PRESSED, HELD)):
                meant = meaning(button, held, evening, Pending(offer=offer, languages=CODES))
                made = meant.commands if isinstance(meant, Report) else ()
                assert not any(isinstance(each, commands.EnactPolicy) for each in made)
    evening = begun(evening_of(7))
    assert after(evening, commands.Vote(elected=True)).game.phase is Phase.LEGISLATIVE_SESSION


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("pending", [PENDING, Pending(is_asked=True), Pending(night_paused=True)])
def test_beside_repeat_the_policy_buttons_turn_the_volume_in_every_phase(phase, pending):
    """Blue is louder and red is softer, wherever the game stands and whatever the box is in the middle of."""
    assert meaning(LIBERAL, PRESSED, at(phase), pending, REPEAT) == Volume(+1)
    assert meaning(FASCIST, PRESSED, at(phase), pending, REPEAT) == Volume(-1)
