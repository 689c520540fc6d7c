"""Text to levelled speech: the Speaker seam and the synthesisers behind it."""
