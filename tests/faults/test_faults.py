"""The real program as a process, on machines that lack something.

It starts and says what it does instead, or it ends with one clear sentence. No traceback ever reaches a user.
"""

from __future__ import annotations

import codecs
import contextlib
import http.client
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from companion import languages, voice
from companion.narrator.ahead import lines_to_prepare
from companion.narrator.speech.speech import Speech
from companion.settings import Settings
from tests.codes import LIGHT_THEME, on_terminal, read
from tests.support import eventually, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COMPANION = (sys.executable, "-m", "companion")
READY = re.compile(r"^ready http://\S+:\d+/$", re.MULTILINE)
PATIENCE_SECONDS = 30
SILENCE_SECONDS = 60
"""How long a box on a terminal may send nothing at all; what it does in between may take as long as it takes."""
END_SECONDS = 2.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
"""Two, for a box that has a processor to itself."""

NO_SOUND_CARD = "Nothing can be heard: the default sound card cannot be opened"
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder where the English lines are kept already."""
    cache = tmp_path_factory.mktemp("cache")
    with contextlib.closing(Speech(voice.open_speaker(Settings(cache_dir=cache)))) as speech:
        assert voice.learn(speech, languages.load("en")) == ""
    return cache


@pytest.fixture
def environment(tmp_path: Path, warm_cache: Path) -> dict[str, str]:
    """Return the environment of a user with a home and nothing else."""
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "COMPANION_CACHE_DIR": str(warm_cache)}


class Started:
    """A box that was started from the command line."""

    def __init__(
        self, options: Sequence[str], environment: dict[str, str], *, command: Sequence[str] = COMPANION, **how: Any
    ) -> None:
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, (environment.get("PYTHONPATH"), root)))
        inherited = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
        settings = {"PYTHONUNBUFFERED": "", "SDL_AUDIODRIVER": "alsa", **inherited, **environment, "PYTHONPATH": path}
        chosen = ["--port", "0", "--host", "127.0.0.1", *options]
        self.process = subprocess.Popen(
            [*command, *chosen],
            env=settings,
            stdin=how.pop("stdin", subprocess.DEVNULL),
            stdout=how.pop("stdout", subprocess.PIPE),
            stderr=how.pop("stderr", subprocess.PIPE),
            **how,
        )
        self.out = self.err = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        self.process.wait()

    def ready(self) -> str:
        """Wait until the box serves, and return its address."""
        self._read(lambda: READY.search(self.out) is not None or self.process.poll() is not None)
        found = READY.search(self.out)
        assert found, f"it never was ready: {self.out} {self.err}"
        return found.group().removeprefix("ready ")

    def says(self, sentence: str) -> None:
        """Wait until a sentence has been said, on either output."""
        self._read(lambda: sentence in self.out + self.err)
        assert sentence in self.out + self.err

    def port(self) -> int:
        return int(self.ready().rstrip("/").rpartition(":")[2])

    def ask(self, method: str, path: str, **content: object) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port(), timeout=10)
        with contextlib.closing(connection):
            body = json.dumps(content) if content else None
            connection.request(method, path, body, {"Content-Type": "application/json"} if content else {})
            response = connection.getresponse()
            return json.loads(response.read())

    def end(self, how: int = signal.SIGTERM) -> int:
        """Send a signal; the box has two seconds to end. Returns its exit code."""
        self.process.send_signal(how)
        return self.ended(END_SECONDS)

    def ended(self, seconds: float = PATIENCE_SECONDS) -> int:
        """Wait for the end, and return the exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end: {self.out} {self.err}"
            self._read(lambda: self.process.poll() is not None, 0.02)
        self._read(lambda: False, 0.1)
        assert "Traceback" not in self.out + self.err
        assert "Exception" not in self.out + self.err
        return int(self.process.returncode)

    def _read(self, enough: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
        end = time.monotonic() + seconds
        pipes = {pipe.fileno(): pipe for pipe in (self.process.stdout, self.process.stderr) if pipe is not None}
        while pipes and not enough() and (left := end - time.monotonic()) > 0:
            for number in select.select(list(pipes), [], [], min(left, 0.05))[0]:
                piece = os.read(number, 65_536).decode(errors="replace")
                if not piece:
                    del pipes[number]
                elif pipes[number] is self.process.stdout:
                    self.out += piece
                else:
                    self.err += piece


def refused(options: Sequence[str], environment: dict[str, str]) -> tuple[int, str]:
    """Return the exit code of a box that does not start, and the one sentence that it says."""
    with Started(options, environment) as box:
        code = box.ended()
        assert box.out == ""
        (sentence,) = box.err.splitlines()
        return code, sentence


@contextlib.contextmanager
def worked(options: Sequence[str], environment: dict[str, str], **how: Any) -> Iterator[Started]:
    """Start a box, see that it does its work, and end it in time with 0."""
    with Started(options, environment, **how) as box:
        box.ready()
        assert box.ask("GET", "/healthz")["ok"] is True
        yield box
        assert box.end() == 0


# --- what the box does without ---------------------------------------------------------------------------------------


@pytest.fixture
def no_sound_card(environment: dict[str, str]) -> dict[str, str]:
    """Return an environment in which no sound card can be opened, whatever this machine has."""
    return {**environment, "AUDIODEV": "no-such-card-here"}


def test_a_missing_sound_card_is_told_once(no_sound_card: dict[str, str]) -> None:
    """Without a loudspeaker the box runs, and says so in one sentence, one time."""
    with worked([], no_sound_card) as box:
        box.says(NO_SOUND_CARD)
        assert eventually(lambda: box.ask("GET", "/api/table")["troubles"])[0].startswith(NO_SOUND_CARD)
    assert (box.out + box.err).count("Nothing can be heard") == 1


@linux
def test_a_sound_card_that_hangs_keeps_no_table_shut(environment: dict[str, str], tmp_path: Path) -> None:
    """Real ALSA with a pipe that nobody reads: the page opens, presses count, it is told; and heard when it answers."""
    os.mkfifo(tmp_path / "pipe")
    slow = f'pcm.!default {{ type file file "{tmp_path / "pipe"}" slave.pcm null }}\npcm.null {{ type null }}\n'
    (tmp_path / "alsa.conf").write_text(slow, encoding="utf-8")
    environment["ALSA_CONFIG_PATH"] = str(tmp_path / "alsa.conf")
    with worked(["--roles", "cards"], environment) as box:
        box.says("Nothing can be heard: the sound card does not answer.")
        for players in (6, 7):
            pressed = box.ask("POST", "/api/panel", button="liberal", held=False)
            assert (pressed["ok"], pressed["caption"]) == (True, f"Players: {players}.")
        assert box.ask("GET", "/api/table")["troubles"] == ["Nothing can be heard: the sound card does not answer."]
        with (tmp_path / "pipe").open("rb") as pipe:
            eventually(lambda: not box.ask("GET", "/api/table")["troubles"], PATIENCE_SECONDS)
            assert pipe.read(4)
        assert box.ask("POST", "/api/panel", button="liberal", held=False)["ok"]


def test_the_ready_line_is_a_line_of_its_own(environment: dict[str, str]) -> None:
    """`ready` and the address with its port are all of one line; why there is no code follows it."""
    with worked([], environment) as box:
        box.says("Phones cannot join: on 127.0.0.1 the pages are for this machine alone.")
        address = f"http://127.0.0.1:{box.port()}/"
        assert f"ready {address}" in box.out.splitlines()
        assert f"The panel: {address}panel   The table: {address}table" in box.out.splitlines()


def test_a_box_without_any_voice_shows_captions(environment: dict[str, str], tmp_path: Path) -> None:
    """Where no synthesiser can be had, the box says what is missing, once, and captions lead through the evening."""
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "pyttsx3.py").write_text("raise ImportError('no pyttsx3 here')\n", encoding="utf-8")
    voiceless = {**environment, "PYTHONPATH": str(tmp_path / "lost"), "COMPANION_CACHE_DIR": str(tmp_path / "cold")}
    with worked([], voiceless) as box:
        box.says("No voice: no pyttsx3 here. Captions are shown instead.")
        welcome = "Welcome to Secret Hitler."
        end = time.monotonic() + 10
        while not (table := box.ask("GET", "/api/table"))["caption"].startswith(welcome):
            assert time.monotonic() < end
        assert any("no pyttsx3 here" in trouble for trouble in table["troubles"])
    assert (box.out + box.err).count("no pyttsx3 here") == 1


