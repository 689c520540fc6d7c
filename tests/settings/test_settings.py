from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from companion import languages
from companion import settings as module
from companion.cli import main
from companion.settings import PREFIX, Settings, SettingsError, load

BOARDS = "default, gpio3-power, small, strip, uln2803a"

EVERY_KEY = {
    # key: (in a file, in the environment, as an option, what each of the three comes to)
    "language": ('"pl"', "it", "nb", ("pl", "it", "nb")),
    "rules": ('"printed"', "retail", "printed", ("printed", "retail", "printed")),
    "panel": ('"web"', "keyboard", "gpio", ("web", "keyboard", "gpio")),
    "board": ('"small"', "mine.toml", "default", ("small", "mine.toml", "default")),
    "voice": ('"silent"', "auto", "silent", ("silent", "auto", "silent")),
    "roles": ('"cards"', "phone", "cards", ("cards", "phone", "cards")),
    "host": ('"::1"', "127.0.0.1", "box.local", ("::1", "127.0.0.1", "box.local")),
    "port": ("0", "65535", "80", (0, 65_535, 80)),
    "shutdown": ('"poweroff"', "end", "poweroff", ("poweroff", "end", "poweroff")),
    "state_dir": ('"/a"', "/b", "/c", (Path("/a"), Path("/b"), Path("/c"))),
    "cache_dir": ('"/a"', "/b", "/c", (Path("/a"), Path("/b"), Path("/c"))),
    "voice_dir": ('"/a"', "/b", "/c", (Path("/a"), Path("/b"), Path("/c"))),
    "recordings": ('"/a"', "/b", "/c", (Path("/a"), Path("/b"), Path("/c"))),
    "hotspot_file": ('"/a"', "/b", "/c", (Path("/a"), Path("/b"), Path("/c"))),
    "reminder_minutes": ("5", "0", "30", (5, 0, 30)),
    "teach": ("true", "false", "true", (True, False, True)),
    "discussion_minutes": ("5", "1", "60", (5, 1, 60)),
    "log_level": ('"debug"', "info", "error", ("debug", "info", "error")),
    "night.on": ('"phones"', "voice", "phones", ("phones", "voice", "phones")),
    "night.pace": ('"slow"', "quick", "normal", ("slow", "quick", "normal")),
    "night.long_pause_seconds": ("10", "0", "7.5", (10.0, 0.0, 7.5)),
    "night.gesture_pause_seconds": ("2.5", "120", "3", (2.5, 120.0, 3.0)),
    "room.broker": (
        '"mqtt://a:b@c:1"',
        "mqtts://d",
        "",
        ("mqtt://a:b@c:1", "mqtts://d", ""),
    ),
    "room.topic": ('"a/b"', "c", "d", ("a/b", "c", "d")),
    "own_network": ("false", "true", "false", (False, True, False)),
    "strip": ('"/dev/a"', "/dev/b", "/dev/c", (Path("/dev/a"), Path("/dev/b"), Path("/dev/c"))),
    "sound.device": ('"plughw:CARD=Device"', "hw:1", "", ("plughw:CARD=Device", "hw:1", "")),
    "sound.file": ('"/a.wav"', "/b.wav", "/c.wav", (Path("/a.wav"), Path("/b.wav"), Path("/c.wav"))),
    "sound.voice_volume": ("50", "100", "0", (50, 100, 0)),
    "sound.effects_volume": ("50", "100", "0", (50, 100, 0)),
    "sound.theme": ('"cabaret"', "bells", "cabaret", ("cabaret", "bells", "cabaret")),
    "sound.bed": ('"fire"', "brook", "rain", ("fire", "brook", "rain")),
    "sound.music": ("true", "false", "true", (True, False, True)),
    "sound.music_volume": ("50", "100", "0", (50, 100, 0)),
    "sound.bed_volume": ("50", "100", "0", (50, 100, 0)),
}


CODES = ", ".join(languages.codes())


@pytest.fixture(autouse=True)
def no_file_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Look for the default file where there is none, and let no installed box be this machine."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(module, "BOX_FILE", tmp_path / "installed.toml")


