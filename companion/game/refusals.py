"""Why a command is refused: a code for programs, a sentence for people."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from companion.errors import CompanionError


class Refusal(StrEnum):
    """The reasons, each with the sentence that a table understands."""

    sentence: str

    def __new__(cls, code: str, sentence: str) -> Self:
        """Make a member whose value is the code."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    NOT_NOW = "not_now", "That cannot be reported now."
    NO_SUCH_SEAT = "no_such_seat", "There is no such seat at this table."
    PLAYER_COUNT = "player_count", "Secret Hitler is for five to ten players."
    WRONG_DEAL = "wrong_deal", "Those are not the roles for this number of players."
    NOT_ALL_LOOKED = "not_all_looked", "Not everybody has looked at their role yet."
    PLAYER_IS_DEAD = "player_is_dead", "That player has been executed."
    PLAYER_IS_ABSENT = "player_is_absent", "That player has left the table."
    TOO_FEW_LEFT = "too_few_left", "Too few would be left to play on; the game can be broken off instead."
    OWN_CHANCELLOR = "own_chancellor", "The presidential candidate cannot be nominated Chancellor."
    TERM_LIMITED = "term_limited", "That player is term-limited and cannot be nominated Chancellor."
    VETO_LOCKED = "veto_locked", "The veto is unlocked by the fifth Fascist policy."
    VETO_REFUSED = (
        "veto_refused",
        "The President has refused the veto in this session; a policy must be enacted.",
    )
    PLAYER_NEEDED = "player_needed", "This power needs a player."
    NO_PLAYER_NEEDED = "no_player_needed", "Policy Peek takes no player."
    OWN_TARGET = "own_target", "The President cannot use a power on themself."
    ALREADY_INVESTIGATED = "already_investigated", "No player is investigated twice in a game."
    NOTHING_TO_TAKE_BACK = "nothing_to_take_back", "There is nothing to take back."
    NOTHING_TO_REDO = "nothing_to_redo", "Nothing was taken back that could be put back."
    CONFIRM_TAKING_BACK_ROLES = (
        "confirm_taking_back_roles",
        "This takes back the roles that were dealt; ask once more to do it.",
    )
    CONFIRM_BREAKING_OFF = (
        "confirm_breaking_off",
        "This ends the game and tells everybody's role; ask once more to do it.",
    )
    TABLE_FULL = "table_full", "The table is full: ten people can play."
    JOINING_CLOSED = "joining_closed", "A game is under way; joining opens again for the next one."
    SEATS_AFTER_THE_GAME = "seats_after_the_game", "Seats can be changed again while the next table is being set."
    ONLY_AT_THE_BOX = "only_at_the_box", "Only the box itself can take this back."
    NAME_EMPTY = "name_empty", "A name is needed."
    NAME_TOO_LONG = "name_too_long", "That name is too long."
    NAME_TAKEN = "name_taken", "Somebody at this table has that name already."
    SIGN_TAKEN = "sign_taken", "Somebody at this table has that sign already."
    ALREADY_SEATED = "already_seated", "This phone has a seat already."
    TOO_FEW_PLAYERS = "too_few_players", "At least five people are needed."
    SEATS_DECIDE = "seats_decide", "The seats that are taken decide how many play."


class Refused(CompanionError):  # noqa: N818 - it names what happened, as the table would say it
    """A command that the rules do not allow. Nothing has changed.

    Attributes:
        refusal: the reason.
        seats: the seats it is about, where it is about some.
    """

    def __init__(self, refusal: Refusal, *seats: int) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal
        self.seats = seats
