"""A card that makes its Raspberry Pi a box by itself: what is put on it, and that nothing of the Imager's is lost."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from companion import cli
from companion.commands.install import card
from companion.commands.install.card import CLOUD_CONFIG, FOLDER, make_card
from companion.commands.install.errors import InstallError

if TYPE_CHECKING:
    from collections.abc import Sequence

IMAGER = "#cloud-config\nhostname: tables\nusers:\n  - name: ada\n"
TEMPLATE = "#cloud-config\n# hostname: raspberrypi\n\n# users: []\n"


@pytest.fixture
def boot(tmp_path: Path) -> Path:
    """The boot partition of a card that was just flashed."""
    folder = tmp_path / "bootfs"
    folder.mkdir()
    for name in ("config.txt", "cmdline.txt", "network-config"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A wheel of the program."""
    wheel = tmp_path / "secret_hitler_companion-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    return wheel


class Pip:
    """Downloads what it is asked for, or has no internet."""

    def __init__(self, *, offline: bool = False) -> None:
        self.offline = offline
        self.asked: list[Sequence[str]] = []

    def __call__(self, command: Sequence[str], *, is_shown: bool = False) -> None:  # noqa: ARG002 - the seam's shape
        self.asked.append(command)
        if self.offline:
            raise InstallError("no internet")
        folder = Path(command[command.index("-d") + 1])
        (folder / "flask-3-py3-none-any.whl").write_bytes(b"flask")


def test_a_card_has_all_that_the_first_start_needs(boot: Path, program: Path) -> None:
    """The program, the wheels for a Raspberry Pi, the script, its service, and a word to cloud-init."""
    pip = Pip()
    notes = make_card(boot, program, None, pip)
    folder = boot / FOLDER
    assert sorted(path.name for path in folder.iterdir()) == [
        "first-boot",
        "first-boot.service",
        program.name,
        "wheels",
    ]
    assert [path.name for path in (folder / "wheels").iterdir()] == ["flask-3-py3-none-any.whl"]
    assert (boot / "user-data").read_text() == CLOUD_CONFIG
    assert "needs no internet" in " ".join(notes)
    (asked,) = pip.asked
    assert "manylinux_2_28_aarch64" in asked
    assert asked[asked.index("--python-version") + 1] == "3.13"


def test_without_the_internet_the_card_says_that_it_will_need_it(boot: Path, program: Path) -> None:
    """There is no half folder of wheels, which the first start would take for all of them."""
    notes = make_card(boot, program, None, Pip(offline=True))
    assert not (boot / FOLDER / "wheels").exists()
    assert "needs the internet at its first start" in " ".join(notes)


def test_wheels_that_are_there_are_taken(boot: Path, program: Path, tmp_path: Path) -> None:
    """A folder of wheels makes a card without anybody's internet."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / "numpy-2-aarch64.whl").write_bytes(b"numpy")
    make_card(boot, program, wheels, Pip(offline=True))
    assert (boot / FOLDER / "wheels" / "numpy-2-aarch64.whl").read_bytes() == b"numpy"


@pytest.mark.parametrize(("theirs", "ours"), [(IMAGER, "vendor-data"), (TEMPLATE, "user-data"), (None, "user-data")])
def test_what_the_imager_wrote_stays(boot: Path, program: Path, theirs: str | None, ours: str) -> None:
    """A name, a user and a Wi-Fi set in the Imager stay in force; a template of comments is nobody's."""
    if theirs is not None:
        (boot / "user-data").write_text(theirs)
    make_card(boot, program, None, Pip())
    make_card(boot, program, None, Pip())
    assert (boot / ours).read_text() == CLOUD_CONFIG
    if ours == "vendor-data":
        assert (boot / "user-data").read_text() == IMAGER
    assert (boot / "network-config").read_text() == "network-config"


def test_a_card_made_again_holds_the_newer_program_alone(boot: Path, program: Path) -> None:
    """An older wheel beside it might be installed instead."""
    make_card(boot, program, None, Pip())
    newer = program.with_name("secret_hitler_companion-0.2.0-py3-none-any.whl")
    newer.write_bytes(b"newer")
    make_card(boot, newer, None, Pip())
    assert [path.name for path in (boot / FOLDER).glob("*.whl")] == [newer.name]


def test_another_folder_is_refused(tmp_path: Path, program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody's home is no card; nothing is written into it."""
    home = tmp_path / "home"
    home.mkdir()
    with pytest.raises(InstallError, match=r"config\.txt and cmdline\.txt"):
        make_card(home, program, None, Pip())
    assert list(home.iterdir()) == []
    assert cli.main(["install", "--make-card", str(home)]) == 1
    assert "is not the boot partition" in capsys.readouterr().err


def test_the_script_is_one_for_any_shell() -> None:
    """It is run by the shell of a fresh card, and wants nothing that only another shell has."""
    script = Path(card.__file__).with_name("files") / "first-boot"
    for shell in ("sh", "dash", "bash"):
        if shutil.which(shell):
            subprocess.run([shell, "-n", str(script)], check=True)
    assert script.read_text().startswith("#!/bin/sh\n")


def test_the_script_and_its_service_agree(boot: Path, program: Path) -> None:
    """The mark that says that it is done is the same in both, and the place is the card's."""
    make_card(boot, program, None, Pip())
    script = (boot / FOLDER / "first-boot").read_text()
    unit = (boot / FOLDER / "first-boot.service").read_text()
    assert "ConditionPathExists=!/etc/secret-hitler-companion/first-boot-done" in unit
    assert "done_mark=/etc/$name/first-boot-done" in script
    assert unit.count("@CARD@") == 2
