"""A deck of which no card is read: the table says so instead of asking for each card again and again."""

from __future__ import annotations

from engine.observations import Hampered
from tests.vision.light.live_table import LiveTable
from vision.camera_pipeline import CameraPipeline
from vision.faces import FaceReader
from vision.frames import Image
from vision.marks import ArucoReader
from vision.readings import CARD_MM, Reading

ZONES = (("play", 0), ("play", 1), ("show", 0))
ADVICE = "learn this deck"


class LearningReader:
    """A reader that learns its deck and reads none of its cards, as `FaceReader` if it cannot read a deck."""

    min_px_per_mm = 0.0
    card_mm = CARD_MM
    drawback = ""
    unread_advice = ADVICE

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        return []


def reasons(table: LiveTable, learns: bool = True, backs: bool = False) -> list[set[str]]:
    """What is reported with none, one, two and three cards without any print, or with their `backs` up."""
    pipeline = CameraPipeline(table, table.mat, [ArucoReader(), *([LearningReader()] if learns else [])])
    found = []
    for zone in (None, *ZONES):
        if zone is not None:
            table.lay("back", zone) if backs else table.lay_paper(zone)
        seen = [observation for _ in range(12 if zone else 3) for observation in pipeline.step()]
        found.append({observation.reason for observation in seen if isinstance(observation, Hampered)})
    return found


def test_the_third_card_that_cannot_be_read_is_reported() -> None:
    assert reasons(LiveTable()) == [set(), set(), set(), {ADVICE}]


def test_the_advice_says_what_to_do_with_the_suits_of_the_table() -> None:
    french, german = FaceReader().unread_advice, FaceReader(suits="german").unread_advice
    assert all("cardtable deck check" in advice and "learn the deck" in advice for advice in (french, german))
    assert "german-suits" in french and "german-suits" not in german


def test_cards_with_marks_are_not_a_deck_to_learn() -> None:
    assert not any(reasons(LiveTable(), learns=False))


def test_backs_and_a_deck_of_which_cards_are_read_are_not_reported() -> None:
    assert not any(reasons(LiveTable(), backs=True))
    some = LiveTable()
    some.lay("QH", ("show", 1))
    some.lay("7S", ("turn-up", None))
    assert not any(reasons(some))
