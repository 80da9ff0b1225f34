"""For those who build on the board: its health, its figures, and the overlay for streams."""
