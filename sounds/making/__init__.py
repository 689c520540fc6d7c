"""How the sounds are made; the box itself needs none of it, and plays the files."""
