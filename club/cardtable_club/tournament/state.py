"""A tournament as the sum of its events: begin, round, result, board, leave, join, broken, repaired.

Events are JSON objects and never change: a correction is another event. The hub stores them in order and can rebuild
the tournament from them at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, Final

from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.schedules import MOST_HOWELL, Movement, howell, mitchell
from cardtable_club.tournament.scoring import AVERAGES, Line
from engine.games.bridge.auction import STRAINS, Contract
from engine.games.bridge.scoring import duplicate_score
from engine.names import looks, plain_name
from engine.texts import text

KINDS: Final = ("round-robin", "swiss", "knock-out", "ladder", "mitchell", "howell")
PAIRS: Final = ("mitchell", "howell")
"""The kinds in which pairs play boards of duplicate bridge."""
SCORINGS: Final = ("wins", "cribbage", "matchpoints", "imps")
JOINED: Final = " & "
"""Joins the players of a pair."""
MOST_ENTRANTS: Final = 500
LONGEST_NAME: Final = 40
"""The most letters in the name of a player, as at the tables."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How a tournament is played. An entrant is a player, or the players of a pair joined by ` & `.

    `rounds`: the number of rounds of a Swiss tournament; a limit for the other kinds, which otherwise have as many as
    they need. `boards`: the number of boards in each round of duplicate bridge.
    """

    kind: str
    entrants: tuple[str, ...]
    tables: tuple[str, ...]
    scoring: str = "wins"
    rounds: int | None = None
    boards: int = 3
    name: str = "Tournament"

    def check(self) -> None:
        """Raise `TournamentError` if the tournament cannot be played like this."""
        if self.kind not in KINDS:
            raise TournamentError(text("{kind!r} is not a kind of tournament", kind=self.kind))
        if (self.scoring in ("matchpoints", "imps")) != (self.kind in PAIRS) or self.scoring not in SCORINGS:
            message = "a tournament of kind {kind} cannot be scored by {scoring}: matchpoints and imps are for bridge"
            raise TournamentError(text(message, kind=self.kind, scoring=self.scoring))
        self._check_names()
        least = 4 if self.kind in PAIRS else 2
        most = 2 * MOST_HOWELL if self.kind == "howell" else MOST_ENTRANTS
        if not least <= len(self.entrants) <= most:
            message = "a tournament of kind {kind} has {least} to {most} entrants"
            raise TournamentError(text(message, kind=self.kind, least=least, most=most))
        if self.kind in PAIRS and any(len(players_of(entrant)) != 2 for entrant in self.entrants):
            raise TournamentError(text("bridge is played by pairs: write Ann & Bo in each line"))
        if len({*self.tables}) != len(self.tables) or not self.tables:
            raise TournamentError(text("name each table once: --tables table-1,table-2"))
        needed = (len(self.entrants) + (self.kind in PAIRS)) // 2
        if self.kind != "ladder" and len(self.tables) < needed:
            message = "{entrants} entrants need {needed} tables, but there are {tables}: name more tables"
            raise TournamentError(text(message, entrants=len(self.entrants), needed=needed, tables=len(self.tables)))
        if self.kind in PAIRS:
            self.movement()

    def _check_names(self) -> None:
        seen: dict[str, str] = {}
        for entrant in self.entrants:
            players = players_of(entrant)
            if entrant != JOINED.join(players) or not all(map(_is_name, players)):
                message = "{name!r} cannot be a name: write 1 to {most} letters, without spaces around them"
                raise TournamentError(text(message, name=entrant[: 3 * LONGEST_NAME], most=LONGEST_NAME))
            for player in players:
                for other in (seen[form] for form in looks(player) if form in seen):
                    if player == other:
                        message = "{name} is in the list twice: give each player one place"
                        raise TournamentError(text(message, name=player))
                    message = "{name} and {other} look alike: write one of them differently"
                    raise TournamentError(text(message, name=player, other=other))
                seen |= dict.fromkeys(looks(player), player)

    def movement(self) -> Movement:
        """Return the movement of a tournament of bridge. Raises `TournamentError` if there is none for these rounds."""
        pairs = len(self.entrants)
        found = howell(pairs) if self.kind == "howell" else mitchell(pairs, self.rounds)
        return found._replace(rounds=found.rounds[: self.rounds]) if self.rounds else found

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        return asdict(self) | {"entrants": list(self.entrants), "tables": list(self.tables)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Setup:
        """Return the setup that `to_json` wrote."""
        return cls(**value | {"entrants": tuple(value["entrants"]), "tables": tuple(value["tables"])})


def _is_name(player: str) -> bool:
    return 0 < len(player) <= LONGEST_NAME and player == plain_name(player)


def players_of(entrant: str) -> tuple[str, ...]:
    """Return the players of an entrant.

    >>> players_of("Ann & Bo")
    ('Ann', 'Bo')
    """
    return tuple(player.strip() for player in entrant.split(JOINED))


# Checks of the results that a director types

GAME: Final = 121
"""The points that win a game of cribbage in a tournament of the ACC."""


def check_scores(setup: Setup, first: int, second: int) -> None:
    """Raise `TournamentError` if a game of cribbage cannot end with these scores; other games may end with any."""
    if setup.scoring == "cribbage" and not (max(first, second) == GAME and 0 <= min(first, second) < GAME):
        message = "{first} – {second} is no result of cribbage: the winner has {game}, the loser 0 or more, but fewer"
        raise TournamentError(text(message, first=first, second=second, game=GAME))


def check_board(score: int) -> None:
    """Raise `TournamentError` if no contract of duplicate bridge has this score."""
    if score not in _contract_scores():
        message = "no contract scores {score}: give the score of North and South, or A+/A-"
        raise TournamentError(text(message, score=score))


@lru_cache(maxsize=1)
def _contract_scores() -> frozenset[int]:
    """Return the scores of all contracts with any number of tricks, for either side."""
    contracts = product(range(1, 8), STRAINS, (1, 2, 4), range(14), (False, True))
    scores = {
        duplicate_score(Contract(level, strain, 0, risk), tricks, vulnerable)
        for level, strain, risk, tricks, vulnerable in contracts
    }
    return frozenset({0} | scores | {-score for score in scores})


Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Game:
    """A game of a round: its entrants in seat order, its table, and its result.

    `table`: None if no table was free: then it is played late, at any table. `boards`: the numbers of its boards, for
    bridge. `scores`: None before the end, and for a walkover. `walkover`: the entrant who won because the opponent
    left. `ruled`: whether the director entered the result; then the record of a table no longer changes it. `after`:
    the number of the last game at the hub when this one was paired; `paired`: that time, in seconds since 1970.
    """

    round: int
    table: str | None
    entrants: tuple[str, str]
    after: int = 0
    boards: tuple[int, ...] = ()
    scores: tuple[int, int] | None = None
    walkover: str | None = None
    ruled: bool = False
    paired: float = 0.0

    @property
    def done(self) -> bool:
        """Whether it has a result."""
        return self.scores is not None or self.walkover is not None

    @property
    def winner(self) -> str | None:
        """The entrant who has won; None without a result, or if the scores are equal."""
        if self.walkover is not None:
            return self.walkover
        if self.scores is None or self.scores[0] == self.scores[1]:
            return None
        return self.entrants[self.scores[1] > self.scores[0]]


class Tournament:
    """A tournament, made from its events. `do` adds one, or raises `TournamentError` and changes nothing."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._clear()
        for event in events:
            self.do(event)

    def _clear(self) -> None:
        self.setup: Setup | None = None
        self.games: list[Game] = []
        self.byes: list[tuple[int, str]] = []
        self.lines: dict[tuple[int, int, str], tuple[Line, bool]] = {}
        """By round, board and pairs: the result of a board, and whether the director entered it."""
        self.details: dict[tuple[int, int, str], Mapping[str, Any]] = {}
        """By the same keys: contract, declarer and tricks, from the record of the table."""
        self.entrants: list[str] = []
        self.left: dict[str, int] = {}
        """The entrants who have left, each with the last round that was paired before."""
        self.broken: set[str] = set()
        self.round = 0

    @property
    def begun(self) -> Setup:
        """The setup. Raises `TournamentError` before the tournament has begun."""
        if self.setup is None:
            raise TournamentError(text("there is no tournament yet: cardtable tournament begin"))
        return self.setup

    @property
    def playing(self) -> list[str]:
        """The entrants who have not left, in the order in which they entered."""
        return [entrant for entrant in self.entrants if entrant not in self.left]

    def game(self, number: int, where: str) -> Game:
        """Return the game of a round at the table `where`, or with the entrant `where`.

        Raises `TournamentError` if there is none, or if the table had two: it may have been out of use in between.
        """
        games = [game for game in self.games if game.round == number]
        found = [game for game in games if game.table == where] or [game for game in games if where in game.entrants]
        if not found:
            raise TournamentError(text("there is no game in round {number} at {table}", number=number, table=where))
        if len(found) > 1:
            message = "{table} had two games in round {number}: name a player instead of the table"
            raise TournamentError(text(message, number=number, table=where))
        return found[0]

    def open_games(self) -> list[Game]:
        """Return the games without a result, in the order of the rounds."""
        return [game for game in self.games if not self.finished(game)]

    def finished(self, game: Game) -> bool:
        """Return whether a game, or every board of it, has a result."""
        if not game.boards:
            return game.done
        return all(self.line_of(game, board) is not None for board in game.boards)

    def line_of(self, game: Game, board: int) -> Line | None:
        """Return the result of a board of a game; None before it was played."""
        found = self.lines.get((game.round, board, _pairing(game)))
        return None if found is None else found[0]

    def do(self, event: Event, at: float = 0.0) -> None:
        """Apply an event. `at`: when it happened, in seconds since 1970."""
        match event["do"]:
            case "begin":
                self._begin(event)
            case "round":
                self._pair(event, at)
            case "result":
                self._result(event, at)
            case "board":
                self._board(event)
            case "leave":
                self._leave(str(event["entrant"]))
            case "join":
                self._join(str(event["entrant"]))
            case "broken":
                self._break(str(event["table"]))
            case "repaired":
                self._repair(str(event["table"]))
            case other:
                raise TournamentError(text("{event!r} is not an event of a tournament", event=str(other)))

    def _begin(self, event: Event) -> None:
        setup = Setup.from_json(event["setup"])
        setup.check()
        self._clear()
        self.setup, self.entrants = setup, list(setup.entrants)

    def _pair(self, event: Event, at: float) -> None:
        number = event["round"]
        if number != self.round + 1:
            raise TournamentError(text("round {number} is paired already", number=number))
        self.round = number
        self._add_games(event, at)

    def _add_games(self, event: Event, at: float) -> None:
        for table, *entrants, boards in event["games"]:
            game = Game(self.round, table, tuple(entrants), event.get("after", 0), tuple(boards), paired=at)
            self.games.append(game)
        self.byes += [(self.round, each) for each in event.get("byes", ())]

    def _pair_again(self, event: Event, at: float) -> None:
        """Replace the games and byes of the last round that a correction has changed."""
        gone = [tuple(entrants) for entrants in event["without"]]
        self.games = [game for game in self.games if game.round < self.round or game.entrants not in gone]
        self.byes = [bye for bye in self.byes if bye[0] < self.round]
        self._add_games(event, at)

    def _replace(self, game: Game, **changes: Any) -> None:
        self.games[self.games.index(game)] = replace(game, **changes)

    def _result(self, event: Event, at: float) -> None:
        ruled, scores = bool(event.get("ruled")), (int(event["scores"][0]), int(event["scores"][1]))
        game = self._game_of(event)
        if game.boards:
            raise TournamentError(text("this game is played in boards: give the result of each board"))
        if game.ruled and not ruled:
            return
        self._replace(game, scores=scores, walkover=None, ruled=ruled)
        if "again" in event:
            self._pair_again(event["again"], at)

    def _game_of(self, event: Event) -> Game:
        """Return the game that an event concerns, found by its entrants or its table."""
        if "entrants" not in event:
            return self.game(int(event["round"]), str(event["table"]))
        for game in self.games:
            if game.round == event["round"] and list(game.entrants) == list(event["entrants"]):
                return game
        names = " – ".join(map(str, event["entrants"]))
        raise TournamentError(text("there is no game {names} in round {number}", names=names, number=event["round"]))

    def _board(self, event: Event) -> None:
        game, board, ruled = self._game_of(event), int(event["board"]), bool(event.get("ruled"))
        if board not in game.boards:
            raise TournamentError(text("board {board} is not played at this table in this round", board=board))
        adjusted = event.get("adjusted")
        if adjusted is not None and not (len(adjusted) == 2 and all(each in AVERAGES for each in adjusted)):
            raise TournamentError(text("an adjusted score is A+, A or A- for each side: A+/A-"))
        key = (game.round, board, _pairing(game))
        if key in self.lines and self.lines[key][1] and not ruled:
            return
        score = None if adjusted is not None else int(event["score"])
        self.lines[key] = Line(*game.entrants, score, tuple(adjusted) if adjusted else None), ruled
        self.details[key] = {
            each: event[each] for each in ("contract", "declarer", "tricks", "record") if each in event
        }

    def _leave(self, entrant: str) -> None:
        if entrant not in self.entrants or entrant in self.left:
            raise TournamentError(text("{name} does not play in this tournament", name=entrant))
        self.left[entrant] = self.round
        for game in [game for game in self.open_games() if entrant in game.entrants]:
            played = tuple(board for board in game.boards if self.line_of(game, board) is not None)
            if played:
                self._replace(game, boards=played)
            elif game.boards:
                self.games.remove(game)
            else:
                self._replace(game, walkover=game.entrants[game.entrants[0] == entrant], ruled=True)

    def _join(self, entrant: str) -> None:
        setup = self.begun
        returns = entrant in self.left and (setup.kind != "knock-out" or self.left[entrant] == self.round)
        if setup.kind in (*PAIRS, "knock-out", "round-robin") and self.round and not returns:
            raise TournamentError(text("nobody can join this tournament after its first round"))
        if entrant in self.left:
            del self.left[entrant]
        elif entrant in self.entrants:
            raise TournamentError(text("{name} plays in this tournament already", name=entrant))
        else:
            replace(setup, entrants=(*self.playing, entrant)).check()
            if setup.kind in PAIRS:  # a movement has no place for a pair that has left before the first round
                self.entrants, self.left = self.playing, {}
            self.entrants = [*self.entrants, entrant]
            self.setup = replace(setup, entrants=tuple(self.entrants))

    def _break(self, table: str) -> None:
        """Move the unfinished games of a table to a free one; if there is none, they are played late."""
        if table not in self.begun.tables or table in self.broken:
            raise TournamentError(text("{table} is not a table that is used", table=table))
        self.broken.add(table)
        for game in [game for game in self.open_games() if game.table == table]:
            self._replace(game, table=next(iter(self.free_tables(game.round)), None))

    def _repair(self, table: str) -> None:
        if table not in self.broken:
            raise TournamentError(text("{table} is not out of use", table=table))
        self.broken.remove(table)
        waiting = [game for game in self.open_games() if game.table is None]
        for game in waiting[:1]:
            self._replace(game, table=table)

    def free_tables(self, number: int) -> list[str]:
        """Return the usable tables without a game in a round; on a ladder, without any unfinished game."""
        ladder = self.begun.kind == "ladder"
        used = {game.table for game in (self.open_games() if ladder else self.games) if ladder or game.round == number}
        return [table for table in self.begun.tables if table not in self.broken and table not in used]


def _pairing(game: Game) -> str:
    return "–".join(game.entrants)
