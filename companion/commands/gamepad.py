"""`companion gamepad`: learn which USB button is which, by pressing each of the six once."""

from __future__ import annotations

import os
import pwd
import select
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from companion.machine import udev
from companion.settings import BOX_FILE, BOX_USER
from hardware.gamepad import GamepadButtons
from hardware.input_devices import name_of_key, open_devices
from hardware.panel import Button, PanelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hardware.input_devices import InputDevice

_ASKED = {
    Button.LIBERAL: "blue, a Liberal policy",
    Button.FASCIST: "red, a Fascist policy",
    Button.JA: "green, ja",
    Button.NEIN: "white, nein",
    Button.REPEAT: "yellow, say it again",
    Button.UNDO: "black, take it back",
}


def run(
    file: Path,
    find: Callable[[], list[InputDevice]] = open_devices,
    *,
    rules: Path = Path(udev.RULES),
    give: Callable[[str, str, Path], str] = udev.give,
) -> int:
    """Ask for each button, keep what was pressed, and return the exit code.

    As root beside an installed box it also gives the device to the box's service, which may read no other.

    Args:
        file: where it is kept.
        find: opens the devices that there are.
        rules: where udev's rule for the service is kept.
        give: writes that rule.
    """
    try:
        devices = find()
    except PanelError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        if not devices:
            print(
                "No buttons are plugged in that this user may read; as root, or in the group `input`, there may be.",
                file=sys.stderr,
            )
            return 1
        for name in sorted({device.name for device in devices}):
            print(f"found: {name}")
        learnt = _learn(devices)
    finally:
        for device in devices:
            device.close()
    if learnt is None:
        return 1
    learnt.save(file)
    if not (os.geteuid() == 0 and _has_service()):
        print(f"Kept in {file}. Start the box with --panel gamepad.")
    else:
        print(f"Kept in {file}.")
        trouble = give(learnt.device, BOX_USER, rules)
        if trouble:
            print(f"The box that starts by itself may not read {learnt.device}: {trouble}.", file=sys.stderr)
            return 1
        print(f"The box that starts by itself may read {learnt.device}, and no other device.")
        print(f'Write panel = "gamepad" into {BOX_FILE}, and say: sudo systemctl restart secret-hitler-companion')
    return 0


def _has_service() -> bool:
    """Whether this machine was made a box."""
    with suppress(KeyError):
        return bool(pwd.getpwnam(BOX_USER))
    return False


def _learn(devices: list[InputDevice]) -> GamepadButtons | None:
    """Return what was pressed; None when the device was pulled out."""
    codes: dict[Button, int] = {}
    presses, name = _presses(devices), ""
    for button, words in _ASKED.items():
        print(f"Press the button for {button} ({words}): ", end="", flush=True)
        while button not in codes:
            try:
                device, code = next(presses)
            except OSError:
                print("\nIt was pulled out; nothing is kept.", file=sys.stderr)
                return None
            # The first press says whose buttons these are.
            name = name or device.name
            if device.name != name:
                continue
            if code in codes.values():
                print("that one is taken, another: ", end="", flush=True)
            else:
                codes[button] = code
        print(name_of_key(codes[button]))
    return GamepadButtons(name, codes)


def _presses(devices: list[InputDevice]) -> Iterator[tuple[InputDevice, int]]:
    """Yield every key that goes down, waiting for it. Raises OSError when a device is gone."""
    while True:
        for device in select.select(devices, [], [])[0]:
            yield from ((device, edge.code) for edge in device.read() if edge.down)