def test_a_worker_that_dies_at_once_is_no_end_of_the_box(environment: dict[str, str], tmp_path: Path) -> None:
    """A synthesiser that takes its process along leaves the box running with captions."""
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "pyttsx3.py").write_text("import os; os.kill(os.getpid(), 11)\n", encoding="utf-8")
    broken = {**environment, "PYTHONPATH": str(tmp_path / "lost"), "COMPANION_CACHE_DIR": str(tmp_path / "cold")}
    with worked([], broken) as box:
        box.says("No voice: the voice ended with signal 11")


def test_a_home_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    """Under a home that is no folder the box runs in memory, and says what will be forgotten, each thing once."""
    (tmp_path / "file").write_bytes(b"")
    with worked([], {"HOME": str(tmp_path / "file" / "home")}) as box:
        box.says("The state directory cannot be written to: what happens is forgotten when the box is switched off.")
        box.says("they last until the box stops.")
    said = box.out + box.err
    assert (said.count("The state directory"), said.count("Spoken lines cannot be kept")) == (1, 1)


@linux
@pytest.mark.skipif(os.geteuid() != 0, reason="needs a mount of its own")
def test_a_read_only_disk_is_done_without(tmp_path: Path) -> None:
    """On a disk that takes nothing, not even from root, the box starts and says what it does instead."""
    where = tmp_path / "disk"
    where.mkdir()
    command = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o ro none "{where}" && exec "$@"', "sh"]
    if subprocess.run([*command, "true"], check=False, capture_output=True).returncode:
        pytest.skip("a mount of its own is not to be had")
    readonly = {"HOME": str(where)}
    with worked([], readonly, command=[*command, *COMPANION], cwd=where.parent) as box:
        box.says("The state directory cannot be written to")
        box.says("Spoken lines cannot be kept in")


