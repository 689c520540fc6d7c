"""`companion wiring`, as it is called."""

import json

import pytest

from companion.cli import main
from hardware.boards import board_names, load_board
from hardware.wiring import plan
from hardware.wiring.parts import ohms


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """A box of its own, whatever is set up on this machine."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", board_names())
def test_the_table_has_a_line_for_every_wire(name, capsys):
    """Kind, name, colour, GPIO, pin and resistor stand in one line each; the shopping list follows."""
    assert main(["wiring", "--board", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    for wire in plan(load_board(name)).wires:
        (line,) = [line for line in lines if line.startswith(f"{wire.kind:<6} {wire.name} ")]
        words = line.removeprefix(f"{wire.kind:<6} {wire.name} ").split()
        assert words[:3] == [wire.colour, str(wire.bcm), str(wire.pin)]
        assert f"  {ohms(wire.resistor_ohms)}  " in line
    assert "To buy:" in lines
    assert max(map(len, lines)) <= 110


def test_json_is_for_programs(capsys):
    """One object with the wires, the currents and the parts, and nothing else on the output."""
    assert main(["wiring", "--format", "json", "--board", "uln2803a"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["board"], facts["driver"], facts["supply_volts"]) == ("uln2803a", "uln2803a", 5.0)
    assert len(facts["wires"]) == 21
    assert facts["wires"][0] == {
        "kind": "light",
        "name": "liberal 1",
        "colour": "blue",
        "bcm": 17,
        "pin": 11,
        "ground_pin": None,
        "resistor_ohms": 150,
        "light_milliamps": 8.0,
        "pin_milliamps": 0.7,
        "driver": {"chip": 1, "input_leg": 1, "output_leg": 18},
    }
    assert facts["pins_milliamps"] < facts["pins_limit_milliamps"] == 50
    assert {"count": 2, "part": "socket DIP-18"} in facts["parts"]


def test_drawings_go_to_files(tmp_path, capsys):
    """`--svg` and `--front` write a sheet each, the front in the language that is asked for."""
    given = ["--svg", str(tmp_path / "w.svg"), "--front", str(tmp_path / "f.svg")]
    assert main(["wiring", *given, "--language", "pl"]) == 0
    assert str(tmp_path / "w.svg") in capsys.readouterr().out
    assert "Faszystowska" in (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert 'width="210mm"' in (tmp_path / "w.svg").read_text(encoding="utf-8")


def test_json_stays_json_beside_a_drawing(tmp_path, capsys):
    """A drawing adds no word to the output of a program."""
    assert main(["wiring", "--svg", str(tmp_path / "w.svg"), "--format", "json"]) == 0
    json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--milliamps", "4"], "All lights together would take 57 mA"),
        (["--milliamps", "20"], "The light liberal 1 would take 17.6 mA from GPIO 17"),
        (["--board", "defalt"], "did you mean 'default'"),
        (["--board", "absent.toml"], "absent.toml: cannot be read"),
    ],
)
def test_a_refusal_is_one_sentence_and_draws_nothing(arguments, sentence, tmp_path, capsys):
    """Exit code 2, the reason on the error output, nothing on the other, and no file."""
    assert main(["wiring", *arguments, "--svg", str(tmp_path / "w.svg")]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
    assert not (tmp_path / "w.svg").exists()


@pytest.mark.parametrize("given", ["0", "-3", "nan", "inf", "bright"])
def test_a_current_that_is_none_is_wrong_usage(given, capsys):
    """Exit code 2 with the word that was given."""
    with pytest.raises(SystemExit) as left:
        main(["wiring", f"--milliamps={given}"])
    assert left.value.code == 2
    assert given in capsys.readouterr().err


def test_a_folder_that_is_not_there_fails(tmp_path, capsys):
    """A drawing that cannot be written is exit code 1 with the path."""
    assert main(["wiring", "--svg", str(tmp_path / "absent" / "w.svg")]) == 1
    assert "absent" in capsys.readouterr().err
