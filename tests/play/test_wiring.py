import pytest
from gpiozero.pins.mock import MockFactory

from companion import languages
from companion.box.app import Companion
from companion.game.vocabulary import Phase
from companion.machine import power
from companion.panel import lights
from companion.settings import Settings
from hardware.boards import load_board
from hardware.gpio import GpioPanel
from hardware.panel import DARK, Button, ButtonEvent, Gesture
from tests.support import FakeClock, FakeOutput, FakePanel, FakeSpeaker, eventually

ENGLISH = languages.load("en")


@pytest.fixture
def companions(tmp_path):
    """Makes boxes as the app wires them, all on one journal, and closes them."""
    made = []

    def make(panel, **more):
        clock = FakeClock()
        settings = Settings(
            state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", host="127.0.0.1", port=0, **more
        )
        output = FakeOutput(clock)
        box = Companion(settings, clock=clock, speaker=FakeSpeaker(), output=output, panel=panel)
        made.append(box)
        return box, output

    yield make
    for box in made:
        box.close()


def game_of(box):
    return box.feed.snapshot.evening.game


def press(box, *buttons):
    for button in buttons:
        assert box.press(ButtonEvent(button, Gesture.PRESS)).result(5).ok


def test_a_box_that_was_unplugged_shows_the_boards_before_it_speaks(companions):
    """Wired as it is played: after a restart the lights are the game's before the first word, and go out at the end."""
    box, _ = companions(FakePanel())
    box.open()
    box.learn()
    press(box, Button.JA)
    eventually(lambda: game_of(box).phase is Phase.ASK)
    press(box, Button.JA, Button.FASCIST, Button.LIBERAL, Button.NEIN)
    left = game_of(box)
    box.close()

    order, panel = [], FakePanel()
    show = panel.show
    panel.show = lambda shown: (order.append(shown), show(shown))
    box, output = companions(panel)
    assert panel.lights == lights.picture(left)
    play = output.play
    output.play = lambda clip, track, **kind: (order.append("sound"), play(clip, track, **kind))
    box.open()
    box.learn()
    eventually(lambda: ENGLISH.pronounce(ENGLISH.say("resumed")) in output.said())
    first = order.index("sound")
    assert first > 0
    for shown in order[:first]:
        assert (shown.liberal, shown.fascist, shown.tracker) == (
            panel.lights.liberal,
            panel.lights.fascist,
            panel.lights.tracker,
        )
    box.close()
    assert panel.lights == DARK


def test_a_pin_is_wired_to_the_journal(companions):
    """A press of a pin reaches the game, and the light of its policy, through everything that the app wires."""
    factory, clock = MockFactory(), FakeClock()
    board = load_board("default")
    box, _ = companions(GpioPanel(board, factory, clock), roles="cards")
    box.open()
    box.learn()

    def press_pin(button):
        clock.go(0.1)
        factory.pin(board.buttons[button]).drive_low()
        clock.go(0.1)
        factory.pin(board.buttons[button]).drive_high()

    press_pin(Button.JA)
    eventually(lambda: game_of(box).phase is Phase.ASK)
    press_pin(Button.JA)
    eventually(lambda: game_of(box).phase is Phase.ELECTION)
    press_pin(Button.LIBERAL)
    eventually(lambda: game_of(box).liberal_policies == 1)
    eventually(lambda: factory.pin(board.lights["liberal"].pins[0]).state)


def test_the_whole_hold_ends_the_box(companions):
    """Undo held to its end says goodbye, and then lets the program end."""
    panel = FakePanel()
    box, output = companions(panel)
    box.open()
    box.learn()
    # Nobody holds a button for five seconds before the welcome has begun.
    eventually(output.said)
    panel.do(ButtonEvent(Button.UNDO, Gesture.HOLD))
    box.wait()
    assert output.said()[-1] == ENGLISH.pronounce(ENGLISH.say("goodbye"))


def test_a_machine_that_may_not_be_switched_off_plays_on(companions, monkeypatch, caplog):
    """Without leave to power off, the table hears so after the goodbye, the log says why, and the game goes on."""
    monkeypatch.setattr(power, "power_off", lambda: "Access denied")
    panel = FakePanel()
    box, output = companions(panel, shutdown="poweroff")
    box.open()
    box.learn()
    eventually(output.said)
    panel.do(ButtonEvent(Button.UNDO, Gesture.HOLD))
    last_words = [ENGLISH.pronounce(ENGLISH.say(key)) for key in ("goodbye", "shutdown_refused")]
    eventually(lambda: [said for said in output.said() if said in last_words] == last_words)
    assert "This machine cannot be switched off from the panel: Access denied." in caplog.text
    press(box, Button.LIBERAL)
    eventually(lambda: panel.lights.fascist == lights.picture(game_of(box)).fascist)


