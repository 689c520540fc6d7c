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
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from companion import __version__
from companion.commands.install.box import SERVICE, SETTINGS, STATE
from companion.commands.install.hotspot import PATH
from companion.commands.install.plan import Mark
from companion.commands.install.program import CACHE
from companion.machine import wifi
from companion.settings import BOX_USER
from tests.codes import DARK_THEME, on_terminal, read
from tests.evening.boxes import Phone
from tests.support import NAMES, eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parents[2]
GLIBC = (17, 24, 27, 28, 31, 34)
UNIT = f"/etc/systemd/system/{SERVICE}"
EXPOSED_AT_MOST = 25
"""Tenths, of systemd's ten for a service that may do everything."""
NIGHT_SECONDS = 120
"""A night without its pauses and without a voice takes twenty; a busy machine more."""

Listing = dict[str, tuple[int, int, str | int]]


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
    """A fresh Debian with systemd, Python and NetworkManager, as Raspberry Pi OS has them."""
    folder = tmp_path_factory.mktemp("debian")
    folder.chmod(0o755)
    # The service's user has to be able to walk there.
    for parent in (*folder.parents,)[:2]:
        parent.chmod(0o755)
    brings = "--include=systemd-sysv,dbus,python3,python3-venv"
    # Whoever asks for a Debian wants to know that there was none: a mirror that is missing is no reason to skip.
    for command in (
        ["debootstrap", "--variant=minbase", brings, suite, folder],
        # Not by debootstrap, which knows no package that stands in for another. The voice is here before the box, since
        # packages stay when the box goes: others may need them by then.
        ["chroot", folder, "apt-get", "install", "-y", "--no-install-recommends", *PACKAGES],
    ):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        made = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
        assert made.returncode == 0, made.stdout[-500:] + made.stderr[-500:]
    return folder


PACKAGES = ("network-manager", "libespeak-ng1", "espeak-ng-data")


