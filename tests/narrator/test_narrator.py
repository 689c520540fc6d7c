import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import languages
from companion.narrator.narrator import Narrator
from companion.narrator.night import perform
from companion.narrator.sound import Track, VoiceError
from sounds import Bed, Effect, Music, Palette, Theme
from tests.support import (
    FakeClock,
    FakeOutput,
    FakeSpeaker,
    RecordingAudience,
    Rehearsal,
    eventually,
    line,
)

ENGLISH = languages.load("en")


def night(players=7, language=ENGLISH):
    return perform(language, players, FakeSpeaker())


def spoken(performance):
    """What the voice says in a night, as the synthesiser reads it."""
    return [step.clip.path.stem for step in performance.steps if step.clip]


def started(rehearsal):
    """What began to sound on voice and effect, with its time; a stopped track is noted as None."""
    return [each for each in rehearsal.output.heard if each.track is not Track.BED]


def assert_one_voice(heard):
    """Voice and effect are one after the other, never at once, and nothing is replaced that still sounds."""
    ends = {Track.VOICE: 0.0, Track.EFFECT: 0.0}
    for each in heard:
        if each.track is Track.BED:
            continue
        if each.what == "stop":
            ends[each.track] = min(ends[each.track], each.at)
        else:
            assert each.at >= max(ends.values()) - 1e-6, f"{each.name!r} begins before the end of what sounds"
            ends[each.track] = each.at + each.clip.seconds


def test_lines_are_said_one_after_the_other_with_a_gap():
    """Each line begins a gap of 0.35 s after the end of the one before, its effect before it."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("a" * 16, effect=Effect.ATTENTION), line("b" * 32)])
    rehearsal.finish()
    effect, first, second = started(rehearsal)
    assert (effect.track, first.name, second.name) == (Track.EFFECT, "a" * 16, "b" * 32)
    assert first.at == pytest.approx(effect.at + effect.clip.seconds)
    assert second.at == pytest.approx(first.at + 1 + 0.35)


ASKED = {
    "say": lambda narrator, n: narrator.say(
        [line(f"{n} " + "s" * n, effect=Effect.ATTENTION if n % 2 else None), line(f"{n} more")]
    ),
    "ask": lambda narrator, n: narrator.say([line(f"{n}?" + "q" * n, question=True)]),
    "cut": lambda narrator, _: narrator.cut(),
    "repeat": lambda narrator, _: narrator.repeat(),
    "pause": lambda narrator, _: narrator.pause_night(),
    "resume": lambda narrator, _: narrator.resume_night(),
    "restart": lambda narrator, _: narrator.restart_night(),
    "begin": lambda narrator, n: narrator.hold_night(lambda: night(5 if n % 2 else 9), paused=n % 3 == 0),
    "stop": lambda narrator, _: narrator.stop_night(),
    "interrupt": lambda narrator, _: narrator.interrupt(),
    "withdraw": lambda narrator, _: narrator.withdraw(),
}
"""Everything that can be asked of a narrator; the number gives it a length."""

CALLS = st.lists(st.tuples(st.sampled_from([*ASKED, "go", "go", "go"]), st.integers(1, 80)), max_size=40)


@given(CALLS)
@settings(max_examples=300, deadline=None)
def test_there_is_never_more_than_one_voice(calls):
    """Whatever is asked and whenever, no voice or effect begins while another sounds, and the box falls silent."""
    rehearsal = Rehearsal()
    for call, number in calls:
        if call == "go":
            rehearsal.go(number / 10)
        else:
            ASKED[call](rehearsal.narrator, number)
    rehearsal.finish()
    assert_one_voice(rehearsal.output.heard)
    assert not rehearsal.audience.speaking


def test_no_voice_is_added_to_another_by_threads():
    """Six threads that say, cut, repeat and hold nights at once never make two voices sound together."""
    clock = FakeClock()
    output, audience = FakeOutput(clock), RecordingAudience(clock)
    narrator = Narrator(FakeSpeaker(), FakeSpeaker(), output, clock, audience)
    narrator.start()

    def hurry(seed):
        chance = random.Random(seed)  # noqa: S311 - a test, not a secret
        for number in range(1, 60):
            ASKED[chance.choice([*ASKED])](narrator, number)

    threads = [threading.Thread(target=hurry, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    narrator.stop_night()
    silent = threading.Event()
    narrator.when_silent(silent.set)
    assert silent.wait(5)
    narrator.close()
    assert_one_voice(output.heard)
    assert not audience.speaking


@pytest.mark.parametrize("players", [5, 7])
@pytest.mark.parametrize("code", languages.codes())
def test_a_night_plays_by_itself_in_time(code, players):
    """From CLOSE to ASK each sentence begins at the script's time, hands-free, and its caption with it."""
    rehearsal = Rehearsal()
    performance = night(players, languages.load(code))
    begins = rehearsal.clock.now()
    rehearsal.narrator.hold_night(lambda: performance)
    rehearsal.finish()
    steps = [step for step in performance.steps if step.text]
    voices = [each for each in rehearsal.output.heard if each.track is Track.VOICE and each.what == "play"]
    assert [each.at - begins for each in voices] == pytest.approx([step.at_seconds for step in steps], abs=1e-6)
    assert [each.name for each in voices] == [step.clip.path.stem for step in steps]
    captions = [(at - begins, text) for at, text, speaking in rehearsal.audience.captions if speaking]
    assert [text for _, text in captions] == [step.text for step in steps]
    assert [at for at, _ in captions] == pytest.approx([step.at_seconds for step in steps], abs=1e-6)
    assert rehearsal.clock.now() - begins == pytest.approx(performance.end_seconds, abs=1e-6)
    assert rehearsal.audience.asks == 1
    assert not rehearsal.narrator.holds_night