def test_what_the_table_may_hear_next_is_rendered_while_it_talks(companions):
    """Nobody has to wait for a name: whom the President may nominate is rendered before anybody is nominated."""
    box, _ = companions(FakePanel())
    box.open()
    box.learn()
    press(box, Button.JA)
    eventually(lambda: game_of(box).phase is Phase.ASK)
    press(box, Button.JA)
    game = game_of(box)
    president, *others = (ENGLISH.say("player", seat=seat) for seat in (game.president, *game.eligible_chancellors))
    awaited = {ENGLISH.pronounce(ENGLISH.say("nominated", president=president, chancellor=name)) for name in others}
    assert len(awaited) == 4
    eventually(lambda: awaited <= {*box._speech._speaker.asked})


def test_the_volume_survives_the_plug(companions):
    """Turned down by two steps beside repeat, the box is as loud as that when it is switched on again."""
    louder, softer = (
        ButtonEvent(button, Gesture.PRESS, beside=Button.REPEAT) for button in (Button.LIBERAL, Button.FASCIST)
    )
    panel = FakePanel()
    box, output = companions(panel)
    turned = volumes_of(output)
    box.open()
    box.learn()
    for event in (softer, softer, softer, louder):
        panel.do(event)
    eventually(lambda: turned == [9, 8, 7, 8])
    box.close()

    panel = FakePanel()
    box, output = companions(panel)
    turned = volumes_of(output)
    box.open()
    box.learn()
    panel.do(softer)
    panel.do(louder)
    eventually(lambda: turned == [7, 8])


def test_the_page_turns_the_volume_as_the_pins_do(companions):
    """A policy button sent with repeat changes the volume and nothing of the game."""
    box, _ = companions(FakePanel())
    box.open()
    box.learn()
    before = game_of(box)
    pressed = box.press(ButtonEvent(Button.FASCIST, Gesture.PRESS, beside=Button.REPEAT)).result(5)
    assert (pressed.ok, pressed.caption) == (True, ENGLISH.say("volume", level=9))
    assert game_of(box) == before


def volumes_of(output):
    """What a loudspeaker is turned to from now on."""
    turned = []
    output.turn_to = turned.append
    return turned


@pytest.fixture
def in_mid_game(companions):
    """A box whose settings name another language since its game began: it has just been started again."""
    box, _ = companions(FakePanel())
    box.open()
    box.learn()
    press(box, Button.JA)
    eventually(lambda: game_of(box).phase is Phase.ASK)
    press(box, Button.JA)
    box.close()
    box, output = companions(FakePanel(), language="pl")
    assert "A game is under way: the language of the settings, Polski, comes with the next lobby." in box.notes
    box.open()
    box.learn()
    assert language_of(box) == "en"
    return box, output


def language_of(box):
    return box.feed.snapshot.evening.seating.language


def test_a_language_that_was_set_in_mid_game_comes_with_the_next_one(in_mid_game, companions):
    """The game ends in the language it began in; the next one is spoken in the new language from its first word."""
    box, output = in_mid_game
    press(box, *[Button.LIBERAL] * 5)
    assert (game_of(box).phase, language_of(box)) == (Phase.GAME_OVER, "en")
    eventually(lambda: ENGLISH.pronounce(ENGLISH.say("win_liberal_policies")) in output.said())
    before = len(output.said())
    press(box, Button.JA)
    assert language_of(box) == "pl"
    polish = languages.load("pl")
    eventually(lambda: game_of(box).phase is Phase.ASK)
    night = [polish.pronounce(step.text) for step in polish.few if step.text]
    assert [said for said in output.said()[before:] if said in night] == night
    box.close()
    again, _ = companions(FakePanel(), language="pl")
    assert not [note for note in again.notes if "next lobby" in note]


def test_a_language_that_was_set_in_mid_game_comes_when_the_game_is_taken_back(in_mid_game, companions):
    """Also undo leads to a lobby; there another language can be chosen at the panel, and then that one stays."""
    box, _ = in_mid_game
    while game_of(box).phase is not Phase.LOBBY:
        box.press(ButtonEvent(Button.UNDO, Gesture.PRESS)).result(5)
    eventually(lambda: language_of(box) == "pl")
    box.press(ButtonEvent(Button.NEIN, Gesture.HOLD)).result(5)
    chosen = language_of(box)
    assert chosen != "pl"
    box.close()
    again, _ = companions(FakePanel(), language="pl")
    assert language_of(again) == chosen


def test_the_box_says_that_it_has_a_network_of_its_own(companions):
    """While people gather, since its code comes first; in a game nobody waits for it, and nothing is said."""
    box, output = companions(FakePanel())
    box.open()
    box.learn()
    said = ENGLISH.pronounce(ENGLISH.say("own_network"))
    box.addresses.on_own_network()
    eventually(lambda: said in output.said())
    press(box, Button.JA)
    eventually(lambda: game_of(box).phase is Phase.ASK)
    before = len(output.said())
    box.addresses.on_own_network()
    press(box, Button.JA)
    eventually(lambda: len(output.said()) > before)
    assert said not in output.said()[before:]
