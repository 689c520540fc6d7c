"""A stretch of network between phones and box that swallows what it is told to, as bad Wi-Fi does: without a word."""

from __future__ import annotations

import http.client
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable


class Network:
    """Hands requests on to a box, but for those that are swallowed: their connection stays open and says nothing."""

    def __init__(self, port: int) -> None:
        self.swallows: Callable[[str], bool] = lambda _path: False
        self.swallowed: list[str] = []
        self.passed: list[str] = []
        self._over = threading.Event()
        network = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                network._hand_on(self, port)

            do_POST = do_GET  # noqa: N815 - the name that the library looks for

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _hand_on(self, asked: BaseHTTPRequestHandler, port: int) -> None:
        content = asked.rfile.read(int(asked.headers.get("Content-Length", 0)))
        if self.swallows(asked.path):
            self.swallowed.append(asked.path)
            self._over.wait()
            return
        self.passed.append(asked.path)
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with suppress(OSError, http.client.HTTPException):
            headers = {key: value for key, value in asked.headers.items() if key.lower() != "connection"}
            line.request(asked.command, asked.path, content or None, headers)
            answer = line.getresponse()
            asked.send_response(answer.status)
            for key, value in answer.getheaders():
                if key.lower() not in {"connection", "transfer-encoding", "date", "server"}:
                    asked.send_header(key, value)
            asked.send_header("Connection", "close")
            asked.end_headers()
            asked.close_connection = True
            while piece := answer.read1(65_536):
                if asked.path == "/news" and self.swallows("/news"):
                    # A stream that has been open for long, and dies on its way.
                    self.swallowed.append(asked.path)
                    self._over.wait()
                    return
                asked.wfile.write(piece)
                asked.wfile.flush()
        line.close()
