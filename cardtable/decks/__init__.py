"""Decks of one's own: where they are stored, and learning and testing them."""