def test_the_silences_are_shown_as_silence():
    """In the pauses of the night the caption stays, and is no longer being said."""
    rehearsal = Rehearsal()
    performance = night(5)
    rehearsal.narrator.hold_night(lambda: performance)
    rehearsal.go(performance.steps[0].speech_seconds + 1)
    assert not rehearsal.audience.speaking


def test_a_night_stands_still_until_somebody_goes_on():
    """A paused night says nothing, however long, and goes on with the rest of its silence."""
    rehearsal = Rehearsal()
    performance = night()
    pause = next(step for step in performance.steps if step.step == "PAUSE")
    shut = next(step for step in performance.steps if step.step == "SHUT")
    begins = rehearsal.clock.now()
    rehearsal.narrator.hold_night(lambda: performance)
    rehearsal.go(pause.at_seconds + 5)
    before = rehearsal.said
    rehearsal.narrator.pause_night()
    rehearsal.narrator.pause_night()
    rehearsal.go(1000)
    assert rehearsal.said == before
    rehearsal.narrator.resume_night()
    rehearsal.narrator.resume_night()
    rehearsal.finish()
    again = next(each.at for each in rehearsal.output.heard if each.name == shut.clip.path.stem)
    assert again - begins == pytest.approx(shut.at_seconds + 1000)


def test_an_unfinished_sentence_is_said_again():
    """Going on after a pause in the middle of a sentence says the whole sentence, and then the rest of the night."""
    rehearsal = Rehearsal()
    performance = night()
    texts = spoken(performance)
    rehearsal.narrator.hold_night(lambda: performance)
    rehearsal.go(performance.steps[1].at_seconds + 0.5)
    rehearsal.narrator.pause_night()
    rehearsal.go(3)
    rehearsal.narrator.resume_night()
    rehearsal.finish()
    assert rehearsal.said == [*texts[:2], *texts[1:]]
    assert rehearsal.audience.asks == 1


