from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from companion import cli
from companion.commands.install import hotspot, program, run
from companion.commands.install.box import box_plan
from companion.commands.install.errors import InstallError
from companion.commands.install.plan import Mark
from companion.commands.install.program import find_source
from companion.commands.install.target import Target, run_program
from companion.machine import udev, wifi
from companion.settings import Settings, installed_file, load
from tests.install.debian import HOME, FakeDebian, RunningTarget

if TYPE_CHECKING:
    from collections.abc import Callable

SERVICE = "secret-hitler-companion.service"
SETTINGS = "etc/secret-hitler-companion/settings.toml"
KEYFILE = hotspot.PATH.lstrip("/")


@pytest.fixture
def debian(tmp_path: Path) -> FakeDebian:
    return FakeDebian(tmp_path / "card")


@pytest.fixture(autouse=True)
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody who runs the tests passes for root; nothing but a temporary folder is touched."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)


STEPS = Path(program.__file__).parent


def put_wheel(folder: Path, version: str = "0.1.0") -> Path:
    """Make what passes for our wheel: it installs as this program does."""
    path = folder / f"secret_hitler_companion-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for each in STEPS.rglob("*"):
            if each.is_file() and "__pycache__" not in each.parts:
                wheel.write(each, Path("companion/commands/install", each.relative_to(STEPS)))
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Something that looks like a copy of the repository."""
    folder = tmp_path / "copy"
    for part in ("companion", "hardware", "sounds"):
        (folder / part / "__pycache__").mkdir(parents=True)
        (folder / part / "__init__.py").write_text(f"# {part}\n", encoding="utf-8")
        (folder / part / "__pycache__" / "x.pyc").write_bytes(b"old")
    for part in ("pyproject.toml", "README.md", "LICENSE"):
        (folder / part).write_text(part, encoding="utf-8")
    shutil.copytree(STEPS, folder / "companion" / "commands" / "install")
    return folder


@pytest.fixture
def install(debian: FakeDebian, copy: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Installs, and returns what was printed."""

    def install(*, running: bool = True, code: int = 0, **options: Any) -> str:
        options = {"source": copy} | options
        assert run(debian.target(running=running), **options) == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return install


def test_a_fresh_card_becomes_a_box(debian: FakeDebian, install: Callable[..., str]) -> None:
    """One command brings packages, user, program, settings, leave to power off, and a service that runs at boot."""
    told = install()
    made = debian.files()
    there = [line for line in told.splitlines() if line.startswith(Mark.THERE.value)]
    assert there[-1] == f"{Mark.THERE.value:<14} older versions in {HOME} are gone"
    assert all("group" in line for line in there[:-1])
    assert "companion:x:990:990::/var/lib/secret-hitler-companion:/usr/sbin/nologin" in made["etc/passwd"][1]
    assert made["etc/group"][1].count(",companion\n") == 3
    assert made["usr/local/bin/companion"][1] == f"{HOME}/current/bin/companion"
    assert made[SETTINGS] == (0o644, installed_file())
    assert "org.freedesktop.login1.power-off" in made["etc/polkit-1/rules.d/50-secret-hitler-companion.rules"][1]
    assert f"etc/systemd/system/multi-user.target.wants/{SERVICE}" in made
    assert debian.running == {SERVICE}
    changes = debian.changes()
    assert f"/usr/bin/python3 -m venv --system-site-packages {debian.current()}" in changes
    assert changes.index(f"{debian.current()}/bin/python -P -m companion.commands.install.trial") < changes.index(
        f"systemctl enable {SERVICE}"
    )
    assert changes.index("systemctl daemon-reload") < changes.index(f"systemctl restart {SERVICE}")


def test_nothing_of_the_source_stays_behind(debian: FakeDebian, install: Callable[..., str], copy: Path) -> None:
    """The copy that was installed from is as it was, and what was brought to the card for pip is gone."""
    before = sorted(copy.rglob("*"))
    install()
    assert sorted(copy.rglob("*")) == before
    home = debian.root / "opt/secret-hitler-companion"
    assert sorted(path.name for path in home.iterdir()) == ["current", "versions"]


def steps(told: str) -> list[str]:
    """The steps of what was printed, each once."""
    lines = told.split("\n\n", maxsplit=1)[0].splitlines()
    return [line for line in lines if not line.startswith(f"{Mark.BEGINS.value} ")]


