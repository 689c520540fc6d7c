from __future__ import annotations

import json
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.game import events
from companion.game.editions import Rules
from companion.game.seating import Seating
from companion.journal.codec import CodecError, from_plain, to_plain

EVENTS = st.one_of(*(st.from_type(kind) for kind in typing.get_args(events.Event)))


@given(EVENTS)
def test_every_event_comes_back_from_json_as_it_was(event: events.Event) -> None:
    """Whatever an event holds, any text of a name included, JSON gives the same event back."""
    assert from_plain(json.loads(json.dumps(to_plain(event)))) == event


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(ANYTHING)
def test_what_is_no_event_is_refused_by_name(plain: object) -> None:
    """A record that is none of ours is a CodecError and never another error."""
    with pytest.raises(CodecError):
        from_plain(plain)


@given(EVENTS, st.data())
def test_a_field_of_a_wrong_type_is_refused(event: events.Event, data: st.DataObject) -> None:
    """An event with one field replaced by anything is read as another such event, or refused; nothing else."""
    plain = to_plain(event)
    key = data.draw(st.sampled_from(sorted(plain)))
    plain[key] = data.draw(ANYTHING)
    try:
        read = from_plain(plain)
    except CodecError:
        return
    assert _holds(to_plain(read), plain)


def _holds(whole: object, part: object) -> bool:
    """Whether all of a record is in another one, which may have more: rules that an older version did not know."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and _holds(whole[key], value) for key, value in part.items())
    return whole == part


def test_rules_that_an_older_version_did_not_know_are_those_it_played() -> None:
    """A game opened before a rule could be chosen goes on by the rule that there was."""
    plain = to_plain(events.GameOpened(5, Rules(), Seating()))
    assert from_plain({**plain, "rules": {}}) == from_plain(plain)


@pytest.mark.parametrize("key", ["more", "", "roles "])
def test_a_field_that_an_event_does_not_have_is_refused(key: str) -> None:
    """What a later version adds is not passed over in silence."""
    with pytest.raises(CodecError, match="PlayersSet has no"):
        from_plain({"event": "PlayersSet", "players": 5, key: 1})


def test_a_missing_field_is_refused() -> None:
    """A record that lacks a field is none of ours."""
    with pytest.raises(CodecError, match="PlayersSet lacks a field"):
        from_plain({"event": "PlayersSet"})
