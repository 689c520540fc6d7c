"""Captions are exact: what is heard is shown from its first moment, the sounds too, in the words of the language."""

from __future__ import annotations

import pytest

from companion import languages
from companion.narrator.line import Line
from companion.narrator.night import perform
from sounds import Effect, Palette
from sounds import seconds as sound_seconds
from tests.support import FakeSpeaker, Rehearsal

CODES = languages.codes()


@pytest.mark.parametrize("code", CODES)
def test_every_sound_has_words_in_every_language(code):
    """All effects have a caption in brackets; no two are alike."""
    language = languages.load(code)
    shown = [language.show_sound(effect) for effect in Effect]
    assert set(language.sounds) == {effect.value for effect in Effect}
    assert len(set(shown)) == len(shown)
    for caption in shown:
        assert caption[0] + caption[-1] == "[]"


def test_a_sound_is_shown_while_it_is_heard_and_then_its_line():
    """The sound stands in brackets from its first moment and is not speech; the line follows when the voice begins."""
    rehearsal = Rehearsal()
    line = Line("welcome", "Welcome.", languages.load("en"), Effect.ATTENTION)
    begins = rehearsal.clock.now()
    rehearsal.narrator.say([line])
    rehearsal.go(60)
    heard = [(round(at - begins, 3), text, speaking) for at, text, speaking in rehearsal.audience.captions]
    assert heard[:2] == [
        (0.0, "[two notes]", False),
        (round(sound_seconds(Palette().path(Effect.ATTENTION)), 3), "Welcome.", True),
    ]
    assert heard[2][1:] == ("", False)


@pytest.mark.parametrize("code", CODES)
def test_a_night_shows_its_lines_and_sounds_in_the_order_in_which_they_are_heard(code):
    """Every line and every sound of the night, each once, at the moment at which it begins."""
    rehearsal = Rehearsal()
    language = languages.load(code)
    performance = perform(language, 7, FakeSpeaker())
    begins = rehearsal.clock.now()
    rehearsal.narrator.hold_night(lambda: performance)
    rehearsal.go(performance.end_seconds + 1)
    shown = [(at - begins, text) for at, text, _ in rehearsal.audience.captions if text]
    expected = []
    for step in performance.steps:
        if step.clip is not None:
            expected.append((step.at_seconds, step.text))
        if step.effect is not None:
            expected.append((step.at_seconds + step.speech_seconds + 0.3, language.show_sound(step.effect)))
    assert [text for _, text in shown] == [text for _, text in expected]
    assert [at for at, _ in shown] == pytest.approx([at for at, _ in expected], abs=1e-6)
