"""The installation in a real Debian in a folder: minutes long, so only for those who ask for it, as root.

`python -m pytest tests/install/test_real_debian.py --debian trixie` needs debootstrap and the mirrors of Debian and of
PyPI.
With `bookworm` the box runs on Python 3.11.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from companion.install.box import SERVICE, SETTINGS, STATE, USER
from companion.install.plan import Mark

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parents[2]
GLIBC = (17, 24, 27, 28, 31, 34)
UNIT = f"/etc/systemd/system/{SERVICE}"


@pytest.fixture(scope="module")
def suite(request: pytest.FixtureRequest) -> str:
    name: str = request.config.getoption("--debian")
    if not name:
        pytest.skip("--debian names no Debian, such as trixie, to install in")
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("a Debian in a folder needs root and debootstrap")
    if not (HERE / "pyproject.toml").exists() or not (HERE / "companion").is_dir():
        pytest.skip("there is no copy of the repository to install")
    return name


@pytest.fixture(scope="module")
def tree(suite: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh Debian with systemd and Python."""
    folder = tmp_path_factory.mktemp("debian")
    folder.chmod(0o755)
    # The service's user has to be able to walk there.
    for parent in (*folder.parents,)[:2]:
        parent.chmod(0o755)
    brings = "--include=systemd-sysv,dbus,python3,python3-venv"
    command = ["debootstrap", "--variant=minbase", brings, suite, str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"there is no mirror of Debian: {made.stdout.splitlines()[-1:]}")
    return folder


@pytest.fixture(scope="module")
def wheels(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The box and what it needs, for that Debian's Python."""
    folder = tmp_path_factory.mktemp("wheels")
    source = tmp_path_factory.mktemp("source")
    for part in ("companion", "hardware", "sounds"):
        shutil.copytree(HERE / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(HERE / part, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, source], check=True)
    version = (tree / "usr/bin/python3").readlink().name.removeprefix("python")
    machine = os.uname().machine
    kinds = [f"--platform=manylinux_2_{minor}_{machine}" for minor in GLIBC]
    wanted = ["--only-binary=:all:", f"--python-version={version}", f"--platform=manylinux2014_{machine}", *kinds]
    ours = next(folder.glob("secret_hitler_companion-*.whl"))
    subprocess.run([*pip, "download", *wanted, "--dest", folder, ours], check=True)
    return folder


@pytest.fixture(scope="module")
def install(tree: Path, wheels: Path) -> Callable[..., str]:
    """Installs from outside, as on a card that is mounted, and returns what was printed."""

    def install(*options: str) -> str:
        given = [sys.executable, "-m", "companion", "install", "--root", str(tree), *options]
        return subprocess.run(given, capture_output=True, text=True, check=True).stdout

    assert "plays when it is switched on" in install("--wheels", str(wheels))
    return install


def inside(tree: Path, *command: str) -> str:
    return subprocess.run(["chroot", tree, *command], capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("install")
def test_that_systemd_finds_no_fault_in_the_unit(tree: Path) -> None:
    """The systemd of that release knows every line, finds the program, and starts it at boot."""
    subprocess.run(["chroot", tree, "systemd-analyze", "verify", UNIT], check=True)
    wanted = tree / "etc/systemd/system/multi-user.target.wants" / SERVICE
    assert str(wanted.readlink()) == UNIT


@pytest.mark.usefixtures("install")
def test_the_user_of_the_service_may_use_pins_and_sound(tree: Path) -> None:
    """The user is there, without a shell, in both groups of devices."""
    assert {"gpio", "audio"} <= set(inside(tree, "id", "-nG", USER).split())
    assert f":{STATE}:/usr/sbin/nologin" in inside(tree, "getent", "passwd", USER)


@pytest.mark.usefixtures("install")
def test_the_service_starts_the_box(tree: Path) -> None:
    """The unit's own command, as the service's user in the service's folders, is ready and ends when it is told to."""
    command = next(
        line.removeprefix("ExecStart=").split()
        for line in (tree / UNIT.lstrip("/")).read_text(encoding="utf-8").splitlines()
        if line.startswith("ExecStart=")
    )
    for folder in (STATE, STATE.replace("/lib/", "/cache/")):
        inside(tree, "install", "-d", "-m", "700", "-o", USER, "-g", USER, folder)
    # No pins here, and port 80 is not everybody's.
    asked = {"COMPANION_PANEL": "web", "COMPANION_PORT": "0", "COMPANION_VOICE": "silent"}
    environment = asked | {"HOME": STATE, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONUNBUFFERED": "1"}
    words = ["chroot", f"--userspec={USER}:{USER}", str(tree), *command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as box:
        assert box.stdout is not None
        assert any(line.startswith("ready http://") for line in box.stdout)
        box.send_signal(signal.SIGTERM)
        assert box.wait(30) == 0
    assert inside(tree, "find", STATE, "-type", "f", "-user", USER)


def test_twice_is_as_good_as_once(tree: Path, wheels: Path, install: Callable[..., str]) -> None:
    """The second time every step is there, and what people wrote into the settings is as they wrote it."""
    settings = tree / SETTINGS.lstrip("/")
    settings.write_text(settings.read_text(encoding="utf-8") + "# ours\n", encoding="utf-8")
    steps = install("--wheels", str(wheels)).split("\n\n")[0].splitlines()
    assert len(steps) > 5
    assert all(line.startswith(Mark.THERE.value) for line in steps)
    assert settings.read_text(encoding="utf-8").endswith("# ours\n")


def test_taken_back_settings_and_games_stay(tree: Path, install: Callable[..., str]) -> None:
    """Program, service and link are gone; settings and the user with the games are kept."""
    before = {path: path.read_bytes() for path in (tree / STATE.lstrip("/")).rglob("*") if path.is_file()}
    install("--uninstall")
    assert not (tree / UNIT.lstrip("/")).exists()
    assert not (tree / "opt/secret-hitler-companion").exists()
    assert not (tree / "usr/local/bin/companion").is_symlink()
    assert (tree / SETTINGS.lstrip("/")).read_text(encoding="utf-8").endswith("# ours\n")
    assert {path: path.read_bytes() for path in before} == before