def written(tmp_path: Path, text: str) -> Path:
    """Return a settings file of this text."""
    path = tmp_path / "box.toml"
    path.write_text(text, encoding="utf-8")
    return path


def in_file(key: str, value: str) -> str:
    """Return a TOML document of one setting."""
    table, _, name = key.rpartition(".")
    return f"[{table}]\n{name} = {value}\n" if table else f"{name} = {value}\n"


def refusal(tmp_path: Path, text: str) -> str:
    """Return why a file of this text is refused; the sentence always begins with the file."""
    path = written(tmp_path, text)
    with pytest.raises(SettingsError) as refused:
        load({}, {}, path)
    sentence = str(refused.value)
    assert sentence.startswith(f"{path}: ")
    assert "\n" not in sentence
    return sentence.removeprefix(f"{path}: ")


def variable(key: str) -> str:
    """Return the environment variable of a setting."""
    return PREFIX + key.replace(".", "_").upper()


def test_this_file_knows_every_setting() -> None:
    """There is no setting whose three sources go untested."""
    assert set(EVERY_KEY) == set(module.SETTINGS)


@pytest.mark.parametrize("key", EVERY_KEY)
def test_an_option_wins_over_a_variable_and_that_over_the_file(key: str, tmp_path: Path) -> None:
    """Each setting comes from the strongest place that names it, and `sources` says which that was."""
    written_so, set_so, given_so, (from_file, from_environment, from_option) = EVERY_KEY[key]
    path, environment, options = written(tmp_path, in_file(key, written_so)), {variable(key): set_so}, {key: given_so}
    field = key.replace(".", "_")

    by_file = load({key: None}, {}, path)
    assert getattr(by_file, field) == from_file
    assert by_file.sources == {key: str(path)}
    by_variable = load({key: None}, environment, path)
    assert getattr(by_variable, field) == from_environment
    assert by_variable.sources == {key: variable(key)}
    by_option = load(options, environment, path)
    assert getattr(by_option, field) == from_option
    assert by_option.sources == {key: f"--{field.replace('_', '-')}"}


def test_nothing_given_is_a_box_that_works() -> None:
    """Without any setting a box speaks English by the retail rules on port 8080."""
    box = load({}, {})
    assert (box.language, box.rules, box.panel, box.port, box.sources) == ("en", "retail", "auto", 8080, {})


def test_the_default_file_is_read_where_it_is(tmp_path: Path) -> None:
    """A settings file in the user's own folder counts without being named."""
    place = tmp_path / "config" / "secret-hitler-companion"
    place.mkdir(parents=True)
    (place / "settings.toml").write_text('language = "ru"\n', encoding="utf-8")
    assert load({}, {}).language == "ru"


def test_an_installed_box_is_meant_where_the_user_has_no_file(tmp_path: Path) -> None:
    """Its settings count without being named; a file of the user's own comes before them."""
    assert load({}, {}).language == "en"
    module.BOX_FILE.write_text('language = "pl"\nport = 80\n', encoding="utf-8")
    assert load({}, {}).sources == {"language": str(module.BOX_FILE), "port": str(module.BOX_FILE)}
    place = tmp_path / "config" / "secret-hitler-companion"
    place.mkdir(parents=True)
    (place / "settings.toml").write_text('language = "ru"\n', encoding="utf-8")
    assert (load({}, {}).language, load({}, {}).port) == ("ru", 8080)


def test_only_our_variables_count() -> None:
    """Variables of other programs are nobody's business, whatever they hold."""
    assert load({}, {"LANGUAGE": "xx", "PORT": "-1", "companion_port": "-1"}) == load({}, {})


