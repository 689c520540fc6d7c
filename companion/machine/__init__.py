"""What the box needs of the computer it runs on."""
