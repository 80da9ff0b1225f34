"""The history on the board's server: `/history/…` answers with JSON for the page, and with files to download.

`Answers` makes each answer from the journal, in a thread of its own and one at a time, so that requests do not take
time from the game in progress. docs/how-to/history.md describes the answers, `cardtable.history.shapes` their JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.errors import CardtableError
from cardtable.history.csv_files import games_csv, steps_csv
from cardtable.history.highlights import Highlights, KeptHighlights, Remembered, best_moments, kept_highlights
from cardtable.history.keepsake import keepsake_png
from cardtable.history.pictures import folder_of, picture_path
from cardtable.history.replay import Replay, Step, course_of, curve_svg, last_two_tricks
from cardtable.history.shapes import (
    Course,
    EveningGame,
    EveningRow,
    EveningRows,
    FeatEntry,
    GameRow,
    GameRows,
    GameSteps,
    KnownNames,
    MomentEntry,
    NamedGame,
    PlayerPage,
    PlayerRecord,
    RecordEntry,
    Records,
    Statistics,
    StepEntry,
    StepStates,
    Versus,
    game_row,
)
from cardtable.history.statistics import (
    PastEvening,
    PlayerStatistics,
    best_score,
    evening_of,
    evenings_with_games,
    head_to_head,
    known_games,
    known_players,
    known_sides,
    meetings,
    statistics,
)
from cardtable.journal.file import UnreadableGame
from cardtable.journal.games import Choice, GameEntry, Games, StoredGame, open_games
from cardtable.table.messages import Role
from cardtable.web.serving import Worker
from cardtable.web.state import history_entry, state_of
from engine.games import feat_kinds_of, lowest_wins, title_of
from engine.texts import Text, Translate, in_language, is_small_number, text
from engine.views import Moment, View

MAX_GAMES: Final = 40
"""Games in one answer."""
MAX_STATES: Final = 40
"""States of the board in one answer."""
MAX_EVENINGS: Final = 20
MAX_UNFINISHED: Final = 10
MAX_MOMENTS: Final = 4
"""Moments of an evening."""
HOLDERS: Final = 3
"""Players who are named for a record."""
LAST: Final = 6
"""Meetings that are listed."""
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
            "evenings.json": self._evenings,
            "evening.json": self._evening,
            "records.json": self._records,
            "player.json": self._player,
            "versus.json": self._versus,
            "game.json": self._game,
            "steps.json": self._steps,
            "moment.jpg": self._moment,
            "games.csv": self._games_csv,
            "game.csv": self._game_csv,
            "game.jsonl": self._record,
            "game.svg": self._curve,
            "keepsake.png": self._keepsake,
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
            "rows": self._titled(statistics(games, choice)),
            "against": [row._asdict() for row in head_to_head(games, choice)],
            **_known_names(games),
        }
        return _json(answer)

    def _games_csv(self, games: Games, query: Query) -> HttpAnswer:
        entries = games.entries(query.choice, played=True)
        lines = games_csv(games.with_result(entry)[0] for entry in entries)
        return HttpAnswer("".join(lines).encode(), "text/csv", "games.csv")

    # Evenings

    def _evenings(self, games: Games, query: Query) -> HttpAnswer:
        before, choice = query.number("before", 0), query.choice
        found = evenings_with_games(games, MAX_EVENINGS + 1, before, choice)
        unfinished = [] if before else games.entries(choice, most=MAX_UNFINISHED, newest=True, over=False, played=True)
        with kept_highlights(games) as kept:
            rows = [self._evening_row(games, kept, *each) for each in found[:MAX_EVENINGS]]
            answer: EveningRows = {
                **_known_names(games),
                "evenings": rows,
                "more": len(found) > MAX_EVENINGS,
                "unfinished": [self._row(games, entry) for entry in unfinished if entry.id != self._playing()],
                "left": kept.left,
            }
        return _json(answer)

    def _evening(self, games: Games, query: Query) -> HttpAnswer:
        number = self._number_of(games, query)
        found = evening_of(games, number)
        if found is None:
            entry = games.entry(number)
            if entry is None:
                raise NotThere(text("There is no game with the number {number}.", number=number))
            found = PastEvening(entry.started, entry.ended or entry.started, 1, ()), [number]
        with kept_highlights(games) as kept:
            return _json(self._evening_row(games, kept, *found, wait=True))

    def _evening_row(
        self, games: Games, kept: KeptHighlights, evening: PastEvening, numbers: list[int], wait: bool = False
    ) -> EveningRow:
        rows, moments = list[EveningGame](), list[Remembered]()
        for entry in filter(None, map(games.entry, reversed(numbers))):
            found = kept.of(entry, wait)
            own = best_moments(found.moments, MAX_MOMENTS) if found else []
            card = next((each.moment.cards[-1] for each in own if each.moment.cards), found and found.last)
            about = {**self._row(games, entry), "card": card and str(card), "course": _course(entry, found)}
            rows.append(cast(EveningGame, about))
            moments += found.moments if found else ()
        return {
            "id": numbers[0],
            "began": evening.began,
            "ended": evening.ended,
            "players": [player._asdict() for player in evening.players],
            "games": rows,
            "moments": [self._moment_entry(*each) for each in best_moments(moments, MAX_MOMENTS)],
        }

    def _moment_entry(self, game: int, at: int, moment: Moment) -> MomentEntry:
        return {
            "id": game,
            "at": at,
            "kind": moment.kind,
            "headline": in_language(moment.headline, self._translate),
            "cards": [str(card) for card in moment.cards],
            "follows": in_language(moment.follows, self._translate),
        }

    # Records, and two sides against each other

    def _records(self, games: Games, query: Query) -> HttpAnswer:
        names = _known_names(games)
        name = query.get("game") or next((kind["game"] for kind in names["kinds"]), "")
        with kept_highlights(games) as kept:
            answer: Records = {
                **names,
                "game": name,
                "records": self._records_of(games, name, kept),
                "standings": [row._asdict() for row in statistics(games, Choice(name=name))],
                "left": kept.left,
            }
        return _json(answer)

    def _player(self, games: Games, query: Query) -> HttpAnswer:
        names = _known_names(games)
        player = query.get("player") or next(iter(names["players"]), "")
        choice = Choice(player=player)
        course = [(0, 0)]
        for evening, _ in reversed(evenings_with_games(games, choice=choice)):
            tally = next(each for each in evening.players if each.player == player)
            played, won = course[-1]
            course.append((played + tally.played, won + tally.won))
        rows = self._titled(statistics(games, choice))
        with kept_highlights(games) as kept:
            answer: PlayerPage = {
                **names,
                "player": player,
                "rows": rows,
                "against": [row._asdict() for row in head_to_head(games, choice)],
                "course": course,
                "records": [
                    cast(PlayerRecord, {**record, "game": row["title"]})
                    for row in rows[1:]
                    for record in self._records_of(games, row["name"], kept)
                    if player in record["holders"][0]["players"]
                ],
                "left": kept.left,
            }
        return _json(answer)

    def _titled(self, rows: Iterable[PlayerStatistics]) -> list[dict[str, Any]]:
        return [row._asdict() | {"title": None if row.name is None else title_of(row.name)} for row in rows]

    def _records_of(self, games: Games, name: str, kept: KeptHighlights) -> list[RecordEntry]:
        """Return the records that the game keeps, then the best score and the fastest win."""
        entries = games.entries(Choice(name=name), newest=True, over=True)
        found = [(entry, highlights) for entry in entries if (highlights := kept.of(entry, moments=False))]
        records = list[RecordEntry]()
        for feat, (title, counted) in feat_kinds_of(name).items():
            holders: dict[str, FeatEntry] = {}
            for entry, highlights in found:
                for each in highlights.feats:
                    if each.kind == feat and each.seat not in entry.guests:
                        player = entry.players[each.seat]
                        made = _holder(entry, [player], each.value, [str(card) for card in each.cards])
                        before = holders.get(player)
                        if counted and before:
                            before["value"] += each.value
                        elif before is None or made["value"] >= before["value"]:  # the oldest holds it
                            holders[player] = made
            records.append(self._record_entry(title, counted, holders.values()))
        by_number = {entry.id: entry for entry, _ in found}
        best = best_score(games, name, lowest_wins(name))
        if best and best.game in by_number:
            entry = by_number[best.game]
            title = text("Lowest score") if lowest_wins(name) else text("Highest score")
            records.append(self._record_entry(title, False, [_holder(entry, best.players, best.score)]))
        won = [
            (highlights.hands, entry.id, entry.result)
            for entry, highlights in found
            if entry.result
            and not {seat % (len(entry.result.scores) or 1) for seat in entry.guests} & {*entry.result.winners}
        ]
        hands, number, result = min(won, key=lambda each: each[:2], default=(0, 0, None))
        if result and result.winners and len({each[0] for each in won}) > 1:
            entry = by_number[number]
            sides = len(result.scores)
            winners = [player for seat, player in enumerate(entry.players) if seat % sides in result.winners]
            records.append(self._record_entry(text("Fewest hands to win"), False, [_holder(entry, winners, hands)]))
        return [record for record in records if record["holders"]]

    def _record_entry(self, title: Text, counted: bool, holders: Iterable[FeatEntry]) -> RecordEntry:
        best = list[FeatEntry]()
        for each in sorted(holders, key=lambda each: (-each["value"], each["time"])):
            if best and (best[-1]["value"], best[-1]["id"]) == (each["value"], each["id"]):  # partners
                best[-1]["players"] += each["players"]
            else:
                best.append(each)
        return {"title": in_language(title, self._translate), "counted": counted, "holders": best[:HOLDERS]}

    def _versus(self, games: Games, query: Query) -> HttpAnswer:
        one, other = _side(query.get("one")), _side(query.get("other"))
        usual = [(row.player, row.other) for row in head_to_head(games)]
        if not one:
            one = [usual[0][0]] if usual else []
        if not other or {*other} & {*one}:
            other = next(([against] for player, against in usual if [player] == one), [])
        name = query.get("game") or None
        met = meetings(games, one, other, name) if one and other else []
        course = [(0, 0)]
        for meeting in met:
            won, lost = course[-1]
            course.append((won + (meeting.won > 0), lost + (meeting.won < 0)))
        last = filter(None, [games.entry(meeting.game) for meeting in reversed(met[-LAST:])])
        answer: Versus = {
            **_known_names(games),
            "sides": [list(side) for side in known_sides(games)],
            "one": one,
            "other": other,
            "course": course,
            "ties": sum(not meeting.won for meeting in met),
            "last": [self._row(games, entry) for entry in last],
        }
        return _json(answer)

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
        if self._shows_hands(game, query):
            record = game.record()
        else:
            strict = not query.hands or game.id == self._playing()
            record = games.record_without_hands(game, of_all_deals=strict)
        lines = "".join(f"{line}\n" for line in record)
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
        picture = keepsake_png(evening, [Replay(games, number) for number in numbers], self._translate)
        return HttpAnswer(picture, "image/png")


def _course(entry: GameEntry, found: Highlights | None) -> Course | None:
    if found is None:
        return None
    return {
        "scores": list(found.course),
        "hands": found.hands,
        "target": found.target,
        "lowest_wins": lowest_wins(entry.name),
    }


def _holder(entry: GameEntry, players: Iterable[str], value: int, cards: Sequence[str] = ()) -> FeatEntry:
    """Return what players of a game hold."""
    return {"players": [*players], "value": value, "id": entry.id, "time": entry.started, "cards": [*cards]}


def _side(written: str | None) -> list[str]:
    """Return the players of a side, whose names stand in lines."""
    return [name for name in (written or "").split("\n") if name]


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
