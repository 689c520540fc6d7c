"""Piper: voices that people put into a folder, found by their language, with the box's own voice behind them.

Nothing here imports Piper. Its models live in a process apart for each language, as eSpeak NG does.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from companion.narrator.child import PYTHON
from companion.narrator.sound import VoiceError
from companion.narrator.speech.rest import Rest
from companion.narrator.speech.speech import LINE_SECONDS
from companion.narrator.speech.working import WorkerSpeaker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from companion.narrator.sound import Clip, Voice
    from companion.narrator.speech.espeak import EspeakSpeaker

WORKER = (*PYTHON, "companion.narrator.speech.piper_worker")
"""The command of the worker, to which the model and the workspace are added."""
PACKAGE = "piper-tts"
UNKNOWN = "unknown"

PIPER_SECONDS = 2.8
"""How long Piper may take for a line that is waited for, loading the voice included; then somebody else still has two
seconds to say it."""
_PREPARE_SECONDS = 25.0
"""A small computer takes its time for a line, and before the evening nobody waits for it."""
_IDLE_SECONDS = 120.0
"""A model takes a second or more to load, and lines with names come once a minute."""
_SAME = {"no": "nb", "nn": "nb"}
"""Voices name Norwegian as a whole; the box speaks Bokmål."""
_CARD_BYTES = 65_536
_LICENCE = re.compile(r"licen[cs]e\W*\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Model:
    """A Piper voice in a folder.

    Attributes:
        language: the code that the box has for its language.
        path: the `.onnx` file; its description has the same name and `.json` after it.
        licence: what its card or description says of its licence, or `unknown`.
    """

    language: str
    path: Path
    licence: str

    @property
    def name(self) -> str:
        """What the voice is called, such as `en_GB-alan-medium`."""
        return self.path.stem

    @property
    def fingerprint(self) -> str:
        """A text that changes whenever the voice may sound different."""
        facts = [PACKAGE, version(), self.name]
        for file in (self.path, _description(self.path)):
            status = file.stat()
            facts += [str(status.st_size), str(status.st_mtime_ns)]
        return " ".join(facts)


def version() -> str:
    """Return the version of Piper, or empty where it is not installed."""
    if importlib.util.find_spec("piper") is None:
        return ""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return ""


def find_models(folder: Path) -> tuple[dict[str, Model], list[str]]:
    """Return the voice for each language in a folder or the folders in it, and a sentence for each that is broken.

    The first by name speaks where there are several for one language.
    """
    found: dict[str, Model] = {}
    notes = []
    for path in sorted([*folder.glob("*.onnx"), *folder.glob("*/*.onnx")], key=lambda path: path.name):
        try:
            model = _model(path)
        except (OSError, ValueError) as error:
            notes.append(f"The voice {path.name} cannot be used: {error}.")
            continue
        found.setdefault(model.language, model)
    return found, notes


def _model(path: Path) -> Model:
    """Read what a voice says of itself.

    Raises:
        ValueError: it says nothing that is of use; the message is a clause.
    """
    try:
        facts = json.loads(_description(path).read_text(encoding="utf-8"))
        language = facts.get("language", {}).get("code") or facts["espeak"]["voice"]
        code = re.split(r"[_-]", str(language))[0].lower()
    except FileNotFoundError:
        raise ValueError(f"{_description(path).name} is missing beside it") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{_description(path).name} does not say its language") from None
    if not path.stat().st_size:
        raise ValueError("it is empty")
    return Model(_SAME.get(code, code), path, _licence(path, facts))


def _description(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _licence(path: Path, facts: Mapping[str, object]) -> str:
    """Return what the description or the card of a voice says of its licence."""
    said = facts.get("license") or facts.get("licence")
    if isinstance(said, str):
        return said
    cards = [path.with_name(f"{path.stem}.MODEL_CARD")]
    if len(list(path.parent.glob("*.onnx"))) == 1:
        # Beside several voices nobody knows whose card it is.
        cards.append(path.with_name("MODEL_CARD"))
    for card in cards:
        try:
            with card.open("rb") as file:
                text = file.read(_CARD_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        if stated := _LICENCE.search(text):
            return stated[1]
    return UNKNOWN


def language_of(voice: Voice) -> str:
    """Return the language of a voice of the box, which goes by eSpeak NG's name, such as `roa/pt-br`."""
    return voice.identifier.rpartition("/")[2].partition("-")[0]


