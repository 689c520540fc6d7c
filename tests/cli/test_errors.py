"""What the box raises by name has one root, so that nothing foreseen ever ends as "something went wrong inside"."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import companion
from companion.errors import CompanionError


def test_every_exception_of_ours_is_a_companion_error() -> None:
    """In every module of the application; the panels of `hardware` know nothing of it and have a root of their own."""
    found, strays = set(), set()
    for module in pkgutil.walk_packages(companion.__path__, "companion."):
        if module.name.endswith("__main__"):
            continue
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(kind, BaseException) and kind.__module__ == module.name:
                (found if issubclass(kind, CompanionError) else strays).add(kind.__qualname__)
    assert strays == set()
    assert {"SettingsError", "LanguageError", "Refused", "VoiceError", "OutputError", "Damaged", "Failed"} <= found
