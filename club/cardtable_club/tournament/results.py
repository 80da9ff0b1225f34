"""Results of a tournament: found in the records of the tables, and written as USEBIO.

USEBIO 1.2 is the XML format in which the EBU and scoring programs of clubs exchange results of duplicate bridge. The
elements and their order follow http://www.ebu.co.uk/usebio/usebio_v1_2.dtd.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Final, NamedTuple
from xml.etree import ElementTree

from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.scoring import AVERAGES, Line, Share, Total, shares_of
from cardtable_club.tournament.standings import boards_of, field_of, pair_totals, standings
from cardtable_club.tournament.state import PAIRS, Event, Game, Tournament, players_of
from engine.formats.board import SEATS, Board, score_of
from engine.texts import text


class Record(NamedTuple):
    """A game that is over. `id`: its number at the hub. `boards`: its boards of bridge, as recorded.

    `began`: when it began at the latest, in seconds since 1970 on the hub's clock.
    """

    id: int
    players: Sequence[str]
    scores: Sequence[int]
    boards: Sequence[Board] = ()
    began: float = inf


def results_in(tournament: Tournament, records: Iterable[Record]) -> list[Event]:
    """Return an event for each result that is in the records and not in the tournament yet.

    A record counts for a game of the same players that was paired before it began, whichever table they sat at. So a
    game that is played late, or at another table, is found too.
    """
    found: list[Event] = []
    taken: set[int] = set()
    order = sorted(records, key=lambda record: record.id)
    for game in tournament.open_games():
        names = [players_of(entrant) for entrant in game.entrants]
        players = sorted(player for side in names for player in side)
        boards = {board for board in game.boards if tournament.line_of(game, board) is None}
        for record in order:
            if record.id <= game.after or record.began < game.paired or record.id in taken:
                continue
            if sorted(record.players) != players:
                continue
            if game.boards:
                found += list(_boards(game, boards, record))
                continue
            scores = [_score(record, side[0]) for side in names]
            taken.add(record.id)
            found.append(_event("result", game, record) | {"scores": scores})
            break
    return found


def _event(do: str, game: Game, record: Record) -> Event:
    """Return the keys that the events of all results have."""
    return {"do": do, "round": game.round, "entrants": list(game.entrants), "record": record.id}


def _score(record: Record, player: str) -> int:
    """Return the score of a player's side; the sides take turns around the table."""
    return record.scores[record.players.index(player) % len(record.scores)]


def _boards(game: Game, missing: set[int], record: Record) -> Iterable[Event]:
    """Yield the results of the `missing` boards that are in a record, and remove them from `missing`."""
    for board in record.boards:
        score = score_of(board)
        if board.number not in missing or score is None:
            continue
        missing.remove(board.number)
        if {board.names[0], board.names[2]} != {*players_of(game.entrants[0])}:
            score = -score  # the pairs sit the other way round
        yield _event("board", game, record) | {
            "board": board.number,
            "score": score,
            "contract": board.contract,
            "declarer": "" if board.declarer is None else SEATS[board.declarer],
            "tricks": board.result,
        }


_SCORING: Final = {"matchpoints": "MATCH_POINTS", "imps": "CROSS_IMPS"}
_DOCTYPE: Final = '<!DOCTYPE USEBIO SYSTEM "http://www.ebu.co.uk/usebio/usebio_v1_2.dtd">'


