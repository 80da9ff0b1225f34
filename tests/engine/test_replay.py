"""Replays: one answer for each action, then the result."""

from __future__ import annotations

import json

from engine.actions import Action
from engine.record import Header, write_record
from engine.table import replay
from tests.engine.talk import action

HEADER = Header("all-fives", ("Ann", "Bo"), 0, {"target": 1})


def lines(*texts: str, header: Header = HEADER) -> list[str]:
    return list(write_record(header, map(action, texts)))


def test_answers_and_result() -> None:
    answers = list(replay(lines("turn 2C", "0 say beg", "1 say beg", "0 say take-one", "1 play AS")))
    assert answers[0] == {
        "n": 2,
        "ok": True,
        "scores": [0, 0],
        "turn": 1,
        "phase": "say",
        "points": [],
        "events": [],
    }
    assert answers[1]["ok"] is False and answers[1]["error"] == "not-your-turn"
    assert "Bo" in answers[1]["message"]
    assert (answers[1]["points"], answers[1]["events"], answers[1]["turn"]) == ([], [], 1)
    assert answers[3]["points"] == [{"seat": 1, "points": 1, "for": "beg"}]
    assert answers[3]["events"] == [{"event": "game-over"}]
    assert answers[4]["error"] == "wrong-phase"
    assert answers[5] == {"over": True, "winners": [1], "scores": [0, 1], "accepted": 3, "refused": 2}


def test_undo_counts_as_accepted_and_what_it_undid_stays_counted() -> None:
    *answers, end = replay(lines("undo", "turn 2C", "1 say beg", "0 say take-one", "undo", "undo", "1 say stand"))
    assert [answer["ok"] for answer in answers] == [False, True, True, True, True, True, True]
    assert answers[0]["error"] == "nothing-to-undo"
    assert answers[4]["points"] == [] and answers[4]["scores"] == [0, 0] and answers[4]["phase"] == "say"
    assert end == {"over": False, "winners": [], "scores": [0, 0], "accepted": 6, "refused": 1}


def test_events_carry_seat_and_card() -> None:
    record = lines("turn 2C", "1 say stand", "1 play AS", "0 play 3H", "1 say revoke 0 9S")
    *_, trick, call, _ = replay(record)
    assert trick["events"] == [{"event": "trick", "seat": 1}]
    assert call["events"] == [{"event": "revoke-proven", "seat": 0, "card": "9S"}]


def test_legal_is_on_every_line_in_the_form_of_a_record() -> None:
    record = lines("turn 2C", "1 say stand", "1 play AS", "0 play 3H", "0 play 3D")
    answers = list(replay(record, legal=True))
    assert "legal" not in answers[-1]
    assert all("legal" in answer for answer in answers[:-1])
    assert answers[0]["legal"] == [
        {"do": "say", "seat": 1, "word": "stand"},
        {"do": "say", "seat": 1, "word": "beg"},
    ]
    last = answers[-2]["legal"]  # the line was refused: the list is that of the state before
    assert last == answers[-3]["legal"]
    assert {"do": "gather", "seat": 1} in last
    assert {"do": "withdraw", "seat": 0, "card": "3H"} in last
    assert {"do": "say", "seat": 1, "word": "revoke", "against": 0, "card": "10S"} in last
    assert {each["do"] for each in last} == {"play", "gather", "withdraw", "say"}
    kinds = {json.dumps(each) for each in last}
    assert len(kinds) == len(last)
    assert all(Action.from_json(each).to_json() == each for each in last)


def test_turn_and_cut_are_listed_with_every_card_not_accounted_for() -> None:
    record = lines("0 cut AS", "1 cut KS", header=Header("all-fives", ("Ann", "Bo")))
    first, second, _ = replay(record, legal=True)
    assert len(first["legal"]) == 51
    assert len(second["legal"]) == 52 and second["legal"][0]["do"] == "turn"
    named = lines("0 deal AS KS QS JS 10S 9S", header=Header("all-fives", ("Ann", "Bo"), 0))
    assert len(next(replay(named, legal=True))["legal"]) == 46
