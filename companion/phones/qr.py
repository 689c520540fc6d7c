"""The join code: the address that phones open, as a QR code that reads well in dim light."""

from __future__ import annotations

from functools import lru_cache

import qrcode
from qrcode.image.svg import SvgPathImage


@lru_cache(maxsize=4)
def join_code(address: str) -> str:
    """Return an address as a QR code in SVG.

    Upper case needs fewer modules, and scheme and host do not care; Q survives a quarter of it covered by glare.
    """
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_Q, border=4)
    code.add_data(address.upper())
    code.make(fit=True)
    return str(code.make_image(image_factory=SvgPathImage).to_string(encoding="unicode"))
