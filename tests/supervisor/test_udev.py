"""The rule by which one USB device, and no other, is the box's to read."""

from __future__ import annotations

import fnmatch
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from companion.machine.udev import give, rule

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "name", ["DragonRise Inc. Generic USB Joystick", 'x", RUN+="/bin/sh', "a\nRUN=b", "Taste|*", "Ł"]
)
def test_a_device_may_call_itself_anything(name: str) -> None:
    """The name is one quoted pattern on one line that means this name; none of its signs ends it or means others."""
    text = rule(name, "companion")
    (line,) = [line for line in text.splitlines() if not line.startswith("#")]
    found = re.fullmatch(
        r'SUBSYSTEM=="input", KERNEL=="event\*", ATTRS\{name\}=="([^"]*)", GROUP="companion", MODE="0660"', line
    )
    assert found is not None
    assert fnmatch.fnmatchcase(name, found[1])
    assert not set(found[1]) & set('*[]|\\"')


def test_udev_takes_the_rule(tmp_path: Path) -> None:
    """By its own check, where this machine's udev has one."""
    file = tmp_path / "70-box.rules"
    file.write_text(rule("Arcade, 6 keys", "root"), encoding="utf-8")
    if (
        shutil.which("udevadm") is None
        or b"verify" not in subprocess.run(["udevadm", "--help"], check=False, capture_output=True).stdout
    ):
        pytest.skip("this machine's udev cannot check rules")
    subprocess.run(["udevadm", "verify", "--no-style", str(file)], check=True)


def test_what_stands_in_the_way_is_told(tmp_path: Path) -> None:
    """A place that cannot be written to, named."""
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file") in give("Pad", "root", tmp_path / "file" / "box.rules")


def test_without_udev_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "udevadm" in give("Pad", "root", tmp_path / "box.rules")
