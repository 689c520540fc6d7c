"""What takes a person: each button pressed, held and let go; each light seen; the loudspeaker heard."""

from __future__ import annotations

import wave
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from companion import languages
from companion.commands.selftest.report import Check, Finding, failed, ok, skipped
from companion.narrator.night import voice_of
from companion.narrator.sides import Side, one_sided
from companion.narrator.sound import Track, VoiceError
from hardware import wiring
from hardware.gestures import REARM_SECONDS
from hardware.panel import Button

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from companion.languages import Language
    from companion.narrator.sound import Output, Speaks
    from companion.settings import Settings
    from hardware.boards import Board
    from hardware.gpio import Edge, Probe
    from hardware.wiring import Wire

PATIENCE_SECONDS = 20.0
"""How long somebody may take to find a button."""
LONGEST_HOLD_SECONDS = 10.0
"""A contact that stays closed longer than anybody was asked to hold it is stuck."""
SETTLE_SECONDS = 0.3
"""How long a contact must be quiet before the press is over."""
MOST_BOUNCES = 30
"""A good button has a handful; what has more is worn, or its wire is loose."""

_ROW_TERMS = {
    "liberal": "liberal_board",
    "fascist": "fascist_board",
    "tracker": "election_tracker",
    "status": "status_light",
}


class Console(Protocol):
    """The person at the terminal."""

    def say(self, words: str) -> None:
        """Tell them something."""

    def ask(self, question: str) -> str:
        """Ask them something, and return what they typed; empty where they have gone."""


@dataclass(frozen=True)
class Outputs:
    """The loudspeaker, in the two ways in which it is listened to.

    Attributes:
        output: as a game has it, open.
        open_sides: opens it so that the sides can be told apart, once `output` is closed.
    """

    output: Output
    open_sides: Callable[[], Output]


def judge(button: Button, edges: Sequence[Edge], wires: dict[str, Wire]) -> Finding:
    """What the edges of one press say of a button.

    Args:
        button: the one that was to be pressed, held and let go.
        edges: of all contacts, in order.
        wires: the wires of the buttons, by name.
    """
    wire = wires[button.value]
    where = f"GPIO {wire.bcm}, pin {wire.pin}"
    own = [edge for edge in edges if edge.button is button]
    others = sorted({edge.button.value for edge in edges if edge.button is not button and edge.down})
    if not own and others:
        other = wires[others[0]]
        return failed(
            f"its press came in as {others[0]} (GPIO {other.bcm}, pin {other.pin})",
            "the wires of the two are swapped: swap them, or the numbers in the pin map",
        )
    if not own:
        return failed(
            f"nothing came in on {where}",
            f"one wire to pin {wire.pin}, the other to ground; of four legs take two that are diagonally opposite",
        )
    if own[-1].down:
        return failed(f"{where} does not come up again", "the contact sticks, or its wire touches ground")
    held = own[-1].at - own[0].at
    gaps = [later.at - sooner.at for sooner, later in pairwise(own) if later.down]
    if any(gap >= REARM_SECONDS for gap in gaps):
        return failed(f"{where} let go while it was held", "a loose wire or a worn contact: solder it, or take another")
    bounces = len(own) - 2
    if bounces > MOST_BOUNCES:
        return failed(f"{where} bounced {bounces} times", "a loose wire or a worn contact: solder it, or take another")
    if others:
        return failed(
            f"{', '.join(others)} came in with it", "their wires touch each other: look for a bridge of solder"
        )
    return ok(f"{where}: held {held:.1f} s, bounced {bounces} times")


