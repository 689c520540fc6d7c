"""What the box prepares while the table talks: all that it may have to say next, and nothing that tells a role."""

import random
import threading
from dataclasses import replace

import pytest

from companion import languages
from companion.game import commands
from companion.game import evening as rulebook
from companion.game.vocabulary import Party, Phase
from companion.narrator import cues
from companion.narrator.ahead import LookingAhead, lines_to_prepare, texts_ahead
from companion.narrator.speech.speech import Speech
from companion.panel.meanings import Chance
from companion.table.listener import Change
from tests.narrator.test_cues import a_command, shuffled
from tests.play.pressing import by_buttons
from tests.support import FakeSpeaker, after, begun, elected, evening_of, eventually, played

FASCIST_POLICY = commands.EnactPolicy(Party.FASCIST)
ENGLISH = languages.load("en")
_PREPARED_IN_THE_LOBBY = (Phase.LOBBY, Phase.DEAL)


def with_roles(evening, roles):
    """The same evening, had the roles been dealt otherwise."""
    return replace(evening, step=replace(evening.step, game=replace(evening.game, roles=roles)))


def in_games(seed, reports=400):
    """Evenings in the middle of games of every size, with roles dealt by the box or by hand, and what is reported."""
    chance = random.Random(seed)  # noqa: S311 - a test, not a secret
    evening = evening_of(5 + seed % 6, language=languages.codes()[seed % 6], seated=seed % 2 == 0)
    for _ in range(reports):
        report = (a_command(evening, chance),)
        # One press may report the vote and its policy.
        several = [
            each for each in by_buttons(evening) if len(each) > 1 and not any(isinstance(c, Chance) for c in each)
        ]
        several.sort(key=repr)
        if several and chance.random() < 0.5:
            report = chance.choice(several)
        entry = rulebook.decide(evening, report)
        yield evening, entry
        evening = rulebook.evolve(evening, entry)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_that_is_announced_in_a_game_comes_unprepared(seed):
    """Whatever is reported after the deal, each sentence of it was foreseen where the table stood before."""
    foreseen = 0
    for before, entry in in_games(seed):
        if before.game.phase in _PREPARED_IN_THE_LOBBY:
            continue
        evening = rulebook.evolve(before, entry)
        language = languages.load(before.seating.language)
        ahead = {*texts_ahead(before), *cues.fixed_texts(language)}
        said = [line.text for line in cues.announce(Change(before, entry, evening), language)]
        assert [text for text in said if text not in ahead] == []
        foreseen += sum(text not in cues.fixed_texts(language) for text in said)
    assert foreseen > 20


@pytest.mark.parametrize("seed", range(6))
def test_what_is_prepared_does_not_depend_on_who_is_who(seed):
    """For any deal, and for roles that are real cards, the same lines are prepared in the same order."""
    chance = random.Random(seed)  # noqa: S311 - a test, not a secret
    for before, _ in in_games(seed):
        game = before.game
        if game.roles is None:
            continue
        other = shuffled(game.players, chance)
        assert texts_ahead(before) == texts_ahead(with_roles(before, other)) == texts_ahead(with_roles(before, None))


@pytest.fixture
def looking_ahead():
    """Makes what looks ahead after a moment of calm, and closes it."""
    made = []

    def make(speaker):
        speech = Speech(speaker, calm_seconds=0.02)
        made.append(speech)
        return LookingAhead(speech)

    yield make
    for each in made:
        each.close()


def change(before, command):
    evening = after(before, command)
    return Change(before, rulebook.decide(before, (command,)), evening)


def an_execution():
    """A session whose next Fascist policy lets the President execute a player."""
    return elected(played(begun(evening_of(7)), "f f f"))


def offers(evening):
    return {ENGLISH.pronounce(cues.offer(evening, seat, ENGLISH).text) for seat in evening.game.eligible_targets}


def everything_from(evening):
    """What is prepared from here: what may come next, and then what a language says without names and numbers."""
    language = languages.load(evening.seating.language)
    return [*(language.pronounce(text) for text in texts_ahead(evening)), *lines_to_prepare(language)]


def test_a_language_that_was_chosen_is_prepared_from_its_night_on(looking_ahead):
    """Somebody steps through the languages: the one that stays is rendered, the night first, and none in between."""
    speaker = FakeSpeaker()
    ahead = looking_ahead(speaker)
    evening = evening_of(5)
    held = threading.Event()
    ahead._speech._inbox.put(lambda: held.wait(5))
    # All of it within the moment of calm.
    for code in ("it", "nb", "pl"):
        ahead.changed(change(evening, commands.ChooseLanguage(code)))
        evening = after(evening, commands.ChooseLanguage(code))
    held.set()
    polish = languages.load("pl")
    eventually(lambda: len(speaker.asked) == len(lines_to_prepare(polish)))
    assert speaker.asked == lines_to_prepare(polish)
    assert speaker.asked[0] == polish.pronounce(polish.few[0].text)


def test_the_names_on_offer_are_there_before_the_power_is_reported(looking_ahead):
    """While the government still discusses, every name that a power may offer next is rendered."""
    speaker = FakeSpeaker()
    evening = an_execution()
    looking_ahead(speaker).game_resumed(evening)
    power = after(evening, FASCIST_POLICY)
    assert offers(power)
    eventually(lambda: offers(power) <= {*speaker.asked})


def test_what_the_table_has_left_behind_is_prepared_no_further(looking_ahead):
    """After another report only what may follow now is rendered, but for the one line that was begun."""
    speaker = FakeSpeaker()
    speaker.may_speak.clear()
    evening = an_execution()
    ahead = looking_ahead(speaker)
    ahead.game_resumed(evening)
    eventually(lambda: speaker.asked)
    begun_with = list(speaker.asked)
    later = change(evening, FASCIST_POLICY)
    ahead.changed(later)
    speaker.may_speak.set()
    expected = everything_from(later.after)
    eventually(lambda: len(speaker.asked) == len(begun_with) + len(expected))
    assert speaker.asked == [*begun_with, *expected]


def test_a_voice_that_fails_is_asked_again_after_the_next_report_and_not_before(looking_ahead):
    """Looking ahead complains of nothing and hammers at nothing: whoever has to say the line tells of it."""
    speaker = FakeSpeaker("*")
    evening = an_execution()
    ahead = looking_ahead(speaker)
    ahead.game_resumed(evening)
    eventually(lambda: speaker.asked)
    speaker.broken.clear()
    later = change(evening, FASCIST_POLICY)
    ahead.changed(later)
    expected = everything_from(later.after)
    eventually(lambda: len(speaker.asked) == 1 + len(expected))
    assert speaker.asked[1:] == expected


def test_nothing_is_prepared_after_the_end(looking_ahead):
    """A box that is switched off asks its voice for nothing more."""
    speaker = FakeSpeaker()
    speaker.may_speak.clear()
    ahead = looking_ahead(speaker)
    ahead.game_resumed(an_execution())
    eventually(lambda: speaker.asked)
    ends = threading.Thread(target=ahead._speech.close)
    ends.start()
    eventually(lambda: ahead._speech._inbox._closed)
    speaker.may_speak.set()
    ends.join(5)
    assert ahead._speech._inbox.join(5)
    assert len(speaker.asked) == 1
