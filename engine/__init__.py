"""The rules: cards, actions, records, games, the table and its referee.

Pure: no clock, no file, no thread, no randomness of its own; the standard library only.
"""
