"""The answers to what the page asks about the history: JSON and files, made from the journal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, cast

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.errors import CardtableError
from cardtable.history.csv_files import games_csv, steps_csv
from cardtable.history.pictures import folder_of, picture_path
from cardtable.history.replay import Replay, Step, course_of, curve_svg, last_tricks, scores_of
from cardtable.history.shapes import (
    GameRow,
    GameRows,
    GameSteps,
    KnownNames,
    NamedGame,
    Statistics,
    StepEntry,
    StepStates,
    game_row,
)
from cardtable.history.statistics import evenings, fill, head_to_head, known_games, known_players, statistics
from cardtable.journal.file import UnreadableGame
from cardtable.journal.games import Choice, GameEntry, Games, StoredGame, open_games
from cardtable.table.messages import Role
from cardtable.web.state import history_entry, state_of
from engine.games import title_of
from engine.texts import Translate, in_language, is_small_number, text
from engine.views import View

PAGE_OF_GAMES: Final = 40
MOST_STATES: Final = 40
MOST_EVENINGS: Final = 30
_FILL_S: Final = 0.3
"""Seconds that one answer may take to count old games; the page asks again."""
NOW: Final = "now"
"""Names the game that is being played."""


class NotThere(Exception):
    """What was asked for does not exist; the text says why."""


class HttpAnswer(NamedTuple):
    """`name`: of the file that a browser stores; None for what a page reads."""

    content: bytes
    media_type: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parameters of a request. `hands`: whether its sender may see the known hands of games that are over."""

    parameters: Mapping[str, str]
    hands: bool = True

    def get(self, name: str) -> str | None:
        """Return a parameter; None without it."""
        return self.parameters.get(name)


