"""Workers that hang, die, babble and lie: the box ends them in time, tries once more, and says what happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from companion.narrator.sound import Voice, VoiceError
from companion.narrator.speech.espeak import WORKER, EspeakSpeaker
from companion.narrator.speech.piper import PIPER_SECONDS, Model, PiperSpeaker
from companion.narrator.speech.speech import LINE_SECONDS, Speech
from companion.narrator.speech.working import ATTEMPT_SECONDS, ATTEMPTS

ENGLISH = Voice("gmw/en", 140)

PROLOGUE = """
import json, os, pathlib, signal, sys, time
workspace, log = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[1])
with log.open("a") as file:
    file.write(f"{os.getpid()}\\n")
starts = len(log.read_text().split())
def say(**facts):
    print(json.dumps(facts), flush=True)
def speak(line):
    from companion.narrator.speech.wav import write_silence
    write_silence(pathlib.Path(json.loads(line)["path"]), 0.5)
    say(ok=True, seconds=0.5)
"""
HELLO = "say(ok=True, engine='a fake')\n"


class Fakes:
    """Fake workers: each start is noted, so that tests know how many there were and whether any is left."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "starts"

    def speaker(self, body, **limits):
        script = self.folder / "worker.py"
        script.write_text(PROLOGUE + body, "utf-8")
        limits = {"attempt_seconds": 1.0, "start_seconds": 10.0, **limits}
        return EspeakSpeaker(self.folder / "cache", command=(sys.executable, str(script), str(self.log)), **limits)

    @property
    def started(self):
        return [int(number) for number in self.log.read_text("utf-8").split()]

    def any_left(self):
        return any(Path(f"/proc/{number}").exists() for number in self.started)


