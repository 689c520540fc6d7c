"""What is looked at before anybody blames a wire."""

import socket
from datetime import UTC, datetime

import pytest

from companion import languages
from companion.commands.selftest.report import Status
from companion.settings import BOX_FILE

CLAIMS = ("SPI", "1-wire", "serial console", "I2S", "I2C")


def test_a_good_machine_passes(found, parts):
    """On a Raspberry Pi where all is well every check is ok, and none is left out."""
    parts.tree.put("/usr/lib/polkit-1/polkitd")
    results = found(shutdown="poweroff")
    assert {result.status for result in results.values()} == {Status.OK}
    assert "Raspberry Pi 4 Model B Rev 1.5" in results["panel"].words
    assert results["pins"].words == "all 21 can be had, and no button is down"
    assert [name for name in results if name.startswith("voice ")] == [f"voice {code}" for code in languages.codes()]


def test_everything_opened_is_closed(found, parts):
    """Voice and loudspeaker are given back, and the pins are free again."""
    found()
    assert parts.speaker.closed
    assert parts.output.closed
    assert not parts.factory.pins or all(pin.function == "input" for pin in parts.factory.pins.values())


def test_a_laptop_skips_the_pins_with_the_reason(found, parts):
    """Where the panel is a page, nothing about pins fails, and each line says why it was left out."""
    parts.tree.take("/proc/device-tree/model")
    parts.tree.put("/boot/firmware/config.txt", "dtparam=spi=on\n")
    results = found()
    for name in ("gpiochip", "group gpio", "pins", *CLAIMS):
        assert results[name].status is Status.SKIPPED
        assert results[name].words == "the panel is not pins here"
    assert parts.opened == 0
    assert Status.FAILED not in {result.status for result in results.values()}


@pytest.mark.parametrize(
    ("config", "name", "pins"),
    [
        ("dtparam=spi=on", "SPI", ["GPIO 7 (pin 26, the ja button)", "GPIO 8 (pin 24, the nein button)"]),
        ("dtparam=i2c_arm=on,spi=on", "SPI", ["GPIO 9 (pin 21, light fascist 2)"]),
        ("dtoverlay=spi0-1cs", "SPI", ["GPIO 10 (pin 19, light fascist 1)"]),
        ("dtoverlay=spi1-3cs", "SPI", ["GPIO 16 (pin 36, light tracker 1)", "GPIO 18 (pin 12, light status 1)"]),
        ("dtoverlay=w1-gpio", "1-wire", ["GPIO 4 (pin 7, the repeat button)"]),
        ("dtoverlay=w1-gpio,gpiopin=17", "1-wire", ["GPIO 17 (pin 11, light liberal 1)"]),
        ("enable_uart=1", "serial console", ["GPIO 14 (pin 8, light tracker 3)", "GPIO 15 (pin 10, the undo button)"]),
        ("dtparam=uart0=on", "serial console", ["GPIO 15"]),
        ("dtparam=i2s=on", "I2S", ["GPIO 18 (pin 12, light status 1)"]),
        ("dtoverlay=hifiberry-dac", "I2S", ["GPIO 18 (pin 12, light status 1)"]),
        ("[pi4]\ndtparam=spi=on", "SPI", ["GPIO 7"]),
        ("[none]\n[all]\nDTPARAM = SPI=ON", "SPI", ["GPIO 7"]),
    ],
)
def test_a_boot_setting_that_takes_our_pins_is_named(found, parts, config, name, pins):
    """With its file, the pins, what hangs on them, and the command that frees them; the pins are not tried."""
    parts.tree.put("/boot/firmware/config.txt", config)
    results = found()
    assert results[name].status is Status.FAILED
    assert all(pin in results[name].words for pin in pins)
    assert "/boot/firmware/config.txt" in results[name].words
    assert results[name].remedy
    assert results["pins"].words == f"needs {name}, which failed"
    assert [each for each in CLAIMS if results[each].status is Status.FAILED] == [name]


