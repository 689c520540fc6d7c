from hardware.detect import on_raspberry_pi


def test_a_raspberry_pi_is_known_by_its_model(tmp_path):
    """The kernel's name for the board decides, with the zero byte at its end."""
    model = tmp_path / "model"
    model.write_bytes(b"Raspberry Pi 4 Model B Rev 1.4\x00")
    assert on_raspberry_pi(model)


def test_another_board_is_no_raspberry_pi(tmp_path):
    """A board that only mentions one is none."""
    model = tmp_path / "model"
    model.write_bytes(b"Banana Pi, like a Raspberry Pi\x00")
    assert not on_raspberry_pi(model)


def test_a_machine_without_a_model_is_no_raspberry_pi(tmp_path):
    """A laptop has no such file."""
    assert not on_raspberry_pi(tmp_path / "model")
