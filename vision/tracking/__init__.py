"""From readings of single frames to the cards that lie on the table."""
