"""Pin maps: which pin each button and each light is wired to, read from `boards/*.toml` or the owner's own file.

Everything a map can get wrong is refused here, before a pin is touched, by `PanelError` with file, key and reason.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardware.panel import ROWS, Button, PanelError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

HEADER_PINS: dict[int, int] = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33,
    14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""From BCM number to place on the 40-pin header, the same on every Raspberry Pi that has one."""

GROUND_PINS = (6, 9, 14, 20, 25, 30, 34, 39)
"""The places of ground on the header."""

_MAPS = Path(__file__).with_name("boards")
_ADD_ON_BOARDS = {0: "the identity chip of add-on boards", 1: "the identity chip of add-on boards"}
_KEYS = ("name", "description", "driver", "supply_volts", "buttons", "lights", "reserved")
_ROW_KEYS = ("pins", "colour")


class Driver(StrEnum):
    """What stands between a pin and its light. The light is lit while the pin is high, whichever it is."""

    DIRECT = "direct"
    """Nothing but a resistor: the pin feeds the light."""
    ULN2803A = "uln2803a"
    """An array of eight Darlington switches to ground: the pin only says so, the light has its own supply."""


class Colour(StrEnum):
    """The colour of a light, which decides its forward voltage and so its resistor."""

    RED = "red"
    ORANGE = "orange"
    YELLOW = "yellow"
    GREEN = "green"
    BLUE = "blue"
    WHITE = "white"


@dataclass(frozen=True, slots=True)
class LightRow:
    """One row of lights.

    Attributes:
        pins: BCM numbers, in the order of the row.
        colour: of all lights in it.
    """

    pins: tuple[int, ...]
    colour: Colour


@dataclass(frozen=True, slots=True)
class Board:
    """One way of wiring the panel; what `load_board` returns has been checked.

    Attributes:
        name: what it is called.
        description: a sentence for the person who solders.
        driver: what drives the lights.
        supply_volts: what feeds them.
        buttons: BCM number of each of the six.
        lights: the rows that are there, by name; none on a board without lights.
        reserved: pins that must stay free, and for what.
    """

    name: str
    description: str
    driver: Driver
    supply_volts: float
    buttons: Mapping[Button, int]
    lights: Mapping[str, LightRow]
    reserved: Mapping[int, str]


def board_names() -> tuple[str, ...]:
    """The pin maps that come with the box, by name."""
    return tuple(sorted(path.stem for path in _MAPS.glob("*.toml")))


def load_board(board: str | Path = "default") -> Board:
    """Read and check a pin map.

    Args:
        board: the name of one that comes with the box, or the path of a TOML file of one's own (a `Path`, or text
            that ends in `.toml`).

    Raises:
        PanelError: there is no such map, or it is wrong; the sentence names file, key and reason.
    """
    if isinstance(board, Path) or board.endswith(".toml"):
        return _read(Path(board))
    if board not in board_names():
        raise PanelError(f"There is no pin map called {board!r}.{_hint(board, board_names())}")
    return _read(_MAPS / f"{board}.toml")


def _read(path: Path) -> Board:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PanelError(f"{path}: cannot be read: {error.strerror}.") from error
    except ValueError as error:
        # Not TOML, or not even text.
        raise PanelError(f"{path}: is no TOML file: {error}.") from error
    return _Reader(path).board(data)


