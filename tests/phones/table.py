"""A table full of phones without browsers: Flask's test clients, each with cookies of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from flask.testing import FlaskClient

from companion.phones.app import create_app
from companion.phones.seats import COOKIE

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

    from tests.phones.fake_box import FakeBox

NAMES = ("Anna", "Boris", "Chloé", "Даша", "Emil", "Fatima", "Grzegorz", "Håkon", "Ines", "João")
ADDRESS = "192.168.4.1"
HOST = f"{ADDRESS}:8080"
ORIGIN = f"http://{HOST}"


class Phone(FlaskClient):
    """A phone that opens the box's address on the network."""

    def open(self, *args: Any, **settings: Any) -> TestResponse:
        """Send a request."""
        settings.setdefault("base_url", ORIGIN)
        return super().open(*args, **settings)

    @property
    def secret(self) -> str:
        """What is in the phone's cookie."""
        cookie = self.get_cookie(COOKIE, ADDRESS)
        return "" if cookie is None else cookie.value

    @secret.setter
    def secret(self, value: str) -> None:
        self.set_cookie(COOKIE, value, domain=ADDRESS)


class Table:
    """The app, and the phones around it."""

    def __init__(self, box: FakeBox, **settings: Any) -> None:
        self.box = box
        self.app = create_app(box, **settings)
        self.app.testing = False
        self.app.test_client_class = Phone
        self.phones: list[Phone] = []

    def phone(self, remote: str = "192.168.4.20") -> Phone:
        """Return another phone."""
        client = cast("Phone", self.app.test_client())
        client.environ_base = {**client.environ_base, "REMOTE_ADDR": remote}
        return client

    def join(self, name: str, language: str = "", remote: str = "") -> Phone:
        """Let somebody sit down with another phone, which has an address of its own."""
        client = self.phone(remote or f"192.168.4.{20 + len(self.phones)}")
        client.get("/")
        answer = client.post("/join", data={"name": name, "language": language})
        assert answer.status_code == 303, answer.get_data(as_text=True)
        self.phones.append(client)
        return client

    def sit(self, players: int) -> None:
        """Let so many people sit down."""
        for place, name in enumerate(NAMES[:players]):
            self.join(name, remote=f"192.168.4.{20 + place}")

    def deal(self) -> None:
        """Deal the roles."""
        assert self.box.push("ja", held=False).result().ok

    def play(self) -> None:
        """Go through deal and night to the first election."""
        self.deal()
        for _ in range(3):
            assert self.box.push("ja", held=True).result().ok

    def make_host(self, client: Phone) -> None:
        """Let a phone ask for the host's rights, and press ja."""
        assert client.post("/me/host").status_code == 303
        self.box.grant()


def post(client: Phone, path: str, content: object = None, **headers: str) -> TestResponse:
    """Post JSON as our own pages do."""
    return client.post(path, json={} if content is None else content, headers={"Origin": ORIGIN, **headers})