@pytest.mark.parametrize(
    "config",
    [
        "#dtparam=spi=on",
        "dtparam=spi=off",
        "dtparam=spi=on\ndtparam=spi=off",
        "[pi5]\ndtparam=spi=on\n[all]",
        "[cm4]\ndtoverlay=spi0-1cs\n[all]",
        "[pi0]\ndtparam=spi=on",
        "[none]\nenable_uart=1",
        "enable_uart=0",
        "dtoverlay=dwc2,dr_mode=host",
    ],
)
def test_a_boot_setting_that_does_not_count_is_no_claim(found, parts, config):
    """Comments, what is taken back later, and sections of other models leave the pins alone."""
    parts.tree.put("/boot/firmware/config.txt", config)
    results = found()
    assert {results[name].words for name in CLAIMS} == {"is off"}


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("/dev/spidev0.0", "", "SPI"),
        ("/sys/bus/spi/devices/spi0.1", "", "SPI"),
        ("/sys/bus/w1/devices/w1_bus_master1", "", "1-wire"),
        ("/proc/cmdline", "console=ttyS0,115200 console=tty1", "serial console"),
        ("/sys/class/tty/console/active", "tty1 ttyAMA0\n", "serial console"),
    ],
)
def test_a_bus_that_is_on_is_seen_without_a_boot_setting(found, parts, path, text, name):
    """What the kernel shows counts, whoever switched it on."""
    parts.tree.put(path, text)
    assert found()[name].status is Status.FAILED


