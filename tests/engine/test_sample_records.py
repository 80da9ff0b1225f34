"""Whole records and what a replay must say of them: keys that an expectation has must agree."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.replay import replay

RECORDS = sorted((Path(__file__).parent / "records").glob("*.record.jsonl"))


def sums(points: list[dict[str, Any]]) -> Counter[tuple[int, str]]:
    total: Counter[tuple[int, str]] = Counter()
    for point in points:
        total[point["seat"], point["for"]] += point["points"]
    return total


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name.removesuffix(".record.jsonl"))
def test_a_replay_says_what_is_expected(path: Path) -> None:
    expected = path.with_name(path.name.replace(".record.", ".expect.")).read_text("utf-8").splitlines()
    answers = list(replay(path.read_text("utf-8").splitlines()))
    assert len(answers) == len(expected)
    for line, answer in zip(map(json.loads, expected), answers, strict=True):
        for key, value in line.items():
            if key == "points":
                assert sums(answer[key]) == sums(value), line
            elif key == "events":
                got = sorted(json.dumps(event, sort_keys=True) for event in answer[key])
                assert got == sorted(json.dumps(event, sort_keys=True) for event in value), line
            elif key != "ignore_events":
                assert answer[key] == value, line
