"""The codes for phones: the network that they join and the address that they open, drawn to read well in dim light."""

from __future__ import annotations

from functools import lru_cache

import qrcode
from qrcode.image.svg import SvgPathImage


@lru_cache(maxsize=4)
def join_code(address: str) -> str:
    """Return an address as a QR code in SVG, in small letters: several cameras take `HTTP://` for a text."""
    return _drawn(address)


@lru_cache(maxsize=1)
def network_code(code: str) -> str:
    """Return what lets a phone into a network (`companion.machine.wifi.Hotspot.code`) as a QR code in SVG."""
    return _drawn(code)


def _drawn(text: str) -> str:
    """Draw a code. Q survives a quarter of it covered by glare."""
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_Q, border=4)
    code.add_data(text)
    code.make(fit=True)
    return str(code.make_image(image_factory=SvgPathImage).to_string(encoding="unicode"))
