"""Events as plain JSON values and back: the form in which the journal keeps them and the referee prints them."""

from __future__ import annotations

import types
import typing
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from companion.errors import CompanionError
from companion.game import events

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.game.events import Event

Plain = dict[str, Any]
"""What `json` can write."""


class CodecError(CompanionError, ValueError):
    """A record that is no event of ours; the message says what is wrong, without its content."""


def _all_events() -> dict[str, type]:
    return {kind.__name__: kind for kind in typing.get_args(events.Event)}


_EVENTS = _all_events()


def to_plain(event: Event) -> Plain:
    """Return an event as `{"event": name, field: value, ...}`. Holds secrets where the event does."""
    return {"event": type(event).__name__, **_fields_to_plain(event)}


def _fields_to_plain(value: Any) -> Plain:
    # Fields, not `asdict`: an event is shallow, and `asdict` copies deeply.
    return {name: _value_to_plain(getattr(value, name)) for name in _names(cast("type", type(value)))}


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _value_to_plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_value_to_plain(each) for each in value]
    if is_dataclass(value):
        return _fields_to_plain(value)
    return value


def from_plain(plain: object) -> Event:
    """Return the event of a plain record.

    Raises:
        CodecError: it is none, or not of this version.
    """
    if not isinstance(plain, dict) or not isinstance(plain.get("event"), str) or plain["event"] not in _EVENTS:
        raise CodecError("not an event of this version")
    kind = _EVENTS[plain["event"]]
    given = {key: value for key, value in plain.items() if key != "event"}
    return cast("Event", _reader(kind)(given))


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return a function that reads a value of a type from its plain form."""
    if is_dataclass(kind):
        return _dataclass_reader(cast("type", kind))
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        read = _reader(arguments[0])
        return lambda value: tuple(read(each) for each in _require(value, list))
    if origin in (typing.Union, types.UnionType):
        (some,) = (argument for argument in arguments if argument is not type(None))
        read = _reader(some)
        return lambda value: None if value is None else read(value)
    if issubclass(kind, Enum):
        return lambda value: _member(kind, value)
    return lambda value: _require(value, kind)


def _dataclass_reader(kind: type) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}

    def read(value: object) -> object:
        given = _require(value, dict)
        unknown = given.keys() - readers.keys()
        if unknown:
            raise CodecError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
        try:
            return kind(**{name: readers[name](each) for name, each in given.items()})
        except TypeError:
            raise CodecError(f"{kind.__name__} lacks a field") from None

    return read


def _member(kind: type[Enum], value: object) -> Enum:
    try:
        return kind(value)
    except ValueError:
        raise CodecError(f"not a {kind.__name__}") from None


def _require(value: object, kind: type) -> Any:
    # bool is an int to Python, but not to a record.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise CodecError(f"not a {kind.__name__}")
    return value
