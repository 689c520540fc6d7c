"""Each edition keeps the night, the words and the rules of its own printed rulebook."""

from __future__ import annotations

import re
from string import Formatter
from typing import get_args

import pytest

from companion import languages
from companion.game.editions import RETAIL, Headcount, Office, Rules, Silence, TermLimited, printed
from companion.narrator.announcer import SPOKEN_TROUBLES
from companion.table.snapshot import Trouble

CODES = ("en", "pl", "pt", "it", "nb", "ru")
FEW = ["CLOSE", "MEET", "PAUSE", "SHUT", "OPEN", "ASK"]
MANY = ["CLOSE", "MEET", "THUMB", "NOTE", "PAUSE", "SHUT", "OPEN", "ASK"]
THUMB_FIRST = ["CLOSE", "THUMB", "MEET", "NOTE", "PAUSE", "SHUT", "OPEN", "ASK"]

every_language = pytest.mark.parametrize("code", languages.codes())
both_sizes = pytest.mark.parametrize("players", [6, 7], ids=["few", "many"])


def line(code: str, players: int, step: str) -> str:
    return next(each.text for each in languages.load(code).night(players) if each.step == step).casefold()


def fixed_texts(code: str) -> list[str]:
    """Return everything that is spoken, before names and numbers are filled in."""
    language = languages.load(code)
    night = [step.text for step in (*language.few, *language.many) if step.text]
    return [*night, *language.lines.values(), *language.reports.values(), *language.refusals.values()]


def test_the_languages_with_a_rulebook_are_there():
    """The box speaks the six languages whose rulebooks it follows, English first, and whatever else has a file."""
    assert languages.codes()[0] == "en"
    assert set(CODES) <= set(languages.codes())


# The night


@every_language
@pytest.mark.parametrize("players", [5, 6])
def test_the_night_of_few(code, players):
    """Five or six players have the same six steps in every edition."""
    assert [step.step for step in languages.load(code).night(players)] == FEW


@pytest.mark.parametrize(
    ("code", "steps"),
    [("en", MANY), ("pl", MANY), ("pt", THUMB_FIRST), ("it", MANY), ("nb", MANY), ("ru", MANY)],
)
@pytest.mark.parametrize("players", [7, 8, 9, 10])
def test_the_night_of_many(code, steps, players):
    """Seven to ten players have eight steps; the Portuguese rulebook has the thumb up before anybody looks."""
    assert [step.step for step in languages.load(code).night(players)] == steps


@every_language
@both_sizes
def test_the_night_names_nobody(code, players):
    """A line of the night has no placeholder and no number, so it is the same whoever is who."""
    for step in languages.load(code).night(players):
        assert [name for _, name, _, _ in Formatter().parse(step.text) if name is not None] == []
        assert not re.search(r"\d", step.text)


FISTS = {"en": "fist", "pl": "pięść", "pt": "mão fechada", "it": "pugno", "nb": "neve"}
THUMBS = {"en": "thumb", "pl": "kciuk", "pt": "polegar", "it": "pollice", "nb": "tommel"}
HANDS = {"en": "hands down", "pl": "schowajcie ręce", "pt": "mãos abaixadas", "it": "abbassate la mano"}


@pytest.mark.parametrize(("code", "fist"), list(FISTS.items()))
def test_a_fist_is_held_out_among_many(code, fist):
    """Seven or more players hold a fist out; five or six do not."""
    assert fist in line(code, 7, "CLOSE")
    assert fist not in line(code, 6, "CLOSE")


@pytest.mark.parametrize(("code", "thumb"), list(THUMBS.items()))
def test_hitler_puts_a_thumb_up(code, thumb):
    """Hitler shows the thumb, and the Fascists are told to take note of it."""
    assert "hitler" in line(code, 7, "THUMB")
    assert thumb in line(code, 7, "THUMB")
    assert thumb in line(code, 7, "NOTE")


@pytest.mark.parametrize(("code", "hands"), [*HANDS.items(), ("nb", "tar ned tommelen")])
def test_the_hands_go_down_before_anybody_looks(code, hands):
    """Hands are down before all eyes open, since a thumb that is still up would betray Hitler."""
    assert hands in line(code, 7, "SHUT")
    assert hands not in line(code, 6, "SHUT")


def test_the_italian_fist_is_before_the_forehead():
    """The Italian rulebook has the fist held before the forehead."""
    assert "davanti alla fronte" in line("it", 7, "CLOSE")


def test_the_norwegian_thumb_is_free():
    """The Norwegian rulebook has a closed fist with the thumb free."""
    assert "tommelen fri" in line("nb", 7, "CLOSE")


def test_the_norwegian_hitler_gives_a_sign_among_few():
    """With five or six players the Norwegian rulebook has Hitler give a sign who it is; no other edition does."""
    assert re.search(r"hitler, .*tegn", line("nb", 6, "MEET"))


def test_the_polish_fascists_remember():
    """The Polish rulebook has the Fascists remember Hitler."""
    assert "zapamiętajcie" in line("pl", 7, "NOTE")


