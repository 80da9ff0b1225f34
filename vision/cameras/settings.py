"""The settings of a camera: size of its pictures, exposure, white balance, focus.

An automatic camera makes the picture darker for every white card and changes its colours for every hand: everything on
the table seems to change. With `lock` it finds its values first and then keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kept = Literal["auto", "lock"]
Exposure = Literal["auto", "lock", "cards"]
Flicker = Literal["auto", "off"] | int
"""`auto`: as the camera chooses; `off`; or the frequency of the mains, 50 or 60 Hz."""
MAINS_HZ: Final = (50, 60)
"""The frequencies that the mains have, Hz."""

SYSTEM_PYTHON: Final = "/usr/bin/python3"
"""The Python for which `apt install python3-picamera2` installs."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """The requested settings; a camera reports those that it does not accept in its `notes`.

    `width`, `height`: pixels. `fps`: pictures per second. `exposure`: milliseconds, or `auto`, or `lock`: automatic at
    first, then kept; or `cards`: the same, then changed slowly so that the white of the cards is bright and not burnt
    out. `white_balance`: kelvin, `auto` or `lock`. `focus`: the camera's own unit (USB) or dioptres, that is 1 / metres
    (Raspberry Pi camera), or `auto` or `lock`. `flicker`: whose flicker the automatic exposure avoids. `python`: the
    interpreter that has picamera2.
    """

    width: int = 1920
    height: int = 1080
    fps: int = 30
    exposure: Exposure | float = "auto"
    white_balance: Kept | float = "auto"
    focus: Kept | float = "auto"
    flicker: Flicker = "auto"
    python: str = SYSTEM_PYTHON

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of a picture, pixels."""
        return self.width, self.height
