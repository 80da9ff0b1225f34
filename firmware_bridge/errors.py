"""Errors of the link to the reader board. Every message says what to do about it."""

from __future__ import annotations


class BridgeError(Exception):
    """The reader board cannot be used in its present state. The message is meant for the user."""


class NotBuilt(BridgeError):
    """The firmware or its simulator could not be built: a tool is missing, or it failed."""
