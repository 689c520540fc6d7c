"""The rules of Secret Hitler as a pure core: commands in, events out. See README.md in this folder."""
