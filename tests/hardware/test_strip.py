"""A strip of LEDs: the stream on the wire, read back pulse by pulse as an LED reads it."""

import errno
import itertools
from pathlib import Path

import pytest

from hardware.panel import DARK, ROWS, Light, Lights, PanelError
from hardware.strip import COLOURS, SPI_HERTZ, StripPanel, frame, open_bus


def decoded(sent):
    """Read a stream as the LEDs do: each pulse by how long the line is high; a long silence ends the frame.

    The limits are those of the WS2812B's data sheet, in seconds.
    """
    bits = "".join(f"{byte:08b}" for byte in sent)
    runs = [(level, len(list(group)) / SPI_HERTZ) for level, group in itertools.groupby(bits)]
    assert runs[0][0] == runs[-1][0] == "0"
    assert min(runs[0][1], runs[-1][1]) >= 280e-6
    values = []
    for (level, high), (_, low) in itertools.pairwise(runs[1:]):
        if level == "1":
            is_one = 0.58e-6 <= high <= 1.0e-6
            assert is_one or 0.22e-6 <= high <= 0.42e-6, high
            assert low >= (0.22e-6 if is_one else 0.58e-6), low
            values.append(is_one)
    assert len(values) % 24 == 0
    octets = [int("".join("01"[bit] for bit in values[at : at + 8]), 2) for at in range(0, len(values), 8)]
    return [(red, green, blue) for green, red, blue in zip(*[iter(octets)] * 3, strict=True)]


@pytest.mark.parametrize("colours", [[], [(0, 0, 0)], [(255, 255, 255)], [(1, 2, 3), (128, 64, 32), (255, 0, 170)]])
def test_the_leds_read_what_was_meant(colours):
    """Every bit within the limits of the data sheet, green first as the LEDs take it."""
    assert decoded(frame([*colours, (9, 9, 9)])) == [*colours, (9, 9, 9)]


def test_every_value_survives_the_wire():
    """All 256 of each colour."""
    colours = [(value, 255 - value, value ^ 0x55) for value in range(256)]
    assert decoded(frame(colours)) == colours


def test_the_rows_have_their_colours_and_take_little_current(clock, eventually):
    """Liberal, Fascist, tracker and status in this order; an LED takes 20 mA for each colour at its brightest."""
    sent = []
    panel = StripPanel(sent.append, clock)
    try:
        everything = Lights((Light.ON,) * 5, (Light.ON,) * 6, (Light.ON,) * 3, Light.ON)
        panel.show(everything)
        expected = [COLOURS[row] for row, count in ROWS.items() for _ in range(count)]
        eventually(lambda: sent and decoded(sent[-1]) == expected)
        assert sum(sum(colour) for colour in expected) / 255 * 0.020 < 0.3
    finally:
        panel.close()
    assert decoded(sent[-2]) == [(0, 0, 0)] * 15
    assert sent[-1] == b""


def test_a_light_blinks_on_the_wire(clock, eventually):
    """Lit, dark and lit again by the clock, a frame each."""
    sent = []
    panel = StripPanel(sent.append, clock)
    try:
        panel.show(Lights(status=Light.SLOW))
        eventually(lambda: sent and any(decoded(sent[-1])[-1]))
        clock.go(0.5)
        eventually(lambda: not any(decoded(sent[-1])[-1]))
    finally:
        panel.close()


def test_a_bus_that_fails_is_a_trouble_until_it_works_again(clock, eventually):
    """The game goes on; whatever comes next is tried."""
    state = {"fails": True, "sent": []}

    def send(sent):
        if state["fails"] and sent:
            raise OSError(errno.EIO, "Input/output error")
        state["sent"].append(sent)

    panel = StripPanel(send, clock)
    try:
        eventually(lambda: panel.troubles == ("The strip of lights does not work: Input/output error.",))
        state["fails"] = False
        panel.show(Lights(status=Light.ON))
        eventually(lambda: panel.troubles == ())
        assert any(decoded(state["sent"][-1])[-1])
        panel.show(DARK)
    finally:
        panel.close()


def test_a_bus_that_is_not_there_is_a_sentence(tmp_path):
    """And so is a file that is no bus."""
    with pytest.raises(PanelError, match="SPI has to be on"):
        open_bus(tmp_path / "spidev0.0")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PanelError, match="is no SPI bus"):
        open_bus(tmp_path / "file")
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(PanelError):
        open_bus(tmp_path / "file")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
