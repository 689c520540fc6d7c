"""`companion demo`: the box plays whole games by itself.

So somebody alone hears and sees an evening before guests come. `players` decides what made-up people do, `command`
gives them the box.
"""

from companion.commands.demo.command import PACES, run

__all__ = ["PACES", "run"]