def test_the_mark_of_a_windows_editor_is_no_mistake(tmp_path: Path) -> None:
    """A file that begins with a byte order mark is read like any other."""
    path = tmp_path / "box.toml"
    path.write_bytes(b"\xef\xbb\xbfport = 1\r\n")
    assert load({}, {}, path).port == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('langauge = "pl"', "langauge: unknown setting; did you mean 'language'?"),
        ('LANGUAGE = "pl"', "LANGUAGE: unknown setting; did you mean 'language'?"),
        ("colour = 1", "colour: unknown setting"),
        ("[nigth]\nlong_pause_seconds = 1", "nigth: unknown table; did you mean 'night'?"),
        (
            "[night]\nlong_pause = 1",
            "night.long_pause: unknown setting; did you mean 'night.long_pause_seconds'?",
        ),
        (
            "night = 8",
            (
                "night: is a table of settings: night.on, night.pace, night.long_pause_seconds, "
                "night.gesture_pause_seconds"
            ),
        ),
        ('[night]\non = "fone"', "night.on: 'fone' is not one of voice, phones; did you mean 'phones'?"),
        ("[port]\nnumber = 1", "port: is a setting, and no table of settings"),
        ('"a\\nb" = 1', "'a\\nb': unknown setting"),
        ('"" = 1', "'': unknown setting"),
        (
            'language = "plx"',
            f"language: there is no language 'plx': there are {CODES}; did you mean 'pl'?",
        ),
        ("language = 7", f"language: there is no language 7: there are {CODES}"),
        ('rules = "retial"', "rules: 'retial' is not one of retail, printed; did you mean 'retail'?"),
        ('panel = "Web"', "panel: 'Web' is not one of auto, gpio, web, keyboard, gamepad; did you mean 'web'?"),
        ('roles = ["phone"]', "roles: ['phone'] is not one of phone, cards"),
        ('voice = "loud"', "voice: 'loud' is not one of auto, silent"),
        ('log_level = "warn"', "log_level: 'warn' is not one of debug, info, warning, error; did you mean 'warning'?"),
        (
            'board = "smal"',
            f"board: 'smal' is no pin map: there are {BOARDS}, or the path of a .toml file; did you mean 'small'?",
        ),
        ("port = -1", "port: -1 is not a whole number from 0 to 65535"),
        ("port = 65536", "port: 65536 is not a whole number from 0 to 65535"),
        ("port = 80.0", "port: 80.0 is not a whole number from 0 to 65535"),
        ("port = true", "port: True is not a whole number from 0 to 65535"),
        ('port = ""', "port: '' is not a whole number from 0 to 65535"),
        ('host = ""', "host: '' is no address: 0.0.0.0 stands for every one that this machine has"),
        ("host = 1", "host: 1 is not a text"),
        ('state_dir = ""', "state_dir: an empty path is none"),
        ('state_dir = "a\\u0000b"', "state_dir: 'a\\x00b' is not a text"),
        (
            'cache_dir = "~no-such-user/x"',
            "cache_dir: '~no-such-user/x' is in the home of a user whom this machine does not know",
        ),
        ("[night]\nlong_pause_seconds = nan", "night.long_pause_seconds: nan is not a number of seconds from 0 to 120"),
        ("[night]\nlong_pause_seconds = inf", "night.long_pause_seconds: inf is not a number of seconds from 0 to 120"),
        (
            "[night]\nlong_pause_seconds = true",
            "night.long_pause_seconds: True is not a number of seconds from 0 to 120",
        ),
        (
            "[night]\nlong_pause_seconds = -0.5",
            "night.long_pause_seconds: -0.5 is not a number of seconds from 0 to 120",
        ),
        ("[night]\nlong_pause_seconds = 121", "night.long_pause_seconds: 121 is not a number of seconds from 0 to 120"),
        ("[night.long_pause_seconds]", "night.long_pause_seconds: {} is not a number of seconds from 0 to 120"),
        (f"port = 0x{'f' * 9000}", "port: that number is not a whole number from 0 to 65535"),
    ],
)
def test_what_is_wrong_is_named_with_file_key_and_the_nearest_word(text: str, sentence: str, tmp_path: Path) -> None:
    """A slip in a file is told in one line: file, key, reason, and what was probably meant."""
    assert refusal(tmp_path, text) == sentence


