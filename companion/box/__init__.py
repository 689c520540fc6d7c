"""One box from power-on to power-off."""
