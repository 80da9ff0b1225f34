"""Devices that send messages to a board, and what each may do, for `lab.torture.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cardtable.config.model import AccessConfig
from cardtable.table.messages import Identity

Device = tuple[str, int | None, Identity]
"""Its role, the seat of its player, and its identity."""

ACCESS: Final = (
    AccessConfig(),
    AccessConfig(say=("seats",), accuse=("seat",), undo=("seats", "director"), correct=("seat",), host=("board",)),
    AccessConfig(say=("board", "spectator"), accuse=(), undo=("seat",), correct=("director",), host=("seats",)),
)
"""The settings that `table.toml` can have for it; every evening uses one."""
_CORRECTIONS: Final = ("correct-card", "add-card", "name-card", "undo-to", "table-is-right", "record-is-right")


def may(access: AccessConfig, device: Device, wanted: Mapping[str, Any], last: int | None) -> bool:
    """Return whether this device may send the message (docs/how-to/phones.md); `last`: the seat of the last action."""
    role, seat, _ = device
    do = wanted["do"]
    if do in ("say", "misread"):
        allowed, whose = (access.accuse if wanted.get("against") is not None else access.say), wanted.get("seat")
    elif do == "undo":
        allowed, whose = access.undo, last
    elif do in _CORRECTIONS:
        allowed, whose = access.correct, seat
    else:
        allowed, whose = access.host, seat
    if "spectator" in allowed or (role in allowed and role != "seat"):
        return True
    return seat is not None and ("seats" in allowed or ("seat" in allowed and seat == whose))
