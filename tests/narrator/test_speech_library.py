"""eSpeak NG is found whatever the machine: misleading settings, deep folders, none at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import espeakng_loader
import pytest

from companion.narrator.sound import VoiceError
from companion.narrator.speech import library
from companion.narrator.speech.espeak import WORKER


def greeting(workspace: Path, **environment: str) -> dict[str, object]:
    """Start the real worker, have it speak a line, and return its first words."""
    workspace.mkdir()
    path = workspace.parent / "line.wav"
    facts = {"text": "hello", "voice": "gmw/en", "rate_wpm": 140, "pitch": 50, "variant": "", "path": str(path)}
    done = subprocess.run(
        [*WORKER, str(workspace)],
        input=json.dumps(facts) + "\n",
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    first, *rest = map(json.loads, done.stdout.splitlines())
    assert not first["ok"] or rest[0]["ok"]
    return first


@pytest.mark.parametrize("wrong", ["/no/such/folder", "relative", "/", "/" + "x" * 400])
def test_a_wrong_data_path_in_the_environment_does_no_harm(tmp_path, wrong):
    """ESPEAK_DATA_PATH with no voices in it would make eSpeak NG end its process; it is not heeded."""
    assert greeting(tmp_path / "work", ESPEAK_DATA_PATH=wrong)["ok"]


def test_voices_in_a_deep_folder_are_reached_by_a_short_way(tmp_path):
    """An environment 200 characters deep, in which eSpeak NG alone would end, speaks."""
    deep = tmp_path.joinpath(*["a-folder-with-a-rather-long-name"] * 6)
    deep.mkdir(parents=True)
    (deep / "espeakng_loader").symlink_to(Path(espeakng_loader.__file__).parent)
    workspace = Path(tempfile.mkdtemp()) / "work"
    places = os.pathsep.join(filter(None, [str(deep), os.environ.get("PYTHONPATH"), str(Path.cwd())]))
    assert greeting(workspace, PYTHONPATH=places)["ok"]
    assert not workspace.exists()
    shutil.rmtree(workspace.parent)


def test_a_wheel_without_voices_is_a_sentence(tmp_path, monkeypatch):
    """Missing voices are told, before eSpeak NG could end the process over them."""
    monkeypatch.setattr(library, "_system_voices", list)
    monkeypatch.setattr(espeakng_loader, "get_data_path", lambda: str(tmp_path))
    with pytest.raises(VoiceError, match="holds no voices"):
        library.load(tmp_path)


def test_no_way_short_enough_is_a_sentence(tmp_path):
    """Where even the workspace lies too deep, the box says so."""
    with pytest.raises(VoiceError, match="too long"):
        library._short(Path("/" + "d" * 150), tmp_path.joinpath("w" * 120))


def test_another_synthesiser_is_another_key(tmp_path, monkeypatch):
    """A system library that comes or changes makes the cache start anew."""
    before = library.fingerprint()
    (tmp_path / library.SONAME).write_bytes(b"one")
    monkeypatch.setattr(library, "_LIBRARY_FOLDERS", (str(tmp_path),))
    first = library.fingerprint()
    (tmp_path / library.SONAME).write_bytes(b"another")
    assert len({before, first, library.fingerprint()}) == 3