def test_a_user_without_a_home_has_a_box(environment: dict[str, str], tmp_path: Path) -> None:
    """Without HOME the box starts all the same."""
    del environment["HOME"]
    with worked(["--state-dir", str(tmp_path / "state")], environment):
        pass


@linux
def test_a_working_directory_that_is_gone_is_not_needed(environment: dict[str, str], tmp_path: Path) -> None:
    """Nothing is written where the box is started: that folder may not even be there any more."""
    gone = tmp_path / "gone"
    gone.mkdir()
    with worked([], environment, command=["sh", "-c", f'rmdir "{gone}"; exec "$@"', "sh", *COMPANION], cwd=gone):
        pass


def test_nothing_is_left_in_the_working_directory(environment: dict[str, str], tmp_path: Path) -> None:
    """A box leaves no file where it was started."""
    here = tmp_path / "here"
    here.mkdir()
    with worked([], environment, cwd=here):
        pass
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--state-dir", "The state directory cannot be written to"),
        ("--cache-dir", "Spoken lines cannot be kept in"),
    ],
)
def test_a_file_in_the_place_of_a_folder_is_done_without(
    option: str, sentence: str, environment: dict[str, str], tmp_path: Path
) -> None:
    """A state or cache directory that is a file is left as it is, and told once."""
    (tmp_path / "file").write_bytes(b"mine")
    with worked([option, str(tmp_path / "file")], environment) as box:
        box.says(sentence)
    assert (tmp_path / "file").read_bytes() == b"mine"
    assert (box.out + box.err).count(sentence) == 1


# --- terminals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_a_terminal_without_our_letters_gets_what_it_can_show(encoding: str, environment: dict[str, str]) -> None:
    """A terminal of another encoding is no obstacle, in any language."""
    with worked(["--language", "ru", "--voice", "silent"], {**environment, "PYTHONIOENCODING": encoding}):
        pass


