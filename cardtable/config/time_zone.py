"""The time zone of the table, if it is not that of the machine."""

from __future__ import annotations

import os
import time


def use_time_zone(name: str | None) -> None:
    """Let this program use the time zone `name`, such as `Europe/Paris`; None for that of the machine."""
    if name is not None:
        os.environ["TZ"] = name
    else:
        os.environ.pop("TZ", None)
    time.tzset()
