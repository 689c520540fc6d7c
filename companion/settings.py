"""The settings of a box: option before environment before file before default, each checked where it comes from.

A settings file is TOML; its keys are the names below, those with a dot in a table (`[night] long_pause_seconds = 10`).
The environment variable of a key is `COMPANION_` and the name in capitals, with `_` for the dot.

`[night] on = "phones"` is for a table where somebody can't take part in a night with closed eyes: the box says one
line, every phone shows the same page for the same time (`night.long_pause_seconds`, 20 if it is not set), and from then
on a held role names the allies that the night would have shown. It needs roles that the box deals.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from companion import languages
from companion.errors import CompanionError
from companion.machine.broker import BrokerAddress
from hardware.boards import board_names
from sounds import Bed, Palette, Theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

APP = "secret-hitler-companion"
PREFIX = "COMPANION_"
BOX_FILE = Path("/etc", APP, "settings.toml")
"""The settings of the box that `companion install` made of this machine."""
BOX_USER = "companion"
"""Whom that box runs as."""

_SHOWN_LETTERS = 60
_LONGEST_NUMBER = 20


class SettingsError(CompanionError, ValueError):
    """A setting is wrong. The message names where it stands, its key, the reason and, for a slip, the nearest word."""


LONGEST_PAUSE_SECONDS = 120


def default_cache() -> Path:
    """Return where a user's spoken lines are kept when nothing else is said."""
    return _at_home(platformdirs.user_cache_dir(APP, appauthor=False))


def _directory(variable: str, otherwise: Callable[..., str]) -> Path:
    """Return the directory that systemd gives a service, or the user's own."""
    given = os.environ.get(variable, "").partition(":")[0]
    return Path(given) if given else _at_home(otherwise(APP, appauthor=False))


def _credential(name: str) -> Path | None:
    """Return a file that systemd hands to a service and to nobody else; None for a program that is no service."""
    given = os.environ.get("CREDENTIALS_DIRECTORY", "")
    return Path(given, name) if given else None


def _at_home(path: str) -> Path:
    """Return a path of the user's own; for a user without any home it is below the root, as containers have it.

    Such a user's `~` stays as it is, and would become a folder of that name wherever the box was started.
    """
    return Path("/", path.removeprefix("~").lstrip("/")) if path.startswith("~") else Path(path)


def _one_of(*words: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if value in words:
            return str(value)
        raise ValueError(f"{_shown(value)} is not one of {', '.join(words)}{_did_you_mean(value, words)}")

    return check


def _did_you_mean(word: object, words: tuple[str, ...]) -> str:
    # A long text resembles none of our words, and comparing it takes its time.
    slip = isinstance(word, str) and len(word) <= _SHOWN_LETTERS
    by_lower = {each.lower(): each for each in words}
    near = difflib.get_close_matches(str(word).lower(), by_lower, 1, 0.5) if slip else []
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def _shown(value: object) -> str:
    """Return a value as a message shows it: on one line, and not longer than a line."""
    try:
        text = repr(value)
    except ValueError:
        # Python does not write a whole number of thousands of digits.
        return "that number"
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}..."


def _key_shown(key: str) -> str:
    """Return a key as a message shows it; one that nobody would write is quoted."""
    return key if key.isprintable() and 0 < len(key) <= _SHOWN_LETTERS else _shown(key)


def _language(value: object) -> str:
    codes = languages.codes()
    if value in codes:
        return str(value)
    raise ValueError(f"there is no language {_shown(value)}: there are {', '.join(codes)}{_did_you_mean(value, codes)}")


def _board(value: object) -> str:
    text = _text(value)
    if text in board_names() or text.endswith(".toml"):
        return text
    names, near = ", ".join(board_names()), _did_you_mean(text, board_names())
    raise ValueError(f"{_shown(text)} is no pin map: there are {names}, or the path of a .toml file{near}")


def _text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{_shown(value)} is not a text")
    return value


def _address(value: object) -> str:
    if not value:
        raise ValueError(f"{_shown(value)} is no address: 0.0.0.0 stands for every one that this machine has")
    return _text(value)


def _broker(value: object) -> str:
    text = _text(value)
    if text:
        BrokerAddress.parse(text)
    return text


