"""A worker process as the box holds it: started, asked with a time limit, ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.narrator.sound import VoiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

PYTHON = (sys.executable, "-P", "-m")
"""How a worker is started, before its module. -P: what lies in the working directory is not ours."""

_HOME = Path(__file__).resolve().parents[2]
_MESSAGE_BYTES = 65_536
_END_SECONDS = 1.0
_STDERR_BYTES = 300
_SPARING = {
    # Threads of numpy take memory and bring nothing for lines as short as ours.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


class ChildLostError(VoiceError):
    """The worker died, hung, or said something that cannot be understood."""


class ChildSlowError(ChildLostError):
    """The worker lives, and has said nothing yet."""


class Child:
    """One worker process. Used from one thread at a time, but for `kill`.

    Attributes:
        engine: what it works with, such as `eSpeak NG 1.52.0 from the system`.
    """

    def __init__(self, command: Sequence[str], who: str = "the voice") -> None:
        """Start a worker, which takes its time to be ready: see `greet`.

        Args:
            command: the worker's command, without its workspace.
            who: what it does for the box, as the subject of a sentence.

        Raises:
            ChildLostError: it could not be started.
        """
        self.engine = ""
        self._who = who
        with contextlib.ExitStack() as on_error:
            try:
                self._errors = on_error.enter_context(tempfile.TemporaryFile())
                self._workspace = Path(tempfile.mkdtemp(prefix="companion-worker-"))
            except OSError as error:
                raise ChildLostError(f"{who} has no place to work: {error.strerror}") from error
            on_error.callback(self._clean_up)
            try:
                self._process = self._popen(command)
            except OSError as error:
                raise ChildLostError(f"{who} could not be started: {error.strerror}") from error
            on_error.pop_all()
        self._unread = b""

    def greet(self, seconds: float) -> None:
        """Wait until the worker is ready.

        Raises:
            ChildSlowError: it was not ready within `seconds`; it may be waited for again.
            ChildLostError: it died; it is to be ended.
            VoiceError: it says why it cannot work; it is to be ended.
        """
        hello = self._read(time.monotonic() + seconds)
        if not hello.get("ok"):
            raise VoiceError(str(hello.get("error", f"{self._who} did not start")))
        self.engine = str(hello.get("engine", ""))

    @property
    def process_id(self) -> int:
        """The worker's process id, for those who measure it."""
        return self._process.pid

    def ask(self, request: bytes, seconds: float) -> dict[str, Any]:
        """Have something done, a line of JSON, and return the answer.

        Raises:
            ChildLostError: there was none within `seconds`; the worker is to be ended.
        """
        until = time.monotonic() + seconds
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        try:
            self._process.stdin.write(request)
        except OSError as error:
            raise ChildLostError(self._last_words()) from error
        return self._read(until)

    def kill(self) -> None:
        """Let the worker die, from any thread: whoever waits for it hears so at once."""
        self._process.kill()

    def end(self) -> None:
        """End the worker at once, whatever it is doing, and remove what it leaves."""
        self._process.kill()
        # One that sits in the kernel, on a card that does not answer, goes when it can, and nobody waits for it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._clean_up()

    def _popen(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own command
            [*command, str(self._workspace)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(),
            # Ctrl-C at the keyboard is for the box, which ends the worker itself.
            start_new_session=True,
        )

    def _clean_up(self) -> None:
        self._errors.close()
        shutil.rmtree(self._workspace, ignore_errors=True)

    def _read(self, until: float) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        source = self._process.stdout.fileno()
        # poll, since select cannot see descriptors above 1,023, and a box full of phones has many.
        poll = select.poll()
        poll.register(source, select.POLLIN)
        while b"\n" not in self._unread:
            remaining = until - time.monotonic()
            if remaining <= 0 or not poll.poll(remaining * 1000):
                raise ChildSlowError(f"{self._who} did not answer in time")
            piece = os.read(source, _MESSAGE_BYTES)
            if not piece:
                raise ChildLostError(self._last_words())
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise ChildLostError(f"{self._who} answered with something that is no answer") from error
        if not isinstance(answer, dict):
            raise ChildLostError(f"{self._who} answered with something that is no answer")
        return answer

    def _last_words(self) -> str:
        """Say how the worker died, with the last line it printed."""
        try:
            status = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return f"{self._who} closed its mouth"
        how = f"signal {-status}" if status < 0 else f"status {status}"
        self._errors.seek(0)
        printed = self._errors.read()[-_STDERR_BYTES:].decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(printed) if line.strip()), "")
        return f"{self._who} ended with {how}" + (f": {last}" if last else "")


def _environment() -> dict[str, str]:
    """Return the worker's environment: our package is found wherever it lies, and no memory goes to threads."""
    places = [path for path in (os.environ.get("PYTHONPATH"), str(_HOME)) if path]
    return {**os.environ, **_SPARING, "PYTHONPATH": os.pathsep.join(places)}