def test_begin_again_starts_at_close():
    """A night that is begun again says everything from CLOSE on, paused or not."""
    texts = spoken(night())
    for paused in (False, True):
        rehearsal = Rehearsal()
        rehearsal.narrator.hold_night(night)
        rehearsal.go(20)
        before = rehearsal.said
        if paused:
            rehearsal.narrator.pause_night()
        rehearsal.narrator.restart_night()
        rehearsal.finish()
        assert rehearsal.said == [*before, *texts]


def test_nothing_is_said_into_a_night():
    """A line that comes while the night goes on is said after ASK; one that comes while it stands still, at once."""
    rehearsal = Rehearsal()
    performance = night()
    rehearsal.narrator.hold_night(lambda: performance)
    rehearsal.go(3)
    rehearsal.narrator.say([line("a telephone rings")])
    rehearsal.finish()
    assert rehearsal.said == [*spoken(performance), "a telephone rings"]
    rehearsal.narrator.hold_night(lambda: performance)
    rehearsal.go(3)
    rehearsal.narrator.pause_night()
    rehearsal.narrator.say([line("the night stands still")])
    rehearsal.go(3)
    assert rehearsal.said[-1] == "the night stands still"


def test_a_night_that_is_taken_back_is_silent():
    """A stopped night says nothing more, its bed ends, and what is said next is said at once."""
    rehearsal = Rehearsal()
    rehearsal.narrator.hold_night(night)
    rehearsal.go(10)
    said = rehearsal.said
    rehearsal.narrator.stop_night()
    rehearsal.go()
    assert rehearsal.output.heard[-1] == rehearsal.output.heard[-1].__class__(rehearsal.clock.now(), "stop", Track.BED)
    rehearsal.narrator.say([line("Taken back.")])
    rehearsal.finish()
    assert rehearsal.said == [*said, "Taken back."]
    assert rehearsal.audience.asks == 0


def test_a_night_is_rendered_in_silence_and_can_be_paused_before_it_begins():
    """While its lines are rendered nothing is said; a pause asked meanwhile holds when the night is ready."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("statement " * 9)])
    rehearsal.go(1)

    def render():
        rehearsal.narrator.say([line("not now")])
        assert not rehearsal.audience.speaking
        rehearsal.narrator.pause_night()
        return night()

    rehearsal.narrator.hold_night(render)
    rehearsal.go(100)
    assert rehearsal.said[1:] == ["not now"]
    rehearsal.narrator.resume_night()
    rehearsal.finish()
    assert rehearsal.said[2:] == spoken(night())


def test_a_night_that_was_taken_back_while_it_was_rendered_is_never_held():
    """What was rendered for nothing makes no sound, not even its bed; the box says what comes then."""
    rehearsal = Rehearsal()

    def render():
        rehearsal.narrator.stop_night()
        rehearsal.narrator.say([line("Taken back.")])
        return night()

    rehearsal.narrator.hold_night(render)
    rehearsal.finish()
    assert rehearsal.said == ["Taken back."]
    assert not [each for each in rehearsal.output.heard if each.track is Track.BED and each.what == "play"]


def test_a_long_announcement_is_cut_and_a_question_is_not():
    """A cut ends a statement in the middle and drops those that wait; a question is said to its end all the same."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("statement " * 9), line("another"), line("question?", question=True)])
    rehearsal.go(1)
    rehearsal.narrator.cut()
    rehearsal.go()
    assert "stop" in [each.what for each in rehearsal.output.heard]
    assert rehearsal.said[-1] == "question?"
    heard = len(rehearsal.output.heard)
    rehearsal.narrator.cut()
    rehearsal.finish()
    assert all(each.what != "stop" for each in rehearsal.output.heard[heard:])


