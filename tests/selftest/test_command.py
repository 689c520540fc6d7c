"""`companion selftest`, as it is called, and how it keeps away from a box that runs."""

import json
import os
import subprocess
import sys

import pytest

from companion import languages
from companion.cli import main
from companion.commands.selftest import holder
from companion.commands.selftest.command import run
from companion.journal import Journal, JournalBusy


@pytest.fixture
def tested(parts, settings, capsys):
    """Run the command on the machine of the test; give exit code, output and error output."""

    def call(*, exercise=False, as_json=False, **given):
        code = run(settings(**given), exercise=exercise, as_json=as_json, machine=parts.machine())
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_all_well_is_exit_code_0(tested):
    """A table with a line for each check, and the counts at the end."""
    code, out, err = tested()
    assert (code, err) == (0, "")
    lines = out.splitlines()
    voices = len(languages.codes())
    assert lines[-1] == f"{22 + voices} ok, 3 skipped."
    assert [line.split()[1] for line in lines[-3:-1]] == ["buttons", "lights"]
    assert all("--exercise" in line for line in lines[-3:-1])
    assert len(lines) == 26 + voices


def test_a_failure_is_exit_code_1(tested, parts):
    """And the remedy stands below it."""
    parts.free = 0
    code, out, _ = tested()
    assert code == 1
    assert "failed   free disk" in out
    assert "-> free some space" in out


def test_json_is_for_programs(tested, parts):
    """One object, nothing else on the output, the same exit code."""
    parts.free = 0
    code, out, _ = tested(as_json=True)
    facts = json.loads(out)
    assert code == 1
    assert facts["ok"] is False
    (failed,) = [check for check in facts["checks"] if check["status"] == "failed"]
    assert failed["check"] == "free disk"
    assert failed["remedy"]
    assert {check["status"] for check in facts["checks"]} <= {"ok", "failed", "skipped"}


@pytest.mark.parametrize(("as_json", "attended"), [(True, True), (False, False)])
def test_exercise_needs_a_person(tested, parts, as_json, attended):
    """Without a terminal, or for a program, nobody could press: wrong usage, and no pin is touched."""
    parts.attended = attended
    code, out, err = tested(exercise=True, as_json=as_json)
    assert (code, out) == (2, "")
    assert "--exercise is for a person at a terminal" in err
    assert parts.opened == 0


def test_it_refuses_while_a_box_holds_the_state_directory(tested, settings, parts):
    """No pin is touched and no voice opened; the sentence says how to stop the box."""
    journal = Journal.open(settings().state_dir)
    try:
        code, out, err = tested()
    finally:
        journal.close()
    assert (code, out) == (1, "")
    assert str(settings().state_dir) in err
    assert "stop it first" in err
    assert parts.opened == 0
    assert tested()[0] == 0, "and not after it has ended"


def test_no_box_starts_in_the_middle_of_a_test(parts, settings):
    """The self-test holds the state directory as a box does."""
    Journal.open(settings().state_dir).close()
    with holder.state_directory(parts.machine(), settings().state_dir), pytest.raises(JournalBusy):
        Journal.open(settings().state_dir)
    Journal.open(settings().state_dir).close()


def test_a_test_leaves_nothing_behind(tested, settings):
    """A state directory that is not there yet is not made."""
    assert tested()[0] == 0
    assert not settings().state_dir.exists()


def held_lock(parts, settings, cgroup, parent):
    """A lock of a journal that process 4711 holds, as the kernel tells it."""
    folder = settings().state_dir
    Journal.open(folder).close()
    inode = (folder / holder.LOCK_NAME).stat().st_ino
    parts.tree.put(
        "/proc/locks",
        f"1: POSIX  ADVISORY  READ 99 00:19:12 0 EOF\n2: FLOCK  ADVISORY  WRITE 4711 08:01:{inode} 0 EOF\n",
    )
    parts.tree.put("/proc/4711/cgroup", cgroup)
    parts.tree.put("/proc/4711/status", f"Name:\tcompanion\nPPid:\t{parent}\nUid:\t1000\n")
    return Journal.open(folder)


