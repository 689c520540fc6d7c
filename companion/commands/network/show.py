"""What somebody is told who asks for the box's network, and a card to print with both codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion import languages
from companion.commands.network.networkmanager import NetworkError
from companion.machine import network, terminal, wifi
from companion.phones import qr
from hardware.wiring import drawing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from companion.commands.network.networkmanager import NetworkManager
    from companion.machine.wifi import Hotspot
    from companion.settings import Settings


CARD_WIDTH_MM, CARD_HEIGHT_MM = 105.0, 74.0
"""A7."""


def show(settings: Settings, networks: NetworkManager, card: Path | None, keyfile: Path = Path(wifi.KEYFILE)) -> int:
    """Tell where phones find the box and what its own network is called; return 0, or 1 where a card cannot be made.

    Args:
        settings: of the box.
        networks: of this machine.
        card: where a card with both codes is drawn; None for nowhere.
        keyfile: where the box's own network is kept.
    """
    try:
        devices = networks.devices()
    except NetworkError as error:
        print(error, file=sys.stderr)
        devices = []
    for device in devices:
        kind = "Wi-Fi" if device.is_wireless else "cable"
        state = f"in {device.profile!r}" if device.profile else "not connected" if device.is_usable else "switched off"
        print(f"{kind} {device.name}: {state}")
    address = network.join_url(settings.host, settings.port)
    print(f"Phones open {address}" if address else "Phones find no address here.")
    own = wifi.read(keyfile)
    if own is None:
        unknown = keyfile.parent.exists() and not _is_readable(keyfile.parent)
        print("Only root may read the box's own network: say it with sudo." if unknown else "It has no own network.")
        return int(card is not None)
    print(f"Its own network is {own.name!r} with the passphrase {own.passphrase}.")
    print("\n".join(terminal.drawn_code(own.code, coloured=terminal.has_colours())) or own.code)
    if card is not None:
        joins = network.url(own.address, settings.port)
        card.write_text(drawn_card(own, joins, languages.load(settings.language).page), encoding="utf-8", newline="\n")
        print(f"Drawn: {card} (print at 100 %)")
    return 0


def drawn_card(own: Hotspot, address: str, words: Mapping[str, str]) -> str:
    """Return a card with the code of the box's own network and the one to join, in SVG.

    Args:
        own: the network.
        address: of the pages in it.
        words: those of the pages.
    """
    ways = (
        (words["wifi_step"], qr.network_code(own.code), own.name, f"{words['wifi_passphrase']} {own.passphrase}"),
        (words["scan_to_join"], qr.join_code(address), address, ""),
    )
    edge = {"width": CARD_WIDTH_MM - 0.4, "height": CARD_HEIGHT_MM - 0.4, "rx": 3.0}
    drawn = [drawing.shape("rect", x=0.2, y=0.2, **edge, fill="none", stroke=drawing.FAINT, stroke_width=0.2)]
    for number, (step, code, name, more) in enumerate(ways, 1):
        middle = 2.5 + 50 * (number - 0.5)
        drawn += [
            _line(middle, 9.5, f"{number}. {step}", 4.2, bold=True),
            f'<svg x="{middle - 22.5}" y="12" width="45" height="45" viewBox="{_viewbox(code)}">{_inside(code)}</svg>',
            _line(middle, 61.5, name, 3.6, bold=True),
            _line(middle, 66.5, more, 3.0),
        ]
    drawn.append(_line(CARD_WIDTH_MM / 2, 71.4, words["wifi_hint"], 2.4, room=98))
    return drawing.page(CARD_WIDTH_MM, CARD_HEIGHT_MM, "Wi-Fi", drawn)


def _line(x: float, y: float, words: str, size: float, *, bold: bool = False, room: float = 48) -> str:
    return drawing.text(x, y, words, size, anchor="middle", bold=bold, room=room)


def _viewbox(code: str) -> str:
    return code.partition('viewBox="')[2].partition('"')[0]


def _inside(code: str) -> str:
    """What a drawn code consists of, without the document around it."""
    return code[code.index("<path") : code.rindex("</svg>")]


def _is_readable(folder: Path) -> bool:
    try:
        next(folder.iterdir(), None)
    except OSError:
        return False
    return True
