"""People who press anything at any time. `--monkeys 100000` lets them press that often, over 500 games and more."""

from __future__ import annotations

import logging
import random

from companion import languages
from companion.game import commands, rules
from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.vocabulary import Phase
from companion.panel.meanings import Pending, Report, meaning
from hardware.panel import Button, ButtonEvent, Gesture
from tests.play.pressing import as_chance, by_buttons
from tests.support import NAMES, Box, FakeClock, begun, evening_of, eventually, played

PRESSES_A_GAME = 200

GESTURES = (*(Gesture.PRESS,) * 8, Gesture.HOLD, Gesture.HOLD, Gesture.HOLDING, Gesture.HOLD_CANCELLED)


class Keeper(logging.Handler):
    """Keeps what is logged as an error: listeners and owner turn exceptions into log lines."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.kept = []

    def emit(self, record):
        self.kept.append(record.getMessage() + str(record.exc_info))


def a_gesture(chance, wise):
    """Anything; where monkeys are wise, more of what goes on than of what undoes and switches off."""
    button = chance.choice(tuple(Button))
    if wise and button is Button.UNDO and chance.random() < 0.85:
        button = chance.choice((Button.JA, Button.FASCIST, Button.NEIN))
    gesture = chance.choice(GESTURES)
    if gesture is Gesture.HOLDING:
        return ButtonEvent(Button.UNDO, gesture, chance.randint(1, 4))
    if gesture is Gesture.HOLD_CANCELLED:
        return ButtonEvent(Button.UNDO, gesture)
    return ButtonEvent(button, gesture)


def somebody(box, chance):
    return chance.choice(box.table.evening.seating.players or (None,))


def ask_for_host(box, chance):
    player = somebody(box, chance)
    if player is not None:
        box.asking.for_host(player.id, player.claim)


def ask_for_seat(box, chance):
    player = somebody(box, chance)
    if player is not None:
        box.asking.for_seat(player.id, f"claim {chance.random()}", "")


def a_tap(box, chance):
    """Something that a phone reports meanwhile."""
    evening = box.table.evening
    game, seated = evening.game, len(evening.seating.players)
    taps = [lambda: box.submit(commands.LookAtRole(chance.choice(game.seats)))] * 3
    if seated:
        taps += [
            lambda: box.table.call(lambda: ask_for_host(box, chance)),
            lambda: box.table.call(lambda: ask_for_seat(box, chance)),
        ]
    if evening.joining and seated < len(NAMES):
        taps.append(
            lambda: box.submit(commands.TakeSeat(f"{NAMES[seated]} {chance.random():.3f}", f"claim {chance.random()}"))
        )
    if game.eligible_chancellors:
        taps.append(lambda: box.submit(commands.Nominate(chance.choice(game.eligible_chancellors))))
    if game.eligible_targets:
        taps.append(lambda: box.submit(commands.UsePower(chance.choice(game.eligible_targets))))
    chance.choice(taps)()


def assert_goes_on(box):
    """Whatever has happened, the table can go on by the six buttons, and what they report is not refused."""
    evening = box.table.evening
    game = evening.game
    if game.phase is Phase.NIGHT:
        eventually(lambda: box.narrator.holds_night or box.game.phase is not Phase.NIGHT)
        return
    legal = {as_chance(each) for each in rules.legal(game) if not isinstance(each, commands.SetPlayers)}
    forward = [
        made for made in by_buttons(evening) if not isinstance(made[0], commands.TakeBack | commands.ChooseLanguage)
    ]
    assert forward, f"a dead end in {game.phase}"
    for made in forward:
        if made[0] in legal and isinstance(
            made[0], commands.Vote | commands.Answer | commands.EnactPolicy | commands.UsePower
        ):
            rulebook.decide(evening, made)


def expected(box, event):
    """Whether the referee accepts what a press reports; None where it reports nothing or chance decides."""
    snapshot = box.feed.snapshot
    pending = Pending(
        offer=snapshot.choice,
        unsaid=not box.announcer.name_said,
        is_asked=snapshot.question is not None,
        cards=box.cards,
        night_paused=snapshot.night_paused,
        languages=languages.codes(),
        breaking_off=box.presses._is_warned(event),
    )
    if event.gesture not in (Gesture.PRESS, Gesture.HOLD):
        return None
    evening = box.table.evening
    meant = meaning(event.button, event.gesture is Gesture.HOLD, evening, pending)
    if not isinstance(meant, Report) or any(not hasattr(each, "__dataclass_fields__") for each in meant.commands):
        return None
    if isinstance(meant.commands[0], commands.TakeBack) or box.table.withholds:
        return None
    try:
        rulebook.decide(evening, meant.commands)
    except Refused:
        return False
    return True


def play_one_game(seed, presses):
    """Let monkeys press a box for a while, then bring its game to an end; return the phases they saw."""
    chance = random.Random(seed)  # noqa: S311 - a test, not a secret
    evening = evening_of(5 + seed % 6, seated=chance.random() < 0.6, language=chance.choice(languages.codes()))
    if chance.random() < 0.7:
        # Left to themselves monkeys seldom get as far as a veto.
        evening = played(begun(evening), chance.choice(("", "f f", "f f f", "f f f f f", "l l l l f f f f f")))
    with Box(evening, clock=FakeClock(standing=seed % 3 == 0), cards=seed % 5 == 0, seed=seed) as box:
        phases = set()
        for _ in range(presses):
            phases.add(box.game.phase)
            if chance.random() < 0.1:
                a_tap(box, chance)
            event = a_gesture(chance, wise=seed % 4 != 0)
            ok, pressed = box.table.call(lambda: (expected(box, event), box.presses.take(event))).result(10)  # noqa: B023 - waited for
            assert ok is None or pressed.ok == ok
            assert isinstance(pressed.caption, str)
            assert_goes_on(box)
            if box.clock.standing:
                box.clock.go(chance.random() * 4)
        finish(box, chance)
        return phases


def hear_the_answer(box):
    """What the box tells out of the roles is heard before anybody goes on."""
    if box.table.withholds:
        box.silence()
        eventually(lambda: not box.table.withholds)


def finish(box, chance):
    """From wherever the monkeys left it, a game can be played to its end with sensible presses alone."""
    box.clock.standing = False
    box.clock.go(0)
    for _ in range(400):
        hear_the_answer(box)
        game = box.game
        if game.phase is Phase.GAME_OVER:
            break
        if box.feed.snapshot.question is not None:
            box.table.call(box.asking.end).result(5)
        elif game.phase is Phase.NIGHT:
            # Somebody who waits for the box to say that the night stands still.
            box.silence()
            if box.game.phase is Phase.NIGHT:
                box.press(Button.JA)
                eventually(lambda: box.game.phase is not Phase.NIGHT)
        elif game.phase in (Phase.LOBBY, Phase.DEAL):
            assert box.press(Button.JA, held=True).ok
        elif game.phase in (Phase.LEGISLATIVE_SESSION, Phase.CHAOS):
            assert box.press(chance.choice((Button.LIBERAL, Button.FASCIST))).ok
        elif game.eligible_targets:
            # A monkey may have cut the name short before it was said: the first ja then says it, the second chooses.
            box.silence()
            if not box.press(Button.JA).ok:
                box.silence()
                assert box.press(Button.JA).ok
        else:
            nein = game.phase in (Phase.HITLER_CHECK, Phase.VETO)
            assert box.press(Button.NEIN if nein else Button.JA).ok
    assert box.game.phase is Phase.GAME_OVER
    box.silence()
    assert not box.feed.snapshot.speaking


def test_monkeys_break_nothing(request):
    """Random presses, holds and taps raise nothing, are refused only by the rules, and leave every game to be ended."""
    keeper = Keeper()
    logging.getLogger("companion").addHandler(keeper)
    phases = set()
    wanted, pressed, games = request.config.getoption("--monkeys"), 0, 0
    try:
        while pressed < wanted:
            phases |= play_one_game(games, min(PRESSES_A_GAME, wanted - pressed))
            pressed, games = pressed + PRESSES_A_GAME, games + 1
            assert keeper.kept == []
    finally:
        logging.getLogger("companion").removeHandler(keeper)
    assert phases == set(Phase)
