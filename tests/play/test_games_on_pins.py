"""Whole games, from an empty lobby to the next deal, on a panel of pins: buttons go down and up, lights are read."""

from __future__ import annotations

import random

import pytest
from gpiozero.pins.mock import MockFactory

from companion import languages
from companion.game import commands, rules
from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.vocabulary import Party, Phase
from companion.journal import Journal, resume
from companion.narrator import cues
from companion.panel import lights
from companion.panel.meanings import Offer, Pending, Report, meaning
from companion.table.listener import Change
from hardware.boards import load_board
from hardware.gpio import GpioPanel
from hardware.panel import HOLD_SECONDS, Button, Light
from tests.support import Box, FakeClock, after, begun, elected, evening_of, eventually

LIBERAL, FASCIST, JA, NEIN, REPEAT, UNDO = Button
BOARD = load_board("default")


class Fingers:
    """Somebody at the panel: presses its pins, and reads its lights."""

    def __init__(self, box, factory, clock):
        self.box = box
        self._factory = factory
        self._clock = clock

    def press(self, button, *, held=False, bounces=0):
        """Press or hold a button, and return what the box said to it."""
        pin = self._factory.pin(BOARD.buttons[button])
        answered = len(self.box.answers)
        self._clock.go(0.15)
        pin.drive_low()
        for _ in range(bounces):
            pin.drive_high()
            self._clock.go(0.001)
            pin.drive_low()
        if held:
            self._clock.go(HOLD_SECONDS[button] + 0.01)
            eventually(lambda: len(self.box.answers) > answered)
        else:
            self._clock.go(0.08)
        pin.drive_high()
        for _ in range(bounces):
            pin.drive_low()
            self._clock.go(0.001)
            pin.drive_high()
        eventually(lambda: len(self.box.answers) > answered)
        return self.box.answers[-1].result(5)

    def sees(self, shown):
        """Whether the three rows are lit as they should be; what blinks may be lit or not."""
        rows = shown.rows()
        return all(
            light is Light.SLOW or self._factory.pin(pin).state == (light is Light.ON)
            for row in ("liberal", "fascist", "tracker")
            for pin, light in zip(BOARD.lights[row].pins, rows[row], strict=True)
        )


@pytest.fixture
def table_with_pins(tmp_path):
    """Makes a box with a panel on mock pins and a journal on disk, and closes it."""
    made = []

    def make(evening=None, folder="games", *, cards=True, language="en"):
        journal = Journal.open(tmp_path / folder)
        start = evening or evening_of(5, language=language, seated=False)
        resumed = resume(journal, lambda: (start, rulebook.opened(5, seating=start.seating)[1]))
        factory, clock = MockFactory(), FakeClock()
        panel = GpioPanel(BOARD, factory, clock)
        box = Box(resumed, memory=journal, panel=panel, cards=cards, clock=FakeClock())
        made.append((box, journal))
        return box.start(), Fingers(box, factory, clock)

    yield make
    for box, journal in made:
        box.close()
        journal.close()


PLAYED = [(players, code) for code in languages.codes() for players in (5, 7, 10)]


@pytest.mark.parametrize(("players", "code"), PLAYED, ids=str)
def test_a_whole_game_is_played_with_six_buttons(table_with_pins, players, code):
    """From the lobby to the next night, after each press state, lights and caption are what the referee says."""
    chance = random.Random(f"{players} {code}")  # noqa: S311 - a test, not a secret
    language = languages.load(code)
    box, fingers = table_with_pins()
    while box.table.evening.seating.language != code:
        fingers.press(NEIN, held=True)
    while box.game.players != players:
        fingers.press(chance.choice((LIBERAL, FASCIST)))
        eventually(lambda: fingers.sees(lights.picture(box.game)))
    assert fingers.press(JA).ok
    eventually(lambda: box.game.phase is Phase.ASK)
    box.silence()
    assert box.caption == language.say("night_question")
    assert fingers.press(JA).ok
    game = rules.begun(players, box.game.president)
    assert box.game == game
    while game.phase is not Phase.GAME_OVER:
        before, pending = box.table.evening, Pending(offer=box.feed.snapshot.choice, languages=languages.codes())
        button, held = a_press(game, chance)
        if game.eligible_targets:
            # Nobody is chosen before their name was said.
            box.silence()
        meant = meaning(button, held, before, pending)
        pressed = fingers.press(button, held=held)
        if isinstance(meant, Offer):
            ok, caption = True, cues.offer(before, meant.seat, language).text
            assert box.feed.snapshot.choice == meant.seat
        else:
            ok, caption, game = refereed(before, meant, language)
        assert (pressed.ok, pressed.caption, box.game) == (ok, caption, game)
        eventually(lambda: fingers.sees(lights.picture(game)))  # noqa: B023 - called at once
    box.silence()
    assert box.caption == language.say("game_over")
    assert fingers.sees(lights.picture(game))
    assert fingers.press(JA).ok
    eventually(lambda: box.game.phase in (Phase.NIGHT, Phase.ASK))
    assert box.game.players == players


