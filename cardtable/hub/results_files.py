"""Files of a tournament's results: the standings as CSV, the boards of bridge as PBN, USEBIO."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from cardtable.hub.desk import Desk
from cardtable.hub.store import GameResult
from cardtable.tournament.standings import standings
from cardtable.tournament.state import Tournament
from cardtable.tournament.usebio import usebio
from engine.pbn import write_pbn

FORMS: Final = ("csv", "usebio", "pbn")


def exported(form: str, desk: Desk, games: Iterable[GameResult], club: str) -> Iterator[str]:
    """Yield the parts of a file in one of `FORMS`. Raises `TournamentError` if there is nothing to write."""
    tournament = desk.tournament()
    if form == "usebio":
        yield usebio(tournament, club, date.today().strftime("%d/%m/%Y"))
    elif form == "pbn":
        yield from pbn_lines(desk, games)
    else:
        yield from standings_csv(tournament)


def standings_csv(tournament: Tournament) -> Iterator[str]:
    """Yield the lines of the file. Raises `TournamentError` before the tournament has begun."""
    yield _row(["rank", "field", "entrant", "score", "more"])
    for row in standings(tournament):
        yield _row([row.rank, row.field, row.entrant, row.score, row.more])


def pbn_lines(desk: Desk, games: Iterable[GameResult]) -> Iterator[str]:
    """Yield the lines of a file with every board whose result a table has recorded, by board and round."""
    tournament = desk.tournament()
    setup = tournament.begun
    by_number = {game.id: game for game in games}
    found = []
    for (_, board, _), details in sorted(tournament.details.items()):
        game = by_number.get(int(details.get("record", 0)))
        if game is not None:
            found += [
                replace(each, event=setup.name, scoring="IMP" if setup.scoring == "imps" else "MP")
                for each in desk.boards(game)
                if each.number == board
            ]
    return (f"{line}\n" for line in write_pbn(sorted(found, key=lambda board: board.number)))


def _row(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()
