from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from companion import __version__, cli, languages
from companion.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from companion.settings import Settings

COMPANION = (sys.executable, "-m", "companion")


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep everything that the program writes inside the test."""
    for name in ("STATE", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
        monkeypatch.delenv(f"{name}_DIRECTORY", raising=False)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Settings, argparse.Namespace]]:
    """Return what each command was told to do, instead of doing it."""
    heard: dict[str, tuple[Settings, argparse.Namespace]] = {}

    def hear(settings: Settings, options: argparse.Namespace) -> int:
        heard[options.command] = (settings, options)
        return 0

    monkeypatch.setattr(cli, "_COMMANDS", dict.fromkeys(cli._COMMANDS, hear))
    return heard


@pytest.mark.parametrize(
    ("given", "command", "expected"),
    [
        ([], "run", {}),
        (["run"], "run", {}),
        (["--language", "pl"], "run", {"language": "pl"}),
        (["--language=pl"], "run", {"language": "pl"}),
        (["--port", "0", "run"], "run", {"port": 0}),
        (["run", "--port", "0"], "run", {"port": 0}),
        (["--port=0", "run", "--language", "it"], "run", {"port": 0, "language": "it"}),
        (["--language", "pl", "history", "--names"], "history", {"language": "pl"}),
        (["--names", "history"], "history", {}),
        (["--say", "voices"], "voices", {}),
        (["narrate", "--players", "7"], "narrate", {}),
        (["--players", "7", "narrate", "--voice", "silent"], "narrate", {"voice": "silent"}),
        (["--rules", "printed", "referee", "--players", "5"], "referee", {"rules": "printed"}),
        # A value may be spelled like a command.
        (["--state-dir", "history", "narrate", "--players", "5"], "narrate", {"state_dir": "history"}),
        (["--state-dir", "run"], "run", {"state_dir": "run"}),
    ],
)
def test_options_may_stand_before_the_command_or_after_it(
    given: list[str],
    command: str,
    expected: dict[str, object],
    told: dict[str, tuple[Settings, argparse.Namespace]],
) -> None:
    """The command is found wherever it stands, and none at all means run."""
    assert main(given) == 0
    assert list(told) == [command]
    settings = told[command][0]
    assert {key: str(getattr(settings, key)) for key in expected} == {key: str(each) for key, each in expected.items()}


@pytest.mark.parametrize("given", [["--version"], ["run", "--version"], ["--language", "pl", "--version"]])
def test_the_version_is_told_wherever_it_is_asked_for(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints name and version and ends with 0."""
    with pytest.raises(SystemExit) as left:
        main(given)
    assert left.value.code == 0
    assert capsys.readouterr().out == f"companion {__version__}\n"


