import random

import pytest

from companion import languages
from companion.game import boards, commands, rules
from companion.game import evening as rulebook
from companion.game.editions import RETAIL
from companion.game.refusals import Refusal, Refused
from companion.game.vocabulary import Party, Phase, Role
from companion.narrator import cues
from companion.table.listener import Change
from tests import notation
from tests.support import NAMES, after, begun, elected, evening_of, played

ENGLISH = languages.load("en")


def say(key, **facts):
    return ENGLISH.say(key, **facts)


def told(before, *asked, language=ENGLISH):
    """The evening after a report, and what is said of it."""
    evening = after(before, *asked)
    entry = _entry(before, asked)
    return evening, [each.text for each in cues.announce(Change(before, entry, evening), language)]


def _entry(before, asked):
    return rulebook.decide(before, asked)


def a_command(evening, chance):
    """Something that may be reported now; now and then what was reported is taken back."""
    if evening.game.phase is Phase.GAME_OVER:
        return commands.OpenLobby()
    if evening.step.before is not None and chance.random() < 0.08:
        return commands.TakeBack(confirmed=True)
    able = [each for each in rules.legal(evening.game) if not isinstance(each, commands.SetPlayers)]
    if not evening.seating.players:
        able = [each for each in able if not isinstance(each, commands.DealRoles)]
    # Long games are what there is to hear; those left to themselves end early, and seldom see a veto.
    short = (commands.Answer(hitler=True), commands.EnactPolicy(Party.LIBERAL))
    long = [
        each for each in able if each not in short and not isinstance(each, commands.Nominate | commands.LookAtRole)
    ]
    return chance.choice(long if long and chance.random() < 0.7 else able)


def every_sentence(evening, language):
    """Everything that can be said without anything happening."""
    offered = evening.game.eligible_targets[:1] or (None,)
    yield from cues.resume(evening, language)
    yield from cues.standing(evening, language, offered[0])
    yield from cues.reminder(evening, language)
    for cards in (False, True):
        yield cues.waiting(evening, language, cards=cards)
    for seat in evening.game.seats:
        yield cues.offer(evening, seat, language)


@pytest.mark.parametrize("seated", [True, False])
@pytest.mark.parametrize("code", languages.codes())
def test_everything_that_happens_has_a_line_without_a_gap(code, seated):
    """Through random games of every size each change and each position is said whole, with names or without."""
    language = languages.load(code)
    chance = random.Random(f"{code} {seated}")  # noqa: S311 - a test, not a secret
    phases, keys = set(), set()
    for game in range(36):
        evening = evening_of(5 + game % 6, language=code, seated=seated)
        for _ in range(100):
            before = evening
            asked = (a_command(before, chance),)
            evening, texts = after(before, *asked), None
            lines = cues.announce(Change(before, _entry(before, asked), evening), language)
            texts = [each.text for each in (*lines, *every_sentence(evening, language))]
            assert all(text.strip() and "{" not in text and "None" not in text for text in texts)
            phases.add(evening.game.phase)
            keys.update(each.key for each in lines)
    assert phases == (set(Phase) if seated else set(Phase) - {Phase.DEAL})
    assert keys >= {"chaos", "chaos_enacted", "reshuffled", "executed", "special_election", "taken_back", "game_over"}


@pytest.mark.parametrize("code", languages.codes())
def test_every_refusal_has_a_sentence(code):
    """Whatever is refused, the box says why in its language, and with a sound."""
    language, evening = languages.load(code), evening_of(7)
    for reason in Refusal:
        said = cues.refusal(Refused(reason, 1, 3), evening, language)
        assert said.text.strip()
        assert "{" not in said.text
        assert said.effect is not None


def test_who_has_not_looked_is_named():
    """The refusal names who has not looked, by the name that the table knows or by the seat."""
    refused = Refused(Refusal.NOT_ALL_LOOKED, 2, 5)
    assert "Bogdan, Eirik" in cues.refusal(refused, evening_of(5), ENGLISH).text
    assert "Player 2, Player 5" in cues.refusal(refused, evening_of(5, seated=False), ENGLISH).text


