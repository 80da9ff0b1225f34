"""Whole records and the expected answers of a replay: the keys of an expectation must agree.

The records `…-r…` are short, random, and full of mistakes, undos and half-known hands. What to expect of them was
worked out by a second implementation of docs/reference/record.md and of the games' rules, which shares no code with
this one. The records `…-g…` are written by `python -m tests.engine.sample_records`, which says what they are for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from engine.table import replay

RECORDS = sorted((Path(__file__).parent / "records").glob("*.record.jsonl"))


def sums(points: list[dict[str, Any]]) -> Counter[tuple[int, str]]:
    total: Counter[tuple[int, str]] = Counter()
    for point in points:
        total[point["seat"], point["for"]] += point["points"]
    return total


def listed(actions: list[dict[str, Any]]) -> list[str]:
    """Legal actions in a canonical order: the order of the list and of the cards in an action does not matter."""
    plain = [each | ({"cards": sorted(each["cards"])} if "cards" in each else {}) for each in actions]
    return sorted(json.dumps(each, sort_keys=True) for each in plain)


def cases() -> Iterator[ParameterSet]:
    for path in RECORDS:
        name = path.name.removesuffix(".record.jsonl")
        many_discards = name.startswith("fifteen-r")  # each is listed as a legal action
        yield pytest.param(path, id=name, marks=[pytest.mark.slow] if many_discards else [])


@pytest.mark.parametrize("path", [*cases()])
def test_a_replay_says_what_is_expected(path: Path) -> None:
    expected = path.with_name(path.name.replace(".record.", ".expect.")).read_text("utf-8").splitlines()
    answers = list(replay(path.read_text("utf-8").splitlines(), legal=any('"legal"' in line for line in expected)))
    assert len(answers) == len(expected)
    for line, answer in zip(map(json.loads, expected), answers, strict=True):
        for key, value in line.items():
            if key == "points":
                assert sums(answer[key]) == sums(value), line
            elif key == "events":
                got = sorted(json.dumps(event, sort_keys=True) for event in answer[key])
                assert got == sorted(json.dumps(event, sort_keys=True) for event in value), line
            elif key == "legal":
                assert listed(answer[key]) == listed(value), line
            elif key != "ignore_events":
                assert answer[key] == value, line