def test_a_long_mistake_is_not_told_at_length(tmp_path: Path) -> None:
    """A value or a key of a million letters does not fill the screen."""
    assert len(refusal(tmp_path, f'language = "{"x" * 1_000_000}"')) < 300
    assert len(refusal(tmp_path, f"{'x' * 1_000_000} = 1")) < 300


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        (
            {"COMPANION_LANGAUGE": "pl"},
            "COMPANION_LANGAUGE: unknown setting; did you mean 'COMPANION_LANGUAGE'?",
        ),
        ({"COMPANION_PORT": "eighty"}, "COMPANION_PORT: 'eighty' is not a whole number from 0 to 65535"),
        ({"COMPANION_PORT": "9" * 5000}, f"COMPANION_PORT: '{'9' * 59}... is not a whole number from 0 to 65535"),
        ({"COMPANION_PORT": "²"}, "COMPANION_PORT: '²' is not a whole number from 0 to 65535"),
        (
            {"COMPANION_NIGHT_LONG_PAUSE_SECONDS": "soon"},
            "COMPANION_NIGHT_LONG_PAUSE_SECONDS: 'soon' is not a number of seconds from 0 to 120",
        ),
    ],
)
def test_a_wrong_variable_is_named(environment: dict[str, str], sentence: str) -> None:
    """A slip in the environment is told with the variable's own name."""
    with pytest.raises(SettingsError) as refused:
        load({}, environment)
    assert str(refused.value) == sentence


def test_a_wrong_option_is_named_as_it_was_typed() -> None:
    """A slip on the command line is told with the option, once."""
    with pytest.raises(SettingsError, match=r"^--language: there is no language 'xx': there are "):
        load({"language": "xx"}, {})


def test_a_file_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    """`--config` with a file that is missing, or is a folder, is refused; a default file may be missing."""
    with pytest.raises(SettingsError, match=r"box\.toml: cannot be read: No such file or directory$"):
        load({}, {}, tmp_path / "box.toml")
    with pytest.raises(SettingsError, match=r"cannot be read: Is a directory$"):
        load({}, {}, tmp_path)


@pytest.mark.parametrize("content", [b"port = ", b"= 1", b"[night", b"port = 1\nport = 2", b"\x00", b"a.b.c"])
def test_what_is_no_toml_is_told_with_its_line(content: bytes, tmp_path: Path) -> None:
    """A file that is no TOML is refused with the place of the mistake."""
    path = tmp_path / "box.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"box\.toml: line \d cannot be read: '"):
        load({}, {}, path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('# ours\nlanguage = "pl\nport = 80\n', """line 2 cannot be read: 'language = "pl': the quotation mark " is"""),
        ("board = 'small\n", "the quotation mark ' is opened and not closed"),
        ("language = pl\n", 'language wants quotation marks around its value: language = "pl"'),
        ("port =\n", "port has no value"),
        ("port = 1\nport = 2\n", "line 2 cannot be read: 'port = 2': port is set for the second time"),
        ("[night\non = 1\n", "line 1 cannot be read: '[night': Expected ']'"),
    ],
)
def test_a_slip_in_a_line_is_a_sentence(content: str, said: str, tmp_path: Path) -> None:
    """The line, what stands there, and what is wrong with it, for whoever has never heard of TOML."""
    path = tmp_path / "box.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load({}, {}, path)
    assert said in str(refused.value)


def test_what_is_no_utf8_is_told_with_its_byte(tmp_path: Path) -> None:
    """A file in another encoding is refused with the first byte that is wrong."""
    path = tmp_path / "box.toml"
    path.write_bytes('# für\nhost = "x"'.encode("latin-1"))
    with pytest.raises(SettingsError, match=r"box\.toml: is no text in UTF-8 \(byte 4\)$"):
        load({}, {}, path)


@pytest.mark.parametrize("content", ["port = " + "9" * 5000, "a = " + "[" * 5000 + "]" * 5000])
def test_what_python_cannot_read_is_refused_all_the_same(content: str, tmp_path: Path) -> None:
    """Numbers of thousands of digits and brackets thousands deep are mistakes like any other."""
    assert refusal(tmp_path, content)


