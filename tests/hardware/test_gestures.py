import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.gestures import CHORD_SECONDS, REARM_SECONDS, SETTLED_SECONDS, Recogniser, whole_gesture
from hardware.panel import HOLD_SECONDS, Button, ButtonEvent, Gesture

PLAIN = [button for button in Button if button not in HOLD_SECONDS]
SHORT_HOLD = [button for button in Button if HOLD_SECONDS.get(button) == 1.5]


def told(events):
    return [(event.button, event.gesture) for event in events]


def play(recogniser, edges):
    """Every event of a list of (button, down, at_seconds), and of what falls due in the minute after."""
    events = []
    for button, down, at in edges:
        events += recogniser.edge(button, down, at)
    last = edges[-1][2] if edges else 0.0
    return events + recogniser.advance(last + 60)


def bounce(rng, at):
    """Edges of one contact that chatters up to 15 ms before it comes to rest, as (seconds, flips) from `at` on."""
    flips = 2 * rng.randrange(0, 8)
    return [at, *sorted(at + rng.uniform(0.0002, 0.015) for _ in range(flips))]


def bouncing_press(rng, button, at, down_seconds):
    """A press that bounces when it makes and when it breaks."""
    edges = []
    for start, down in ((at, True), (at + down_seconds, False)):
        for flip, moment in enumerate(bounce(rng, start)):
            edges.append((button, down if flip % 2 == 0 else not down, moment))
    return edges


@pytest.mark.parametrize("button", PLAIN)
def test_a_button_without_hold_action_acts_the_moment_it_goes_down(button):
    """The first edge counts: PRESS comes with it, not after it."""
    recogniser = Recogniser()
    assert recogniser.edge(button, True, 1.0) == [ButtonEvent(button, Gesture.PRESS)]
    assert recogniser.edge(button, False, 9.0) == []


@pytest.mark.parametrize("button", list(HOLD_SECONDS))
def test_a_button_with_a_hold_action_acts_on_release(button):
    """Nothing comes while it is down; PRESS comes with the release."""
    recogniser = Recogniser()
    assert recogniser.edge(button, True, 1.0) == []
    assert recogniser.advance(1.4) == []
    assert recogniser.edge(button, False, 1.4) == [ButtonEvent(button, Gesture.PRESS)]


@pytest.mark.parametrize("button", SHORT_HOLD)
def test_a_hold_comes_once_at_its_time_and_suppresses_the_press(button):
    """HOLD comes at 1.5 s however long the button stays down, with no PRESS and no countdown."""
    recogniser = Recogniser()
    recogniser.edge(button, True, 1.0)
    assert recogniser.next_deadline() == 2.5
    assert recogniser.advance(2.499) == []
    assert recogniser.advance(2.5) == [ButtonEvent(button, Gesture.HOLD)]
    assert recogniser.advance(30.0) == []
    assert recogniser.edge(button, False, 31.0) == []
    assert recogniser.advance(60.0) == []


def test_the_long_hold_counts_each_second_down():
    """Held undo tells 4, 3, 2, 1 at whole seconds and HOLD at the fifth."""
    recogniser = Recogniser()
    recogniser.edge(Button.UNDO, True, 10.0)
    heard = []
    while (deadline := recogniser.next_deadline()) is not None:
        heard += [(deadline, event) for event in recogniser.advance(deadline)]
    assert heard == [
        *((10.0 + second, ButtonEvent(Button.UNDO, Gesture.HOLDING, 5 - second)) for second in (1, 2, 3, 4)),
        (15.0, ButtonEvent(Button.UNDO, Gesture.HOLD)),
    ]


def test_a_release_before_counting_began_is_a_press():
    """Undo let go within the first second takes back; nobody has heard a countdown yet."""
    assert told(play(Recogniser(), [(Button.UNDO, True, 1.0), (Button.UNDO, False, 1.99)])) == [
        (Button.UNDO, Gesture.PRESS)
    ]


def test_a_release_during_the_countdown_cancels_the_hold():
    """Undo let go at 3.2 s has counted three times, says HOLD_CANCELLED and neither PRESS nor HOLD."""
    events = play(Recogniser(), [(Button.UNDO, True, 1.0), (Button.UNDO, False, 4.2)])
    assert [event.gesture for event in events] == [*[Gesture.HOLDING] * 3, Gesture.HOLD_CANCELLED]


