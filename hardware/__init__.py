"""Buttons and lights: panels that know nothing of the game."""
