"""The order of the questions: every cell of the table in `cardtable.setup.first_start`, and what is stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from cardtable.errors import CardtableError
from cardtable.setup.first_start import Event, FirstStart, Progress, ProgressFile
from cardtable.setup.step import Question, Step
from cardtable.setup.step import Site as AnySite
from tests.cardtable.setup.conftest import Site


class Plain(Step):
    """A step with a question within it; `x` leads there, `y` ends it."""

    name: ClassVar[str] = ""

    def __init__(self, name: str, forward: str | None = "on") -> None:
        self.name = name
        self.forward = forward
        self.inner = False
        self.open = 0

    def begin(self, site: AnySite) -> None:
        self.inner, self.open = False, self.open + 1

    def question(self, site: AnySite) -> Question:
        return Question(self.name, "", forward=self.forward, inner=self.inner)

    def answer(self, site: AnySite, value: str) -> bool:
        self.inner = True
        return value == "y"

    def back(self) -> bool:
        within, self.inner = self.inner, False
        return within

    def end(self, site: AnySite) -> None:
        self.open -= 1


STEPS = ("first", "middle", "last")


def at(site: Site, name: str, inner: bool, stored: list[Progress], over: list[bool]) -> FirstStart:
    """The machine at this step, or at the question within it."""
    machine = FirstStart(
        [Plain(each) for each in STEPS], site, Progress(name), stored.append, lambda: over.append(True)
    )
    machine.question()
    if inner:
        machine.do("answer", name, "x")
    return machine


@pytest.mark.parametrize(
    ("name", "inner", "event", "value", "expected", "kept"),
    [
        ("first", False, "answer", "y", "middle", "done"),
        ("first", True, "answer", "y", "middle", "done"),
        ("last", False, "answer", "y", "over", "done"),
        ("first", False, "answer", "x", "first+", None),
        ("first", True, "answer", "x", "first+", None),
        ("last", False, "answer", "x", "last+", None),
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
    site: Site, name: str, inner: bool, event: Event, value: str, expected: str | None, kept: str | None
) -> None:
    stored: list[Progress] = []
    over: list[bool] = []
    machine = at(site, name, inner, stored, over)
    if expected is None:
        with pytest.raises(CardtableError):
            machine.do(event, name, value)
        assert machine.step.name == name and not stored
        return
    machine.do(event, name, value)
    if expected == "over":
        assert machine.is_over and over == [True] and machine.state(str) == {"over": True}
        with pytest.raises(CardtableError, match="is over"):
            machine.do("next", name)
        return
    question = machine.question()
    assert (machine.step.name, question.inner) == (expected.rstrip("+"), expected.endswith("+"))
    assert sum(step.open for step in machine.steps if isinstance(step, Plain)) == 1  # the others are closed
    if kept is not None:
        assert name in getattr(stored[-1], kept) and stored[-1].at == expected


def test_a_page_that_shows_another_question_is_refused(site: Site) -> None:
    machine = at(site, "middle", False, [], [])
    with pytest.raises(CardtableError, match="Another question is asked now"):
        machine.do("answer", "first", "y")


def test_without_a_way_forward_next_is_refused(site: Site) -> None:
    machine = FirstStart([Plain("only", None)], site, Progress(), lambda progress: None, lambda: None)
    with pytest.raises(CardtableError, match="Choose one, or skip this"):
        machine.do("next", "only")
    assert not machine.is_over


def test_what_cannot_be_stored_changes_nothing(site: Site) -> None:
    def full(progress: Progress) -> None:
        raise CardtableError("the disk is full")

    machine = FirstStart([Plain(name) for name in STEPS], site, Progress(), full, lambda: None)
    with pytest.raises(CardtableError, match="full"):
        machine.do("next", "first")
    assert machine.step.name == "first" and not machine.progress.done


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda path: None, Progress("middle", frozenset({"first"}), frozenset())),
        (lambda path: path.write_text("{"), Progress()),
        (lambda path: path.write_text('{"at": 7, "done": [[]], "skipped": "x"}'), Progress()),
        (
            lambda path: path.write_text(json.dumps({"at": "gone", "done": ["gone", "last"]})),
            Progress("", frozenset({"last"})),
        ),
        (lambda path: path.unlink(), Progress()),
    ],
)
def test_progress_survives_and_damage_begins_again(
    tmp_path: Path, damage: Callable[[Path], object], expected: Progress
) -> None:
    file = ProgressFile(tmp_path / "first-start.json", STEPS)
    file.write(Progress("middle", frozenset({"first"})))
    damage(file.path)
    assert file.read() == expected
    file.remove()
    file.remove()
    assert file.read() == Progress()