def shuffled(players, chance):
    deal = list(boards.roles(players))
    chance.shuffle(deal)
    return tuple(deal)


@pytest.mark.parametrize("code", ["en", "ru"])
def test_nothing_secret_is_said(code):
    """Two games that differ only in their roles are told alike until the rules reveal who Hitler is."""
    language = languages.load(code)
    chance = random.Random(7)  # noqa: S311 - a test, not a secret
    compared = 0
    for number in range(120):
        players = 5 + number % 6
        pair = [begun(evening_of(players, language=code), deal=shuffled(players, chance)) for _ in range(2)]
        for _ in range(60):
            if pair[0].game.phase is Phase.GAME_OVER:
                break
            asked = (a_command(pair[0], chance),)
            changes = [Change(each, _entry(each, asked), after(each, *asked)) for each in pair]
            pair = [change.after for change in changes]
            if [type(event) for event in changes[0].entry] != [type(event) for event in changes[1].entry]:
                # Hitler was elected or executed at one table: the rules say so aloud.
                assert pair[0].game.danger_zone
                break
            one, other = ([each.text for each in cues.announce(change, language)] for change in changes)
            assert one == other
            one, other = ([each.text for each in every_sentence(each_of, language)] for each_of in pair)
            assert one == other
            compared += 1
    assert compared > 1500


def test_the_deal_is_announced_without_a_role():
    """Dealing says that the roles are dealt, to every deal in the same words."""
    said = set()
    for deal in (boards.roles(7), boards.roles(7)[::-1]):
        _, texts = told(evening_of(7), commands.DealRoles(deal))
        said.add(tuple(texts))
    assert said == {(say("roles_dealt"),)}


def test_a_failed_vote_says_where_the_tracker_stands():
    """Each failed election tells its number; the third is chaos, with its reason, and what to do."""
    evening, said = begun(evening_of(5)), []
    for _ in range(3):
        evening, texts = told(evening, commands.Vote(elected=False))
        said.append(texts)
    assert [texts[0] for texts in said] == [say("election_failed", tracker=number) for number in (1, 2, 3)]
    assert said[0][1] == say("next_candidate", name="Bogdan")
    assert said[2][1:] == [say("chaos")]
    evening, texts = told(evening, commands.EnactPolicy(Party.FASCIST))
    assert texts == [
        say("fascist_policy", fascist=1),
        say("next_candidate", name="Dmitrij"),
        say("chaos_enacted"),
    ]


def test_a_veto_as_third_failure_says_so():
    """A veto that fills the tracker tells the count and that the veto is why there is chaos."""
    evening = played(begun(evening_of(7)), "f f f f f")
    for _ in range(2):
        evening = after(evening, commands.Vote(elected=False))
    evening = elected(evening)
    evening, texts = told(evening, commands.ProposeVeto())
    assert texts == [say("veto_proposed")]
    evening, texts = told(evening, commands.AnswerVeto(agreed=True))
    assert texts[0] == say("veto_agreed", tracker=3)
    assert texts[-1] == say("chaos_vetoed")
    assert evening.game.phase is Phase.CHAOS


