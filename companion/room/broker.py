"""Tells an MQTT broker what the room may know, in the form that Home Assistant finds by itself.

It has a thread of its own and a library that has another: a broker that is gone, or that hangs, costs the game nothing.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import socket
import threading
from typing import TYPE_CHECKING, Any

from companion import __version__
from companion.room.moments import Moment, moments, state

if TYPE_CHECKING:
    from companion.machine.broker import BrokerAddress
    from companion.table.snapshot import Feed, Snapshot

DISCOVERY = "homeassistant"
"""Below this topic Home Assistant looks for what there is."""
MISSING = "paho-mqtt is not installed; pip install 'secret-hitler-companion[mqtt]' brings it"

_LOOK_UP_SECONDS = 0.5
_FAREWELL_SECONDS = 0.3
_KEEPALIVE_SECONDS = 20
_RETRY_SECONDS = (1, 60)

logger = logging.getLogger(__name__)


class Room:
    """Follows the feed, and publishes. `start` it, `close` it; neither waits for a network."""

    def __init__(self, feed: Feed, address: BrokerAddress, topic: str) -> None:
        """Make one that says nothing yet.

        Args:
            feed: what the table shows.
            address: of the broker.
            topic: below which everything is published.

        Raises:
            ImportError: the library is not installed.
        """
        # An optional extra: who has no broker has no library either.
        from paho.mqtt.client import Client  # noqa: PLC0415
        from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

        self._feed = feed
        self._address = address
        self._topic = topic
        self._over = threading.Event()
        self._told = ""
        self._troubled = False
        self._client = Client(CallbackAPIVersion.VERSION2)
        if address.user:
            self._client.username_pw_set(address.user, address.password)
        if address.encrypted:
            self._client.tls_set()
        self._client.will_set(f"{topic}/availability", "offline", qos=1, retain=True)
        self._client.reconnect_delay_set(*_RETRY_SECONDS)
        self._client.max_queued_messages_set(20)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_connect_fail = lambda _client, _data: self._cannot("it cannot be reached")
        self._thread = threading.Thread(target=self._follow, name="room", daemon=True)

    def start(self) -> None:
        """Begin to look for the broker, and to follow the table."""
        self._client.connect_async(self._address.host, self._address.port, _KEEPALIVE_SECONDS)
        self._client.loop_start()
        self._thread.start()

    def close(self) -> None:
        """Say goodbye if that takes no time. May be called twice."""
        if self._over.is_set():
            return
        self._over.set()
        if self._client.is_connected():
            with contextlib.suppress(RuntimeError, ValueError):
                self._publish("availability", "offline", retain=True).wait_for_publish(_FAREWELL_SECONDS)
        self._client.disconnect()
        if self._thread.is_alive():
            self._thread.join(_FAREWELL_SECONDS)

    def _follow(self) -> None:
        shown = self._feed.snapshot
        while not self._over.is_set():
            newer = self._feed.wait_newer(shown.version, _LOOK_UP_SECONDS)
            if newer.version == shown.version or not self._client.is_connected():
                # What happens while nobody listens is not told later: a light that flashes at the wrong moment lies.
                shown = newer
                continue
            try:
                for moment in moments(shown, newer):
                    self._publish("event", json.dumps({"event_type": str(moment)}))
                self._tell(newer)
            except Exception:
                # Whatever is wrong with it, the next moment may be told.
                logger.exception("the room could not be told")
            shown = newer

    def _tell(self, snapshot: Snapshot) -> None:
        text = json.dumps(state(snapshot))
        if text != self._told:
            self._told = text
            self._publish("state", text, retain=True)

    def _publish(self, below: str, text: str, *, retain: bool = False) -> Any:
        return self._client.publish(f"{self._topic}/{below}", text, qos=1, retain=retain)

    def _on_connect(self, _client: object, _data: object, _flags: object, reason: Any, _more: object) -> None:
        if reason.is_failure:
            self._cannot(f"it refuses ({reason})")
            return
        self._troubled = False
        logger.info("The room is told by the broker %s.", self._address.host)
        for topic, content in discovery(self._topic, socket.gethostname()).items():
            self._client.publish(topic, json.dumps(content), qos=1, retain=True)
        self._publish("availability", "online", retain=True)
        self._told = ""
        self._tell(self._feed.snapshot)

    def _on_disconnect(self, _client: object, _data: object, _flags: object, reason: Any, _more: object) -> None:
        if not self._over.is_set():
            self._cannot(f"it has gone ({reason})")

    def _cannot(self, why: str) -> None:
        """Say it once, in the log: a room without lights is no trouble of the table's."""
        if not self._troubled:
            self._troubled = True
            logger.warning("The broker %s for the room does not work: %s.", self._address.host, why)


def discovery(topic: str, machine: str) -> dict[str, dict[str, object]]:
    """Return what Home Assistant has to be told to find this box: contents by topic."""
    name = re.sub(r"\W+", "_", machine.lower()).strip("_") or "box"
    node = f"secret_hitler_{name}"
    common: dict[str, object] = {
        "availability_topic": f"{topic}/availability",
        "device": {
            "identifiers": [node],
            "name": "Secret Hitler",
            "manufacturer": "Secret Hitler Companion",
            "sw_version": __version__,
        },
    }

    def entity(kind: str, key: str, called: str, icon: str, **more: object) -> tuple[str, dict[str, object]]:
        content = {"name": called, "unique_id": f"{node}_{key}", "icon": f"mdi:{icon}", **more, **common}
        return f"{DISCOVERY}/{kind}/{node}/{key}/config", content

    def figure(key: str, called: str, icon: str) -> tuple[str, dict[str, object]]:
        value = f"{{{{ value_json.{key} }}}}"
        return entity("sensor", key, called, icon, state_topic=f"{topic}/state", value_template=value)

    closed = "{{ 'ON' if value_json.eyes_closed else 'OFF' }}"
    return dict(
        (
            figure("phase", "Phase", "bank"),
            figure("liberal_policies", "Liberal policies", "bird"),
            figure("fascist_policies", "Fascist policies", "skull"),
            figure("election_tracker", "Election tracker", "counter"),
            entity(
                "binary_sensor",
                "eyes_closed",
                "Eyes closed",
                "eye-off",
                state_topic=f"{topic}/state",
                value_template=closed,
            ),
            entity(
                "event",
                "moment",
                "Moment",
                "flash",
                state_topic=f"{topic}/event",
                event_types=[str(moment) for moment in Moment],
            ),
        )
    )
