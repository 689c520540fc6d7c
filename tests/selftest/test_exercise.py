"""Buttons that are pressed, lights that are seen, and what the edges of a press say."""

import pytest

from companion import languages
from companion.commands.selftest.command import run
from companion.commands.selftest.exercise import judge
from companion.commands.selftest.report import Status
from hardware.boards import load_board
from hardware.gpio import Edge, Probe
from hardware.panel import Button
from hardware.wiring import plan

WIRES = {wire.name: wire for wire in plan(load_board("default")).buttons}
PINS = {f"{button}": pin for button, pin in load_board("default").buttons.items()}


def press(button, *times):
    """Edges of a contact at these times, closing first."""
    return [Edge(button, place % 2 == 0, at) for place, at in enumerate(times)]


def found(*edges):
    """What these edges say of ja."""
    return judge(Button.JA, sorted((edge for each in edges for edge in each), key=lambda edge: edge.at), WIRES)


def test_a_clean_press_has_no_bounce():
    """One closing, one opening, and the time between."""
    finding = found(press(Button.JA, 1.0, 2.2))
    assert (finding.status, finding.words) == (Status.OK, "GPIO 7, pin 26: held 1.2 s, bounced 0 times")


def test_bounces_are_counted():
    """Every edge beyond the two of a press; a handful is what good buttons do."""
    assert found(press(Button.JA, 1.0, 1.001, 1.002, 2.0, 2.001, 2.003)).words.endswith("held 1.0 s, bounced 4 times")


def test_a_worn_contact_is_told_by_its_bounces():
    """More than thirty are no good button."""
    finding = found(press(Button.JA, *(1 + n / 1000 for n in range(41)), 2.0))
    assert finding.status is Status.FAILED
    assert "bounced" in finding.words


def test_silence_names_the_pin_and_the_four_legs():
    """Where nothing comes in, the remedy names the place on the header."""
    finding = found()
    assert finding.words == "nothing came in on GPIO 7, pin 26"
    assert "one wire to pin 26" in finding.remedy
    assert "diagonally opposite" in finding.remedy


def test_swapped_wires_are_told_from_a_dead_button():
    """The press of ja that comes in as nein names both."""
    finding = found(press(Button.NEIN, 1.0, 2.0))
    assert finding.words == "its press came in as nein (GPIO 8, pin 24)"
    assert "swapped" in finding.remedy


def test_a_contact_that_stays_down_is_stuck():
    """It went down and never came up."""
    assert "does not come up again" in found(press(Button.JA, 1.0)).words


def test_a_contact_that_lets_go_while_held_is_loose():
    """A gap longer than any bounce in the middle of a hold is a loose wire."""
    finding = found(press(Button.JA, 1.0, 1.5, 1.6, 2.0))
    assert finding.words == "GPIO 7, pin 26 let go while it was held"


def test_a_bridge_of_solder_presses_two():
    """Two that come in together touch each other."""
    finding = found(press(Button.JA, 1.0, 2.0), press(Button.NEIN, 1.0, 2.0))
    assert finding.words == "nein came in with it"


class Person:
    """Somebody who does as they are told, on mock pins: presses what is named, and sees which light is lit."""

    def __init__(self, parts, board="default", *, swaps=None, blind=(), deaf=False, one_ear=()):
        self.parts = parts
        self.lights = {f"{wire.name} (": wire.bcm for wire in plan(load_board(board)).lights}
        self.pins = {button.value: pin for button, pin in load_board(board).buttons.items()}
        self.swaps = swaps or {}
        self.blind = blind
        self.deaf = deaf
        self.one_ear = one_ear
        self.words = {"left": "Left", "right": "Right"}
        self.heard = []
        self.lit_when_asked = []

    def say(self, words):
        self.heard.append(words)
        name = words.split()[1]
        pin = self.parts.factory.pin(self.pins[self.swaps.get(name, name)])
        pin.drive_low()
        self.parts.seconds += 1.5
        pin.drive_high()

    def ask(self, question):
        self.heard.append(question)
        for side, word in self.words.items():
            if question.startswith(f"Did you hear {word!r}"):
                return "n" if side in self.one_ear else ""
        if question.startswith("Did you hear"):
            return "n" if self.deaf else ""
        (bcm,) = [pin for start, pin in self.lights.items() if question.startswith(start)]
        lit = [pin for pin in self.lights.values() if self.parts.factory.pin(pin).state]
        self.lit_when_asked.append((bcm, lit))
        return "no" if bcm in self.blind else "y"