def test_a_cancelled_hold_leaves_no_trace_in_the_next():
    """The countdown of the next hold starts again at four."""
    edges = [(Button.UNDO, True, 1.0), (Button.UNDO, False, 3.5), (Button.UNDO, True, 4.0), (Button.UNDO, False, 4.2)]
    assert [event.gesture for event in play(Recogniser(), edges)] == [
        Gesture.HOLDING,
        Gesture.HOLDING,
        Gesture.HOLD_CANCELLED,
        Gesture.PRESS,
    ]


@pytest.mark.parametrize("button", list(Button))
def test_a_press_counts_again_after_fifty_milliseconds_of_release(button):
    """A second press 50 ms after the release counts; one 49 ms after it is a bounce of the first."""

    def presses(gap):
        edges = [(button, True, 0.2), (button, False, 0.4), (button, True, 0.4 + gap), (button, False, 0.6 + gap)]
        return len(play(Recogniser(), edges))

    assert presses(0.050) == 2
    assert presses(0.049) == 1


@pytest.mark.parametrize("pulse", [0.0, 0.010])
@pytest.mark.parametrize("button", list(Button))
def test_ten_presses_in_a_second_are_ten(button, pulse):
    """50 ms down and 50 ms up, ten times: ten presses, with the filter and without."""
    edges = []
    for press in range(10):
        edges += [(button, True, press * 0.1), (button, False, press * 0.1 + 0.05)]
    assert told(play(Recogniser(minimum_pulse_seconds=pulse), edges)) == [(button, Gesture.PRESS)] * 10


@pytest.mark.parametrize("pulse", [0.0, 0.010])
def test_a_thousand_bouncing_presses_are_a_thousand(pulse):
    """Whatever a contact does for 15 ms after it makes or breaks, one press is one event."""
    rng = random.Random(2016)  # noqa: S311 - contacts keep no secrets
    for _ in range(1000):
        button = rng.choice(list(Button))
        edges = bouncing_press(rng, button, 1.0, rng.uniform(0.06, 0.9))
        assert told(play(Recogniser(minimum_pulse_seconds=pulse), edges)) == [(button, Gesture.PRESS)], edges


@pytest.mark.parametrize("pulse", [0.0, 0.010])
def test_a_thousand_bouncing_holds_are_a_thousand(pulse):
    """A hold that bounces at both ends is one HOLD and no PRESS."""
    rng = random.Random(1933)  # noqa: S311 - contacts keep no secrets
    for _ in range(1000):
        button = rng.choice(list(HOLD_SECONDS))
        edges = bouncing_press(rng, button, 1.0, HOLD_SECONDS[button] + rng.uniform(0.03, 3.0))
        events = play(Recogniser(minimum_pulse_seconds=pulse), edges)
        acts = [event for event in events if event.gesture is not Gesture.HOLDING]
        assert told(acts) == [(button, Gesture.HOLD)], edges


@pytest.mark.parametrize("button", list(Button))
def test_interference_is_no_press(button):
    """With a minimum pulse of 10 ms, one of 9 ms does nothing, and neither do many of them."""
    edges = []
    for pulse in range(20):
        edges += [(button, True, 1.0 + pulse * 0.02), (button, False, 1.009 + pulse * 0.02)]
    assert play(Recogniser(minimum_pulse_seconds=0.010), edges) == []


def test_a_press_counts_once_the_contact_has_been_down_for_the_minimum_pulse():
    """With a minimum pulse of 10 ms a press is told 10 ms after its edge, without another edge."""
    recogniser = Recogniser(minimum_pulse_seconds=0.010)
    assert recogniser.edge(Button.LIBERAL, True, 1.0) == []
    assert recogniser.next_deadline() == 1.010
    assert told(recogniser.advance(1.010)) == [(Button.LIBERAL, Gesture.PRESS)]


def test_a_gap_in_a_hold_shorter_than_the_minimum_pulse_is_not_noticed():
    """Interference that opens the contact for 5 ms does not break a hold."""
    edges = [
        (Button.JA, True, 1.0),
        (Button.JA, False, 1.8),
        (Button.JA, True, 1.805),
        (Button.JA, False, 4.0),
    ]
    assert told(play(Recogniser(minimum_pulse_seconds=0.010), edges)) == [(Button.JA, Gesture.HOLD)]


