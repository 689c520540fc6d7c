"""What happened, in the past tense. The journal holds these and nothing else; a game is what its events make of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.game.editions import Rules
from companion.game.seating import Seating
from companion.game.vocabulary import Policy, Reason, Role


@dataclass(frozen=True, slots=True)
class GameOpened:
    """A table was laid for the next game: how many play, by which rules, and who sits where already."""

    players: int
    rules: Rules
    seating: Seating


@dataclass(frozen=True, slots=True)
class PlayersSet:
    """The number of players was set."""

    players: int


@dataclass(frozen=True, slots=True)
class RolesDealt:
    """Every seat got its secret role. The one event whose content must not be shown."""

    roles: tuple[Role, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RoleSeen:
    """A player looked at their role."""

    seat: int


@dataclass(frozen=True, slots=True)
class NightBegan:
    """Everybody was asked to close their eyes."""


@dataclass(frozen=True, slots=True)
class NightEnded:
    """Everybody was asked to open their eyes."""


@dataclass(frozen=True, slots=True)
class GameBegan:
    """The first presidential candidate was drawn."""

    first: int


@dataclass(frozen=True, slots=True)
class ChancellorNominated:
    """The presidential candidate named a Chancellor."""

    chancellor: int


@dataclass(frozen=True, slots=True)
class GovernmentElected:
    """More than half said ja."""


@dataclass(frozen=True, slots=True)
class ElectionFailed:
    """A tie, or a majority said nein: the election tracker advances."""


@dataclass(frozen=True, slots=True)
class NotHitlerConfirmed:
    """The table learned that this player is not Hitler; None when the box does not know who it was."""

    player: int | None


@dataclass(frozen=True, slots=True)
class PolicyEnacted:
    """A government enacted a policy."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class ChaosPolicyEnacted:
    """The top policy was enacted after three failed elections; its power is lost, term limits are forgotten."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class PilesReshuffled:
    """Draw and discard pile were shuffled into a new draw pile."""


@dataclass(frozen=True, slots=True)
class VetoProposed:
    """The Chancellor proposed a veto."""


@dataclass(frozen=True, slots=True)
class VetoRefused:
    """The President refused it."""


@dataclass(frozen=True, slots=True)
class AgendaVetoed:
    """The President consented: the cards are discarded and the election tracker advances."""


@dataclass(frozen=True, slots=True)
class LoyaltyInvestigated:
    """The President looked at a player's party membership."""

    player: int


@dataclass(frozen=True, slots=True)
class SpecialElectionCalled:
    """The President named the next presidential candidate."""

    candidate: int


@dataclass(frozen=True, slots=True)
class PoliciesPeeked:
    """The President looked at the top three policies."""


@dataclass(frozen=True, slots=True)
class PlayerExecuted:
    """The President killed a player."""

    player: int


@dataclass(frozen=True, slots=True)
class GameWon:
    """The game ended."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class PlayerAbsent:
    """A player had to go home in the middle of the game."""

    player: int


@dataclass(frozen=True, slots=True)
class PlayerPresent:
    """A player who was absent is back at the table."""

    player: int


@dataclass(frozen=True, slots=True)
class GameBrokenOff:
    """The table ended the game before anybody had won it."""


GAME_ENDS = (GameWon, GameBrokenOff)
"""The events that end a game."""

GameEvent = (
    PlayersSet
    | RolesDealt
    | RoleSeen
    | NightBegan
    | NightEnded
    | GameBegan
    | ChancellorNominated
    | GovernmentElected
    | ElectionFailed
    | NotHitlerConfirmed
    | PolicyEnacted
    | ChaosPolicyEnacted
    | PilesReshuffled
    | VetoProposed
    | VetoRefused
    | AgendaVetoed
    | LoyaltyInvestigated
    | SpecialElectionCalled
    | PoliciesPeeked
    | PlayerExecuted
    | GameWon
    | PlayerAbsent
    | PlayerPresent
    | GameBrokenOff
)
"""What changes one game."""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Somebody sat down, clockwise after the last; `shares` is the player whose phone serves this seat too."""

    player: int
    name: str
    claim: str = field(repr=False)
    language: str = ""
    shares: int | None = None
    sign: str = ""
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class PlayerRenamed:
    """A player got another name."""

    player: int
    name: str


@dataclass(frozen=True, slots=True)
class PlayerRemoved:
    """A player left the table."""

    player: int


@dataclass(frozen=True, slots=True)
class PlayerMoved:
    """A player sits at another seat."""

    player: int
    seat: int


@dataclass(frozen=True, slots=True)
class SeatHandedOver:
    """A seat belongs to another phone from now on."""

    player: int
    claim: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SeatShared:
    """A player looks at another player's phone from now on, and so do those who looked at theirs."""

    player: int
    with_player: int


@dataclass(frozen=True, slots=True)
class LanguageChosen:
    """The table (player None) or one phone speaks another language."""

    language: str
    player: int | None = None


@dataclass(frozen=True, slots=True)
class SignChosen:
    """A player is known by another sign."""

    player: int
    sign: str


@dataclass(frozen=True, slots=True)
class NameSpelled:
    """A player spelled their name for the voice; empty: it is read as it is written."""

    player: int
    spoken: str


SeatingEvent = (
    SeatTaken
    | PlayerRenamed
    | PlayerRemoved
    | PlayerMoved
    | SeatHandedOver
    | SeatShared
    | LanguageChosen
    | SignChosen
    | NameSpelled
)
"""What changes who sits where."""


@dataclass(frozen=True, slots=True)
class ReportTakenBack:
    """The last report was taken back: the game is as it was before it."""


@dataclass(frozen=True, slots=True)
class ReportRedone:
    """The report that was taken back last was put back, since it was right after all."""


Event = GameOpened | GameEvent | SeatingEvent | ReportTakenBack | ReportRedone
"""Everything that can happen at a table."""
