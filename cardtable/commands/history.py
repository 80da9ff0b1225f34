"""`cardtable history`: list the games in a journal, or print one as a record."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.errors import UsageError
from cardtable.terminal.output import translated
from engine.record import json_line
from engine.texts import plural, text

if TYPE_CHECKING:
    from cardtable.play.journal import StoredGame

SUMMARY = text("list the games in a journal, or print one as a record")
EXAMPLE = "cardtable history --journal journal.sqlite\n  cardtable history 3 > game.jsonl"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "game", nargs="?", type=int, metavar="N", help=text("print this game's record, as replay reads it")
    )
    parser.add_argument(
        "--journal", type=Path, default=Path("journal.sqlite"), metavar="FILE", help=text("default: journal.sqlite")
    )
    parser.add_argument("--json", action="store_true", help=text("one JSON object for each game that was played"))


def run(args: argparse.Namespace) -> int:
    """List the games, oldest first, or print one; return 0. Raises `JournalError`, `UsageError`."""
    from cardtable.play.journal import read_games

    games = read_games(args.journal)
    if args.game is not None:
        found = next((game for game in games if game.id == args.game), None)
        if found is None:
            there = text("it has 1 to {last}", last=games[-1].id) if games else text("it has none yet")
            raise UsageError(
                text(
                    "history: there is no game {game} in {journal}; {there}",
                    game=args.game,
                    journal=args.journal,
                    there=there,
                )
            )
        print("\n".join(found.record()))
        return 0
    for game in games:
        print(json_line(_describe(game)) if args.json else _text(game))
    return 0


def _describe(game: StoredGame) -> dict[str, Any]:
    """Return the object that `--json` prints; the actions are replayed for the scores."""
    from engine.record import Record
    from engine.replaying import answers

    *_, result = answers(Record(game.header, game.actions, tuple(range(2, len(game.actions) + 2))))
    return {
        "id": game.id,
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(game.started)),
        "game": game.header.game,
        "players": list(game.header.players),
        "actions": len(game.actions),
        "over": result["over"],
        "winners": result["winners"],
        "scores": result["scores"],
    }


def _text(game: StoredGame) -> str:
    about = _describe(game)
    score = "–".join(map(str, about["scores"]))
    unfinished = plural("not over, {count} action", "not over, {count} actions", about["actions"])
    state = translated(text("over") if about["over"] else unfinished)
    when = about["started"][:16].replace("T", " ")
    return f"{about['id']:>4}  {when}  {about['game']:<10}  {', '.join(about['players'])}  {score}  {state}"