def test_an_election_and_its_policy_in_one_press_are_both_said():
    """The shorthand says that the government is elected, what was enacted, and whose turn it is."""
    report = (commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    _, texts = told(begun(evening_of(5)), *report)
    assert texts == [
        say("government_elected"),
        say("liberal_policy", liberal=1),
        say("next_candidate", name="Bogdan"),
    ]


def test_a_reshuffle_says_how_many_cards():
    """When too few cards are left the box says to shuffle, and how many cards the new pile has."""
    evening = played(begun(evening_of(5)), "l l l l")
    assert evening.game.draw_pile == 5
    evening, texts = told(elected(evening), commands.EnactPolicy(Party.FASCIST))
    assert say("reshuffled", cards=12) in texts


def test_danger_zone_and_veto_are_announced_once():
    """The third Fascist policy is the danger zone, the fifth unlocks the veto; each is said with that policy."""
    evening, said = begun(evening_of(7)), []
    for _ in range(5):
        _, texts = told(elected(evening), commands.EnactPolicy(Party.FASCIST))
        said.append(texts)
        evening = played(evening, "f")
    assert [say("danger_zone") in texts for texts in said] == [False, False, True, False, False]
    assert [say("veto_unlocked") in texts for texts in said] == [False] * 4 + [True]
    _, texts = told(evening, commands.Vote(elected=True))
    assert say("veto_possible") not in texts
    texts = [each.text for each in cues.standing(elected(evening), ENGLISH)]
    assert say("veto_possible") in texts


WINS = {
    "liberal_policies": ("l l l l", commands.EnactPolicy(Party.LIBERAL)),
    "fascist_policies": ("f f f f f", commands.EnactPolicy(Party.FASCIST)),
}


@pytest.mark.parametrize("code", languages.codes())
def test_each_win_says_who_and_why(code):
    """The four ways to win are told by four lines, followed by how to play on."""
    language = languages.load(code)
    said = {}
    for reason, (policies, last) in WINS.items():
        before = elected(played(begun(evening_of(7)), policies))
        said[reason] = told(before, last, language=language)[1]
    before = after(played(begun(evening_of(7)), "f f f"), commands.Vote(elected=True))
    said["hitler_chancellor"] = told(before, commands.Answer(hitler=True), language=language)[1]
    before = after(elected(played(begun(evening_of(7)), "f f f")), commands.EnactPolicy(Party.FASCIST))
    before = after(before, commands.UsePower(before.game.eligible_targets[0]))
    said["hitler_executed"] = told(before, commands.Answer(hitler=True), language=language)[1]
    for reason, texts in said.items():
        assert texts[-2:] == [language.lines[f"win_{reason}"], language.lines["game_over"]]


def test_what_is_taken_back_is_named():
    """The sentence names the report, both halves of a shorthand, and then what the table has to do."""
    evening = begun(evening_of(5))
    voted = after(evening, commands.Vote(elected=False))
    _, texts = told(voted, commands.TakeBack())
    assert texts == [
        say("taken_back", report=ENGLISH.reports["election_failed"]),
        say("next_candidate", name="Anna"),
    ]
    enacted = after(evening, commands.Vote(elected=True), commands.EnactPolicy(Party.LIBERAL))
    _, texts = told(enacted, commands.TakeBack())
    both = f"{ENGLISH.reports['government_elected']}, {ENGLISH.reports['policy_enacted_liberal']}"
    assert texts[0] == say("taken_back", report=both)


def test_whoever_takes_back_one_too_many_hears_how_it_is_put_back():
    """After the second undo in a row the box says which buttons redo; a redo names the report and what to do now."""
    evening = begun(evening_of(5))
    for _ in range(2):
        evening = after(evening, commands.Vote(elected=False))
    _, texts = told(evening, commands.TakeBack())
    assert say("redo_hint") not in texts
    _, texts = told(after(evening, commands.TakeBack()), commands.TakeBack())
    assert texts[1] == say("redo_hint")
    back = after(evening, commands.TakeBack())
    _, texts = told(back, commands.Redo())
    assert texts == [say("redone", report=ENGLISH.reports["election_failed"]), say("next_candidate", name="Chiara")]


def test_a_win_that_is_put_back_is_told_again():
    """The end of a game is said as the end, not only by the name of its report."""
    won = played(begun(evening_of(5)), "l l l l l")
    _, texts = told(after(won, commands.TakeBack()), commands.Redo())
    assert say("win_liberal_policies") in texts


@pytest.mark.parametrize("code", languages.codes())
def test_every_report_that_can_be_taken_back_has_a_name(code):
    """Through random games the taken-back sentence is never empty of the report."""
    language = languages.load(code)
    chance = random.Random(code)  # noqa: S311 - a test, not a secret
    empty = language.say("taken_back", report="")
    for number in range(8):
        evening = evening_of(5 + number % 6)
        while evening.game.phase is not Phase.GAME_OVER:
            evening = after(evening, a_command(evening, chance))
            if evening.step.before is not None:
                _, texts = told(evening, commands.TakeBack(confirmed=True), language=language)
                assert texts[0] != empty


def test_back_at_a_power_its_name_and_the_offered_name_are_said():
    """Nobody is chosen whose name was not said since the power came back."""
    evening = played(begun(evening_of(7)), "f")
    pending = after(elected(evening), commands.EnactPolicy(Party.FASCIST))
    first, second = pending.game.eligible_targets[:2]
    used = after(pending, commands.UsePower(second))
    _, texts = told(used, commands.TakeBack())
    assert texts[1] == say("power_investigate_loyalty", name="Bogdan")
    assert texts[-1] == say("offer", name=NAMES[first - 1])
    texts = [each.text for each in cues.standing(pending, ENGLISH, second)]
    assert texts[-1] == say("offer", name=NAMES[second - 1])
    assert [each.text for each in cues.resume(pending, ENGLISH)][-1] == say("offer", name=NAMES[first - 1])


def test_the_standing_names_the_candidate_once():
    """Where the table stands at an election is told with one name, the counts, and what the box waits for."""
    texts = [each.text for each in cues.standing(begun(evening_of(5)), ENGLISH)]
    assert texts == [
        say("standing", liberal=0, fascist=0, tracker=0),
        say("standing_president", name="Anna"),
        say("standing_piles", draw=17),
        say("waiting_election"),
    ]


def test_the_standing_of_a_game_that_is_over_says_who_won():
    """After the end the standing says the winner and why."""
    evening = after(elected(played(begun(evening_of(7)), "l l l l")), commands.EnactPolicy(Party.LIBERAL))
    assert say("win_liberal_policies") in [each.text for each in cues.standing(evening, ENGLISH)]


def test_a_question_says_that_it_is_one():
    """What the table has to answer is a question, so that no press cuts it short."""
    evening = after(played(begun(evening_of(7)), "f f f"), commands.Vote(elected=True))
    assert [each.question for each in cues.reminder(evening, ENGLISH)] == [True]
    assert cues.waiting(evening, ENGLISH).question
    assert not cues.waiting(evening_of(5), ENGLISH).question


def test_known_roles_and_rules_change_only_what_they_must():
    """Each edition's session is told by its own rulebook: who enacts, and when silence begins."""
    printed = {
        "session": RETAIL,
        "session_president_enacts": notation.from_line("enacting_office=president").rules,
    }
    for key, rules_of_print in printed.items():
        _, texts = told(begun(evening_of(5, rulebook=rules_of_print)), commands.Vote(elected=True))
        assert ENGLISH.lines[key] in texts
    rules_of_print = notation.from_line("silence=from_draw").rules
    _, texts = told(begun(evening_of(5, rulebook=rules_of_print)), commands.Vote(elected=True))
    assert say("silence_from_draw") in texts


def test_a_known_answer_is_told_and_not_asked():
    """When the box dealt the roles and knows the Chancellor, it says the answer and asks nobody; it says it once."""
    deal = (*(Role.LIBERAL,) * 4, Role.FASCIST, Role.HITLER, Role.FASCIST)
    evening = begun(evening_of(7), deal=deal)
    for number in range(3):
        evening = after(evening, commands.Vote(elected=True), commands.EnactPolicy(Party.FASCIST))
        if evening.game.phase is Phase.EXECUTIVE_ACTION:
            evening = after(evening, commands.UsePower(evening.game.eligible_targets[number]))
    evening = after(evening, commands.Nominate(evening.game.eligible_chancellors[0]))
    assert evening.game.roles[evening.game.chancellor - 1] is not Role.HITLER
    evening, texts = told(evening, commands.Vote(elected=True))
    assert texts[:2] == [say("government_elected"), say("chancellor_not_hitler")]
    assert say("hitler_question_chancellor") not in texts
