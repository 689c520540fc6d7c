"""A tabletop companion and narrator for Secret Hitler, beside the real cards and boards."""

__version__ = "0.1.0"
