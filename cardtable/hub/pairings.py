"""The seats of a round, from a file: `round,table,player,player,...` in each line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

from cardtable.club.messages import NAME
from cardtable.config.model import LONGEST_NAME
from cardtable.errors import UsageError
from cardtable.hub.store import Seat
from engine.texts import text

MOST_ROUNDS = 10_000
MOST_SEATS = 8


def read_pairings(lines: Iterable[str], source: str) -> list[Seat]:
    """Return the seats in a CSV file; a line of headings may come first. Raises `UsageError`.

    >>> [(seat.table, seat.seat, seat.player) for seat in read_pairings(["1,t1,Ann,Bo"], "seats.csv")]
    [('t1', 0, 'Ann'), ('t1', 1, 'Bo')]
    """
    seats: list[Seat] = []
    placed: dict[tuple[int, str], int] = {}
    tables: set[tuple[int, str]] = set()
    try:
        rows = list(csv.reader(lines))
    except csv.Error as error:
        raise UsageError(text("{source} is not CSV: {why}", source=source, why=str(error))) from error
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and not cells[0].isdecimal()):
            continue
        where = text("{source}, line {number}", source=source, number=number)
        if not re.fullmatch(r"[0-9]{1,4}", cells[0]) or len(cells) < 3:
            raise UsageError(text("{where}: write round,table,player,player: 1,table-1,Ann,Bo", where=where))
        turn, table, players = int(cells[0]), cells[1], [cell for cell in cells[2:] if cell]
        if not re.fullmatch(NAME, table):
            raise UsageError(text("{where}: {table!r} is not the name of a table", where=where, table=table))
        if (turn, table) in tables:
            raise UsageError(text("{where}: table {table} is in this round twice", where=where, table=table))
        tables.add((turn, table))
        if not 1 <= len(players) <= MOST_SEATS or any(len(player) > LONGEST_NAME for player in players):
            message = "{where}: name 1 to {most} players, each of {longest} letters at most"
            raise UsageError(text(message, where=where, most=MOST_SEATS, longest=LONGEST_NAME))
        for seat, player in enumerate(players):
            if (turn, player) in placed:
                message = "{where}: {player} has a seat in this round already, in line {line}"
                raise UsageError(text(message, where=where, player=player, line=placed[turn, player]))
            placed[turn, player] = number
            seats.append(Seat(turn, table, seat, player))
    if not seats:
        raise UsageError(text("{source} has no seats: write a line such as 1,table-1,Ann,Bo", source=source))
    return seats