@pytest.mark.parametrize(
    ("cgroup", "parent", "command"),
    [
        ("0::/system.slice/companion.service\n", 1, "`sudo systemctl stop companion.service`"),
        ("0::/user.slice/user-1000.slice/session-3.scope\n", 900, "`kill 4711`"),
        ("0::/system.slice/ssh.service\n", 900, "`kill 4711`"),
        ("0::/system.slice/ssh.service\n", 1, "`kill 4711`"),
        ("0::/user.slice/user-1000.slice/user@1000.service\n", 1, "`kill 4711`"),
    ],
)
def test_the_command_that_stops_the_box_is_named(tested, parts, settings, cgroup, parent, command):
    """A service by its name, a program in a terminal by its process; never the ssh that it was started over."""
    journal = held_lock(parts, settings, cgroup, parent)
    try:
        assert command in tested()[2]
    finally:
        journal.close()


def test_it_refuses_while_another_program_holds_the_pins(tested, parts):
    """A box with a state directory of its own is found by the pins that it has, and by its open header."""
    parts.busy.update({17, 5})
    parts.tree.put("/proc/815/cgroup", "0::/system.slice/box.service\n")
    parts.tree.put("/proc/815/status", "Name:\tpython3\nPPid:\t1\n")
    parts.tree.put("/proc/815/cmdline", "python3\0-m\0something")
    (parts.tree.root / "proc/815/fd").mkdir()
    (parts.tree.root / "proc/815/fd/7").symlink_to("/dev/gpiochip0")
    code, out, err = tested()
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "Light liberal 1 (GPIO 17) does not work: GPIO busy (and 1 more)" in err
    assert "`sudo systemctl stop box.service`" in err


def test_a_box_of_another_user_is_found_by_its_name(tested, parts):
    """Its open files cannot be seen, its command line can."""
    parts.busy.add(5)
    parts.tree.put("/proc/816/cgroup", "0::/system.slice/evening.service\n")
    parts.tree.put("/proc/816/status", "Name:\tcompanion\nPPid:\t1\n")
    parts.tree.put("/proc/816/cmdline", "/opt/venv/bin/python\0/opt/venv/bin/companion\0run\0")
    assert "`sudo systemctl stop evening.service`" in tested()[2]


def test_pins_that_a_bus_holds_are_a_finding_and_no_box(tested, parts):
    """With SPI on, its pins are busy for the kernel's sake: the table says so."""
    parts.tree.put("/boot/firmware/config.txt", "dtparam=spi=on")
    parts.busy.update({7, 8})
    code, out, err = tested()
    assert (code, err) == (1, "")
    assert "failed   SPI" in out


def test_the_command_line_knows_it(tmp_path, monkeypatch, capsys):
    """On this machine, with everything of its own, it ends with 0 or 1 and a table in JSON."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    given = ["--state-dir", str(tmp_path / "state"), "--cache-dir", str(tmp_path / "cache")]
    given += ["--panel", "web", "--voice", "silent", "--port", "0", "--format", "json"]
    code = main(["selftest", *given])
    facts = json.loads(capsys.readouterr().out)
    assert code == (0 if facts["ok"] else 1)
    statuses = {check["check"]: check["status"] for check in facts["checks"]}
    assert statuses["pin map"] == statuses["currents"] == statuses["panel"] == "ok"
    assert statuses["pins"] == statuses["loudspeaker"] == "skipped"


def test_wrong_settings_are_exit_code_2(tmp_path):
    """A slip in the settings is told before anything is looked at."""
    command = [sys.executable, "-m", "companion", "selftest", "--board", "defalt"]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'default'" in done.stderr


def test_an_open_pipe_is_no_person(tmp_path):
    """With its input from a pipe the command does not wait for anybody to press."""
    command = [sys.executable, "-m", "companion", "selftest", "--exercise", "--state-dir", str(tmp_path / "state")]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert done.stdout == ""
