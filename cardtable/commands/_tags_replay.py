"""`cardtable tags replay`: what a recording of the line told, moment by moment."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.commands._tags_board import Teller
from cardtable.errors import UsageError

if TYPE_CHECKING:
    from firmware_bridge.link import LinkNews


def replay_recording(path: Path, teller: Teller) -> int:
    """Tell what `path` holds; 0. Raises `UsageError` where it is no recording, or ends in the middle of a line."""
    from firmware_bridge.raw import replay

    try:
        with path.open(encoding="utf-8") as file:
            for seconds, news in replay(file):
                told, entry = _in_words(news)
                teller.say(f"{seconds:10.3f} s  {told}", t=seconds, **entry)
    except OSError as error:
        raise UsageError(f"tags replay: {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"tags replay: {path} is no recorded session: tags test --record makes one") from error
    except ValueError as error:
        raise UsageError(f"tags replay: {path}: {error}") from error
    return 0


def _in_words(news: LinkNews) -> tuple[str, dict[str, Any]]:
    from firmware_bridge.link import Foreign, Gone, Met
    from firmware_bridge.messages import Event, State

    match news:
        case Met(hello, anew):
            how = "has started anew" if anew else "is there again"
            told = f"the board {how}: start {hello.boot}, firmware {hello.firmware}, {hello.readers} readers"
            return told, {"met": asdict(hello), "anew": anew}
        case Gone():
            return "the board is silent", {"gone": True}
        case Foreign(hello):
            what = "no card table's board" if hello is None else f"a board of protocol {hello.protocol}"
            return f"{what} is there", {"foreign": asdict(hello) if hello else None}
        case Event():
            told = f"event {news.number}: {news.news.name.lower()} at {news.index} {news.uid}".rstrip()
            return f"{told}, {news.age:.3f} s before", {"event": asdict(news) | {"news": news.news.name.lower()}}
        case State():
            lies = ", ".join(news.uids) or "nothing"
            told = f"reader {news.index} is {news.status.name.lower()}; there lies {lies}"
            return told, {"state": asdict(news) | {"status": news.status.name.lower()}}