def test_a_question_that_is_open_no_longer_is_not_asked():
    """Questions that wait are forgotten when they are withdrawn; what is about the box itself stays."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("one?", question=True)])
    rehearsal.go(0.1)
    rehearsal.narrator.say([line("two?", question=True), line("no disk", lasting=True)])
    rehearsal.narrator.say([line("request?", question=True, lasting=True)])
    rehearsal.narrator.cut()
    rehearsal.narrator.withdraw()
    rehearsal.narrator.withdraw(("request?",))
    rehearsal.finish()
    assert rehearsal.said == ["one?", "no disk"]


@pytest.mark.parametrize("interruption", ["cut", "interrupt"])
def test_a_lasting_line_that_is_cut_in_its_sound_is_said_all_the_same(interruption):
    """The peal of bells may be cut by the next press; who has won is what the screens wait for."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("won!", effect=Effect.WIN_LIBERAL, lasting=True), line("show roles")])
    rehearsal.go(0.1)
    getattr(rehearsal.narrator, interruption)()
    rehearsal.narrator.say([line("later")])
    rehearsal.finish()
    assert rehearsal.said[-2:] == ["won!", "later"]
    assert "show roles" not in rehearsal.said


def test_a_question_that_was_answered_is_not_said_to_its_end():
    """Whoever answers in the middle of it hears at once what comes now; a question of a phone is said all the same."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("question? " * 9, question=True)])
    rehearsal.go(1)
    rehearsal.narrator.withdraw()
    rehearsal.narrator.say([line("answered")])
    rehearsal.go(0)
    assert rehearsal.said[-1] == "answered"
    rehearsal.finish()
    rehearsal.narrator.say([line("request? " * 9, question=True, lasting=True)])
    rehearsal.go(1)
    rehearsal.narrator.withdraw()
    rehearsal.narrator.say([line("later")])
    rehearsal.go(0)
    assert rehearsal.said[-1].startswith("request?")


def test_questions_do_not_pile_up():
    """A question asked ten times while another is being said is asked once."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("first question?", question=True)])
    rehearsal.go(0.1)
    for _ in range(10):
        rehearsal.narrator.cut()
        rehearsal.narrator.say([line("waiting?", question=True)])
    rehearsal.finish()
    assert rehearsal.said == ["first question?", "waiting?"]


