from __future__ import annotations

import shutil
import subprocess
import tarfile
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from companion.phones.app import create_app
from companion.phones.server import Server
from tests.browser.people import Evening
from tests.phones.fake_box import FakeBox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Playwright

AXE_VERSION = "4.14.1"


@pytest.fixture
def evening(browser: Browser, playwright: Playwright) -> Iterator[Evening]:
    """A box that is served, and people with phones around it."""
    box = FakeBox()
    with ExitStack() as stack:
        server = Server(create_app(box), "127.0.0.1", 0)
        evening = Evening(box, server, browser, playwright.devices, stack)
        server.start()

        def close() -> None:
            # A test may have put another server in its place.
            evening.server.close()

        stack.callback(close)
        box.address = f"{evening.address}/"
        yield evening


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The accessibility checker axe-core, as its npm package has it."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm here to fetch axe-core with")
    folder: Path = tmp_path_factory.mktemp("axe")
    try:
        subprocess.run(
            [npm, "pack", f"axe-core@{AXE_VERSION}", "--silent"],
            cwd=folder,
            check=True,
            capture_output=True,
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError):
        pytest.skip("axe-core could not be fetched")
    with tarfile.open(folder / f"axe-core-{AXE_VERSION}.tgz") as package:
        script = package.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()
