"""A tournament as the sum of its events: begin, round, result, board, leave, join, broken, repaired.

Events are JSON objects; nothing is ever changed, a correction is another event. The hub stores them in order and makes
the tournament from them again at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cardtable.tournament.errors import TournamentError
from cardtable.tournament.matchpoints import AVERAGES, Line
from cardtable.tournament.setup import PAIRS, Setup
from engine.texts import text

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Game:
    """A game of a round: its entrants in seat order, its table, and its result.

    `table`: None while no table is free; it is played late, at any table. `boards`: the numbers of its boards,
    for bridge. `scores`: None before the end; a walkover, whose opponent has left, has none either. `ruled`: whether
    the director has given the result, which a table does not change any more. `after`: the number of the last game that
    the hub had when this one was paired; `paired`: when that was, in seconds since 1970.
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
        """The entrant who has won; None without a result, and if the scores are equal."""
        if self.walkover is not None:
            return self.walkover
        if self.scores is None or self.scores[0] == self.scores[1]:
            return None
        return self.entrants[self.scores[1] > self.scores[0]]


class Tournament:
    """The tournament that `events` have made. `do` adds one, or raises `TournamentError` and changes nothing."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._clear()
        for event in events:
            self.do(event)

    def _clear(self) -> None:
        self.setup: Setup | None = None
        self.games: list[Game] = []
        self.byes: list[tuple[int, str]] = []
        self.lines: dict[tuple[int, int, str], tuple[Line, bool]] = {}
        """By round, board and pairs: the result of a board, and whether the director has given it."""
        self.details: dict[tuple[int, int, str], Mapping[str, Any]] = {}
        """Contract, declarer and tricks of the same, as the record of the table has them."""
        self.entrants: list[str] = []
        self.left: dict[str, int] = {}
        """Who has left, and the last round that was paired by then."""
        self.broken: set[str] = set()
        self.round = 0

    @property
    def begun(self) -> Setup:
        """How it is played. Raises `TournamentError` before it has begun."""
        if self.setup is None:
            raise TournamentError(text("there is no tournament yet: cardtable tournament begin"))
        return self.setup

    @property
    def playing(self) -> list[str]:
        """The entrants who have not left, in the order in which they entered."""
        return [entrant for entrant in self.entrants if entrant not in self.left]

    def game(self, number: int, where: str) -> Game:
        """Return a game by its round, and its table or one who plays it. Raises `TournamentError`, also for two games.

        A table can have two games in a round if it was out of use in between.
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
        """Return the games without a result, those of the first rounds first."""
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
        """Take an event. `at`: when it happened, in seconds since 1970."""
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
        for table, one, other, boards in event["games"]:
            about = self.round, table, (one, other), event.get("after", 0), tuple(boards)
            self.games.append(Game(*about, paired=at))
        self.byes += [(self.round, each) for each in event.get("byes", ())]

    def _pair_again(self, event: Event, at: float) -> None:
        """Replace the games of the last round that a correction has changed, and its byes."""
        gone = [tuple(entrants) for entrants in event["without"]]
        self.games = [game for game in self.games if game.round < self.round or game.entrants not in gone]
        self.byes = [bye for bye in self.byes if bye[0] < self.round]
        self._add_games(event, at)

    def _replace(self, game: Game, **changes: Any) -> None:
        self.games[self.games.index(game)] = replace(game, **changes)

    def _result(self, event: Event, at: float) -> None:
        ruled, scores = bool(event.get("ruled")), (int(event["scores"][0]), int(event["scores"][1]))
        game = self._wanted(event)
        if game.boards:
            raise TournamentError(text("this game is played in boards: give the result of each board"))
        if game.ruled and not ruled:
            return
        self._replace(game, scores=scores, walkover=None, ruled=ruled)
        if "again" in event:
            self._pair_again(event["again"], at)

    def _wanted(self, event: Event) -> Game:
        """Return the game that an event is about: by its entrants, or by its table."""
        if "entrants" not in event:
            return self.game(int(event["round"]), str(event["table"]))
        for game in self.games:
            if game.round == event["round"] and list(game.entrants) == list(event["entrants"]):
                return game
        names = " – ".join(map(str, event["entrants"]))
        raise TournamentError(text("there is no game {names} in round {number}", names=names, number=event["round"]))

    def _board(self, event: Event) -> None:
        game, board, ruled = self._wanted(event), int(event["board"]), bool(event.get("ruled"))
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
        known = entrant in self.left and (setup.kind != "knock-out" or self.left[entrant] == self.round)
        if setup.kind in (*PAIRS, "knock-out", "round-robin") and self.round and not known:
            raise TournamentError(text("nobody can join this tournament after its first round"))
        if entrant in self.left:
            del self.left[entrant]
        elif entrant in self.entrants:
            raise TournamentError(text("{name} plays in this tournament already", name=entrant))
        else:
            replace(setup, entrants=(*self.playing, entrant)).check()
            self.entrants = [*self.entrants, entrant]
            self.setup = replace(setup, entrants=tuple(self.entrants))

    def _break(self, table: str) -> None:
        """Move the unfinished games of a table to a free one; without one they wait, to be played late."""
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
        """Return the tables that can be used and have no game in a round; on a ladder, all games are in one."""
        ladder = self.begun.kind == "ladder"
        used = {game.table for game in (self.open_games() if ladder else self.games) if ladder or game.round == number}
        return [table for table in self.begun.tables if table not in self.broken and table not in used]


def _pairing(game: Game) -> str:
    return "–".join(game.entrants)
