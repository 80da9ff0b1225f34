"""The order of the questions: every cell of the table in `cardtable.setup.first_start`, and what is stored."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from cardtable.errors import CardtableError
from cardtable.setup.first_start import Event, FirstStart, Progress, progress_path
from cardtable.setup.step import Choice, Question, Step
from cardtable.setup.step import Site as AnySite
from tests.cardtable.setup.conftest import Site


class Plain(Step):
    """A step with a question within it; `x` leads there, `y` ends it."""

    name: ClassVar[str] = ""

    def __init__(self, name: str, forward: str | None = "on") -> None:
        super().__init__()
        self.name = name
        self.forward = forward
        self.open = 0

    def begin(self, site: AnySite) -> None:
        self.open += 1

    def question(self, site: AnySite) -> Question:
        return Question(self.name, "", choices=[Choice("x", "X"), Choice("y", "Y")], forward=self.forward)

    def answer(self, site: AnySite, value: str) -> bool:
        self.answers[:] = ["x"]
        return value == "y"

    def end(self, site: AnySite) -> None:
        self.open -= 1


STEPS = ("first", "middle", "last")


def machine(site: Site, at: str = "", within: bool = False) -> FirstStart:
    """The first start at this step, or at the question within it."""
    progress_path(site.config.journal).write_text(json.dumps({"at": at}))
    first_start = FirstStart([Plain(each) for each in STEPS], site, progress_path(site.config.journal))
    if within:
        first_start.do("answer", at, "x")
    return first_start


def stored(site: Site) -> Progress:
    return FirstStart([Plain(each) for each in STEPS], site, progress_path(site.config.journal)).progress


@pytest.mark.parametrize(
    ("name", "within", "event", "value", "expected", "kept"),
    [
        ("first", False, "answer", "y", "middle", "done"),
        ("first", True, "answer", "y", "middle", "done"),
        ("last", False, "answer", "y", "over", "done"),
        ("first", False, "answer", "x", "first+", None),
        ("first", True, "answer", "x", "first+", None),
        ("last", False, "answer", "x", "last+", None),
        ("first", False, "answer", "z", None, None),
        ("middle", False, "next", "", "last", "done"),
        ("middle", True, "next", "", "last", "done"),
        ("last", False, "next", "", "over", "done"),
        ("first", False, "skip", "", "middle", "skipped"),
        ("middle", True, "skip", "", "last", "skipped"),
        ("last", False, "skip", "", "over", "skipped"),
        ("first", False, "back", "", None, None),
        ("middle", False, "back", "", "first", None),
        ("middle", True, "back", "", "middle", None),
        ("last", False, "back", "", "middle", None),
        ("first", False, "go", "last", "last", None),
        ("middle", True, "go", "first", "first", None),
        ("last", False, "go", "middle", "middle", None),
        ("last", False, "go", "nowhere", None, None),
    ],
)
def test_every_cell(
    site: Site, name: str, within: bool, event: Event, value: str, expected: str | None, kept: str | None
) -> None:
    first_start = machine(site, name, within)
    if expected is None:
        with pytest.raises(CardtableError):
            first_start.do(event, name, value)
        assert first_start.step.name == name and stored(site) == Progress(at=name)
        return
    first_start.do(event, name, value)
    if expected == "over":
        assert first_start.is_over and first_start.state(str) == {"over": True}
        assert not progress_path(site.config.journal).exists()
        with pytest.raises(CardtableError, match="is over"):
            first_start.do("next", name)
        return
    first_start.question()
    assert (first_start.step.name, bool(first_start.step.answers)) == (expected.rstrip("+"), expected.endswith("+"))
    assert sum(step.open for step in first_start.steps if isinstance(step, Plain)) == 1  # the others are closed
    if kept is not None:
        assert name in getattr(stored(site), kept) and stored(site).at == expected


def test_a_page_that_shows_another_question_is_refused(site: Site) -> None:
    with pytest.raises(CardtableError, match="Another question is asked now"):
        machine(site, "middle").do("answer", "first", "y")


def test_without_a_way_forward_next_is_refused(site: Site) -> None:
    first_start = FirstStart([Plain("only", None)], site)
    with pytest.raises(CardtableError, match="Choose one, or skip this"):
        first_start.do("next", "only")
    assert not first_start.is_over


def test_what_cannot_be_stored_changes_nothing(site: Site) -> None:
    first_start = FirstStart([Plain(name) for name in STEPS], site, site.path.parent / "none" / "first-start.json")
    with pytest.raises(CardtableError, match="cannot be written"):
        first_start.do("next", "first")
    assert first_start.step.name == "first" and not first_start.progress.done


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"at": "middle", "done": ["first"], "skipped": []}', {"at": "middle", "done": {"first"}}),
        ("{", {"at": "first"}),
        ('{"at": 7, "done": [[]], "skipped": "x"}', {"at": "first"}),
        ('{"at": "gone", "done": ["gone", "last"]}', {"at": "first", "done": {"last"}}),
    ],
)
def test_progress_is_read_and_damage_begins_again(site: Site, written: str, expected: dict[str, Any]) -> None:
    progress_path(site.config.journal).write_text(written)
    assert stored(site) == Progress(**expected)
