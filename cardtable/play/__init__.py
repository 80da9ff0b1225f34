"""A game in progress: sources, controller, journal, hardware. `cardtable.play.session` ties them together."""

import logging

# Nothing is logged unless `cardtable.terminal.diagnostics` adds a handler.
logging.getLogger("cardtable").addHandler(logging.NullHandler())
