"""A game in progress: its sources, the game loop, corrections, and what the outputs show."""

import logging

# Nothing is logged unless `cardtable.terminal.arguments` adds a handler.
logging.getLogger("cardtable").addHandler(logging.NullHandler())
