"""A voice that people recorded: files named by line stand in for the synthesiser, one by one.

A folder for each language holds WAV, OGG or FLAC files named by the key of their line: `en/say.welcome.wav`,
`ru/night.many.close.ogg`. The seam has texts alone, so the keys are found by the text that would be spoken. Reading and
levelling happens in a process apart, once a file.
"""

from __future__ import annotations

import difflib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.narrator.child import PYTHON
from companion.narrator.sound import VoiceError
from companion.narrator.speech.piper import language_of
from companion.narrator.speech.working import WorkerSpeaker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from companion.languages import Language
    from companion.narrator.sound import Clip, Speaker, Voice

WORKER = (*PYTHON, "companion.narrator.speech.recorded_worker")
"""The command of the worker, to which the folder of recordings and the workspace are added."""
ENDINGS = (".wav", ".ogg", ".flac")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A line that can be recorded.

    Attributes:
        key: the name of its file, without the ending.
        text: what is read aloud.
    """

    key: str
    text: str


def script(language: Language) -> list[ScriptLine]:
    """Return every line of a language that holds no fact, in the order of its file: the night, the rest, refusals."""
    lines = [
        ScriptLine(f"night.{size}.{step.step.lower()}", step.text)
        for size, steps in (("few", language.few), ("many", language.many))
        for step in steps
        if step.text
    ]
    for table, texts in (("say", language.lines), ("refused", language.refusals)):
        lines += [ScriptLine(f"{table}.{key}", text) for key, text in texts.items() if "{" not in text]
    return lines


def write_script(languages: Sequence[Language]) -> str:
    """Return what to read aloud, with the name of the file for each line, as a text."""
    parts = [
        "# Read each line aloud and keep it as a WAV, OGG or FLAC file of the name before it, in one folder.",
        "# Name that folder in the settings as `recordings`. Loudness and the silence around a line are put right.",
    ]
    for language in languages:
        parts.append(f"\n# {language.name}\n")
        parts += [f"{language.code}/{line.key}.wav\t{line.text}" for line in script(language)]
    return "\n".join(parts) + "\n"


class RecordedSpeaker:
    """Plays recordings where there are any, and has somebody else speak the rest."""

    def __init__(
        self,
        folder: Path,
        languages: Sequence[Language],
        cache_dir: Path,
        otherwise: Speaker,
        *,
        command: Sequence[str] = WORKER,
    ) -> None:
        """Look what there is; nothing is read yet.

        Args:
            folder: the recordings, a folder for each language.
            languages: what the box speaks.
            cache_dir: where levelled recordings are kept.
            otherwise: who speaks what is not recorded; closed with this one.
            command: how the worker is started.

        Raises:
            VoiceError: levelled recordings can be kept nowhere at all.
        """
        self._folder = folder
        self._otherwise = otherwise
        self._notes: list[str] = []
        self._broken: set[Path] = set()
        self._files = {language.code: dict(self._recordings_of(language)) for language in languages}
        self._worker = WorkerSpeaker(
            cache_dir, command=(*command, str(folder.absolute())), fingerprint="recorded", attempts=1
        )
        if not folder.is_dir():
            self._notes.append(f"There is no folder of recordings {folder}.")

    @property
    def note(self) -> str:
        """What people should know about the recordings, in a few sentences; empty while all is well."""
        notes = [*self._notes, self._worker.note, self._otherwise.note]
        return " ".join(note for note in notes if note)

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Return a line that is levelled or rendered already, from any thread."""
        name = self._name_of(text, voice)
        return self._otherwise.find(text, voice) if name is None else self._worker.find(name, voice)

    def prepare(self, texts: Sequence[str], voice: Voice) -> None:
        """Level every recording and have the rest rendered.

        Raises:
            VoiceError: a text could be spoken by nobody.
        """
        for text in texts:
            if self._recording(text, voice) is None:
                self._otherwise.prepare([text], voice)

    def clip(self, text: str, voice: Voice, *, within_seconds: float | None = None) -> Clip:
        """Return the recording of a text, levelled, or somebody else's speech.

        Raises:
            VoiceError: it could be spoken by nobody.
        """
        return self._recording(text, voice) or self._otherwise.clip(text, voice, within_seconds=within_seconds)

    def called(self, voice: Voice) -> str:
        """Return the folder's name where a language has recordings, and who says all else."""
        otherwise = self._otherwise.called(voice)
        return f"{self._folder.name}, {otherwise}" if self._files.get(language_of(voice)) else otherwise

    def describe(self, voice: Voice) -> str:
        """Say in one sentence who speaks, and how many lines are recordings."""
        count = len(set(self._files.get(language_of(voice), {}).values()) - self._broken)
        told = self._otherwise.describe(voice)
        return f"{told.rstrip('.')}; recorded lines from {self._folder}: {count}." if count else told

    def rest(self) -> float | None:
        """End workers that have been idle for long; return in how many seconds to look again."""
        left = [self._worker.rest(), self._otherwise.rest()]
        return min((seconds for seconds in left if seconds is not None), default=None)

    def kill(self) -> None:
        """Let the workers die, whatever they do; from any thread."""
        self._worker.kill()
        self._otherwise.kill()

    def close(self) -> None:
        """End the workers."""
        self._worker.close()
        self._otherwise.close()

    def _recordings_of(self, language: Language) -> Iterator[tuple[str, Path]]:
        """Yield the spoken text and the file of each recorded line, and note each file that is none."""
        lines: Mapping[str, str] = {line.key: line.text for line in script(language)}
        folder = self._folder / language.code
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix.lower() not in ENDINGS:
                continue
            if path.stem in lines:
                yield language.pronounce(lines[path.stem]), path
                continue
            near = difflib.get_close_matches(path.stem, lines, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            self._notes.append(f"The recording {language.code}/{path.name} belongs to no line{hint or '.'}")

    def _name_of(self, text: str, voice: Voice) -> str | None:
        """Return what the cache calls a recording: one that was recorded anew is another line. None without one."""
        path = self._files.get(language_of(voice), {}).get(text)
        if path is None or path in self._broken:
            return None
        try:
            status = path.stat()
        except OSError as error:
            self._breaks(path, error.strerror or "it is gone")
            return None
        return f"{path.relative_to(self._folder)} {status.st_size} {status.st_mtime_ns}"

    def _recording(self, text: str, voice: Voice) -> Clip | None:
        name = self._name_of(text, voice)
        if name is None:
            return None
        try:
            return self._worker.clip(name, voice)
        except VoiceError as error:
            self._breaks(self._files[language_of(voice)][text], str(error))
            return None

    def _breaks(self, path: Path, reason: str) -> None:
        sentence = f"The recording {path.parent.name}/{path.name} cannot be used: {reason}."
        self._broken.add(path)
        self._notes.append(sentence)
        _log.warning(sentence)
