"""Checks that a tag is this version, and writes what changed in it: python .ci/release.py v0.1.0 NOTES.md."""

import re
import sys
from pathlib import Path

tag, notes = sys.argv[1], Path(sys.argv[2])
source = Path("companion/__init__.py").read_text(encoding="utf-8")
version = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)[1]
if tag != f"v{version}":
    sys.exit(f"The tag is {tag}, but companion/__init__.py says {version}.")
changes = Path("companion/CHANGELOG.md").read_text(encoding="utf-8")
sections = re.split(r"^## ", changes, flags=re.MULTILINE)[1:]
mine = [section for section in sections if section.split()[0] == version]
if not mine:
    sys.exit(f"companion/CHANGELOG.md has no section {version}.")
title, _, text = mine[0].partition("\n")
if "not yet released" in title:
    sys.exit(f"companion/CHANGELOG.md says that {version} is not yet released; write its date there.")
notes.write_text(text.strip() + "\n", encoding="utf-8")
print(f"{tag}: {len(text.split())} words of changes")
