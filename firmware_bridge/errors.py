"""What goes wrong between the program and the board; every message says what to do."""

from __future__ import annotations


class BridgeError(Exception):
    """The board cannot be used as it is; the message is for the person at the table."""


class NotBuilt(BridgeError):
    """A tool that builds or simulates the firmware is missing, or it failed."""
