"""The answers about the history over HTTP, and the pictures that are kept."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from cardtable.history import highlights
from cardtable.history.pages import Answers, history_routes
from cardtable.history.pictures import KeptPictures, folder_of, picture_of, picture_path
from cardtable.journal.games import open_games
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.table.messages import Role
from cardtable.table.snapshot import Snapshot
from cardtable.web.state import state_of
from engine.record import read_record
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.history.past_games import GAMES, some_games, store, whole_game
from tests.cardtable.stored import readable
from tests.waiting import tries
from vision.frames import Frame

DAMAGED = 2


class Served:
    """The history of a journal on a board."""

    def __init__(self, path: Path, language: str = "en") -> None:
        self.playing: int | None = None
        self.role: Role = "board"
        translate = translator(language)
        answers = Answers(path, translate, lambda: self.playing)
        self.board = board_for(
            "", None, port=0, language=language, more=history_routes(answers, translate, lambda request: self.role)
        )
        self._http = httpx.Client(base_url=self.board.url, timeout=20)

    def get(self, what: str, **wanted: object) -> httpx.Response:
        return self._http.get(f"/history/{what}", params={key: str(value) for key, value in wanted.items()})

    def json(self, what: str, **wanted: object) -> Any:
        answer = self.get(what, **wanted)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def close(self) -> None:
        self._http.close()
        self.board.close()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of whole games; one is damaged, and the last one, of cribbage with known hands, is not over."""
    path = tmp_path_factory.mktemp("history") / "journal.sqlite"
    last = (GAMES[2], whole_game(2, 5)[:-9])
    store(path, [*some_games(2), last], results=False)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE action SET action = '{}' WHERE game = ? AND n = 3", (DAMAGED,))
    Journal(path).close()  # adds the summaries
    return path


@pytest.fixture(scope="module")
def served(path: Path) -> Iterator[Served]:
    served = Served(path)
    yield served
    served.close()


def test_lists_are_paged_newest_first_and_name_what_cannot_be_read(served: Served) -> None:
    first = served.json("games.json", most=5)
    count = first["games"][0]["id"]
    assert [game["id"] for game in first["games"]] == list(range(count, count - 5, -1)) and first["more"]
    rest = served.json("games.json", before=first["games"][-1]["id"])
    assert [game["id"] for game in rest["games"]] == list(range(count - 5, 0, -1)) and not rest["more"]
    damaged = next(game for game in rest["games"] if game["id"] == DAMAGED)
    assert "damaged on the disk" in damaged["error"] and damaged["sides"] == []
    assert all(game["error"] is None and game["sides"] for game in rest["games"] if game is not damaged)
    assert first["players"][0] == "Ann" and {"game": "its-15", "title": "It's 15"} in first["kinds"]


@pytest.mark.parametrize("results", [True, False])
def test_a_game_left_before_its_first_action_is_not_listed(tmp_path: Path, results: bool) -> None:
    left, played = (GAMES[2], ()), (GAMES[4], whole_game(4, 0))
    store(tmp_path / "journal.sqlite", [played, left, played, left, left], results)
    served = Served(tmp_path / "journal.sqlite")
    try:
        assert [game["id"] for game in served.json("games.json")["games"]] == [3, 1]
        assert [game["id"] for game in served.json("games.json", most=1)["games"]] == [3]
        assert len(served.get("games.csv").text.splitlines()) == 1 + 2 * 2  # a line for each seat
    finally:
        served.close()


def test_statistics(served: Served) -> None:
    answer = served.json("statistics.json", player="Ann")
    rows = answer["rows"]
    assert {row["player"] for row in rows} == {"Ann"} and rows[0]["title"] is None
    assert rows[0]["played"] == sum(row["played"] for row in rows[1:])
    assert answer["against"][0]["played"] >= answer["against"][-1]["played"] > 0
    chosen = served.json("games.json", player="Di", game="cribbage")["games"]
    assert chosen and all("Di" in game["players"] and game["game"] == "cribbage" for game in chosen)