@pytest.mark.parametrize("button", list(HOLD_SECONDS))
def test_the_shortest_tap_still_counts(button):
    """A tap whose release might be a bounce is told once the contact has stayed open."""
    recogniser = Recogniser()
    recogniser.edge(button, True, 1.0)
    assert recogniser.edge(button, False, 1.0 + SETTLED_SECONDS / 2) == []
    deadline = recogniser.next_deadline()
    assert deadline == pytest.approx(1.0 + SETTLED_SECONDS / 2 + REARM_SECONDS)
    assert told(recogniser.advance(deadline)) == [(button, Gesture.PRESS)]


def test_two_buttons_at_once_both_count_in_order():
    """Neither hides the other, and a hold on one goes on while another is pressed."""
    edges = [
        (Button.JA, True, 1.0),
        (Button.LIBERAL, True, 1.001),
        (Button.FASCIST, True, 1.002),
        (Button.LIBERAL, False, 1.2),
        (Button.FASCIST, False, 1.2),
        (Button.NEIN, True, 1.3),
        (Button.NEIN, False, 2.6),
        (Button.JA, False, 3.0),
    ]
    assert told(play(Recogniser(), edges)) == [
        (Button.LIBERAL, Gesture.PRESS),
        (Button.FASCIST, Gesture.PRESS),
        (Button.JA, Gesture.HOLD),
        (Button.NEIN, Gesture.PRESS),
    ]


@pytest.mark.parametrize("button", list(Button))
def test_a_button_down_at_the_start_is_stuck_until_it_is_let_go(button):
    """It says nothing, not even a hold, is reported, and works again after its release."""
    recogniser = Recogniser(down_at_start={button})
    assert recogniser.stuck == (button,)
    assert recogniser.advance(60.0) == []
    assert recogniser.edge(button, False, 61.0) == []
    assert recogniser.advance(61.1) == []
    assert recogniser.stuck == ()
    assert told(play(recogniser, [(button, True, 62.0), (button, False, 62.3)])) == [(button, Gesture.PRESS)]


def test_a_stuck_button_leaves_the_others_working():
    """The rest of the panel does not wait for it."""
    recogniser = Recogniser(down_at_start={Button.LIBERAL})
    assert told(recogniser.edge(Button.FASCIST, True, 1.0)) == [(Button.FASCIST, Gesture.PRESS)]
    assert recogniser.stuck == (Button.LIBERAL,)


def test_nothing_falls_due_at_rest():
    """With every button up and at rest there is nothing to come back for."""
    recogniser = Recogniser()
    play(recogniser, [(Button.JA, True, 1.0), (Button.JA, False, 1.2)])
    assert recogniser.next_deadline() is None


def test_an_edge_from_the_past_counts_as_now():
    """Two pins stamped a little out of order both count, and time does not go back."""
    recogniser = Recogniser()
    recogniser.edge(Button.LIBERAL, True, 2.0)
    assert told(recogniser.edge(Button.FASCIST, True, 1.999)) == [(Button.FASCIST, Gesture.PRESS)]


@pytest.mark.parametrize("button", list(Button))
def test_a_whole_gesture_is_what_the_contact_would_have_said(button):
    """Pressed or held at once on a page, a button says the same as on pins, without the countdown."""
    for held, seconds in ((False, 0.2), (True, HOLD_SECONDS.get(button, 1.0) + 0.1)):
        events = play(Recogniser(), [(button, True, 1.0), (button, False, 1.0 + seconds)])
        assert events[-1] == whole_gesture(button, held)


# Whole milliseconds, as edges at random fractions almost never meet a deadline.
trains = st.lists(st.tuples(st.sampled_from(list(Button)), st.booleans(), st.integers(0, 400)), max_size=40).map(
    lambda steps: [
        (button, down, sum(wait for _, _, wait in steps[: place + 1]) / 1000)
        for place, (button, down, _) in enumerate(steps)
    ]
)
pulses = st.sampled_from([0.0, 0.010])


