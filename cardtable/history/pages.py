"""The history on the board's server: `/history/…` answers with JSON for the page, and with files to download.

`Answers` makes each answer from the journal, in a thread of its own and one at a time, so that requests do not take
time from the game in progress. docs/how-to/history.md describes the answers, `cardtable.history.shapes` their JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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
from cardtable.history.keepsake import keepsake_svg
from cardtable.history.pictures import folder_of, picture_path
from cardtable.history.replay import Replay, Step, course_of, curve_svg, last_two_tricks, scores_of
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
from cardtable.history.statistics import evening_of, evenings, head_to_head, known_games, known_players, statistics
from cardtable.journal.file import UnreadableGame
from cardtable.journal.games import Choice, GameEntry, Games, StoredGame, open_games
from cardtable.table.messages import Role
from cardtable.web.serving import Worker
from cardtable.web.state import history_entry, state_of
from engine.games import title_of
from engine.texts import Translate, in_language, is_small_number, text
from engine.views import View

MAX_GAMES: Final = 40
"""Games in one answer."""
MAX_STATES: Final = 40
"""States of the board in one answer."""
MAX_EVENINGS: Final = 30
NOW: Final = "now"
"""The id of the game in progress."""


class NotThere(Exception):
    """The requested object does not exist. The text says why."""


class HttpAnswer(NamedTuple):
    """An answer. `name` is the name under which a browser stores it, None for content that a page reads."""

    content: bytes
    media_type: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """The parameters of a request. `hands`: the sender may see the known hands of finished games."""

    parameters: Mapping[str, str]
    hands: bool = True

    def get(self, name: str) -> str | None:
        """Return a parameter, or None if it is missing."""
        return self.parameters.get(name)

    def number(self, name: str, default: int) -> int:
        """Return a parameter that is a number from 0 to 999,999,999. Raises `NotThere`."""
        value = self.parameters.get(name)
        if value is None:
            return default
        if is_small_number(value):
            return int(value)
        raise NotThere(text("{name} must be a number, not {value!r}.", name=name, value=value[:40]))

    @property
    def choice(self) -> Choice:
        """The player and the kind of game to which the answer is restricted."""
        return Choice(self.get("player") or None, self.get("game") or None)


class Answers:
    """Answer requests about the games in the journal at `path`. Use it in one thread at a time.

    `playing` returns the number of the game in progress, or None.
    """

    def __init__(self, path: Path, translate: Translate, playing: Callable[[], int | None]) -> None:
        self._path = path
        self._translate = translate
        self._playing = playing
        self.kinds: Final[Mapping[str, Callable[[Games, Query], HttpAnswer]]] = {
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
            "keepsake.svg": self._keepsake,
        }
        """File name → the method that makes it."""

    def answer(self, name: str, query: Query) -> HttpAnswer:
        """Return the file `name`. Raises `NotThere`, and `JournalError` for a damaged journal."""
        kind = self.kinds.get(name)
        if kind is None:
            raise NotThere(text("There is no {what} in the history.", what=name))
        with open_games(self._path) as games:
            try:
                return kind(games, query)
            except UnreadableGame as error:
                raise NotThere(text("This game cannot be read: {why}.", why=error.reason)) from error

    # All games

    def _games(self, games: Games, query: Query) -> HttpAnswer:
        before = query.number("before", 0) or None
        limit = min(query.number("most", MAX_GAMES), MAX_GAMES)
        rows = games.entries(query.choice, before, limit + 1, newest=True, played=True)
        answer: GameRows = {
            "games": [self._row(games, entry) for entry in rows[:limit]],
            "more": len(rows) > limit,
            **_known_names(games),
        }
        return _json(answer)

    def _statistics(self, games: Games, query: Query) -> HttpAnswer:
        choice = query.choice
        answer: Statistics = {
            "rows": [
                row._asdict() | {"title": None if row.name is None else title_of(row.name)}
                for row in statistics(games, choice)
            ],
            "against": [row._asdict() for row in head_to_head(games, choice)],
            "evenings": [
                each._asdict() | {"players": [player._asdict() for player in each.players]}
                for each in evenings(games, MAX_EVENINGS)
            ],
            **_known_names(games),
        }
        return _json(answer)

    def _games_csv(self, games: Games, query: Query) -> HttpAnswer:
        entries = games.entries(query.choice, played=True)
        lines = games_csv(games.with_result(entry)[0] for entry in entries)
        return HttpAnswer("".join(lines).encode(), "text/csv", "games.csv")

    def _scores(self, games: Games, query: Query) -> HttpAnswer:
        choice = query.choice
        course = scores_of(games, choice) if choice.player and choice.name else None
        if course is None:
            raise NotThere(text("There are no scores of {player} in {game}.", player=choice.player, game=choice.name))
        title = text("{player}: {title}", player=choice.player, title=title_of(choice.name or ""))
        picture = curve_svg(course, in_language(title, self._translate), self._translate)
        return HttpAnswer(picture.encode(), "image/svg+xml", "scores.svg")

    def _row(self, games: Games, entry: GameEntry) -> GameRow:
        return game_row(*games.with_result(entry), self._translate)

    # One game

    def _number_of(self, games: Games, query: Query) -> int:
        if query.get("id") == NOW:
            number = self._playing()
            if number is None:
                raise NotThere(text("No game is being played now."))
            return number
        number = query.number("id", 0)
        if games.entry(number) is None:
            raise NotThere(text("There is no game with the number {number}.", number=number))
        return number

    def _shows_hands(self, game: StoredGame, query: Query) -> bool:
        """Return whether known hands may be shown. Not at the result: an undo there would resume the game."""
        return query.hands and game.over and game.id != self._playing()

    def _replay(self, games: Games, query: Query) -> Replay:
        return Replay(games, self._number_of(games, query))

    def _game(self, games: Games, query: Query) -> HttpAnswer:
        replay = self._replay(games, query)
        number = replay.game.id
        if entry := games.entry(number):
            there = frozenset(folder_of(self._path).glob(f"{number}-*.jpg"))
            view = replay.view
            steps = [self._step(replay, view, step, there) for step in replay.steps]
            answer = cast(GameSteps, {**self._row(games, entry), "steps": steps, "last": last_two_tricks(replay.steps)})
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

    def _steps(self, games: Games, query: Query) -> HttpAnswer:
        replay = self._replay(games, query)
        first = min(query.number("from", 0), len(replay.steps))
        count = min(max(query.number("count", MAX_STATES), 1), MAX_STATES)
        title = title_of(replay.header.game)
        answer: StepStates = {"first": first, "steps": []}
        for shown, hands in replay.snapshots(first, count, self._shows_hands(replay.game, query)):
            state = state_of(shown, title, self._translate)
            for seat in state["seats"]:
                seat["words"] = []
            answer["steps"].append({"state": state, "hands": [[str(card) for card in hand] for hand in hands]})
        return _json(answer)

    def _moment(self, games: Games, query: Query) -> HttpAnswer:
        replay, line = self._replay(games, query), query.number("line", 0)
        moment = next((step.moment for step in replay.steps if step.entry.n == line), line)
        path = picture_path(folder_of(self._path), replay.game.id, replay.game.started, moment)
        try:
            return HttpAnswer(path.read_bytes(), "image/jpeg")
        except OSError:
            raise NotThere(text("There is no picture of this moment.")) from None

    def _game_csv(self, games: Games, query: Query) -> HttpAnswer:
        replay = self._replay(games, query)
        lines = steps_csv(replay, hands=self._shows_hands(replay.game, query))
        return HttpAnswer("".join(lines).encode(), "text/csv", f"game-{replay.game.id}.csv")

    def _record(self, games: Games, query: Query) -> HttpAnswer:
        game = games.read(self._number_of(games, query))
        lines = "".join(f"{line}\n" for line in game.record(hands=self._shows_hands(game, query)))
        return HttpAnswer(lines.encode(), "application/jsonl", f"game-{game.id}.jsonl")

    def _curve(self, games: Games, query: Query) -> HttpAnswer:
        replay = self._replay(games, query)
        title = text("{title}, game {number}", title=title_of(replay.header.game), number=replay.game.id)
        picture = curve_svg(course_of(replay, self._translate), in_language(title, self._translate), self._translate)
        return HttpAnswer(picture.encode(), "image/svg+xml", f"game-{replay.game.id}.svg")

    def _keepsake(self, games: Games, query: Query) -> HttpAnswer:
        found = evening_of(games, self._number_of(games, query))
        if found is None:
            raise NotThere(text("This game is not over."))
        evening, numbers = found
        picture = keepsake_svg(evening, [Replay(games, number) for number in numbers], self._translate)
        return HttpAnswer(picture.encode(), "image/svg+xml")


def _known_names(games: Games) -> KnownNames:
    kinds: list[NamedGame] = [{"game": name, "title": title_of(name)} for name in known_games(games)]
    return {"players": known_players(games), "kinds": kinds}


def _json(answer: object) -> HttpAnswer:
    return HttpAnswer(json.dumps(answer, ensure_ascii=False).encode(), "application/json")


def history_routes(
    answers: Answers, translate: Translate, role_of: Callable[[Request], Role] = lambda request: "board"
) -> tuple[BaseRoute, ...]:
    """Return the routes of the history.

    `role_of` returns the role of the sender of a request; spectators see no hands.
    """
    worker: Final = Worker("history")

    def answered(name: str, query: Query) -> Response:
        status = 200
        try:
            answer = answers.answer(name, query)
        except NotThere as error:
            status, answer = 404, _refusal(str(error), translate)
        except CardtableError as error:
            status, answer = 503, _refusal(str(error), translate)
        headers = {} if answer.name is None else {"content-disposition": f'attachment; filename="{answer.name}"'}
        return Response(answer.content, status, headers, answer.media_type)

    async def get(request: Request) -> Response:
        stranger = role_of(request) == "spectator"
        query = Query(dict(request.query_params), hands=not stranger)
        return await worker.answer(request, stranger, lambda: answered(request.path_params["name"], query))

    return (Route("/history/{name}", get, middleware=[Middleware(GZipMiddleware)]),)


def _refusal(why: str, translate: Translate) -> HttpAnswer:
    content = json.dumps({"error": in_language(why, translate)}, ensure_ascii=False)
    return HttpAnswer(content.encode(), "application/json")