def test_a_game_step_by_step(served: Served, path: Path) -> None:
    game = served.json("game.json", id=1)
    header, actions = some_games(2)[0]
    table = Table(header)
    for action in actions:
        table.do(action)
    assert len(game["steps"]) == len(table.actions) and game["over"]
    assert game["steps"][-1]["scores"] == list(table.scores) and 0 < game["last"] < len(game["steps"])
    steps = served.json("steps.json", id=1, **{"from": 3, "count": 4})
    assert (steps["first"], len(steps["steps"])) == (3, 4)
    again = Table(header)
    for action in table.actions[:3]:
        again.do(action)
    shown = steps["steps"][0]["state"]
    plain = dict(state_of(Snapshot(3, 0.0, again.view(), (), (), (), ()), shown["title"]))
    for key in ("lying", "turn", "phase", "facts", "trump", "winners"):
        assert shown[key] == json.loads(json.dumps(plain[key])), key
    assert shown["prompts"][0]["text"] == game["steps"][2]["text"] and not any(seat["words"] for seat in shown["seats"])
    assert len(served.json("steps.json", id=1, count=1000)["steps"]) == min(len(table.actions) + 1, 40)
    assert len(served.json("steps.json", id=1, **{"from": 100_000})["steps"]) == 1


def test_files_to_take_away(served: Served) -> None:
    record = served.get("game.jsonl", id=1)
    assert record.headers["content-disposition"] == 'attachment; filename="game-1.jsonl"'
    header, actions = some_games(2)[0]
    read = read_record(record.text.splitlines())
    assert (read.header, read.actions) == (header, actions)
    steps = list(csv.DictReader(io.StringIO(served.get("game.csv", id=1).text, newline="")))
    assert len(steps) == len(served.json("game.json", id=1)["steps"])
    assert served.get("game.svg", id=1).text.startswith("<svg ")
    games = list(csv.DictReader(io.StringIO(served.get("games.csv").text, newline="")))
    assert len({row["game"] for row in games}) == 17


def ready(served: Served, what: str, **wanted: object) -> Any:
    """Return an answer for which every highlight is found."""
    for _ in tries("highlights"):
        answer = served.json(what, **wanted)
        if not answer["left"]:
            return answer
    raise AssertionError


def test_evenings_have_their_games_curves_and_moments(served: Served) -> None:
    """The curve ends with the result; a moment can be found in the replay."""
    answer = ready(served, "evenings.json")
    assert answer["unfinished"][0]["id"] == 17 and not any(game["over"] for game in answer["unfinished"])
    assert not answer["more"]
    newest = answer["evenings"][0]
    assert newest == served.json("evening.json", id=newest["id"])
    older = served.json("evenings.json", before=newest["id"])
    assert older["evenings"] == answer["evenings"][1:] and not older["unfinished"]
    games = [game for evening in answer["evenings"] for game in evening["games"]]
    for game in games:
        course = game["course"]
        assert (course is None) == (game["error"] is not None)
        if course:
            assert course["scores"][-1] == [side["score"] for side in game["sides"]] and len(course["scores"]) > 1
    moment = next(each for evening in answer["evenings"] for each in evening["moments"])
    step = served.json("game.json", id=moment["id"])["steps"][moment["at"] - 1]
    assert step["events"] or step["points"]