@pytest.fixture
def fakes(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return Fakes(tmp_path)


def test_a_hung_worker_is_ended_and_replaced(fakes):
    """The first worker sleeps for ever on a line; the second speaks it, and the first is gone."""
    speaker = fakes.speaker(
        HELLO + "for line in sys.stdin:\n    time.sleep(1000) if starts == 1 else speak(line)\n",
        attempt_seconds=2.0,
        line_seconds=60.0,
    )
    assert speaker.clip("hello", ENGLISH).seconds == 0.5
    assert len(fakes.started) == 2
    assert not Path(f"/proc/{fakes.started[0]}").exists()
    speaker.close()
    assert not fakes.any_left()


def test_a_table_never_waits_longer_than_five_seconds():
    """Two attempts at a line take five seconds at most."""
    assert ATTEMPTS * ATTEMPT_SECONDS <= 5.0


def test_a_slow_computer_learns_every_line(fakes):
    """Before the evening a line may take longer than the table would wait for one; then it is there at once."""
    slow = HELLO + "for line in sys.stdin:\n    time.sleep(0.6)\n    speak(line)\n"
    speaker = fakes.speaker(slow, attempt_seconds=0.2)
    with pytest.raises(VoiceError, match="did not answer in time"):
        speaker.clip("hello", ENGLISH)
    speaker.prepare(["hello"], ENGLISH)
    assert speaker.clip("hello", ENGLISH).seconds == 0.5
    speaker.close()


def test_a_worker_that_always_hangs_is_tried_twice(fakes):
    """After the second attempt the line is an error with a sentence, and no process is left."""
    speaker = fakes.speaker(HELLO + "time.sleep(1000)\n", attempt_seconds=0.2)
    with pytest.raises(VoiceError, match="did not answer in time"):
        speaker.clip("hello", ENGLISH)
    assert len(fakes.started) == 2
    assert not fakes.any_left()
    speaker.close()


def test_a_voice_that_fails_at_every_line_is_left_alone(fakes):
    """After three lost lines no new worker is started for a while: a box without a voice keeps its processor."""
    speaker = fakes.speaker(HELLO + "for line in sys.stdin:\n    say(ok=False, error='no speech', kind='engine')\n")
    for number in range(20):
        with pytest.raises(VoiceError, match="no speech"):
            speaker.clip(f"line {number}", ENGLISH)
    assert len(fakes.started) == 3 * ATTEMPTS
    speaker.close()


def test_a_worker_that_ignores_signals_is_ended(fakes):
    """A worker deaf to SIGTERM and SIGINT goes all the same."""
    deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    speaker = fakes.speaker(deaf + HELLO + "time.sleep(1000)\n", attempt_seconds=0.2)
    with pytest.raises(VoiceError):
        speaker.clip("hello", ENGLISH)
    assert not fakes.any_left()
    speaker.close()


@pytest.mark.parametrize(
    ("death", "sentence"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal 11"),
        ("print('no phontab', file=sys.stderr); sys.exit(3)", "status 3: no phontab"),
        ("os._exit(1)", "status 1"),
    ],
)
def test_a_worker_that_dies_is_replaced_and_its_death_told(fakes, death, sentence):
    """A crash, an exit and a silent end in the middle of a line: tried twice, and the sentence says how it ended."""
    speaker = fakes.speaker(HELLO + f"sys.stdin.readline()\n{death}\n")
    with pytest.raises(VoiceError, match=sentence):
        speaker.clip("hello", ENGLISH)
    assert len(fakes.started) == 2
    speaker.close()


def test_a_worker_that_dies_once_costs_no_line(fakes):
    """The line during which it died is spoken by the next one."""
    speaker = fakes.speaker(HELLO + "for line in sys.stdin:\n    os._exit(1) if starts == 1 else speak(line)\n")
    assert speaker.clip("hello", ENGLISH).seconds == 0.5
    speaker.close()


def test_a_worker_that_was_killed_between_lines_costs_no_line(fakes):
    """What the kernel kills for want of memory is started again at the next line."""
    speaker = fakes.speaker(HELLO + "for line in sys.stdin:\n    speak(line)\n")
    speaker.clip("one", ENGLISH)
    os.kill(speaker.worker_id, signal.SIGKILL)
    assert speaker.clip("two", ENGLISH).seconds == 0.5
    assert len(fakes.started) == 2
    speaker.close()


@pytest.mark.parametrize(
    "answer",
    ["print('Audio saved', flush=True)", "print('[1]', flush=True)", "say(ok=True, seconds=1)", "say(ok=False)"],
)
def test_a_worker_that_babbles_or_lies_is_not_believed(fakes, answer):
    """Words that are no answer, and a promised file that is not there, are failures."""
    speaker = fakes.speaker(HELLO + f"for line in sys.stdin:\n    {answer}\n")
    with pytest.raises(VoiceError):
        speaker.clip("hello", ENGLISH)
    speaker.close()


def test_a_worker_that_dies_while_it_starts_costs_no_line(fakes):
    """One that is killed before it is ready is followed by another at once."""
    speaker = fakes.speaker("starts == 1 and os._exit(1)\n" + HELLO + "for line in sys.stdin:\n    speak(line)\n")
    assert speaker.clip("hello", ENGLISH).seconds == 0.5
    assert len(fakes.started) == 2
    speaker.close()


def test_a_worker_that_hangs_while_it_starts_is_ended(fakes):
    """No greeting in time is an error, and the process is gone."""
    speaker = fakes.speaker("time.sleep(1000)\n", start_seconds=1.0)
    with pytest.raises(VoiceError, match="in time"):
        speaker.clip("hello", ENGLISH)
    assert not fakes.any_left()
    speaker.close()


def test_without_a_synthesiser_each_line_fails_at_once(fakes):
    """A voice that could not be started is left alone for a while, so that the game goes on at its pace."""
    speaker = fakes.speaker("say(ok=False, error='eSpeak NG is missing')\n")
    for _ in range(3):
        with pytest.raises(VoiceError, match="eSpeak NG is missing"):
            speaker.clip("hello", ENGLISH)
    assert len(fakes.started) == 1
    assert speaker.describe(ENGLISH) == "No voice: eSpeak NG is missing."
    speaker.close()


def test_a_program_that_is_not_there_is_a_sentence(tmp_path):
    """A worker that cannot even be started raises VoiceError, nothing else."""
    speaker = EspeakSpeaker(tmp_path, command=("/no/such/program",))
    with pytest.raises(VoiceError, match="could not be started"):
        speaker.clip("hello", ENGLISH)


def test_no_workspace_is_left_behind(fakes, tmp_path):
    """A worker that was killed leaves nothing in the temporary folder."""
    speaker = fakes.speaker(HELLO + "time.sleep(1000)\n", attempt_seconds=0.2)
    with pytest.raises(VoiceError):
        speaker.clip("hello", ENGLISH)
    speaker.close()
    assert not list(tmp_path.glob("companion-worker-*"))


def test_the_real_worker_answers_only_what_it_is_asked(tmp_path):
    """What is no request is refused in a line, and standard output holds answers alone, whatever pyttsx3 prints."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    good = {"text": "hi", "voice": "gmw/en", "rate_wpm": 140, "pitch": 50, "variant": "", "path": f"{tmp_path}/a.wav"}
    requests = ["no json", "{}", "[]", json.dumps(good), json.dumps({**good, "path": "/no/such/folder/a.wav"})]
    done = subprocess.run(
        [*WORKER, str(workspace)],
        input="\n".join(requests) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    greeting, *answers = map(json.loads, done.stdout.splitlines())
    assert greeting["ok"]
    assert [answer["ok"] for answer in answers] == [False, False, False, True, False]
    assert answers[3]["seconds"] > 0.2
    assert answers[4]["kind"] == "storage"
    assert not workspace.exists()


HANGS = "for line in sys.stdin:\n    time.sleep(1000)\n"


def test_a_line_that_is_waited_for_gives_up_on_a_worker_that_hangs_while_it_starts(fakes):
    """A start may take twenty seconds, but a line at the table waits for its own time, and the next not even that."""
    speaker = fakes.speaker("time.sleep(1000)\n", start_seconds=1000.0, line_seconds=0.5)
    for _ in range(2):
        with pytest.raises(VoiceError, match="did not answer in time"):
            speaker.clip("hello", ENGLISH)
    # However slowly a computer starts it.
    wait_until(lambda: fakes.log.exists() and fakes.started)
    assert len(fakes.started) == 1
    speaker.close()
    assert not fakes.any_left()


def test_a_computer_too_slow_for_one_line_speaks_the_next(fakes):
    """A worker that takes longer to start than a line may wait goes on starting, and is there for a later line."""
    slow = "go = log.with_name('go')\nwhile not go.exists():\n    time.sleep(0.01)\n"
    speaker = fakes.speaker(slow + HELLO + "for line in sys.stdin:\n    speak(line)\n", line_seconds=0.5)
    with pytest.raises(VoiceError, match="did not answer in time"):
        speaker.clip("one", ENGLISH)
    (fakes.folder / "go").touch()

    def is_spoken():
        try:
            return speaker.clip("two", ENGLISH).seconds == 0.5
        except VoiceError:
            return False

    wait_until(is_spoken)
    assert len(fakes.started) == 1
    speaker.close()
    assert not fakes.any_left()


def test_a_worker_that_nobody_asks_again_goes_when_it_is_idle(fakes):
    """Also one that was given up while it was starting does not stay for ever."""
    speaker = fakes.speaker("time.sleep(1000)\n", start_seconds=1000.0, line_seconds=0.3, idle_seconds=0.3)
    with pytest.raises(VoiceError):
        speaker.clip("hello", ENGLISH)
    assert 0 < speaker.rest() <= 0.3
    wait_until(lambda: speaker.rest() is None)
    assert speaker.worker_id is None
    wait_until(lambda: not fakes.log.exists() or not fakes.any_left())
    speaker.close()


def test_both_attempts_share_the_time_of_a_line(fakes):
    """However long an attempt may take, a worker that hangs on a line is ended when the time of the line is over."""
    speaker = fakes.speaker(HELLO + HANGS, attempt_seconds=1000.0, line_seconds=1.0)
    with pytest.raises(VoiceError, match="did not answer in time"):
        speaker.clip("hello", ENGLISH)
    assert not fakes.any_left()
    speaker.close()


@pytest.fixture
def spoken_by():
    """Gives a speaker its thread, with limits of the test's, and closes it."""
    made = []

    def give(speaker, **limits):
        made.append(Speech(speaker, **limits))
        return made[-1]

    yield give
    for each in made:
        each.close()


def has_started(fakes, speaker):
    wait_until(lambda: fakes.log.exists() and fakes.started and speaker.worker_id)


def test_a_line_does_not_wait_for_ever_behind_one_that_hangs(fakes, spoken_by):
    """While another line is rendered, a line at the table is given up in its time, and says why."""
    speaker = fakes.speaker(HELLO + HANGS, prepare_seconds=1000.0)
    speech = spoken_by(speaker, line_seconds=0.1)
    speech.look_ahead(lambda: ["a long line"], ENGLISH)
    speech._ahead_at = 0.0
    has_started(fakes, speaker)
    with pytest.raises(VoiceError, match="busy with another line"):
        speech.clip("hello", ENGLISH)
    speech.close()
    assert not fakes.any_left()


def test_a_line_is_given_up_behind_a_preparation_that_hangs(fakes, spoken_by):
    """Also a line that has the patience of a preparation is given up, and the worker is free for the next one."""
    speaker = fakes.speaker(HELLO + HANGS, prepare_seconds=0.3)
    speech = spoken_by(speaker, learning_line_seconds=0.3)
    learnt = speech.learn(["a long line"], ENGLISH)
    has_started(fakes, speaker)
    with pytest.raises(VoiceError):
        speech.clip("hello", ENGLISH)
    with pytest.raises(VoiceError, match="the voice did not answer in time"):
        learnt.result(60)
    assert speech._learning is None


def test_a_line_on_the_disk_waits_for_nobodys_turn(fakes, spoken_by):
    """While a worker hangs on something else, what was spoken on another evening is there at once."""
    speaker = fakes.speaker(HELLO + "for line in sys.stdin:\n    speak(line)\n")
    speaker.clip("hello", ENGLISH)
    speaker.close()
    speaker = fakes.speaker(HELLO + HANGS, prepare_seconds=1000.0)
    speech = spoken_by(speaker)
    speech.learn(["a long line"], ENGLISH)
    has_started(fakes, speaker)
    assert speech.clip("hello", ENGLISH).seconds == 0.5


def test_what_the_table_waits_for_goes_first_and_what_comes_next_before_what_is_learnt(fakes, spoken_by):
    """However many lines are still to be rendered, the one that is asked for is spoken next."""
    body = """
for line in sys.stdin:
    with log.with_name("spoken").open("a") as file:
        print(json.loads(line)["text"], file=file)
    while not log.with_name("go").exists():
        time.sleep(0.01)
    speak(line)
"""
    speech = spoken_by(fakes.speaker(HELLO + body, prepare_seconds=60.0), calm_seconds=0.0)
    spoken, texts = fakes.folder / "spoken", [f"line {number}" for number in range(8)]
    learnt = speech.learn(texts, ENGLISH)
    wait_until(spoken.exists)
    speech.look_ahead(lambda: ["soon", "later"], ENGLISH)
    asked = threading.Thread(target=lambda: speech.clip("now", ENGLISH))
    asked.start()
    wait_until(lambda: len(speech._inbox._work) == 2)
    (fakes.folder / "go").touch()
    asked.join(60)
    learnt.result(60)
    assert spoken.read_text("utf-8").split("\n")[:-1] == [texts[0], "now", "soon", "later", *texts[1:]]


def test_many_who_ask_at_once_get_what_they_asked_for(fakes, spoken_by):
    """Eight threads get their lines: each text has one file, and none is lost."""
    speech = spoken_by(fakes.speaker(HELLO + "for line in sys.stdin:\n    speak(line)\n"))
    clips = {}

    def ask(number):
        clips[number] = speech.clip(f"line {number % 4}", ENGLISH)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(clips) == 8
    assert len({clip.path for clip in clips.values()}) == 4


def test_progress_runs_from_one_to_the_number_of_lines(fakes, spoken_by):
    """And afterwards no line needs the worker."""
    seen = []
    speaker = fakes.speaker(HELLO + "for line in sys.stdin:\n    speak(line)\n")
    speech = spoken_by(speaker)
    texts = ["one", "two", "three"]
    speech.learn(texts, ENGLISH, lambda done, total: seen.append((done, total))).result(60)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    speech.learn([], ENGLISH).result(60)
    speech.close()
    assert all(speech.clip(text, ENGLISH).seconds == 0.5 for text in texts)
    with pytest.raises(VoiceError, match="closed"):
        speech.clip("four", ENGLISH)


def test_a_command_that_nobody_waits_for_has_the_patience_of_a_preparation(fakes, spoken_by):
    """Where a table would have been shown the caption alone, a command on the same slow computer gets its line."""
    slow = "time.sleep(0.3)\n" + HELLO + "for line in sys.stdin:\n    time.sleep(0.3)\n    speak(line)\n"
    speaker = fakes.speaker(slow, attempt_seconds=0.01, line_seconds=0.02, prepare_seconds=60.0, start_seconds=60.0)
    with pytest.raises(VoiceError):
        speaker.clip("hello", ENGLISH)
    assert spoken_by(speaker, is_patient=True).clip("hello", ENGLISH).seconds == 0.5


def test_a_line_among_learnt_ones_has_their_patience(fakes, spoken_by):
    """A computer that was just switched on may take longer for a line than at any other time: the line is spoken."""
    slow = HELLO + "for line in sys.stdin:\n    time.sleep(0.5)\n    speak(line)\n"
    speaker = fakes.speaker(slow, attempt_seconds=0.01, prepare_seconds=60.0)
    speech = spoken_by(speaker, line_seconds=0.02)
    learnt = speech.learn(["first", "second"], ENGLISH)
    wait_until(lambda: speech._learning)
    assert speech.clip("now", ENGLISH).seconds == 0.5
    learnt.result(60)
    with pytest.raises(VoiceError):
        speech.clip("later", ENGLISH)


@pytest.mark.parametrize("body", [HELLO + HANGS, "time.sleep(1000)\n"], ids=["on a line", "at the start"])
def test_closing_ends_a_worker_that_hangs(fakes, spoken_by, body):
    """Closing waits for no answer: the worker dies at once, no other is started, and whoever waited for it hears so."""
    speaker = fakes.speaker(body, prepare_seconds=1000.0, start_seconds=1000.0)
    speech = spoken_by(speaker)
    learnt = speech.learn(["a long line"], ENGLISH)
    has_started(fakes, speaker)
    speech.close()
    assert learnt.cancelled() or learnt.exception(60) is not None
    assert len(fakes.started) == 1
    assert not fakes.any_left()


def test_piper_that_hangs_leaves_the_other_voice_what_is_left_of_five_seconds(fakes, tmp_path):
    """Piper's part of a line and the rest add up to the time of any line, and eSpeak NG in its place says it."""
    assert PIPER_SECONDS < LINE_SECONDS <= 5.0
    model = tmp_path / "en_GB-hung-medium.onnx"
    model.write_bytes(b"model")
    model.with_name(f"{model.name}.json").write_text("{}")
    script = tmp_path / "hung.py"
    script.write_text("import time\ntime.sleep(1000)\n", "utf-8")
    other = fakes.speaker(HELLO + "for line in sys.stdin:\n    speak(line)\n")
    speaker = PiperSpeaker(
        {"en": Model("en", model, "none")},
        tmp_path / "piper",
        other,
        command=(sys.executable, str(script)),
        attempt_seconds=0.3,
    )
    assert speaker.clip("hello", ENGLISH).seconds == 0.5
    assert "did not answer in time" in speaker.note
    speaker.close()
    assert not fakes.any_left()


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.005)
