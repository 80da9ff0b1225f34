"""Pair the next round of a tournament, as an event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Final, NamedTuple

import networkx as nx

from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.schedules import Place, knockout_round, may_challenge, round_robin, seeded
from cardtable_club.tournament.standings import ladder_of, score_of, standings
from cardtable_club.tournament.state import PAIRS, Event, Game, Setup, Tournament
from engine.texts import text

# Swiss pairings: players with similar scores meet, and no two meet twice if that can be avoided. The pairs are a
# minimum-cost matching in the graph of all possible games (networkx; the blossom algorithm), so a round is found
# whenever one exists.

NEAR: Final = 16
"""Players at most this many places apart are paired first; any two if that gives no round without a repeated game."""


class Round(NamedTuple):
    """The pairs of a round, the best players first, and the player who has a bye; None if everybody plays."""

    pairs: list[tuple[str, str]]
    bye: str | None


def pair(
    standing: Sequence[str],
    scores: Mapping[str, float],
    played: Iterable[tuple[str, str]] = (),
    byes: Iterable[str] = (),
) -> Round:
    """Return the next round for players in the order of `standing`.

    `played`: the games so far. `byes`: who has had a bye, once for each bye. The bye goes to the lowest player among
    those with the fewest byes whose absence lets the others be paired without a repeated game. Within a group of equal
    scores the upper half meets the lower half, as in all Swiss systems; between groups, the differences of the scores
    are as small as possible. Games are repeated only if every other round is impossible, and then those that were
    played least often.
    """
    met = Counter(frozenset(game) for game in played)
    if len(standing) % 2 == 0:
        return Round(_pairs(standing, scores, met), None)
    had = Counter(byes)
    order = sorted(reversed(standing), key=lambda player: had[player])
    for player in order:
        others = [each for each in standing if each != player]
        if _matching(others, scores, met, NEAR, 0) or _matching(others, scores, met, len(others), 0):
            return Round(_pairs(others, scores, met), player)
    return Round(_pairs([each for each in standing if each != order[0]], scores, met), order[0])


def _pairs(order: Sequence[str], scores: Mapping[str, float], met: Counter[frozenset[str]]) -> list[tuple[str, str]]:
    most = max(met.values(), default=0)
    for near, repeats in ((NEAR, 0), (len(order), 0), (len(order), most)):
        found = _matching(order, scores, met, near, repeats)
        if found is not None:
            return found
    return []


def _matching(
    order: Sequence[str], scores: Mapping[str, float], met: Counter[frozenset[str]], near: int, repeats: int
) -> list[tuple[str, str]] | None:
    """Return the cheapest pairing of players at most `near` places apart; None if a player would be left over."""
    groups = Counter(scores[player] for player in order)
    seen: Counter[float] = Counter()
    places = []
    for player in order:
        places.append(seen[scores[player]])
        seen[scores[player]] += 1
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(order)))
    for high, player in enumerate(order):
        for low in range(high + 1, min(high + near + 1, len(order))):
            times = met[frozenset((player, order[low]))]
            if times > repeats:
                continue
            apart = scores[player] - scores[order[low]]
            size = groups[scores[player]]
            half = size // 2
            fold = abs(places[low] - places[high] - half) if apart == 0 else 0
            fold += apart == 0 and (places[low] < half or places[high] >= size - half)
            cost = times * 10**12 + round(apart * apart * 10**6) + fold * fold
            graph.add_edge(high, low, weight=-cost)
    found = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < len(order):
        return None
    return [(order[high], order[low]) for high, low in sorted(tuple(sorted(edge)) for edge in found)]


def next_round(tournament: Tournament, after: int = 0, late: bool = False) -> Event:
    """Return the event of the next round. `after`: the number of the last game that the hub has.

    Raises `TournamentError` after the last round, and while games have no result, unless they are played `late`; a
    knock-out always waits for them.
    """
    setup, number = tournament.begun, tournament.round + 1
    waiting = tournament.open_games()
    if waiting and (not late or setup.kind == "knock-out"):
        names = ", ".join(" – ".join(game.entrants) for game in waiting[:4])
        raise TournamentError(text("not over yet: {names}; enter the result, or play them late", names=names))
    if setup.kind == "ladder":
        raise TournamentError(text("a ladder has no rounds: cardtable tournament challenge Cy Ann"))
    if setup.kind in PAIRS:
        return _boards(tournament, setup, number, after)
    games, byes = _games(tournament, setup, number)
    tables = [table for table in setup.tables if table not in tournament.broken]
    placed = [(tables[at] if at < len(tables) else None, *game, ()) for at, game in enumerate(games)]
    return {"do": "round", "round": number, "games": placed, "byes": byes, "after": after}


def challenge(tournament: Tournament, challenger: str, other: str, after: int = 0) -> Event:
    """Return the event of a challenge in a ladder. Raises `TournamentError` if it is not allowed."""
    setup, ladder = tournament.begun, ladder_of(tournament)
    if setup.kind != "ladder":
        raise TournamentError(text("challenges are for ladders: this tournament has rounds"))
    for name in (challenger, other):
        if name not in ladder:
            raise TournamentError(text("{name} does not play in this tournament", name=name))
        if any(name in game.entrants for game in tournament.open_games()):
            raise TournamentError(text("{name} has a game that is not over yet", name=name))
    if not may_challenge(ladder, challenger, other):
        raise TournamentError(text("only players up to three places above can be challenged"))
    free = tournament.free_tables(tournament.round + 1)
    game = (free[0] if free else None, challenger, other, ())
    return {"do": "round", "round": tournament.round + 1, "games": [game], "after": after}


def corrected(tournament: Tournament, event: Event, after: int, begun: Callable[[Game], bool]) -> Event:
    """Return the event of a result; if it changes who advances in a knock-out, pair the next round again.

    `after`: the number of the last game that the hub has. `begun`: whether a game without a result is being played.
    Raises `TournamentError` if a next game of the players concerned is over or has begun.
    """
    setup, number = tournament.begun, int(event["round"]) + 1
    if setup.kind != "knock-out" or number > tournament.round:
        return event
    trial = deepcopy(tournament)
    trial.do(event)
    before, now = (_knockout(each, setup, number) for each in (tournament, trial))
    if before == now:
        return event
    byes = [each for each in before[1] if each not in now[1]]
    names = {*byes, *(name for game in before[0] if game not in now[0] for name in game)}
    gone = [game for game in tournament.games if game.round == number and names & {*game.entrants}]
    if number < tournament.round or any(tournament.finished(game) or begun(game) for game in gone):
        message = "who goes on has begun to play in round {number}: this result cannot be changed any more"
        raise TournamentError(text(message, number=number))
    free = [game.table for game in gone if game.table] + tournament.free_tables(number)
    new = [game for game in now[0] if game not in before[0]]
    staying = [game for game in tournament.games if game.round == number and game not in gone]
    playing = {name for game in [*(game.entrants for game in staying), *new] for name in game}
    without_game = [each for at, each in tournament.byes if at == number and each not in byes]
    without_game += [each for each in now[1] if each not in before[1]]
    again = {
        "without": [list(game.entrants) for game in gone],
        "games": [(free[at] if at < len(free) else None, *game, ()) for at, game in enumerate(new)],
        "byes": [each for each in dict.fromkeys(without_game) if each not in playing],
        "after": after,
    }
    return event | {"again": again}


def _games(tournament: Tournament, setup: Setup, number: int) -> tuple[list[tuple[str, str]], list[str]]:
    if setup.kind == "swiss":
        rounds = setup.rounds or 9
        _check_round(number, rounds)
        order = [row.entrant for row in standings(tournament) if row.entrant in tournament.playing]
        scores = {entrant: score_of(tournament, entrant) for entrant in order}
        played = [game.entrants for game in tournament.games]
        found = pair(order, scores, played, [entrant for _, entrant in tournament.byes])
        return found.pairs, [] if found.bye is None else [found.bye]
    if setup.kind == "round-robin":
        schedule = round_robin(len(setup.entrants))[: setup.rounds]
        _check_round(number, len(schedule))
        names = setup.entrants
        games, byes = [], {*tournament.playing}
        for first, second in ((names[first], names[second]) for first, second in schedule[number - 1]):
            if first not in tournament.left and second not in tournament.left:
                games.append((first, second))
                byes -= {first, second}
        return games, [entrant for entrant in setup.entrants if entrant in byes]
    return _knockout(tournament, setup, number)


def _knockout(tournament: Tournament, setup: Setup, number: int) -> tuple[list[tuple[str, str]], list[str]]:
    bracket: list[str | None] = [
        setup.entrants[seed] if seed < len(setup.entrants) else None for seed in seeded(len(setup.entrants))
    ]
    for before in range(1, number):
        games = {game.entrants: game for game in tournament.games if game.round == before}
        winners: list[str | None] = []
        for first, second in knockout_round(bracket):
            if first is None or second is None:
                winners.append(first or second)
                continue
            winner = (
                games[first, second].winner
                if (first, second) in games
                else _left_over(tournament, before, first, second)
            )
            if (first, second) in games and winner is None:
                raise TournamentError(
                    text("{first} – {second} has no winner: play another game", first=first, second=second)
                )
            winners.append(winner)
        bracket = winners
    if len(bracket) == 1:
        raise TournamentError(text("the tournament is over"))
    found, byes = [], []
    for first, second in knockout_round(bracket):
        if first is None or second is None or {first, second} & tournament.left.keys():
            staying = [each for each in (first, second) if each is not None and each not in tournament.left]
            byes += staying
        else:
            found.append((first, second))
    return found, byes


def _left_over(tournament: Tournament, number: int, first: str, second: str) -> str | None:
    """Return which of two advanced without a game because the other had left; None if both had left."""
    return next((each for each in (first, second) if (number, each) in tournament.byes), None)


def _boards(tournament: Tournament, setup: Setup, number: int, after: int) -> Event:
    _check_round(number, len(setup.movement().rounds))
    games, sitting = [], {*tournament.playing}
    places = _places(tournament, setup, number)
    used = {setup.tables[place.table] for place in places} | tournament.broken
    spare = [table for table in setup.tables if table not in used]
    for place in places:
        ns, ew = setup.entrants[place.ns], setup.entrants[place.ew]
        sitting -= {ns, ew}
        table: str | None = setup.tables[place.table]
        if table in tournament.broken:
            table = spare.pop(0) if spare else None
        games.append((table, ns, ew, _boards_at(place, setup)))
    byes = [entrant for entrant in setup.entrants if entrant in sitting]
    return {"do": "round", "round": number, "games": games, "byes": byes, "after": after}


def _places(tournament: Tournament, setup: Setup, number: int) -> list[Place]:
    """Return the places in a round of bridge at which both pairs are still in the tournament."""
    left = {setup.entrants.index(entrant) for entrant in tournament.left}
    return [place for place in setup.movement().rounds[number - 1] if not {place.ns, place.ew} & left]


def _boards_at(place: Place, setup: Setup) -> tuple[int, ...]:
    first = place.boards * setup.boards + 1
    return tuple(range(first, first + setup.boards))


def boards_to_come(tournament: Tournament) -> set[int]:
    """Return the numbers of the boards that some pairs have yet to play, in this round or a later one."""
    setup = tournament.setup
    if setup is None or setup.kind not in PAIRS:
        return set()
    games = tournament.open_games()
    found = {board for game in games for board in game.boards if tournament.line_of(game, board) is None}
    for number in range(tournament.round + 1, len(setup.movement().rounds) + 1):
        found |= {board for place in _places(tournament, setup, number) for board in _boards_at(place, setup)}
    return found


def _check_round(number: int, rounds: int) -> None:
    if number > rounds:
        raise TournamentError(text("the tournament is over: it has {rounds} rounds", rounds=rounds))
