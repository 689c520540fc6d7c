"""A USB device with buttons, as far as the panel sees it: a file that `select` waits for, and what happened on it."""

import contextlib
import errno
import os
from collections import deque

from hardware.input_devices import KeyEdge
from hardware.panel import Button

CODES = {button: 288 + place for place, button in enumerate(Button)}
"""As an arcade encoder counts its buttons."""


class Socket:
    """A place for one device: what is plugged in there can be found."""

    def __init__(self, clock, name="Arcade encoder"):
        self.clock, self.name = clock, name
        self.down = set()
        self.plugged_in = True
        self.taken = False
        self.opened = []

    def find(self):
        """Open what is plugged in."""
        if not self.plugged_in:
            return []
        device = FakeDevice(self, f"/dev/input/event{len(self.opened)}")
        self.opened.append(device)
        return [device]

    @property
    def device(self):
        """What is open now."""
        return next(device for device in reversed(self.opened) if not device.closed)

    def key(self, button, down):
        """A button goes down or comes up."""
        (self.down.add if down else self.down.discard)(CODES[button])
        for device in self.opened:
            # Where nobody has it open nobody is told.
            if not device.closed:
                device.tell(KeyEdge(CODES[button], down, self.clock()))

    def pull_out(self):
        """Unplug it, whatever is down."""
        device, self.plugged_in = self.device, False
        self.down.clear()
        device.gone = True
        device.tell(None)


class FakeDevice:
    def __init__(self, socket, path):
        self._socket, self.path, self.name = socket, path, socket.name
        self._readable, self._writable = os.pipe()
        self._edges = deque()
        self.gone = self.closed = self.ours = False

    def tell(self, edge):
        self._edges.append(edge)
        # The panel may give it back at this very moment.
        with contextlib.suppress(OSError):
            os.write(self._writable, b".")

    def fileno(self):
        return self._readable

    def read(self):
        self._fail_if_gone()
        count = len(os.read(self._readable, 4096))
        return [self._edges.popleft() for _ in range(count)]

    def held(self):
        self._fail_if_gone()
        return set(self._socket.down)

    def keep_to_us(self):
        if self._socket.taken:
            raise OSError(errno.EBUSY, "busy")
        self.ours = True

    def close(self):
        if not self.closed:
            self.closed = True
            os.close(self._readable)
            os.close(self._writable)

    def _fail_if_gone(self):
        if self.gone:
            raise OSError(errno.ENODEV, "no such device")
