"""`cardtable tags replay`: print a recording of the line, one update per line."""

from __future__ import annotations

from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardtable.errors import UsageError, why
from cardtable.files import read_text
from cardtable.tags.board import Printer
from engine.texts import decimals, plural, text

if TYPE_CHECKING:
    from firmware_bridge.link import LinkUpdate

_MAX_BYTES: Final = 256 << 20
"""The largest recording that is replayed: days of play."""


def replay_recording(path: Path, printer: Printer) -> int:
    """Print the recording at `path`; return 0. Raises `UsageError` if it cannot be read or is incomplete."""
    from firmware_bridge.raw import replay

    try:
        for seconds, update in replay(StringIO(read_text(path, _MAX_BYTES))):
            message, entry = _describe(update)
            printer.print(
                text("{seconds:>10} s  {message}", seconds=decimals(seconds, 3), message=message), t=seconds, **entry
            )
    except OSError as error:
        raise UsageError(text("tags replay: {path} cannot be read: {why}", path=path, why=why(error))) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            text("tags replay: {path} is not a recorded session: tags test --record makes one", path=path)
        ) from error
    except ValueError as error:
        raise UsageError(text("tags replay: {path}: {error}", path=path, error=str(error))) from error
    return 0


def _describe(update: LinkUpdate) -> tuple[str, dict[str, Any]]:
    """Return the update as text and as a JSON object."""
    from firmware_bridge.link import Connected, Disconnected, Incompatible
    from firmware_bridge.messages import State, TagEvent

    match update:
        case Connected(hello, restarted):
            readers = plural("{count} reader", "{count} readers", hello.readers)
            template = "the reader board is there again: start {boot}, firmware {firmware}, {readers}"
            if restarted:
                template = "the reader board has restarted: start {boot}, firmware {firmware}, {readers}"
            message = text(template, boot=hello.boot, firmware=hello.firmware, readers=readers)
            return message, {"met": asdict(hello), "anew": restarted}
        case Disconnected():
            return text("the reader board is silent"), {"gone": True}
        case Incompatible(hello):
            if hello is None:
                return text("the device is not a card table's reader board"), {"foreign": None}
            message = text("the reader board speaks protocol {protocol}", protocol=hello.protocol)
            return message, {"foreign": asdict(hello)}
        case TagEvent():
            at = f"{update.index} {update.uid}".rstrip()
            template = "event {number}: {news} at {at}, {age} s earlier"
            message = text(
                template, number=update.number, news=update.kind.name.lower(), at=at, age=decimals(update.age, 3)
            )
            entry = asdict(update)
            del entry["kind"]
            return message, {"event": entry | {"news": update.kind.name.lower()}}
        case State():
            lies = ", ".join(update.uids) or text("nothing")
            template = "reader {number} is {status}; on it: {lies}"
            return text(template, number=update.index, status=update.status.name.lower(), lies=lies), {
                "state": asdict(update) | {"status": update.status.name.lower()}
            }
