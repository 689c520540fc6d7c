from contextlib import contextmanager

import pytest

from companion.game import commands, rules
from companion.game.state import Game
from companion.game.vocabulary import Party, Phase, Reason
from companion.panel import lights
from companion.panel.lights import Mood, PanelLights, picture
from companion.table.snapshot import Feed
from hardware.panel import DARK, Button, Light
from tests.support import Box, FakePanel, after, begun, elected, evening_of, eventually

OFF, ON, SLOW, FAST = Light.OFF, Light.ON, Light.SLOW, Light.FAST


def row(*runs):
    """A row of lights from how many and what: `row(2, ON, 3, OFF)`."""
    counts, kinds = runs[::2], runs[1::2]
    return tuple(kind for count, kind in zip(counts, kinds, strict=True) for _ in range(count))


def at(phase, **facts):
    """A game at a phase, with these facts and the others as at its start."""
    return Game(phase=Phase(phase), president=1, turn=1, **facts)


@pytest.mark.parametrize("mood", Mood)
def test_the_night_is_dark(mood):
    """At night every light is off, the status light too, whatever the box is doing."""
    night = rules.replay(at("lobby", players=7), rules.decide(at("lobby", players=7), commands.BeginNight()))
    assert night.phase is Phase.NIGHT
    assert picture(night, mood) == DARK


@pytest.mark.parametrize("players", range(5, 11))
def test_the_lobby_shows_how_many_play(players):
    """As many lights as players: five on the Liberal row, the others on the Fascist row."""
    shown = picture(at("lobby", players=players))
    assert shown.liberal == row(5, ON)
    assert shown.fascist == row(players - 5, ON, 11 - players, OFF)
    assert shown.tracker == row(3, OFF)
    assert shown.status is ON


def test_the_lobby_shows_who_has_joined():
    """Each phone at the table lights one light, below five as well; without any the set number shows."""
    panel = FakePanel()
    evening = evening_of(7, seated=False)
    with Box(evening, panel=panel) as box:
        box.lit()
        assert panel.lights.fascist == row(2, ON, 4, OFF)
        for joined in (1, 2, 3):
            box.submit(commands.TakeSeat(f"Name {joined}", f"claim {joined}")).result(5)
            box.lit()
            assert (panel.lights.liberal, panel.lights.fascist) == (row(joined, ON, 5 - joined, OFF), row(6, OFF))
        for player in (1, 2, 3):
            box.submit(commands.RemovePlayer(player)).result(5)
        box.lit()
        assert (panel.lights.liberal, panel.lights.fascist) == (row(5, ON), row(2, ON, 4, OFF))


def test_the_boards_show_what_is_enacted():
    """Enacted policies and failed elections are lit, and nothing else."""
    shown = picture(at("election", players=7, liberal_policies=2, fascist_policies=3, election_tracker=1))
    assert shown.liberal == row(2, ON, 3, OFF)
    assert shown.fascist == row(3, ON, 3, OFF)
    assert shown.tracker == row(1, ON, 2, OFF)
    assert shown.status is SLOW


@pytest.mark.parametrize("phase", ["legislative_session", "chaos"])
def test_the_next_slots_blink_when_a_policy_is_awaited(phase):
    """Where a policy is awaited the slot that it would take blinks on both boards."""
    shown = picture(at(phase, players=7, liberal_policies=4, fascist_policies=5))
    assert shown.liberal == row(4, ON, 1, SLOW)
    assert shown.fascist == row(5, ON, 1, SLOW)


@pytest.mark.parametrize("phase", sorted(set(Phase) - {Phase.LEGISLATIVE_SESSION, Phase.CHAOS, Phase.GAME_OVER}))
def test_nothing_blinks_on_the_boards_otherwise(phase):
    """Outside sessions and chaos no slot of a board blinks, but for the winner's at the end."""
    shown = picture(at(phase, players=7, liberal_policies=1, fascist_policies=2))
    assert SLOW not in shown.liberal + shown.fascist + shown.tracker


@pytest.mark.parametrize(
    ("reason", "liberal", "fascist"),
    [
        ("liberal_policies", row(5, SLOW), row(2, ON, 4, OFF)),
        ("hitler_executed", row(5, SLOW), row(2, ON, 4, OFF)),
        ("fascist_policies", row(1, ON, 4, OFF), row(6, SLOW)),
        ("hitler_chancellor", row(1, ON, 4, OFF), row(6, SLOW)),
    ],
)
def test_the_winners_board_blinks(reason, liberal, fascist):
    """At the end the whole board of the winners blinks; the other stays as it was."""
    shown = picture(at("game_over", players=7, liberal_policies=1, fascist_policies=2, reason=Reason(reason)))
    assert (shown.liberal, shown.fascist, shown.status) == (liberal, fascist, ON)