class Exercise:
    """The part of the test that takes a person.

    Args:
        settings: of the box.
        board: its pin map.
        probe: its pins.
        console: the person.
        speaker: the voice, which names each light where it can.
        outputs: what is listened to.
        clock: seconds that never go back, the same as the probe's.
        settle_seconds: how long a contact must be quiet before its press is over.
    """

    def __init__(
        self,
        settings: Settings,
        board: Board,
        probe: Probe,
        console: Console,
        speaker: Speaks,
        outputs: Outputs,
        clock: Callable[[], float],
        settle_seconds: float = SETTLE_SECONDS,
    ) -> None:
        self._language: Language = languages.load(settings.language)
        self._output = outputs.output
        self._open_sides = outputs.open_sides
        self._file = settings.sound_file
        self._silent = settings.voice == "silent" or bool(self._output.trouble)
        self._probe = probe
        self._console = console
        self._speaker = speaker
        self._clock = clock
        self._settle_seconds = settle_seconds
        plan = wiring.plan(board)
        self._lights = plan.lights
        self._buttons = {wire.name: wire for wire in plan.buttons}

    def checks(self) -> Iterator[Check]:
        """Each button, each light, and the loudspeaker."""
        for name in self._buttons:
            yield Check(f"button {name}", self._button(Button(name)))
        for wire in self._lights:
            yield Check(f"light {wire.name}", self._light(wire))
        yield Check("heard", self._heard)
        yield Check("left and right", self._sides, ("heard",))

    def _button(self, button: Button) -> Callable[[], Finding]:
        def look() -> Finding:
            wire = self._buttons[button.value]
            if not self._probe.watches(button):
                return skipped("its pin could not be had")
            while self._probe.next_edge(0) is not None:
                pass  # What happened before the question is no answer to it.
            if self._probe.down(button):
                return failed(
                    f"is down without a finger on it (GPIO {wire.bcm}, pin {wire.pin})",
                    "its wire touches ground, or of its four legs two were taken that are always joined",
                )
            self._console.say(
                f"Press {button.value} ({wire.colour}; GPIO {wire.bcm}, pin {wire.pin}), hold it for a second, let go."
            )
            return judge(button, self._edges(), self._buttons)

        return look

    def _edges(self) -> list[Edge]:
        """The edges of one press, from the first on until all is quiet with every button up again."""
        edge = self._probe.next_edge(PATIENCE_SECONDS)
        edges = []
        down: set[Button] = set()
        began = self._clock()
        while edge is not None:
            edges.append(edge)
            if self._clock() - began > LONGEST_HOLD_SECONDS:
                break
            down = down | {edge.button} if edge.down else down - {edge.button}
            edge = self._probe.next_edge(LONGEST_HOLD_SECONDS if down else self._settle_seconds)
        return edges

    def _light(self, wire: Wire) -> Callable[[], Finding]:
        def look() -> Finding:
            where = f"GPIO {wire.bcm}, pin {wire.pin}"
            if not self._probe.light(wire.row, wire.place, lit=True):
                return skipped("its pin could not be had")
            try:
                self._speak(f"{self._label(wire)}. GPIO {wire.bcm}. Pin {wire.pin}.")
                seen = _yes(self._console.ask(f"{wire.name} ({wire.colour}; {where}): is it lit, and no other? [Y/n] "))
            finally:
                self._probe.light(wire.row, wire.place, lit=False)
            if seen:
                return ok(where)
            return failed(
                f"{where} was not seen",
                f"turn the LED round (long leg to the resistor); look at the wire to pin {wire.pin}; if another was "
                "lit, the two are swapped",
            )

        return look

    def _label(self, wire: Wire) -> str:
        name = self._language.page[_ROW_TERMS[wire.row]]
        return name if wire.row == "status" else f"{name} {wire.place}"

    def _heard(self) -> Finding:
        if self._silent:
            return skipped(self._output.trouble or "the voice is switched off")
        if not self._speak(self._language.say("sample")):
            return skipped("there is no voice")
        if _yes(self._console.ask("Did you hear that, loud and whole? [Y/n] ")):
            return ok("a person heard it")
        return failed(
            "a person heard nothing", "alsamixer turns it up; sound.device may name another card (see sound card above)"
        )

    def _sides(self) -> Finding:
        if self._file is not None:
            return skipped(f"the box plays into {self._file}")
        # There is one mixer, and it is opened anew. Nothing after this needs the one of the game.
        self._output.close()
        output = self._open_sides()
        try:
            if output.trouble:
                return failed(output.trouble, "set sound.device to a card with two sides, or let this be: one will do")
            with TemporaryDirectory() as folder:
                heard = [side for side in Side if self._from(side, output, Path(folder))]
        except (VoiceError, OSError, wave.Error) as error:
            return failed(f"the sound for one side could not be made: {error}", "companion voices tells of each voice")
        finally:
            output.close()
        if len(heard) == len(Side):
            return ok("each side by itself")
        if heard:
            return ok(f"{heard[0]} alone; one loudspeaker is enough, since everything is played on both sides")
        return failed(
            "a person heard neither side by itself", "alsamixer turns up both; look at the plug of the loudspeaker"
        )

    def _from(self, side: Side, output: Output, folder: Path) -> bool:
        """Play the word for a side on that side, and ask whether it was heard there."""
        word = self._language.page[f"speaker_{side}"]
        clip = self._speaker.clip(self._language.pronounce(f"{word}."), voice_of(self._language))
        output.play(one_sided(clip, side, folder), Track.VOICE)
        return _yes(self._console.ask(f"Did you hear {word!r}, and from the {side} if there are two? [Y/n] "))

    def _speak(self, words: str) -> bool:
        """Say something aloud, where that is possible."""
        if self._silent:
            return False
        try:
            clip = self._speaker.clip(self._language.pronounce(words), voice_of(self._language))
        except VoiceError:
            return False
        self._output.play(clip, Track.VOICE)
        return True


def _yes(answer: str) -> bool:
    """In each of our languages no begins with an n."""
    return not answer.strip().casefold().startswith(("n", "н"))
