"""`cardtable replay`: play a record through the rules."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from cardtable.errors import UsageError, why
from cardtable.files import MAX_BYTES, read_file
from cardtable.terminal.output import translated
from engine.errors import RecordError
from engine.record import Record, json_line, read_record, write_record
from engine.table import answers
from engine.texts import both, text
from engine.views import result_scores, side_names

SUMMARY = text("check a record against the rules: what they accept, score and refuse")
ACTIVITY = text("replaying the record")
EXAMPLE = "cardtable replay game.jsonl"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "record",
        metavar="RECORD",
        help=text("a record (a JSON Lines file), or boards of bridge (NAME.pbn); - for standard input"),
    )
    parser.add_argument(
        "--board", type=int, metavar="K", help=text("NAME.pbn: the number of the board (default: the first)")
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
    record = _read_pbn(args.record, args.board) if args.record.endswith(".pbn") else _read(args.record)
    status = 0
    write = sys.stdout.write
    if args.write:
        for line in write_record(record.header, record.actions):
            write(line + "\n")
        return 0
    for action, answer in zip([*record.actions, None], answers(record, args.legal), strict=True):
        status |= answer.get("ok") is False
        if args.json:
            write(json_line(answer) + "\n")
        elif action is None:
            write(_end(answer, record) + "\n")
        else:
            write(_line(answer, action.to_json(), record) + "\n")
    return status


def _read(name: str) -> Record:
    try:
        if name == "-":
            return read_record(BytesIO(_standard_input()))
        return read_record(BytesIO(read_file(Path(name))))
    except RecordError as error:
        where = text("standard input") if name == "-" else name
        raise UsageError(text("{file}, {error}", file=where, error=str(error))) from None
    except OSError as error:
        raise UsageError(text("{name} cannot be read: {why}", name=name, why=why(error))) from None


def _standard_input() -> bytes:
    """Return what comes from standard input. Raises `OSError` if it is more than a file may have."""
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def _read_pbn(name: str, number: int | None) -> Record:
    """Return the record of a board in a PBN file, of the first one without a `number`. Raises `UsageError`."""
    from engine.pbn import PbnError, read_pbn, record_of

    try:
        written = read_file(Path(name))
    except OSError as error:
        raise UsageError(text("{name} cannot be read: {why}", name=name, why=why(error))) from None
    try:
        boards = read_pbn(_decoded(written))
        chosen = [board for board in boards if number in (None, board.number)]
        if not chosen:
            numbers = ", ".join(str(board.number) for board in boards)
            raise PbnError(text("there is no board {number}, only {numbers}", number=number, numbers=numbers))
        header, actions = record_of(chosen[0])
    except PbnError as error:
        raise UsageError(text("{file}, {error}", file=name, error=str(error))) from None
    return Record(header, tuple(actions), tuple(range(2, len(actions) + 2)))


def _decoded(written: bytes) -> str:
    """Return the text of a PBN file: UTF-8, or ISO 8859-1 as the standard has it."""
    try:
        return written.decode("utf-8-sig")
    except UnicodeDecodeError:
        return written.decode("iso-8859-1")


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
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


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