def _topic(value: object) -> str:
    text = _text(value)
    if not text or text.strip("/") != text or set(text) & set("+#"):
        raise ValueError(f"{_shown(text)} is no topic: words, with / between them")
    return text


def _path(value: object) -> Path:
    text = _text(value)
    if not text:
        raise ValueError("an empty path is none")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"{_shown(text)} is in the home of a user whom this machine does not know") from None


def _whole(low: int, high: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        # From the environment numbers come as text.
        digits = value.strip() if isinstance(value, str) else ""
        number = int(digits) if digits.isdecimal() and len(digits) <= _LONGEST_NUMBER else value
        if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
            raise ValueError(f"{_shown(value)} is not a whole number from {low} to {high}")
        return number

    return check


def _yes_or_no(value: object) -> bool:
    # From the environment it comes as text.
    words = {"true": True, "false": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise ValueError(f"{_shown(value)} is not true or false")


def _seconds(value: object) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        number = -1.0
    if not 0 <= number <= LONGEST_PAUSE_SECONDS:
        raise ValueError(f"{_shown(value)} is not a number of seconds from 0 to {LONGEST_PAUSE_SECONDS}")
    return number


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table of settings: everything about it that any part of the box needs.

    Attributes:
        check: returns the value that is meant, or raises ValueError with the reason.
        help: what it is, for the command line.
        metavar: how its value is called there; empty where it is no option.
        comment: what stands above it in the file of an installed box; empty where it is not in there.
        installed: its line in that file where it is in force there, as TOML; empty where it is only shown.
        example: the value that is shown there otherwise, as TOML.
    """

    check: Callable[[object], Any]
    help: str
    metavar: str = ""
    comment: str = ""
    installed: str = ""
    example: str = ""


def _row(default: Any, check: Callable[[object], Any], help: str, **more: str) -> Any:  # noqa: A002 - the field's word
    """Declare a setting; a default that has to be worked out is a function."""
    row = {"setting": Setting(check, help, **more)}
    return field(default_factory=default, metadata=row) if callable(default) else field(default=default, metadata=row)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, a row each. In a table of the file go those whose name begins with the table's.

    Attributes:
        sources: where each key that was set comes from.
    """

    language: str = _row(
        "en",
        _language,
        "what the box speaks",
        metavar="|".join(languages.codes()),
        comment=(
            f"What the box speaks: {', '.join(languages.codes())}.\nHeld white on the panel steps through them as well."
        ),
        example='"en"',
    )
    rules: str = _row(
        "retail",
        _one_of("retail", "printed"),
        "the retail rules, or the language's rulebook's",
        metavar="retail|printed",
        comment='"retail", or "printed" for the rules as the language\'s own rulebook prints them.',
        example='"retail"',
    )
    roles: str = _row(
        "phone",
        _one_of("phone", "cards"),
        "who deals: the box, or real role cards",
        metavar="phone|cards",
        comment='"phone" when the box deals the roles, "cards" for real role cards.',
        example='"phone"',
    )
    board: str = _row(
        "default",
        _board,
        "the pin map",
        metavar="NAME|FILE",
        comment="""The pin map: "default", "uln2803a", "small", or the path of your own, which belongs into
/etc/secret-hitler-companion/boards: the service may not read what lies in somebody's home.""",
        example='"default"',
    )
    panel: str = _row(
        "auto",
        _one_of("auto", "gpio", "web", "keyboard", "gamepad"),
        "buttons and lights",
        metavar="auto|gpio|web|keyboard|gamepad",
        comment='Pins, whatever this machine is; "gamepad" for USB buttons, once `companion gamepad` has learnt them.',
        installed='"gpio"',
    )
    strip: Path | None = _row(
        None,
        _path,
        "the SPI bus of a strip of addressable LEDs that shows the lights as well",
        comment="""A strip of addressable LEDs as lights, on the SPI bus; the pin map "strip" leaves that bus free, and
hardware/BUILDING.md tells how.""",
        example='"/dev/spidev0.0"',
    )
    shutdown: str = _row(
        "end",
        _one_of("end", "poweroff"),
        "what held undo switches off: the program, or the machine",
        comment="""Held undo: "poweroff" switches the Raspberry Pi off, "end" only the program, which the system then
starts again.""",
        installed='"poweroff"',
    )
    voice: str = _row("auto", _one_of("auto", "silent"), "silent: captions only", metavar="auto|silent")
    host: str = _row(
        # Phones come from the network; that is what the pages are for.
        "0.0.0.0",  # noqa: S104
        _address,
        "the address to listen on",
        metavar="ADDRESS",
    )
    port: int = _row(
        8080,
        _whole(0, 65_535),
        "the port to listen on; 0: any free one",
        metavar="PORT",
        comment="""The pages' port; 80 goes without saying in an address. After a change of it say
`sudo .venv/bin/companion install` once more, in your copy of the repository, so that the name on the network leads
there too.""",
        installed="80",
    )
    own_network: bool = _row(
        True,
        _yes_or_no,
        "whether an installed box opens its own Wi-Fi where it finds none that it knows",
        comment="""A minute after power-on the box opens a Wi-Fi of its own where it finds none that it knows, and shows
its code; it goes back when nobody plays. false: never. Counts from the next start; where it was false when the box was
installed, say `companion install` once more.""",
        example="true",
    )
    state_dir: Path = _row(
        lambda: _directory("STATE_DIRECTORY", platformdirs.user_state_dir),
        _path,
        "where the journal is kept",
        metavar="DIR",
        comment="Where games, spoken lines and voices for Piper are kept.",
        installed=f'"/var/lib/{APP}"',
    )
    cache_dir: Path = _row(
        lambda: _directory("CACHE_DIRECTORY", platformdirs.user_cache_dir),
        _path,
        "where spoken lines are kept",
        metavar="DIR",
        installed=f'"/var/cache/{APP}"',
    )
    voice_dir: Path = _row(
        lambda: _at_home(platformdirs.user_data_dir(APP, appauthor=False)) / "voices",
        _path,
        "where voices for Piper lie, if any",
        installed=f'"/var/lib/{APP}/voices"',
    )
    recordings: Path | None = _row(None, _path, "lines that people recorded, a folder for each language")
    hotspot_file: Path | None = _row(
        lambda: _credential("hotspot"),
        _path,
        # As a service the box is handed that file by systemd, since it may not read it by itself.
        "NetworkManager's file of the box's own Wi-Fi network, for its code on the pages",
    )
    reminder_minutes: int = _row(
        8,
        _whole(0, 120),
        "after how long a silence the box says what it waits for; 0: never",
        comment="After so many minutes without a report the box says what it waits for; 0 for never.",
        example="8",
    )
    teach: bool = _row(
        False,
        _yes_or_no,
        "whether the rules are explained while the table plays",
        comment="true for tables that play for the first time: the box explains the rules as they are needed.",
        example="false",
    )
    discussion_minutes: int = _row(
        3,
        _whole(1, 60),
        "how long the clock of the discussion runs, once somebody has switched it on",
        comment="How long the clock of the discussion runs. Green beside yellow kept down switches it on and off.",
        example="3",
    )
    log_level: str = _row(
        "warning",
        _one_of("debug", "info", "warning", "error"),
        "how much is logged",
        metavar="debug|info|warning|error",
    )
    sound_device: str = _row(
        "",
        _text,
        "the ALSA name of the loudspeaker; empty is the system's",
        comment="The loudspeaker, by name; `companion selftest` lists the cards. Without it the system's own is used.",
        example='"plughw:CARD=Headphones"',
    )
    sound_file: Path | None = _row(None, _path, "play into a file instead of a loudspeaker", metavar="FILE.wav")
    sound_theme: str = _row(
        "bells",
        _one_of(*Theme),
        "the instruments that play the sounds",
        comment='The instruments that play the sounds: "bells" or "cabaret".',
        example='"bells"',
    )
    sound_bed: str = _row(
        "rain",
        _one_of(*Bed),
        "what covers the small noises of the night",
        comment='What covers the small noises of the night: "rain", "fire" or "brook".',
        example='"rain"',
    )
    sound_music: bool = _row(
        False,
        _yes_or_no,
        "whether music plays while people gather and when a game is over",
        comment="true for music while people gather and when a game is over; the host's page switches it, too.",
        example="false",
    )
    sound_voice_volume: int = _row(
        100, _whole(0, 100), "how loud the lines are", comment="How loud: 0 to 100.", example="100"
    )
    sound_effects_volume: int = _row(100, _whole(0, 100), "how loud the sounds between them are", example="100")
    sound_bed_volume: int = _row(100, _whole(0, 100), "how loud the bed of the night is", example="100")
    sound_music_volume: int = _row(100, _whole(0, 100), "how loud the music is", example="100")
    night_on: str = _row(
        "voice",
        _one_of("voice", "phones"),
        "voice for the night with closed eyes, phones for one on the phones, which then name allies",
        comment=""""phones" for a table where somebody can't take part in a night with closed eyes.""",
        example='"voice"',
    )
    night_pace: str = _row(
        "normal",
        _one_of("slow", "normal", "quick"),
        "how long the silences of the night are; at every pace they grow with the number of players",
        comment='"slow" gives half as much time again to look round, "quick" a quarter less.',
        example='"normal"',
    )
    night_long_pause_seconds: float | None = _row(
        None, _seconds, "the long pause of the night; by default what suits the number of players", example="10"
    )
    night_gesture_pause_seconds: float | None = _row(
        None, _seconds, "the pause after each gesture of the night; by default what suits the number of players"
    )
    room_broker: str = _row(
        "",
        _broker,
        "the household's MQTT broker, for lights that play along; empty for none",
        comment="""Lights that play along: the household's MQTT broker, such as Home Assistant's. It needs the extra
`mqtt`; companion/room/README.md tells what is sent, which is never a name or a role.""",
        example='"mqtt://name:password@homeassistant.local"',
    )
    room_topic: str = _row(
        "secret-hitler", _topic, "the topic below which the broker is told", example='"secret-hitler"'
    )
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def gamepad_file(self) -> Path:
        """Where it is kept which USB button is which."""
        return self.state_dir / "gamepad.toml"

    @property
    def palette(self) -> Palette:
        """The sounds that the table has chosen."""
        return Palette(Theme(self.sound_theme), Bed(self.sound_bed))


_TABLES = ("sound", "night", "room")


def _key_of(name: str) -> str:
    table, _, rest = name.partition("_")
    return f"{table}.{rest}" if table in _TABLES else name


SETTINGS: dict[str, Setting] = {
    _key_of(each.name): each.metadata["setting"] for each in fields(Settings) if each.metadata
}
"""Every setting by its key, as it stands in a file: `language`, `sound.device`."""

_HEAD = """\
# The settings of this box. An upgrade leaves this file as it is. After a change:
#   sudo systemctl restart secret-hitler-companion
# A line that begins with # is not in force. What is wrong here is told with file and key by
#   systemctl status secret-hitler-companion
"""


def installed_file() -> str:
    """Return the settings file that an installed box begins with."""
    lines, table = [_HEAD], ""
    for key, setting in SETTINGS.items():
        if not (setting.installed or setting.example):
            continue
        name = key.rpartition(".")[2]
        if key.count(".") and key.partition(".")[0] != table:
            table = key.partition(".")[0]
            lines.append(f"\n[{table}]\n")
        elif setting.comment:
            lines.append("\n")
        lines += [f"# {line}\n" for line in setting.comment.splitlines()]
        lines.append(f"{name} = {setting.installed}\n" if setting.installed else f"#{name} = {setting.example}\n")
    return "".join(lines)


def default_file() -> Path:
    """Return where a settings file is looked for when none is named.

    That is the user's own folder; where it has none and this machine is an installed box, it is the box's, so that
    `companion selftest` and `companion history` there mean that box.
    """
    own = _at_home(platformdirs.user_config_dir(APP, appauthor=False)) / "settings.toml"
    return BOX_FILE if not _exists(own) and _exists(BOX_FILE) else own


def load(options: Mapping[str, object], environment: Mapping[str, str], file: Path | None = None) -> Settings:
    """Return the settings from options (None where not given), environment and file.

    Args:
        options: by key, as from the command line.
        environment: the process's environment; only `COMPANION_*` counts.
        file: a settings file that has to be there; None for the default one, which may be missing.

    Raises:
        SettingsError: something cannot be read, is unknown, or has a value that it cannot have.
    """
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for source, given in _layers(options, environment, file):
        for key, value in given.items():
            values[key] = _checked(source, key, value)
            sources[key] = source
    if values.get("night.on") == "phones" and values.get("roles") == "cards":
        raise SettingsError(
            f"{_where(sources['night.on'], 'night.on')}: a night on the phones shows the roles that the box deals,"
            f" and with roles set to cards ({sources['roles']}) it deals none"
        )
    by_name = {key.replace(".", "_"): value for key, value in values.items()}
    return Settings(**by_name, sources=sources)  # type: ignore[arg-type]


def _checked(source: str, key: str, value: object) -> object:
    where = _where(source, key)
    if key not in SETTINGS:
        if key in _TABLES:
            raise SettingsError(f"{where}: is a table of settings: {', '.join(_in_table(key))}")
        raise SettingsError(f"{where}: unknown setting{_did_you_mean(key, tuple(SETTINGS))}")
    try:
        return SETTINGS[key].check(value)
    except ValueError as error:
        raise SettingsError(f"{where}: {error}") from None


def _where(source: str, key: str) -> str:
    # An option or a variable is named after its key; in a file the key is to be found.
    return source if source.startswith(("--", PREFIX)) else f"{source}: {_key_shown(key)}"


def _in_table(table: str) -> list[str]:
    return [key for key in SETTINGS if key.startswith(f"{table}.")]


def _layers(
    options: Mapping[str, object], environment: Mapping[str, str], file: Path | None
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield where settings come from, the weakest first."""
    path = file or default_file()
    if file is not None or _exists(path):
        yield str(path), dict(_flat(path, _parse(path)))
    yield from _environment(environment)
    for key, value in options.items():
        if value is not None:
            yield f"--{key.replace('_', '-').replace('.', '-')}", {key: value}


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _environment(environment: Mapping[str, str]) -> Iterator[tuple[str, dict[str, object]]]:
    keys = {PREFIX + key.replace(".", "_").upper(): key for key in SETTINGS}
    for variable, value in sorted(environment.items()):
        if variable.startswith(PREFIX):
            if variable not in keys:
                raise SettingsError(f"{_key_shown(variable)}: unknown setting{_did_you_mean(variable, tuple(keys))}")
            yield variable, {keys[variable]: value}


def _parse(path: Path) -> dict[str, Any]:
    text = ""
    try:
        # With or without the mark that Windows editors put in front.
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is no text in UTF-8 (byte {error.start + 1})") from None
    except RecursionError:
        raise SettingsError(f"{path}: is nested too deeply") from None
    except ValueError as error:
        # Besides what is no TOML: a whole number of thousands of digits.
        raise SettingsError(f"{path}: {_what_is_no_toml(str(error), text)}") from None


def _what_is_no_toml(said: str, text: str) -> str:
    """Return what is wrong with a text, with the line and what stands there."""
    place = re.search(r"\((?:at line (\d+), column \d+|at end of document)\)$", said)
    if place is None:
        return said
    lines = text.splitlines()
    number = int(place[1]) if place[1] else len(lines)
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    key, equals, value = (part.strip() for part in line.partition("="))
    quote = value[:1]
    if said.startswith("Cannot overwrite"):
        reason = f"{key} is set for the second time"
    elif equals and quote in {'"', "'"} and quote not in value[1:]:
        reason = f"the quotation mark {quote} is opened and not closed"
    elif equals and not value:
        reason = f"{key} has no value"
    elif equals and value[:1].isalpha():
        reason = f'{key} wants quotation marks around its value: {key} = "{value}"'
    else:
        reason = said[: place.start()].strip()
    return f"line {number} cannot be read: {_shown(line)}: {reason}"


def _flat(path: Path, data: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        if isinstance(value, dict):
            if key in SETTINGS:
                raise SettingsError(f"{path}: {key}: is a setting, and no table of settings")
            if key not in _TABLES:
                raise SettingsError(f"{path}: {_key_shown(key)}: unknown table{_did_you_mean(key, tuple(_TABLES))}")
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
        else:
            yield key, value
