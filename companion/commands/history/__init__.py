"""`companion history`: the games that were played on this box, read from its journal while the box may be running.

What leaves the box here is chosen, not filtered: of an event, the fields that it shows in its `repr`; roles of games
that are over; names where somebody asked for them.

command.py  what was asked for    telling.py  on the terminal    export.py  as JSON    forgetting.py  names and games
"""

from companion.commands.history.command import STANDARD_OUTPUT, run
from companion.commands.history.export import exported
from companion.commands.history.forgetting import delete, forget

__all__ = ["STANDARD_OUTPUT", "delete", "exported", "forget", "run"]
