"""What the box raises by name has one root, so that nothing foreseen ever ends as "something went wrong inside"."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import companion

ROOT = "CompanionError"


def bases_of_classes() -> dict[str, set[str]]:
    """Return the bases of every class of the application, by name, as they are written.

    Modules are read and not imported: some run in processes of their own, where a library is loaded first.
    """
    found: dict[str, set[str]] = {}
    for file in sorted(Path(companion.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).update(
                    base.id if isinstance(base, ast.Name) else base.attr
                    for base in node.bases
                    if isinstance(base, ast.Name | ast.Attribute)
                )
    return found


def test_every_exception_of_ours_is_a_companion_error() -> None:
    """In every module of the application; the panels of `hardware` know nothing of it and have a root of their own."""
    classes = bases_of_classes()

    def ancestors(name: str) -> set[str]:
        bases = classes.get(name, set())
        return bases.union(*(ancestors(base) for base in bases))

    def is_exception(name: str) -> bool:
        known = getattr(builtins, name, None)
        return name == "HTTPException" or (isinstance(known, type) and issubclass(known, BaseException))

    ours = {name for name in classes if any(is_exception(base) for base in ancestors(name))} - {ROOT}
    assert {name for name in ours if ROOT not in ancestors(name)} == set()
    assert {"SettingsError", "LanguageError", "Refused", "VoiceError", "OutputError", "Damaged", "Failed"} <= ours
