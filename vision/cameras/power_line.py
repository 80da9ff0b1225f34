"""The power line frequency of a USB camera: which flicker of lamps its automatic exposure avoids.

OpenCV does not have this control, so it is set through V4L2 itself (linux/videodev2.h, linux/v4l2-controls.h).
"""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path
from typing import Final

from vision.cameras.settings import Flicker

_CONTROL: Final = 0x0098_0918
"""V4L2_CID_POWER_LINE_FREQUENCY."""
_GET: Final = 0xC008_561B
"""VIDIOC_G_CTRL: reads and writes a `struct v4l2_control`, whose fields are `__u32 id; __s32 value`."""
_SET: Final = 0xC008_561C
"""VIDIOC_S_CTRL."""
_FORMAT: Final = "=Ii"
_VALUES: Final[dict[Flicker, int]] = {"off": 0, 50: 1, 60: 2}
"""enum v4l2_power_line_frequency."""


def set_power_line(device: Path, flicker: Flicker) -> bool:
    """Set the control of the camera at `device`, and read it back; return whether the camera has taken it.

    With `auto` the camera keeps what it has, and the result is True.
    """
    if flicker == "auto":
        return True
    value = _VALUES[flicker]
    try:
        file = os.open(device, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.ioctl(file, _SET, struct.pack(_FORMAT, _CONTROL, value))
        _, taken = struct.unpack(_FORMAT, fcntl.ioctl(file, _GET, struct.pack(_FORMAT, _CONTROL, 0)))
        return bool(taken == value)
    except OSError:
        return False
    finally:
        os.close(file)
