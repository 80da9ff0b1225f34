"""The standings of a tournament."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cardtable_club.tournament import scoring
from cardtable_club.tournament.schedules import after_challenge, round_robin
from cardtable_club.tournament.scoring import Line, Total, totals
from cardtable_club.tournament.state import PAIRS, Tournament
from engine.texts import decimals, text


class Row(NamedTuple):
    """An entrant's place. `score`, `more`: texts for score and tie-breaks. `field`: NS, EW, or "" for one field."""

    rank: int
    entrant: str
    score: str
    more: str
    field: str = ""


def standings(tournament: Tournament) -> list[Row]:
    """Return the entrants, the best first; in a Mitchell movement North and South come before East and West."""
    setup = tournament.begun
    if setup.kind in PAIRS:
        return _bridge(tournament)
    if setup.kind == "ladder":
        return [Row(at, entrant, str(at), "") for at, entrant in enumerate(ladder_of(tournament), start=1)]
    if setup.kind == "knock-out":
        return _knockout(tournament)
    if setup.scoring == "cribbage":
        cards = cards_of(tournament)
        return [
            Row(rank, entrant, str(card.points), f"{card.won}, {card.spread:+}")
            for rank, entrant, card in scoring.ranked({entrant: cards[entrant] for entrant in tournament.entrants})
        ]
    won = {entrant: score_of(tournament, entrant) for entrant in tournament.entrants}
    faced = {entrant: sum(won[other] for other in _opponents(tournament, entrant)) for entrant in tournament.entrants}

    def key(entrant: str) -> tuple[float, float]:
        return won[entrant], faced[entrant]

    return _ranked(tournament.entrants, key, lambda each: (_short(won[each]), _short(faced[each])))


def _short(number: float) -> str:
    """Return the number with as many decimals as it needs, at most six digits."""
    _, _, fraction = f"{number:g}".partition(".")
    return decimals(number, len(fraction)) if fraction else f"{number:g}"


def score_of(tournament: Tournament, entrant: str) -> float:
    """Return an entrant's game points with the scoring of cribbage, otherwise the games won."""
    if tournament.begun.scoring == "cribbage":
        return cards_of(tournament)[entrant].points
    byes = _won_byes(tournament).count(entrant)
    played = [game for game in tournament.games if entrant in game.entrants and game.done]
    return byes + sum(1.0 if game.winner == entrant else 0.5 if game.winner is None else 0.0 for game in played)


def cards_of(tournament: Tournament) -> dict[str, scoring.Card]:
    """Return the scorecards. A walkover, and a bye that is a win, count without spread."""
    cards = {entrant: scoring.Card() for entrant in tournament.entrants}
    walkovers = [game.walkover for game in tournament.games if game.walkover is not None]
    for entrant in walkovers + _won_byes(tournament):
        card = cards[entrant]
        cards[entrant] = card._replace(points=card.points + scoring.WIN, won=card.won + 1)
    for game in tournament.games:
        if game.scores is not None and game.walkover is None:
            for entrant, scores in zip(game.entrants, (game.scores, game.scores[::-1]), strict=True):
                cards[entrant] = scoring.with_game(cards[entrant], *scores)
    return cards


def _won_byes(tournament: Tournament) -> list[str]:
    """Return the entrants who won by a bye, once for each such bye.

    In a Swiss tournament every bye is a win, in a round robin only player that replaces a game with an entrant who
    left.
    """
    setup = tournament.begun
    if setup.kind == "swiss":
        return [entrant for _, entrant in tournament.byes]
    if setup.kind != "round-robin":
        return []
    schedule, names = round_robin(len(setup.entrants)), setup.entrants
    seated = [{names[player] for game in games for player in game} for games in schedule]
    return [entrant for number, entrant in tournament.byes if entrant in seated[number - 1]]


def ladder_of(tournament: Tournament) -> list[str]:
    """Return the entrants of a ladder from the top."""
    ladder = list(tournament.entrants)
    for game in tournament.games:
        if game.winner is not None:
            ladder = after_challenge(ladder, game.winner, game.entrants[game.entrants[0] == game.winner])
    return [entrant for entrant in ladder if entrant not in tournament.left]


def boards_of(tournament: Tournament) -> dict[int, list[Line]]:
    """Return the travellers: for each board the results of all tables, in the order of the rounds."""
    found: dict[int, list[Line]] = {}
    for (_, board, _), (line, _) in sorted(tournament.lines.items()):
        found.setdefault(board, []).append(line)
    return dict(sorted(found.items()))


def pair_totals(tournament: Tournament) -> dict[str, Total]:
    """Return what each pair has scored."""
    return totals(boards_of(tournament), tournament.begun.scoring)


def field_of(tournament: Tournament, entrant: str) -> str:
    """Return `NS` or `EW` for a pair of a Mitchell movement; "" with one winner."""
    setup = tournament.begun
    if setup.kind != "mitchell":
        return ""
    return "NS" if setup.entrants.index(entrant) < (len(setup.entrants) + 1) // 2 else "EW"


def _bridge(tournament: Tournament) -> list[Row]:
    setup, found = tournament.begun, pair_totals(tournament)
    most = max((total.boards for total in found.values()), default=0)
    rows = []
    for field in ("NS", "EW") if setup.kind == "mitchell" else ("",):
        pairs = [entrant for entrant in setup.entrants if field_of(tournament, entrant) == field]

        def key(entrant: str) -> tuple[float, float]:
            total = found.get(entrant, Total())
            return (total.percent if setup.scoring == "matchpoints" else total.over(most)), 0.0

        def shown(entrant: str) -> tuple[str, str]:
            total = found.get(entrant, Total())
            if setup.scoring == "matchpoints":
                return text("{number} %", number=decimals(total.percent, 2)), _short(float(total.score))
            return decimals(total.over(most), 2, sign=True), str(total.boards)

        rows += [row._replace(field=field) for row in _ranked(pairs, key, shown)]
    return rows


def _knockout(tournament: Tournament) -> list[Row]:
    """Rank by the round in which an entrant lost, or before whose pairing it left."""
    out = {entrant: number + 1 for entrant, number in tournament.left.items()}
    for game in tournament.games:
        if game.winner is not None:
            out[game.entrants[game.entrants[0] == game.winner]] = game.round
    if len(out) == len(tournament.entrants):  # the winner has left too
        out = {entrant: number for entrant, number in out.items() if number < max(out.values())}
    last = tournament.round + 2
    return _ranked(
        tournament.entrants, lambda each: (float(out.get(each, last)), 0.0), lambda each: (str(out.get(each, "–")), "")
    )


def _opponents(tournament: Tournament, entrant: str) -> list[str]:
    played = [game for game in tournament.games if entrant in game.entrants and game.done]
    return [game.entrants[game.entrants[0] == entrant] for game in played]


def _ranked(entrants: list[str], key: Callable[[str], Any], shown: Callable[[str], tuple[str, str]]) -> list[Row]:
    order = sorted(entrants, key=key, reverse=True)
    return [Row(1 + sum(key(other) > key(each) for other in order), each, *shown(each)) for each in order]