@pytest.fixture(scope="module")
def wheels(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The box and what it needs, for that Debian's Python."""
    folder = tmp_path_factory.mktemp("wheels")
    ours = wheel_of(__version__, folder, tmp_path_factory.mktemp("source"))
    version = (tree / "usr/bin/python3").readlink().name.removeprefix("python")
    machine = os.uname().machine
    kinds = [f"--platform=manylinux_2_{minor}_{machine}" for minor in GLIBC]
    wanted = ["--only-binary=:all:", f"--python-version={version}", f"--platform=manylinux2014_{machine}", *kinds]
    subprocess.run([*PIP, "download", *wanted, "--dest", folder, ours], check=True)
    return folder


PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def wheel_of(version: str, folder: Path, source: Path) -> Path:
    """Make a wheel of this program that calls itself so, in a folder, by way of an empty one."""
    for part in ("companion", "hardware", "sounds"):
        shutil.copytree(HERE / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(HERE / part, source)
    program = source / "companion" / "__init__.py"
    text = program.read_text(encoding="utf-8")
    assert text.count(f'"{__version__}"') == 1
    program.write_text(text.replace(f'"{__version__}"', f'"{version}"'), encoding="utf-8")
    subprocess.run([*PIP, "wheel", "--no-deps", "--wheel-dir", folder, source], check=True)
    return folder / f"secret_hitler_companion-{version}-py3-none-any.whl"


def installer(tree: Path, *options: str) -> str:
    """Install from outside, as on a card that is mounted, and return what was printed."""
    given = [sys.executable, "-m", "companion", "install", "--root", str(tree), *options]
    return subprocess.run(given, capture_output=True, text=True, check=True).stdout


def listing(tree: Path) -> Listing:
    """Return every file and link of the tree: mode, moment of its last change, and size, or where it points.

    What a system that runs has in memory alone is none of the card's.
    """
    found: Listing = {}
    for place, folders, names in os.walk(tree):
        if Path(place) == tree:
            folders[:] = [folder for folder in folders if folder not in {"dev", "proc", "run", "sys", "tmp"}]
        for name in (*names, *(folder for folder in folders if Path(place, folder).is_symlink())):
            path = Path(place, name)
            facts = path.lstat()
            said = str(path.readlink()) if path.is_symlink() else facts.st_size
            found[f"/{path.relative_to(tree)}"] = (facts.st_mode, facts.st_mtime_ns, said)
    return found


@pytest.fixture(scope="module")
def bare(tree: Path, wheels: Path) -> Listing:
    """What the tree held before anything was installed, and after it was only shown what would be."""
    before = listing(tree)
    shown = installer(tree, "--wheels", str(wheels), "--dry-run").splitlines()
    assert f"{Mark.WOULD.value:<14} {SERVICE} starts with the machine" in shown
    assert listing(tree) == before
    return before


@pytest.fixture(scope="module")
def install(tree: Path, wheels: Path, bare: Listing) -> Callable[..., str]:
    """Installs in the tree, where the box is installed already."""
    assert SETTINGS not in bare
    assert "plays when it is switched on" in installer(tree, "--wheels", str(wheels))
    return lambda *options: installer(tree, *options)


def inside(tree: Path, *command: str) -> str:
    return subprocess.run(["chroot", tree, *command], capture_output=True, text=True, check=True).stdout


@contextmanager
def playing(tree: Path) -> Iterator[int]:
    """Run the unit's own command as the service's user in the service's folders; yields the port of the pages."""
    command = next(
        line.removeprefix("ExecStart=").split()
        for line in (tree / UNIT.lstrip("/")).read_text(encoding="utf-8").splitlines()
        if line.startswith("ExecStart=")
    )
    # As systemd makes them.
    for folder in (STATE, CACHE):
        inside(tree, "install", "-d", "-m", "700", "-o", BOX_USER, "-g", BOX_USER, folder)
    # No pins here, and port 80 is not everybody's.
    asked = {"COMPANION_PANEL": "web", "COMPANION_PORT": "0", "COMPANION_VOICE": "silent"}
    environment = asked | {"HOME": STATE, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONUNBUFFERED": "1"}
    words = ["chroot", f"--userspec={BOX_USER}:{BOX_USER}", str(tree), *command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as box:
        assert box.stdout is not None
        ready = next(line for line in box.stdout if line.startswith("ready http://"))
        try:
            yield int(ready.strip().rstrip("/").rpartition(":")[2])
        finally:
            box.send_signal(signal.SIGTERM)
            assert box.wait(30) == 0


def press(port: int, button: str, *, held: bool = False) -> None:
    answer = Phone(port).post("/api/panel", button=button, held=held)
    assert (answer.status, answer.json["ok"]) == (200, True), answer.text


def lasting(phone: Phone, path: str) -> dict[str, Any]:
    """Return what a page's state says, but for what passes with the program: how often it was told, what is said."""
    return {key: value for key, value in phone.get(path).json.items() if key not in {"version", "stamp", "caption"}}


def table(port: int) -> dict[str, Any]:
    """Return how the game stands."""
    return lasting(Phone(port), "/api/table")


@pytest.mark.usefixtures("install")
def test_that_systemd_finds_no_fault_in_the_unit(tree: Path) -> None:
    """The systemd of that release knows every line, finds the program, starts it at boot, and lets it do little."""
    subprocess.run(["chroot", tree, "systemd-analyze", "verify", UNIT], check=True)
    inside(tree, "systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSED_AT_MOST}", UNIT)
    wanted = tree / "etc/systemd/system/multi-user.target.wants" / SERVICE
    assert str(wanted.readlink()) == UNIT


@pytest.mark.usefixtures("install")
def test_the_user_of_the_service_may_use_pins_and_sound(tree: Path) -> None:
    """The user is there, without a shell, in both groups of devices."""
    assert {"gpio", "audio", "spi"} <= set(inside(tree, "id", "-nG", BOX_USER).split())
    assert f":{STATE}:/usr/sbin/nologin" in inside(tree, "getent", "passwd", BOX_USER)


@pytest.mark.usefixtures("install")
def test_the_service_starts_the_box(tree: Path) -> None:
    """The unit's own command, as the service's user in the service's folders, is ready and ends when it is told to."""
    with playing(tree) as port:
        assert Phone(port).get("/healthz").status == 200
    assert inside(tree, "find", STATE, "-type", "f", "-user", BOX_USER)


def test_twice_is_as_good_as_once(tree: Path, wheels: Path, install: Callable[..., str]) -> None:
    """The second time every step is there, and what people wrote into the settings is as they wrote it."""
    settings = tree / SETTINGS.lstrip("/")
    settings.write_text(settings.read_text(encoding="utf-8") + "# ours\n", encoding="utf-8")
    steps = install("--wheels", str(wheels)).split("\n\n")[0].splitlines()
    assert len(steps) > 5
    assert all(line.startswith(Mark.THERE.value) for line in steps)
    assert settings.read_text(encoding="utf-8").endswith("# ours\n")


def test_a_network_of_its_own_is_one_to_network_manager(tree: Path, install: Callable[..., str], wheels: Path) -> None:
    """That release's NetworkManager reads name and passphrase as they were made; the code that is shown holds both."""
    told = install("--wheels", str(wheels), "--hotspot", "Żółty stół, 1")
    hotspot = wifi.parse((tree / PATH.lstrip("/")).read_text(encoding="utf-8"))
    assert hotspot is not None
    assert hotspot.name == "Żółty stół, 1"
    asked = ("--offline", "connection", "modify", "connection.id", "read")
    with (tree / PATH.lstrip("/")).open(encoding="utf-8") as keyfile:
        read_by_it = subprocess.run(
            ["chroot", tree, "nmcli", *asked], stdin=keyfile, capture_output=True, text=True, check=True
        )
    assert wifi.parse(read_by_it.stdout) == hotspot
    (code,) = read(on_terminal([line for line in told.splitlines() if line.startswith("█")], DARK_THEME))
    assert code.text == hotspot.code


def test_an_upgrade_in_mid_game_keeps_settings_seats_and_game(
    tree: Path, wheels: Path, install: Callable[..., str], tmp_path: Path
) -> None:
    """A newer wheel is installed over a game: it goes on where it was, in its language, and every phone has its seat.

    The settings file, which somebody has edited, is the same to the byte.
    """
    settings = tree / SETTINGS.lstrip("/")
    text = settings.read_text(encoding="utf-8")
    quick = "[night]\n# Żółw gra szybko.\nlong_pause_seconds = 0\ngesture_pause_seconds = 0\n"
    assert text.count("\n[night]\n") == 1
    settings.write_text(text.replace("[night]\n", quick), encoding="utf-8")
    written, owner = settings.read_bytes(), settings.stat()
    phones = [Phone(0) for _ in range(5)]
    with playing(tree) as port:
        press(port, "nein", held=True)
        for phone, name in zip(phones, NAMES, strict=False):
            phone.port = port
            assert phone.join(name).status == 303
        for held in (False, True):
            press(port, "ja", held=held)
        eventually(lambda: table(port)["phase"] == "ask", NIGHT_SECONDS)
        for button in ("ja", "fascist", "nein", "ja"):
            press(port, button)
        before = table(port)
        seats = [lasting(phone, "/api/me") for phone in phones]
        roles = [phone.post("/api/me/role").text for phone in phones]
    assert (before["phase"], before["fascist_policies"], before["election_tracker"]) == ("legislative_session", 1, 1)
    assert before["names"] == [*NAMES[:5]]

    newer = f"{__version__}.post1"
    wheel = wheel_of(newer, tmp_path, tmp_path / "source")
    assert newer not in inside(tree, "companion", "--version")
    told = install("--wheels", str(wheels), "--source", str(wheel))
    done = [line for line in told.splitlines() if line.startswith(Mark.DONE.value)]
    assert len(done) == 2, "nothing but the program and the link to it is done anew"
    assert "program in " in done[0]
    assert "is this version" in done[1]
    assert newer in inside(tree, "companion", "--version")
    assert settings.read_bytes() == written
    assert (settings.stat().st_mode, settings.stat().st_mtime_ns) == (owner.st_mode, owner.st_mtime_ns)

    with playing(tree) as port:
        assert table(port) == before
        for phone in phones:
            phone.port = port
        assert [lasting(phone, "/api/me") for phone in phones] == seats
        assert [phone.post("/api/me/role").text for phone in phones] == roles
        press(port, "liberal")
        assert table(port)["liberal_policies"] == 1
        for _ in range(2):
            press(port, "undo")
        assert table(port)["phase"] == "election"
    assert settings.read_bytes() == written


@pytest.mark.usefixtures("install")
def test_the_command_of_an_installed_box_means_that_box(tree: Path) -> None:
    """Root reads its games without naming anything, and leaves every file the service's; others are told how."""
    told = subprocess.run(
        ["chroot", "--userspec=nobody:nogroup", tree, "companion", "history"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout) == (1, "")
    assert "`sudo companion history`" in told.stderr
    listed = inside(tree, "companion", "history")
    assert "unfinished" in listed
    assert inside(tree, "find", STATE, CACHE, "-not", "-user", BOX_USER) == ""
    again = subprocess.run(["chroot", tree, "companion", "install"], capture_output=True, text=True, check=False)
    assert (again.returncode, "--source" in again.stderr) == (1, True), "it does not keep what it was installed from"


def test_a_dry_run_of_taking_back_changes_nothing(tree: Path, install: Callable[..., str]) -> None:
    """Every file and link below the root is the same, changed at no other moment."""
    before = listing(tree)
    assert (
        f"{Mark.WOULD_GO.value:<14} {SERVICE} starts with the machine"
        in install("--uninstall", "--dry-run").splitlines()
    )
    assert listing(tree) == before


def test_taken_back_settings_and_games_stay(tree: Path, bare: Listing, install: Callable[..., str]) -> None:
    """Program, service, link and spoken lines are gone; settings, and the user with the games, are kept.

    Nothing else of the system is other than it was before the box came.
    """
    kept = [tree / SETTINGS.lstrip("/"), *(path for path in (tree / STATE.lstrip("/")).rglob("*") if path.is_file())]
    before = {path: path.read_bytes() for path in kept}
    assert len(before) > 1
    install("--uninstall")
    assert {path: path.read_bytes() for path in before} == before
    after = listing(tree)
    gone = bare.keys() - after.keys()
    more = {path for path in after.keys() - bare.keys() if path != SETTINGS and not path.startswith(f"{STATE}/")}
    other = {path for path in bare.keys() & after.keys() if bare[path] != after[path]}
    # The user and the two groups, and what the programs that made them keep of the files before.
    users = {f"/etc/{name}{old}" for name in ("passwd", "group", "shadow", "gshadow") for old in ("", "-")}
    users |= {f"/etc/{name}{old}" for name in ("subuid", "subgid") for old in ("", "-")} | {"/etc/.pwd.lock"}
    assert (gone, more - users, other - users) == (set(), set(), set())
