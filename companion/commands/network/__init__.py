"""`companion network`: in which network the box is, and its own where it finds none that it knows.

keeper.py           when the box opens its own network, and when it goes back; run by the system as it starts
networkmanager.py   the networks of this machine, by the programs that everybody uses for them
show.py             what somebody is told who asks, and a card to print with both codes
"""

from companion.commands.network.keeper import keep
from companion.commands.network.show import show

__all__ = ["keep", "show"]
