"""What goes wrong with things that are wired to the Pi, in words for the person who wired them."""

from __future__ import annotations


class HardwareError(Exception):
    """Something wired to the table cannot be used; the message says what to do."""


class NoPinLibrary(HardwareError, ImportError):
    """The pins of this machine cannot be reached: no Raspberry Pi, no pin library, or no right to use it."""


class NoSuchPin(HardwareError, ValueError):
    """The configuration names a pin that this board does not have."""


class PinUsedTwice(HardwareError, ValueError):
    """The configuration gives one pin to two things."""


class PinBusy(HardwareError, OSError):
    """A pin cannot be used, although it is there: something else uses it."""


class NoSuchDisplay(HardwareError, ValueError):
    """The configuration names a display that nobody knows, or its size or connection is wrong."""


class DisplayFailed(HardwareError, OSError):
    """A display does not answer."""


class NoVoice(HardwareError, OSError):
    """The command that speaks cannot be run."""
