"""Errors of the devices wired to the Pi. The messages are meant for the person who wired them."""

from __future__ import annotations


class HardwareError(Exception):
    """A device cannot be used. The message says what to do."""


class NoPinLibrary(HardwareError, ImportError):
    """The pins of this machine cannot be accessed: not a Raspberry Pi, no pin library, or no permission."""


class NoSuchPin(HardwareError, ValueError):
    """The configuration names a pin that this board does not have."""


class PinUsedTwice(HardwareError, ValueError):
    """The configuration assigns one pin to two devices."""


class PinBusy(HardwareError, OSError):
    """A pin exists but is in use by another program."""


class NoSuchDisplay(HardwareError, ValueError):
    """The configuration names an unknown display, or its size or connection is wrong."""


class DisplayFailed(HardwareError, OSError):
    """A display does not answer."""


class NoVoice(HardwareError, OSError):
    """The command that speaks cannot be run."""