def test_highlights_are_kept_and_found_again(served: Served, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged file is made anew, and one that cannot be written does without."""
    first = ready(served, "evenings.json")
    monkeypatch.setattr(highlights, "highlights_of", None)
    assert served.json("evenings.json") == first
    monkeypatch.undo()
    with closing(sqlite3.connect(highlights.highlights_file(path))) as database, database:
        database.execute("INSERT INTO kept VALUES (999, '', NULL)")
    assert served.json("evenings.json") == first
    with closing(sqlite3.connect(highlights.highlights_file(path))) as database:
        assert database.execute("SELECT count(*) FROM kept WHERE game = 999").fetchone() == (0,)
    highlights.highlights_file(path).write_bytes(b"no database" * 99)
    assert ready(served, "evenings.json") == first
    monkeypatch.setattr(highlights, "highlights_file", lambda journal: journal.parent / "missing" / "file")
    monkeypatch.setattr(highlights, "BUDGET_S", 60.0)
    assert served.json("evenings.json") == first


def test_records_name_who_holds_them(served: Served) -> None:
    answer = ready(served, "records.json", game="cribbage")
    records = {record["title"]: record["holders"] for record in answer["records"]}
    best = records["Best hand"][0]
    assert len(best["cards"]) == 5 and {*best["players"]} <= {*served.json("game.json", id=best["id"])["players"]}
    values = [holder["value"] for holder in records["Best hand"]]
    assert values == sorted(values, reverse=True)
    assert len({name for each in records["Best hand"] for name in each["players"]}) >= len(values)
    assert answer["standings"][0]["won"] >= answer["standings"][-1]["won"]
    hearts = ready(served, "records.json", game="hearts")
    assert "Lowest score" in {record["title"] for record in hearts["records"]}


def test_evenings_of_a_player_and_a_game(served: Served) -> None:
    answer = ready(served, "evenings.json", player="Di", game="cribbage")
    games = [game for evening in answer["evenings"] for game in evening["games"]]
    chosen = served.json("games.json", player="Di", game="cribbage")["games"]
    assert [game["id"] for game in games] == [game["id"] for game in chosen if game["over"]] != []
    assert answer["evenings"][0]["id"] == games[0]["id"] and "Ann" in answer["players"]
    older = served.json("evenings.json", player="Di", game="cribbage", before=games[0]["id"])
    assert older["evenings"] == answer["evenings"][1:]


def test_a_player(served: Served) -> None:
    answer = ready(served, "player.json", player="Ann")
    whole = answer["rows"][0]
    assert answer["course"][-1] == [whole["played"], whole["won"]] and answer["course"][0] == [0, 0]
    assert answer["against"] == served.json("statistics.json", player="Ann")["against"]
    assert answer["records"]
    assert all("Ann" in record["holders"][0]["players"] for record in answer["records"])


def test_guests_are_in_their_evening_and_in_no_record(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    store(path, [(replace(GAMES[2], guests=(0,)), whole_game(2, seed)) for seed in range(3)])
    with closing(Served(path)) as served:
        assert {each["player"] for each in ready(served, "evenings.json")["evenings"][0]["players"]} == {"Ann", "Bo"}
        answer = served.json("statistics.json")
        assert {row["player"] for row in answer["rows"]} == {*answer["players"]} == {"Bo"} and answer["against"] == []
        records = ready(served, "records.json", game="cribbage")["records"]
        assert {name for record in records for holder in record["holders"] for name in holder["players"]} == {"Bo"}


def test_two_sides_head_to_head(served: Served) -> None:
    answer = served.json("versus.json", one="Bo", other="Ann")
    row = next(
        row
        for row in served.json("statistics.json", player="Bo")["against"]
        if (row["player"], row["other"]) == ("Bo", "Ann")
    )
    assert answer["course"][-1] == [row["won"], row["lost"]]
    assert len(answer["course"]) == 1 + row["played"] and answer["ties"] == row["played"] - row["won"] - row["lost"]
    assert all({"Ann", "Bo"} <= {*game["players"]} for game in answer["last"])
    partners = served.json("versus.json", one="Ann\nCy")
    assert ["Ann", "Cy"] in partners["sides"] and partners["one"] == ["Ann", "Cy"]


def test_the_game_that_is_played_shows_no_hand(served: Served) -> None:
    served.playing = 17
    game = served.json("game.json", id="now")
    assert game["id"] == 17 and not game["over"] and game["last"] < len(game["steps"])
    assert all(step["hands"] == [] for step in served.json("steps.json", id="now")["steps"])
    assert all('"deal"' not in line for line in served.get("game.jsonl", id="now").text.splitlines())
    served.playing = None
    assert served.get("game.json", id="now").json() == {"error": "No game is being played now."}


def test_the_record_of_a_suspended_game_can_be_replayed(path: Path, served: Served) -> None:
    """It has no hands of the present deal; a game that needs them is refused."""
    with open_games(path) as games:
        unfinished = [entry.id for entry in games.entries(over=False) if entry.actions and entry.id != DAMAGED]
        begun = {number: games.replayed(number)[1].hand_starts[-1] for number in unfinished}
    refused = 0
    for number in unfinished:
        answer = served.get("game.jsonl", id=number)
        if answer.status_code == 404:
            refused += 1
            assert "take it when it is over" in answer.json()["error"]
            continue
        record = read_record(answer.text.splitlines())
        table = Table(record.header)
        for action in record.actions:
            table.do(action)
        assert not any(action.do == "deal" for action in record.actions[begun[number] :])
    assert refused < len(unfinished)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("role", "playing", "shows"),
    [
        ("board", None, True),
        ("director", None, True),
        ("seat", None, True),
        ("seat", 3, True),
        ("spectator", None, False),
    ]
    + [(role, "the game", False) for role in ("board", "director", "seat", "spectator")],
)
def test_who_sees_the_hands_of_a_game_that_is_over(
    path: Path, served: Served, role: Role, playing: object, shows: bool
) -> None:
    """No page does while its result is on the table: an undo there continues the game."""
    with open_games(path) as games:
        number = next(game.id for game in readable(games) if game.over and any(a.do == "deal" for a in game.actions))
    served.role, served.playing = role, number if playing == "the game" else None
    try:
        steps = served.json("steps.json", id=number, **{"from": 2})["steps"]
        assert any(hand for step in steps for hand in step["hands"]) is shows
        assert ('"deal"' in served.get("game.jsonl", id=number).text) is shows
        assert bool(re.search(r",deal,.*[SHDC]\b", served.get("game.csv", id=number).text)) is shows
        assert served.json("game.json", id=number)["over"] and served.get("game.svg", id=number).status_code == 200
    finally:
        served.role, served.playing = "board", None


@pytest.mark.parametrize(
    ("what", "wanted", "message"),
    [
        ("game.json", {"id": 99}, "There is no game with the number 99."),
        ("game.json", {"id": "x" * 99}, "id must be a number, not"),
        ("game.json", {"id": DAMAGED}, "This game cannot be read: it was damaged on the disk."),
        ("game.json", {}, "There is no game with the number 0."),
        ("steps.json", {"id": 1, "from": -1}, "from must be a number"),
        ("moment.jpg", {"id": 1, "line": 2}, "There is no picture of this moment."),
        ("moment.jpg", {"id": 1, "line": "../../x"}, "line must be a number"),
        ("nothing.json", {}, "There is no nothing.json in the history."),
    ],
)
def test_what_does_not_exist(served: Served, what: str, wanted: dict[str, object], message: str) -> None:
    answer = served.get(what, **wanted)
    assert answer.status_code == 404 and message in answer.json()["error"]


def test_a_journal_that_cannot_be_read(tmp_path: Path) -> None:
    served = Served(tmp_path / "none.sqlite", "fr")
    try:
        assert served.get("games.json").status_code == 503
        assert "journal" in served.get("games.json").json()["error"]
    finally:
        served.close()


# Pictures


def frame(number: int = 0, noise: bool = False) -> Frame:
    image = np.full((1080, 1920, 3), number % 256, np.uint8)
    if noise:
        image = np.random.default_rng(1).integers(0, 256, image.shape, np.uint8)
    return Frame(image, 0.0, number)


def test_pictures_are_small_private_and_the_oldest_go_first(
    path: Path, tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pictures"
    for first in (2, 7):  # as after a restart
        pictures = KeptPictures(folder, 4)
        for line in range(first, first + 3):
            pictures.keep(1, 86400.0, line, frame(line))
            pictures.close() if line == first + 2 else None
    assert {each.name for each in folder.iterdir()} == {f"1-86400000-{line}.jpg" for line in (4, 7, 8, 9)}
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(picture_of(frame(noise=True)) or b"") <= 100_000
    monkeypatch.setattr("cardtable.history.pictures.MAX_BYTES", 1000)
    assert picture_of(frame(noise=True)) is None
    kept = picture_path(folder_of(path), 1, 86400.0, 3)
    kept.parent.mkdir()
    kept.write_bytes((folder / "1-86400000-9.jpg").read_bytes())
    picture_path(folder_of(path), 1, 1.0, 4).write_bytes(b"of another journal")
    steps = served.json("game.json", id=1)["steps"]
    assert [step["n"] for step in steps if step["picture"]] == [3]
    answer = served.get("moment.jpg", id=1, line=3)
    assert answer.headers["content-type"] == "image/jpeg" and answer.content == kept.read_bytes()


def test_a_picture_that_cannot_be_written_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    pictures = KeptPictures(tmp_path / "file" / "pictures", 4)
    pictures.keep(1, 1.0, 2, frame())
    pictures.keep(1, 1.0, 3, frame())
    pictures.close()
    assert len([record for record in caplog.records if "cannot be written" in record.message]) == 1