def test_repeat_says_the_whole_announcement_again():
    """Repeat says all of the last announcement: after its end, and from its beginning in the middle of it."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("old")])
    rehearsal.finish()
    lines = [line("statement " * 5), line("question?", question=True), line("how to answer")]
    rehearsal.narrator.say(lines)
    rehearsal.go(1)
    rehearsal.narrator.repeat()
    rehearsal.finish()
    texts = [each.text for each in lines]
    assert rehearsal.said == ["old", texts[0], *texts]
    rehearsal.narrator.repeat()
    rehearsal.finish()
    assert rehearsal.said[-3:] == texts


def test_repeat_in_the_middle_of_a_question_ends_it_and_says_all_again():
    """However often repeat is pressed during a question, it is ended once and everything is said once more."""
    rehearsal = Rehearsal()
    lines = [line("statement"), line("question?" * 4, question=True), line("how to answer")]
    rehearsal.narrator.say(lines)
    rehearsal.go(1.5)
    assert rehearsal.said[-1] == lines[1].text
    for _ in range(5):
        rehearsal.narrator.repeat()
    rehearsal.finish()
    assert rehearsal.said == ["statement", lines[1].text, *(each.text for each in lines)]


def test_repeat_with_nothing_said_is_silence():
    """Repeat before the first word says nothing."""
    rehearsal = Rehearsal()
    rehearsal.narrator.repeat()
    rehearsal.finish()
    assert rehearsal.said == []


def test_a_line_that_cannot_be_spoken_is_shown_for_its_time():
    """Without a voice the caption stands as long as its speech would last, and the trouble is told once."""
    rehearsal = Rehearsal("*")
    rehearsal.narrator.say([line("a" * 16), line("b" * 16)])
    begins = rehearsal.clock.now()
    rehearsal.finish()
    shown = [(at - begins, text) for at, text, speaking in rehearsal.audience.captions if speaking]
    assert shown == [(0.0, "a" * 16), (pytest.approx(1.35), "b" * 16)]
    assert rehearsal.audience.troubles == ["the voice is hoarse"]
    rehearsal.speaker.broken.clear()
    rehearsal.narrator.say([line("c"), line("d")])
    rehearsal.finish()
    assert rehearsal.audience.troubles == ["the voice is hoarse", ""]


def test_a_night_that_cannot_be_rendered_does_not_begin():
    """One line that cannot be spoken, even the last, and the performance fails before a word has been said."""
    ask = ENGLISH.many[-1].text
    speaker = FakeSpeaker(ENGLISH.pronounce(ask))
    with pytest.raises(VoiceError):
        perform(ENGLISH, 7, speaker)
    assert len(speaker.asked) == 7


def test_a_slow_voice_keeps_nobody_waiting():
    """While a line is being rendered, saying, cutting and closing return at once, and a cut line is never said."""
    clock = FakeClock()
    output, speaker = FakeOutput(clock), FakeSpeaker()
    narrator = Narrator(speaker, FakeSpeaker(), output, clock, RecordingAudience(clock))
    narrator.start()
    speaker.may_speak.clear()
    narrator.say([line("slow")])
    eventually(lambda: speaker.asked == ["slow"])
    asked = threading.Thread(target=lambda: (narrator.cut(), narrator.say([line("next")]), narrator.pause_night()))
    asked.start()
    asked.join(2)
    assert not asked.is_alive()
    speaker.may_speak.set()
    eventually(lambda: output.said() == ["next"])
    narrator.close()


def test_a_question_is_kept_through_its_rendering():
    """A cut while a question is being rendered does not lose the question."""
    rehearsal = Rehearsal()
    speak = rehearsal.speaker.clip

    def cut_meanwhile(text, voice):
        rehearsal.narrator.cut()
        return speak(text, voice)

    rehearsal.speaker.clip = cut_meanwhile
    rehearsal.narrator.say([line("statement"), line("question?", question=True)])
    rehearsal.finish()
    assert rehearsal.said == ["question?"]


def test_closing_stops_in_the_middle_of_a_word():
    """After close every track is stopped, and nothing that waited is said."""
    rehearsal = Rehearsal()
    rehearsal.narrator.hold_night(night)
    rehearsal.narrator.say([line("later")])
    rehearsal.go(1)
    said = rehearsal.said
    rehearsal.narrator.close()
    stopped = {each.track for each in rehearsal.output.heard[-3:] if each.what == "stop"}
    assert stopped == set(Track) - {Track.MUSIC}
    rehearsal.narrator.say([line("too late")])
    rehearsal.finish()
    assert rehearsal.said == said


def test_closing_does_not_wait_for_a_voice_that_hangs():
    """A line that is being rendered when the narrator closes is never said, nor are those behind it."""
    clock = FakeClock()
    output, speaker = FakeOutput(clock), FakeSpeaker()
    narrator = Narrator(speaker, FakeSpeaker(), output, clock, RecordingAudience(clock))
    narrator.start()
    speaker.may_speak.clear()
    narrator.say([line("slow"), line("behind")])
    eventually(lambda: speaker.asked)
    closing = threading.Thread(target=narrator.close)
    closing.start()
    eventually(lambda: any(each.what == "stop" for each in output.heard))
    speaker.may_speak.set()
    closing.join(3)
    assert not closing.is_alive()
    assert output.said() == []


def test_a_line_that_breaks_does_not_silence_the_evening():
    """A speaker that fails as no speaker should costs that line; the next is said."""
    clock = FakeClock()
    output, speaker = FakeOutput(clock), FakeSpeaker()
    narrator = Narrator(speaker, FakeSpeaker(), output, clock, RecordingAudience(clock))
    speak = speaker.clip
    speaker.clip = lambda text, voice: speak(text, voice) if text != "broken" else 1 / 0
    narrator.start()
    narrator.say([line("broken"), line("whole")])
    eventually(lambda: output.said() == ["whole"])
    narrator.close()


def test_silence_is_told_to_who_asked():
    """A callback comes once, when all that waits has been said, and at once when nothing waits."""
    rehearsal = Rehearsal()
    told = []
    rehearsal.narrator.say([line("one"), line("two")])
    rehearsal.narrator.when_silent(lambda: told.append(list(rehearsal.said)))
    rehearsal.finish()
    rehearsal.narrator.when_silent(lambda: told.append("again"))
    rehearsal.finish()
    assert told == [["one", "two"], "again"]


def music(rehearsal):
    """What became of the music: what was asked of its track, with the file's name."""
    return [(each.what, each.name) for each in rehearsal.output.heard if each.track is Track.MUSIC]


