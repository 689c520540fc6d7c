"""Server-sent events: what is new, as it comes, to a bounded number of phones and screens.

Each stream holds a thread of the server for as long as it lasts, so there are places for them, and a seat has one: the
newest wins, because a phone that lost its network cannot say that its old stream is dead.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from companion.table.snapshot import Feed, Snapshot

PLACES = 24
STRANGER_PLACES = 8
"""Places for those without a seat: screens on the table, and the panel on a screen."""

HEARTBEAT_SECONDS = 3.0
_LOOK_UP_SECONDS = 0.5
"""How soon a stream notices that it is over: its phone is gone, a newer one took its place, or the box ends."""

_TOGETHER_SECONDS = 0.015


class Stream:
    """One open stream."""

    def __init__(self, seat: str | None) -> None:
        self.seat = seat
        self.over = threading.Event()

    def events(self, feed: Feed, tell: Callable[[Snapshot], str], gone: Callable[[], bool]) -> Iterator[str]:
        """Give an event now and at each change that a page shows, and a heartbeat, until the stream is over.

        That a line is over, or that a press meant nothing, is for the lights alone: it would wake phones for nothing.

        Args:
            feed: where snapshots come from.
            tell: what an event says of a snapshot, in one line.
            gone: whether the other side has hung up.
        """
        told = feed.snapshot
        version, event = told.version, tell(told)
        # The comment comes at once, so that a phone knows the stream to be alive before anything happens.
        yield f": here\n\ndata: {event}\n\n"
        said = time.monotonic()
        while not self.over.is_set() and not gone():
            newer = feed.wait_newer(version, _LOOK_UP_SECONDS)
            if newer.says_more_than(told):
                # The light of the panel comes first, and a report and the word that tells of it come together.
                self.over.wait(_TOGETHER_SECONDS)
                newer = feed.snapshot
            is_news, version = newer.says_more_than(told), newer.version
            if is_news:
                told, event = newer, tell(newer)
            elif time.monotonic() - said < HEARTBEAT_SECONDS:
                continue
            # Without news the same again: comments do not reach a page, whose watchdog has to hear something.
            yield f"data: {event}\n\n"
            said = time.monotonic()


class Streams:
    """All open streams."""

    def __init__(self, places: int = PLACES, stranger_places: int = STRANGER_PLACES) -> None:
        self._places = places
        self._stranger_places = stranger_places
        self._open: list[Stream] = []
        self._closed = False
        self._lock = threading.Lock()

    def enter(self, seat: str | None) -> Stream | None:
        """Open a stream; None when there is no place left.

        Args:
            seat: whose it is, by the claim of the phone; None for a stranger.
        """
        with self._lock:
            if self._closed:
                return None
            if seat is None:
                if sum(each.seat is None for each in self._open) >= self._stranger_places:
                    return None
            else:
                for older in [each for each in self._open if each.seat == seat]:
                    older.over.set()
                    self._open.remove(older)
            if len(self._open) >= self._places:
                return None
            stream = Stream(seat)
            self._open.append(stream)
            return stream

    def leave(self, stream: Stream) -> None:
        """Give a stream's place back."""
        with self._lock:
            stream.over.set()
            if stream in self._open:
                self._open.remove(stream)

    def close(self) -> None:
        """End every stream and open no more."""
        with self._lock:
            self._closed = True
            for stream in self._open:
                stream.over.set()
            self._open.clear()

    def __len__(self) -> int:
        return len(self._open)