@pytest.fixture
def exercised(parts, settings, capsys):
    """Run the whole command with a person, and give exit code and lines."""

    def call(person, **given):
        code = run(settings(**given), exercise=True, machine=parts.machine(), console=person, settle_seconds=0)
        return code, capsys.readouterr().out.splitlines()

    return call


def test_a_good_panel_passes(exercised, parts):
    """Every button once, every light once and alone in the order of the map, all dark at the end."""
    person = Person(parts)
    code, lines = exercised(person)
    assert code == 0
    assert [words.split()[1] for words in person.heard[:6]] == [button.value for button in Button]
    assert person.lit_when_asked == [(pin, [pin]) for pin in person.lights.values()]
    assert sum(line.startswith("ok       button ") for line in lines) == 6
    assert sum(line.startswith("ok       light ") for line in lines) == 15
    assert any("held 1.5 s, bounced 0 times" in line for line in lines)
    assert not any(pin.state for pin in parts.factory.pins.values() if pin.function == "output")


def test_each_light_is_named_aloud_with_its_pins(exercised, parts):
    """In the table's language: the row, the place, the GPIO number and the pin; the sample and the sides come last."""
    person = Person(parts)
    person.words = {"left": "Lewy", "right": "Prawy"}
    exercised(person, language="pl")
    spoken = parts.speaker.said[len(languages.codes()) :]
    assert spoken[0].endswith("1. GPIO 17. Pin 11.")
    assert len(spoken) == 18
    assert len(parts.output.played) == 16
    assert spoken[-2:] == ["Lewy.", "Prawy."]


def test_a_silent_box_asks_without_a_voice(exercised, parts):
    """Lights are still shown; nothing is spoken and nobody is asked what they heard."""
    code, lines = exercised(Person(parts), voice="silent")
    assert code == 0
    assert not parts.output.played
    assert any(line.startswith("skipped  heard") for line in lines)


def test_swapped_buttons_fail_by_name(exercised, parts):
    """Two wires that were exchanged are found on the first press."""
    code, lines = exercised(Person(parts, swaps={"ja": "nein", "nein": "ja"}))
    assert code == 1
    assert any("button ja" in line and "came in as nein" in line for line in lines)
    assert any("button nein" in line and "came in as ja" in line for line in lines)


def test_a_light_that_nobody_sees_fails_with_its_remedy(exercised, parts):
    """The others are asked all the same."""
    code, lines = exercised(Person(parts, blind=(22,)))
    assert code == 1
    (place,) = [place for place, line in enumerate(lines) if line.startswith("failed")]
    assert "light liberal 3" in lines[place]
    assert "turn the LED round" in lines[place + 1]


def test_a_loudspeaker_that_nobody_hears_fails(exercised, parts):
    """Every machine is content, and the room is silent: a person's word counts."""
    code, lines = exercised(Person(parts, deaf=True))
    assert code == 1
    assert any(line.startswith("failed   heard") for line in lines)


def test_each_side_is_heard_by_itself(exercised, parts):
    """First the left alone, then the right alone, on a loudspeaker that is opened when the game's is closed."""
    code, lines = exercised(Person(parts))
    assert code == 0
    assert parts.sides.sounded == [(True, False), (False, True)]
    assert parts.sides.closed
    assert any(line.startswith("ok       left and right") and "each side" in line for line in lines)


def test_one_loudspeaker_is_enough(exercised, parts):
    """The box plays everything on both sides, so that a box with one has nothing wrong with it."""
    code, lines = exercised(Person(parts, one_ear=("right",)))
    assert code == 0
    assert any("left alone; one loudspeaker is enough" in line for line in lines)


def test_sides_that_nobody_hears_fail(exercised, parts):
    """Heard together and on neither side alone: the card, and not the voice."""
    code, lines = exercised(Person(parts, one_ear=("left", "right")))
    assert code == 1
    assert any(line.startswith("failed   left and right") for line in lines)


