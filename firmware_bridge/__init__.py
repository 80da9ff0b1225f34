"""The serial link to a microcontroller with RFID readers, buttons and lights."""

from __future__ import annotations

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())


# Errors of the link to the reader board. Every message says what to do about it.


class BridgeError(Exception):
    """The reader board cannot be used in its present state. The message is meant for the user."""


class NotBuilt(BridgeError):
    """The firmware or its simulator could not be built: a tool is missing, or it failed."""
