"""Checks that wheel and sdist hold every file of the packages that git tracks: python .ci/contents.py DIST."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

dist = Path(sys.argv[1])
tracked = subprocess.run(
    ["git", "ls-files", "companion", "hardware", "sounds"], capture_output=True, text=True, check=True
).stdout.split()
# Pictures and guides for those who read the source; the program needs none of them.
wanted = {path for path in tracked if not path.endswith((".png", ".svg", ".jpg"))}
(wheel,) = dist.glob("*.whl")
(sdist,) = dist.glob("*.tar.gz")
with zipfile.ZipFile(wheel) as archive:
    in_wheel = set(archive.namelist())
with tarfile.open(sdist) as archive:
    in_sdist = {name.partition("/")[2] for name in archive.getnames()}
missing = {"wheel": wanted - in_wheel, "sdist": (wanted | {"LICENSE", "README.md", "pyproject.toml"}) - in_sdist}
for name, paths in missing.items():
    for path in sorted(paths):
        print(f"{name} lacks {path}")
sys.exit(any(missing.values()))
