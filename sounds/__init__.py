"""The sound effects of the box."""
