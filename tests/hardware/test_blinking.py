import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.blinking import RHYTHMS_MS, Blinker, is_lit, until_change
from hardware.panel import DARK, ROWS, Light, Lights

BLINKING = [Light.SLOW, Light.FAST, Light.BREATHING]


def test_steady_lights_do_not_change():
    """ON is lit and OFF is dark at any age, and neither ever changes by itself."""
    for age in (0.0, 0.3, 1000.7):
        assert is_lit(Light.ON, age)
        assert not is_lit(Light.OFF, age)
    assert until_change(Light.ON, 5.0) is None
    assert until_change(Light.OFF, 5.0) is None


@pytest.mark.parametrize(
    ("light", "flashes", "lit_share"), [(Light.SLOW, 1, 0.5), (Light.FAST, 4, 0.5), (Light.BREATHING, 2, 0.2)]
)
def test_each_rhythm_flashes_as_often_as_it_says(light, flashes, lit_share):
    """SLOW once a second, FAST four times, BREATHING two short flashes."""
    second = [is_lit(light, 7 + ms / 1000) for ms in range(1000)]
    begun = sum(now and not before for before, now in zip([second[-1], *second], second, strict=False))
    assert begun == flashes
    assert sum(second) / 1000 == pytest.approx(lit_share)


@pytest.mark.parametrize("light", BLINKING)
def test_a_blinking_light_begins_lit(light):
    """Whoever presses sees the answer at once."""
    assert is_lit(light, 0.0)


@given(st.sampled_from(BLINKING), st.floats(0, 1e5))
def test_waiting_until_the_change_finds_it(light, age):
    """The light is the other way after the wait, and a moment before it was still the same."""
    wait = until_change(light, age)
    assert 0 < wait <= max(RHYTHMS_MS[light]) / 1000
    assert is_lit(light, age + wait) is not is_lit(light, age)
    if wait > 0.002:
        assert is_lit(light, age + wait - 0.002) is is_lit(light, age)


def test_being_told_again_keeps_the_rhythm():
    """A light that is to go on blinking does not start over each time another one changes."""
    blinker = Blinker()
    blinker.show(Lights(status=Light.SLOW), 10.0)
    for tenth in range(1, 6):
        blinker.show(Lights(status=Light.SLOW, tracker=(Light.ON, Light.OFF, Light.OFF)), 10.0 + tenth / 10)
    assert blinker.lit(10.5)["status"] == (False,)


def test_a_new_rhythm_starts_when_it_is_told():
    """From SLOW in its dark half to FAST: lit at once."""
    blinker = Blinker()
    blinker.show(Lights(status=Light.SLOW), 10.0)
    blinker.show(Lights(status=Light.FAST), 10.7)
    assert blinker.lit(10.7)["status"] == (True,)


def test_the_first_change_of_any_light_is_awaited():
    """Among several blinking lights the next one to change decides; without any there is nothing to wait for."""
    blinker = Blinker()
    assert blinker.until_change(0.0) is None
    blinker.show(Lights(status=Light.FAST, tracker=(Light.SLOW, Light.ON, Light.OFF)), 0.0)
    assert blinker.until_change(0.1) == pytest.approx(0.025)
    blinker.show(DARK, 0.1)
    assert blinker.until_change(0.1) is None


def test_every_row_is_told_whole():
    """`lit` names all fifteen lights, also before any was shown."""
    assert {row: len(lit) for row, lit in Blinker().lit(0.0).items()} == ROWS
