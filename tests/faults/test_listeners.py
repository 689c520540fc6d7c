"""A whole box, one listener of which fails: the game, its lights and everybody else go on.

The parts are the box's own; what goes wrong is put into the one method by which a listener hears of the game.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest

from companion import languages
from companion.narrator.announcer import Announcer
from tests.evening.boxes import RunningBox, running
from tests.faults.test_storms import PATIENCE_SECONDS, lights_are_right, plays_on, pressed, to_the_election
from tests.journal.playing import fingerprint
from tests.phones.test_server import read_until, stream
from tests.support import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ENGLISH = languages.load("en")
ON_THE_PAGE = ENGLISH.page["trouble_part"]
SPOKEN = ENGLISH.pronounce(ENGLISH.say("part_trouble"))
FAILED = "The {} failed; the log says how."


@pytest.fixture
def box(tmp_path: Path) -> Iterator[RunningBox]:
    """A box with real role cards, at its first election."""
    with running(tmp_path / "state", roles="cards", voice="silent") as box:
        to_the_election(box)
        yield box


def fails(*_: object) -> None:
    raise RuntimeError("on purpose")


def streams_on(box: RunningBox, press: Callable[[], object]) -> None:
    """Whoever has a stream is told of a press."""
    with contextlib.closing(stream(box.companion._server)) as line:
        read_until(line, b"data: ")
        press()
        news = box.companion.feed.snapshot.version
        line.settimeout(PATIENCE_SECONDS)
        heard = b""
        while not any(int(piece) >= news for piece in numbers(heard)):
            heard += line.recv(4096)


def numbers(heard: bytes) -> list[bytes]:
    """The versions in what a stream sent, but for one that is still being sent."""
    return [piece.partition(b"\n")[0] for piece in heard.split(b"data: ")[1:] if b"\n" in piece]


def is_as_it_was(box: RunningBox, state_dir: Path) -> None:
    """The box ends while things are as they are, and the next one stands where it stood."""
    stood = fingerprint(box.companion.feed.snapshot.evening)
    # Whatever waits for a listener that never comes back would be waited for here.
    ends = threading.Thread(target=box.companion.close, daemon=True)
    ends.start()
    ends.join(PATIENCE_SECONDS)
    assert not ends.is_alive()
    with running(state_dir, roles="cards", voice="silent") as again:
        assert fingerprint(again.companion.feed.snapshot.evening) == stood


def test_a_narrator_that_fails_at_everything_costs_no_press(
    box: RunningBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Presses count and last, boards and pages show them, the table reads once that something is wrong."""
    with monkeypatch.context() as broken:
        broken.setattr(Announcer, "changed", fails)
        streams_on(box, lambda: box.press("nein"))
        plays_on(box, box.press)
        plays_on(box, pressed(box))
        eventually(lambda: box.table()["troubles"] == [FAILED.format("Announcer")], PATIENCE_SECONDS)
        assert ON_THE_PAGE in box.phone().get("/table").text
        news = box.companion.feed.snapshot.version
        box.press("ja")
        assert box.table()["troubles"] == [FAILED.format("Announcer")]
        assert box.companion.feed.snapshot.version > news
    # It hears the next change as ever, and what was wrong is over.
    box.press("undo")
    eventually(lambda: box.table()["troubles"] == [], PATIENCE_SECONDS)
    box.silence()
    assert box.output.said().count(SPOKEN) == 1
    is_as_it_was(box, tmp_path / "state")


def test_an_announcer_that_hears_nothing_leaves_lights_that_are_right_and_a_voice(
    box: RunningBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A press lights its light whatever the announcer does, and the voice tells that something is wrong."""
    monkeypatch.setattr(Announcer, "changed", fails)
    plays_on(box, box.press)
    eventually(lambda: box.table()["troubles"] == [FAILED.format("Announcer")], PATIENCE_SECONDS)
    plays_on(box, box.press)
    box.silence()
    assert box.output.said().count(SPOKEN) == 1
    assert lights_are_right(box)
    is_as_it_was(box, tmp_path / "state")
