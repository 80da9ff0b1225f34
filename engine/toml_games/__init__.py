"""Trick games that are described in data instead of Python: the description, and the game that plays it."""