def test_twice_is_as_good_as_once(debian: FakeDebian, install: Callable[..., str]) -> None:
    """The second time every step is there, no program that changes anything is run, and no game is interrupted."""
    install(hotspot="Secret")
    before = debian.files()
    debian.changes()
    told = install(hotspot="Secret")
    assert all(line.startswith(Mark.THERE.value) for line in told.split("\n\n")[0].splitlines())
    assert debian.changes() == []
    assert debian.files() == before


def test_a_dry_run_tells_every_step_and_does_none(
    debian: FakeDebian, install: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown is what is done later, step by step, and showing it needs no root."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    before = debian.files()
    shown = install(only_show=True, hotspot="Secret").splitlines()
    assert debian.files() == before
    assert debian.changes() == []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    done = steps(install(hotspot="Secret"))
    width = 15
    assert [line[width:] for line in shown] == [line[width:] for line in done]
    assert [line[:width].strip() for line in shown] == [
        {"done": "would be done"}.get(mark, mark) for mark in (line[:width].strip() for line in done)
    ]


def test_an_upgrade_keeps_settings_and_games(debian: FakeDebian, install: Callable[..., str], copy: Path) -> None:
    """A changed program is installed and started anew; what people wrote, and the journal, stay as they are."""
    install()
    debian.put(SETTINGS, 'language = "pl"\n')
    debian.put("var/lib/secret-hitler-companion/journal.db", "games")
    debian.changes()
    (copy / "companion" / "new.py").write_text("", encoding="utf-8")
    told = install()
    made = debian.files()
    assert made[SETTINGS][1] == 'language = "pl"\n'
    assert made["var/lib/secret-hitler-companion/journal.db"][1] == "games"
    assert [line for line in told.splitlines() if line.startswith(f"{Mark.DONE.value} ")] == [
        f"{Mark.DONE.value:<14} program in {HOME}",
        f"{Mark.DONE.value:<14} {HOME}/current is this version",
        f"{Mark.DONE.value:<14} {SERVICE} runs",
        f"{Mark.DONE.value:<14} older versions in {HOME} are gone",
    ]
    assert f"systemctl restart {SERVICE}" in debian.changes()


def test_another_python_gets_the_program_anew(debian: FakeDebian, install: Callable[..., str]) -> None:
    """An upgrade of the system leaves an environment of a Python that is gone: it is made again."""
    install()
    python = debian.root / "usr/bin/python3"
    python.unlink()
    python.symlink_to("python3.14")
    debian.changes()
    install()
    assert any("-m venv" in each for each in debian.changes())


def test_a_step_that_fails_is_told_and_done_the_next_time(debian: FakeDebian, install: Callable[..., str]) -> None:
    """After a fault in the middle, or a power cut, the same command goes on where it was."""
    debian.broken.add("-m pip")
    assert "failed with 1" in install(code=1)
    assert not debian.running
    assert sorted(path.name for path in (debian.root / HOME.lstrip("/")).rglob("*")) == ["versions"]
    debian.broken.clear()
    install()
    assert debian.running == {SERVICE}


def test_each_step_says_that_it_begins(install: Callable[..., str]) -> None:
    """What takes minutes is named before, so that nobody pulls the plug for a box that seems to hang."""
    lines = install().split("\n\n")[0].splitlines()
    begun = [line[15:] for line in lines if line.startswith(Mark.BEGINS.value)]
    assert begun == [line[15:] for line in lines if line.startswith(f"{Mark.DONE.value} ")]
    assert f"program in {HOME}" in begun


def test_a_voice_that_cannot_be_fetched_is_done_without(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Without the internet the eSpeak NG that came with the program speaks, and the next installation tries again."""
    for package in ("libespeak-ng1", "espeak-ng-data"):
        debian.broken.add(package)
    told = install()
    assert f"{Mark.MISSED.value:<14} package libespeak-ng1: the eSpeak NG that comes with the program speaks" in told
    assert debian.running == {SERVICE}
    debian.broken.clear()
    assert f"{Mark.DONE.value:<14} package libespeak-ng1" in install()


@pytest.fixture
def upgrade(install: Callable[..., str], copy: Path) -> Callable[..., str]:
    """Installs, and then a version of other words; returns what the upgrade printed."""

    def upgrade(**options: Any) -> str:
        (copy / "companion" / "new.py").write_text("", encoding="utf-8")
        return install(**options)

    install()
    return upgrade


class Plug(BaseException):
    """Nothing catches a plug that is pulled."""


def test_a_plug_pulled_at_any_moment_of_an_upgrade_leaves_a_version_that_starts(
    debian: FakeDebian, upgrade: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each program, link, file and removal of an upgrade in turn: what is linked is whole, the next try ends it.

    The link names the version before or the new one, with its marker and its command, and the unit starts by that link.
    """
    before = debian.current()
    pulled_at = 0
    acts = ("run", "link", "write", "remove")
    seen = set()
    while True:
        left = pulled_at

        def pull(act: str, real: Callable[..., None]) -> Callable[..., None]:
            def acted(target: Target, *arguments: Any, **options: Any) -> None:
                nonlocal left
                if left == 0:
                    seen.add(act)
                    raise Plug
                left -= 1
                real(target, *arguments, **options)

            return acted

        with monkeypatch.context() as patched:
            for act in acts:
                patched.setattr(Target, act, pull(act, getattr(Target, act)))
            try:
                upgrade()
                break
            except Plug:
                pass
        folder = debian.root / debian.current().lstrip("/")
        assert (folder / "installed").is_file()
        assert (folder / "bin/companion").is_file()
        unit = debian.files()[f"etc/systemd/system/{SERVICE}"][1]
        assert f"ExecStart={HOME}/current/bin/companion " in unit
        pulled_at += 1
    assert seen == set(acts)
    assert debian.current() != before
    assert sorted(path.name for path in (debian.root / HOME.lstrip("/")).iterdir()) == ["current", "versions"]
    assert [str(path) for path in (debian.root / f"{HOME}/versions".lstrip("/")).iterdir()] == [
        str(debian.root / debian.current().lstrip("/"))
    ]


def test_a_version_that_fails_its_trial_never_plays(debian: FakeDebian, upgrade: Callable[..., str]) -> None:
    """The box that plays is neither stopped nor changed, and nothing of the failed version is left."""
    before = debian.files()
    debian.changes()
    debian.broken.add("companion.commands.install.trial")
    assert "failed with 1" in upgrade(code=1)
    assert debian.files() == before
    assert debian.running == {SERVICE}
    assert not any("restart" in each for each in debian.changes())


@pytest.mark.parametrize("fault", ["does not start", "serves no pages"])
def test_a_version_that_does_not_play_gives_way_to_the_one_before(
    debian: FakeDebian, upgrade: Callable[..., str], monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The one before is started again, and the sentence says so and where to look."""
    before = debian.current()
    bad: list[str] = []

    def link(target: Target, path: str, to: str) -> None:
        if to != before and not bad:
            bad.append(to)
            if fault == "does not start":
                debian.does_not_start.add(to)
        real_link(target, path, to)

    real_link = Target.link
    monkeypatch.setattr(Target, "link", link)
    if fault == "serves no pages":
        monkeypatch.setattr(RunningTarget, "serves", lambda _self, _port: debian.current() == before)
    told = upgrade(code=1)
    assert "The version before it plays again." in told
    assert "sudo journalctl -u" in told
    assert debian.current() == before
    assert debian.running == {SERVICE}


def test_a_box_of_before_there_were_versions_is_upgraded(debian: FakeDebian, install: Callable[..., str]) -> None:
    """What lay in one environment stays until the new version has run, and then goes."""
    debian.put(f"{HOME}/venv/bin/companion", "old")
    debian.put(f"{HOME}/installed", "marker")
    install(running=False)
    assert f"{HOME}/venv/bin/companion".lstrip("/") in debian.files()
    install()
    assert sorted(path.name for path in (debian.root / HOME.lstrip("/")).iterdir()) == ["current", "versions"]


def test_settings_with_which_no_box_starts_are_told_before_anything_is_done(
    debian: FakeDebian, install: Callable[..., str]
) -> None:
    """A box that plays is not restarted into settings that it would refuse."""
    install()
    debian.put(SETTINGS, "port = nonsense\n")
    before = debian.files()
    debian.changes()
    assert "Nothing was changed" in install(code=1)
    assert debian.files() == before
    assert debian.changes() == []


def test_a_dry_run_goes_past_what_only_root_may_see(
    debian: FakeDebian, install: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that others may not enter hides one step, not those behind it."""
    install(hotspot="Secret")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    hidden = debian.root / "etc/polkit-1/rules.d/50-secret-hitler-companion.rules"
    real_is_file = Path.is_file

    def is_file(path: Path) -> bool:
        if path == hidden:
            raise PermissionError(13, "Permission denied", str(path))
        return real_is_file(path)

    monkeypatch.setattr(Path, "is_file", is_file)
    lines = install(only_show=True).splitlines()
    assert f"{Mark.HIDDEN.value:<14} /{hidden.relative_to(debian.root)}" in lines
    assert lines[-1] == f"{Mark.THERE.value:<14} older versions in {HOME} are gone"


def test_a_service_that_does_not_start_is_told_with_where_to_look(
    debian: FakeDebian, install: Callable[..., str]
) -> None:
    """The sentence has the command that shows why."""
    debian.broken.add("systemctl restart")
    assert "sudo journalctl -u" in install(code=1)


def test_taking_back_leaves_settings_games_and_user(debian: FakeDebian, install: Callable[..., str]) -> None:
    """What was installed goes, and the lines it spoke; what people own stays. Taken back twice is as good as once."""
    debian.put("etc/avahi/services/other.service")
    before = debian.files()
    install(hotspot="Secret")
    debian.put("var/lib/secret-hitler-companion/journal.db", "games")
    debian.put("var/cache/secret-hitler-companion/a line that was spoken.wav")
    install(take_back=True)
    after = debian.files()
    assert debian.running == set()
    kept = {SETTINGS, "var/lib/secret-hitler-companion/journal.db"}
    packages = {
        "usr/lib/python3.13/ensurepip/__init__.py",
        "usr/lib/python3/dist-packages/lgpio.py",
        "usr/lib/aarch64-linux-gnu/libespeak-ng.so.1",
        "usr/lib/aarch64-linux-gnu/espeak-ng-data/phontab",
    }
    assert set(after) - set(before) == kept | packages
    assert debian.changes()[-1] == "systemctl daemon-reload"
    install(take_back=True)
    assert debian.files() == after


def test_taking_back_can_be_shown_first(debian: FakeDebian, install: Callable[..., str]) -> None:
    """What is shown is what is done, the service first: that user, settings and packages stay is told before."""
    install(hotspot="Secret")
    before = debian.files()
    debian.changes()
    shown = install(take_back=True, only_show=True).splitlines()
    assert f"{Mark.WOULD_GO.value:<14} {SERVICE} runs" in shown[:3]
    assert debian.files() == before
    assert debian.changes() == []
    done = install(take_back=True).split("\n\n")[0].splitlines()
    assert [line.replace(Mark.WOULD_GO.value, Mark.REMOVED.value.ljust(8)) for line in shown] == done
    kept = [line for line in shown if line.startswith(Mark.KEPT.value)]
    assert len(kept) == 14
    again = install(take_back=True, only_show=True).splitlines()
    assert all(line.startswith(Mark.KEPT.value) for line in again)


def test_a_mounted_card_is_installed_but_not_started(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Below another root programs run inside it, and the service starts when that system does."""
    told = install(running=False)
    assert "plays when it is switched on" in told
    assert f"etc/systemd/system/multi-user.target.wants/{SERVICE}" in debian.files()
    assert not debian.running
    assert not any("restart" in each for each in debian.changes())


def test_a_debian_without_lgpio_is_installed_all_the_same(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Only Raspberry Pi OS has the package for pins; another Debian is not asked for it."""
    debian.put("etc/os-release", 'NAME="Debian GNU/Linux"\nID=debian\n')
    told = install(running=False)
    assert 'panel = "web"' in told
    assert not any("lgpio" in each for each in debian.changes())
    debian.put("etc/rpi-issue", "Raspberry Pi reference 2025-10-01\n")
    told = install(running=False)
    assert 'panel = "web"' not in told
    assert any("python3-lgpio" in each for each in debian.changes())


def test_without_polkit_it_is_told_that_undo_cannot_switch_off(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Leave to power off is a rule for polkit, which a Debian of the least packages has not: the remedy is told."""
    assert "apt-get install polkitd" in install()
    debian.put("usr/lib/polkit-1/polkitd")
    assert "polkitd" not in install()


def test_only_where_avahi_is_there_it_gets_a_name(debian: FakeDebian, install: Callable[..., str]) -> None:
    """A file for a program that is not there would be litter."""
    install()
    assert not (debian.root / "etc/avahi").exists()
    (debian.root / "etc/avahi/services").mkdir(parents=True)
    install()
    told = debian.files()["etc/avahi/services/secret-hitler-companion.service"][1]
    assert "_http._tcp" in told
    assert "<port>80</port>" in told


@pytest.mark.parametrize(("settings", "port"), [("port = 8080\n", 8080), ('language = "pl"\n', 8080)])
def test_the_name_leads_to_the_port_of_the_settings(
    debian: FakeDebian, install: Callable[..., str], settings: str, port: int
) -> None:
    """Whoever moved the pages gets a name that leads to them with the next `install`."""
    (debian.root / "etc/avahi/services").mkdir(parents=True)
    install()
    debian.put(SETTINGS, settings)
    install()
    assert f"<port>{port}</port>" in debian.files()["etc/avahi/services/secret-hitler-companion.service"][1]


def test_no_name_leads_to_a_port_that_nobody_knows(debian: FakeDebian, install: Callable[..., str]) -> None:
    """With any free port none is announced."""
    (debian.root / "etc/avahi/services").mkdir(parents=True)
    debian.put(SETTINGS, "port = 0\n")
    install()
    assert "etc/avahi/services/secret-hitler-companion.service" not in debian.files()


def test_a_missing_group_is_made(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Another Debian than Raspberry Pi OS has no group gpio."""
    debian.put("etc/group", "root:x:0:\naudio:x:29:\n")
    install()
    assert "gpio:x:900:companion\n" in debian.files()["etc/group"][1]


def test_a_user_who_is_there_only_joins_the_groups(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Nobody is made twice."""
    install()
    debian.put("etc/group", "root:x:0:\naudio:x:29:pi\nspi:x:989:pi\ngpio:x:986:pi,companion\n")
    debian.changes()
    install()
    assert debian.changes()[0] == "usermod --append --groups gpio,audio,spi companion"


def test_a_program_of_the_same_name_is_left_alone(debian: FakeDebian, install: Callable[..., str]) -> None:
    """A file that is none of ours is not replaced."""
    debian.put("usr/local/bin/companion", "mine")
    assert "is none of ours" in install(code=1)
    assert debian.files()["usr/local/bin/companion"][1] == "mine"


# --- better voices ---------------------------------------------------------------------------------------------------

VOICES = "var/lib/secret-hitler-companion/voices"


def test_better_voices_come_with_what_speaks_them(debian: FakeDebian, install: Callable[..., str]) -> None:
    """The box plays before they are fetched, since that takes long, and is started anew to speak with them."""
    told = install(voices=True)
    assert "program, with Piper, in" in told
    changes = debian.changes()
    fetch = f"{HOME}/current/bin/companion voices --config /{SETTINGS} --install all"
    restart = f"systemctl restart {SERVICE}"
    assert changes.index(restart) < changes.index(fetch) < changes.index(f"systemctl try-restart {SERVICE}")
    assert debian.files()[f"{debian.current().lstrip('/')}/bin/companion"][1].endswith("[piper]")
    again = install(voices=True)
    assert f"{Mark.THERE.value:<14} voices in /{VOICES}" in again
    assert debian.changes() == []


def test_an_upgrade_keeps_what_speaks_the_voices(install: Callable[..., str], copy: Path) -> None:
    """Also without the option: they would fall silent otherwise."""
    install(voices=True)
    (copy / "companion" / "new.py").write_text("new")
    assert "program, with Piper, in" in install()


def test_voices_that_come_later_need_a_version_that_speaks_them(
    debian: FakeDebian, install: Callable[..., str]
) -> None:
    """The same program without Piper is another version."""
    install()
    before = debian.current()
    install(voices=True)
    assert debian.current() != before


def test_without_the_internet_the_box_speaks_as_it_did(debian: FakeDebian, install: Callable[..., str]) -> None:
    """It is installed, says how many are missing, and goes on where it broke off; what has come is spoken with."""
    debian.has_all_voices, everything = False, debian.voices
    debian.voices = everything[:4]
    told = install(voices=True)
    assert f"{Mark.MISSED.value:<14} voices in /{VOICES}: {len(everything) - 4} could not be had." in told
    assert "The box plays" in told
    assert f"systemctl try-restart {SERVICE}" in debian.changes()
    told = install(voices=True)
    assert f"systemctl try-restart {SERVICE}" not in debian.changes()
    debian.has_all_voices, debian.voices = True, everything
    assert f"{Mark.DONE.value:<14} voices in /{VOICES}" in install(voices=True)


def test_the_voices_stay_when_the_box_goes(debian: FakeDebian, install: Callable[..., str]) -> None:
    """As games do."""
    install(voices=True)
    install(take_back=True)
    assert len([path for path in debian.files() if path.startswith(VOICES)]) == 2 * len(debian.voices)


# --- a network of its own --------------------------------------------------------------------------------------------


def test_a_hotspot_is_for_root_alone_and_shown_as_a_code(debian: FakeDebian, install: Callable[..., str]) -> None:
    """The keyfile with the passphrase is unreadable for others; the terminal shows name, passphrase and code."""
    told = install(hotspot="Secret Table")
    mode, text = debian.files()[KEYFILE]
    assert mode == 0o600
    passphrase = hotspot.passphrase_in(debian.target())
    assert re.fullmatch(r"[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}", passphrase)
    for line in ("mode=ap", "ssid=Secret Table", "proto=rsn;", "pairwise=ccmp;", "group=ccmp;", "method=shared"):
        assert f"\n{line}\n" in text
    assert f"'Secret Table' with the passphrase {passphrase}" in told
    assert "stay connected" in told


def test_the_service_is_handed_the_hotspot(debian: FakeDebian, install: Callable[..., str]) -> None:
    """The unit has systemd hand it the very file that was made, and what stands in for it is no network."""
    install(hotspot="Secret Table")
    unit = debian.files()[f"etc/systemd/system/{SERVICE}"][1]
    assert f"\nLoadCredential=hotspot:{hotspot.PATH}\n" in unit
    stand_in = re.search(r"^SetCredential=hotspot:(.+)$", unit, re.MULTILINE)
    assert stand_in is not None
    assert wifi.parse(stand_in[1]) is None
    made = wifi.parse(debian.files()[KEYFILE][1])
    assert made is not None
    assert (made.name, made.address) == ("Secret Table", "192.168.4.1")


def test_a_passphrase_stays_when_the_name_changes(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Whoever had to type it types it once."""
    install(hotspot="One")
    first = hotspot.passphrase_in(debian.target())
    install(hotspot="Two")
    assert hotspot.passphrase_in(debian.target()) == first
    assert "ssid=Two" in debian.files()[KEYFILE][1]
    install()
    assert "ssid=Two" in debian.files()[KEYFILE][1], "an upgrade that says nothing of a hotspot takes none away"


def test_no_two_boxes_share_a_passphrase() -> None:
    """Each is drawn from the system's own chance."""
    assert len({hotspot.new_passphrase() for _ in range(100)}) == 100


NETWORK_UNIT = "etc/systemd/system/secret-hitler-companion-network.service"


def test_a_box_has_a_network_for_where_it_knows_none(debian: FakeDebian, install: Callable[..., str]) -> None:
    """Not by itself at every start: a service decides. The terminal tells its name, passphrase and code."""
    told = install()
    mode, text = debian.files()[KEYFILE]
    assert mode == 0o600
    assert "\nautoconnect=false\n" in text
    assert f"\nssid={hotspot.USUAL_NAME}\n" in text
    assert hotspot.passphrase_in(debian.target()) in told
    assert f"{NETWORK_UNIT.removesuffix('-network.service').rpartition('/')[0]}/multi-user.target.wants" in str(
        sorted(debian.files())
    )
    install(hotspot="Game night")
    assert "\nautoconnect=true\n" in debian.files()[KEYFILE][1]
    assert "opens its own" not in install()
    assert "ssid=Game night" in debian.files()[KEYFILE][1], "what somebody has named stays"
    install(take_back=True)
    assert KEYFILE not in debian.files()
    assert NETWORK_UNIT not in debian.files()


@pytest.mark.parametrize("why", ["own_network = false", "no NetworkManager"])
def test_a_box_without_a_network_of_its_own(debian: FakeDebian, install: Callable[..., str], why: str) -> None:
    """Who does not want one says so in the settings; and where nobody could make it there is none."""
    if why == "no NetworkManager":
        (debian.root / "usr/bin/nmcli").unlink()
    else:
        debian.put(SETTINGS, f"port = 80\n{why}\n")
    assert "Wi-Fi" not in install()
    assert KEYFILE not in debian.files()
    assert NETWORK_UNIT not in debian.files()


def test_a_network_that_is_no_longer_wanted_is_not_advertised(debian: FakeDebian, install: Callable[..., str]) -> None:
    """It stays where it is, since the box may be asked for it again; it is left closed, and nothing is said of it."""
    install()
    passphrase = hotspot.passphrase_in(debian.target())
    debian.put(SETTINGS, "port = 80\nown_network = false\n")
    assert passphrase not in install()


def test_a_hotspot_without_network_manager_is_refused(debian: FakeDebian, install: Callable[..., str]) -> None:
    """A file that nobody reads is no network."""
    (debian.root / "usr/bin/nmcli").unlink()
    assert "needs NetworkManager" in install(code=1, hotspot="Secret")


@pytest.mark.parametrize("name", ["", "a" * 33, "ż" * 17, " box", "a;b", "a\\b", 'a"b', "a\nb"])
def test_a_name_that_no_network_can_have_is_refused(name: str) -> None:
    """Refused before anything is done."""
    with pytest.raises(ValueError, match="a network's name"):
        hotspot.checked_name(name)


def test_network_manager_reads_the_keyfile(debian: FakeDebian, install: Callable[..., str]) -> None:
    """NetworkManager itself finds a network of our name and ciphers in the file."""
    nmcli = shutil.which("nmcli")
    if nmcli is None:
        pytest.skip("there is no nmcli")
    install(hotspot="Żółty stół, 1")
    text = debian.files()[KEYFILE][1]
    command = [nmcli, "--offline", "connection", "modify", "connection.id", "read"]
    read = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    for line in ("id=read", "mode=ap", "proto=rsn;", "pairwise=ccmp;", "group=ccmp;", "method=shared"):
        assert f"\n{line}\n" in read
    # It writes a name with letters of ours as bytes.
    ssid = re.search(r"^ssid=(.*)$", read, re.MULTILINE)
    assert ssid is not None
    assert bytes(int(byte) for byte in ssid[1].split(";") if byte).decode() == "Żółty stół, 1"
    assert f"psk={hotspot.passphrase_in(debian.target())}" in read


# --- what is installed -----------------------------------------------------------------------------------------------


def test_a_folder_of_wheels_is_enough(debian: FakeDebian, install: Callable[..., str], tmp_path: Path) -> None:
    """With our wheel among them nothing else is named, and pip asks no index."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    put_wheel(wheels)
    (wheels / "flask-3.1-py3-none-any.whl").write_text("wheel", encoding="utf-8")
    install(source=None, wheels=wheels)
    pip = next(each for each in debian.changes() if "-m pip" in each)
    assert "--no-index --find-links /opt/secret-hitler-companion/wheels" in pip
    assert pip.endswith("/opt/secret-hitler-companion/secret_hitler_companion-0.1.0-py3-none-any.whl")


def test_of_several_wheels_the_newest_is_installed(tmp_path: Path) -> None:
    """Whoever puts a newer wheel beside the older one upgrades by the same command; 0.10 is newer than 0.9."""
    for version in ("0.9.1", "0.10.0", "0.9.0"):
        put_wheel(tmp_path, version)
    assert find_source(None, tmp_path).name == "secret_hitler_companion-0.10.0-py3-none-any.whl"


def test_what_is_neither_a_wheel_nor_our_repository_is_refused(tmp_path: Path) -> None:
    """A wrong folder is told before anything is done."""
    with pytest.raises(InstallError, match="--source"):
        find_source(tmp_path, None)


def test_a_version_with_other_steps_installs_itself(copy: Path, tmp_path: Path) -> None:
    """After an update of the copy alone, a unit of the old version is not put beside a program of the new one."""
    (copy / "companion/commands/install/files" / SERVICE).write_text("[Unit]\n", encoding="utf-8")
    with pytest.raises(InstallError, match=re.escape(f"-m pip install --force-reinstall --no-deps {copy}`")):
        find_source(copy, None)
    wheel = put_wheel(tmp_path)
    assert find_source(wheel, None) == wheel
    wheel.write_bytes(wheel.read_bytes()[:1000])
    with pytest.raises(InstallError, match="not copied whole"):
        find_source(wheel, None)


def test_without_a_word_it_installs_what_it_was_installed_from() -> None:
    """A box that was tried from a copy of the repository is installed from that copy."""
    try:
        source = find_source(None, None)
    except InstallError as error:
        pytest.skip(str(error))
    assert source.suffix == ".whl" or (source / "pyproject.toml").is_file()


# --- what is refused -------------------------------------------------------------------------------------------------


def test_another_system_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file is written on what is no Debian."""
    assert run(Target(tmp_path)) == 1
    assert "Raspberry Pi OS" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_somebody_who_is_not_root_is_told_how(
    install: Callable[..., str], monkeypatch: pytest.MonkeyPatch, debian: FakeDebian
) -> None:
    """The sentence has the command."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    before = debian.files()
    assert "sudo" in install(code=1)
    assert debian.files() == before


def test_a_program_that_fails_is_told_with_its_last_lines() -> None:
    """What the program said is what helps."""
    with pytest.raises(InstallError, match=r"(?s)failed with 3:\n  out\n  err"):
        run_program(["sh", "-c", "echo out; echo err >&2; exit 3"])
    with pytest.raises(InstallError, match="cannot be run"):
        run_program(["/no/such/program"])


def test_a_program_that_takes_minutes_is_heard_meanwhile(capfd: pytest.CaptureFixture[str]) -> None:
    """What pip says is printed line by line as it comes, and not once more at the end."""
    with pytest.raises(InstallError) as failed:
        run_program(["sh", "-c", "echo Collecting flask; exit 3"], is_shown=True)
    assert capfd.readouterr().out == "  Collecting flask\n"
    assert "\n" not in str(failed.value)


def test_the_command_line_installs(
    debian: FakeDebian, copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every option of the command reaches the plan."""
    monkeypatch.setattr(Target, "program", staticmethod(debian.run), raising=False)
    given = ["install", "--root", str(debian.root), "--source", str(copy), "--hotspot", "Secret"]
    assert cli.main([*given, "--dry-run"]) == 0
    assert "would be done  Wi-Fi network 'Secret', from the next start" in capsys.readouterr().out
    with pytest.raises(SystemExit) as refused:
        cli.main(["install", "--hotspot", "a;b"])
    assert refused.value.code == 2
    with pytest.raises(SystemExit):
        cli.main(["install", "--root", "/no/such/folder"])


# --- the files -------------------------------------------------------------------------------------------------------


def test_the_installed_settings_are_settings(tmp_path: Path) -> None:
    """The file as it is installed is read, and every line in it that is not in force could be."""
    text = installed_file()
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    settings = load({}, {}, path)
    assert (settings.panel, settings.port, settings.shutdown) == ("gpio", 80, "poweroff")
    assert settings.language == Settings().language
    path.write_text(re.sub(r"^#(\w+ = )", r"\1", text, flags=re.MULTILINE), encoding="utf-8")
    assert len(load({}, {}, path).sources) > len(settings.sources) + 5


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit, with a program that is there."""
    text = files("companion.commands.install").joinpath("files", SERVICE).read_text(encoding="utf-8")
    path = tmp_path / SERVICE
    program = shutil.which("true")
    assert program is not None
    path.write_text(text.replace(f"{HOME}/current/bin/companion", program), encoding="utf-8")
    return path


@pytest.mark.parametrize("how", [("verify",), ("security", "--offline=true", "--threshold=25")])
def test_systemd_likes_the_unit(unit: Path, how: tuple[str, ...]) -> None:
    """systemd-analyze finds no fault in the unit, and little that it could still be kept from (2.5 of 10)."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze")
    found = subprocess.run([analyze, *how, str(unit)], capture_output=True, text=True, check=False)
    # Of this machine's own units it may have much to say.
    ours = [line for line in found.stderr.splitlines() if SERVICE in line]
    assert (found.returncode, ours) == (0, []), found.stdout[-500:] + found.stderr


def test_the_service_waits_for_no_network(unit: Path) -> None:
    """Lights and voice are there before Wi-Fi, and wrong settings are not tried again and again."""
    lines = [line for line in unit.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert not [line for line in lines if "network" in line]
    for line in ("Type=notify", "Restart=always", "RestartPreventExitStatus=2", "WatchdogSec=30"):
        assert line in lines


def test_the_plan_is_the_same_thing_there_and_back(debian: FakeDebian, copy: Path) -> None:
    """Whatever can be installed is in the plan that takes it back, and what `companion gamepad` may have written."""
    (debian.root / "etc/avahi/services").mkdir(parents=True)
    there = box_plan(copy, None, "Secret", debian.target(), voices=True)
    back = box_plan(None, None, None, debian.target())
    taken = [type(step) for step in back.steps if step.what != udev.RULES]
    assert [type(step) for step in there.steps] == taken
    assert len(back.steps) == len(taken) + 1


def test_the_rule_for_usb_buttons_goes_with_the_box(debian: FakeDebian, install: Callable[..., str]) -> None:
    """`companion gamepad` wrote it, for a user who has nothing to read any more."""
    install()
    debian.put(udev.RULES, "a rule")
    assert f"removed        {udev.RULES}" in install(take_back=True)
    assert udev.RULES.lstrip("/") not in debian.files()
