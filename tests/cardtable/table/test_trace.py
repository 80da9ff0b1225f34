"""The trace: each observation, its interpretation, refusals with their codes; and a file that cannot be written."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from cardtable.table.trace import Trace
from engine.cards import parse_card
from engine.observations import Back, Lost, Said, Scene, Sighting, UndoAsked, Zone
from engine.record import Header
from engine.referee.trace import Ignored
from engine.table import Table
from engine.texts import Text
from tests.cardtable.limits import full_disk
from tests.cardtable.scenes import Scenes
from tests.engine.deal_readers import DealReaders

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
HAND = tuple(map(parse_card, ("AS", "2H", "10D", "JC", "5S", "3S")))


class TracedGame:
    """A game with a trace, and the messages about the trace."""

    def __init__(self, path: Path, journal: Journal | None = None, hands: bool = False) -> None:
        self.path = path
        self.messages: list[Text] = []
        self.trace = Trace(path, HEADER, self.messages.append, clock=lambda: 1795324300.5, hands=hands)
        self.live = LiveGame(Table(HEADER), journal, (), trace=self.trace)
        self.take = self.live.take
        self.scenes = Scenes()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text("utf-8").splitlines()]

    def events(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == event]


@pytest.fixture
def game(tmp_path: Path) -> Iterator[TracedGame]:
    game = TracedGame(tmp_path / "trace.jsonl")
    yield game
    game.trace.close()


def test_the_first_line_has_the_version_and_the_game(game: TracedGame) -> None:
    assert game.lines == [
        {"event": "start", "trace": 1, "at": "2026-11-22T05:11:40Z", "header": HEADER.to_json()},
    ]


def test_a_card_is_observed_taken_and_accepted(game: TracedGame) -> None:
    game.take(game.scenes.again())
    game.take(game.scenes.lay("2H", "turn-up"))
    action = {"do": "turn", "card": "2H"}
    seen = {"id": "p1", "card": "2H", "zone": "turn-up", "since": 1.0, "confidence": 1.0}
    scene = {"event": "observation", "n": 2, "at": 1795324300.5, "source": "camera", "time": 2.0, "kind": "scene"}
    assert game.lines[2:] == [
        scene | {"cards": [seen]},
        {"event": "taken", "n": 2, "card": "2H", "zone": "turn-up", "action": action},
        {"event": "action", "n": 2, "line": 2, "action": action, "scores": [0, 0]},
    ]


def test_a_refusal_has_its_code_and_its_message(game: TracedGame) -> None:
    game.take(game.scenes.again())
    game.take(game.scenes.lay("2H", "turn-up"))
    game.take(Said(0.0, "page", 1, "stand"))
    game.take(game.scenes.lay("10H", "play", 0))
    (refused,) = game.events("refused")
    assert refused == {
        "event": "refused",
        "n": 4,
        "card": "10H",
        "zone": "play 0",
        "action": {"do": "play", "seat": 0, "card": "10H"},
        "code": "not-your-turn",
        "message": refused["message"],
    }
    assert "Bo" in refused["message"]
    assert [line["n"] for line in game.events("action")] == [2, 3]


def test_a_word_and_an_undo_have_no_card(game: TracedGame) -> None:
    game.take(game.scenes.again())
    game.take(game.scenes.lay("2H", "turn-up"))
    game.take(Said(4.0, "page", 1, "beg"))
    game.take(UndoAsked(5.0, "page"))
    word, undo = game.events("observation")[-2:]
    assert (word["kind"], word["seat"], word["word"], undo["kind"]) == ("said", 1, "beg", "undo")
    taken = [line for line in game.events("taken") if line["n"] >= 3]
    assert [(line["card"], line["zone"], line["action"]["do"]) for line in taken] == [
        (None, None, "say"),
        (None, None, "undo"),
    ]
    assert [line["action"]["do"] for line in game.events("action")] == ["turn", "say", "undo"]
    assert [line["line"] for line in game.events("action")] == [2, 3, 4]


def test_without_being_asked_the_trace_names_no_card_of_a_hand(game: TracedGame) -> None:
    game.take(game.scenes.again())
    game.take(DealReaders().swipe(3.0, 0, HAND))
    swiped, action = game.events("observation")[-1], game.events("action")[-1]
    assert (swiped["kind"], swiped["seats"], "cards" in swiped) == ("swiped", [0] * 6, False)
    assert action["action"] == {"do": "deal", "seat": 0, "count": 6}
    assert not any(str(card) in game.path.read_text("utf-8") for card in HAND)


def test_the_kinds_of_observations(tmp_path: Path) -> None:
    """A doubtful card lists its alternatives; a known hand is written out if that is asked for."""
    game = TracedGame(tmp_path / "trace.jsonl", hands=True)
    doubtful = Sighting("t1", parse_card("KS"), Zone("play", 1), 1.0, 0.71234, (parse_card("QS"), parse_card("JS")))
    hidden = Sighting("t2", None, None, 1.0, 0.0)
    game.take(Scene(2.0, "camera", (doubtful, hidden)))
    for observation in (
        DealReaders().swipe(3.0, 0, HAND[:2]),
        Lost(5.0, "camera", "Plug the camera in."),
        Back(6.0, "camera"),
        Said(7.0, "page", 0, "revoke", parse_card("2S"), 1),
    ):
        game.take(observation)
    scene, *others = game.events("observation")
    assert scene["cards"] == [
        {"id": "t1", "card": "KS", "zone": "play 1", "since": 1.0, "confidence": 0.712, "alternatives": ["QS", "JS"]},
        {"id": "t2", "card": None, "zone": None, "since": 1.0, "confidence": 0.0},
    ]
    general = ("event", "n", "at", "source", "time")
    assert [{key: line[key] for key in line if key not in general} for line in others] == [
        {"kind": "swiped", "seats": [0, 0], "cards": ["AS", "2H"]},
        {"kind": "lost", "reason": "Plug the camera in."},
        {"kind": "back"},
        {"kind": "said", "seat": 0, "word": "revoke", "card": "2S", "against": 1},
    ]


def test_an_ignored_card_has_a_reason(game: TracedGame) -> None:
    game.trace.judgement(Ignored(parse_card("2H"), Zone("play", 1), "passed"))
    game.trace.write()
    assert game.events("ignored") == [{"event": "ignored", "n": 0, "card": "2H", "zone": "play 1", "reason": "passed"}]


def test_a_card_that_lies_there_at_the_start_is_refused(game: TracedGame) -> None:
    game.take(game.scenes.lay("2H", "play", 1))
    (refused,) = game.events("refused")
    assert (refused["card"], refused["action"], refused["code"]) == ("2H", None, "before")


def test_what_cannot_be_stored_is_marked_and_observed_again_later(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        journal.begin(HEADER)
        game = TracedGame(tmp_path / "trace.jsonl", journal)
        game.take(game.scenes.again())
        game.take(game.scenes.lay("2H", "turn-up"))
        blocker = Journal(journal.path)
        blocker._database.execute("BEGIN IMMEDIATE")
        journal._database.execute("PRAGMA busy_timeout = 10")
        game.take(Said(3.0, "page", 1, "stand"))
        blocker._database.execute("ROLLBACK")
        blocker.close()
        (not_stored,) = game.events("not-stored")
        assert not_stored["n"] == 3 and "another program holds the file" in not_stored["reason"]
        game.live.retry_store()
        game.take(Said(4.0, "page", 1, "stand"))
        assert [(line["n"], line["action"]["do"]) for line in game.events("action")] == [(2, "turn"), (5, "say")]
        assert [line["kind"] for line in game.events("observation")] == ["scene", "scene", "said", "scene", "said"]


def test_only_its_owner_may_read_the_file(game: TracedGame) -> None:
    assert stat.S_IMODE(game.path.stat().st_mode) == 0o600
    game.trace.close()
    game.path.chmod(0o644)
    TracedGame(game.path).trace.close()
    assert stat.S_IMODE(game.path.stat().st_mode) == 0o600


def test_a_second_start_appends(game: TracedGame) -> None:
    game.take(game.scenes.again())
    game.trace.close()
    second = TracedGame(game.path)
    assert [line["event"] for line in second.lines] == ["start", "observation", "start"]
    second.trace.close()


def test_an_unopenable_file_is_reported_once_and_the_game_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    game = TracedGame(folder / "trace.jsonl")
    game.take(game.scenes.again())
    game.take(game.scenes.lay("2H", "turn-up"))
    assert game.live.snapshot.n == 1
    message = f"the trace {folder}/trace.jsonl cannot be written: No such file or directory; the game goes on"
    assert len(game.messages) == 1 and game.messages[0].startswith(message)
    folder.mkdir()
    game.take(Said(0.0, "page", 1, "stand"))
    assert game.lines[0] == {"event": "gap", "lost": 5}
    assert [line["event"] for line in game.lines[1:]] == ["observation", "taken", "action"]
    assert game.messages[1:] == [f"the trace {folder}/trace.jsonl can be written again"]
    game.trace.close()


def test_a_full_disk_loses_whole_lines_only(game: TracedGame) -> None:
    game.take(game.scenes.again())
    before = game.lines
    with full_disk(game.path.stat().st_size + 60):
        game.take(game.scenes.lay("2H", "turn-up"))
        game.take(Said(0.0, "page", 1, "stand"))
    assert game.lines == before
    assert len(game.messages) == 1 and "cannot be written" in game.messages[0]
    game.take(game.scenes.lay("10H", "play", 1))
    assert [line["event"] for line in game.lines[len(before) :]] == ["gap", "observation", "taken", "action"]
    assert [str(action.do) for action in game.live.table.actions] == ["turn", "say", "play"]


def test_a_pipe_that_is_not_read_does_not_stop_the_game(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    game = TracedGame(path)
    game.take(game.scenes.again())
    assert len(game.messages) == 1


def test_the_example_of_the_document_has_the_keys_of_its_table() -> None:
    document = (Path(__file__).parents[3] / "docs" / "how-to" / "trace.md").read_text("utf-8")
    rows = [line.split("|") for line in document.splitlines() if line.startswith("| `")]
    keys = {row[1].strip(" `"): set(row[2].replace("`", "").replace(",", " ").split()) for row in rows}
    lines = [json.loads(line) for line in document.splitlines() if line.startswith("    {")]
    assert {line["event"] for line in lines} >= {"start", "observation", "taken", "refused", "action"}
    for line in lines:
        assert set(line) - {"event"} <= keys[line["event"]] | (keys[line.get("kind", "")] if "kind" in line else set())