@given(trains, pulses, st.lists(st.integers(0, 20_000), max_size=40))
def test_looking_more_often_changes_nothing(edges, pulse, looks):
    """What is told depends on the edges alone, not on when somebody asked in between."""
    asked = Recogniser(minimum_pulse_seconds=pulse)
    events = []
    for button, down, at in edges:
        for look in sorted(looks):
            if look / 1000 < at:
                events += asked.advance(look / 1000)
        events += asked.edge(button, down, at)
    events += asked.advance(100)
    assert events == play(Recogniser(minimum_pulse_seconds=pulse), edges)


@given(trains, pulses)
def test_no_train_of_edges_tells_more_than_was_done(edges, pulse):
    """At most one act for each time a contact closed; countdowns run down by one and end in HOLD or HOLD_CANCELLED."""
    events = play(Recogniser(minimum_pulse_seconds=pulse), edges)
    for button in Button:
        closed, level = 0, False
        for edge_button, down, _ in edges:
            if edge_button is button:
                closed += down and not level
                level = down
        mine = [event for event in events if event.button is button]
        acts = [event for event in mine if event.gesture is not Gesture.HOLDING]
        assert len(acts) <= closed
        counting = 0
        for event in mine:
            if event.gesture is Gesture.HOLDING:
                assert event.seconds_left == (counting - 1 if counting else 4)
                counting = event.seconds_left
            else:
                assert (event.gesture is Gesture.PRESS) == (counting == 0) or event.gesture is Gesture.HOLD
                assert event.gesture is not Gesture.HOLD or button in HOLD_SECONDS
                assert event.seconds_left == 0
                counting = 0


@given(trains, pulses)
def test_every_contact_left_open_comes_to_rest(edges, pulse):
    """After all buttons have been let go for a while nothing is pending, and the next press counts."""
    recogniser = Recogniser(minimum_pulse_seconds=pulse)
    play(recogniser, edges)
    play(recogniser, [(button, False, 200.0) for button in Button])
    assert recogniser.next_deadline() is None
    presses = [
        (button, down, 300.0 + place + (0 if down else 0.3))
        for place, button in enumerate(Button)
        for down in (True, False)
    ]
    assert Counter(told(play(recogniser, presses))) == Counter((button, Gesture.PRESS) for button in Button)


LOUDER = ButtonEvent(Button.LIBERAL, Gesture.PRESS, beside=Button.REPEAT)
SOFTER = ButtonEvent(Button.FASCIST, Gesture.PRESS, beside=Button.REPEAT)
REDO = ButtonEvent(Button.UNDO, Gesture.PRESS, beside=Button.REPEAT)
CLOCK = ButtonEvent(Button.JA, Gesture.PRESS, beside=Button.REPEAT)


@pytest.mark.parametrize("pulse", [0.0, 0.010])
def test_a_chord_takes_the_place_of_press_and_hold(pulse):
    """With repeat kept down for three seconds, two presses beside it are two chords; repeat says nothing of its own."""
    edges = [(Button.REPEAT, True, 1.0)]
    for at, button in ((1.4, Button.LIBERAL), (2.0, Button.FASCIST)):
        edges += [(button, True, at), (button, False, at + 0.1)]
    assert play(Recogniser(minimum_pulse_seconds=pulse), [*edges, (Button.REPEAT, False, 4.0)]) == [LOUDER, SOFTER]


@pytest.mark.parametrize("pulse", [0.0, 0.010])
@pytest.mark.parametrize(("button", "chord"), [(Button.UNDO, REDO), (Button.JA, CLOCK)])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("let_go_first", [0, 1])
def test_two_fingers_make_a_chord_whichever_is_first(button, chord, first, let_go_first, pulse):
    """Down within a third of a second and let go in any order, after any time: one chord, and no press or countdown."""
    pair = [Button.REPEAT, button]
    edges = [
        (pair[first], True, 1.0),
        (pair[1 - first], True, 1.2),
        (pair[let_go_first], False, 8.0),
        (pair[1 - let_go_first], False, 8.1),
    ]
    assert play(Recogniser(minimum_pulse_seconds=pulse), edges) == [chord]


def test_a_button_that_is_down_for_long_already_is_no_chord():
    """Undo counts its seconds down; repeat pressed meanwhile is a press, and the countdown goes on."""
    edges = [
        (Button.UNDO, True, 1.0),
        (Button.REPEAT, True, 2.5),
        (Button.REPEAT, False, 2.7),
        (Button.UNDO, False, 3.2),
    ]
    heard = told(play(Recogniser(), edges))
    assert (Button.REPEAT, Gesture.PRESS) in heard
    assert heard[-1] == (Button.UNDO, Gesture.HOLD_CANCELLED)


