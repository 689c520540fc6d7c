"""Handing gestures to whoever listens, so that their error stays theirs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.panel import ButtonEvent

_log = logging.getLogger(__name__)


class Delivery:
    """The one callback of a panel. Nothing is delivered before `to` or after `close`."""

    def __init__(self) -> None:
        self._callback: Callable[[ButtonEvent], None] | None = None

    def to(self, callback: Callable[[ButtonEvent], None]) -> None:
        """Deliver to `callback` from now on."""
        self._callback = callback

    def close(self) -> None:
        """Deliver nothing any more."""
        self._callback = None

    def __call__(self, event: ButtonEvent) -> None:
        """Deliver one gesture; an error of the callback is logged and goes no further."""
        callback = self._callback
        if callback is None:
            return
        try:
            callback(event)
        except Exception:  # noqa: BLE001 - the thread that called is the only one there is for the buttons
            _log.exception("The %s button was pressed, and what should happen then failed", event.button.value)