def test_the_debug_connector_of_a_raspberry_pi_5_is_no_pin(found, parts):
    """Its console, ttyAMA10, leaves GPIO 14 and 15 alone."""
    parts.tree.put("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    parts.tree.put("/proc/cmdline", "console=ttyAMA10,115200 console=tty1")
    assert found()["serial console"].status is Status.OK


def test_a_claim_on_other_pins_is_no_trouble(found, parts):
    """I2C is on, and the default pin map leaves its pins free; with undo on GPIO 3 it is in the way."""
    parts.tree.put("/dev/i2c-1")
    assert found()["I2C"].words == "is on (/dev/i2c-1 is there), and takes no pin of this map"
    failed = found(board="gpio3-power")["I2C"]
    assert failed.status is Status.FAILED
    assert "GPIO 3 (pin 5, the undo button)" in failed.words


def test_an_old_boot_folder_is_read_too(found, parts):
    """Before Bookworm the boot settings were in /boot/config.txt."""
    parts.tree.take("/boot/firmware/config.txt")
    parts.tree.put("/boot/config.txt", "dtparam=spi=on")
    assert "/boot/config.txt" in found()["SPI"].words


def test_no_gpiochip_fails_and_what_rests_on_it_is_skipped(found, parts):
    """Without the device the group and the pins are not blamed."""
    parts.tree.take("/dev/gpiochip0")
    results = found()
    assert results["gpiochip"].status is Status.FAILED
    assert results["group gpio"].words == "needs gpiochip, which failed"
    assert results["pins"].words == "needs gpiochip, which failed" or results["pins"].status is Status.SKIPPED
    assert parts.opened == 0


def test_a_missing_group_is_named_with_the_command(found, parts):
    """Whoever may not use the device is told the group, and that it counts after the next login."""
    parts.unusable = {"gpiochip0", "pcmC0D0p"}
    results = found()
    assert results["group gpio"].remedy == "sudo usermod -aG gpio anna, then log out and in again"
    assert results["group audio"].remedy == "sudo usermod -aG audio anna, then log out and in again"
    assert results["pins"].status is Status.SKIPPED


def test_a_wrong_pin_map_skips_everything_about_pins(found, tmp_path):
    """The sentence of the loader is the finding, and no claim is looked for without a map."""
    results = found(board=str(tmp_path / "absent.toml"))
    assert "absent.toml: cannot be read" in results["pin map"].words
    assert {results[name].words for name in ("currents", "pins", *CLAIMS)} == {"needs pin map, which failed"}


def test_a_pin_map_that_must_not_be_switched_on_fails(found, tmp_path):
    """Blue lights straight on the pins are found before anybody wonders why they are dark."""
    from hardware import boards  # noqa: PLC0415 - only for its folder

    text = (boards._MAPS / "default.toml").read_text(encoding="utf-8").replace('colour = "green"', 'colour = "blue"')
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    assert found(board=str(tmp_path / "mine.toml"))["currents"].status is Status.FAILED


def test_a_stuck_button_is_found(found, parts):
    """A button that is down when nobody touches the box is named."""
    parts.stuck.add(7)
    assert "Button ja is down without a finger on it." in found()["pins"].words


def test_a_header_that_cannot_be_opened_fails_in_one_line(found, parts):
    """Without lgpio the finding is its sentence."""
    from hardware.panel import PanelError  # noqa: PLC0415

    def refuse():
        raise PanelError("The pins need lgpio, which cannot be loaded here.")

    parts.open_pins = refuse
    result = found()["pins"]
    assert (result.status, result.words) == (Status.FAILED, "The pins need lgpio, which cannot be loaded here.")


def test_cards_that_play_are_listed_by_name(found):
    """A microphone is none, and names are as settings take them."""
    words = found()["sound card"].words
    assert words == "plughw:CARD=Headphones (bcm2835 Headphones), plughw:CARD=vc4hdmi (vc4-hdmi)"


def test_a_card_that_is_not_there_is_named_with_the_nearest(found):
    """A slip in sound.device is found here, and the loudspeaker is not tried."""
    results = found(sound_device="plughw:CARD=Headphone")
    assert results["sound card"].words == "plughw:CARD=Headphone is not there"
    assert "did you mean plughw:CARD=Headphones?" in results["sound card"].remedy
    assert results["loudspeaker"].words == "needs sound card, which failed"


def test_no_card_at_all(found, parts):
    """Without a card everything that needs one is skipped, and the voice is still checked."""
    parts.tree.take("/proc/asound/pcm")
    results = found()
    assert results["sound card"].status is Status.FAILED
    assert {results[name].status for name in ("group audio", "loudspeaker")} == {Status.SKIPPED}
    assert results["voice en"].status is Status.OK


def test_a_loudspeaker_that_does_not_open_says_why(found, parts):
    """Its own trouble is the finding."""
    parts.output.trouble = "Nothing can be heard: it is in use."
    assert found()["loudspeaker"].words == "Nothing can be heard: it is in use."


def test_a_language_without_a_voice_fails_alone(found, parts):
    """The others still have theirs."""
    parts.speaker.lacks = ("zlw/pl",)
    results = found()
    assert results["voice pl"].words == "there is no voice zlw/pl"
    assert [name for name, result in results.items() if result.status is Status.FAILED] == ["voice pl"]


def test_a_silent_box_is_not_asked_for_a_voice(found, parts):
    """With the voice switched off sound is left out, with the reason, and nothing is opened."""
    results = found(voice="silent")
    assert results["voice ru"].words == results["sound card"].words == "the voice is switched off"
    assert not parts.speaker.said


def test_a_sound_file_needs_no_card(found, parts, tmp_path):
    """A box that plays into a file is well without a card."""
    parts.tree.take("/proc/asound/pcm")
    results = found(sound_file=tmp_path / "night.wav")
    assert results["sound card"].status is results["loudspeaker"].status is Status.OK


def test_a_taken_port_is_named(found):
    """With the command that shows who has it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = found(host="127.0.0.1", port=port)["port"]
    assert result.status is Status.FAILED
    assert f"127.0.0.1:{port}" in result.words
    assert "ss -ltnp" in result.remedy


@pytest.mark.parametrize("answers", [True, False])
def test_the_port_of_the_box_itself_is_no_fault(found, parts, answers):
    """A box that runs has its own port; another program there is told with the file to change, and no option."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sources = {"port": str(BOX_FILE)}
        parts.serves = answers
        result = found(host="127.0.0.1", port=port, sources=sources)["port"]
    if answers:
        assert (result.status, result.words) == (Status.OK, f"{port} is the running box's own")
    else:
        assert result.status is Status.FAILED
        assert str(BOX_FILE) in result.remedy
        assert "--port" not in result.remedy


def test_a_free_port_is_free(found):
    """And stays free: the check lets go of it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert found(host="127.0.0.1", port=port)["port"].words == f"{port} is free"
    assert found(host="127.0.0.1", port=port)["port"].words == f"{port} is free"


def test_an_address_of_another_machine_fails(found):
    """A host that is not ours is no taken port."""
    assert "leave it out" in found(host="192.0.2.77", port=8080)["port"].remedy


@pytest.mark.parametrize(
    ("change", "name", "words"),
    [
        ({"free": 40_000_000}, "free disk", "40 MB free of the 100 MB"),
        ({"now": datetime(1970, 1, 1, 0, 3, tzinfo=UTC)}, "clock", "1970-01-01 00:03 UTC cannot be"),
        ({"address": None}, "network", "phones find no address here"),
        ({"unusable": {"state"}}, "state directory", "cannot be written"),
    ],
)
def test_what_else_can_be_wrong(found, parts, tmp_path, change, name, words):
    """Disk, clock, network and state directory each fail alone, with a remedy."""
    (tmp_path / "state").mkdir()
    for key, value in change.items():
        setattr(parts, key, value)
    results = found()
    assert words in results[name].words
    assert results[name].remedy
    assert [each for each, result in results.items() if result.status is Status.FAILED] == [name]


def test_without_polkit_held_undo_has_no_leave(found, parts):
    """A box that is set to switch its machine off is told of the package that this takes, while it lacks it."""
    missing = found(shutdown="poweroff")["power off"]
    assert missing.status is Status.FAILED
    assert missing.remedy == "sudo apt-get install polkitd"
    parts.tree.put("/usr/lib/polkit-1/polkitd")
    assert found(shutdown="poweroff")["power off"].status is Status.OK


def test_a_box_that_leaves_the_machine_on_needs_no_polkit(found):
    """Where held undo ends the program alone, nothing is asked of the machine."""
    assert found(shutdown="end")["power off"].status is Status.SKIPPED


def test_the_games_of_a_service_are_left_to_it(found, parts, tmp_path):
    """On an installed box nobody is told to take the state directory away from the service, but how to get at it."""
    (tmp_path / "state").mkdir()
    parts.unusable = {"state"}
    assert "chown" in found()["state directory"].remedy
    remedy = found(sources={"state_dir": str(BOX_FILE)})["state directory"].remedy
    assert "sudo companion selftest" in remedy
    assert "chown" not in remedy


def test_low_voltage_is_found(found, parts):
    """The kernel's alarm is the power supply's fault, and not the wires'."""
    parts.tree.put("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert found()["power supply"].status is Status.FAILED


def test_a_clock_set_by_the_network_says_so(found, parts):
    """The mark that systemd leaves is told."""
    parts.tree.put("/run/systemd/timesync/synchronized")
    assert found()["clock"].words == "2030-05-01 20:00 UTC, set by the network"


def test_the_boxs_own_language_comes_first(found):
    """So that its owner sees it first."""
    names = [name for name in found(language="pl") if name.startswith("voice ")]
    assert names[0] == "voice pl"
    assert len(names) == len(languages.codes())


def rfkill(tree, **states):
    """Put a radio's switch beside one of Bluetooth."""
    for place, (kind, soft, hard) in enumerate((("bluetooth", "1", "0"), ("wlan", *states.values()))):
        for name, value in (("type", kind), ("soft", soft), ("hard", hard)):
            tree.put(f"/sys/class/rfkill/rfkill{place}/{name}", f"{value}\n")


@pytest.mark.parametrize(
    ("soft", "hard", "country", "words", "remedy"),
    [
        ("1", "0", "00", "the Wi-Fi is blocked", "do_wifi_country"),
        ("0", "1", "PL", "off by a switch", "switch it on"),
        ("0", "0", "00", "does not know its country", "do_wifi_country"),
    ],
)
def test_a_wifi_that_silently_does_nothing(found, parts, soft, hard, country, words, remedy):
    """Raspberry Pi OS keeps it blocked until it knows the country, and says so nowhere."""
    rfkill(parts.tree, soft=soft, hard=hard)
    parts.country = country
    result = found()["Wi-Fi"]
    assert result.status is Status.FAILED
    assert words in result.words
    assert remedy in result.remedy


def test_a_wifi_that_works_says_how_many_it_takes(found, parts):
    """The chip of a Raspberry Pi, in a network that it makes; where iw is missing the country is left out."""
    rfkill(parts.tree, soft="0", hard="0")
    assert found()["Wi-Fi"].words == (
        "wlan0, by the rules of PL; in a network of its own it takes some 8 phones, a router takes more"
    )
    parts.country = ""
    assert found()["Wi-Fi"].status is Status.OK


def test_a_laptop_is_told_how_to_unblock(found, parts):
    """Its country is its own affair."""
    parts.tree.take("/proc/device-tree/model")
    rfkill(parts.tree, soft="1", hard="0")
    assert found()["Wi-Fi"].remedy == "sudo rfkill unblock wifi"
    rfkill(parts.tree, soft="0", hard="0")
    parts.country = "00"
    assert found()["Wi-Fi"].words == "wlan0"


def test_a_machine_without_a_radio_is_not_asked(found, parts):
    """A Raspberry Pi on a cable."""
    (parts.tree.root / "sys/class/net/wlan0/phy80211/name").unlink()
    (parts.tree.root / "sys/class/net/wlan0/phy80211").rmdir()
    assert found()["Wi-Fi"].status is Status.SKIPPED
