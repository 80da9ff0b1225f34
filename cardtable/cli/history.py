"""`cardtable history`: list the games in a journal, show statistics, and export games to files.

Modules that only some options need are imported in functions, so that a list appears quickly.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.errors import UsageError, why
from cardtable.history.statistics import Against, PastEvening, PlayerStatistics
from cardtable.journal.games import GameEntry
from cardtable.terminal.output import say, translated, translation
from engine.texts import both, decimals, plural, text
from engine.views import result_scores, side_names

if TYPE_CHECKING:
    from cardtable.journal.games import Choice, GameEntry, Games


SUMMARY = text("list the games in a journal, show statistics, or export games to files")
ACTIVITY = text("reading the journal")
EXAMPLE = (
    "cardtable history --journal journal.sqlite\n"
    "  cardtable history --stats --player Ann\n"
    "  cardtable history --csv -o games.csv\n"
    "  cardtable history 3 > game.jsonl\n"
    "  cardtable history 3 --picture -o game.svg"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "game", nargs="?", type=int, metavar="N", help=text("print the record of game N, which replay reads")
    )
    parser.add_argument(
        "--journal", type=Path, default=Path("journal.sqlite"), metavar="FILE", help=text("default: journal.sqlite")
    )
    parser.add_argument("--player", metavar="NAME", help=text("only games of this player"))
    parser.add_argument("--game", dest="kind", metavar="GAME", help=text("only this game, such as cribbage"))
    parser.add_argument("--last", type=int, metavar="K", help=text("only the last K games or evenings"))
    parser.add_argument("--stats", action="store_true", help=text("print the games, wins and scores of each player"))
    parser.add_argument("--evenings", action="store_true", help=text("print how often each player won on each evening"))
    parser.add_argument("--csv", action="store_true", help=text("write CSV: the list, or the actions of game N"))
    parser.add_argument(
        "--picture",
        action="store_true",
        help=text("a chart of the scores of game N, or of --player in --game, as SVG"),
    )
    parser.add_argument(
        "--pbn", action="store_true", help=text("print game N, if it is bridge, in Portable Bridge Notation")
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text("write to FILE instead of the terminal"))
    parser.add_argument("--json", action="store_true", help=text("print one JSON object for each game in the journal"))
    parser.add_argument(
        "--hands", action="store_true", help=text("include the hands that readers know, even if the game is not over")
    )


def run(args: argparse.Namespace) -> int:
    """Print or write the requested list or file; return 0. Raises `JournalError` and `UsageError`.

    The list begins with the oldest game. A game that cannot be read is listed with the reason.
    """
    _check(args)
    _write(_game(args) if args.game is not None else _games(args), args.output)
    return 0


def _check(args: argparse.Namespace) -> None:
    forms = [name for name in ("stats", "evenings", "csv", "picture", "pbn") if getattr(args, name)]
    if len(forms) > 1:
        first, second = forms[:2]
        message = "history: --{first} and --{second} are two different files: choose one"
        raise UsageError(text(message, first=first, second=second))
    if args.picture and args.game is None and not (args.player and args.kind):
        raise UsageError(
            text("history: --picture needs the number of a game, or --player and --game: cardtable history 3 --picture")
        )
    if args.pbn and args.game is None:
        raise UsageError(text("history: --pbn needs a game: cardtable history 3 --pbn"))
    if args.game is not None and (args.stats or args.evenings):
        raise UsageError(text("history: --{option} is about all games: leave the number out", option=forms[0]))
    if args.last is not None and args.last < 1:
        raise UsageError(text("history: --last: {last} is not a number of games", last=args.last))


def _write(lines: Iterable[str], output: Path | None) -> None:
    """Print lines, or write them to a file. The lines of a CSV file have a line ending already."""
    written = (line if line.endswith("\n") else f"{line}\n" for line in lines)
    if output is None:
        for line in written:
            sys.stdout.write(line)
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            file.writelines(written)
    except OSError as error:
        raise UsageError(text("{path} cannot be written: {why}", path=output, why=why(error))) from error


# All games


def _games(args: argparse.Namespace) -> Iterator[str]:
    from cardtable.journal.games import Choice, open_games

    choice = Choice(args.player, args.kind)
    with open_games(args.journal) as games:
        if args.picture:
            yield _scores(games, choice)
            return
        if args.stats or args.evenings:
            yield from _statistics(games, choice, args) if args.stats else _evenings(games, args)
            return
        entries = [games.with_result(entry) for entry in _last(games, choice, args.last)]
        if args.csv:
            from cardtable.history.csv_files import games_csv

            yield from games_csv(entry for entry, _ in entries)
            return
        for entry, fault in entries:
            yield _json(game_object(entry, fault)) if args.json else game_line(entry, fault)


def _scores(games: Games, choice: Choice) -> str:
    from cardtable.history.replay import curve_svg, scores_of
    from engine.games import title_of

    course, game = scores_of(games, choice), choice.name or ""
    if course is None:
        raise UsageError(text("There are no scores of {player} in {game}.", player=choice.player, game=game))
    title = text("{player}: {title}", player=choice.player, title=title_of(game))
    return curve_svg(course, translated(title), translation())


def _last(games: Games, choice: Choice, last: int | None) -> list[GameEntry]:
    if last is None:
        return games.entries(choice, played=True)
    return games.entries(choice, most=last, newest=True, played=True)[::-1]


def _statistics(games: Games, choice: Choice, args: argparse.Namespace) -> Iterator[str]:
    from cardtable.history.statistics import head_to_head, statistics

    rows, against = statistics(games, choice), head_to_head(games, choice)
    if args.json:
        yield from (_json(row._asdict()) for row in rows)
        yield from (_json(row._asdict()) for row in against)
        return
    yield from statistics_lines(rows)
    if against:
        yield ""
        yield from against_lines(against)


def _evenings(games: Games, args: argparse.Namespace) -> Iterator[str]:
    from cardtable.history.statistics import evenings

    found = evenings(games, args.last)[::-1]
    return (_json(evening_object(each)) for each in found) if args.json else evening_lines(found)


# One game


def _game(args: argparse.Namespace) -> Iterator[str]:
    from cardtable.journal.games import open_games

    with open_games(args.journal) as games:
        numbers = games.numbers()
        if args.game not in numbers:
            there = text("it has 1 to {last}", last=numbers[-1]) if numbers else text("it has none yet")
            message = "history: there is no game {game} in {journal}; {there}"
            raise UsageError(text(message, game=args.game, journal=args.journal, there=there))
        if args.csv or args.picture:
            yield from _replayed(games, args)
            return
        game = games.read(args.game)
        lines = game.record() if game.over or args.hands else games.record_without_hands(game)
        yield from _pbn(list(lines)) if args.pbn else lines
        if not game.over and not args.hands and game.names_hands:
            say(text("the game is not over: its hands are left out (--hands adds them)"), sys.stderr)


def _pbn(lines: list[str]) -> Iterator[str]:
    """Return the boards of a bridge record as PBN. Raises `UsageError` for another game."""
    from engine.errors import HeaderError
    from engine.formats.board import boards_of
    from engine.formats.pbn import write_pbn
    from engine.record import read_record

    record = read_record(lines)
    try:
        return write_pbn(boards_of(record.header, record.actions))
    except HeaderError as error:
        raise UsageError(text("history: {why}", why=str(error))) from None


def _replayed(games: Games, args: argparse.Namespace) -> Iterator[str]:
    from cardtable.history.csv_files import steps_csv
    from cardtable.history.replay import Replay, course_of, curve_svg
    from engine.games import load_game

    replay = Replay(games, args.game)
    if args.csv:
        yield from steps_csv(replay, hands=replay.game.over or args.hands)
        return
    title = text("{title}, game {number}", title=load_game(replay.header.game).title, number=args.game)
    translate = translation()
    yield curve_svg(course_of(replay, translate), translated(title), translate)


def _json(value: object) -> str:
    from engine.record import json_line

    return json_line(value)


# Text and JSON Lines.


def game_line(entry: GameEntry, fault: str | None) -> str:
    """Return a line about a game. `fault` says why it cannot be read."""
    when = local_time("%Y-%m-%d %H:%M", entry.started)
    line = f"{entry.id:>4}  {when}  {entry.name or '?':<10}  {', '.join(entry.players)}"
    if entry.result is None:
        return f"{line}  {translated(text('cannot be read: {why}', why=fault or ''))}"
    scores, winners = entry.result.scores, entry.result.winners
    if entry.over:
        sides = side_names(entry.players, len(scores))
        won = both([sides[side] for side in winners]) or text("nobody")
        shown = result_scores(scores, winners)
        return f"{line}  {translated(text('{names} won, {scores}', names=won, scores=shown))}"
    unfinished = plural("not over, {count} action", "not over, {count} actions", entry.actions)
    return f"{line}  {'–'.join(map(str, scores))}  {translated(unfinished)}"


def game_object(entry: GameEntry, fault: str | None) -> dict[str, Any]:
    """Return the object for `--json`, with `error` in place of the result of a game that cannot be read."""
    about = {
        "id": entry.id,
        "started": local_time("%Y-%m-%dT%H:%M:%S%z", entry.started),
        "game": entry.name,
        "players": list(entry.players),
        "actions": entry.actions,
        "over": entry.over,
    }
    if entry.result is None:
        return about | {"error": fault}
    return about | {"winners": list(entry.result.winners), "scores": list(entry.result.scores)}


def statistics_lines(rows: Iterable[PlayerStatistics]) -> Iterator[str]:
    """Yield the statistics as a table: headings, then a line for each player and game."""
    heads = (text("player"), text("game"), text("played"), text("won"), text("shared"))
    scores_of = (text("average"), text("best"), text("revokes"), text("longest run"))
    table = [[translated(head) for head in (*heads, *scores_of)]]
    for row in rows:
        scores = ["", ""] if row.average is None else [translated(decimals(row.average)), str(row.best)]
        name = row.name or translated(text("all games"))
        table.append(
            [row.player, name, str(row.played), str(row.won), str(row.shared), *scores, str(row.revokes), str(row.run)]
        )
    return _aligned(table, left=2)


def against_lines(rows: Iterable[Against]) -> Iterator[str]:
    """Yield the results of opponents against each other as a table."""
    heads = (text("player"), text("against"), text("played"), text("won"), text("lost"))
    table = [[translated(head) for head in heads]]
    table += [[row.player, row.other, str(row.played), str(row.won), str(row.lost)] for row in rows]
    return _aligned(table, left=2)


def evening_lines(evenings: Iterable[PastEvening]) -> Iterator[str]:
    """Yield a line for each evening: its time, the number of games, and each player's games won and played."""
    for evening in evenings:
        when = local_time("%Y-%m-%d %H:%M", evening.began)
        games = translated(plural("{count} game", "{count} games", evening.games))
        players = ", ".join(f"{each.player} {each.won}/{each.played}" for each in evening.players)
        yield f"{when}  {games:<10}  {players}"


def evening_object(evening: PastEvening) -> dict[str, Any]:
    """Return the object that `--json` prints."""
    return {
        "began": local_time("%Y-%m-%dT%H:%M:%S%z", evening.began),
        "ended": local_time("%Y-%m-%dT%H:%M:%S%z", evening.ended),
        "games": evening.games,
        "players": [each._asdict() for each in evening.players],
    }


def local_time(form: str, seconds: float) -> str:
    """Format a local time; an impossible time gives a question mark."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (ValueError, OverflowError, OSError):
        return "?"


def _aligned(table: Sequence[Sequence[str]], left: int) -> Iterator[str]:
    """Yield the lines of a table, with the first `left` columns left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [
            f"{cell:<{width}}" if column < left else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
