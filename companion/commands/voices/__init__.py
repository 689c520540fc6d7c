"""`companion voices`: which voice speaks each language here, and how to have a better one.

telling.py    what speaks now; the lines that a recorded voice reads; what a language file still lacks
fetching.py   a Piper voice from the internet, whole or not at all
"""

from companion.commands.voices.fetching import install, install_all
from companion.commands.voices.telling import missing, run, write_lines

__all__ = ["install", "install_all", "missing", "run", "write_lines"]