class Answers:
    """Answers requests about the games in the journal at `path`. One thread at a time calls it.

    `playing` returns the number of the game that is being played; None if there is none.
    """

    def __init__(self, path: Path, translate: Translate, playing: Callable[[], int | None]) -> None:
        self._path = path
        self._translate = translate
        self._playing = playing
        self._faults: dict[int, tuple[int, str]] = {}
        """Why games cannot be read, with the number of their actions then."""
        self.kinds: Final[Mapping[str, Callable[[Games, Wanted], HttpAnswer]]] = {
            "games.json": self._games,
            "statistics.json": self._statistics,
            "game.json": self._game,
            "steps.json": self._steps,
            "moment.jpg": self._moment,
            "games.csv": self._games_csv,
            "game.csv": self._game_csv,
            "game.jsonl": self._record,
            "game.svg": self._curve,
            "scores.svg": self._scores,
        }
        """What can be asked for."""

    def answer(self, what: str, wanted: Wanted) -> HttpAnswer:
        """Answer a request for `what`. Raises `NotThere`, and `JournalError` for a bad journal."""
        kind = self.kinds.get(what)
        if kind is None:
            raise NotThere(text("There is no {what} in the history.", what=what))
        with open_games(self._path) as games:
            try:
                return kind(games, wanted)
            except UnreadableGame as error:
                raise NotThere(text("This game cannot be read: {why}.", why=error.reason)) from error

    # All games

    def _games(self, games: Games, wanted: Wanted) -> HttpAnswer:
        choice, before = _choice(wanted), _number(wanted, "before", 0) or None
        left = self._fill(games) if choice != Choice() else 0
        most = min(_number(wanted, "most", PAGE_OF_GAMES), PAGE_OF_GAMES)
        rows = games.entries(choice, before, most + 1, newest=True, played=True)
        if missing := [entry.id for entry in rows if entry.result is None and not self._known(entry)]:
            left = max(left, self._fill(games, missing))
            rows = games.entries(choice, before, most + 1, newest=True, played=True)
        answer: GameRows = {
            "games": [self._row(entry) for entry in rows[:most]],
            "more": len(rows) > most,
            **_known_names(games),
            "left": left,
        }
        return _json(answer)

    def _statistics(self, games: Games, wanted: Wanted) -> HttpAnswer:
        choice, left = _choice(wanted), self._fill(games)
        answer: Statistics = {
            "rows": [
                row._asdict() | {"title": None if row.name is None else title_of(row.name)}
                for row in statistics(games, choice)
            ],
            "against": [row._asdict() for row in head_to_head(games, choice)],
            "evenings": [
                each._asdict() | {"players": [player._asdict() for player in each.players]}
                for each in evenings(games, MOST_EVENINGS)
            ],
            **_known_names(games),
            "left": left,
        }
        return _json(answer)

    def _games_csv(self, games: Games, wanted: Wanted) -> HttpAnswer:
        while self._fill(games):
            pass
        return HttpAnswer(
            "".join(games_csv(games.entries(_choice(wanted), played=True))).encode(), "text/csv", "games.csv"
        )

    def _scores(self, games: Games, wanted: Wanted) -> HttpAnswer:
        while self._fill(games):
            pass
        choice = _choice(wanted)
        course = scores_of(games, choice) if choice.player and choice.name else None
        if course is None:
            raise NotThere(text("There are no scores of {player} in {game}.", player=choice.player, game=choice.name))
        title = text("{player}: {title}", player=choice.player, title=title_of(choice.name or ""))
        picture = curve_svg(course, in_language(title, self._translate), self._translate)
        return HttpAnswer(picture.encode(), "image/svg+xml", "scores.svg")

    def _fill(self, games: Games, numbers: list[int] | None = None) -> int:
        """Count some old games; return how many are left."""
        wanted = games.without_summary() if numbers is None else numbers
        waiting = [number for number in wanted if numbers is not None or number not in self._faults]
        if not waiting:
            return 0
        filled = fill(games, waiting, _FILL_S)
        for number, reason in filled.faults.items():
            entry = games.entry(number)
            self._faults[number] = (entry.actions if entry else 0, reason)
        return filled.left

    def _known(self, entry: GameEntry) -> bool:
        return entry.id in self._faults and self._faults[entry.id][0] == entry.actions

    def _row(self, entry: GameEntry) -> GameRow:
        fault = self._faults.get(entry.id, (0, text("it was not counted yet")))[1] if entry.result is None else None
        return game_row(entry, fault, self._translate)

    # One game

    def _number_of(self, games: Games, wanted: Wanted) -> int:
        if wanted.get("id") == NOW:
            number = self._playing()
            if number is None:
                raise NotThere(text("No game is being played now."))
            return number
        number = _number(wanted, "id", 0)
        if games.entry(number) is None:
            raise NotThere(text("There is no game with the number {number}.", number=number))
        return number

    def _shows_hands(self, game: StoredGame, wanted: Wanted) -> bool:
        """Return whether known hands may be shown: an undo at the result would go on with a game that is over."""
        return wanted.hands and game.over and game.id != self._playing()

    def _replay(self, games: Games, wanted: Wanted) -> Replay:
        return Replay(games, self._number_of(games, wanted))

    def _game(self, games: Games, wanted: Wanted) -> HttpAnswer:
        replay = self._replay(games, wanted)
        number = replay.game.id
        if entry := games.entry(number):
            if entry.result is None:
                self._fill(games, [number])
                entry = games.entry(number) or entry
            there = frozenset(folder_of(self._path).glob(f"{number}-*.jpg"))
            view = replay.view
            steps = [self._step(replay, view, step, there) for step in replay.steps]
            answer = cast(GameSteps, {**self._row(entry), "steps": steps, "last": last_tricks(replay.steps)})
            return _json(answer)
        raise NotThere(text("There is no game with the number {number}.", number=number))

    def _step(self, replay: Replay, view: View, step: Step, pictures: frozenset[Path]) -> StepEntry:
        shown = history_entry(view, step.entry, self._translate)
        picture = picture_path(folder_of(self._path), replay.game.id, replay.game.started, step.moment)
        return {
            "n": shown["n"],
            "seat": shown["seat"],
            "text": shown["text"],
            "points": shown["points"],
            "events": shown["events"],
            "scores": list(step.entry.scores),
            "time": step.time,
            "ends": step.ends,
            "picture": picture in pictures,
        }

    def _steps(self, games: Games, wanted: Wanted) -> HttpAnswer:
        replay = self._replay(games, wanted)
        first = min(_number(wanted, "from", 0), len(replay.steps))
        count = min(max(_number(wanted, "count", MOST_STATES), 1), MOST_STATES)
        title = title_of(replay.header.game)
        answer: StepStates = {"first": first, "steps": []}
        for shown, hands in replay.snapshots(first, count, self._shows_hands(replay.game, wanted)):
            state = state_of(shown, title, self._translate)
            for seat in state["seats"]:
                seat["words"] = []
            answer["steps"].append({"state": state, "hands": [[str(card) for card in hand] for hand in hands]})
        return _json(answer)

    def _moment(self, games: Games, wanted: Wanted) -> HttpAnswer:
        replay, line = self._replay(games, wanted), _number(wanted, "line", 0)
        moment = next((step.moment for step in replay.steps if step.entry.n == line), line)
        path = picture_path(folder_of(self._path), replay.game.id, replay.game.started, moment)
        try:
            return HttpAnswer(path.read_bytes(), "image/jpeg")
        except OSError:
            raise NotThere(text("There is no picture of this moment.")) from None

    def _game_csv(self, games: Games, wanted: Wanted) -> HttpAnswer:
        replay = self._replay(games, wanted)
        lines = steps_csv(replay, hands=self._shows_hands(replay.game, wanted))
        return HttpAnswer("".join(lines).encode(), "text/csv", f"game-{replay.game.id}.csv")

    def _record(self, games: Games, wanted: Wanted) -> HttpAnswer:
        game = games.read(self._number_of(games, wanted))
        lines = "".join(f"{line}\n" for line in game.record(hands=self._shows_hands(game, wanted)))
        return HttpAnswer(lines.encode(), "application/jsonl", f"game-{game.id}.jsonl")

    def _curve(self, games: Games, wanted: Wanted) -> HttpAnswer:
        replay = self._replay(games, wanted)
        title = text("{title}, game {number}", title=title_of(replay.header.game), number=replay.game.id)
        picture = curve_svg(course_of(replay, self._translate), in_language(title, self._translate), self._translate)
        return HttpAnswer(picture.encode(), "image/svg+xml", f"game-{replay.game.id}.svg")


