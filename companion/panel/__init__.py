"""What a press means, what becomes of it, and which lights are on."""
