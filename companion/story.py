"""The story of a game as a picture: who governed, what was enacted, what came of it, and who everybody was.

One SVG without anything from outside, for whoever wants to keep the evening: from a phone at the end, or from
`companion history`. Only of games that are over, since it names every role.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from companion.game.record import record
from companion.game.views import revealed_roles
from companion.game.vocabulary import Party, Phase, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from companion.game.evening import Evening
    from companion.game.record import Government
    from companion.languages import Language

_SKULL = (
    "M12 2.500c-5 0-8 3.400-8 7.700 0 2.700 1.200 4.700 3.200 5.900V20c0 .8.700 1.500 1.500 1.500h6.600"
    "c.8 0 1.500-.7 1.500-1.500v-3.900c2-1.200 3.200-3.200 3.200-5.900 0-4.300-3-7.700-8-7.700z"
    "M8.700 9a2 2 0 110 4 2 2 0 010-4zm6.600 0a2 2 0 110 4 2 2 0 010-4zM12 13.700l1.400 2.500h-2.800z"
)
ICONS = {
    "liberal": (
        "M2 12c4 .5 6-1.500 7-5 .8 3.200 2.700 4.700 5.500 4.600L22 8.500l-3 6.300c-1.800 3.700-5.500 5.200-9.300 4.500"
        "L6 21.500l1.300-3.400C4.600 17 2.700 15 2 12z"
    ),
    "fascist": _SKULL,
    "execution": _SKULL,
    "investigate_loyalty": (
        "M10 3a7 7 0 015.600 11.200l5.100 5.100-1.900 1.900-5.100-5.100A7 7 0 1110 3z"
        "m0 2.600a4.400 4.400 0 100 8.800 4.400 4.400 0 000-8.800z"
    ),
    "call_special_election": "M8 3h8v7h-1.800V4.800H9.800V10H8zM3 10h3v1.800h12V10h3v11H3zm5 3.600v1.600h8v-1.600z",
    "policy_peek": (
        "M12 5c4.700 0 8.500 2.900 10.500 7-2 4.100-5.800 7-10.500 7S3.500 16.100 1.500 12C3.500 7.900 7.300 5 12 5z"
        "m0 2.800a4.200 4.200 0 100 8.400 4.200 4.200 0 000-8.400zm0 2.200a2 2 0 110 4 2 2 0 010-4z"
    ),
}
"""Outlines of parties and powers in a square of 24, filled by the even-odd rule; the pages draw with them too."""

WIDTH = 1200
_MARGIN = 40
_COLUMNS = 10
_COLUMN_WIDTH = (WIDTH - 2 * _MARGIN - 20) / _COLUMNS
_ROW_HEIGHT = 216
_CAST_HEIGHT = 150

_BACKGROUND = {None: "#1a120a", Party.LIBERAL: "#0b202c", Party.FASCIST: "#2a0b07"}
_HEADLINE = {None: "#ecdfc3", Party.LIBERAL: "#8cc3df", Party.FASCIST: "#ffb3a2"}
_CARD = {Party.LIBERAL: "#2a6c8d", Party.FASCIST: "#b8361f"}
_INK = {Party.LIBERAL: "#17506c", Party.FASCIST: "#8a2215"}
_SERIF = "font-family=\"Georgia, 'DejaVu Serif', serif\""
_SANS = (
    "font-family=\"'Fira Sans Condensed', 'Roboto Condensed', 'Helvetica Neue', 'DejaVu Sans Condensed', sans-serif\""
)

_LETTER = 0.6
"""How wide a letter is at most times, in its own height."""
_SMALLEST = 12.0


def picture(evening: Evening, language: Language, *, names: bool = True, told: str = "") -> str:
    """Return the story of a game that is over, as SVG.

    Args:
        evening: how the game ended.
        language: of every word in it.
        names: whether people are called by their names; else by their seats.
        told: a line of its own, such as when and how long the table played.

    Raises:
        ValueError: the game is not over.
    """
    if evening.game.phase is not Phase.GAME_OVER:
        raise ValueError("the story of a game is told when it is over")
    return "".join(_Story(evening, language, names=names, told=told).drawn())


@dataclass(frozen=True)
class _Story:
    evening: Evening
    language: Language
    names: bool
    told: str

    def drawn(self) -> Iterator[str]:
        governments = record(self.evening.step)
        rows = max(1, -(-len(governments) // _COLUMNS))
        paper = 176
        cast = paper + rows * _ROW_HEIGHT + 44
        height = cast + _CAST_HEIGHT + _MARGIN
        winner = self.evening.game.winner
        page = self.language.page
        title = page["reason_broken_off"] if winner is None else page[f"winner_{winner}"]
        yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        yield f'height="{height}" role="img" lang="{self.language.code}"><title>{escape(title)}</title>'
        yield f'<rect width="{WIDTH}" height="{height}" fill="{_BACKGROUND[winner]}"/>'
        yield _text(WIDTH / 2, 82, title, 64, _HEADLINE[winner], WIDTH - 2 * _MARGIN, f'{_SERIF} font-weight="700"')
        reason = "" if self.evening.game.reason is None else page[f"reason_{self.evening.game.reason}"]
        yield _text(WIDTH / 2, 118, reason, 26, "#ecdfc3", WIDTH - 2 * _MARGIN)
        yield _text(WIDTH / 2, 150, self.told, 18, "#bda77f", WIDTH - 2 * _MARGIN)
        yield f'<rect x="{_MARGIN}" y="{paper}" width="{WIDTH - 2 * _MARGIN}" '
        yield f'height="{rows * _ROW_HEIGHT + 16}" rx="4" fill="#e4d4a8"/>'
        for place, each in enumerate(governments):
            row, column = divmod(place, _COLUMNS)
            left = _MARGIN + 10 + column * _COLUMN_WIDTH
            yield from self._government(each, place + 1, left, paper + 8 + row * _ROW_HEIGHT)
        yield from self._cast(cast)
        yield "</svg>\n"

    def _government(self, each: Government, number: int, left: float, top: float) -> Iterator[str]:
        middle, width = left + _COLUMN_WIDTH / 2, _COLUMN_WIDTH - 8
        if number % _COLUMNS != 1:
            yield f'<path d="M{left:.1f} {top + 6}v{_ROW_HEIGHT - 22}" stroke="#5b4526" stroke-opacity=".35"/>'
        yield _text(middle, top + 18, str(number), 15, "#5b4526", width)
        for place, seat in enumerate((each.president, each.chancellor)):
            if seat is not None:
                yield _text(middle, top + 40 + 20 * place, self._name(seat), 17, self._ink(seat), width, _BOLD)
        yield from self._card(each, middle, top + 72)
        for place, (icon, words) in enumerate(self._came(each)):
            y = top + 166 + 19 * place
            room = width - 18 if icon else width
            fitting, shown = _fitted(words, 15, room)
            half = min(room, _LETTER * fitting * len(shown)) / 2
            if icon:
                yield _icon(icon, middle - half - 12, y - 13, 0.66, "#7a1f10")
            yield _text(middle + (9 if icon else 0), y, words, 15, "#7a1f10", room, _BOLD)

    def _card(self, each: Government, middle: float, top: float) -> Iterator[str]:
        frame = f'<rect x="{middle - 26:.1f}" y="{top}" width="52" height="68" rx="3"'
        if each.policy is not None:
            yield f'{frame} fill="{_CARD[each.policy]}"/>'
        elif each.hitler:
            yield f'{frame} fill="#21170c"/>'
        else:
            yield f'{frame} fill="none" stroke="#8a734a" stroke-width="2" stroke-dasharray="6 5"/>'
            yield f'<path d="M{middle - 9:.1f} {top + 25}l18 18m0-18l-18 18" stroke="#6b5733" stroke-width="3"/>'
            return
        yield _icon("fascist" if each.policy is None else str(each.policy), middle - 18, top + 16, 1.5, "#f3e7c6")

    def _came(self, each: Government) -> Iterator[tuple[str, str]]:
        """Yield what came of a vote, as (icon or none, words); what a picture says stands there in words too."""
        page, terms = self.language.page, self.language.terms
        if each.hitler and each.policy is None:
            yield "", terms["hitler"]
        if each.chaos:
            yield "", page["record_chaos"]
        if each.veto is not None:
            yield "", page["record_vetoed" if each.veto else "record_veto_refused"]
        if each.power is not None:
            yield str(each.power), terms[str(each.power)] if each.target is None else self._name(each.target)

    def _cast(self, top: float) -> Iterator[str]:
        game, roles = self.evening.game, revealed_roles(self.evening.game)
        seats = list(game.seats)
        if roles is not None:
            seats.sort(key=lambda seat: (roles[seat - 1] is not Role.HITLER, roles[seat - 1] is not Role.FASCIST, seat))
        width = (WIDTH - 2 * _MARGIN + 12) / len(seats)
        for place, seat in enumerate(seats):
            left, middle = _MARGIN + place * width, _MARGIN + place * width + (width - 12) / 2
            role = None if roles is None else roles[seat - 1]
            party = None if role is None else role.party
            fill = "#14100c" if role in (None, Role.HITLER) else "#123444" if party is Party.LIBERAL else "#4d160d"
            line = {None: "#4d3a21", Party.LIBERAL: "#3f7591", Party.FASCIST: "#b8361f"}[party]
            stroke = 4 if role is Role.HITLER else 2
            yield f'<rect x="{left:.1f}" y="{top}" width="{width - 12:.1f}" height="{_CAST_HEIGHT}" rx="4" '
            yield f'fill="{fill}" stroke="{line}" stroke-width="{stroke}"/>'
            if party is not None:
                yield _icon(str(party), middle - 18, top + 14, 1.5, _HEADLINE[party])
            yield _text(middle, top + 80, self._name(seat), 24, "#ecdfc3", width - 24, _BOLD)
            if role is not None:
                yield _text(middle, top + 106, self.language.terms[str(role)], 18, _HEADLINE[party], width - 24)
            gone = "dead" if seat in game.executed else "absent" if seat in game.absent else ""
            yield _text(middle, top + 132, self.language.page[gone] if gone else "", 17, "#bda77f", width - 24)

    def _name(self, seat: int) -> str:
        player = self.evening.seating.player_at(seat) if self.names else None
        return self.language.say("player", seat=seat) if player is None else player.name

    def _ink(self, seat: int) -> str:
        roles = revealed_roles(self.evening.game)
        return "#21170c" if roles is None else _INK[roles[seat - 1].party]


_BOLD = f'{_SANS} font-weight="700"'


def _icon(name: str, left: float, top: float, scale: float, fill: str) -> str:
    place = f"translate({left:.1f} {top:.1f}) scale({scale})"
    return f'<path transform="{place}" fill="{fill}" fill-rule="evenodd" d="{ICONS[name]}"/>'


def _fitted(words: str, size: float, width: float) -> tuple[float, str]:
    """Return the size of words in a place, smaller where they are long, and the words, cut if longer still."""
    fitting = max(_SMALLEST, min(size, width / (_LETTER * len(words))))
    most = int(width / (_LETTER * fitting))
    return fitting, words if len(words) <= most + 1 else f"{words[: most - 1].rstrip()}\u2026"


def _text(x: float, y: float, words: str, size: float, fill: str, width: float, style: str = _SANS) -> str:
    """Return words in the middle of a place."""
    if not words:
        return ""
    fitting, shown = _fitted(words, size, width)
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{fitting:.1f}" fill="{fill}" {style}>'
        f"{escape(shown)}</text>"
    )
