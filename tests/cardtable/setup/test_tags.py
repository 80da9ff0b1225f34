"""The tags of the cards, learned in the first start: real firmware on a simulated reader board."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cardtable.setup.steps_devices import ReadersStep
from engine.cards import STANDARD_DECK
from firmware_bridge.bridge import Bridge, stepped_bridge
from firmware_bridge.simulated import SimulatedBoard, SteppedPort
from firmware_bridge.tags import TagTable
from tests.cardtable.setup.conftest import Site

DECK = [str(card) for card in STANDARD_DECK]


@pytest.fixture
def look(site: Site, stepped: SimulatedBoard, step: ReadersStep) -> Callable[[], str]:
    def looked(seconds: float = 1.0) -> str:
        for _ in range(round(seconds / 0.2)):
            stepped.run(0.2)
            step.look(site)
        question = step.question(site)
        return "; ".join([str(question.text), *(str(found.text) for found in question.findings)])

    return looked


@pytest.fixture
def step(stepped: SimulatedBoard) -> ReadersStep:
    def opened() -> Bridge:
        return stepped_bridge("board", None, lambda: stepped.time, lambda address: SteppedPort(stepped))

    return ReadersStep(opened, lambda: stepped.time)


@pytest.fixture
def lesson(site: Site, stepped: SimulatedBoard, step: ReadersStep, look: Callable[[], str]) -> Path:
    """Begin with the cards of all fives; return the file of the tags."""
    step.begin(site)
    look()
    stepped.lay(0, "04A1B2C3")
    look()
    step.answer(site, "zone:table")
    stepped.lift(0, "04A1B2C3")
    step.answer(site, "done")
    step.answer(site, "tags:all-fives")
    look()
    return site.path.parent / "tags.json"


def test_each_card_that_is_laid_gets_its_tag(
    site: Site, stepped: SimulatedBoard, step: ReadersStep, look: Callable[[], str], lesson: Path
) -> None:
    first, second, third = (card for card in STANDARD_DECK if str(card) in DECK[:3])
    assert look().startswith(f"Lay {first.glyph} on any reader. ")
    stepped.lay(2, "04000001")
    assert f"{first.glyph} has its tag" in look()
    stepped.lift(2, "04000001")
    look()
    stepped.lay(1, "04000001")  # the same card again
    assert f"that tag is on {first.glyph} already" in look()
    stepped.lift(1, "04000001")
    step.answer(site, "skip-card")
    assert look().startswith(f"Lay {third.glyph} on any reader. ")
    stepped.lay(1, "04000003")
    look()
    assert json.loads(lesson.read_text("utf-8")) == {"tags": {"04000001": str(first), "04000003": str(third)}}
    assert not step.answer(site, "enough")
    assert "2 tags are known" in look()
    assert step.answer(site, "later")
    assert TagTable(site.config.reader[0].tags).face("04000003") == third and second is not None


def test_two_tags_at_once_are_not_learned(
    site: Site, stepped: SimulatedBoard, step: ReadersStep, look: Callable[[], str], lesson: Path
) -> None:
    stepped.lay(0, "04000001")
    stepped.lay(0, "04000002")
    assert "two tags came to reader 0 at once" in look()
    assert not lesson.exists()


def test_back_leads_through_the_questions(
    site: Site, stepped: SimulatedBoard, step: ReadersStep, look: Callable[[], str], lesson: Path
) -> None:
    assert step.back() and look().startswith("The table must know the tag")
    assert step.back() and look().startswith("Lay a card with a tag on a reader.")
    assert not step.back()


def test_a_damaged_file_of_tags_is_named(site: Site, step: ReadersStep, look: Callable[[], str], lesson: Path) -> None:
    lesson.write_text("{", "utf-8")
    step.back()
    with pytest.raises(Exception, match="is not a file of tags"):
        look()
