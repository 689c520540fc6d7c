import json

import pytest

from hardware.panel import Button, ButtonEvent, Gesture, Light, Lights
from hardware.web import WebPanel


def test_the_picture_is_what_the_page_is_promised():
    """Three rows of booleans and the status by name, blinking lights lit, ready for JSON."""
    panel = WebPanel()
    panel.show(
        Lights(
            liberal=(Light.ON, Light.SLOW, Light.OFF, Light.OFF, Light.OFF),
            tracker=(Light.FAST, Light.OFF, Light.OFF),
            status=Light.BREATHING,
        )
    )
    assert json.loads(json.dumps(panel.picture())) == {
        "liberal": [True, True, False, False, False],
        "fascist": [False] * 6,
        "tracker": [True, False, False],
        "status": "breathing",
        "blinking": {
            "liberal": [False, True, False, False, False],
            "fascist": [False] * 6,
            "tracker": [True, False, False],
            "status": True,
        },
    }


@pytest.mark.parametrize("light", list(Light))
def test_the_status_is_named_by_what_it_does(light):
    """`off`, `on`, `slow`, `fast` or `breathing`."""
    panel = WebPanel()
    panel.show(Lights(status=light))
    assert panel.picture()["status"] == light.value


def test_a_press_returns_when_it_has_been_told():
    """Whoever posts the press can go on at once to what was decided."""
    panel, heard = WebPanel(), []
    panel.listen(heard.append)
    panel.press(Button.JA, held=False)
    assert heard == [ButtonEvent(Button.JA, Gesture.PRESS)]


def test_a_held_undo_is_told_at_once():
    """The page does the waiting: HOLD comes without a countdown."""
    panel, heard = WebPanel(), []
    panel.listen(heard.append)
    panel.press(Button.UNDO, held=True)
    assert heard == [ButtonEvent(Button.UNDO, Gesture.HOLD)]


def test_nothing_is_told_before_listening_or_after_closing():
    """A press nobody listens for is dropped."""
    panel, heard = WebPanel(), []
    panel.press(Button.JA)
    panel.listen(heard.append)
    panel.close()
    panel.press(Button.JA)
    assert heard == []