def test_sides_are_not_blamed_for_silence(exercised, parts):
    """Where nothing is heard at all nobody is asked from where, and the loudspeaker is not opened anew."""
    _, lines = exercised(Person(parts, deaf=True))
    assert any(line.startswith("skipped  left and right") and "needs heard" in line for line in lines)
    assert not parts.sides.played


def test_a_card_without_sides_is_told(exercised, parts):
    """A loudspeaker that cannot be opened with two channels fails with its own sentence."""
    parts.sides.trouble = "Nothing can be heard: the card has one side."
    code, lines = exercised(Person(parts))
    assert code == 1
    assert any("left and right" in line and "the card has one side" in line for line in lines)


def test_a_stuck_button_is_exercised_no_further(exercised, parts):
    """It is named, nobody is asked to press it, and the other five are."""
    parts.stuck.add(8)
    person = Person(parts)
    code, lines = exercised(person)
    assert code == 1
    assert any("button nein" in line and "down without a finger" in line for line in lines)
    assert len([words for words in person.heard if words.startswith("Press ")]) == 5


def test_a_pin_that_could_not_be_had_is_not_asked_for(exercised, parts):
    """Nobody presses a button, or looks for a light, whose pin is refused; the others are exercised."""
    parts.factory.refused.update({6, 22})
    person = Person(parts)
    code, lines = exercised(person)
    assert code == 1
    left_out = [line.split("  ")[1].strip() for line in lines if line.endswith("its pin could not be had")]
    assert left_out == ["button fascist", "light liberal 3"]
    assert len([words for words in person.heard if words.startswith("Press ")]) == 5


def test_wires_are_not_blamed_for_spi(exercised, parts):
    """Where a bus has the pins nobody is asked to press anything."""
    parts.tree.put("/boot/firmware/config.txt", "dtparam=spi=on")
    person = Person(parts)
    code, lines = exercised(person)
    assert code == 1
    assert person.heard == []
    assert any(line.startswith("skipped  buttons") and "needs SPI, which failed" in line for line in lines)


def test_a_board_without_lights_has_only_buttons_to_press(exercised, parts):
    """Six buttons and the loudspeaker."""
    person = Person(parts, "small")
    code, lines = exercised(person, board="small")
    assert code == 0
    assert not any("light " in line for line in lines)
    assert len(person.heard) == 9


def test_the_pins_are_given_back_when_the_person_leaves(parts, settings):
    """Ctrl-C in the middle turns every light off and lets the pins go."""

    class Leaves(Person):
        def ask(self, question):
            raise KeyboardInterrupt(question)

    with pytest.raises(KeyboardInterrupt):
        run(settings(), exercise=True, machine=parts.machine(), console=Leaves(parts), settle_seconds=0)
    again = Probe(load_board("default"), parts.factory)
    assert again.refused == ()
    again.close()
    assert parts.speaker.closed


class TestProbe:
    """The pins one by one."""

    def test_edges_come_unfiltered(self, parts):
        """Each bounce is an edge, and the kernel is told to filter nothing."""
        probe = Probe(load_board("default"), parts.factory, lambda: 7.0)
        pin = parts.factory.pin(5)
        assert pin.bounce is None
        for _ in range(3):
            pin.drive_low()
            pin.drive_high()
        edges = [probe.next_edge(0) for _ in range(7)]
        assert edges == [*press(Button.LIBERAL, *[7.0] * 6), None]
        assert probe.next_edge(0.001) is None
        probe.close()

    def test_a_light_is_lit_alone_and_dark_after_close(self, parts):
        """By row and place; a light that the map does not have is refused."""
        probe = Probe(load_board("default"), parts.factory)
        pin = parts.factory.pin(27)
        assert probe.light("liberal", 2, lit=True)
        assert [bcm for bcm in (17, 27, 22, 23, 24) if parts.factory.pin(bcm).state] == [27]
        assert not probe.light("liberal", 6, lit=True)
        probe.close()
        probe.close()
        assert not pin.state

    def test_a_pin_of_another_program_is_named_and_the_rest_work(self, parts):
        """One pin refused leaves twenty."""
        parts.busy.add(22)
        probe = Probe(load_board("default"), parts.factory)
        assert probe.refused == ("Light liberal 3 (GPIO 22) does not work: GPIO busy.",)
        assert not probe.light("liberal", 3, lit=True)
        assert probe.watches(Button.JA)
        assert probe.light("liberal", 4, lit=True)
        probe.close()
