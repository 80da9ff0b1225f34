"""How a camera is to be set: size of its pictures, exposure, white balance, focus.

A camera that sets itself answers each white card that is laid with a darker picture, and each hand with another colour:
everything on the table seems to change. `lock` lets it find its values first, and then keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kept = Literal["auto", "lock"]

SYSTEM_PYTHON: Final = "/usr/bin/python3"
"""The Python that `apt install python3-picamera2` installs for."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """What is asked of a camera; what it does not take it says (`notes`).

    `width`, `height`: pixels. `fps`: pictures a second. `exposure`: milliseconds, `auto`, or `lock`: what it has
    found by itself is kept. `white_balance`: kelvin, or the same words. `focus`: in the camera's own unit (USB), or
    in dioptres, 1 / metres (Raspberry Pi camera), or the same words. `python`: which one has picamera2.
    """

    width: int = 1920
    height: int = 1080
    fps: int = 30
    exposure: Kept | float = "auto"
    white_balance: Kept | float = "auto"
    focus: Kept | float = "auto"
    python: str = SYSTEM_PYTHON

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        return self.width, self.height
