import itertools

import pytest

from companion import languages
from companion.game import commands
from companion.game.vocabulary import Role
from companion.narrator.ahead import lines_to_prepare
from companion.narrator.night import MOVING, Pauses, perform, timed_script, voice_of
from companion.narrator.sound import VoiceError
from sounds import Effect, Palette
from sounds import seconds as sound_seconds
from tests.support import Box, FakeSpeaker, evening_of, eventually


@pytest.mark.parametrize("players", range(5, 11))
@pytest.mark.parametrize("code", languages.codes())
def test_a_performance_follows_its_script(code, players):
    """Steps and texts are the language file's, and each step begins where the one before ends."""
    language = languages.load(code)
    performance = perform(language, players, FakeSpeaker())
    assert [step.step for step in performance.steps] == [step.step for step in language.night(players)]
    assert [step.text for step in performance.steps] == [step.text for step in language.night(players)]
    at = 0.0
    for performed, written in zip(performance.steps, language.night(players), strict=True):
        assert performed.at_seconds == pytest.approx(at)
        assert performed.pause_seconds >= Pauses().after(written.step, players)
        at += performed.speech_seconds + performed.pause_seconds
    assert performance.end_seconds == pytest.approx(at)


def test_an_effect_never_runs_into_the_next_sentence():
    """However short the pauses are set, the silence after CLOSE and OPEN is longer than the sound in it."""
    for step in perform(languages.load("en"), 7, FakeSpeaker(), Pauses(0.0, 0.0)).steps:
        if step.effect is not None:
            assert step.pause_seconds > sound_seconds(Palette().path(step.effect))
    effects = [step.effect for step in perform(languages.load("en"), 5, FakeSpeaker()).steps if step.effect]
    assert effects == [Effect.EYES_CLOSE, Effect.EYES_OPEN]


def test_the_time_to_look_round_grows_with_the_table():
    """Five players look at one face, ten at two across a large table; every gesture has its time at every size."""
    looks = [[Pauses().after(step, players) for step in ("MEET", "PAUSE")] for players in range(5, 11)]
    assert looks == [[5.0, 8.0], [5.0, 8.0], [6.0, 10.0], [6.0, 10.0], [8.0, 12.0], [8.0, 12.0]]
    nights = [perform(languages.load("en"), players, FakeSpeaker()).end_seconds for players in (7, 8, 9, 10)]
    assert nights[0] == nights[1] < nights[2] == nights[3]


def test_a_table_may_want_more_time_or_less():
    """The pace lengthens every silence that was not set in seconds, and shortens none below the sound in it."""
    for step in ("CLOSE", "MEET", "THUMB", "NOTE", "PAUSE", "SHUT", "OPEN", "ASK"):
        slow, normal, quick = (Pauses(pace=pace).after(step, 9) for pace in ("slow", "normal", "quick"))
        assert (slow, quick) == (1.5 * normal, 0.75 * normal)
    chosen = Pauses(30.0, 9.0, "slow")
    assert [chosen.after(step, 7) for step in ("PAUSE", "MEET", "NOTE", "CLOSE")] == [30.0, 9.0, 9.0, 6.0]


def test_the_silences_can_be_set():
    """The long pause and the pauses after gestures are the table's; all others stay as they are."""
    steps = perform(languages.load("pt"), 8, FakeSpeaker(), Pauses(30.0, 9.0)).steps
    script = languages.load("pt").night(8)
    for performed, written in zip(steps, script, strict=True):
        expected = {"PAUSE": 30.0, "MEET": 9.0, "THUMB": 9.0, "NOTE": 9.0}.get(
            written.step, Pauses().after(written.step, 8)
        )
        assert performed.effect or performed.pause_seconds == expected
    assert {step.step for step in steps} >= MOVING


def test_a_performance_needs_every_line():
    """Whichever line of the night cannot be spoken, the performance fails."""
    language = languages.load("it")
    for step in language.night(9):
        if step.text:
            with pytest.raises(VoiceError):
                perform(language, 9, FakeSpeaker(language.pronounce(step.text)))


@pytest.mark.parametrize("code", languages.codes())
def test_the_night_is_rendered_before_the_evening(code):
    """What is prepared at the start holds every sentence of both nights, as the synthesiser reads it."""
    language = languages.load(code)
    prepared = set(lines_to_prepare(language))
    asked = FakeSpeaker()
    for players in (5, 7):
        perform(language, players, asked)
    assert set(asked.asked) <= prepared
    assert voice_of(language).identifier == language.voice.identifier


def test_the_script_in_figures_never_goes_back():
    """In the timed script each step begins where the one before it ended."""
    script = timed_script(perform(languages.load("ru"), 10, FakeSpeaker()))
    for earlier, later in itertools.pairwise(script):
        assert later["at_seconds"] == pytest.approx(earlier["end_seconds"], abs=0.002)


DEALS = (
    (Role.HITLER, Role.FASCIST, Role.FASCIST, Role.LIBERAL, Role.LIBERAL, Role.LIBERAL, Role.LIBERAL),
    (Role.LIBERAL, Role.LIBERAL, Role.LIBERAL, Role.LIBERAL, Role.FASCIST, Role.HITLER, Role.FASCIST),
)


@pytest.mark.parametrize("code", languages.codes())
def test_two_deals_have_the_same_night(code):
    """Calls to the loudspeaker, captions and their times are the same, whoever has which role."""
    nights = []
    for deal in DEALS:
        with Box(evening_of(7, language=code)) as box:
            box.silence()
            begins = box.clock.now()
            box.output.heard.clear()
            box.submit(commands.DealRoles(deal)).result(5)
            box.silence()
            box.submit(commands.BeginNight(regardless=True)).result(5)
            eventually(lambda: box.game.phase == "ask")
            box.silence()
            nights.append([(round(each.at - begins, 6), each.what, each.track, each.name) for each in box.output.heard])
    assert nights[0] == nights[1]