def refereed(before, meant, language):
    """What the referee makes of a press: whether it is allowed, what is said first, and the game after it."""
    if not isinstance(meant, Report):
        return False, cues.waiting(before, language, cards=True).text, before.game
    try:
        entry = rulebook.decide(before, meant.commands)
    except Refused as refused:
        return False, cues.refusal(refused, before, language).text, before.game
    after = rulebook.evolve(before, entry)
    return True, cues.announce(Change(before, entry, after), language)[0].text, after.game


def a_press(game, chance):
    """A press that somebody at this table would make; now and then one that is wrong, or a veto."""
    if chance.random() < 0.1:
        return chance.choice(((LIBERAL, False), (NEIN, True)))
    match game.phase:
        case Phase.ELECTION:
            shorthand = () if game.danger_zone else ((FASCIST, False),)
            return chance.choice(((JA, False), (JA, False), (NEIN, False), *shorthand))
        case Phase.HITLER_CHECK:
            return chance.choice(((NEIN, False),) * 4 + ((JA, False),))
        case Phase.LEGISLATIVE_SESSION:
            veto = ((NEIN, True),) if game.can_propose_veto else ()
            return chance.choice(((LIBERAL, False), (FASCIST, False), *veto))
        case Phase.CHAOS:
            return chance.choice(((LIBERAL, False), (FASCIST, False)))
        case Phase.VETO:
            return chance.choice(((JA, False), (NEIN, False)))
        case _:
            return chance.choice(((LIBERAL, False), (FASCIST, False), (JA, False)))


def enact(fingers, policy):
    """A government is elected and enacts a policy; who is asked says that it is not Hitler."""
    fingers.press(JA)
    if fingers.box.game.phase is Phase.HITLER_CHECK:
        fingers.press(NEIN)
    fingers.press(LIBERAL if policy is Party.LIBERAL else FASCIST)


def test_the_box_goes_on_where_the_plug_was_pulled(table_with_pins):
    """A second box on the same journal shows the same boards, says where the table stands, and plays on."""
    box, fingers = table_with_pins()
    fingers.press(JA)
    eventually(lambda: box.game.phase is Phase.ASK)
    fingers.press(JA)
    enact(fingers, Party.LIBERAL)
    enact(fingers, Party.FASCIST)
    fingers.press(NEIN)
    left = box.game
    box.close()
    box.memory.close()
    again, fingers = table_with_pins()
    assert again.game == left
    assert fingers.sees(lights.picture(left))
    again.silence()
    english = languages.load("en")
    said = again.output.said()
    assert said[0] == english.pronounce(english.say("resumed"))
    assert english.pronounce(english.say("standing", liberal=1, fascist=1, tracker=1)) in said
    fingers.press(NEIN)
    assert again.game.election_tracker == 2


def test_a_night_that_the_plug_ended_waits_for_a_press(table_with_pins):
    """After a power cut in the night the box says so in the dark, and begins the night at ja."""
    evening = evening_of(7, seated=False)
    box, fingers = table_with_pins(evening)
    box.narrator.pause_night()
    box.clock.standing = True
    fingers.press(JA)
    assert box.game.phase is Phase.NIGHT
    box.close()
    box.memory.close()
    again, fingers = table_with_pins(evening)
    again.silence()
    english = languages.load("en")
    assert again.output.said() == [english.pronounce(english.say("night_interrupted"))]
    assert fingers.sees(lights.DARK)
    assert fingers.press(JA).ok
    eventually(lambda: again.game.phase is Phase.ASK)


def test_bounces_are_one_press_all_the_way(table_with_pins):
    """Two hundred presses of bouncing buttons are two hundred reports, each made or taken back once."""
    box, fingers = table_with_pins()
    fingers.press(JA)
    eventually(lambda: box.game.phase is Phase.ASK)
    fingers.press(JA)
    chance = random.Random(3)  # noqa: S311 - a test, not a secret
    start, answered = box.table.evening.step.steps(), len(box.answers)
    for _ in range(10):
        for number in range(1, 11):
            button = LIBERAL if box.game.phase is Phase.CHAOS else NEIN
            assert fingers.press(button, bounces=chance.randint(1, 12)).ok
            assert box.table.evening.step.steps() == start + number
        for number in range(9, -1, -1):
            assert fingers.press(UNDO, bounces=chance.randint(1, 12)).ok
            assert box.table.evening.step.steps() == start + number
    assert len(box.answers) == answered + 200


def test_ten_presses_in_a_second_are_ten(table_with_pins):
    """Somebody in a hurry who presses ten times in a second is heard ten times, in order."""
    box, fingers = table_with_pins()
    for _ in range(10):
        fingers.press(LIBERAL)
    assert box.game.players == 5 + 10 % 6


