"""`cardtable tags replay`: what a recording of the line told, moment by moment."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.errors import UsageError, why
from cardtable.tags.board import Teller
from engine.texts import plural, text

if TYPE_CHECKING:
    from firmware_bridge.link import LinkUpdate


def replay_recording(path: Path, teller: Teller) -> int:
    """Tell what `path` holds; 0. Raises `UsageError` where it is no recording, or ends in the middle of a line."""
    from firmware_bridge.raw import replay

    try:
        with path.open(encoding="utf-8") as file:
            for seconds, news in replay(file):
                told, entry = _in_words(news)
                teller.say(text("{seconds:10.3f} s  {told}", seconds=seconds, told=told), t=seconds, **entry)
    except OSError as error:
        raise UsageError(text("tags replay: {path} cannot be read: {why}", path=path, why=why(error))) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            text("tags replay: {path} is no recorded session: tags test --record makes one", path=path)
        ) from error
    except ValueError as error:
        raise UsageError(text("tags replay: {path}: {error}", path=path, error=str(error))) from error
    return 0


def _in_words(news: LinkUpdate) -> tuple[str, dict[str, Any]]:
    from firmware_bridge.link import Connected, Disconnected, Incompatible
    from firmware_bridge.messages import Event, State

    match news:
        case Connected(hello, restarted):
            readers = plural("{count} reader", "{count} readers", hello.readers)
            template = "the board is there again: start {boot}, firmware {firmware}, {readers}"
            if restarted:
                template = "the board has started anew: start {boot}, firmware {firmware}, {readers}"
            said = text(template, boot=hello.boot, firmware=hello.firmware, readers=readers)
            return said, {"met": asdict(hello), "anew": restarted}
        case Disconnected():
            return text("the board is silent"), {"gone": True}
        case Incompatible(hello):
            if hello is None:
                return text("what is there is no card table's board"), {"foreign": None}
            return text("there is a board of protocol {protocol}", protocol=hello.protocol), {"foreign": asdict(hello)}
        case Event():
            at = f"{news.index} {news.uid}".rstrip()
            told = "event {number}: {news} at {at}, {age:.3f} s before"
            said = text(told, number=news.number, news=news.kind.name.lower(), at=at, age=news.age)
            entry = asdict(news)
            del entry["kind"]
            return said, {"event": entry | {"news": news.kind.name.lower()}}
        case State():
            lies = ", ".join(news.uids) or text("nothing")
            told = "reader {number} is {status}; there lies {lies}"
            return text(told, number=news.index, status=news.status.name.lower(), lies=lies), {
                "state": asdict(news) | {"status": news.status.name.lower()}
            }
