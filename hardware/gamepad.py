"""The panel without soldering: six buttons of a USB device, and the lights on a page.

Which button is which has been learnt once, by pressing each, and is kept by the name of the device: it may be pulled
out, and plugged in elsewhere, in the middle of a game.
"""

from __future__ import annotations

import json
import logging
import os
import select
import time
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread, current_thread
from typing import TYPE_CHECKING

from hardware.gestures import Recogniser
from hardware.input_devices import open_devices
from hardware.panel import Button, Gesture, PanelError
from hardware.web import WebPanel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from hardware.input_devices import InputDevice
    from hardware.panel import ButtonEvent

_log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often a device that is not there is looked for."""

_LOOK_AGAIN_SECONDS = 0.050
"""How often the keys are looked at while a hold is under way."""

_FAREWELL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class GamepadButtons:
    """Which buttons of which device are the panel's.

    Attributes:
        device: what it calls itself.
        codes: the kernel's number of each button.
    """

    device: str
    codes: Mapping[Button, int]

    @classmethod
    def load(cls, path: Path) -> GamepadButtons:
        """Read what has been learnt.

        Raises:
            PanelError: nothing has been learnt yet, or the file is wrong.
        """
        try:
            plain = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise PanelError("Which USB button is which has to be learnt once: say `companion gamepad`.") from None
        except (OSError, ValueError) as error:
            raise PanelError(f"{path}: cannot be read ({error}); say `companion gamepad` once more.") from None
        device, codes = plain.get("device"), plain.get("buttons")
        learnt = codes if isinstance(codes, dict) else {}
        numbers = {code for code in learnt.values() if isinstance(code, int) and not isinstance(code, bool)}
        is_whole = set(learnt) == {str(button) for button in Button} and len(numbers) == len(Button)
        if not isinstance(device, str) or not is_whole:
            raise PanelError(f"{path}: it has no device, or not six different buttons; say `companion gamepad` again.")
        return cls(device, {Button(name): code for name, code in learnt.items()})

    def save(self, path: Path) -> None:
        """Keep it, in one piece. Raises OSError."""
        lines = [
            "# Which buttons of which USB device are the panel's. Made by `companion gamepad`.",
            # JSON writes a text as TOML does.
            f"device = {json.dumps(self.device)}",
            "",
            "[buttons]",
            *(f"{button} = {code}" for button, code in self.codes.items()),
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_name(f"{path.name}.new")
        written.write_text("\n".join(lines) + "\n", encoding="utf-8")
        # The box may run as another user than whoever taught it.
        written.chmod(0o644)
        written.replace(path)


class GamepadPanel(WebPanel):
    """A `Panel` whose buttons are a USB device's; its lights, and six buttons more, are on the panel's page.

    Args:
        buttons: what has been learnt.
        find: opens the devices that there are.
        clock: seconds that never go back; the one by which devices stamp what they do.
        look_seconds: how often devices are looked for.

    Raises:
        PanelError: the library for it is missing.
    """

    def __init__(
        self,
        buttons: GamepadButtons,
        *,
        find: Callable[[], list[InputDevice]] = open_devices,
        clock: Callable[[], float] = time.monotonic,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        super().__init__()
        self._name = buttons.device
        self._by_code = {code: button for button, code in buttons.codes.items()}
        self._find = find
        self._clock = clock
        self._look_seconds = look_seconds
        self._devices: dict[str, InputDevice] = {}
        self._recogniser = Recogniser()
        self._wakes, self._wake = os.pipe()
        try:
            self._look()
            down = {self._by_code[code] for code in self._held() if code in self._by_code}
            self._recogniser = Recogniser(down_at_start=down)
        except BaseException:
            self._give_back()
            raise
        self._thread = Thread(target=self._watch, name="panel-gamepad", daemon=True)
        self._thread.start()

    @property
    def troubles(self) -> tuple[str, ...]:
        """A device that is not there, and buttons that have been down since the start as long as they are."""
        gone = () if self._devices else (f"{self._name} is not plugged in, or this user may not read it.",)
        stuck = (
            f"Button {button.value} is stuck: it has been down since the start." for button in self._recogniser.stuck
        )
        return (*gone, *stuck)

    def close(self) -> None:
        """All lights off, the device given back."""
        was_closed = self._closed
        super().close()
        if was_closed:
            return
        os.write(self._wake, b".")
        if self._thread is not current_thread():
            self._thread.join(_FAREWELL_SECONDS)

    def _watch(self) -> None:
        try:
            look_at = time.monotonic() + self._look_seconds
            while not self._closed:
                patience = self._patience(look_at)
                # Whatever woke it: a key, the time, or somebody who closes the panel.
                files = [self._wakes, *(device.fileno() for device in self._devices.values())]
                select.select(files, [], [], patience)
                for device in self._with_news():
                    self._read(device)
                for event in self._look_again():
                    self._deliver(event)
                if time.monotonic() >= look_at:
                    if not self._devices:
                        self._look()
                    look_at = time.monotonic() + self._look_seconds
        finally:
            self._give_back()

    def _patience(self, look_at: float) -> float | None:
        """How long to wait for a key, in seconds; None for ever, while nothing can happen without one."""
        until_look = None if self._devices else max(0.0, look_at - time.monotonic())
        deadline = self._recogniser.next_deadline()
        if deadline is None:
            return until_look
        until_due = max(0.0, min(deadline - self._clock(), _LOOK_AGAIN_SECONDS))
        return until_due if until_look is None else min(until_look, until_due)

    def _read(self, device: InputDevice) -> None:
        try:
            edges = list(device.read())
        except OSError:
            self._lose(device)
            return
        for code, down, at in edges:
            if code in self._by_code:
                for event in self._recogniser.edge(self._by_code[code], down, at):
                    self._deliver(event)

    def _look_again(self) -> Iterator[ButtonEvent]:
        """Let time pass, after a look at the keys that should be down: the kernel drops what it has no room for."""
        now = self._clock()
        if self._recogniser.down and not self._with_news():
            held = self._held()
            for button in self._recogniser.down:
                if not any(self._by_code.get(code) is button for code in held):
                    yield from self._recogniser.edge(button, down=False, at_seconds=now)
        # What waits to be read is older than now, and has to be told first.
        if not self._with_news():
            yield from self._recogniser.advance(now)

    def _with_news(self) -> list[InputDevice]:
        """Return the devices on which something has happened."""
        return select.select([*self._devices.values()], [], [], 0)[0]

    def _held(self) -> set[int]:
        held: set[int] = set()
        for device in list(self._devices.values()):
            try:
                held |= device.held()
            except OSError:
                self._lose(device)
        return held

    def _look(self) -> None:
        """Open what goes by the name that was learnt, and is not open yet."""
        for device in self._find():
            if device.name != self._name or device.path in self._devices:
                device.close()
                continue
            try:
                device.keep_to_us()
            except OSError:
                # Another program keeps it to itself.
                device.close()
                continue
            self._devices[device.path] = device

    def _lose(self, device: InputDevice) -> None:
        """Forget a device that was pulled out. A button that was down on it has been neither pressed nor held."""
        self._devices.pop(device.path, None)
        with suppress(OSError):
            device.close()
        _log.warning("%s was pulled out.", self._name)
        for button in self._recogniser.down:
            for event in self._recogniser.edge(button, down=False, at_seconds=self._clock()):
                if event.gesture is Gesture.HOLD_CANCELLED:
                    self._deliver(event)

    def _give_back(self) -> None:
        for device in self._devices.values():
            with suppress(OSError):
                device.close()
        self._devices = {}
        os.close(self._wakes)
        os.close(self._wake)
