"""`cardtable replay`: play a record through the rules."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from cardtable.errors import UsageError, why
from cardtable.files import MAX_BYTES, read_file
from cardtable.terminal.output import say, translated
from engine.errors import RecordError
from engine.formats.board import Board, Fault
from engine.formats.iss import SkatGame
from engine.formats.reading import read_games
from engine.names import plain_name
from engine.record import Record, json_line, read_record, write_record
from engine.table import answers
from engine.texts import both, text
from engine.views import result_scores, side_names

SUMMARY = text("check a record against the rules: what they accept, score and refuse")
ACTIVITY = text("replaying the record")
EXAMPLE = "cardtable replay game.jsonl"
MOST_FAULTS: Final = 20
"""How many faults of a file are printed."""
NO_BOARD: Final = text("it has no board that can be read: a PBN file, for one, begins with tags such as [Board “1”]")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "record",
        metavar="RECORD",
        help=text("a record (a JSON Lines file), or a file of PBN, LIN, USEBIO or ISS; - for standard input"),
    )
    parser.add_argument(
        "--board", type=int, metavar="K", help=text("not a record: the number of the board (default: the first)")
    )
    parser.add_argument("--record", dest="write", action="store_true", help=text("print a board as a record instead"))
    parser.add_argument(
        "--json", action="store_true", help=text("print one JSON object for each action, then the result")
    )
    parser.add_argument(
        "--legal", action="store_true", help=text("add to each action what the table would accept next")
    )


def run(args: argparse.Namespace) -> int:
    """Replay the record; return 0 if everything was accepted, else 1. Raises `UsageError` if it cannot be read."""
    record, said = _read(args.record, args.board)
    status = 0
    write = sys.stdout.write
    if args.write:
        for line in write_record(record.header, record.actions):
            write(line + "\n")
        return 0
    for action, answer in zip([*record.actions, None], answers(record, args.legal), strict=True):
        status |= answer.get("ok") is False
        if action is None and said:
            status |= _compare(answer, said)
        if args.json:
            write(json_line(answer) + "\n")
        elif action is None:
            write(_end(answer, record) + "\n")
        else:
            write(_line(answer, action.to_json(), record) + "\n")
    return status


def _compare(result: dict[str, Any], said: tuple[int, ...]) -> bool:
    """Return whether the scores that a file says are others than the result's, and say so.

    If the play is not in the file, the result is what the file says.
    """
    if result["over"] or any(result["scores"]):
        if tuple(result["scores"]) != said:
            told, scores = _scores(said), _scores(result["scores"])
            say(text("replay: the file says {told}, the rules {scores}", told=told, scores=scores), sys.stderr)
            return True
    elif any(said):
        best = max(said)
        winners = [side for side, score in enumerate(said) if score == best]
        result |= {"over": True, "scores": list(said), "winners": winners}
    return False


def _read(name: str, number: int | None) -> tuple[Record, tuple[int, ...] | None]:
    """Return the record in a file, and what the file says was scored. Raises `UsageError`."""
    where = text("standard input") if name == "-" else name
    try:
        content = _standard_input() if name == "-" else read_file(Path(name))
    except OSError as error:
        raise UsageError(text("{name} cannot be read: {why}", name=where, why=why(error))) from None
    try:
        if (found := read_games(content)) is not None:
            return _chosen(found, number)
        if b"\0" in content:
            raise Fault(text("this is not text in UTF-8: unpack or convert the file first"))
        if Path(name).suffix.lower() in (".pbn", ".lin", ".sgf", ".xml"):
            raise Fault(NO_BOARD)
        return read_record(BytesIO(content)), None
    except (RecordError, Fault) as error:
        raise UsageError(text("{file}, {error}", file=where, error=str(error))) from None


def _chosen(found: Iterable[Board | SkatGame | Fault], number: int | None) -> tuple[Record, tuple[int, ...] | None]:
    """Return the record of the board `number`, or of the first, and say what is wrong with the file. Raises `Fault`."""
    games: dict[int, Board | SkatGame] = {}
    faults: list[Fault] = []
    for each in found:
        if isinstance(each, Fault):
            faults.append(each)
        else:
            faults += each.faults
            games.setdefault(each.number, each)
    if not games:
        raise faults[0] if faults else Fault(NO_BOARD)
    chosen = games.get(next(iter(games), 0) if number is None else number)
    if chosen is None:
        for fault in faults:
            if number == fault.number:
                raise fault
        numbers = ", ".join(map(str, games))
        raise Fault(text("there is no board {number}, only {numbers}", number=number, numbers=numbers))
    for fault in faults[:MOST_FAULTS]:
        say(text("replay: {fault}", fault=str(fault)), sys.stderr)
    if len(faults) > MOST_FAULTS:
        say(text("replay: and {count} more faults", count=len(faults) - MOST_FAULTS), sys.stderr)
    header, actions = chosen.record()
    return Record(header, tuple(actions), tuple(range(2, len(actions) + 2))), chosen.scores


def _standard_input() -> bytes:
    """Return what comes from standard input. Raises `OSError` if it is more than a file may have."""
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def _line(answer: dict[str, Any], action: dict[str, Any], record: Record) -> str:
    """Return one action as text: who did what, what it scored, or why it was refused."""
    players = record.header.players
    seat = action.pop("seat", None)
    who = players[seat] if isinstance(seat, int) else seat or ""
    what = " ".join([action.pop("do"), *(_plain(key, value, players) for key, value in action.items())])
    news = [f"{players[p['seat']]} {p['points']:+d} {p['for']}" for p in answer["points"]]
    for event in answer["events"]:
        name = [players[event["seat"]]] if event.get("seat") is not None else []
        news.append(" ".join([event["event"], *name, *filter(None, [event.get("card")])]))
    if not answer["ok"]:
        reason = translated(answer["message"])
        news.append(translated(text("REFUSED {code}: {message}", code=answer["error"], message=reason)))
    if "legal" in answer:
        actions = ", ".join(json_line(each) for each in answer["legal"]) or "-"
        news.append(translated(text("legal: {actions}", actions=actions)))
    return f"{answer['n']:>5}  {who:<10} {what:<28} {_scores(answer['scores']):<10} {'; '.join(news)}".rstrip()


def _plain(key: str, value: object, players: tuple[str, ...]) -> str:
    if key == "against" and isinstance(value, int):
        return translated(text("against {name}", name=players[value]))
    return plain_name(" ".join(map(str, value)) if isinstance(value, list) else str(value))


def _end(answer: dict[str, Any], record: Record) -> str:
    counts = text("{accepted} accepted", accepted=answer["accepted"])
    if answer["refused"]:
        counts = text("{accepted} accepted, {refused} refused", accepted=answer["accepted"], refused=answer["refused"])
    if not answer["over"]:
        scores = _scores(answer["scores"])
        return translated(text("The game is not over: {scores}; {counts}.", scores=scores, counts=counts))
    sides = side_names(record.header.players, len(answer["scores"]))
    won = both([sides[side] for side in answer["winners"]])
    scores = result_scores(answer["scores"], answer["winners"])
    return translated(text("{names} won, {scores}; {counts}.", names=won, scores=scores, counts=counts))


def _scores(scores: Iterable[int]) -> str:
    return "–".join(map(str, scores))
