"""The owner of the game, what it shows, and who hears of it."""