def test_the_russian_hands_stay_where_they_are():
    """The Russian rulebook has no fist and no thumb: Hitler raises a hand."""
    night = " ".join(step.text for step in languages.load("ru").night(7)).casefold()
    assert not re.search(r"кулак|пал[её]?ц", night)
    assert "поднимите руку" in line("ru", 7, "THUMB")
    assert line("ru", 7, "CLOSE") == line("ru", 6, "CLOSE")


@both_sizes
def test_the_russian_fascists_remember_each_other(players):
    """The Russian rulebook has those who meet remember each other."""
    assert "запомните друг друга" in line("ru", players, "MEET")


@both_sizes
def test_only_the_russian_fascists_close_their_eyes_again(players):
    """In Russian the Fascists alone are told to close their eyes again, since nobody else has them open."""
    assert re.search(r"фашист\w*", line("ru", players, "SHUT"))
    assert not re.search(r"\bвсе\b", line("ru", players, "SHUT"))


def test_the_russian_hand_is_lowered_before_anybody_looks():
    """Hitler lowers the hand while all others have their eyes closed or know already."""
    assert "гитлер, руку вниз" in line("ru", 7, "SHUT")


WITHOUT_HITLER = {
    "en": "fascists who are not hitler",
    "pl": "faszyści, ale nie hitler",
    "pt": "fascistas, menos hitler",
    "it": "nazisti, ma non hitler",
    "nb": "fascister, men ikke hitler",
    "ru": "фашисты, но не гитлер",
}


@pytest.mark.parametrize(("code", "words"), list(WITHOUT_HITLER.items()))
def test_hitler_does_not_look_among_many(code, words):
    """With seven or more players the Fascists open their eyes, and Hitler does not.

    The line begins with those who are meant: where its first word is lost, it must not say the opposite.
    """
    assert line(code, 7, "MEET").startswith(words)


# The words

TERMS = """
liberal | Liberal | Liberał | Liberal | Liberale | liberal | либерал
liberals | Liberals | Liberałowie | Liberais | Liberali | liberale | либералы
fascist | Fascist | Faszysta | Fascista | Nazista | fascist | фашист
fascists | Fascists | Faszyści | Fascistas | Nazisti | fascister | фашисты
hitler | Hitler | Hitler | Hitler | Hitler | Hitler | Гитлер
president | President | Prezydent | Presidente | Presidente | president | президент
chancellor | Chancellor | Kanclerz | Chanceler | Cancelliere | kansler | канцлер
presidential_candidate | presidential candidate | kandydat na Prezydenta | candidato presidencial \
| candidato Presidente | presidentkandidat | кандидат в президенты
policy | policy | ustawa | política | legge | lovforslag | закон
election_tracker | election tracker | tor wyborów | rastreador de eleição | contatore elezioni | valgteller \
| счётчик выборов
draw_pile | draw pile | talia ustaw | baralho de políticas | mazzo di pesca | trekkebunke | стопка законов
discard_pile | discard pile | stos odrzuconych | pilha de descarte | pila degli scarti | kastebunke | колода сброса
secret_role | secret role | sekretna rola | papel secreto | ruolo segreto | rolle | секретная роль
party_membership | party membership | przynależność | membro do partido | partito di appartenenza | partimedlemskap \
| партийная принадлежность
legislative_session | legislative session | sesja legislacyjna | sessão legislativa | fase legislativa \
| innføre et lovforslag | законодательная сессия
executive_action | executive action | działanie wykonawcze | ação executiva | fase esecutiva | spesielle privilegier \
| исполнительные действия
investigate_loyalty | Investigate Loyalty | Zbadaj przynależność | Investigar lealdade | Investigazione \
| Undersøke tilhørighet | Исследование лояльности
call_special_election | Call Special Election | Specjalne wybory | Eleição especial | Elezioni straordinarie | Særvalg \
| Внеочередные выборы
policy_peek | Policy Peek | Podgląd ustaw | Espiar a política | Sguardo alle leggi | Titte i trekkebunken \
| Просмотр законов
execution | Execution | Egzekucja | Execução | Esecuzione | Henrettelse | Уничтожение
veto_power | veto power | veto | poder do veto | potere di veto | vetorett | право вето
ja | Ja! | Ja! | Ja! | Ja! | ja! | Ja!
nein | Nein! | Nein! | Nein! | Nein! | nein! | Nein!
"""
ROWS = [[cell.strip() for cell in row.split("|")] for row in TERMS.strip().splitlines()]


@pytest.mark.parametrize(("column", "code"), list(enumerate(CODES, 1)))
def test_the_terms_are_those_on_the_cards(column, code):
    """The box calls a thing what the cards and boards of that edition call it."""
    assert dict(languages.load(code).terms) == {row[0]: row[column] for row in ROWS}


POWERS = ("investigate_loyalty", "call_special_election", "policy_peek", "execution")


@every_language
@pytest.mark.parametrize("power", POWERS)
def test_a_power_is_announced_by_its_printed_name(code, power):
    """A power's line begins with the name that stands on the board."""
    language = languages.load(code)
    assert language.lines[f"power_{power}"].startswith(language.terms[power])