class PiperSpeaker:
    """Speaks with Piper where a language has a voice, with somebody else where it has none or fails.

    Attributes:
        troubles: why voices that are there are not used, a sentence each.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        cache_dir: Path,
        otherwise: EspeakSpeaker,
        *,
        troubles: Sequence[str] = (),
        command: Sequence[str] = WORKER,
        attempt_seconds: float = PIPER_SECONDS,
    ) -> None:
        """Open the caches; nothing is started.

        Args:
            models: the voice for each language.
            cache_dir: where spoken lines are kept.
            otherwise: who speaks where Piper cannot; closed with this one.
            troubles: what was found wrong with the voices already.
            command: how a worker is started.
            attempt_seconds: how long a worker may take for a line that is waited for; there is no second attempt, since
                somebody else can say it.

        Raises:
            VoiceError: spoken lines can be kept nowhere at all.
        """
        self._models = dict(models)
        self._attempt_seconds = attempt_seconds
        self._otherwise = otherwise
        self.troubles = list(troubles)
        self._rests = {language: Rest() for language in self._models}
        self._speakers = {
            language: WorkerSpeaker(
                cache_dir,
                command=(*command, str(model.path.absolute())),
                fingerprint=model.fingerprint,
                attempts=1,
                attempt_seconds=attempt_seconds,
                line_seconds=attempt_seconds,
                prepare_seconds=_PREPARE_SECONDS,
                idle_seconds=_IDLE_SECONDS,
            )
            for language, model in self._models.items()
        }

    @property
    def note(self) -> str:
        """What people should know about the voices, in a few sentences; empty while all is well."""
        notes = [*self.troubles, self._otherwise.note]
        notes += [speaker.note for speaker in self._speakers.values()]
        return " ".join(dict.fromkeys(note for note in notes if note))

    def find(self, text: str, voice: Voice) -> Clip | None:
        """Return a line that is rendered already, from any thread."""
        language = language_of(voice)
        speaker = self._speakers.get(language)
        if speaker is not None and not self._rests[language].error:
            return speaker.find(text, voice)
        return self._otherwise.find(text, voice)

    def prepare(self, texts: Sequence[str], voice: Voice) -> None:
        """Render and check every text.

        Raises:
            VoiceError: a text could be spoken by nobody.
        """
        for text in texts:
            self._prepare(text, voice)

    def clip(self, text: str, voice: Voice, *, within_seconds: float | None = None) -> Clip:
        """Return the levelled speech of one text.

        Raises:
            VoiceError: it could be spoken by nobody.
        """
        language = language_of(voice)
        speaker = self._speakers.get(language)
        until = time.monotonic() + (LINE_SECONDS if within_seconds is None else within_seconds)
        if speaker is not None and not self._rests[language].error:
            try:
                clip = speaker.clip(text, voice, within_seconds=min(self._attempt_seconds, until - time.monotonic()))
            except VoiceError as error:
                self._failed(language, str(error))
            else:
                self._rests[language].succeeded()
                return clip
        return self._otherwise.clip(text, voice, within_seconds=until - time.monotonic())

    def called(self, voice: Voice) -> str:
        """Return what the voice of a language is called, while it speaks; else what speaks in its place."""
        model = self._models.get(language_of(voice))
        if model is None or self._rests[model.language].error:
            return self._otherwise.called(voice)
        return f"Piper, {model.name}"

    def describe(self, voice: Voice) -> str:
        """Say in one sentence which synthesiser and which voice this is, where it lies, and its licence."""
        model = self._models.get(language_of(voice))
        if model is None:
            return self._otherwise.describe(voice)
        if self._rests[model.language].error:
            return f"{self._otherwise.describe(voice)} Piper's {model.name} failed."
        return f"Piper {version()}, voice {model.name} in {model.path.parent}, licence {model.licence}."

    def rest(self) -> float | None:
        """End workers that have been idle for long; return in how many seconds to look again."""
        left = [speaker.rest() for speaker in (*self._speakers.values(), self._otherwise)]
        return min((seconds for seconds in left if seconds is not None), default=None)

    def kill(self) -> None:
        """Let the workers die, whatever they do; from any thread."""
        for speaker in (*self._speakers.values(), self._otherwise):
            speaker.kill()

    def close(self) -> None:
        """End all workers."""
        for speaker in self._speakers.values():
            speaker.close()
        self._otherwise.close()

    def _prepare(self, text: str, voice: Voice) -> None:
        language = language_of(voice)
        speaker = self._speakers.get(language)
        if speaker is not None and not self._rests[language].error:
            try:
                speaker.prepare([text], voice)
            except VoiceError as error:
                self._failed(language, str(error))
            else:
                self._rests[language].succeeded()
                return
        self._otherwise.prepare([text], voice)

    def _failed(self, language: str, reason: str) -> None:
        """Leave a voice that failed alone for a while, so that a game goes on at its pace."""
        sentence = f"Piper's voice {self._models[language].name} failed ({reason}); eSpeak NG speaks in its place."
        self._rests[language].failed(reason)
        if sentence not in self.troubles:
            self.troubles.append(sentence)
        _log.warning(sentence)