@pytest.mark.parametrize("phase", [each for each in Phase if each is not Phase.NIGHT])
def test_the_status_light_tells_what_the_box_does(phase):
    """Speaking breathes, a refusal and trouble blink fast, waiting for a press blinks slowly, ready is on."""
    game = at(phase, reason=Reason.LIBERAL_POLICIES if phase is Phase.GAME_OVER else None)
    assert picture(game, Mood.SPEAKING).status is Light.BREATHING
    assert picture(game, Mood.REFUSING).status is FAST
    assert picture(game, Mood.TROUBLE).status is FAST
    ready = phase in (Phase.LOBBY, Phase.GAME_OVER)
    assert picture(game).status is (ON if ready else SLOW)


def test_the_lights_are_right_before_the_voice_speaks():
    """A box that was switched on in a game shows the boards before the loudspeaker hears a word."""
    order = []
    evening = begun(evening_of(7))
    for _ in range(2):
        evening = after(evening, commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST))
        if evening.game.pending_power:
            evening = after(evening, commands.UsePower(evening.game.eligible_targets[0]))
    box = Box(evening)
    box.lit()
    assert box.panel.lights.fascist == row(2, ON, 4, OFF)
    show, play = box.panel.show, box.output.play
    box.panel.show = lambda shown: (order.append(shown), show(shown))
    box.output.play = lambda clip, track, **kind: (order.append("voice"), play(clip, track, **kind))
    with box:
        eventually(lambda: "voice" in order)
    assert all(shown.fascist == row(2, ON, 4, OFF) for shown in order[: order.index("voice")])


@contextmanager
def lit():
    """A panel and what a box at its first election shows on it."""
    panel, feed, told = FakePanel(), Feed(begun(evening_of(5))), []
    keeper = PanelLights(panel, feed, lambda _kind, sentence: told.append(sentence))

    def shown():
        eventually(lambda: keeper.shown_version == feed.snapshot.version)
        return panel.lights

    yield panel, feed, shown, told
    keeper.close()


def test_a_refusal_blinks_for_a_moment(monkeypatch):
    """After a refusal the status light blinks fast, and then tells again what the box waits for."""
    monkeypatch.setattr("companion.panel.presses.REFUSAL_SECONDS", 0.02)
    with Box(begun(evening_of(5))) as box:
        # Held nein proposes a veto, which there is none of yet.
        box.press(Button.NEIN, held=True)
        eventually(lambda: any(shown.status is FAST for shown in box.panel.shown))
        eventually(lambda: not box.feed.snapshot.refusing)
        box.silence()
        eventually(lambda: box.panel.lights.status is SLOW)


def test_a_second_refusal_blinks_for_its_own_time():
    """The end of the first blink does not end the second one."""
    with Box(elected(begun(evening_of(5)))) as box:
        box.press(Button.JA)
        first = box.presses._refusal_timer
        box.press(Button.JA)
        assert first.cancelled
        assert not box.presses._refusal_timer.cancelled
        assert box.feed.snapshot.refusing


def test_trouble_is_over_when_all_of_it_is():
    """One kind of trouble that ends leaves the light at trouble while another goes on."""
    with lit() as (_, feed, shown, _):
        feed.post_trouble("journal", "the disk is full")
        feed.post_trouble("voice", "the voice is hoarse")
        feed.post_trouble("voice", "")
        assert shown().status is FAST
        feed.post_trouble("journal", "")
        assert shown().status is SLOW


def test_a_closed_box_leaves_the_panel_alone():
    """What is shown after the end, a late blink or a late word, lights nothing."""
    with lit() as (panel, feed, shown, _):
        shown()
    before = len(panel.shown)
    feed.post(speaking=True, refusing=True)
    assert len(panel.shown) == before


def test_a_panel_that_fails_does_not_stop_the_game(monkeypatch):
    """A panel that cannot be lit costs the light, is told, and is right as soon as it can be."""
    monkeypatch.setattr(lights, "_AGAIN_SECONDS", 0.001)
    with lit() as (panel, feed, shown, told):
        show = panel.show
        panel.show = lambda _shown: 1 / 0
        feed.post(speaking=True)
        eventually(lambda: told[-1:] == [lights.FAILED])
        panel.show = show
        eventually(lambda: told[-1] == "")
        assert shown().status is Light.BREATHING


def test_the_light_of_a_press_does_not_wait_for_the_voice():
    """The light is the first answer: it is there while the voice still looks for its words."""
    with Box(begun(evening_of(5))) as box:
        box.silence()
        box.speaker.may_speak.clear()
        box.press(Button.LIBERAL)
        assert box.panel.lights.liberal == row(1, ON, 4, OFF)
        box.speaker.may_speak.set()


def test_moods_have_an_order():
    """A refusal is seen while the box speaks, and speaking while there is trouble."""
    with lit() as (_, feed, shown, _):
        feed.post_trouble("journal", "the disk is full")
        feed.post(speaking=True)
        assert shown().status is Light.BREATHING
        feed.post(refusing=True)
        assert shown().status is FAST
