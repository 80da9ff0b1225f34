"""Learning and testing decks of your own: from a camera, from pictures, from files."""
