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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from companion import languages
from hardware.boards import board_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

APP = "secret-hitler-companion"
PREFIX = "COMPANION_"
BOX_FILE = Path("/etc", APP, "settings.toml")
"""The settings of the box that `companion install` made of this machine."""

_SHOWN_LETTERS = 60
_LONGEST_NUMBER = 20


class SettingsError(ValueError):
    """A setting is wrong. The message names where it stands, its key, the reason and, for a slip, the nearest word."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set.

    Attributes:
        language: what the box speaks, a language code.
        rules: `retail`, or `printed` for the rules as the language's rulebook prints them.
        panel: `auto`, `gpio`, `web` or `keyboard`.
        board: a pin map of `hardware/boards`, or the path of one's own.
        voice: `auto`, or `silent` for captions only.
        roles: `phone` when the box deals, `cards` for real role cards.
        host: the address to listen on.
        port: the port to listen on; 0 is any free one.
        shutdown: what held undo switches off: `end` the program, `poweroff` the machine.
        state_dir: where the journal is kept.
        cache_dir: where spoken lines are kept.
        voice_dir: where voices for Piper lie, if any.
        recordings: where lines lie that people recorded, a folder for each language; None for none.
        hotspot_file: NetworkManager's file of the box's own Wi-Fi network, for its code on the pages; None for none.
            As a service the box is handed that file by systemd, since it may not read it by itself.
        log_level: `debug`, `info`, `warning` or `error`.
        night_on: `voice` for the night with closed eyes, `phones` for one on the phones, which then name allies.
        night_long_pause_seconds: the long pause of the night; None is the script's own.
        night_gesture_pause_seconds: the pause after MEET, THUMB and NOTE; None is the script's own.
        sound_device: the ALSA name of the loudspeaker; empty is the system's.
        sound_file: a WAV file to play into instead of a loudspeaker; None for the loudspeaker.
        sound_voice_volume: how loud the lines are, 0 (silence) to 100 (as they were made); ten points are 3 dB.
        sound_effects_volume: the same for the sounds between them.
        sound_bed_volume: the same for the rain that covers the noises of the night.
        sources: where each key that was set comes from.
    """

    language: str = "en"
    rules: str = "retail"
    panel: str = "auto"
    board: str = "default"
    voice: str = "auto"
    roles: str = "phone"
    host: str = "0.0.0.0"  # noqa: S104 - phones come from the network; that is what the pages are for
    port: int = 8080
    shutdown: str = "end"
    state_dir: Path = field(default_factory=lambda: _directory("STATE_DIRECTORY", platformdirs.user_state_dir))
    cache_dir: Path = field(default_factory=lambda: _directory("CACHE_DIRECTORY", platformdirs.user_cache_dir))
    voice_dir: Path = field(
        default_factory=lambda: _at_home(platformdirs.user_data_dir(APP, appauthor=False)) / "voices"
    )
    recordings: Path | None = None
    hotspot_file: Path | None = field(default_factory=lambda: _credential("hotspot"))
    log_level: str = "warning"
    night_on: str = "voice"
    night_long_pause_seconds: float | None = None
    night_gesture_pause_seconds: float | None = None
    sound_device: str = ""
    sound_file: Path | None = None
    sound_voice_volume: int = 100
    sound_effects_volume: int = 100
    sound_bed_volume: int = 100
    sources: Mapping[str, str] = field(default_factory=dict)


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


def _seconds(value: object) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        number = -1.0
    if not 0 <= number <= LONGEST_PAUSE_SECONDS:
        raise ValueError(f"{_shown(value)} is not a number of seconds from 0 to {LONGEST_PAUSE_SECONDS}")
    return number


LONGEST_PAUSE_SECONDS = 120

_CHECKS: dict[str, Callable[[object], Any]] = {
    "language": _language,
    "rules": _one_of("retail", "printed"),
    "panel": _one_of("auto", "gpio", "web", "keyboard"),
    "board": _board,
    "voice": _one_of("auto", "silent"),
    "roles": _one_of("phone", "cards"),
    "host": _address,
    "port": _whole(0, 65_535),
    "shutdown": _one_of("end", "poweroff"),
    "state_dir": _path,
    "cache_dir": _path,
    "voice_dir": _path,
    "recordings": _path,
    "hotspot_file": _path,
    "log_level": _one_of("debug", "info", "warning", "error"),
    "night.on": _one_of("voice", "phones"),
    "night.long_pause_seconds": _seconds,
    "night.gesture_pause_seconds": _seconds,
    "sound.device": _text,
    "sound.file": _path,
    "sound.voice_volume": _whole(0, 100),
    "sound.effects_volume": _whole(0, 100),
    "sound.bed_volume": _whole(0, 100),
}

_TABLES = frozenset(key.partition(".")[0] for key in _CHECKS if "." in key)


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
    fields = {key.replace(".", "_"): value for key, value in values.items()}
    return Settings(**fields, sources=sources)  # type: ignore[arg-type]


def _checked(source: str, key: str, value: object) -> object:
    where = _where(source, key)
    if key not in _CHECKS:
        if key in _TABLES:
            raise SettingsError(f"{where}: is a table of settings: {', '.join(_in_table(key))}")
        raise SettingsError(f"{where}: unknown setting{_did_you_mean(key, tuple(_CHECKS))}")
    try:
        return _CHECKS[key](value)
    except ValueError as error:
        raise SettingsError(f"{where}: {error}") from None


def _where(source: str, key: str) -> str:
    # An option or a variable is named after its key; in a file the key is to be found.
    return source if source.startswith(("--", PREFIX)) else f"{source}: {_key_shown(key)}"


def _in_table(table: str) -> list[str]:
    return [key for key in _CHECKS if key.startswith(f"{table}.")]


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
    keys = {PREFIX + key.replace(".", "_").upper(): key for key in _CHECKS}
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
            if key in _CHECKS:
                raise SettingsError(f"{path}: {key}: is a setting, and no table of settings")
            if key not in _TABLES:
                raise SettingsError(f"{path}: {_key_shown(key)}: unknown table{_did_you_mean(key, tuple(_TABLES))}")
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
        else:
            yield key, value