def test_the_lights_go_out_at_the_end(table_with_pins):
    """A box that is closed in the middle of a game leaves no pin lit."""
    box, fingers = table_with_pins()
    fingers.press(JA)
    eventually(lambda: box.game.phase is Phase.ASK)
    fingers.press(JA)
    enact(fingers, Party.FASCIST)
    eventually(lambda: fingers.sees(lights.picture(box.game)))
    box.close()
    assert fingers.sees(lights.DARK)


def test_the_shutdown_needs_the_whole_hold(table_with_pins):
    """Undo let go after three seconds leaves the box on, and takes nothing back; five seconds switch it off."""
    box, fingers = table_with_pins()
    fingers.press(LIBERAL)
    pin, clock = fingers._factory.pin(BOARD.buttons[UNDO]), fingers._clock
    clock.go(0.1)
    pin.drive_low()
    for second in range(3):
        answered = len(box.answers)
        clock.go(1.001)
        eventually(lambda: len(box.answers) > answered)  # noqa: B023 - called at once
        assert box.answers[-1].result(5).caption == languages.load("en").say("shutdown_countdown", seconds=4 - second)
    answered = len(box.answers)
    pin.drive_high()
    eventually(lambda: len(box.answers) > answered)
    assert box.game.players == 6
    assert not box.switched_off.is_set()
    fingers.press(UNDO, held=True)
    eventually(box.switched_off.is_set)


def act(fingers, *edges):
    """Move contacts, each a button, whether it goes down and the seconds that pass before it does."""
    for button, down, seconds in edges:
        fingers._clock.go(seconds)
        pin = fingers._factory.pin(BOARD.buttons[button])
        (pin.drive_low if down else pin.drive_high)()
    fingers._clock.go(0.2)


@pytest.fixture
def at_an_election(table_with_pins):
    box, fingers = table_with_pins(begun(evening_of(7)))
    box.silence()
    return box, fingers


def heard(box, count):
    """What the box answered to its last presses, once there are so many."""
    eventually(lambda: len(box.answers) >= count)
    return [answer.result(5) for answer in box.answers]


@pytest.mark.parametrize(("first", "second"), [(LIBERAL, FASCIST), (FASCIST, LIBERAL)])
@pytest.mark.parametrize("apart_seconds", [0.0, 0.03, 0.1])
def test_two_policies_under_one_hand_are_one_and_the_table_hears_so(at_an_election, first, second, apart_seconds):
    """Blue and red together enact the first policy; the second is refused with a sentence and changes nothing."""
    box, fingers = at_an_election
    act(fingers, (first, True, 0.1), (second, True, apart_seconds), (first, False, 0.1), (second, False, 0.0))
    answers = heard(box, 2)
    assert [answer.ok for answer in answers] == [True, False]
    assert answers[1].caption == languages.load("en").say("two_at_once")
    assert box.game.liberal_policies + box.game.fascist_policies == 1
    assert (box.game.liberal_policies == 1) == (first is LIBERAL)


def test_a_trembling_finger_votes_once(at_an_election):
    """White twice within seventy milliseconds is one failed election, not two."""
    box, fingers = at_an_election
    act(fingers, (NEIN, True, 0.1), (NEIN, False, 0.02), (NEIN, True, 0.06), (NEIN, False, 0.02))
    heard(box, 2)
    assert box.game.election_tracker == 1


def test_two_elections_that_fail_one_after_the_other_are_two(at_an_election):
    """A quick finger that presses twice in a third of a second is believed."""
    box, fingers = at_an_election
    for _ in range(2):
        act(fingers, (NEIN, True, 0.1), (NEIN, False, 0.05))
    heard(box, 2)
    assert box.game.election_tracker == 2


def test_white_and_green_together_are_one_result(at_an_election):
    """Both results of a vote at once: the one that was let go first counts, and the other elects nobody."""
    box, fingers = at_an_election
    act(fingers, (NEIN, True, 0.1), (JA, True, 0.0), (NEIN, False, 0.1), (JA, False, 0.01))
    answers = heard(box, 2)
    assert [answer.ok for answer in answers] == [True, False]
    assert (box.game.phase, box.game.election_tracker) == (Phase.ELECTION, 1)


def test_ten_quick_presses_of_next_are_ten(table_with_pins):
    """Whoever steps through names is followed, however quickly they press."""
    box, fingers = table_with_pins(after(elected(begun(evening_of(10))), commands.EnactPolicy(Party.FASCIST)))
    box.silence()
    targets = box.game.eligible_targets
    assert len(targets) == 9
    act(fingers, *[edge for _ in range(10) for edge in ((LIBERAL, True, 0.055), (LIBERAL, False, 0.02))])
    heard(box, 10)
    assert box.presses._pending.offer == targets[10 % len(targets)]
