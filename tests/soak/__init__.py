"""Days of games on a fast clock. See `python -m tests.soak --help`."""
