"""The process that speaks with Piper: `python -m companion.narrator.speech.piper_worker MODEL WORKSPACE`.

It says and hears what `protocol` says. Piper, ONNX and numpy take a few hundred megabytes, which the box has to spare
only while lines are rendered; so they live here.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import sys
import wave
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from companion.narrator.sound import VoiceError
from companion.narrator.speech.worker import run

if TYPE_CHECKING:
    from companion.narrator.sound import Voice
    from companion.narrator.speech.rendering import Synthesiser

_SLOWER = 1.1
"""How much longer a line takes than the voice would have it: it is heard across a table, with closed eyes."""
_SENTENCE_SECONDS = 0.3
_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8
_TRIM_BYTES = 65_536
_THREADS = 2
"""The game goes on meanwhile, on a computer that may have four cores."""


class Piper:
    """A Piper voice, loaded."""

    def __init__(self, model: Path) -> None:
        """Load a voice.

        Raises:
            VoiceError: it is no voice, or Piper is not installed.
        """
        try:
            from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - absent without the extra
            from piper import PiperConfig, PiperVoice, SynthesisConfig  # noqa: PLC0415 - absent without the extra
        except ImportError as error:
            raise VoiceError("Piper is not installed") from error
        try:
            _give_memory_back()
            options = SessionOptions()
            # A hundred megabytes less, for a render that takes longer: nothing is kept ready, or kept twice.
            options.enable_cpu_mem_arena = False
            options.add_session_config_entry("session.disable_prepacking", "1")
            options.intra_op_num_threads = _THREADS
            session = InferenceSession(str(model), sess_options=options, providers=["CPUExecutionProvider"])
            facts = json.loads(model.with_name(f"{model.name}.json").read_text(encoding="utf-8"))
            self._voice = PiperVoice(session=session, config=PiperConfig.from_dict(facts))
        except Exception as error:
            # ONNX has errors of its own for files that are none, all of them plain exceptions.
            raise VoiceError(f"{model.name} is no voice that Piper can load") from error
        self._manner = SynthesisConfig(length_scale=_SLOWER)

    def render(self, text: str, voice: Voice, path: Path) -> None:  # noqa: ARG002 - a model is one voice
        """Speak a text into a WAV file, at whatever level and rate it comes."""
        # Double brackets hold phonemes for Piper, and names at the table are nobody's phonemes.
        plain = text.replace("[[", "[ [").replace("]]", "] ]")
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(self._voice.config.sample_rate)
            for number, sentence in enumerate(self._voice.synthesize(plain, self._manner)):
                if number:
                    file.writeframes(bytes(2 * round(_SENTENCE_SECONDS * sentence.sample_rate)))
                file.writeframes(sentence.audio_int16_bytes)


def _give_memory_back() -> None:
    """Tell glibc not to keep what was freed, which it does for each thread; other C libraries are let be."""
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_TRIM_THRESHOLD, _TRIM_BYTES)


def main(arguments: list[str]) -> int:
    """Serve requests until standard input ends.

    Args:
        arguments: the model, and the workspace as every worker has one.

    Returns:
        0, or 1 where the voice cannot be loaded.
    """
    model, workspace = map(Path, arguments)
    return run(workspace, lambda: _load(model))


def _load(model: Path) -> tuple[str, Synthesiser]:
    return f"Piper {metadata.version('piper-tts')}", Piper(model)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