# Texts


@every_language
def test_every_language_says_everything(code):
    """Every language has the keys of English, and the facts of English in each."""
    ours, english = languages.load(code), languages.load("en")
    for table in ("terms", "lines", "reports", "refusals", "page"):
        assert getattr(ours, table).keys() == getattr(english, table).keys()
        for key, text in getattr(ours, table).items():
            names = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
            expected = {name for _, name, _, _ in Formatter().parse(getattr(english, table)[key]) if name is not None}
            assert names == expected


@every_language
def test_every_trouble_can_be_told(code):
    """Whatever may not work has a sentence for the pages, and one to be spoken where there is still a voice for it."""
    language = languages.load(code)
    shown = {key for key in language.page if key.startswith("trouble_") and key != "trouble_heading"}
    assert shown == {f"trouble_{kind}" for kind in get_args(Trouble)}
    spoken = {key for key in language.lines if key.endswith("_trouble")}
    assert spoken == {f"{kind}_trouble" for kind in SPOKEN_TROUBLES}


@every_language
def test_spoken_lines_are_sentences(code):
    """A spoken line ends like a sentence, or the synthesiser's voice stays up in the air."""
    language = languages.load(code)
    lines = [*language.lines.items(), *language.refusals.items()]
    assert [key for key, text in lines if text[-1] not in ".!?" and key != "player"] == []


@every_language
def test_every_respelling_is_needed(code):
    """A respelling is for a word that the language has; one that matches nothing is a slip of the pen."""
    told = " ".join([*fixed_texts(code), *languages.load(code).terms.values()])
    # With the counts that a respelling may be about.
    texts = " ".join(re.sub(r"\{(liberal|fascist|seconds)\}", count, told) for count in "0123").casefold()
    # A number or a sign comes with a name or a count.
    words = [word.casefold() for word in languages.load(code).pronunciation if re.search("[^0-9&]", word)]
    assert [word for word in words if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", texts)] == []


def test_the_russian_yo_is_written():
    """Russian words that have ё are written with it: eSpeak NG reads and stresses е otherwise."""
    texts = " ".join(fixed_texts("ru")).casefold()
    assert not re.search(r"\b(ещ[е]|желт\w+|черн\w+|счетчик|мертв\w*|трех|пропадет|начнется|идет)\b", texts)


@pytest.mark.parametrize(
    ("code", "one", "two", "tracker"),
    [
        ("pl", "jedna z pięciu", "dwie z pięciu", ": 1 z trzech"),
        ("pt", "uma de 5", "duas de 5", ": 1 de 3"),
        ("it", "una su 5", "2 su 5", ": 1 su 3"),
        ("nb", "ett av 5", "2 av 5", ": 1 av 3"),
    ],
)
def test_counts_of_policies_agree_in_gender(code, one, two, tracker):
    """A policy is feminine or neuter there, and a digit is read in another gender; the tracker's counts stay."""
    language = languages.load(code)
    for number, words in ((1, one), (2, two)):
        for key in ("liberal", "fascist"):
            said = language.pronounce(language.say(f"{key}_policy", **{key: number}))
            assert words.partition(" ")[0] in said.split(": ")[1]
    said = language.pronounce(language.say("standing", liberal=1, fascist=2, tracker=1))
    assert one in said
    assert tracker in said


@pytest.mark.parametrize("code", ["pl", "ru"])
@pytest.mark.parametrize("number", [3, 5, 6])
def test_a_total_is_spoken_in_the_genitive(code, number):
    """A total such as 3 of 5 is written with digits in Polish and Russian, and read with the second number declined."""
    of = {"pl": "z", "ru": "из"}[code]
    assert not re.search(r"\d", languages.load(code).pronounce(f"{of} {number}"))


@pytest.mark.parametrize(
    ("code", "endings"), [("pl", "ł|ła|ony|ona|any|ana|ty|ta"), ("ru", "л|ла|лся|лась|ен|ена|ан|ана|ый|ая")]
)
def test_no_word_agrees_with_a_name(code, endings):
    """The word next to a name is no past tense or participle, which in Polish and Russian would tell a gender."""
    agrees = rf"\{{(?:name|president|chancellor)\}},? (?:\w+ )?\w+(?:{endings})\b"
    assert [text for text in fixed_texts(code) if re.search(agrees, text)] == []


# The rules

PRINTED = {
    "en": RETAIL,
    "pl": RETAIL,
    "pt": Rules(
        term_limited=TermLimited.LAST_ENACTED,
        few_players=Headcount.STARTED,
        election_resets_tracker=True,
        silence=Silence.FROM_DRAW,
    ),
    "it": Rules(reshuffle_below=4),
    "nb": Rules(enacting_office=Office.PRESIDENT),
    "ru": RETAIL,
}


@pytest.mark.parametrize(("code", "rules"), list(PRINTED.items()))
def test_the_printed_rules(code, rules):
    """Played as printed, each language has the rules of its rulebook, and all other points as they are sold."""
    assert printed(languages.load(code).printed_rules) == rules