class _Reader:
    """Checks one file, key by key, in the order in which a person would write them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def board(self, data: dict[str, Any]) -> Board:
        self._known("", data, _KEYS, required=("name", "description", "driver", "supply_volts", "buttons"))
        reserved = dict(self._reserved(self._table("reserved", data.get("reserved", {})))) | _ADD_ON_BOARDS
        buttons = self._buttons(self._table("buttons", data["buttons"]))
        lights = dict(self._rows(self._table("lights", data.get("lights", {}))))
        self._free(buttons, lights, reserved)
        return Board(
            name=self._text("name", data["name"]),
            description=self._text("description", data["description"]),
            driver=Driver(self._one_of("driver", data["driver"], tuple(Driver))),
            supply_volts=self._volts(data["supply_volts"]),
            buttons=buttons,
            lights=lights,
            reserved=reserved,
        )

    def _buttons(self, table: dict[str, Any]) -> dict[Button, int]:
        names = tuple(button.value for button in Button)
        self._known("buttons", table, names, required=names)
        return {button: self._pin(f"buttons.{button.value}", table[button.value]) for button in Button}

    def _rows(self, table: dict[str, Any]) -> Iterator[tuple[str, LightRow]]:
        self._known("lights", table, tuple(ROWS))
        for row in ROWS:
            if row in table:
                yield row, self._row(row, self._table(f"lights.{row}", table[row]))

    def _row(self, row: str, table: dict[str, Any]) -> LightRow:
        key = f"lights.{row}"
        self._known(key, table, _ROW_KEYS, required=_ROW_KEYS)
        pins = tuple(self._pins(f"{key}.pins", table["pins"]))
        if len(pins) != ROWS[row]:
            raise self._wrong(f"{key}.pins", f"the row has {ROWS[row]} lights, not {len(pins)}")
        return LightRow(pins, Colour(self._one_of(f"{key}.colour", table["colour"], tuple(Colour))))

    def _reserved(self, table: dict[str, Any]) -> Iterator[tuple[int, str]]:
        for purpose, pins in table.items():
            for pin in self._pins(f"reserved.{purpose}", pins):
                yield pin, purpose

    def _free(self, buttons: Mapping[Button, int], lights: Mapping[str, LightRow], reserved: Mapping[int, str]) -> None:
        """Refuse a pin that something else needs, or that two things share."""
        taken: dict[int, str] = {}
        keys = [(f"buttons.{button.value}", pin) for button, pin in buttons.items()]
        keys += [(f"lights.{row}.pins", pin) for row, row_lights in lights.items() for pin in row_lights.pins]
        for key, pin in keys:
            if pin in reserved:
                raise self._wrong(key, f"GPIO {pin} is reserved for {reserved[pin]}")
            if pin in taken:
                twice = "twice in this row" if taken[pin] == key else f"already used by {taken[pin]}"
                raise self._wrong(key, f"GPIO {pin} is {twice}")
            taken[pin] = key

    def _pins(self, key: str, value: object) -> Iterator[int]:
        if not isinstance(value, list):
            raise self._wrong(key, f"must be a list of GPIO numbers, not {value!r}")
        for pin in value:
            yield self._pin(key, pin)

    def _pin(self, key: str, value: object) -> int:
        # A bool is an int in Python, but `ja = true` is no pin.
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(key, f"must be a GPIO number, not {value!r}")
        if value not in HEADER_PINS:
            raise self._wrong(key, f"there is no GPIO {value}: the header has 0 to {max(HEADER_PINS)} (BCM numbers)")
        return value

    def _volts(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 24:  # noqa: PLR2004 - no LED wants more
            raise self._wrong("supply_volts", f"must be a voltage above 0 and up to 24, not {value!r}")
        return float(value)

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(key, f"must be text, not {value!r}")
        return value

    def _table(self, key: str, value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(key, f"must be a table, not {value!r}")
        return value

    def _one_of(self, key: str, value: object, choices: Iterable[str]) -> str:
        names = [str(choice) for choice in choices]
        if not isinstance(value, str) or value not in names:
            raise self._wrong(key, f"must be one of {', '.join(names)}, not {value!r}", _nearest(value, names))
        return value

    def _known(
        self, table_key: str, table: dict[str, Any], known: Collection[str], required: Iterable[str] = ()
    ) -> None:
        prefix = f"{table_key}." if table_key else ""
        for key in table:
            if key not in known:
                raise self._wrong(f"{prefix}{key}", "there is no such key", _hint(key, known))
        for key in required:
            if key not in table:
                raise self._wrong(f"{prefix}{key}", "is missing")

    def _wrong(self, key: str, reason: str, hint: str = "") -> PanelError:
        return PanelError(f"{self._path}: {key}: {reason}.{hint}")


def _hint(word: str, known: Collection[str]) -> str:
    """A sentence that offers the nearest known word, or all of them when none is near."""
    return _nearest(word, known) or f" Known: {', '.join(known)}."


def _nearest(word: object, known: Collection[str]) -> str:
    near = get_close_matches(str(word).casefold(), known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
