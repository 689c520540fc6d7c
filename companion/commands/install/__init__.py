"""`companion install`: makes a Raspberry Pi with Raspberry Pi OS a box that plays when it is switched on.

plan.py      a step: is it done, do it, take it back; and a plan, which is steps in order
target.py    the machine that is installed on: files below one root, and programs
steps.py     the kinds of steps: a package, a user, a file, a link, a service
program.py   the versions of the program, each in a virtual environment of its own, and which one plays
trial.py     what a new version has to do before it may play
hotspot.py   a network of the box's own
box.py       the plan of a box
card.py      a card that installs a box by itself, at its first start
errors.py    what it ends with when a step cannot be done
command.py   what the command line says and shows
"""

from companion.commands.install.command import make_card, run

__all__ = ["make_card", "run"]
