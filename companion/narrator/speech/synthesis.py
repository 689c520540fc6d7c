"""pyttsx3, used in the one way that loses no line.

Measured over thousands of lines: it is called from one thread; properties are set only while eSpeak NG is idle, and the
text only once it is idle again, since a property on its way makes pyttsx3 cancel the line; and the line is done when
`finished-utterance` says so. `runAndWait` alone may return before there is a file. Nothing but the worker imports this.

eSpeak NG exists in two builds. The usual one can speak on a thread of its own and ends a line with `MSG_TERMINATED`,
which pyttsx3 waits for. A build without that thread, such as the aarch64 wheel of espeakng-loader 0.2.4, speaks while
it is called and never sends that event: there the line ends when the call returns. With the thread one line in a
thousand was lost on a busy machine. So every build is asked to speak while it is called, and what is tested on one is
what runs on the other.
"""

from __future__ import annotations

import ctypes
import difflib
import threading
import time
from typing import TYPE_CHECKING, Any

import pyttsx3
from pyttsx3.drivers import _espeak

from companion.narrator.speech.rendering import UnknownVoiceError

if TYPE_CHECKING:
    from pathlib import Path

    from companion.narrator.sound import Voice

SLOWEST_WPM = 80
FASTEST_WPM = 450
HIGHEST_PITCH = 99

MODE = _espeak.AUDIO_OUTPUT_SYNCHRONOUS
"""How eSpeak NG is started: it gives the samples while it is called, and plays nothing."""

_NAP_SECONDS = 0.001


class Espeak:
    """eSpeak NG behind pyttsx3. There can be one in a process, used from one thread."""

    def __init__(self) -> None:
        # What pyttsx3's driver starts the library with.
        _espeak.AUDIO_OUTPUT_RETRIEVAL = MODE
        self._engine = pyttsx3.init("espeak")
        self._driver = self._engine.proxy._driver
        self._begin_line = self._driver._start_synthesis
        self._driver._start_synthesis = self._speak_line
        self._data_ended = False
        _espeak.SetSynthCallback(self._on_samples)
        self._finished = threading.Event()
        self._engine.connect("finished-utterance", lambda **_facts: self._finished.set())
        # The engine is born busy and would keep all properties back until the first line, where they would cancel it.
        self._engine.runAndWait()

    @property
    def version(self) -> str:
        """The version of eSpeak NG, such as `1.52.0`."""
        info = _espeak.dll.espeak_Info
        info.restype = ctypes.c_char_p
        return str(info(None).decode().split(" ")[0])

    def render(self, text: str, voice: Voice, path: Path) -> None:
        """Speak a text into a WAV file: 22,050 Hz, mono, 16 bit, at whatever level it comes.

        Raises:
            UnknownVoiceError: the voice or its variant is not there, or its figures are out of range.
        """
        self._rest()
        self._choose(voice)
        self._rest()
        self._finished.clear()
        self._engine.save_to_file(text, str(path))
        self._engine.runAndWait()
        self._finished.wait()
        self._rest()

    def _choose(self, voice: Voice) -> None:
        if not SLOWEST_WPM <= voice.rate_wpm <= FASTEST_WPM:
            raise UnknownVoiceError(
                f"the rate of {voice.identifier} is {SLOWEST_WPM} to {FASTEST_WPM} words a minute, not {voice.rate_wpm}"
            )
        if not 0 <= voice.pitch <= HIGHEST_PITCH:
            raise UnknownVoiceError(f"the pitch of {voice.identifier} is 0 to {HIGHEST_PITCH}, not {voice.pitch}")
        name = f"{voice.identifier}+{voice.variant}" if voice.variant else voice.identifier
        self._engine.setProperty("voice", name)
        self._engine.setProperty("rate", voice.rate_wpm)
        self._engine.setProperty("pitch", voice.pitch)
        chosen = self._engine.getProperty("voice")
        # pyttsx3 swallows the refusal and would go on in the language of the line before, and eSpeak NG drops a variant
        # that it lacks: only asking tells.
        if chosen != name.lower():
            raise UnknownVoiceError(f"eSpeak NG has no voice {name}{self._did_you_mean(voice.identifier)}")

    def _did_you_mean(self, identifier: str) -> str:
        """Return the voice that was meant by another name: `de` is `gmw/de` to eSpeak NG."""
        there = [str(each.id) for each in self._engine.getProperty("voices")]
        last = identifier.rpartition("/")[2].lower()
        same = [each for each in there if each.rpartition("/")[2].lower() == last]
        near = same or difflib.get_close_matches(identifier, there, 1)
        return f"; did you mean {near[0]!r}?" if near and near[0] != identifier else ""

    def _on_samples(self, samples: Any, count: int, events: Any) -> int:
        # eSpeak NG calls once more without a buffer when it has given all samples of a line.
        if not samples:
            self._data_ended = True
        return int(self._driver._onSynth(samples, count, events))

    def _speak_line(self, text: str) -> None:
        """Start a line, and end it at once where the library has spoken all of it meanwhile and will not say so."""
        self._data_ended = False
        self._begin_line(text)
        # In this order: a library with a thread of its own plays until the driver has been told that the line ended.
        if self._data_ended and not _espeak.IsPlaying() and self._driver._speaking:
            self._driver._onSynth(None, 0, _end_of_line())

    def _rest(self) -> None:
        while _espeak.IsPlaying() or self._engine.isBusy():
            time.sleep(_NAP_SECONDS)


def _end_of_line() -> Any:
    """Return the events with which eSpeak NG ends a line."""
    events = (_espeak.EVENT * 2)()
    events[0].type = _espeak.EVENT_MSG_TERMINATED
    events[1].type = _espeak.EVENT_LIST_TERMINATED
    return events