def test_a_plain_locale_is_no_obstacle(environment: dict[str, str]) -> None:
    """LANG=C is no obstacle."""
    with worked([], {**environment, "LANG": "C", "LC_ALL": "C"}):
        pass


@linux
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_end_no_box(closed: str, environment: dict[str, str], tmp_path: Path) -> None:
    """A box that was started with its input or its outputs closed runs, and its journal is whole."""
    port = free_port()
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *COMPANION]
    with Started(["--port", str(port), "--state-dir", str(tmp_path / "state")], environment, command=command) as box:
        answers(port)
        assert box.end() == 0
    done = subprocess.run(
        [*COMPANION, "history", "--state-dir", str(tmp_path / "state")],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "No game has been played on this box yet.\n")


def test_a_reader_who_leaves_ends_no_box(environment: dict[str, str]) -> None:
    """Whoever started the box may read the ready line and close the pipe: the box goes on."""
    reading, writing = os.pipe()
    port = free_port()
    with Started(["--port", str(port)], environment, stdout=writing) as box:
        os.close(writing)
        os.close(reading)
        answers(port)
        box.says("")
        assert box.process.poll() is None
        assert box.end() == 0


@linux
def test_a_full_disk_under_the_output_ends_no_box(environment: dict[str, str]) -> None:
    """A greeting that cannot be written is no reason to stop."""
    port = free_port()
    with open("/dev/full", "wb") as full, Started(["--port", str(port)], environment, stdout=full) as box:  # noqa: PTH123
        answers(port)
        assert box.end() == 0


def answers(port: int) -> None:
    """Wait until a box does its work on a port."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/healthz")
                if connection.getresponse().status == 200:
                    return
        except OSError:
            pass
        assert time.monotonic() < end, "nobody answers"
        time.sleep(0.02)


# --- two boxes, a taken port, wrong settings -------------------------------------------------------------------------


def test_a_second_box_on_one_state_directory_is_refused(environment: dict[str, str], tmp_path: Path) -> None:
    """The second box ends with 1 and a sentence, and the first goes on."""
    options = ["--state-dir", str(tmp_path / "state")]
    with worked(options, environment):
        code, sentence = refused(options, environment)
        assert code == 1
        assert "another" in sentence.lower()


def test_a_taken_port_is_refused(environment: dict[str, str]) -> None:
    """A port that another program has ends with 1 and a sentence that says what to do."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert refused(["--port", str(port)], environment) == (
            1,
            f"Port {port} is taken by another program: choose another with --port, or 0 for any free one.",
        )


def test_a_host_that_is_not_ours_is_refused(environment: dict[str, str]) -> None:
    """An address that this machine does not have ends with 1 and a sentence."""
    code, sentence = refused(["--host", "192.0.2.77"], environment)
    assert (code, sentence.startswith("The pages cannot be served on 192.0.2.77 port 0: ")) == (1, True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--language", "xx"], "--language: there is no language 'xx'"),
        (["--config", "/no/such/file.toml"], "/no/such/file.toml: cannot be read"),
        (["--board", "/no/such/map.toml"], "/no/such/map.toml"),
        (["--panel", "keyboard"], "The keyboard panel needs a terminal"),
        (["--panel", "knob"], "--panel: 'knob' is not one of"),
    ],
)
def test_wrong_settings_end_with_2_and_a_sentence(options: list[str], words: str, environment: dict[str, str]) -> None:
    """A box that cannot be as it was wanted ends with 2 and says why."""
    code, sentence = refused(options, environment)
    assert (code, words in sentence) == (2, True)


# --- the end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_box_ends_when_it_is_told_to(how: int, environment: dict[str, str]) -> None:
    """SIGTERM and Ctrl-C end a box within two seconds, with 0 and without a word."""
    with Started([], environment) as box:
        box.ready()
        assert box.end(how) == 0