def test_a_chord_of_undo_is_no_undo():
    """After the chord undo is itself again: the next press takes a report back."""
    edges = [
        (Button.REPEAT, True, 1.0),
        (Button.UNDO, True, 1.5),
        (Button.UNDO, False, 1.6),
        (Button.REPEAT, False, 1.7),
    ]
    edges += [(Button.UNDO, True, 3.0), (Button.UNDO, False, 3.2)]
    assert play(Recogniser(), edges) == [REDO, ButtonEvent(Button.UNDO, Gesture.PRESS)]


def test_repeat_is_itself_again_after_a_chord():
    """Let go and pressed once more, repeat says PRESS, and the policy button after it counts for the game."""
    edges = [
        (Button.REPEAT, True, 1.0),
        (Button.LIBERAL, True, 1.3),
        (Button.LIBERAL, False, 1.4),
        (Button.REPEAT, False, 1.6),
        (Button.REPEAT, True, 2.0),
        (Button.REPEAT, False, 2.2),
        (Button.LIBERAL, True, 2.5),
        (Button.LIBERAL, False, 2.6),
    ]
    assert play(Recogniser(), edges) == [
        LOUDER,
        ButtonEvent(Button.REPEAT, Gesture.PRESS),
        ButtonEvent(Button.LIBERAL, Gesture.PRESS),
    ]


def test_a_policy_pressed_before_repeat_counts_for_the_game():
    """Only what is pressed while repeat is down is a chord: the other way round each counts, in order."""
    edges = [
        (Button.FASCIST, True, 1.0),
        (Button.REPEAT, True, 1.1),
        (Button.REPEAT, False, 1.2),
        (Button.FASCIST, False, 1.3),
    ]
    assert told(play(Recogniser(), edges)) == [(Button.FASCIST, Gesture.PRESS), (Button.REPEAT, Gesture.PRESS)]


@pytest.mark.parametrize("other", [button for button in Button if button is not Button.REPEAT])
@pytest.mark.parametrize("button", [Button.LIBERAL, Button.FASCIST])
def test_no_other_button_makes_a_chord(other, button):
    """Kept down beside any other button, a policy button is the press that it always was."""
    if other is button:
        other = Button.UNDO
    recogniser = Recogniser()
    recogniser.edge(other, True, 1.0)
    assert recogniser.edge(button, True, 1.2) == [ButtonEvent(button, Gesture.PRESS)]


def test_a_jammed_repeat_does_not_keep_the_policies_from_the_game():
    """Ten seconds after the last chord a repeat that is still down makes none, and one down at the start never does."""
    recogniser = Recogniser()
    recogniser.edge(Button.REPEAT, True, 1.0)
    at = 1.0 + CHORD_SECONDS
    assert recogniser.edge(Button.LIBERAL, True, at)[-1] == LOUDER
    recogniser.edge(Button.LIBERAL, False, at + 0.1)
    at += CHORD_SECONDS + 0.1
    assert recogniser.edge(Button.LIBERAL, True, at) == [ButtonEvent(Button.LIBERAL, Gesture.PRESS)]
    stuck = Recogniser(down_at_start=[Button.REPEAT])
    assert stuck.edge(Button.LIBERAL, True, 1.0) == [ButtonEvent(Button.LIBERAL, Gesture.PRESS)]


def test_a_whole_chord_is_told_as_the_contacts_tell_it():
    """As on a page: four buttons make a chord beside repeat, and any other pair is the button alone."""
    assert whole_gesture(Button.LIBERAL, held=False, beside=Button.REPEAT) == LOUDER
    assert whole_gesture(Button.UNDO, held=True, beside=Button.REPEAT) == REDO
    assert whole_gesture(Button.NEIN, held=True, beside=Button.REPEAT) == ButtonEvent(Button.NEIN, Gesture.HOLD)
    assert whole_gesture(Button.LIBERAL, held=False, beside=Button.UNDO) == ButtonEvent(Button.LIBERAL, Gesture.PRESS)
