"""Machines that are not there, and a person who does as they are told."""

import array
import wave
from datetime import UTC, datetime

import pytest
from gpiozero import GPIOPinInUse
from gpiozero.pins.mock import MockFactory, MockPin

from companion.commands.selftest.machine import Machine
from companion.narrator.sound import Clip
from companion.settings import Settings

CARDS = """ 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones
                      bcm2835 Headphones
 1 [vc4hdmi        ]: vc4-hdmi - vc4-hdmi
                      vc4-hdmi
 2 [Mic            ]: USB-Audio - USB Mic
                      Some USB Mic
"""
PCM = """00-00: bcm2835 Headphones : bcm2835 Headphones : playback 8
01-00: MAI PCM i2s-hifi-0 : MAI PCM i2s-hifi-0 : playback 1
02-00: USB Audio : USB Audio : capture 1
"""
CONFIG = """# The file that the imager writes.
dtparam=audio=on
#dtparam=spi=on
camera_auto_detect=1
[cm5]
dtoverlay=dwc2,dr_mode=host
[all]
"""


class Tree:
    """Files of a machine below a folder."""

    def __init__(self, root):
        self.root = root

    def put(self, path, text=""):
        """Write a file."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def take(self, path):
        """Take a file away."""
        (self.root / path.lstrip("/")).unlink()


class WornFactory(MockFactory):
    """Mock pins, of which some cannot come up, some belong to another program, some are absent (BCM numbers)."""

    def __init__(self):
        self.stuck, self.busy, self.refused = set(), set(), set()
        super().__init__(pin_class=_worn(self.stuck))

    def pin(self, name, **given):
        """A pin, unless it is another's."""
        if name in self.busy:
            raise GPIOPinInUse("'GPIO busy'")
        if name in self.refused:
            raise GPIOPinInUse("no such line")
        return super().pin(name, **given)


def _worn(stuck):
    class WornPin(MockPin):
        def drive_high(self):
            if int(self.info.name.removeprefix("GPIO")) in stuck:
                self.drive_low()
            else:
                super().drive_high()

    return WornPin


class FakeSpeaker:
    """Has a voice for every language but those that it is told to lack."""

    def __init__(self, word, lacks=()):
        self.word = word
        self.lacks = lacks
        self.said = []
        self.closed = False

    def prepare(self, texts, voice, progress=None):
        raise AssertionError(f"nothing is prepared for a self-test: {texts}, {voice}, {progress}")

    def clip(self, text, voice):
        from companion.narrator.sound import VoiceError  # noqa: PLC0415

        if voice.identifier in self.lacks:
            raise VoiceError(f"there is no voice {voice.identifier}")
        self.said.append(text)
        return Clip(self.word, 1.5)

    def describe(self, voice):
        return f"a fake, voice {voice.identifier}."

    def close(self):
        self.closed = True


class FakeOutput:
    """A loudspeaker that keeps what it was given."""

    def __init__(self, trouble=""):
        self.trouble = trouble
        self.played = []
        self.closed = False

    def play(self, clip, track, *, loop=False):
        self.played.append((clip, track, loop))

    def close(self):
        self.closed = True


class FakeSides(FakeOutput):
    """A loudspeaker with two sides that notes which of them sounded."""

    def __init__(self):
        super().__init__()
        self.sounded = []

    def opened_after(self, other):
        assert other.closed, "there is one mixer"
        return self

    def play(self, clip, track, *, loop=False):
        super().play(clip, track, loop=loop)
        with wave.open(str(clip.path)) as file:
            samples = array.array("h", file.readframes(file.getnframes()))
            assert file.getnchannels() == 2
        self.sounded.append((any(samples[::2]), any(samples[1::2])))


def word(path):
    """A file as the voice makes them."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 22_050, 0, "NONE", "not compressed"))
        file.writeframes(array.array("h", [9_000, -9_000] * 500).tobytes())
    return path


class Parts:
    """A machine and everything of it that a test wants to look at."""

    def __init__(self, tmp_path):
        self.tree = Tree(tmp_path / "root")
        self.tree.root.mkdir()
        self.speaker = FakeSpeaker(word(tmp_path / "word.wav"))
        self.output = FakeOutput()
        self.sides = FakeSides()
        self.factory = WornFactory()
        self.stuck, self.busy = self.factory.stuck, self.factory.busy
        self.opened = 0
        self.unusable = set()
        self.now = datetime(2030, 5, 1, 20, 0, tzinfo=UTC)
        self.seconds = 100.0
        self.free = 5_000_000_000
        self.address = "http://192.168.4.1/"
        self.country = "PL"
        self.attended = True
        self.serves = False
        self.extra = {}

    def open_pins(self):
        """Mock pins that outlive the panels that are opened and closed on them."""
        self.opened += 1
        return self.factory

    def machine(self, **other):
        """The machine."""
        return Machine(
            **{
                "root": self.tree.root,
                "user": "anna",
                "is_usable": lambda path: path.name not in self.unusable,
                "free_bytes": lambda _: self.free,
                "now": lambda: self.now,
                "clock": lambda: self.seconds,
                "join_url": lambda *_: self.address,
                "country": lambda: self.country,
                "serves": lambda _: self.serves,
                "open_pins": self.open_pins,
                "open_speaker": lambda _: self.speaker,
                "open_loudspeaker": lambda _: self.output,
                "open_sides": lambda _: self.sides.opened_after(self.output),
                "is_attended": lambda: self.attended,
                **self.extra,
                **other,
            }
        )


@pytest.fixture
def parts(tmp_path):
    """A Raspberry Pi 4 on which all is well, with the pins of gpiozero's mock."""
    made = Parts(tmp_path)
    made.tree.put("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
    made.tree.put("/proc/cmdline", "console=tty1 root=PARTUUID=1 rootwait\n")
    made.tree.put("/proc/asound/cards", CARDS)
    made.tree.put("/proc/asound/pcm", PCM)
    made.tree.put("/boot/firmware/config.txt", CONFIG)
    made.tree.put("/dev/gpiochip0")
    made.tree.put("/dev/snd/pcmC0D0p")
    made.tree.put("/sys/class/net/wlan0/phy80211/name", "phy0\n")
    made.tree.put("/sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    made.tree.put("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    yield made
    made.factory.reset()


@pytest.fixture
def settings(tmp_path):
    """Settings with folders of their own and any free port."""

    def make(**given):
        return Settings(**{"state_dir": tmp_path / "state", "cache_dir": tmp_path / "cache", "port": 0, **given})

    return make


@pytest.fixture
def found(parts, settings):
    """Run the pre-flight checks and give the results by name."""
    from companion.commands.selftest.preflight import Preflight  # noqa: PLC0415
    from companion.commands.selftest.report import perform  # noqa: PLC0415

    def run(**given):
        preflight = Preflight(settings(**given), parts.machine())
        try:
            return {result.check: result for result in perform(preflight.checks())}
        finally:
            preflight.close()

    return run