def _known_names(games: Games) -> KnownNames:
    kinds: list[NamedGame] = [{"game": name, "title": title_of(name)} for name in known_games(games)]
    return {"players": known_players(games), "kinds": kinds}


def _choice(wanted: Wanted) -> Choice:
    return Choice(wanted.get("player") or None, wanted.get("game") or None)


def _number(wanted: Wanted, name: str, default: int) -> int:
    """Return a parameter that is a number from 0 to 999,999,999. Raises `NotThere`."""
    given = wanted.get(name)
    if given is None:
        return default
    if is_small_number(given):
        return int(given)
    raise NotThere(text("{name} is a number, not {given!r}.", name=name, given=given[:40]))


def _json(answer: object) -> HttpAnswer:
    return HttpAnswer(json.dumps(answer, ensure_ascii=False).encode(), "application/json")


# The history on the board's server: one route, which answers in a thread of its own.


def history_routes(
    answers: Answers, translate: Translate, role_of: Callable[[Request], Role] = lambda request: "board"
) -> tuple[BaseRoute, ...]:
    """Return the routes of the history, for the board's server.

    `role_of` returns the role of who sends a request: a spectator sees no hands.

    One request is answered at a time, so that requests cannot take the time of the game that is played.
    """
    pool: Final = ThreadPoolExecutor(1, "history")

    def answered(what: str, wanted: Wanted) -> tuple[int, HttpAnswer]:
        try:
            return 200, answers.answer(what, wanted)
        except NotThere as error:
            return 404, _refusal(str(error), translate)
        except CardtableError as error:
            return 503, _refusal(str(error), translate)

    async def get(request: Request) -> Response:
        wanted = Wanted(dict(request.query_params), hands=role_of(request) != "spectator")
        loop = asyncio.get_running_loop()
        status, answer = await loop.run_in_executor(pool, answered, request.path_params["what"], wanted)
        headers = {} if answer.name is None else {"content-disposition": f'attachment; filename="{answer.name}"'}
        return Response(answer.content, status, headers, answer.media_type)

    return (Route("/history/{what}", get, middleware=[Middleware(GZipMiddleware)]),)


def _refusal(why: str, translate: Translate) -> HttpAnswer:
    content = json.dumps({"error": in_language(why, translate)}, ensure_ascii=False)
    return HttpAnswer(content.encode(), "application/json")