def music_volumes(rehearsal):
    return [volume for _, track, volume in rehearsal.output.volumes if track is Track.MUSIC]


def test_music_plays_on_under_what_is_said():
    """It comes out of silence, goes down when a line begins, stays down between two lines, and comes back after."""
    rehearsal = Rehearsal()
    rehearsal.narrator.play_music(Music.LOBBY)
    rehearsal.go(5)
    assert music(rehearsal) == [("loop", "lobby")]
    silent, alone = music_volumes(rehearsal)
    assert silent == 0.0
    rehearsal.narrator.say([line("one", effect=Effect.ATTENTION), line("two")])
    rehearsal.finish()
    assert music(rehearsal) == [("loop", "lobby")]
    under, back = music_volumes(rehearsal)[2:]
    assert under < 0.5 * alone
    assert back == alone


def test_music_that_begins_while_something_is_said_begins_low():
    """Nobody asks the person beside them what the box has said."""
    rehearsal = Rehearsal()
    rehearsal.narrator.say([line("a long line, a very long line")])
    rehearsal.go(0.5)
    rehearsal.narrator.play_music(Music.END)
    rehearsal.go(0.1)
    silent, under = music_volumes(rehearsal)
    rehearsal.finish()
    assert silent < under < music_volumes(rehearsal)[-1]


def test_the_same_piece_is_not_begun_again_and_another_takes_its_place():
    """Whoever asks twice hears one piece; none ends it."""
    rehearsal = Rehearsal()
    for piece in (Music.LOBBY, Music.LOBBY, Music.END, None, None):
        rehearsal.narrator.play_music(piece)
        rehearsal.go(1)
    assert music(rehearsal) == [("loop", "lobby"), ("loop", "end"), ("stop", "")]


def test_no_music_plays_into_a_night():
    """A night begins in silence, whoever forgot to end the music."""
    rehearsal = Rehearsal()
    rehearsal.narrator.play_music(Music.LOBBY)
    rehearsal.go(1)
    rehearsal.narrator.hold_night(night)
    rehearsal.go(1)
    assert music(rehearsal)[-1] == ("stop", "")


def test_closing_ends_the_music():
    """A box that is switched off is silent."""
    rehearsal = Rehearsal()
    rehearsal.narrator.play_music(Music.LOBBY)
    rehearsal.go(1)
    rehearsal.narrator.close()
    assert music(rehearsal)[-1] == ("stop", "")


def test_a_table_hears_the_sounds_that_it_has_chosen():
    """The theme plays the effects and the bed lies under the night, in the time of every other choice."""
    chosen = Palette(Theme.CABARET, Bed.BROOK)
    rehearsal = Rehearsal(palette=chosen)
    rehearsal.narrator.say([line("one", effect=Effect.CHAOS)])
    rehearsal.finish()
    rehearsal.narrator.hold_night(lambda: perform(ENGLISH, 7, FakeSpeaker(), palette=chosen))
    rehearsal.finish()
    played = {each.clip.path for each in rehearsal.output.heard if each.clip and each.track is not Track.VOICE}
    assert played == {
        chosen.path(Effect.CHAOS),
        chosen.path(Effect.EYES_CLOSE),
        chosen.path(Effect.EYES_OPEN),
        Bed.BROOK.path,
    }
    assert night().end_seconds == perform(ENGLISH, 7, FakeSpeaker(), palette=chosen).end_seconds
