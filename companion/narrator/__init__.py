"""The voice of the box: which lines are said, in which order, and how they sound."""