def test_a_user_without_a_home_gets_no_folder_named_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system knows no home, paths begin at the root and never in the working directory."""
    for name in ("STATE_DIRECTORY", "CACHE_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module.platformdirs, "user_state_dir", lambda *_a, **_k: "~/.local/state/box")
    monkeypatch.setattr(module.platformdirs, "user_cache_dir", lambda *_a, **_k: "~/.cache/box")
    monkeypatch.setattr(module.platformdirs, "user_config_dir", lambda *_a, **_k: "~/.config/box")
    box = Settings()
    assert (box.state_dir, box.cache_dir) == (Path("/.local/state/box"), Path("/.cache/box"))
    assert module.default_file() == Path("/.config/box/settings.toml")


def test_a_service_keeps_its_things_where_the_system_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service's own directories, the first of several, come before the user's."""
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/box:/var/lib/other")
    monkeypatch.setenv("CACHE_DIRECTORY", "/var/cache/box")
    box = load({}, {})
    assert (box.state_dir, box.cache_dir) == (Path("/var/lib/box"), Path("/var/cache/box"))


# --- anything at all -------------------------------------------------------------------------------------------------

KEYS = st.sampled_from([*(key.rpartition(".")[2] for key in EVERY_KEY), "night", "sound", "x"]) | st.text(max_size=8)
WORDS = st.sampled_from(["en", "pl", "retail", "web", "silent", "cards", "default", "a.toml", "/a/x", "debug", "~x/y"])


def toml_text(text: str) -> str:
    """Return a TOML string."""
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in text) + '"'


SCALARS = (
    (WORDS | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)).map(toml_text)
    | st.integers().map(str)
    | st.integers(0, 2**80).map(hex)
    | st.floats().map(lambda number: "nan" if math.isnan(number) else repr(number))
    | st.sampled_from(["true", "false", "inf", "-inf", "1979-05-27", "07:32:00", "[]", "{}", "[1, [2]]", "{a = 1}"])
)
LINES = st.tuples(KEYS.map(toml_text), SCALARS).map(" = ".join)
TABLES = st.tuples(KEYS.map(toml_text), st.lists(LINES, max_size=3)).map(
    lambda table: f"[{table[0]}]\n" + "\n".join(table[1])
)
DOCUMENTS = st.tuples(st.lists(LINES, max_size=3), st.lists(TABLES, max_size=3)).map(
    lambda parts: "\n".join([*parts[0], *parts[1]])
)


def loaded_or_told(environment: dict[str, str], path: Path | None = None) -> Settings | str:
    """Return the settings, or the sentence with which they are refused."""
    try:
        return load({}, environment, path)
    except SettingsError as error:
        return str(error)


@given(DOCUMENTS.map(str.encode) | st.binary(max_size=40))
@example(b"port = " + b"9" * 5000)
@example(b"[[night]]\nlong_pause_seconds = 1")
@example(b"night.long_pause_seconds.x = 1")
@hypothesis_settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_file_whatsoever_gives_anything_but_settings_or_a_sentence(tmp_path: Path, content: bytes) -> None:
    """Whatever a settings file holds, it is either taken or refused in one line that names it."""
    path = tmp_path / "box.toml"
    path.write_bytes(content)
    box = loaded_or_told({}, path)
    if isinstance(box, Settings):
        assert 0 <= box.port <= 65_535
    else:
        assert box.startswith(f"{path}: ")
        assert len(box.splitlines()) == 1


@given(st.dictionaries(st.sampled_from([variable(key) for key in EVERY_KEY] + ["COMPANION_X"]), st.text(max_size=8)))
@hypothesis_settings(max_examples=200, deadline=None)
def test_no_environment_whatsoever_gives_anything_else_either(environment: dict[str, str]) -> None:
    """Whatever the environment holds, it is either taken or refused in one line that names the variable."""
    told = loaded_or_told(environment)
    assert isinstance(told, Settings) or (told.startswith(PREFIX) and len(told.splitlines()) == 1)


@pytest.mark.parametrize("text", ["langauge = 1", "port = ", "[night]\nlong_pause_seconds = nan", "board = 'x'"])
def test_the_program_leaves_with_2_and_one_sentence(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong settings end the program with 2, with one line on the error output and nothing on the other."""
    assert main(["history", "--config", str(written(tmp_path, text))]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(str(tmp_path))
    assert len(told.err.splitlines()) == 1
