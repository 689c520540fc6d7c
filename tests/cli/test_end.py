from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

from companion.box.run import _End


def test_a_signal_in_the_middle_of_a_wait_for_the_end_still_ends_the_box() -> None:
    """SIGTERM may come while the main thread holds the lock that telling of the end takes: it hangs on nothing."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    lock, told = threading.Lock(), threading.Event()

    def tell() -> None:
        # With a limit, so that this fails where it would otherwise hang for ever.
        if lock.acquire(timeout=10):
            told.set()

    try:
        end = _End()
        end.then(tell)
        with lock:
            os.kill(os.getpid(), signal.SIGTERM)
            assert end.asked
        assert told.wait(30)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_a_signal_that_was_slept_through_ends_the_box_all_the_same() -> None:
    """One that comes in the moment before the main thread falls asleep wakes nobody, and is heard soon after."""
    told = (
        "import os, signal, threading\n"
        "from types import SimpleNamespace\n"
        "from companion.box.app import Companion\n"
        "from companion.box.run import _End\n"
        "ended, asleep = threading.Event(), threading.Event()\n"
        "_End().then(ended.set)\n"
        "threading.Thread(target=lambda: asleep.wait(10) and os.kill(os.getpid(), signal.SIGTERM)).start()\n"
        # The system gives it to the other thread then: the main thread is not woken, as in that moment.
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})\n"
        "asleep.set()\n"
        "Companion.wait(SimpleNamespace(_ended=ended, feed=SimpleNamespace(snapshot=SimpleNamespace(version=1))))\n"
        "print('ended')\n"
    )
    box = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=60, check=False)
    assert (box.stdout, box.stderr) == ("ended\n", "")
