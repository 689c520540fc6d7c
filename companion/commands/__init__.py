"""The commands beside `run`."""