def test_a_box_ends_in_the_middle_of_the_night(environment: dict[str, str], tmp_path: Path) -> None:
    """SIGTERM in the night ends it at once; the next start waits for ja to begin it again."""
    options = ["--roles", "cards", "--state-dir", str(tmp_path / "state")]
    with Started(options, environment) as box:
        box.ready()
        assert box.ask("POST", "/api/panel", button="ja", held=False)["ok"] is True
        assert box.ask("GET", "/api/table")["phase"] == "night"
        assert box.end() == 0
    with worked(options, environment) as box:
        state = box.ask("GET", "/api/table")
        assert (state["phase"], state["night_paused"]) == ("night", True)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_box_ends_while_it_learns_to_speak(how: int, environment: dict[str, str], tmp_path: Path) -> None:
    """In the first start with a cold cache a signal ends the box as quickly as later, and what is rendered is kept."""
    cold = tmp_path / "cold"
    with Started(["--cache-dir", str(cold)], environment) as box:
        end = time.monotonic() + PATIENCE_SECONDS
        while len(list((cold / "voice").glob("*.wav"))) < 3:
            assert time.monotonic() < end
            time.sleep(0.005)
        assert box.end(how) == 0
    kept = len(list((cold / "voice").glob("*.wav")))
    assert 3 <= kept < len(lines_to_prepare(languages.load("en"))), "it did not end in the middle"


def test_a_box_ends_while_the_synthesiser_hangs(environment: dict[str, str], tmp_path: Path) -> None:
    """A synthesiser that does not answer keeps nobody from ending the box in time."""
    (tmp_path / "lost").mkdir()
    hangs = tmp_path / "hangs"
    (tmp_path / "lost" / "pyttsx3.py").write_text(
        f"import pathlib, time\npathlib.Path({str(hangs)!r}).touch()\ntime.sleep(60)\n", encoding="utf-8"
    )
    stuck = {**environment, "PYTHONPATH": str(tmp_path / "lost"), "COMPANION_CACHE_DIR": str(tmp_path / "cold")}
    with Started([], stuck) as box:
        end = time.monotonic() + PATIENCE_SECONDS
        while not hangs.exists():
            assert time.monotonic() < end
            time.sleep(0.005)
        assert box.end() == 0


# --- a terminal that somebody looks at -------------------------------------------------------------------------------