def usebio(tournament: Tournament, club: str, date: str) -> str:
    """Return the text of a USEBIO file. `date`: DD/MM/YYYY. Raises `TournamentError` unless bridge is played."""
    setup = tournament.begun
    if setup.kind not in PAIRS:
        raise TournamentError(text("USEBIO files are for bridge: use --as csv"))
    root = ElementTree.Element("USEBIO", Version="1.2")
    _add(ElementTree.SubElement(root, "CLUB"), CLUB_NAME=club)
    event = ElementTree.SubElement(root, "EVENT", EVENT_TYPE="PAIRS")
    boards = boards_of(tournament)
    _add(
        event,
        EVENT_DESCRIPTION=setup.name,
        DATE=date,
        BOARD_SCORING_METHOD=_SCORING[setup.scoring],
        SESSION_COUNT=1,
        SECTION_COUNT=1,
        BOARDS_PLAYED=len(boards),
        WINNER_TYPE=2 if setup.kind == "mitchell" else 1,
    )
    session = ElementTree.SubElement(event, "SESSION", SESSION_ID="1")
    section = ElementTree.SubElement(session, "SECTION", SECTION_ID="A")
    _add_pairs(ElementTree.SubElement(section, "PARTICIPANTS"), tournament)
    for board, shares in shares_of(boards, setup.scoring).items():
        element = ElementTree.SubElement(section, "BOARD")
        _add(element, BOARD_NUMBER=board)
        _add_lines(element, tournament, board, boards[board], shares)
    ElementTree.indent(root)
    written = ElementTree.tostring(root, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_DOCTYPE}\n{written}\n'


def _add_pairs(participants: ElementTree.Element, tournament: Tournament) -> None:
    """Add the pairs in the order of the standings, with their totals and players."""
    sums = pair_totals(tournament)
    for row in standings(tournament):
        pair, total = ElementTree.SubElement(participants, "PAIR"), sums.get(row.entrant, Total())
        _add(pair, PAIR_NUMBER=_number(tournament, row.entrant), BOARDS_PLAYED=total.boards)
        if row.field:
            _add(pair, DIRECTION=row.field)
        _add(pair, TOTAL_SCORE=_decimal(float(total.score)))
        if tournament.begun.scoring == "matchpoints":
            _add(pair, PERCENTAGE=_decimal(total.percent))
        _add(pair, PLACE=row.rank)
        for player in players_of(row.entrant):
            _add(ElementTree.SubElement(pair, "PLAYER"), PLAYER_NAME=player)


def _add_lines(
    element: ElementTree.Element, tournament: Tournament, board: int, lines: Sequence[Line], shares: Sequence[Share]
) -> None:
    """Add the results of a board from every table."""
    kind = "MATCH_POINTS" if tournament.begun.scoring == "matchpoints" else "CROSS_IMP_POINTS"
    details = {
        (line.ns, line.ew): tournament.details[key] for key, (line, _) in tournament.lines.items() if key[1] == board
    }
    for line, share in zip(lines, shares, strict=True):
        found = details[line.ns, line.ew]
        row = ElementTree.SubElement(element, "TRAVELLER_LINE")
        _add(
            row,
            NS_PAIR_NUMBER=_number(tournament, line.ns),
            EW_PAIR_NUMBER=_number(tournament, line.ew),
            CONTRACT=found.get("contract", ""),
            PLAYED_BY=found.get("declarer", ""),
            TRICKS="" if found.get("tricks") is None else found["tricks"],
            SCORE=_adjusted(*line.adjusted) if line.adjusted else line.score,
        )
        _add(row, **{f"NS_{kind}": _decimal(float(share.ns)), f"EW_{kind}": _decimal(float(share.ew))})


def _adjusted(ns: str, ew: str) -> str:
    """Return an adjusted score in USEBIO notation, with the percentages of both sides.

    >>> _adjusted("A+", "A-")
    'A6040'
    """
    return f"A{100 * AVERAGES[ns]}{100 * AVERAGES[ew]}"


def _add(parent: ElementTree.Element, **values: object) -> None:
    for name, value in values.items():
        ElementTree.SubElement(parent, name).text = str(value)


def _number(tournament: Tournament, entrant: str) -> int:
    """Return the number of a pair; in a Mitchell movement, East and West are numbered from 1 again."""
    entrants = tournament.begun.entrants
    number = entrants.index(entrant)
    return number + 1 - (len(entrants) + 1) // 2 * (field_of(tournament, entrant) == "EW")


def _decimal(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