@pytest.mark.parametrize("given", [["--help"], ["-h"]])
def test_help_names_every_command(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Help without a command lists the commands, each with what it does."""
    with pytest.raises(SystemExit) as left:
        main(given)
    assert left.value.code == 0
    out = capsys.readouterr().out
    assert all(f"    {command} " in out for command in cli._COMMANDS)


@pytest.mark.parametrize("command", cli._COMMANDS)
def test_each_command_explains_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Help of a command shows the common options, before or after it."""
    for given in ([command, "--help"], ["--language", "pl", command, "-h"]):
        with pytest.raises(SystemExit) as left:
            main(given)
        assert left.value.code == 0
        out = capsys.readouterr().out
        assert f"companion {command}" in out
        assert all(option in out for option in ("--config", "--language", "--rules", "--state-dir", "--log-level"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["narate"], "there is no command 'narate'"),
        (["--port", "0", "bogus"], "there is no command 'bogus'"),
        (["run", "history"], "unrecognized arguments: history"),
        (["--lang", "pl"], "unrecognized arguments: --lang pl"),
        (["--port"], "--port: expected one argument"),
        (["narrate"], "the following arguments are required: --players"),
        (["narrate", "--players", "4"], "--players: 4 players cannot play: Secret Hitler is for 5 to 10"),
        (["narrate", "--players", "11"], "--players: 11 players cannot play: Secret Hitler is for 5 to 10"),
        (["narrate", "--players", "x"], "--players: x players cannot play: Secret Hitler is for 5 to 10"),
        (["narrate", "--players", "-7"], "--players: "),
        (["narrate", "--players", "5", "--format", "xml"], "--format: invalid choice: 'xml'"),
        (["referee", "--players", "5", "--first", "x"], "--first: invalid int value: 'x'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_2(given: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage ends with 2 and one line that says what is wrong, without the whole usage above it."""
    with pytest.raises(SystemExit) as left:
        main(given)
    assert left.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert sentence in told.err
    assert len(told.err.splitlines()) == 1


def test_a_slip_in_a_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelled command is told which there are, and which was probably meant."""
    with pytest.raises(SystemExit):
        main(["refree", "--players", "5"])
    assert "did you mean 'referee'?" in capsys.readouterr().err


def test_a_first_candidate_who_is_not_there_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """The referee takes no first seat outside the table."""
    assert main(["referee", "--players", "5", "--first", "6"]) == 2
    assert capsys.readouterr().err == "--first 6: There is no such seat at this table.\n"


@pytest.mark.parametrize("error", [RuntimeError("seat 3 is Hitler"), KeyError("x"), AssertionError()])
def test_a_fault_of_ours_is_a_sentence_without_what_it_holds(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even an error that nobody thought of ends with 1 and one sentence, which repeats no message of the error."""

    def fail(_settings: Settings, _options: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(cli, "_COMMANDS", dict.fromkeys(cli._COMMANDS, fail))
    assert main(["history"]) == 1
    told = capsys.readouterr().err
    assert told == f"Something went wrong inside ({type(error).__name__}); --log-level debug tells where.\n"


def test_ctrl_c_ends_a_command_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever interrupts a command knows why it ended."""

    def interrupt(_settings: Settings, _options: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_COMMANDS", dict.fromkeys(cli._COMMANDS, interrupt))
    assert main(["history"]) == 1
    assert capsys.readouterr().err == ""


# --- as a process ----------------------------------------------------------------------------------------------------


def test_the_referee_answers_line_by_line_over_a_pipe() -> None:
    """Each line is answered before the next is sent, a bad one too, and the end of the input is the end with 0."""
    with subprocess.Popen(
        [*COMPANION, "referee", "--players", "5", "--first", "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as referee:
        assert referee.stdin is not None
        assert referee.stdout is not None
        answers = []
        for line in (
            '{"do": "vote", "elected": true}',
            "bogus",
            '{"do": "enact", "policy": "fascist"}',
            '{"do": "undo"}',
        ):
            referee.stdin.write(f"{line}\n")
            referee.stdin.flush()
            answers.append(json.loads(referee.stdout.readline()))
        referee.stdin.close()
        assert referee.wait(10) == 0
    assert [answer["ok"] for answer in answers] == [True, False, True, True]
    assert [answer["state"]["fascist_policies"] for answer in answers] == [0, 0, 1, 0]
    assert answers[0]["state"]["president"] == 2


def test_a_reader_who_leaves_early_ends_the_output_quietly(tmp_path: Path) -> None:
    """`companion history | head` prints no complaint when head has had enough."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMPANION, "history", "--state-dir", str(tmp_path)],
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=20,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux's full device")  # noqa: PTH110
@pytest.mark.parametrize(
    "command", [["history"], ["narrate", "--players", "5", "--format", "json", "--voice", "silent"]]
)
def test_a_full_disk_under_the_output_is_told(command: list[str], tmp_path: Path) -> None:
    """Output that cannot be written ends with 1 and one sentence."""
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [*COMPANION, *command, "--state-dir", str(tmp_path)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=20,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"companion {command[0]}: [Errno 28] No space left on device"
    assert "Traceback" not in done.stderr


def test_voices_tells_for_each_language_who_speaks_it(capsys: pytest.CaptureFixture[str]) -> None:
    """One line a language, in the order of their codes, each with its synthesiser and voice in one column, and 0."""
    assert main(["voices"]) == 0
    *lines, legend = capsys.readouterr().out.splitlines()
    assert legend == "* the table speaks this language"
    first, *others = languages.codes()
    assert [line[:4] for line in lines] == [f"* {first}", *(f"  {code}" for code in others)]
    assert len({line.index("eSpeak NG") for line in lines}) == 1
    assert all("s of speech in" in line for line in lines)


def test_voices_tells_of_all_languages_whatever_the_table_speaks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Settings that name a language hide no other one; the table's is marked."""
    settings = tmp_path / "box.toml"
    settings.write_text('language = "pl"\n', encoding="utf-8")
    assert main(["voices", "--config", str(settings)]) == 0
    lines = capsys.readouterr().out.splitlines()[:-1]
    assert len(lines) == len(languages.codes())
    assert [line[:4] for line in lines if line.startswith("*")] == ["* pl"]


def test_voices_of_somebody_else_than_the_box_keeps_lines_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the cache is the service's, the command says so and speaks out of the user's own."""
    box = tmp_path / "box"
    box.mkdir()
    # Root may write everywhere, so a folder's mode proves nothing here.
    monkeypatch.setattr(os, "access", lambda path, _mode: path != box)
    assert main(["voices", "--language", "en", "--cache-dir", str(box)]) == 0
    told = capsys.readouterr()
    own = tmp_path / "cache" / "secret-hitler-companion"
    assert told.err == f"The lines in {box} are not this user's; lines are kept in {own}.\n"
    assert "s of speech in" in told.out
    assert list(own.glob("**/*.wav"))
    assert not list(box.iterdir())


def test_voices_of_one_language_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A language that is named is the only one asked."""
    assert main(["voices", "--language", "pl"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_history_of_a_new_box_says_that_nothing_was_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A box without a journal has no games, and asking makes none."""
    assert main(["history", "--state-dir", str(tmp_path / "none")]) == 0
    assert capsys.readouterr().out == "No game has been played on this box yet.\n"
    assert not (tmp_path / "none").exists()


def test_the_module_is_the_program(tmp_path: Path) -> None:
    """`python -m companion` is the program itself, from any folder."""
    done = subprocess.run(
        [*COMPANION, "--version"], capture_output=True, text=True, timeout=20, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"companion {__version__}\n", "")