def seen(options: Sequence[str], environment: dict[str, str], until: Callable[[str], bool]) -> str:
    """Return what a terminal of 100 columns is sent until something is seen, and then until the box has ended."""
    mine, theirs = pty.openpty()
    box = Started(
        options,
        {"TERM": "xterm", "LANG": "C.UTF-8", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    sent, told = "", False
    # A letter may come in two pieces.
    letters = codecs.getincrementaldecoder("utf-8")("replace")
    # Patience is for silence: a cold start on a busy machine draws its bar for as long as it needs.
    end = time.monotonic() + SILENCE_SECONDS
    with box, open(mine, "rb", buffering=0) as terminal:  # noqa: PTH123
        while True:
            assert time.monotonic() < end, sent
            if not told and until(sent):
                box.process.terminate()
                told = True
            if select.select([terminal], [], [], 0.05)[0]:
                try:
                    piece = terminal.read(65_536)
                except OSError:
                    break
                if not piece:
                    break
                sent += letters.decode(piece)
                end = time.monotonic() + SILENCE_SECONDS
        assert box.process.wait(END_SECONDS) == 0
    assert "Traceback" not in sent
    return sent.replace("\r\n", "\n")


@linux
def test_the_first_start_shows_how_far_it_is(environment: dict[str, str], tmp_path: Path) -> None:
    """On a terminal a cold start says where the box is; then it draws one bar in place and takes it away again."""
    environment["COMPANION_CACHE_DIR"] = str(tmp_path / "cold")
    sent = seen([], environment, lambda sent: re.search(r"left *\r +\r", sent) is not None)
    greeting, bar = sent[: sent.index("Learning")], sent[sent.index("Learning") :]
    drawn = [line for line in bar.split("\r") if line.strip(" ^C")]
    assert len(drawn) > 3
    assert all(re.match(r"Learning to speak English [━ ]+ \d+ of \d+ lines, [\d:?]+ left", line) for line in drawn)
    assert len({len(line.rstrip("\n")) for line in drawn}) == 1
    assert "\n" not in bar
    assert READY.search(greeting)


@linux
def test_a_warm_start_shows_no_bar(environment: dict[str, str]) -> None:
    """With a warm cache there is nothing to wait for, and no bar."""
    assert "Learning to speak" not in seen([], environment, lambda sent: "The panel: " in sent)


@linux
def test_the_code_is_drawn_where_it_can_be_joined(environment: dict[str, str]) -> None:
    """With an address on the network the code stands below the ready line, quiet zone and all; in ASCII none does."""
    options = ["--host", "0.0.0.0", "--voice", "silent"]  # noqa: S104 - what phones come in by
    sent = seen(options, environment, lambda sent: "The panel: " in sent)
    lines = sent.splitlines()
    if "Phones cannot join: no network was found." in sent:
        pytest.skip("this machine has no network")
    at = next(number for number, line in enumerate(lines) if READY.match(line))
    drawn = lines[at + 1 : next(number for number, line in enumerate(lines) if line.startswith("The panel: "))]
    code = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in drawn]
    assert len({len(line) for line in code}) == 1
    assert 2 * len(code) in (len(code[0]), len(code[0]) + 1)
    assert set(code[0]) == {"█"}
    plain = seen(options, {**environment, "PYTHONIOENCODING": "ascii"}, lambda sent: "The panel: " in sent)
    assert "█" not in plain
    assert READY.search(plain)
    # Whatever the colours of the terminal, a camera reads it there.
    (seen_by_a_camera,) = read(on_terminal(drawn, LIGHT_THEME))
    assert seen_by_a_camera.text == lines[at].removeprefix("ready ")


@linux
def test_a_panel_in_the_terminal_keeps_its_place(environment: dict[str, str], tmp_path: Path) -> None:
    """With the keyboard panel the greeting, trouble and progress go through the picture, and the cursor comes back."""
    environment["COMPANION_CACHE_DIR"] = str(tmp_path / "cold")
    sent = seen(["--panel", "keyboard"], environment, lambda sent: "Phones cannot join" in sent and "Learning" in sent)
    assert "Learning to speak English: " in sent
    assert "left" not in sent, "a bar of its own would spoil the picture"
    # A line that passes above the picture is led in by the signs that move there.
    assert READY.search(re.sub(r"\x1b\[[\d;?]*[A-Za-z]|\r", "", sent))
    assert "WARNING" not in sent
    assert sent.rstrip().endswith("\x1b[?25h")


@linux
def test_a_service_whose_pin_map_cannot_be_read_opens_its_page_and_says_why(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """The service manager hears READY, the page that stands in for the pins works, and the reason stands on it."""
    tree = tmp_path / "notify"
    service = {**environment, "NOTIFY_SOCKET": str(tree)}
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(tree))
        ear.settimeout(PATIENCE_SECONDS)
        with worked(["--panel", "gpio", "--board", "/home/nobody/mine.toml"], service) as box:
            assert b"READY=1" in ear.recv(4096)
            box.says("/home/nobody/mine.toml: cannot be read")
            box.says('set board = "/etc/secret-hitler-companion/boards/mine.toml"')
            assert any("mine.toml" in trouble for trouble in box.ask("GET", "/api/table")["troubles"])
            assert box.ask("POST", "/api/panel", button="ja")["ok"]


def test_a_pin_map_in_a_home_is_told_before_it_is_soldered(environment: dict[str, str]) -> None:
    """`wiring` draws it, and says where the service of a box can read it."""
    board = Path("/home") / f"companion-test-{os.getpid()}.toml"
    try:
        board.write_text(files("hardware").joinpath("boards/default.toml").read_text("utf-8"), encoding="utf-8")
    except OSError:
        pytest.skip("this user may write no file there")
    try:
        done = subprocess.run(
            [*COMPANION, "wiring", "--board", str(board)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
            env={**os.environ, **environment},
        )
    finally:
        board.unlink()
    assert done.returncode == 0
    assert f'set board = "/etc/secret-hitler-companion/boards/{board.name}"' in done.stderr
