"""What can be looked at without a finger on the panel: settings, claims, devices, voice, disk, clock, network."""

from __future__ import annotations

import difflib
import errno
import re
import socket
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING

from companion import languages, pinmaps
from companion.commands.selftest import claims
from companion.commands.selftest.report import Check, Finding, failed, ok, skipped
from companion.machine import power
from companion.narrator import alsa
from companion.narrator.night import voice_of
from companion.narrator.sound import VoiceError
from companion.settings import BOX_FILE
from hardware import wiring
from hardware.boards import load_board
from hardware.gamepad import GamepadButtons
from hardware.gpio import Probe
from hardware.panel import PanelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from companion.commands.selftest.machine import Machine
    from companion.narrator.sound import Output, Speaks
    from companion.settings import Settings
    from hardware.boards import Board

LEAST_FREE_BYTES = 100_000_000
"""Every line of six languages is about 60 MB, and years of games are a few."""

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""No box is older than this one; a clock that says so has not been set since the power came."""

_NO_COUNTRY = "00"
"""What the kernel calls the rules that hold everywhere."""

_CLOCK_SET = "/run/systemd/timesync/synchronized"


class Preflight:
    """The checks of one box, and the parts that they share.

    Args:
        settings: of the box.
        machine: that it runs on.
    """

    def __init__(self, settings: Settings, machine: Machine) -> None:
        self._settings = settings
        self._machine = machine
        self._used: list[str] = []

    @cached_property
    def board(self) -> Board:
        """The pin map. Raises PanelError where it is wrong."""
        return load_board(self._settings.board)

    @cached_property
    def speaker(self) -> Speaks:
        """The voice, opened when it is first asked for."""
        self._used.append("speaker")
        return self._machine.open_speaker(self._settings)

    @cached_property
    def output(self) -> Output:
        """The loudspeaker, opened when it is first asked for."""
        self._used.append("output")
        return self._machine.open_loudspeaker(self._settings)

    def close(self) -> None:
        """Give back what was opened."""
        for name in self._used:
            with suppress(OSError):
                getattr(self, name).close()
        self._used.clear()

    def checks(self) -> Iterator[Check]:
        """All of them, in the order in which one rests on another."""
        yield Check("settings", self._settings_read)
        yield Check("state directory", self._state_directory)
        yield Check("free disk", self._free_disk)
        yield Check("clock", self._clock)
        yield Check("power supply", self._power)
        yield Check("power off", self._power_off)
        yield Check("pin map", self._pin_map)
        yield Check("currents", self._currents, ("pin map",))
        yield Check("panel", self._panel)
        if self._settings.strip is not None:
            yield Check("strip", partial(self._strip, self._settings.strip))
        yield Check("gpiochip", self._on_pins(self._gpiochip), ("panel",))
        yield Check("group gpio", self._on_pins(self._group_gpio), ("gpiochip",))
        for claim in claims.CLAIMS:
            yield Check(claim.name, self._on_pins(self._claim(claim)), ("pin map",))
        yield Check(
            "pins", self._on_pins(self._pins), ("pin map", "group gpio", *(claim.name for claim in claims.CLAIMS))
        )
        yield Check("sound card", self._aloud(self._sound_card))
        yield Check("group audio", self._aloud(self._group_audio), ("sound card",))
        yield Check("loudspeaker", self._aloud(self._loudspeaker), ("sound card",))
        for code in self._codes():
            yield Check(f"voice {code}", self._aloud(self._voice(code)))
        yield Check("port", self._port)
        yield Check("Wi-Fi", self._wifi)
        yield Check("network", self._network)

    # --- the box ---------------------------------------------------------------------------------------------------

    def _settings_read(self) -> Finding:
        sources = sorted(set(self._settings.sources.values()))
        return ok(f"{len(self._settings.sources)} set, from {', '.join(sources)}" if sources else "all as they come")

    def _state_directory(self) -> Finding:
        folder = self._settings.state_dir
        here = _existing(folder)
        if not here.is_dir():
            return failed(f"{here} is no folder", "name another with --state-dir")
        if not self._machine.is_usable(here):
            return failed(f"{folder} cannot be written: nothing would be remembered", self._way_in(here))
        return ok(f"{folder}{'' if here == folder else ' (will be made)'}")

    def _way_in(self, folder: Path) -> str:
        """How to get at a state directory that is somebody else's. That of a service must stay the service's."""
        if self._settings.sources.get("state_dir") == str(BOX_FILE):
            return "it is the service's own: say `sudo companion selftest`"
        return f"sudo chown -R {self._machine.who} {folder}, or name another with --state-dir"

    def _free_disk(self) -> Finding:
        free = self._machine.free_bytes(_existing(self._settings.state_dir))
        if free < LEAST_FREE_BYTES:
            return failed(
                f"{free / 1e6:.0f} MB free of the {LEAST_FREE_BYTES / 1e6:.0f} MB that voice and journal want",
                "free some space, or take a larger card",
            )
        return ok(f"{free / 1e9:.1f} GB free")

    def _clock(self) -> Finding:
        now = self._machine.now()
        said = f"{now:%Y-%m-%d %H:%M} UTC"
        if now < EARLIEST:
            return failed(
                f"{said} cannot be: games would be remembered under wrong dates",
                "connect the box to a network once, or: sudo date -s '2026-01-31 20:00'",
            )
        return ok(f"{said}, set by the network" if self._machine.at(_CLOCK_SET).exists() else said)

    def _power(self) -> Finding:
        for folder in self._machine.list("/sys/class/hwmon", "hwmon*"):
            below = f"/sys/class/hwmon/{folder.name}"
            if self._machine.read(f"{below}/name").strip() == "rpi_volt":
                if self._machine.read(f"{below}/in0_lcrit_alarm").strip() == "1":
                    return failed(
                        "the voltage is or was too low", "take the maker's own power supply, and a short thick cable"
                    )
                return ok("the voltage has been high enough")
        return skipped("this machine does not measure its voltage")

    def _power_off(self) -> Finding:
        if self._settings.shutdown != "poweroff":
            return skipped("held undo ends the program alone, as set")
        if not self._machine.at(power.POLKIT).is_dir():
            return failed(
                "held undo cannot switch this machine off without polkit: nobody may give the box leave",
                "sudo apt-get install polkitd",
            )
        return ok("polkit is here, to give held undo leave to switch off")

    # --- the pins --------------------------------------------------------------------------------------------------

    def _pin_map(self) -> Finding:
        try:
            board = self.board
        except PanelError as error:
            return failed(str(error), "correct the pin map; hardware/boards/default.toml explains the format")
        lights = sum(len(row.pins) for row in board.lights.values())
        remedy = pinmaps.remedy(self._settings.board)
        if remedy and self._settings.sources.get("board") == str(BOX_FILE):
            return failed(f"the service may not read {self._settings.board}", remedy)
        return ok(f"{board.name}: {len(board.buttons)} buttons, {lights} lights")

    def _currents(self) -> Finding:
        try:
            plan = wiring.plan(self.board)
        except wiring.WiringError as error:
            return failed(str(error), "do not switch it on like this; companion wiring tells more")
        return ok(f"{plan.pins_milliamps:.0f} mA from the pins with everything lit, of 50 mA")

    def _panel(self) -> Finding:
        if self._machine.uses_pins(self._settings):
            return ok(f"pins{f' of {self._machine.model}' if self._machine.model else ''}")
        if self._settings.panel == "auto":
            return ok("a page, since this is no Raspberry Pi")
        return self._gamepad() if self._settings.panel == "gamepad" else ok(f"{self._settings.panel}, as set")

    def _gamepad(self) -> Finding:
        try:
            learnt = GamepadButtons.load(self._settings.gamepad_file)
            devices = self._machine.open_input_devices()
        except PanelError as error:
            return failed(str(error), "companion gamepad asks for one press of each button")
        names = {device.name for device in devices}
        for device in devices:
            device.close()
        if learnt.device not in names:
            return failed(
                f"{learnt.device} is not plugged in, or this user may not read it",
                "plug it in; for most devices the user has to be in the group input",
            )
        return ok(f"the buttons of {learnt.device}")

    def _strip(self, bus: Path) -> Finding:
        try:
            # Opened, and given back.
            self._machine.open_strip(bus)(b"")
        except PanelError as error:
            return failed(str(error), "hardware/BUILDING.md tells how SPI is switched on")
        return ok(f"at {bus}")

    def _on_pins(self, look: Callable[[], Finding]) -> Callable[[], Finding]:
        """A look that means something only where the panel is pins."""
        return lambda: look() if self._machine.uses_pins(self._settings) else skipped("the panel is not pins here")

    def _gpiochip(self) -> Finding:
        chips = [path.name for path in self._machine.list("/dev", "gpiochip*")]
        if not chips:
            return failed("there is no /dev/gpiochip", "update the system: Raspberry Pi OS Bookworm or Trixie has it")
        return ok(", ".join(chips))

    def _group_gpio(self) -> Finding:
        return self._usable("/dev", "gpiochip*", "gpio")

    def _group_audio(self) -> Finding:
        if self._settings.sound_file is not None:
            return skipped(f"the box plays into {self._settings.sound_file}")
        return self._usable("/dev/snd", "pcmC*p", "audio")

    def _usable(self, folder: str, pattern: str, group: str) -> Finding:
        """Whether devices may be used; their group is the way to it."""
        paths = self._machine.list(folder, pattern)
        if paths and not any(self._machine.is_usable(path) for path in paths):
            return failed(
                f"{self._machine.who} may not use {folder}/{paths[0].name}",
                f"sudo usermod -aG {group} {self._machine.who}, then log out and in again",
            )
        return ok(f"{self._machine.who} may use {f'{folder}/{paths[0].name}' if paths else 'it'}")

    def _claim(self, claim: claims.Claim) -> Callable[[], Finding]:
        return lambda: claims.look(claim, self._machine, self.board)

    def _pins(self) -> Finding:
        try:
            troubles = self.pin_troubles()
        except PanelError as error:
            return failed(str(error), "sudo apt install python3-lgpio; the README says how the rest goes")
        if troubles:
            return failed(
                " ".join(troubles), "companion wiring shows where each wire goes; see also hardware/BUILDING.md"
            )
        count = len(self.board.buttons) + sum(len(row.pins) for row in self.board.lights.values())
        return ok(f"all {count} can be had, and no button is down")

    def pin_troubles(self) -> tuple[str, ...]:
        """What of the panel cannot be had, a sentence each.

        Raises:
            PanelError: there is no header to be had, or the pin map is wrong.
        """
        probe = Probe(self.board, self._machine.open_pins())
        try:
            down = [button for button in self.board.buttons if probe.down(button)]
            return (*probe.refused, *(f"Button {button} is down without a finger on it." for button in down))
        finally:
            probe.close()

    def claimed_pins(self) -> set[int]:
        """The pins (BCM) that something other than a program has."""
        boot = claims.read_boot(self._machine)
        return {pin for claim in claims.CLAIMS for pin, _ in claim.find(self._machine, boot)}

    # --- the voice -------------------------------------------------------------------------------------------------

    def _aloud(self, look: Callable[[], Finding]) -> Callable[[], Finding]:
        """A look that means something only where the box shall be heard."""
        return lambda: skipped("the voice is switched off") if self._settings.voice == "silent" else look()

    def _sound_card(self) -> Finding:
        if self._settings.sound_file is not None:
            return ok(f"the box plays into {self._settings.sound_file}")
        cards = alsa.playing_cards(*(self._machine.read(f"{alsa.FOLDER}/{name}") for name in ("cards", "pcm")))
        if not cards:
            return failed(
                "ALSA knows no card that plays",
                "plug in a USB sound card, or set dtparam=audio=on in /boot/firmware/config.txt and restart",
            )
        listed = ", ".join(f"{alsa.device_of(name)} ({title})" for name, title in cards.items())
        wanted = re.search(r"CARD=([^,]+)", self._settings.sound_device)
        if wanted and wanted[1] not in cards:
            near = difflib.get_close_matches(wanted[1], cards, 1)
            hint = f"did you mean {alsa.device_of(near[0])}?" if near else f"there are: {listed}"
            return failed(f"{self._settings.sound_device} is not there", f"set sound.device: {hint}")
        return ok(listed)

    def _loudspeaker(self) -> Finding:
        if self.output.trouble:
            return failed(self.output.trouble, "set sound.device to one of the names above")
        return ok(f"{self._settings.sound_file or self._settings.sound_device or 'the default card'} is open")

    def _codes(self) -> tuple[str, ...]:
        """The languages, the box's own first."""
        own = self._settings.language
        return (own, *(code for code in languages.codes() if code != own))

    def _voice(self, code: str) -> Callable[[], Finding]:
        def look() -> Finding:
            language = languages.load(code)
            voice = voice_of(language)
            try:
                clip = self.speaker.clip(language.pronounce(language.say("sample")), voice)
            except VoiceError as error:
                return failed(
                    str(error),
                    "try again when the box is doing nothing else; then: sudo apt install libespeak-ng1 espeak-ng-data",
                )
            return ok(f"{language.name}: {clip.seconds:.1f} s, by {self.speaker.describe(voice).rstrip('.')}")

        return look

    # --- the network -----------------------------------------------------------------------------------------------

    def _port(self) -> Finding:
        host, port = self._settings.host, self._settings.port
        if port == 0:
            return ok("any free one")
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            with closing(socket.socket(family, kind, protocol)) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            if self._is_a_box and self._machine.serves(port):
                return ok(f"{port} is the running box's own")
            remedy = _port_remedy(error, port, is_a_box=self._is_a_box)
            return failed(f"{host}:{port}: {error.strerror or error}", remedy)
        return ok(f"{port} is free")

    @property
    def _is_a_box(self) -> bool:
        """Whether the port is that of the box that was installed here."""
        return self._settings.sources.get("port") == str(BOX_FILE)

    def _wifi(self) -> Finding:
        radios = [folder.parent.name for folder in self._machine.list("/sys/class/net", "*/phy80211")]
        if not radios:
            return skipped("this machine has no Wi-Fi")
        set_country = "sudo raspi-config nonint do_wifi_country XX, with the two letters of your country"
        for place in self._machine.list("/sys/class/rfkill", "rfkill*"):
            below = f"/sys/class/rfkill/{place.name}"
            if self._machine.read(f"{below}/type").strip() != "wlan":
                continue
            if self._machine.read(f"{below}/hard").strip() == "1":
                return failed("the Wi-Fi is off by a switch of this machine", "switch it on there")
            if self._machine.read(f"{below}/soft").strip() == "1":
                # Raspberry Pi OS keeps it blocked until it knows the country.
                remedy = set_country if self._machine.is_raspberry_pi else "sudo rfkill unblock wifi"
                return failed("the Wi-Fi is blocked", remedy)
        country = self._machine.country()
        if country == _NO_COUNTRY and self._machine.is_raspberry_pi:
            return failed("the Wi-Fi does not know its country, and may find no network or make none", set_country)
        words = f"{', '.join(radios)}{f', by the rules of {country}' if country not in ('', _NO_COUNTRY) else ''}"
        if self._machine.is_raspberry_pi:
            words += "; in a network of its own it takes some 8 phones, a router takes more"
        return ok(words)

    def _network(self) -> Finding:
        address = self._machine.join_url(self._settings.host, self._settings.port)
        if address is None:
            return failed(
                "phones find no address here",
                "join a Wi-Fi, or plug in a cable; lights, buttons and voice do without",
            )
        if self._settings.port == 0:
            return ok("phones find this machine")
        return ok(f"phones open {address}")


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next((each for each in (folder, *folder.absolute().parents) if each.exists()), folder)


def _port_remedy(error: OSError, port: int, *, is_a_box: bool) -> str:
    another = f"set another port in {BOX_FILE}" if is_a_box else "take another with --port"
    match error.errno:
        case errno.EADDRINUSE:
            return f"sudo ss -ltnp 'sport = :{port}' shows who has it; or {another}"
        case errno.EACCES if is_a_box:
            return "only the service may take this port: say `sudo companion selftest`"
        case errno.EACCES:
            return f"ports below 1024 are for services; {another}"
        case _:
            return "name an address of this machine with --host, or leave it out"
