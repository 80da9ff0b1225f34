"""`cardtable history`: list the games in a journal, or print one as a record."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.errors import UsageError
from cardtable.terminal.output import say, translated
from engine.record import json_line
from engine.texts import plural, text

if TYPE_CHECKING:
    from cardtable.play.stored_games import GameEntry, Games, Result

SUMMARY = text("list the games in a journal, or print one as a record")
EXAMPLE = "cardtable history --journal journal.sqlite\n  cardtable history 3 > game.jsonl"

_BATCH = 100
"""Number of replayed games after which their results are stored."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "game", nargs="?", type=int, metavar="N", help=text("print this game's record, as replay reads it")
    )
    parser.add_argument(
        "--journal", type=Path, default=Path("journal.sqlite"), metavar="FILE", help=text("default: journal.sqlite")
    )
    parser.add_argument("--json", action="store_true", help=text("one JSON object for each game that was played"))
    parser.add_argument(
        "--hands", action="store_true", help=text("also the hands that readers know, even if the game is not over")
    )


def run(args: argparse.Namespace) -> int:
    """List the games, oldest first, or print one; return 0. Raises `JournalError`, `UsageError`.

    A game that cannot be read is listed with the reason.
    """
    from cardtable.play.stored_games import open_games

    with open_games(args.journal) as games:
        if args.game is not None:
            _print_record(games, args)
            return 0
        for entry, result in _with_results(games, args.journal):
            print(json_line(_describe(entry, result)) if args.json else _text(entry, result))
    return 0


def _print_record(games: Games, args: argparse.Namespace) -> None:
    numbers = games.numbers()
    if args.game not in numbers:
        there = text("it has 1 to {last}", last=numbers[-1]) if numbers else text("it has none yet")
        message = "history: there is no game {game} in {journal}; {there}"
        raise UsageError(text(message, game=args.game, journal=args.journal, there=there))
    game = games.read(args.game)
    print("\n".join(game.record(hands=game.over or args.hands)))
    if not game.over and not args.hands and game.names_hands:
        say(text("the game is not over: without the hands, which --hands adds"), sys.stderr)


def _with_results(games: Games, journal: Path) -> Iterator[tuple[GameEntry, Result | str]]:
    """Yield each game of the list with its result, or with the reason why it has none.

    Results that are not stored are found by replaying, and stored in `journal`.
    """
    from cardtable.play.journal_errors import UnreadableGame
    from cardtable.play.stored_games import Result, keep_results

    found: list[tuple[int, int, Result]] = []
    try:
        for entry in games.entries():
            if entry.result is not None:
                yield entry, entry.result
                continue
            try:
                game, table = games.replayed(entry.id)
            except UnreadableGame as error:
                yield entry, error.reason
                continue
            result = Result.of(table)
            found.append((game.id, len(game.actions), result))
            yield entry, result
            if len(found) == _BATCH:
                keep_results(journal, found)
                found = []
    finally:
        if found:
            keep_results(journal, found)


def _describe(entry: GameEntry, result: Result | str) -> dict[str, Any]:
    """Return the object that `--json` prints; `error` instead of the result of a game that cannot be read."""
    about = {
        "id": entry.id,
        "started": _time("%Y-%m-%dT%H:%M:%S%z", entry.started),
        "game": entry.name,
        "players": list(entry.players),
        "actions": entry.actions,
        "over": entry.over,
    }
    if isinstance(result, str):
        return about | {"error": result}
    return about | {"winners": list(result.winners), "scores": list(result.scores)}


def _text(entry: GameEntry, result: Result | str) -> str:
    when = _time("%Y-%m-%d %H:%M", entry.started)
    line = f"{entry.id:>4}  {when}  {entry.name or '?':<10}  {', '.join(entry.players)}"
    if isinstance(result, str):
        return f"{line}  {translated(text('cannot be read: {why}', why=result))}"
    unfinished = plural("not over, {count} action", "not over, {count} actions", entry.actions)
    return f"{line}  {'–'.join(map(str, result.scores))}  {translated(text('over') if entry.over else unfinished)}"


def _time(form: str, seconds: float) -> str:
    """Return the local time as `form` says; a question mark for a damaged one."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (ValueError, OverflowError, OSError):
        return "?"
