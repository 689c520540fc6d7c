"""What `companion install` says and shows."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from companion import pinmaps
from companion.commands.install import card
from companion.commands.install.box import (
    LGPIO,
    SERVICE,
    SETTINGS,
    STATE,
    box_plan,
    is_plain_debian,
    wants_own_network,
)
from companion.commands.install.errors import InstallError
from companion.commands.install.hotspot import is_made_always, network_in
from companion.commands.install.plan import Mark
from companion.commands.install.program import NAME, find_source
from companion.commands.install.target import Target
from companion.machine import network, power, terminal
from companion.settings import SettingsError, load
from hardware.boards import load_board
from hardware.panel import PanelError

if TYPE_CHECKING:
    from pathlib import Path

EXIT_FAILED = 1

_NEEDED = ("/etc/debian_version", "/usr/bin/systemctl", "/usr/bin/apt-get")


def run(
    target: Target,
    *,
    source: Path | None = None,
    wheels: Path | None = None,
    hotspot: str | None = None,
    voices: bool = False,
    only_show: bool = False,
    take_back: bool = False,
) -> int:
    """Install a box, or take it back, and return the exit code: 1 when a step cannot be done.

    Args:
        target: where.
        source: a wheel or a copy of the repository; None for what this program was installed from.
        wheels: a folder of wheels, to do without the internet.
        hotspot: the name of a network of the box's own for every start; None for one where there is no other.
        voices: whether better voices are fetched, too.
        only_show: whether to tell every step and do none.
        take_back: whether to remove what was installed; settings and games stay.
    """
    try:
        _check(target, only_show=only_show, take_back=take_back)
        program = None if take_back else find_source(source, wheels)
        plan = box_plan(program, wheels, hotspot, target, voices=voices)
        if only_show and take_back:
            plan.preview_taking_back(target, _tell)
        elif only_show:
            plan.preview(target, _tell)
        elif take_back:
            plan.take_back(target, _tell)
            _after_removal(target)
        else:
            # What is made here, the service's user has to be able to read.
            os.umask(0o022)
            plan.carry_out(target, _tell)
            _after_install(target, hotspot)
    except InstallError as error:
        print(error, file=sys.stderr)
        return EXIT_FAILED
    return 0


def make_card(boot: Path, source: Path | None, wheels: Path | None) -> int:
    """Make a flashed card one whose Raspberry Pi becomes a box at its first start, and return the exit code.

    Args:
        boot: where the card's boot partition is mounted.
        source: a wheel or a copy of the repository; None for what this program was installed from.
        wheels: a folder of wheels for a Raspberry Pi; None to fetch them.
    """
    try:
        notes = card.make_card(boot, find_source(source, wheels), wheels)
    except InstallError as error:
        print(error, file=sys.stderr)
        return EXIT_FAILED
    print("\n".join(notes))
    print("Put the card into the Raspberry Pi and switch it on. Its green light beats while it works, some minutes;")
    print(f"then it speaks. Should it stay silent, {card.FOLDER}/progress.txt on the card says how far it came.")
    return 0


def _check(target: Target, *, only_show: bool, take_back: bool) -> None:
    """Refuse what cannot end well, before anything is changed."""
    if sys.platform != "linux" or not all(target.at(path).exists() for path in _NEEDED):
        raise InstallError("This installs a box on Raspberry Pi OS, or another Debian with systemd; this is neither.")
    if not only_show and os.geteuid() != 0:
        raise InstallError(f"Only root may install a box: `sudo {sys.argv[0]} install`. --dry-run shows every step.")
    if not only_show and not take_back:
        _check_settings(target)


def _check_settings(target: Target) -> None:
    """Refuse settings with which the service would not start again: the box that plays now goes on playing."""
    if not target.at(SETTINGS).exists():
        return
    try:
        board = load({}, {}, target.at(SETTINGS)).board
        if board.endswith(".toml"):
            load_board(target.at(board))
    except (SettingsError, PanelError) as error:
        raise InstallError(f"{error}\nNothing was changed: mend this first.") from None
    if note := pinmaps.remedy(board):
        raise InstallError(f"{note}\nNothing was changed: mend this first.")


def _tell(mark: Mark, what: str) -> None:
    print(f"{mark.value:<14} {what}", flush=True)


def _after_install(target: Target, hotspot: str | None) -> None:
    print()
    if target.is_running:
        try:
            settings = load({}, {}, target.at(SETTINGS))
            address = network.join_url(settings.host, settings.port)
            print(f"The box plays{f', with its pages at {address}' if address else ''}.")
        except SettingsError as error:
            print(f"The service does not play with these settings: {error}")
    else:
        print(f"The box below {target.root} plays when it is switched on.")
    print(f"Settings: {SETTINGS}   Games: {STATE}   Log: journalctl -u {NAME}")
    if is_plain_debian(target) and not target.at(LGPIO).exists():
        print(f'This Debian has no python3-lgpio, which pins need: without pins write panel = "web" into {SETTINGS}.')
    if not target.at(power.POLKIT).is_dir():
        print("Held undo cannot switch this machine off without polkit: sudo apt-get install polkitd")
    made = network_in(target)
    if made is not None and hotspot is None and wants_own_network(target) and not is_made_always(target):
        print(
            f"Where it finds no network that it knows, it opens its own, {made.name!r} with the passphrase"
            f" {made.passphrase}, and shows its code on the table page. `sudo companion network` tells it again."
        )
    elif made is not None and hotspot is not None:
        print(f"From the next start its network is {made.name!r} with the passphrase {made.passphrase}.")
        print("The table page shows this code then, beside the one to join; a phone that scans it is in the network:")
        print("\n".join(terminal.drawn_code(made.code, coloured=terminal.has_colours())) or made.code)
        print("A phone may say that there is no internet: stay connected.")


def _after_removal(target: Target) -> None:
    if target.is_running:
        target.succeeds("systemctl", "daemon-reload")
    print(f"\nSettings ({SETTINGS}) and games ({STATE}) are kept. {SERVICE} is gone.")
