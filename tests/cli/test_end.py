from __future__ import annotations

import os
import signal
import threading

from companion.run import _End


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
