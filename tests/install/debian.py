"""A Debian in a folder, and its programs as far as an installation needs them; written by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from companion import languages
from companion.commands.install.errors import InstallError
from companion.commands.install.target import Target

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOME = "/opt/secret-hitler-companion"
VERSION = re.compile(rf"{HOME}/versions/[0-9a-f]{{12}}")


class RunningTarget(Target):
    """A folder that passes for the running system: its programs are the fake's, and services start."""

    pages_answer = True

    @property
    def is_running(self) -> bool:
        return True

    def serves(self, port: int) -> bool:
        assert port
        return self.pages_answer


class FakeDebian:
    """A fresh card of Raspberry Pi OS. Notes every program that is run, and does what it would do to the files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ran: list[str] = []
        self.broken: set[str] = set()
        self.lists_fetched = False
        self.running: set[str] = set()
        self.does_not_start: set[str] = set()
        # What the internet has of the voices.
        self.voices = [languages.load(code).voice.piper for code in languages.codes()]
        self.has_all_voices = True
        for path, text in {
            "etc/debian_version": "13.1\n",
            "etc/passwd": "root:x:0:0:root:/root:/bin/bash\npi:x:1000:1000::/home/pi:/bin/bash\n",
            "etc/group": "root:x:0:\naudio:x:29:pi\nspi:x:989:pi\ngpio:x:986:pi\n",
            "usr/bin/systemctl": "",
            "usr/bin/apt-get": "",
            "usr/bin/nmcli": "",
            "usr/bin/python3.13": "",
            "etc/hostname": "box\n",
        }.items():
            self.put(path, text)
        (root / "usr/bin/python3").symlink_to("python3.13")

    def put(self, path: str, text: str = "") -> None:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def current(self) -> str:
        """The version that the service starts."""
        link = self.root / HOME.lstrip("/") / "current"
        return str(link.readlink()) if link.is_symlink() else ""

    def target(self, *, running: bool = True) -> Target:
        return RunningTarget(self.root, self.run) if running else Target(self.root, self.run)

    def changes(self) -> list[str]:
        """The programs that were run to change something, since the last look."""
        changes = [each for each in self.ran if "is-active" not in each]
        self.ran.clear()
        return changes

    def files(self) -> dict[str, tuple[int, str]]:
        """Every file and link, with who may read it and what it holds."""
        return {
            str(path.relative_to(self.root)): (
                path.lstat().st_mode & 0o777,
                str(path.readlink()) if path.is_symlink() else path.read_text(encoding="utf-8"),
            )
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }

    def run(self, command: Sequence[str], *, is_shown: bool = False) -> None:
        # Only what takes minutes is shown while it runs.
        assert not is_shown or {"pip", "companion.commands.install.trial", "voices"} & set(command)
        words = list(command)
        if words[0] == "chroot":
            assert words[1] == str(self.root)
            words = words[2:]
        line = " ".join(words)
        self.ran.append(line)
        for broken in self.broken:
            if broken in line:
                raise InstallError(f"`{line}` failed with 1:\n  no")
        self._do(words, line)

    def _do(self, words: list[str], line: str) -> None:  # noqa: C901, PLR0912 - a case for each program
        match words:
            case ["apt-get", "update"]:
                self.lists_fetched = True
            case ["apt-get", "install", *_, package]:
                if not self.lists_fetched:
                    raise InstallError("unable to locate package")
                brings = {
                    "python3-venv": "usr/lib/python3.13/ensurepip/__init__.py",
                    "python3-lgpio": "usr/lib/python3/dist-packages/lgpio.py",
                    "libespeak-ng1": "usr/lib/aarch64-linux-gnu/libespeak-ng.so.1",
                    "espeak-ng-data": "usr/lib/aarch64-linux-gnu/espeak-ng-data/phontab",
                }
                self.put(brings[package])
            case ["groupadd", "--system", name]:
                self._add("etc/group", f"{name}:x:900:\n")
            case ["useradd", *_, name]:
                self._add("etc/passwd", f"{name}:x:990:990::{_after(words, '--home-dir')}:{_after(words, '--shell')}\n")
                self._join(name, _after(words, "--groups"))
            case ["usermod", "--append", "--groups", groups, name]:
                self._join(name, groups)
            case ["/usr/bin/python3", "-m", "venv", *_, place]:
                self.put(f"{place}/bin/python")
            case [python, "-m", "pip", "install", *_, wanted] if VERSION.match(python):
                source, bracket, rest = wanted.partition("[")
                extra = bracket + rest
                assert (self.root / source.lstrip("/")).exists(), "pip sees only what is below the root"
                self.put(python.replace("/python", "/companion"), source + extra)
            case [python, "-P", "-m", "companion.commands.install.trial"] if VERSION.match(python):
                assert (self.root / python.replace("/python", "/companion").lstrip("/")).exists()
            case [program, "voices", *_, "--install", "all"] if program == f"{HOME}/current/bin/companion":
                for name in self.voices:
                    self.put(f"var/lib/secret-hitler-companion/voices/{name}.onnx")
                    self.put(f"var/lib/secret-hitler-companion/voices/{name}.onnx.json")
                if not self.has_all_voices:
                    raise InstallError("failed")
            case ["systemctl", "try-restart", service]:
                assert service in self.running
            case ["systemctl", "enable", service]:
                wanted = self.root / "etc/systemd/system/multi-user.target.wants" / service
                wanted.parent.mkdir(parents=True, exist_ok=True)
                wanted.symlink_to(f"/etc/systemd/system/{service}")
            case ["systemctl", "disable", *_, service]:
                (self.root / "etc/systemd/system/multi-user.target.wants" / service).unlink()
            case ["systemctl", "restart", service]:
                self.running.discard(service)
                if self.current() in self.does_not_start:
                    raise InstallError("failed")
                self.running.add(service)
            case ["systemctl", "stop", service]:
                self.running.discard(service)
            case ["systemctl", "is-active", "--quiet", service]:
                if service not in self.running:
                    raise InstallError("inactive")
            case _:
                known = ("systemctl daemon-reload", "systemctl reset-failed", "nmcli connection reload")
                assert line.startswith(known), f"nobody knows {line}"

    def _add(self, path: str, line: str) -> None:
        place = self.root / path
        place.write_text(place.read_text(encoding="utf-8") + line, encoding="utf-8")

    def _join(self, name: str, groups: str) -> None:
        place = self.root / "etc/group"
        text = place.read_text(encoding="utf-8")
        for group in groups.split(","):
            text, found = re.subn(
                rf"^({group}:x:\d+:)(.*)$",
                lambda match: match[1] + ",".join(filter(None, (match[2], name))),
                text,
                flags=re.MULTILINE,
            )
            assert found == 1, f"there is no group {group}"
        place.write_text(text, encoding="utf-8")


def _after(words: list[str], option: str) -> str:
    return words[words.index(option) + 1]
