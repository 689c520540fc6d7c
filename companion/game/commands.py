"""What people ask the box to record. Imperative; each is either allowed and gives events, or refused with a reason."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.game.vocabulary import Policy, Role


@dataclass(frozen=True, slots=True)
class SetPlayers:
    """Say how many play, before anybody has taken a seat by phone.

    Attributes:
        players: how many.
        whoever_sits: also where seats are taken: with real role cards, phones decide nothing.
    """

    players: int
    whoever_sits: bool = False


@dataclass(frozen=True, slots=True)
class DealRoles:
    """Deal these roles, seat 1 first. The shuffle comes from outside."""

    roles: tuple[Role, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class LookAtRole:
    """A player has looked at their role card."""

    seat: int


@dataclass(frozen=True, slots=True)
class BeginNight:
    """Everybody closes their eyes; `regardless` goes on though somebody has not looked at their role."""

    regardless: bool = False


@dataclass(frozen=True, slots=True)
class EndNight:
    """Everybody has opened their eyes."""


@dataclass(frozen=True, slots=True)
class BeginGame:
    """Nothing went wrong in the night: the game begins with this presidential candidate, drawn outside."""

    first: int


@dataclass(frozen=True, slots=True)
class Nominate:
    """The presidential candidate names a Chancellor."""

    chancellor: int


@dataclass(frozen=True, slots=True)
class Vote:
    """The result of the vote: more than half said ja, or not."""

    elected: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the Hitler question, by a Chancellor in the danger zone or by an executed player."""

    hitler: bool


@dataclass(frozen=True, slots=True)
class EnactPolicy:
    """A policy was enacted, by the government or, in chaos, by the people."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class ProposeVeto:
    """The Chancellor proposes a veto."""


@dataclass(frozen=True, slots=True)
class AnswerVeto:
    """The President consents to the proposed veto, or refuses."""

    agreed: bool


@dataclass(frozen=True, slots=True)
class UsePower:
    """The President has used the pending power, on `player` where it needs one."""

    player: int | None = None


GameCommand = (
    SetPlayers
    | DealRoles
    | LookAtRole
    | BeginNight
    | EndNight
    | BeginGame
    | Nominate
    | Vote
    | Answer
    | EnactPolicy
    | ProposeVeto
    | AnswerVeto
    | UsePower
)
"""What the rules of one game decide about."""


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down with a name.

    Attributes:
        name: as typed.
        claim: a hash of the phone's secret, which alone proves later that this phone owns the seat.
        language: what the phone shows, a language code; empty for the table's.
        sign: the sign that they would like; empty for any.
        spoken: the name as the voice reads it; empty for as it is written.
    """

    name: str
    claim: str = field(repr=False)
    language: str = ""
    sign: str = ""
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class AddSharedSeat:
    """Seat a player who has no phone and looks at somebody else's.

    Attributes:
        name: as typed.
        with_player: the id of the player whose phone is shared.
    """

    name: str
    with_player: int


@dataclass(frozen=True, slots=True)
class RenamePlayer:
    """Give a player another name. Players are meant by their id, which stays when seats are moved."""

    player: int
    name: str


@dataclass(frozen=True, slots=True)
class RemovePlayer:
    """Take a player from the table."""

    player: int


@dataclass(frozen=True, slots=True)
class MovePlayer:
    """Let a player sit at another seat; the others close up."""

    player: int
    seat: int


@dataclass(frozen=True, slots=True)
class HandOverSeat:
    """Give a seat to another phone: the old phone's claim ends."""

    player: int
    claim: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShareSeat:
    """Let a player whose phone has died look at somebody else's; the old phone's claim ends."""

    player: int
    with_player: int


@dataclass(frozen=True, slots=True)
class ChooseLanguage:
    """Let the table, or one player's phone, speak another language."""

    language: str
    player: int | None = None


@dataclass(frozen=True, slots=True)
class ChooseSign:
    """Let a player be known by another sign."""

    player: int
    sign: str


@dataclass(frozen=True, slots=True)
class SpellName:
    """Spell a player's name for the voice, before a game begins; empty: it is read as it is written."""

    player: int
    spoken: str


SeatingCommand = (
    TakeSeat
    | AddSharedSeat
    | RenamePlayer
    | RemovePlayer
    | MovePlayer
    | HandOverSeat
    | ShareSeat
    | ChooseLanguage
    | ChooseSign
    | SpellName
)
"""What concerns people and phones rather than the rules; these are never taken back."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take back the last report; `confirmed` where roles would be lost."""

    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Redo:
    """Put back the report that was taken back last, as long as nothing else has happened since."""


@dataclass(frozen=True, slots=True)
class OpenLobby:
    """Leave this game and set up the next one with the same people."""


@dataclass(frozen=True, slots=True)
class MarkAbsent:
    """A player, by id, has to go home in the middle of a game, or is back; the others play on.

    The rulebooks say nothing about it. Like the executed, whoever is absent is neither candidate nor Chancellor, nor
    chosen for a power, and does not vote; but their role stays secret.
    """

    player: int
    absent: bool = True


@dataclass(frozen=True, slots=True)
class BreakOff:
    """End the game though nobody has won; `confirmed` since everybody's role is told then."""

    confirmed: bool = False


Command = GameCommand | SeatingCommand | TakeBack | Redo | OpenLobby | MarkAbsent | BreakOff
"""Everything that can be asked of the box's memory."""
