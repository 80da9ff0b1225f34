"""A game replayed step by step: it shows what the engine, and so the board, showed at each step."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cardtable.history.csv_files import GAME_COLUMNS, STEP_COLUMNS, games_csv, guarded, iso, steps_csv
from cardtable.history.replay import Course, Replay, course_of, curve_svg, grid, last_two_tricks, lead_changes
from cardtable.journal.games import open_games
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.web.state import state_of
from engine.actions import Action
from engine.record import Header
from engine.table import Table
from engine.texts import as_written
from engine.views import View
from tests.cardtable.history.past_games import GAMES, some_games, store, whole_game
from tests.cardtable.stored import append


def unguarded(cell: str) -> str:
    return re.sub(r"((?:^|[;\t\r\n]) *)'", r"\1", cell)


def shown(header: Header, actions: tuple[Action, ...]) -> list[tuple[Action | None, View]]:
    """What stood on the table when each action that stands at the end was done, and before the first."""
    table = Table(header)
    views: list[tuple[Action | None, View]] = [(None, table.view())]
    for action in actions:
        table.do(action)
        if action.do == "undo":
            views.pop()
        else:
            views.append((action, table.view()))
    return views


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(len(GAMES)), ids=lambda number: f"{GAMES[number].game}-{number}")
def test_every_step_is_what_the_engine_showed(tmp_path: Path, number: int) -> None:
    header, actions = GAMES[number], whole_game(number, 2)
    store(tmp_path / "journal.sqlite", [(header, actions)])
    with open_games(tmp_path / "journal.sqlite") as games:
        replay = Replay(games, 1)
    expected = shown(header, actions)
    assert any(action.do == "undo" for action in actions)
    whole = list(replay.snapshots(0, 10_000))
    assert [snapshot.view for snapshot, _ in whole] == [view for _, view in expected]
    assert [step.entry.action for step in replay.steps] == [action for action, _ in expected[1:]]
    lines = [2 + n for n, action in enumerate(actions) if action.do != "undo"]
    assert set(step.entry.n for step in replay.steps) <= set(lines)
    middle = len(replay.steps) // 2
    assert [snapshot.view for snapshot, _ in replay.snapshots(middle, 3)] == [
        view for _, view in expected[middle : middle + 3]
    ]
    for snapshot, _ in whole[:5]:
        json.dumps(state_of(snapshot, "A game"))
    assert replay.steps[-1].ends == "game"
    assert {step.ends for step in replay.steps} >= ({"trick", "game"} if header.game != "its-15" else {"hand", "game"})
    first = last_two_tricks(replay.steps)
    assert 0 < first < len(replay.steps) and replay.steps[first - 1].ends
    assert 1 <= sum(step.ends is not None for step in replay.steps[first:]) <= 2


KNOWN = (
    "0 deal 2C 3C 4C 5C 6C 7C",
    "1 deal 2D 3D 4D 5D 6D 7D",
    "0 discard 2C 3C",
    "1 discard 2D 3D",
    "turn KS",
    "1 play 7D",
)


def known(path: Path, over: bool) -> Replay:
    header = Header("cribbage", ("Cy", "Di"), 0)
    with closing(Journal(path)) as journal:
        journal.begin(header)
        append(journal, [Action.parse(written) for written in KNOWN], over=over)
    with open_games(path) as games:
        return Replay(games, 1)


def test_a_running_game_shows_no_hand_and_a_finished_one_does(tmp_path: Path) -> None:
    replay = known(tmp_path / "running.sqlite", over=False)
    states = list(replay.snapshots(0, 100))
    assert all(hands == () for _, hands in states)
    shown = [{**state_of(snapshot, "Cribbage"), "deck": []} for snapshot, _ in states]
    text = json.dumps(shown) + "".join(steps_csv(replay, False))
    assert "7D" in text and not [card for card in ("2C", "7C", "2D", "6D", "4♣") if card in text]
    replay = known(tmp_path / "over.sqlite", over=True)
    hands = [[str(card) for card in hand] for hand in next(iter(replay.snapshots(2, 1)))[1]]
    assert [sorted(hand) for hand in hands] == [
        ["2C", "3C", "4C", "5C", "6C", "7C"],
        ["2D", "3D", "4D", "5D", "6D", "7D"],
    ]
    assert "2C 3C" in "".join(steps_csv(replay, True))


# Files to take away


def test_csv_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    games = some_games(1)
    store(path, games)
    with open_games(path) as stored:
        entries = stored.entries()
        written = "".join(games_csv(entries))
        replays = [Replay(stored, entry.id) for entry in entries]
    assert written.endswith("\r\n") and "\n" not in written.replace("\r\n", "")
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    assert tuple(rows[0]) == GAME_COLUMNS and "'=Di" in {row["player"] for row in rows}
    back = [(int(row["game"]), unguarded(row["player"]), row["started"]) for row in rows]
    assert back == [(entry.id, name, iso(entry.started)) for entry in entries for name in entry.players]
    for row in rows:
        result = entries[int(row["game"]) - 1].result
        assert result is not None
        assert int(row["score"]) == result.scores[int(row["side"])] and int(row["side"]) == int(row["seat"]) % len(
            result.scores
        )
        assert bool(int(row["won"])) == (int(row["side"]) in result.winners)
    for replay in replays:
        steps = list(csv.DictReader(io.StringIO("".join(steps_csv(replay, True)), newline="")))
        assert tuple(steps[0])[: len(STEP_COLUMNS)] == STEP_COLUMNS
        for step, row in zip(replay.steps, steps, strict=True):
            action = step.entry.action
            cards = [*((action.card,) if action.card else ()), *(action.cards or ())]
            assert row["do"] == action.do and row["cards"].split() == [str(card) for card in cards]
            assert [int(row[f"score {side}"]) for side in range(len(step.entry.scores))] == list(step.entry.scores)


@pytest.mark.parametrize(
    "text",
    ["=1+1", "Ann;\t'=1", "a; '-1", "+A1", "-2", "@cmd", "\t=1", "\r=1", "'quoted", "''", "Ann", "", 'a "b", c\n'],
)
def test_no_text_is_a_formula(text: str) -> None:
    cell = str(guarded(text))
    assert cell[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n"} or not cell
    assert unguarded(cell) == text
    assert guarded(-2) == -2


def test_no_text_is_a_formula_where_a_semicolon_begins_a_cell() -> None:
    assert guarded("Ann;=1+1") == "Ann;'=1+1"
    assert guarded("Ann; ＝1+1") == "Ann; '＝1+1"
    assert guarded(" =1+1") == " '=1+1" and guarded("Ann\t@SUM(1)") == "Ann\t'@SUM(1)"


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("number", range(len(GAMES)), ids=lambda number: f"{GAMES[number].game}-{number}")
def test_the_curve_follows_the_score(tmp_path: Path, number: int) -> None:
    header, actions = GAMES[number], whole_game(number, 0)
    store(tmp_path / "journal.sqlite", [(header, actions)])
    with open_games(tmp_path / "journal.sqlite") as games:
        replay = Replay(games, 1)
    course = course_of(replay, as_written)
    assert course.points[0][0] == 0 and course.points[-1][1] == tuple(replay.table.scores)
    for done, scores in course.points[1:]:
        assert replay.steps[done - 1].entry.scores == scores
    picture = ElementTree.fromstring(curve_svg(course, "<Ann & Bo>", translator("fr")))
    assert picture.findtext(f"{SVG}title") == "<Ann & Bo>" and "La tête a changé" in (
        picture.findtext(f"{SVG}desc") or ""
    )
    paths = [path.get("d") for path in picture.iter(f"{SVG}path")]
    assert len(paths) == len(course.sides) == len(replay.table.scores)
    tops = [line.get("y1") for line in picture.iter(f"{SVG}line") if line.get("class") == "grid"]
    assert 2 <= len(tops) <= 8


def test_numbers_of_the_curve() -> None:
    assert (
        list(grid(0, 1)) == [0, 1] and list(grid(-8, 15)) == [-5, 0, 5, 10, 15] and list(grid(0, 100_000))[1] == 20_000
    )
    points = ((0, (0, 0)), (1, (2, 0)), (2, (2, 2)), (3, (2, 4)), (4, (5, 4)), (5, (6, 4)))
    assert lead_changes(Course(("Ann", "Bo"), points, 5)) == 2
    three = ((0, (0, 0, 0)), (1, (0, 1, 2)), (2, (0, 3, 2)))
    assert lead_changes(Course(("Ann", "Bo", "Cy"), three, 2)) == 1
    assert lead_changes(Course(("Ann", "Bo", "Cy"), three, 2, lowest_wins=True)) == 0


def test_what_a_correction_gives_again_happened_when_it_was_laid(tmp_path: Path) -> None:
    header = Header("all-fives", ("Ann", "Bo"), 0)
    before = [Action.parse(each) for each in ("turn 4H", "1 say stand", "1 play 5S", "0 play QS", "0 play 2C")]
    corrected = [Action.parse(each) for each in ("0 play KS", "0 play 2C")]
    other = [Action("undo"), Action.parse("0 play 2D")]
    now = 0.0
    with closing(Journal(tmp_path / "journal.sqlite", clock=lambda: now)) as journal:
        journal.begin(header)
        for batch in (*([each] for each in before), [*[Action("undo")] * 2, *corrected], *([each] for each in other)):
            now += 1.0
            append(journal, batch)
    with open_games(tmp_path / "journal.sqlite") as games:
        steps = Replay(games, 1).steps
        assert [(step.entry.n, step.moment) for step in steps] == [(2, 2), (3, 3), (4, 4), (9, 5), (12, 12)]
    assert str(steps[3].entry.action.card) == "KS", (
        "the corrected card has the picture of the moment in which it was laid"
    )
    assert str(steps[4].entry.action.card) == "2D", "another card that was played later has its own"
