"""What every screen says of this moment: who acts, what the table does, and what each button means."""

import random
from dataclasses import replace

import pytest

from companion import languages
from companion.game import commands
from companion.game import evening as rulebook
from companion.game.refusals import Refused
from companion.game.vocabulary import Party, Phase
from companion.panel.meanings import Chance, Offer, Pending, Report, Waiting, meaning
from companion.panel.now import now
from companion.table.snapshot import Snapshot
from hardware.panel import HOLD_SECONDS, Button
from tests.narrator.test_cues import a_command, shuffled
from tests.support import after, begun, elected, evening_of, played

ENGLISH = languages.load("en")


def walked(seed, reports=250):
    """Evenings of every size, dealt by the box or played with real cards, from the lobby through whole games."""
    chance = random.Random(seed)  # noqa: S311 - a test, not a secret
    evening = evening_of(5 + seed % 6, language=languages.codes()[seed % 6], seated=seed % 2 == 0)
    for _ in range(reports):
        yield evening, chance
        evening = rulebook.evolve(evening, rulebook.decide(evening, (a_command(evening, chance),)))


def shown(evening, **more):
    targets = evening.game.eligible_targets
    return Snapshot(evening, choice=targets[0] if targets else None, **more)


def is_taken(evening, asked):
    """Whether the rules take a report; what chance decides is drawn."""
    drawn = []
    for each in asked:
        if each is Chance.DEAL_ROLES:
            drawn.append(commands.DealRoles(shuffled(len(evening.seating.players), random.Random(1))))  # noqa: S311
        else:
            drawn.append(commands.BeginGame(1) if each is Chance.BEGIN_GAME else each)
    try:
        return bool(rulebook.decide(evening, drawn))
    except Refused:
        return False


@pytest.mark.parametrize("seed", range(12))
def test_each_button_that_is_offered_does_something_and_no_other(seed):
    """In every phase of whole games a button has words where its report is taken or it speaks, and none otherwise."""
    phases = set()
    for evening, _ in walked(seed):
        phases.add(evening.game.phase)
        language = languages.load(evening.seating.language)
        present = now(shown(evening), language)
        pending = Pending(offer=shown(evening).choice, languages=languages.codes(), taking_back_roles=True)
        pending = replace(pending, breaking_off=True)
        for button in Button:
            for held, words in ((False, present.buttons[button]), (True, present.held[button])):
                if held and button not in HOLD_SECONDS:
                    assert words is None
                    continue
                meant = meaning(button, held, evening, pending)
                if isinstance(meant, Report):
                    does = is_taken(evening, meant.commands)
                elif isinstance(meant, Offer):
                    does = meant.seat in evening.game.eligible_targets
                else:
                    does = not isinstance(meant, Waiting)
                same = held and meant == meaning(button, False, evening, pending)
                assert (words is not None) == (does and not same), (evening.game.phase, button, held, meant)
    assert len(phases) > 6


@pytest.mark.parametrize("seed", range(12))
def test_the_words_name_whoever_acts(seed):
    """Where one player acts the sentence has their name, in every language; where nobody is named nobody is said."""
    for evening, _ in walked(seed):
        language = languages.load(evening.seating.language)
        present = now(shown(evening), language)
        game = evening.game
        assert present.text
        if game.phase in (Phase.ELECTION, Phase.EXECUTIVE_ACTION):
            player = evening.seating.player_at(game.president)
            name = language.say("player", seat=game.president) if player is None else player.name
            assert name in present.text
            assert game.president in present.actors
        assert set(present.actors) <= set(game.alive) | set(game.executed)


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_nothing_of_it_depends_on_who_is_who(seed):
    """For any deal the same is shown, to the letter."""
    for evening, chance in walked(seed):
        game = evening.game
        if game.roles is None or game.winner is not None:
            continue
        other = replace(game, roles=shuffled(game.players, chance))
        same = replace(evening, step=replace(evening.step, game=other))
        assert now(shown(evening), ENGLISH) == now(shown(same), ENGLISH)


def test_the_rule_of_the_vote_is_said_where_it_matters():
    """More than half must say ja and a tie fails, in every language, before and after the nomination."""
    evening = begun(evening_of(7))
    nominated = after(evening, commands.Nominate(evening.game.eligible_chancellors[0]))
    for code in languages.codes():
        language = languages.load(code)
        before, voting = now(shown(evening), language), now(shown(nominated), language)
        assert before.actors == (evening.game.president,)
        assert voting.actors == evening.game.alive
        tie = language.now["vote"].partition("{chancellor}")[2].partition(". ")[2]
        assert tie
        assert voting.text.endswith(tie)
        assert before.text.lower().endswith(tie.lower())


def test_what_the_buttons_say_in_a_game():
    """A player reads under each button what it would report."""
    evening = begun(evening_of(7))
    words = now(shown(evening), ENGLISH)
    assert words.buttons == {
        Button.LIBERAL: "elected, Liberal policy",
        Button.FASCIST: "elected, Fascist policy",
        Button.JA: "elected",
        Button.NEIN: "vote failed",
        Button.REPEAT: "say it again",
        Button.UNDO: "undo: the beginning of the game",
    }
    assert words.held[Button.NEIN] == "break the game off"
    power = after(elected(played(evening, "f f f")), commands.EnactPolicy(Party.FASCIST))
    choice = power.game.eligible_targets[0]
    words = now(shown(power), ENGLISH)
    assert words.buttons[Button.JA] == f"choose: {power.seating.player_at(choice).name}"
    assert words.buttons[Button.NEIN] is None
    assert words.actors == (power.game.president,)


def test_a_paused_night_and_a_question_change_what_counts():
    """Nein pauses once; a phone's question is allowed by a hold that names its number."""
    from companion.panel.questions import Question  # noqa: PLC0415 - used here alone

    night = after(evening_of(5, seated=False), commands.BeginNight())
    assert now(shown(night), ENGLISH).buttons[Button.NEIN] == "pause"
    paused = now(shown(night, night_paused=True), ENGLISH)
    assert (paused.buttons[Button.NEIN], paused.buttons[Button.JA]) == (None, "carry on")
    asked = now(shown(begun(evening_of(5)), question=Question("host", 1, 37, "claim")), ENGLISH)
    assert asked.held[Button.JA] == "allow number 37"
    assert asked.buttons[Button.JA] == "elected"


def test_a_language_that_cannot_be_read_keeps_nobody_from_the_table(monkeypatch):
    """Out of file descriptors, say: what every page shows does not wait for the name of the next language."""
    lobby = shown(evening_of(5, seated=False))
    assert now(lobby, ENGLISH).held[Button.NEIN] == languages.load(languages.codes()[1]).name

    def unreadable(_code):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(languages, "load", unreadable)
    assert now(lobby, ENGLISH).held[Button.NEIN] == languages.codes()[1]
