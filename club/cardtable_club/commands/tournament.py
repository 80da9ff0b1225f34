"""`cardtable tournament`: run a tournament of the club, from a terminal beside the running hub."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardtable.errors import CardtableError, UsageError, why
from cardtable.files import read_text
from cardtable.terminal.output import say, translated
from cardtable.terminal.progress import load
from cardtable_club.commands import add_hub
from engine.texts import text

if TYPE_CHECKING:
    from cardtable_club.hub.director import Begin, Directive, TournamentLog
    from cardtable_club.hub.store import Store
    from cardtable_club.tournament.state import Tournament

SUMMARY = text("run a tournament of a club: pairings, results, corrections, standings, result files")
ACTIVITY = text("reading the tournament")
EXAMPLE = text("""cardtable tournament begin --kind swiss --scoring cribbage --entrants players.txt --tables t1,t2,t3
  cardtable tournament begin --kind mitchell --scoring matchpoints --entrants pairs.txt --tables t1,t2,t3
  cardtable tournament begin --kind knock-out --best-quarter --tables t1,t2
  cardtable tournament round                       (pair the next round; --late although games are not over)
  cardtable tournament result 2 t1 121 90          (enter or correct a result: round, table, scores)
  cardtable tournament board 2 t1 5 420            (a board of bridge: North and South's score, or A+/A-)
  cardtable tournament challenge Cy Ann            (in a ladder)
  cardtable tournament leave Ann                   (and: join Zoe; broken t3; repaired t3)
  cardtable tournament standings
  cardtable tournament export --as usebio -o results.xml""")
WHAT: Final = (
    *("begin", "round", "result", "board", "challenge", "leave", "join", "broken", "repaired"),
    *("standings", "export"),
)
FORMS: Final = ("csv", "usebio", "pbn")
_COUNT: Final = {"result": 4, "board": 4, "challenge": 2, "leave": 1, "join": 1, "broken": 1, "repaired": 1}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", choices=WHAT, metavar="|".join(WHAT), help=text("what to do"))
    parser.add_argument(
        "about", nargs="*", metavar="VALUE", help=text("round, table, scores or names: see the examples")
    )
    add_hub(parser)
    parser.add_argument(
        "--kind", metavar="KIND", help=text("begin: round-robin, swiss, knock-out, ladder, mitchell or howell")
    )
    parser.add_argument("--scoring", metavar="S", help=text("begin: wins, cribbage, matchpoints or imps"))
    parser.add_argument(
        "--entrants",
        type=Path,
        metavar="FILE",
        help=text("begin: a name in each line, the best first; a pair as Ann & Bo"),
    )
    parser.add_argument(
        "--best-quarter",
        action="store_true",
        help=text("begin: with the best quarter of the present tournament, instead of --entrants"),
    )
    parser.add_argument("--tables", metavar="A,B", help=text("begin: the tables of the club that are used"))
    parser.add_argument("--rounds", type=int, metavar="N", help=text("begin: how many rounds there are"))
    parser.add_argument("--boards", type=int, default=3, metavar="N", help=text("begin: boards in a round of bridge"))
    parser.add_argument("--name", default="Tournament", metavar="NAME", help=text("begin: the name of the event"))
    parser.add_argument("--late", action="store_true", help=text("round: games that are not over are played later"))
    parser.add_argument("--as", dest="form", choices=FORMS, default="csv", help=text("export: csv, usebio or pbn"))
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text("export: write to FILE"))


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return 0. Raises `CardtableError`."""
    try:
        load("cardtable_club.hub.director")
        from cardtable_club.hub.config import read_hub_config
        from cardtable_club.hub.director import TournamentLog
        from cardtable_club.hub.director_pages import exported
        from cardtable_club.hub.store import Store, StoreError
    except ModuleNotFoundError as error:
        message = "the hub needs the package {name}: pip install 'cardtable[hub]'"
        raise CardtableError(text(message, name=error.name or "")) from error
    count = _COUNT.get(args.what, 0)
    if len(args.about) != count:
        message = "tournament {what} needs {count} values, not {entered}: cardtable tournament --help has examples"
        raise UsageError(text(message, what=args.what, count=count, entered=len(args.about)))
    config = read_hub_config(args.config)
    with closing(Store(args.database or config.database)) as store:
        try:
            log = TournamentLog(store)
            if args.what == "standings":
                _show(log.tournament())
            elif args.what == "export":
                _write(exported(args.form, log, store.results(), config.name), args.output)
            else:
                _direct(args, log, store)
        except StoreError as error:
            raise CardtableError(text("the database cannot be used: {why}", why=str(error))) from error
    return 0


def _direct(args: argparse.Namespace, log: TournamentLog, store: Store) -> None:
    """Store the event, and report the result."""
    from pydantic import ValidationError

    from cardtable.config.toml_file import should
    from cardtable_club.hub.director import direct

    try:
        wanted = _directive(args)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        key, wrong = ".".join(map(str, fault["loc"])), should(fault["type"], fault.get("ctx", {}))
        message = text("{key!r} is {value!r}: it {should}", key=key, value=fault["input"], should=wrong)
        raise UsageError(message) from error
    direct(wanted, log, store)
    tournament = log.tournament()
    if wanted.do in ("round", "broken", "repaired", "leave"):
        for game in tournament.games:
            if game.round == tournament.round:
                where = game.table or text("later")
                say(
                    text("{table}: {first} – {second}", table=where, first=game.entrants[0], second=game.entrants[1]),
                    sys.stderr,
                )
        for number, entrant in tournament.byes:
            if number == tournament.round:
                say(text("bye: {name}", name=entrant), sys.stderr)
    else:
        say(text("stored"), sys.stderr)


def _directive(args: argparse.Namespace) -> Directive:
    from cardtable_club.hub.director import BoardResult, Challenge, Entrant, Result, Round, TableUse

    values: list[str] = args.about
    match args.what:
        case "begin":
            return _begin(args)
        case "round":
            return Round(late=args.late)
        case "challenge":
            return Challenge(challenger=values[0], challenged=values[1])
        case "result":
            scores = [_number(values[2]), _number(values[3])]
            return Result(round=_number(values[0]), table=values[1], scores=scores)
        case "board":
            return BoardResult(round=_number(values[0]), table=values[1], board=_number(values[2]), score=values[3])
        case "leave" | "join":
            return Entrant(do=args.what, entrant=values[0])
    return TableUse(do=args.what, table=values[0])


def _begin(args: argparse.Namespace) -> Begin:
    from cardtable_club.hub.director import Begin

    if args.kind is None or (args.entrants is None and not args.best_quarter) or args.tables is None:
        raise UsageError(text("tournament begin needs --kind, --entrants and --tables"))
    entrants = [] if args.best_quarter else _names_in(args.entrants)
    tables = [table.strip() for table in args.tables.split(",") if table.strip()]
    more: dict[str, Any] = {"scoring": args.scoring, "rounds": args.rounds, "boards": args.boards, "name": args.name}
    return Begin(kind=args.kind, entrants=entrants, best_quarter=args.best_quarter, tables=tables, **more)


def _names_in(path: Path) -> list[str]:
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise UsageError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
    except UnicodeDecodeError as error:
        raise UsageError(text("{path} is not UTF-8 text", path=path)) from error
    return [line.strip() for line in lines if line.strip()]


def _number(written: str) -> int:
    try:
        return int(written)
    except ValueError:
        raise UsageError(text("{value!r} is not a number", value=written)) from None


def _show(tournament: Tournament) -> None:
    from cardtable_club.tournament.standings import standings

    for row in standings(tournament):
        score, more = translated(row.score), translated(row.more)
        sys.stdout.write(f"{row.rank:>3}  {row.field:<3}{row.entrant:<30} {score:>9}  {more}\n")


def _write(lines: Iterable[str], output: Path | None) -> None:
    written = "".join(lines)
    if output is None:
        sys.stdout.write(written)
        return
    try:
        output.write_text(written, "utf-8", newline="")
    except OSError as error:
        raise UsageError(text("{path} cannot be written: {why}", path=output, why=why(error))) from error
