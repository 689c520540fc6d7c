"""`companion voices`: which voice speaks each language here, how long a sample takes, and how to have a better one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from companion import languages, voice
from companion.machine import terminal
from companion.narrator.night import voice_of
from companion.narrator.sound import Track, VoiceError
from companion.narrator.speech.piper import version as piper_version
from companion.narrator.speech.recorded import write_script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.settings import Settings


def run(settings: Settings, codes: Sequence[str], *, aloud: bool) -> int:
    """Print a line for each language, say its sample when `aloud`; return 1 when one has no voice, else 0.

    The language that the table speaks is marked.
    """
    speaker = voice.open_patient_speech(settings)
    told = ""
    output = voice.open_loudspeaker_and_wait(settings) if aloud else None
    if output is not None and output.trouble:
        print(output.trouble, file=sys.stderr)
    failed = False
    width = max(len(languages.load(code).name) for code in codes)
    try:
        for code in codes:
            language = languages.load(code)
            settings_of_voice = voice_of(language)
            mark = "*" if code == settings.language else " "
            began = time.perf_counter()
            try:
                clip = speaker.clip(language.pronounce(language.say("sample")), settings_of_voice)
            except VoiceError as error:
                print(f"{mark} {code}  {language.name:<{width}} no voice: {error}")
                failed = True
                continue
            took = time.perf_counter() - began
            described = (
                f"{mark} {code}  {language.name:<{width}} {speaker.describe(settings_of_voice)}"
                f" Sample: {clip.seconds:.1f} s of speech in {took:.2f} s."
            )
            print(terminal.fitted(described, width + 7), flush=True)
            note = speaker.note
            if note != told:
                told = note
                print(note, file=sys.stderr)
            if output is not None:
                output.play(clip, Track.VOICE)
                time.sleep(clip.seconds + 0.5)
    finally:
        speaker.close()
        if output is not None:
            output.close()
    if len(codes) > 1:
        print("* the table speaks this language")
    return int(failed)


def write_lines(file: Path, codes: Sequence[str]) -> int:
    """Write the lines that a recorded voice reads aloud, with the names of their files; return 0."""
    file.write_text(write_script([languages.load(code) for code in codes]), encoding="utf-8")
    return 0


def missing(code: str) -> int:
    """List what is wrong with a language file, and what of it is still English; return 0 when it is whole.

    Raises:
        LanguageError: there is no such file, or it cannot be read at all.
    """
    file = languages.FOLDER / f"{languages.known(code)}.toml"
    wrong = languages.faults(file)
    english = [] if file.stem == languages.codes()[0] else languages.untranslated(file)
    for title, found in (("Wrong", wrong), ("Still English", english)):
        if found:
            print(f"{title}: {len(found)}")
            for line in found:
                print(f"  {line}")
    if not wrong and not english:
        print(f"{file.name} is whole.")
    return int(bool(wrong or english))


DOWNLOADER = (sys.executable, "-m", "piper.download_voices")
_DOWNLOAD_SECONDS = 900
_LEAST_BYTES = 1_000_000


def install(settings: Settings, code: str, downloader: Sequence[str] = DOWNLOADER) -> int:
    """Fetch a Piper voice for a language with Piper's own downloader; return 0, or 1 and say what to do by hand."""
    if not piper_version():
        print(f"{voice.PIPER_MISSING}.", file=sys.stderr)
        return 1
    folder = settings.voice_dir
    name = languages.load(code).voice.piper
    if not name:
        print(f"No Piper voice is known here for {code}; put one of your own into {folder}.", file=sys.stderr)
        return 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Apart from its place: what breaks off half-way is never taken for a voice.
        with tempfile.TemporaryDirectory(prefix=".fetched-", dir=folder) as fetched:
            reason = _download(name, Path(fetched), downloader)
            if not reason:
                for file in Path(fetched).glob(f"{name}.*"):
                    file.replace(folder / file.name)
    except OSError as error:
        reason = f"{folder} cannot be written ({error.strerror})"
    if reason:
        print(
            f"The voice {name} could not be fetched: {reason}.\n"
            f"By hand: on a computer with internet and Piper run `python -m piper.download_voices {name}`, and copy"
            f" {name}.onnx and {name}.onnx.json into {folder}. Until then the box speaks as it does now.",
            file=sys.stderr,
        )
        return 1
    print(f"{code}: {name} is in {folder}, and speaks from the next start on.")
    return 0


def install_all(settings: Settings, downloader: Sequence[str] = DOWNLOADER) -> int:
    """Fetch the Piper voice of every language that has one, the table's first; return 1 when one could not be had.

    What is there already is not fetched again, so that what broke off goes on with the same command.
    """
    codes = sorted(languages.codes(), key=lambda code: code != settings.language)
    failed = False
    for code in codes:
        name = languages.load(code).voice.piper
        if not name:
            continue
        if all((settings.voice_dir / f"{name}{end}").exists() for end in (".onnx", ".onnx.json")):
            print(f"{code}: {name} is there.")
            continue
        print(f"{code}: fetching {name}, some 60 MB.", flush=True)
        failed = bool(install(settings, code, downloader)) or failed
    return int(failed)


def _download(name: str, folder: Path, downloader: Sequence[str]) -> str:
    """Have a voice fetched into a folder; return why it could not be, as a clause, or nothing."""
    try:
        done = subprocess.run(  # noqa: S603 - Piper's own program, with a name from the table above
            [*downloader, "--download-dir", str(folder), name],
            capture_output=True,
            text=True,
            timeout=_DOWNLOAD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it was not there after {_DOWNLOAD_SECONDS // 60} minutes"
    if done.returncode:
        printed = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        offline = any("URLError" in line for line in printed)
        return "the internet cannot be reached" if offline else printed[-1] if printed else "Piper's downloader failed"
    model, description = folder / f"{name}.onnx", folder / f"{name}.onnx.json"
    try:
        json.loads(description.read_text(encoding="utf-8"))
        whole = model.stat().st_size >= _LEAST_BYTES
    except (OSError, ValueError):
        whole = False
    return "" if whole else "what came is no voice"
