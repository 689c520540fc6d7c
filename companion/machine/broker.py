"""Where a household's MQTT broker is, as somebody writes it into the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit

_PORTS = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where a broker is, and as whom it is spoken to. Its `repr` keeps the password."""

    host: str
    port: int
    encrypted: bool
    user: str
    password: str

    def __repr__(self) -> str:
        return f"BrokerAddress({self.host}:{self.port})"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the address of a text such as `mqtt://user:password@broker.local:1883`.

        Raises:
            ValueError: it is none; the message does not hold it, since a password may be in it.
        """
        parts = urlsplit(text)
        if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(
                "that is no address of a broker, such as mqtt://broker.local or mqtt://name:word@host:1883"
            )
        try:
            port = parts.port or _PORTS[parts.scheme]
        except ValueError:
            raise ValueError("the port of the broker is no number from 1 to 65535") from None
        return cls(
            parts.hostname, port, parts.scheme == "mqtts", unquote(parts.username or ""), unquote(parts.password or "")
        )
