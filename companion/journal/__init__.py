"""The memory of the box. `Journal` keeps every report, `resume` goes on from them, `reading` looks without touching.

memory.py  what the box asks of it    file.py  the SQLite file, opened and read    rows.py    entries as text
claim.py   one box a directory        log.py   what a pulled plug left behind      layout.py  its tables
damage.py  what may be wrong with it   witness.py  what its last row was, outside the log
forgetting.py  a name or a game, taken out of it
"""

from companion.journal.claim import JournalBusy
from companion.journal.damage import Damaged
from companion.journal.file import FILE_NAME, reading, sound_rows
from companion.journal.forgetting import FORGOTTEN
from companion.journal.layout import APPLICATION_ID, VERSION
from companion.journal.memory import Journal, resume
from companion.journal.rows import Row

__all__ = [
    "APPLICATION_ID",
    "FILE_NAME",
    "FORGOTTEN",
    "VERSION",
    "Damaged",
    "Journal",
    "JournalBusy",
    "Row",
    "reading",
    "resume",
    "sound_rows",
]
